//! The paths of a file's objects.

use std::collections::{HashMap, VecDeque};

use super::file::File;
use super::link::Target;
use super::lookup::Object;
use super::path::ObjectPath;
use crate::error::Result;

/// Paths of all objects that hard links lead to, by the addresses of their headers: the shortest path of each.
/// Objects that cannot be read have one too; groups whose links cannot be read end the search there.
pub(super) fn of(file: &File) -> Result<HashMap<u64, ObjectPath>> {
    let root = file.root();
    let mut paths = HashMap::from([(root.info().address(), root.info().object_path().clone())]);
    let mut groups = VecDeque::from([root]);
    while let Some(group) = groups.pop_front() {
        let links = match group.links() {
            Ok(links) => links,
            Err(e) if e.is_missing() => return Err(e),
            Err(_) => continue,
        };
        for link in links.flatten() {
            let Target::Hard(address) = link.target() else { continue };
            if paths.contains_key(&address) {
                continue;
            }
            match link.open() {
                Ok(Object::Group(group)) => groups.push_back(group),
                Err(e) if e.is_missing() => return Err(e),
                _ => {}
            }
            paths.insert(address, link.object_path());
        }
    }
    Ok(paths)
}
