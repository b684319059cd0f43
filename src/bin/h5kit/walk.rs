//! Every object of a file, once.

use std::collections::{HashSet, VecDeque};

use h5kit::{Error, File, Group, Link, Links, Object, Target};

/// What is met on the way.
pub enum Met {
    /// An object that was not met before.
    Object(Object),
    /// A path at which no object can be read, or a group whose links cannot be.
    Damaged(Error),
    /// A link that leads to a path.
    Link(Link),
}

/// A walk over everything that hard links lead to, level by level: an object is met by the shortest of its paths.
pub struct Walk {
    seen: HashSet<u64>,
    root: Option<Group>,
    /// Groups whose links come later.
    groups: VecDeque<Group>,
    /// What is left of the links of one group.
    links: Option<Links>,
}

impl Walk {
    /// A walk from the root.
    pub fn of(file: &File) -> Self {
        let root = file.root();
        Self {
            seen: HashSet::from([root.info().address()]),
            groups: VecDeque::from([root.clone()]),
            root: Some(root),
            links: None,
        }
    }

    /// What a link leads to; `None` where that was met before.
    fn follow(&mut self, link: h5kit::Result<Link>) -> Option<Met> {
        let link = match link {
            Ok(link) => link,
            Err(e) => return Some(Met::Damaged(e)),
        };
        let Target::Hard(address) = link.target() else { return Some(Met::Link(link)) };
        if !self.seen.insert(address) {
            return None;
        }
        Some(match link.open() {
            Ok(object) => {
                if let Object::Group(group) = &object {
                    self.groups.push_back(group.clone());
                }
                Met::Object(object)
            }
            Err(e) => Met::Damaged(e),
        })
    }
}

impl Iterator for Walk {
    type Item = Met;

    fn next(&mut self) -> Option<Met> {
        if let Some(root) = self.root.take() {
            return Some(Met::Object(Object::Group(root)));
        }
        loop {
            while let Some(link) = self.links.as_mut().and_then(Iterator::next) {
                if let Some(met) = self.follow(link) {
                    return Some(met);
                }
            }
            let group = self.groups.pop_front()?;
            // What cannot be fetched is told where it is read.
            let _ = group.fetch_children(|object| object.attributes().map(drop));
            match group.links() {
                Ok(links) => self.links = Some(links),
                Err(e) => return Some(Met::Damaged(e)),
            }
        }
    }
}
