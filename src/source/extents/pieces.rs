use std::collections::BTreeMap;
use std::ops::Range;

use super::Kind;
use crate::order::sort_by;

/// Pieces of something that do not overlap, by their first position.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: BTreeMap<u64, Piece>,
    /// Bytes of all pieces.
    bytes: u64,
}

#[derive(Debug)]
struct Piece {
    bytes: Vec<u8>,
    kind: Kind,
    /// The turn in which it was read last.
    turn: u64,
}

impl Pieces {
    /// Bytes that are here.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Keeps bytes that begin at a position. What is here already stays: only gaps are filled.
    pub(super) fn insert(&mut self, at: u64, bytes: Vec<u8>, kind: Kind, turn: u64) {
        let range = at..at.saturating_add(bytes.len() as u64);
        let gaps: Vec<Range<u64>> = self.gaps(range.clone()).collect();
        if gaps.first() == Some(&range) {
            self.keep(at, bytes, kind, turn);
            return;
        }
        for gap in gaps {
            let inside = (gap.start - at) as usize..(gap.end - at) as usize;
            self.keep(gap.start, bytes[inside].to_vec(), kind, turn);
        }
    }

    fn keep(&mut self, at: u64, bytes: Vec<u8>, kind: Kind, turn: u64) {
        if !bytes.is_empty() {
            self.bytes += bytes.len() as u64;
            self.pieces.insert(at, Piece { bytes, kind, turn });
        }
    }

    /// The parts of a range that are not here, in order.
    pub(super) fn gaps(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let mut at = range.start;
        let mut covered = self.pieces.range(self.first_for(range.start)..range.end.max(range.start));
        std::iter::from_fn(move || {
            while at < range.end {
                let from = at;
                let Some((start, piece)) = covered.next() else {
                    at = range.end;
                    return Some(from..range.end);
                };
                at = at.max(start + piece.bytes.len() as u64);
                if from < *start {
                    return Some(from..*start);
                }
            }
            None
        })
    }

    /// Where the piece begins that may hold a position.
    fn first_for(&self, at: u64) -> u64 {
        self.pieces.range(..=at).next_back().map_or(at, |(start, _)| *start)
    }

    /// The bytes of a range without gaps.
    pub(super) fn read(&mut self, range: Range<u64>, turn: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(usize::try_from(range.end - range.start).unwrap_or(0));
        let first = self.first_for(range.start);
        for (start, piece) in self.pieces.range_mut(first..range.end) {
            piece.turn = turn;
            let within =
                |at: u64| usize::try_from(at.saturating_sub(*start)).unwrap_or(usize::MAX).min(piece.bytes.len());
            bytes.extend_from_slice(&piece.bytes[within(range.start)..within(range.end)]);
        }
        bytes
    }

    /// Lets go of pieces until the rest has no more than `budget` bytes: data before structures, and what was not read for
    /// long before the rest.
    pub(super) fn shrink(&mut self, budget: u64) {
        if self.bytes <= budget {
            return;
        }
        let mut order: Vec<(Kind, u64, u64)> =
            self.pieces.iter().map(|(start, piece)| (piece.kind, piece.turn, *start)).collect();
        sort_by(&mut order, Ord::cmp);
        for (_, _, start) in order {
            if self.bytes <= budget {
                return;
            }
            if let Some(piece) = self.pieces.remove(&start) {
                self.bytes -= piece.bytes.len() as u64;
            }
        }
    }
}
