use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use super::Storage;
use crate::bytes::Addr;
use crate::error::{Corrupt, Fault, Result, Structure};

/// What the objects of a file hold of it. Each byte of a sound file belongs to one object: objects that overlap, or lead to
/// the same blocks, would have a reader meet a few bytes thousands of times.
#[derive(Debug, Default)]
pub(super) struct Holdings {
    state: Mutex<State>,
    /// Makes numbers of places that no file can foresee.
    places: RandomState,
}

#[derive(Debug, Default)]
struct State {
    held: HashMap<Holder, u64>,
    total: u64,
}

/// What holds bytes of the file: something of the object whose header is at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Holder {
    structure: Structure,
    at: u64,
    /// Tells chunks of one dataset apart.
    place: u64,
}

/// Bytes that are too few to be remembered.
const FEW: u64 = 1 << 10;

/// Times that the file's bytes may be held: one length that is damaged makes none of the others wrong.
const TIMES: u64 = 2;

/// The same where objects that were left behind are met beside those that took their place.
const TIMES_FORGIVEN: u64 = 8;

/// A chunk that has, and becomes, less than this part of the file's length is not remembered.
const SMALL_CHUNK: u64 = 64;

/// Bytes that a chunk may well have, beyond four times those that it becomes: more are what a damaged index says, or blocks
/// that become nothing.
const FUTILE: u64 = 64 << 10;

impl Holdings {
    /// Forgets everything: the file may have changed.
    pub(super) fn clear(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }

    /// Notes what a holder has, if all together then have no more than so many times the file.
    fn note(&self, holder: Holder, bytes: u64, times: u64, end: u64) -> Result<(), Fault> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = state.held.get(&holder).copied().unwrap_or(0);
        let total = state.total.saturating_add(bytes.saturating_sub(before));
        if total > end.saturating_mul(times) {
            return Err(Fault::Repeated { total, end });
        }
        if bytes > before {
            state.held.insert(holder, bytes);
            state.total = total;
        }
        Ok(())
    }
}

/// Bytes that something of an object was found to hold, counted up.
#[derive(Debug)]
pub(crate) struct Held {
    holder: Holder,
    bytes: u64,
    /// Bytes that the file knows of.
    told: u64,
}

impl Held {
    /// Nothing yet, of the object whose header is at a position.
    pub(crate) fn by(structure: Structure, at: u64) -> Self {
        Self { holder: Holder { structure, at, place: 0 }, bytes: 0, told: 0 }
    }

    /// Adds some bytes.
    ///
    /// # Errors
    /// With them all objects hold more than the file has.
    pub(crate) fn add(&mut self, storage: &Storage, bytes: u64) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes - self.told >= FEW {
            storage.hold(self.holder, self.holder.at, self.bytes)?;
            self.told = self.bytes;
        }
        Ok(())
    }
}

impl Storage {
    /// Makes numbers that no file can foresee.
    pub(super) fn places(&self) -> &RandomState {
        &self.holdings.places
    }

    /// Notes where the chunk at a place of a dataset is and how many bytes it has, and those that they become. The header of
    /// the dataset is at a position.
    ///
    /// # Errors
    /// With it all objects hold more than the file has.
    pub(crate) fn hold_chunk(&self, at: u64, scaled: &[u64], stored: (Addr, u64), decoded: u64) -> Result<()> {
        let (address, bytes) = stored;
        let bytes = bytes.min(decoded.saturating_mul(4).saturating_add(FUTILE));
        if bytes.max(decoded) < self.end() / SMALL_CHUNK {
            return Ok(());
        }
        let place = self.holdings.places.hash_one(scaled);
        self.hold(Holder { structure: Structure::Chunk, at, place }, self.position(address), bytes)
    }

    fn hold(&self, holder: Holder, at: u64, bytes: u64) -> Result<()> {
        // A salvage tries what may be objects.
        let times = if self.forgives() { TIMES_FORGIVEN } else { TIMES };
        let noted = self.holdings.note(holder, bytes, times, self.end());
        noted.map_err(|fault| Corrupt::new(holder.structure, "bytes", at, fault).into())
    }
}

#[cfg(test)]
#[test]
fn bytes_are_held_once() {
    let holdings = Holdings::default();
    let holder = |at| Holder { structure: Structure::ObjectHeader, at, place: 0 };
    assert!(holdings.note(holder(0), 80, 2, 100).is_ok());
    assert!(holdings.note(holder(1), 120, 2, 100).is_ok());
    // What is met again is the same, however often.
    assert!(holdings.note(holder(0), 80, 2, 100).is_ok());
    assert_eq!(holdings.note(holder(2), 1, 2, 100), Err(Fault::Repeated { total: 201, end: 100 }));
    assert!(holdings.note(holder(1), 120, 2, 100).is_ok());
    holdings.clear();
    assert!(holdings.note(holder(2), 1, 2, 100).is_ok());
}
