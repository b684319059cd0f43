use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Source, past_end};
use crate::error::{Error, Result};

mod pieces;
mod requests;
#[cfg(test)]
mod tests;

use pieces::Pieces;
use requests::{Chain, Missing};

pub use requests::{Fetching, Request};

/// The ranges of something far away that have been fetched so far.
///
/// A read of anything else fails as *missing* and is noted. Whoever drives the reading fetches what
/// [`take_missing`](Self::take_missing) names, adds it with [`insert`](Self::insert), and calls again:
/// reading has no other effect, so it can be done again. What was fetched stays, also where the file is
/// [refreshed](Source::refresh): of one that has changed make a new source.
///
/// Whoever fetches over a network asks for [`requests`](Self::requests), which are fewer and longer than what is missing, in
/// a [`Turn`] for each piece of work: between turns no more is kept than a budget allows.
///
/// ```
/// # fn main() -> h5kit::Result<()> {
/// # let far_away = std::fs::read("testdata/pbmc_small.h5ad").unwrap();
/// use std::sync::Arc;
/// use h5kit::{File, source::Extents};
///
/// let extents = Arc::new(Extents::new(far_away.len() as u64));
/// let names = extents.run(
///     || File::from_source(extents.clone())?.root().links().map(|links| links.len()),
///     |range| Ok(far_away[range.start as usize..range.end as usize].to_vec()),
/// )?;
/// assert!(names > 0);
/// # Ok(())
/// # }
/// ```
pub struct Extents {
    length: u64,
    budget: u64,
    state: Mutex<State>,
}

/// What fetched bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What a read named ahead: mostly elements, which are not asked for again soon.
    Data,
    /// What leads to others, and is read again and again.
    Structure,
}

#[derive(Debug, Default)]
struct State {
    pieces: Pieces,
    missing: Missing,
    chain: Chain,
    /// Counts the turns.
    turn: u64,
    /// Turns that have not ended.
    turns: usize,
}

/// A piece of work that is done again until nothing is missing. What was fetched for it stays until it ends.
#[derive(Debug)]
pub struct Turn(Arc<Extents>);

impl fmt::Debug for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ranges of {} bytes", self.length)
    }
}

impl Extents {
    /// Nothing yet of something `length` bytes long; all that is fetched is kept.
    #[must_use]
    pub fn new(length: u64) -> Self {
        Self::with_budget(length, u64::MAX)
    }

    /// The same, which lets go of what is more than `budget` bytes when a [`Turn`] ends: data first, and what was not read
    /// for long.
    #[must_use]
    pub fn with_budget(length: u64, budget: u64) -> Self {
        Self { length, budget, state: Mutex::default() }
    }

    /// Begins a turn.
    #[must_use]
    pub fn begin(self: &Arc<Self>) -> Turn {
        let mut state = self.lock();
        state.turn += 1;
        state.turns += 1;
        Turn(self.clone())
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.lock().pieces.bytes()
    }

    /// Adds bytes that begin at the position `at`. What is there already stays.
    pub fn insert(&self, at: u64, bytes: Vec<u8>) {
        let mut state = self.lock();
        let turn = state.turn;
        state.pieces.insert(at, bytes, Kind::Structure, turn);
    }

    /// The ranges that reads asked for and did not get, merged, and forgotten here.
    #[must_use]
    pub fn take_missing(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.lock().missing).merged()
    }

    /// Calls `read` until nothing is missing, fetching in between.
    ///
    /// # Errors
    /// What `read` or `fetch` say.
    pub fn run<T>(
        &self,
        mut read: impl FnMut() -> Result<T>,
        mut fetch: impl FnMut(Range<u64>) -> Result<Vec<u8>>,
    ) -> Result<T> {
        loop {
            match read() {
                Err(e) if e.is_missing() => {
                    let missing = self.take_missing();
                    if missing.is_empty() {
                        return Err(e);
                    }
                    for range in missing {
                        self.insert(range.start, fetch(range)?);
                    }
                }
                done => return done,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// True where it is one of these.
    #[must_use]
    pub fn is_of(&self, extents: &Arc<Extents>) -> bool {
        Arc::ptr_eq(&self.0, extents)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.turns -= 1;
        if state.turns == 0 {
            state.pieces.shrink(self.0.budget);
        }
    }
}

impl Source for Extents {
    fn len(&self) -> u64 {
        self.length
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        if range.start > range.end || range.end > self.length {
            return Err(past_end(&range, self.length));
        }
        let mut state = self.lock();
        let State { pieces, missing, turn, .. } = &mut *state;
        let before = missing.structures.len();
        missing.structures.extend(pieces.gaps(range.clone()));
        if missing.structures.len() > before {
            return Err(Error::missing());
        }
        Ok(Cow::Owned(pieces.read(range, *turn)))
    }

    fn is_far(&self) -> bool {
        true
    }

    fn prefetch(&self, ranges: &[Range<u64>], kind: Kind) -> Result<()> {
        let mut state = self.lock();
        let State { pieces, missing, .. } = &mut *state;
        let missing = match kind {
            Kind::Structure => &mut missing.structures,
            Kind::Data => &mut missing.data,
        };
        let before = missing.len();
        for range in ranges {
            missing.extend(pieces.gaps(range.start..range.end.min(self.length)));
        }
        if missing.len() > before { Err(Error::missing()) } else { Ok(()) }
    }
}
