use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Source, past_end};
use crate::error::{Error, Result};

/// The ranges of something far away that have been fetched so far.
///
/// A read of anything else fails as *missing* and is noted. Whoever drives the reading fetches what
/// [`take_missing`](Self::take_missing) names, adds it with [`insert`](Self::insert), and calls again:
/// reading has no other effect, so it can be done again. What was fetched stays, also where the file is
/// [refreshed](Source::refresh): of one that has changed make a new source.
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
#[derive(Debug)]
pub struct Extents {
    length: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Fetched pieces by their first position; they do not overlap.
    pieces: BTreeMap<u64, Vec<u8>>,
    missing: Vec<Range<u64>>,
}

impl Extents {
    /// Nothing yet of something `length` bytes long.
    #[must_use]
    pub fn new(length: u64) -> Self {
        Self { length, state: Mutex::default() }
    }

    /// Adds bytes that begin at the position `at`.
    pub fn insert(&self, at: u64, bytes: Vec<u8>) {
        let mut state = self.lock();
        let mut at = at;
        let mut bytes = bytes.as_slice();
        while !bytes.is_empty() {
            // What is there already stays: only the gaps are filled.
            if let Some(end) = state.covered_until(at) {
                let skip = usize::try_from(end - at).unwrap_or(usize::MAX).min(bytes.len());
                bytes = &bytes[skip..];
                at = end;
                continue;
            }
            let gap = state.pieces.range(at..).next().map_or(u64::MAX, |(start, _)| *start) - at;
            let n = usize::try_from(gap).unwrap_or(usize::MAX).min(bytes.len());
            state.pieces.insert(at, bytes[..n].to_vec());
            bytes = &bytes[n..];
            at += n as u64;
        }
    }

    /// The ranges that reads asked for and did not get, merged, and forgotten here.
    #[must_use]
    pub fn take_missing(&self) -> Vec<Range<u64>> {
        let mut missing = std::mem::take(&mut self.lock().missing);
        missing.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<u64>> = Vec::new();
        for range in missing {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
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

impl State {
    /// The end of the piece that holds the position, if one does.
    fn covered_until(&self, at: u64) -> Option<u64> {
        let (start, piece) = self.pieces.range(..=at).next_back()?;
        let end = start + piece.len() as u64;
        (end > at).then_some(end)
    }

    /// Notes the parts of a range that are not there; true where there are some.
    fn note_missing(&mut self, range: &Range<u64>) -> bool {
        let mut at = range.start;
        let before = self.missing.len();
        while at < range.end {
            match self.covered_until(at) {
                Some(end) => at = end,
                None => {
                    let next = self.pieces.range(at..range.end).next().map_or(range.end, |(start, _)| *start);
                    self.missing.push(at..next);
                    at = next;
                }
            }
        }
        self.missing.len() > before
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
        if state.note_missing(&range) {
            return Err(Error::missing());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(range.end - range.start).unwrap_or(0));
        let first = state.pieces.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        for (start, piece) in state.pieces.range(first..range.end) {
            let from = usize::try_from(range.start.saturating_sub(*start)).unwrap_or(usize::MAX).min(piece.len());
            let to = usize::try_from(range.end - start).unwrap_or(usize::MAX).min(piece.len());
            bytes.extend_from_slice(&piece[from..to]);
        }
        Ok(Cow::Owned(bytes))
    }

    fn prefetch(&self, ranges: &[Range<u64>]) -> Result<()> {
        let mut state = self.lock();
        let mut missing = false;
        for range in ranges {
            let end = range.end.min(self.length);
            if range.start < end {
                missing |= state.note_missing(&(range.start..end));
            }
        }
        if missing { Err(Error::missing()) } else { Ok(()) }
    }
}
