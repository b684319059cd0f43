use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bytes::Addr;
use crate::error::{Result, Structure};

/// Decoded structures by where they stand, so that none is decoded twice soon.
#[derive(Debug)]
pub(super) struct Memo {
    budget: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    kept: HashMap<(Addr, Structure), Arc<dyn Any + Send + Sync>>,
}

impl Memo {
    pub(super) fn new(budget: u64) -> Self {
        Self { budget, state: Mutex::default() }
    }

    /// The structure at an address, decoded now unless it was before. `decode` gives it with its bytes.
    ///
    /// When the budget is used up everything is forgotten: what is needed again is decoded again.
    pub(super) fn get<T: Any + Send + Sync>(
        &self,
        address: Addr,
        structure: Structure,
        decode: impl FnOnce() -> Result<(T, u64)>,
    ) -> Result<Arc<T>> {
        const OVERHEAD: u64 = 128;
        let key = (address, structure);
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().kept.get(&key).cloned().and_then(|kept| kept.downcast::<T>().ok()) {
            return Ok(found);
        }
        let (value, bytes) = decode()?;
        let value = Arc::new(value);
        let cost = bytes.saturating_add(OVERHEAD);
        let mut state = lock();
        if state.used.saturating_add(cost) > self.budget {
            state.kept.clear();
            state.used = 0;
        }
        if cost <= self.budget && state.kept.insert(key, value.clone()).is_none() {
            state.used += cost;
        }
        Ok(value)
    }
}
