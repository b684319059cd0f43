use std::ops::Range;

use super::{Extents, Kind};
use crate::order::sort_by;

/// How what is missing becomes requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetching {
    /// Bytes of a page: structures are fetched by whole pages, and with half a page before and after them, since there are
    /// more of them around. Default 4096.
    pub page: u64,
    /// Bytes that are fetched in vain at most rather than that another request is made. Default 16 KiB.
    pub gap: u64,
    /// Bytes of one request: more are fetched by several at once. Default 4 MiB.
    pub longest: u64,
    /// Bytes that are read ahead at most where structures follow one another. Default 1 MiB.
    pub ahead: u64,
    /// Of what has no more bytes than this all is fetched as soon as something is missing. Default 256 KiB.
    pub small: u64,
}

impl Default for Fetching {
    fn default() -> Self {
        Self { page: 4096, gap: 16 << 10, longest: 4 << 20, ahead: 1 << 20, small: 256 << 10 }
    }
}

/// A range that is to be fetched at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Where its bytes stand.
    pub range: Range<u64>,
    /// What they are.
    pub kind: Kind,
}

/// What reads asked for and did not get.
#[derive(Debug, Default)]
pub(super) struct Missing {
    pub(super) structures: Vec<Range<u64>>,
    pub(super) data: Vec<Range<u64>>,
}

impl Missing {
    fn is_empty(&self) -> bool {
        self.structures.is_empty() && self.data.is_empty()
    }

    /// All ranges, in order, those that meet as one.
    pub(super) fn merged(self) -> Vec<Range<u64>> {
        let whole = |range| Request { range, kind: Kind::Data };
        merge(self.structures.into_iter().chain(self.data).map(whole).collect(), 0)
            .into_iter()
            .map(|r| r.range)
            .collect()
    }
}

/// Where structures were fetched last, to see that they follow one another.
#[derive(Debug, Default)]
pub(super) struct Chain {
    last: Range<u64>,
    /// Bytes that the last request had.
    length: u64,
}

impl Extents {
    /// What is to be fetched so that reads find what they did not find, in order; it is forgotten here. Each request is to
    /// be [answered](Self::answer).
    #[must_use]
    pub fn requests(&self, fetching: &Fetching) -> Vec<Request> {
        let mut state = self.lock();
        let missing = std::mem::take(&mut state.missing);
        if self.length <= fetching.small && !missing.is_empty() {
            let gaps = state.pieces.gaps(0..self.length).map(|range| Request { range, kind: Kind::Structure });
            return gaps.flat_map(|gap| split(gap, fetching.longest.max(1))).collect();
        }
        let around = |range| Request { range: around(range, fetching.page, self.length), kind: Kind::Structure };
        let mut wanted: Vec<Request> = missing.structures.into_iter().map(around).collect();
        if let [only] = wanted.as_mut_slice() {
            state.chain.read_ahead(&mut only.range, fetching, self.length);
        }
        wanted.extend(missing.data.into_iter().map(|range| Request { range, kind: Kind::Data }));
        let wanted = merge(wanted, fetching.gap);
        // Of what is there already nothing is fetched at the ends.
        let needed = wanted.into_iter().filter_map(|request| {
            let mut gaps = state.pieces.gaps(request.range);
            let first = gaps.next()?;
            let end = gaps.last().map_or(first.end, |last| last.end);
            Some(Request { range: first.start..end, kind: request.kind })
        });
        needed.flat_map(|request| split(request, fetching.longest.max(1))).collect()
    }

    /// Adds what was fetched for a request.
    pub fn answer(&self, request: &Request, bytes: Vec<u8>) {
        let mut state = self.lock();
        let turn = state.turn;
        state.pieces.insert(request.range.start, bytes, request.kind, turn);
    }
}

/// The pages of a structure, and what is near it: libhdf5 puts structures of one time into blocks, by default of 2048 bytes, that
/// begin anywhere.
fn around(structure: Range<u64>, page: u64, length: u64) -> Range<u64> {
    let (page, near) = (page.max(1), page / 2);
    let start = (structure.start / page * page).min(structure.start.saturating_sub(near));
    let pages = structure.end.checked_next_multiple_of(page).unwrap_or(u64::MAX);
    start..pages.max(structure.end.saturating_add(near)).min(length)
}

impl Chain {
    /// Makes a range longer that begins where the one before it ended: each time twice as long.
    fn read_ahead(&mut self, range: &mut Range<u64>, fetching: &Fetching, length: u64) {
        let follows = (self.last.start..=self.last.end.saturating_add(fetching.gap)).contains(&range.start);
        if follows && !self.last.is_empty() {
            let more = self.length.saturating_mul(2).min(fetching.ahead);
            range.end = range.end.max(range.start.saturating_add(more)).min(length);
        }
        self.length = range.end - range.start;
        self.last = range.clone();
    }
}

/// Ranges in order, those with no more than `gap` bytes between them as one.
fn merge(mut requests: Vec<Request>, gap: u64) -> Vec<Request> {
    sort_by(&mut requests, |a, b| a.range.start.cmp(&b.range.start));
    let mut merged: Vec<Request> = Vec::new();
    for request in requests {
        match merged.last_mut() {
            Some(last) if request.range.start <= last.range.end.saturating_add(gap) => {
                last.range.end = last.range.end.max(request.range.end);
                last.kind = last.kind.max(request.kind);
            }
            _ => merged.push(request),
        }
    }
    merged
}

/// A request as requests of no more than `longest` bytes.
fn split(request: Request, longest: u64) -> impl Iterator<Item = Request> {
    let Request { range, kind } = request;
    let parts = (range.end - range.start).div_ceil(longest);
    (0..parts).map(move |part| {
        let start = range.start + part * longest;
        Request { range: start..range.end.min(start.saturating_add(longest)), kind }
    })
}
