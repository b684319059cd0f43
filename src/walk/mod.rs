//! Follows addresses through a source and returns values.
//!
//! A walk is ordinary code that reads and decodes. It has no other effect than to fill the memo of decoded
//! structures, so it can be run again when a source lacked some ranges; loops over siblings go through
//! [`each`], so that one round finds out what all of them lack.

mod attempts;
pub(crate) mod attributes;
pub(crate) mod btree_v1;
pub(crate) mod btree_v2;
pub(crate) mod chunks;
mod datatype;
pub(crate) mod global_heap;
pub(crate) mod group;
pub(crate) mod heap;
mod holdings;
pub(crate) mod local_heap;
mod memo;
pub(crate) mod object;
mod open;
pub(crate) mod salvage;
pub(crate) mod shared;
mod siblings;
mod storage;
pub(crate) mod survey;
mod totals;
pub(crate) mod virtual_dataset;

pub(crate) use datatype::datatype;
pub(crate) use holdings::Held;
pub use open::Condition;
pub(crate) use open::{Frame, OpenFile};
pub(crate) use siblings::Siblings;
pub(crate) use storage::{Run, Storage};

use crate::bytes::{Addr, Text};
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use std::collections::HashSet;

/// Calls `visit` with every item, in order, and stops at the first error. Where the source lacks
/// something, the items after it are visited too, so that what they lack is noted in the same round.
pub(crate) fn each<I: IntoIterator>(items: I, mut visit: impl FnMut(I::Item) -> Result<()>) -> Result<()> {
    let mut missing = None;
    for item in items {
        match visit(item) {
            Err(e) if e.is_missing() => missing = Some(e),
            Err(e) if missing.is_none() => return Err(e),
            _ => {}
        }
    }
    missing.map_or(Ok(()), Err)
}

/// The path of a child.
pub(crate) fn join(parent: &str, name: &Text) -> String {
    let (parent, name) = (parent.trim_end_matches('/'), name.display());
    let mut path = String::with_capacity(parent.len() + 1 + name.len());
    path.push_str(parent);
    path.push('/');
    path.push_str(&name);
    path
}

/// Bytes of the parts of one whole, which a sound file holds once each. Parts that overlap, or are met again and again, are
/// more than the file has, and would keep a reader busy for ever.
#[derive(Debug)]
pub(crate) struct Total {
    structure: Structure,
    bytes: u64,
}

impl Total {
    pub(crate) fn new(structure: Structure) -> Self {
        Self { structure, bytes: 0 }
    }

    /// Adds a part of so many bytes.
    ///
    /// # Errors
    /// More bytes than the file has.
    pub(crate) fn add(&mut self, storage: &Storage, address: Addr, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        let (total, end) = (self.bytes, storage.end());
        if total > end {
            let fault = Fault::Repeated { total, end };
            return Err(Corrupt::new(self.structure, "address", storage.position(address), fault).into());
        }
        Ok(())
    }
}

/// The nodes of one index that a walk has been to.
#[derive(Debug)]
pub(crate) struct Visited {
    structure: Structure,
    seen: HashSet<Addr>,
    total: Total,
    limit: (&'static str, u64),
}

impl Visited {
    /// No node yet of an index of such nodes; at most `limit.1` are allowed.
    pub(crate) fn new(structure: Structure, limit: (&'static str, u64)) -> Self {
        Self { structure, seen: HashSet::new(), total: Total::new(structure), limit }
    }

    /// Notes a visit.
    ///
    /// # Errors
    /// A node that was visited before, or one too many.
    pub(crate) fn enter(&mut self, storage: &Storage, address: Addr) -> Result<()> {
        if !self.seen.insert(address) {
            let at = storage.position(address);
            return Err(Corrupt::new(self.structure, "address", at, Fault::Cycle).into());
        }
        if self.seen.len() as u64 > self.limit.1 {
            return Err(Error::limit(self.limit.0, self.seen.len() as u64, self.limit.1));
        }
        Ok(())
    }

    /// Notes how many bytes the node has that was entered.
    ///
    /// # Errors
    /// More bytes in all than the file has.
    pub(crate) fn read(&mut self, storage: &Storage, address: Addr, bytes: usize) -> Result<()> {
        self.total.add(storage, address, bytes)
    }
}
