use std::any::Any;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bytes::Addr;
use crate::error::{Result, Structure};

/// A decoded structure.
type Kept = Arc<dyn Any + Send + Sync>;

/// Decoded structures by where they stand, so that none is decoded twice soon.
#[derive(Debug)]
pub(super) struct Memo {
    budget: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    kept: HashMap<(Addr, Structure), Kept, Seed>,
    /// Grows with every clearing: what was being decoded meanwhile is not kept.
    generation: u64,
}

/// What the hashes of one memo begin with, so that no file can choose addresses that meet in one place.
#[derive(Debug)]
struct Seed(u64);

impl Default for Seed {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Seed {
    type Hasher = AddressHasher;

    fn build_hasher(&self) -> AddressHasher {
        AddressHasher(self.0)
    }
}

/// Mixes two numbers by one multiplication each.
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u64(&mut self, n: u64) {
        let product = u128::from(self.0 ^ n) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }
}

impl Memo {
    pub(super) fn new(budget: u64) -> Self {
        Self { budget, state: Mutex::default() }
    }

    /// Forgets everything: what is needed again is read again.
    pub(super) fn clear(&self) {
        let mut state = self.lock();
        state.kept.clear();
        state.used = 0;
        state.generation += 1;
    }

    /// The structure at an address, decoded now unless it was before. `decode` gives it with its bytes; `None` where it
    /// is not worth keeping.
    ///
    /// When the budget is used up everything is forgotten: what is needed again is decoded again.
    pub(super) fn get<T: Any + Send + Sync>(
        &self,
        address: Addr,
        structure: Structure,
        decode: impl FnOnce() -> Result<(T, Option<u64>)>,
    ) -> Result<Arc<T>> {
        let key = (address, structure);
        let (found, generation) = self.find(&key);
        if let Some(found) = found.and_then(|kept| kept.downcast::<T>().ok()) {
            return Ok(found);
        }
        let (value, bytes) = decode()?;
        let value = Arc::new(value);
        if let Some(bytes) = bytes {
            self.keep(key, value.clone(), bytes, generation);
        }
        Ok(value)
    }

    /// What is kept, and the generation.
    fn find(&self, key: &(Addr, Structure)) -> (Option<Kept>, u64) {
        let state = self.lock();
        (state.kept.get(key).cloned(), state.generation)
    }

    fn keep(&self, key: (Addr, Structure), value: Kept, bytes: u64, generation: u64) {
        const OVERHEAD: u64 = 128;
        let cost = bytes.saturating_add(OVERHEAD);
        let mut state = self.lock();
        if state.generation != generation {
            return;
        }
        if state.used.saturating_add(cost) > self.budget {
            state.kept.clear();
            state.used = 0;
        }
        if cost <= self.budget && state.kept.insert(key, value).is_none() {
            state.used += cost;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
