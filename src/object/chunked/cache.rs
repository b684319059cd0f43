use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::bytes::Addr;

/// A chunk: the cache's generation in which its read began, the position of its dataset's object header, and its address.
pub(in crate::object) type Key = (u64, u64, Addr);

/// Chunks with their filters undone, for reads that come back to them. The one that was asked for longest ago goes
/// first.
#[derive(Debug)]
pub(in crate::object) struct ChunkCache {
    budget: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    /// Grows with every clearing: what was being read meanwhile is not kept.
    generation: u64,
    /// Grows with every use.
    clock: u64,
    kept: HashMap<Key, Kept>,
    /// Keys by their last use.
    uses: BTreeMap<u64, Key>,
}

#[derive(Debug)]
struct Kept {
    bytes: Arc<Vec<u8>>,
    used_at: u64,
}

impl State {
    fn touch(&mut self, key: Key) -> Option<Arc<Vec<u8>>> {
        let kept = self.kept.get_mut(&key)?;
        self.uses.remove(&kept.used_at);
        self.clock += 1;
        kept.used_at = self.clock;
        self.uses.insert(self.clock, key);
        Some(kept.bytes.clone())
    }

    fn drop_oldest(&mut self) -> Option<Arc<Vec<u8>>> {
        let oldest = self.uses.pop_first().and_then(|(_, key)| self.kept.remove(&key));
        self.used -= oldest.as_ref().map_or(self.used, |kept| kept.bytes.len() as u64);
        oldest.map(|kept| kept.bytes)
    }
}

impl ChunkCache {
    /// An empty cache that will not hold more than so many bytes.
    pub(in crate::object) fn new(budget: u64) -> Self {
        Self { budget, state: Mutex::default() }
    }

    /// Forgets all chunks.
    pub(in crate::object) fn clear(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State { generation: state.generation + 1, ..State::default() };
    }

    /// What the keys of a read begin with that begins now.
    pub(super) fn generation(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// True where a chunk of so many bytes would be kept, at the cost of no more than a quarter of the others.
    pub(super) fn takes(&self, bytes: u64) -> bool {
        bytes <= self.budget / 4
    }

    pub(super) fn get(&self, key: Key) -> Option<Arc<Vec<u8>>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).touch(key)
    }

    /// Keeps a chunk that the cache [takes](Self::takes). Gives the memory of one that had to go for it.
    pub(super) fn keep(&self, key: Key, bytes: Arc<Vec<u8>>) -> Option<Vec<u8>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if key.0 != state.generation || state.touch(key).is_some() {
            return None;
        }
        let length = bytes.len() as u64;
        let mut gone = None;
        while state.used > 0 && state.used + length > self.budget {
            gone = state.drop_oldest();
        }
        state.used += length;
        state.clock += 1;
        let used_at = state.clock;
        state.uses.insert(used_at, key);
        state.kept.insert(key, Kept { bytes, used_at });
        drop(state);
        gone.and_then(Arc::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_holds_and_the_oldest_goes() {
        let cache = ChunkCache::new(40);
        assert!(cache.takes(10) && !cache.takes(11));
        let key = |n| (0, 7, Addr(n));
        for n in 0..4 {
            cache.keep(key(n), Arc::new(vec![n as u8; 10]));
        }
        assert_eq!(cache.get(key(0)).as_deref(), Some(&vec![0; 10]));
        cache.keep(key(4), Arc::new(vec![4; 5]));
        cache.keep(key(5), Arc::new(vec![5; 5]));
        // 1 was used longest ago.
        let there: Vec<u64> = (0..6).filter(|n| cache.get(key(*n)).is_some()).collect();
        assert_eq!(there, [0, 2, 3, 4, 5]);
        assert!(cache.get((0, 8, Addr(0))).is_none(), "a chunk of another dataset");
        let state = cache.state.lock().expect("no panic");
        assert_eq!(state.used, 40);
        assert_eq!(state.kept.len(), state.uses.len());
        drop(state);
        cache.clear();
        cache.keep(key(0), Arc::new(vec![0; 10]));
        assert!((0..6).all(|n| cache.get(key(n)).is_none()), "nothing of before");
        assert_eq!(cache.generation(), 1);
        cache.keep((1, 7, Addr(0)), Arc::new(vec![9; 10]));
        assert_eq!(cache.get((1, 7, Addr(0))).as_deref(), Some(&vec![9; 10]));
    }
}
