//! Sets of rows.

use std::ops::Range;

use crate::selection::{Blocks, Selection};

/// Rows of a table, ascending, each once; kept as runs of rows that follow each other.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Rows {
    runs: Vec<Range<u64>>,
}

impl Rows {
    /// No row.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The rows of a range.
    #[must_use]
    pub fn range(range: Range<u64>) -> Self {
        let mut rows = Self::default();
        rows.push_run(range);
        rows
    }

    /// Rows in any order, repeats allowed.
    #[must_use]
    pub fn of(mut numbers: Vec<u64>) -> Self {
        let mut rows = Self::default();
        let last = numbers.iter().max().copied().unwrap_or(0);
        if last / 64 < numbers.len() as u64 {
            // So many of the rows there are that a bit for each is less than putting them in order.
            let mut bits = vec![0u64; (last / 64) as usize + 1];
            for n in numbers {
                bits[(n / 64) as usize] |= 1 << (n % 64);
            }
            rows.push_bits(0, &bits);
            return rows;
        }
        numbers.sort_unstable();
        for n in numbers {
            rows.push(n);
        }
        rows
    }

    /// Adds a row that is not before the last one; the last one again is nothing new.
    pub(super) fn push(&mut self, row: u64) {
        self.push_run(row..row.saturating_add(1));
    }

    /// Adds rows of which none is before the beginning of the last run.
    pub(super) fn push_run(&mut self, run: Range<u64>) {
        if run.is_empty() {
            return;
        }
        match self.runs.last_mut() {
            Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
            _ => self.runs.push(run),
        }
    }

    /// Adds the rows from `first` on whose bits are set, lowest bit first; none of them is before the last row.
    pub(super) fn push_bits(&mut self, first: u64, bits: &[u64]) {
        for (word, first) in bits.iter().zip((first..).step_by(64)) {
            let (mut rest, mut at) = (*word, 0);
            while rest != 0 {
                let zeros = rest.trailing_zeros();
                rest >>= zeros;
                let ones = rest.trailing_ones();
                at += zeros;
                self.push_run(first + u64::from(at)..first + u64::from(at + ones));
                at += ones;
                rest = rest.checked_shr(ones).unwrap_or(0);
            }
        }
    }

    /// The runs, ascending; no two of them touch.
    #[must_use]
    pub fn runs(&self) -> &[Range<u64>] {
        &self.runs
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|run| run.end - run.start).sum()
    }

    /// True without a row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The rows, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.runs.iter().flat_map(Clone::clone)
    }

    /// The first `n` rows.
    #[must_use]
    pub fn first(&self, n: u64) -> Self {
        let mut left = n;
        let mut rows = Self::default();
        for run in &self.runs {
            let take = left.min(run.end - run.start);
            rows.push_run(run.start..run.start + take);
            left -= take;
            if left == 0 {
                break;
            }
        }
        rows
    }

    /// The rows that are in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let within = |whole: &Self, part: &Self| match (whole.runs.as_slice(), part.runs.first(), part.runs.last()) {
            ([all], Some(first), Some(last)) => all.start <= first.start && last.end <= all.end,
            _ => false,
        };
        if within(other, self) {
            return self.clone();
        }
        if within(self, other) {
            return other.clone();
        }
        let (mut a, mut b) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        let mut rows = Self::default();
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            rows.push_run(x.start.max(y.start)..x.end.min(y.end));
            if x.end <= y.end {
                a.next()
            } else {
                b.next()
            };
        }
        rows
    }

    /// The rows that are in one of both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        let mut runs: Vec<&Range<u64>> = self.runs.iter().chain(&other.runs).collect();
        runs.sort_unstable_by_key(|run| run.start);
        let mut rows = Self::default();
        for run in runs {
            rows.push_run(run.clone());
        }
        rows
    }

    /// The runs, each made larger to begin and end at multiples of `unit`, but not past `end`; cut where they would
    /// be longer than `most`, at multiples of `unit` again.
    pub(super) fn aligned(&self, unit: u64, end: u64, most: u64) -> Vec<Range<u64>> {
        let unit = unit.max(1);
        let mut whole = Self::default();
        for run in &self.runs {
            let stop = run.end.div_ceil(unit).saturating_mul(unit).min(end);
            whole.push_run(run.start / unit * unit..stop);
        }
        let step = (most / unit).max(1).saturating_mul(unit);
        let mut parts = Vec::new();
        for run in whole.runs {
            let mut start = run.start;
            while start < run.end {
                let stop = start.saturating_add(step).min(run.end);
                parts.push(start..stop);
                start = stop;
            }
        }
        parts
    }
}

impl From<&Rows> for Selection {
    fn from(rows: &Rows) -> Self {
        match rows.runs.as_slice() {
            [] => Self::None,
            [run] => run.clone().into(),
            runs => Blocks(runs.iter().map(|run| (vec![run.start], vec![run.end - 1])).collect()).into(),
        }
    }
}

impl From<Range<u64>> for Rows {
    fn from(range: Range<u64>) -> Self {
        Self::range(range)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn runs_that_touch_become_one() {
        assert_eq!(Rows::of(vec![7, 3, 1, 2, 3]).runs(), [1..4, 7..8]);
        assert_eq!(Rows::range(5..5), Rows::none());
        assert_eq!(Rows::of(vec![u64::MAX - 1, 4]).runs(), [4..5, u64::MAX - 1..u64::MAX]);
        let mut rows = Rows::range(0..3);
        rows.push_bits(3, &[1 | 1 << 63, u64::MAX]);
        assert_eq!(rows.runs(), [0..4, 66..131]);
        assert_eq!(Rows::of(vec![1, 9]).aligned(4, 10, 4), [0..4, 8..10]);
        assert_eq!(Rows::range(0..10).aligned(4, 10, 4), [0..4, 4..8, 8..10]);
        assert_eq!(Rows::of(vec![1, 2, 8, 9]).first(3).iter().collect::<Vec<_>>(), [1, 2, 8]);
    }

    proptest! {
        #[test]
        fn as_sets(a in proptest::collection::btree_set(0u64..40, 0..20),
                   b in proptest::collection::btree_set(0u64..40, 0..20)) {
            let (x, y) = (Rows::of(a.iter().copied().collect()), Rows::of(b.iter().copied().collect()));
            prop_assert_eq!(x.len() as usize, a.len());
            prop_assert!(x.intersection(&y).iter().eq(a.intersection(&b).copied()));
            prop_assert!(x.union(&y).iter().eq(a.union(&b).copied()));
        }
    }
}
