//! The paths of what was found.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::objects::{Found, Kind};
use crate::bytes::Addr;
use crate::walk::join;

/// Where paths begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// At the group that the superblock names.
    Stored(Addr),
    /// At the group that most of what was found is below.
    Guessed(Addr),
    /// Nowhere: no group was found that could be the root.
    Lost,
}

/// An object by its path.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) address: Addr,
    pub(crate) path: String,
    /// True where the path begins at the root.
    pub(crate) from_root: bool,
    /// What it is; `None` for a group whose header is lost.
    pub(crate) kind: Option<Kind>,
}

/// Longer paths begin anew.
const LONGEST: usize = 4096;

/// The paths of all objects.
pub(super) struct Names {
    pub(super) root: Root,
    pub(super) objects: Vec<Named>,
    /// The same by address, those of objects that are lost included.
    pub(super) paths: HashMap<Addr, String>,
}

impl Names {
    /// Gives a path to all that was found; `stored` is the root of the superblock.
    pub(super) fn of(found: &Found, stored: Option<Addr>) -> Self {
        let mut tops = tops(found);
        let root = match stored {
            Some(root) if found.members.contains_key(&root) => Root::Stored(root),
            // Groups that have a header of their own were in the root, which is lost.
            Some(_) => nameless(found, &tops).map_or(Root::Lost, Root::Guessed),
            None => tops.first().map_or(Root::Lost, |(top, _)| Root::Guessed(*top)),
        };
        let mut names = Self { root, objects: Vec::new(), paths: HashMap::new() };
        let mut cut = VecDeque::new();
        if let Root::Stored(root) | Root::Guessed(root) = root {
            names.below(found, root, "/".into(), true, &mut cut);
        }
        let rest = found.objects.keys().map(|address| (*address, 0));
        tops.extend(rest);
        for (top, _) in tops {
            cut.push_back(top);
            while let Some(top) = cut.pop_front() {
                if names.is_new(found, top) {
                    names.below(found, top, format!("unlinked/{top}"), false, &mut cut);
                }
            }
        }
        names
    }

    /// True where something has no path yet; of a group that was put together, where something in it has none.
    fn is_new(&self, found: &Found, address: Addr) -> bool {
        let unnamed = |address: &Addr| !self.paths.contains_key(address);
        let known = found.objects.contains_key(&address);
        unnamed(&address)
            && (known || found.members.get(&address).is_some_and(|m| m.links.iter().any(|(_, to)| unnamed(to))))
    }

    /// Gives paths to an object and all below it, the shortest first. Where they become too long, the objects go to `cut`.
    fn below(&mut self, found: &Found, top: Addr, path: String, from_root: bool, cut: &mut VecDeque<Addr>) {
        self.paths.insert(top, path);
        let mut next = VecDeque::from([top]);
        while let Some(address) = next.pop_front() {
            let path = self.paths[&address].clone();
            let members = found.members.get(&address);
            for (name, target) in members.iter().flat_map(|members| &members.links) {
                if self.paths.contains_key(target) {
                    continue;
                }
                let path = join(&path, name);
                if path.len() > LONGEST {
                    cut.push_back(*target);
                    continue;
                }
                self.paths.insert(*target, path);
                next.push_back(*target);
            }
            let kind = found.objects.get(&address).copied();
            if kind.is_some() || members.is_some() {
                self.objects.push(Named { address, path, from_root, kind });
            }
        }
    }
}

/// Groups that are in no other, or stand for a circle of groups that are in no other, with the number of objects below
/// them, the most first.
fn tops(found: &Found) -> Vec<(Addr, usize)> {
    let links = || found.members.values().flat_map(|members| &members.links);
    let children: BTreeSet<Addr> = links().map(|(_, target)| *target).collect();
    // Groups that share much are not counted to the end.
    let mut steps = 16 * (links().count() + found.members.len());
    let mut met = HashSet::new();
    let mut tops = Vec::new();
    let (inside, outside): (Vec<Addr>, Vec<Addr>) = found.members.keys().partition(|group| children.contains(group));
    for top in outside.into_iter().chain(inside) {
        if met.contains(&top) {
            continue;
        }
        let mut seen = HashSet::from([top]);
        let mut next = vec![top];
        while let Some(group) = next.pop() {
            let members = found.members.get(&group);
            for (_, target) in members.iter().flat_map(|members| &members.links) {
                steps = steps.saturating_sub(1);
                // What was met before is gone through again as long as there is patience.
                if (steps > 0 || !met.contains(target)) && seen.insert(*target) {
                    next.push(*target);
                }
            }
        }
        tops.push((top, seen.len() - 1));
        met.extend(seen);
    }
    tops.sort_by_key(|(top, below)| (Reverse(*below), *top));
    tops
}

/// The first of these groups that was put together and that no header is known of.
fn nameless(found: &Found, tops: &[(Addr, usize)]) -> Option<Addr> {
    let rebuilt: BTreeMap<Addr, bool> =
        found.members.iter().map(|(group, members)| (*group, members.rebuilt)).collect();
    tops.iter().map(|(top, _)| *top).find(|top| rebuilt.get(top) == Some(&true))
}
