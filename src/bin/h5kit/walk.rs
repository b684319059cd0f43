//! Every object of a file, once.

use std::collections::{HashSet, VecDeque};

use h5kit::{Error, File, Group, Link, Object, Target};

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
    groups: VecDeque<Group>,
    met: VecDeque<Met>,
}

impl Walk {
    /// A walk from the root.
    pub fn of(file: &File) -> Self {
        let root = file.root();
        Self {
            seen: HashSet::from([root.info().address()]),
            met: VecDeque::from([Met::Object(Object::Group(root.clone()))]),
            groups: VecDeque::from([root]),
        }
    }

    fn list(&mut self, group: &Group) {
        let links = match group.links() {
            Ok(links) => links,
            Err(e) => return self.met.push_back(Met::Damaged(e)),
        };
        for link in links {
            let link = match link {
                Ok(link) => link,
                Err(e) => {
                    self.met.push_back(Met::Damaged(e));
                    continue;
                }
            };
            let Target::Hard(address) = link.target() else {
                self.met.push_back(Met::Link(link));
                continue;
            };
            if !self.seen.insert(address) {
                continue;
            }
            match link.open() {
                Ok(object) => {
                    if let Object::Group(group) = &object {
                        self.groups.push_back(group.clone());
                    }
                    self.met.push_back(Met::Object(object));
                }
                Err(e) => self.met.push_back(Met::Damaged(e)),
            }
        }
    }
}

impl Iterator for Walk {
    type Item = Met;

    fn next(&mut self) -> Option<Met> {
        while self.met.is_empty() {
            let group = self.groups.pop_front()?;
            self.list(&group);
        }
        self.met.pop_front()
    }
}
