//! Sets of rows.

use std::ops::Range;

use crate::selection::{Blocks, Selection};

/// Rows of a table, ascending, each once.
///
/// Runs of rows that follow each other are kept as such; where there are so many of them that a bit for each row takes
/// less memory, that is kept.
#[derive(Clone, Debug)]
pub struct Rows(Form);

#[derive(Clone, Debug)]
enum Form {
    /// Ascending; no two of them touch.
    Runs(Vec<Range<u64>>),
    /// A bit for each row from 0 on, lowest bit first; the last word has one that is set.
    Bits(Vec<u64>),
}

use Form::{Bits, Runs};

/// Words of bits that take the memory of a run.
const WORDS_OF_RUN: usize = size_of::<Range<u64>>() / size_of::<u64>();

impl Default for Rows {
    fn default() -> Self {
        Self(Runs(Vec::new()))
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Bits(a), Bits(b)) => a == b,
            _ => self.runs().eq(other.runs()),
        }
    }
}

impl Eq for Rows {}

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
        let last = numbers.iter().max().copied().unwrap_or(0);
        if last / 64 < numbers.len() as u64 {
            // So many of the rows there are that a bit for each is less than putting them in order.
            let mut bits = vec![0; (last / 64) as usize + 1];
            numbers.iter().for_each(|n| set(&mut bits, *n));
            return Self::of_bits(0, bits);
        }
        numbers.sort_unstable();
        let mut rows = Self::default();
        for n in numbers {
            rows.push(n);
        }
        rows
    }

    /// The rows from `first` on, a multiple of 64, whose bits are set, lowest bit first.
    pub(super) fn of_bits(first: u64, mut bits: Vec<u64>) -> Self {
        bits.truncate(bits.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1));
        let before = std::iter::once(&0).chain(&bits);
        let begins = |(word, before): (&u64, &u64)| (word & !(word << 1 | before >> 63)).count_ones() as usize;
        let runs: usize = bits.iter().zip(before).map(begins).sum();
        let skipped = usize::try_from(first / 64).unwrap_or(usize::MAX);
        if runs.saturating_mul(WORDS_OF_RUN) <= skipped.saturating_add(bits.len()) {
            return Self(Runs(RunsOfBits { first, ..RunsOfBits::new(&bits) }.collect()));
        }
        if skipped > 0 {
            bits.splice(..0, std::iter::repeat_n(0, skipped));
        }
        Self(Bits(bits))
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
        match &mut self.0 {
            Runs(runs) => push_run(runs, run),
            Bits(bits) => {
                bits.resize(bits.len().max(run.end.div_ceil(64) as usize), 0);
                set_run(bits, &run);
            }
        }
    }

    /// Adds the rows from `first` on, a multiple of 64, whose bits are set; none of them is before the last row.
    pub(super) fn push_bits(&mut self, first: u64, bits: &[u64]) {
        if let Runs(runs) = &mut self.0 {
            RunsOfBits { first, ..RunsOfBits::new(bits) }.for_each(|run| push_run(runs, run));
            let words = runs.last().map_or(0, |last| last.end.div_ceil(64));
            if (runs.len() as u64).saturating_mul(WORDS_OF_RUN as u64) > words {
                self.0 = Bits(self.words(&(0..words * 64)));
            }
        } else if let Bits(words) = &mut self.0
            && let Some(last) = bits.iter().rposition(|word| *word != 0)
        {
            let at = (first / 64) as usize;
            words.resize(words.len().max(at + last + 1), 0);
            words[at..].iter_mut().zip(bits).for_each(|(word, more)| *word |= more);
        }
    }

    /// The runs, ascending; no two of them touch.
    pub fn runs(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let (runs, bits): (&[_], &[_]) = match &self.0 {
            Runs(runs) => (runs, &[]),
            Bits(bits) => (&[], bits),
        };
        runs.iter().cloned().chain(RunsOfBits::new(bits))
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Runs(runs) => runs.iter().map(|run| run.end - run.start).sum(),
            Bits(bits) => bits.iter().map(|word| u64::from(word.count_ones())).sum(),
        }
    }

    /// True without a row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Runs(runs) => runs.is_empty(),
            Bits(bits) => bits.is_empty(),
        }
    }

    /// The rows, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.runs().flatten()
    }

    /// The rows, ascending, as a vector.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u64> {
        match &self.0 {
            Runs(runs) => runs.iter().cloned().flatten().collect(),
            Bits(bits) => {
                /// Numbers that are written at once, too many of them rather than to count.
                const STEP: usize = 8;
                let length = usize::try_from(self.len()).unwrap_or(usize::MAX);
                let mut numbers = vec![0; length + STEP];
                let mut done = 0;
                for (word, first) in bits.iter().zip((0..).step_by(64)) {
                    let (mut rest, mut at) = (*word, done);
                    while rest != 0 {
                        for number in &mut numbers[at..at + STEP] {
                            *number = first + u64::from(rest.trailing_zeros());
                            rest &= rest.wrapping_sub(1);
                        }
                        at += STEP;
                    }
                    done += word.count_ones() as usize;
                }
                numbers.truncate(length);
                numbers
            }
        }
    }

    /// One past the last row; 0 without one.
    pub(super) fn end(&self) -> u64 {
        match &self.0 {
            Runs(runs) => runs.last().map_or(0, |run| run.end),
            Bits(bits) => bits.last().map_or(0, |last| bits.len() as u64 * 64 - u64::from(last.leading_zeros())),
        }
    }

    /// The first `n` rows.
    #[must_use]
    pub fn first(&self, n: u64) -> Self {
        let mut left = n;
        let mut rows = Self::default();
        for run in self.runs() {
            if left == 0 {
                break;
            }
            let take = left.min(run.end - run.start);
            rows.push_run(run.start..run.start + take);
            left -= take;
        }
        rows
    }

    /// The rows that are within a range.
    pub(super) fn within(&self, range: &Range<u64>) -> Self {
        if let Runs(runs) = &self.0 {
            return Self(Runs(meeting(runs, range).collect()));
        }
        let start = range.start / 64 * 64;
        let mut words = self.words(&(start..range.end.min(self.end())));
        if let Some(first) = words.first_mut() {
            *first &= !ones(&(0..range.start - start));
        }
        Self::of_bits(start, words)
    }

    /// True where all rows of a range are there.
    pub(super) fn covers(&self, range: &Range<u64>) -> bool {
        match &self.0 {
            Runs(runs) => meeting(runs, range).next().is_some_and(|run| run == *range),
            Bits(bits) => {
                let run = RunsOfBits { next: range.start, ..RunsOfBits::new(bits) }.next();
                !range.is_empty() && run.is_some_and(|run| run.start == range.start && run.end >= range.end)
            }
        }
    }

    /// A bit for each row of a range that begins at a multiple of 64.
    pub(super) fn words(&self, range: &Range<u64>) -> Vec<u64> {
        let mut words = vec![0; range.end.saturating_sub(range.start).div_ceil(64) as usize];
        match &self.0 {
            Runs(runs) => {
                let moved = |run: Range<u64>| run.start - range.start..run.end - range.start;
                meeting(runs, range).for_each(|run| set_run(&mut words, &moved(run)));
            }
            Bits(bits) => {
                let there = bits.get((range.start / 64) as usize..).unwrap_or_default();
                words.iter_mut().zip(there).for_each(|(word, there)| *word = *there);
                if let Some(last) = words.last_mut().filter(|_| !range.end.is_multiple_of(64)) {
                    *last &= ones(&(0..range.end % 64));
                }
            }
        }
        words
    }

    /// The rows that are in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Bits(a), Bits(b)) => return Self::of_bits(0, a.iter().zip(b).map(|(a, b)| a & b).collect()),
            (_, Runs(runs)) if runs.len() == 1 => return self.within(&runs[0]),
            (Runs(runs), _) if runs.len() == 1 => return other.within(&runs[0]),
            _ => {}
        }
        let (mut a, mut b) = (self.runs().peekable(), other.runs().peekable());
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
        if let (Bits(a), Bits(b)) = (&self.0, &other.0) {
            let (mut all, more) = if a.len() < b.len() { (b.clone(), a) } else { (a.clone(), b) };
            all.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
            return Self(Bits(all));
        }
        let (mut a, mut b) = (self.runs().peekable(), other.runs().peekable());
        let mut rows = Self::default();
        loop {
            let first_is_a = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) => x.start <= y.start,
                (x, _) => x.is_some(),
            };
            match if first_is_a { a.next() } else { b.next() } {
                Some(run) => rows.push_run(run),
                None => return rows,
            }
        }
    }

    /// The runs, each made larger to begin and end at multiples of `unit`, but not past `end`; cut where they would
    /// be longer than `most`, at multiples of `unit` again.
    pub(super) fn aligned(&self, unit: u64, end: u64, most: u64) -> Vec<Range<u64>> {
        let unit = unit.max(1);
        let mut whole = Self::default();
        for run in self.runs() {
            let stop = run.end.div_ceil(unit).saturating_mul(unit).min(end);
            whole.push_run(run.start / unit * unit..stop);
        }
        let step = (most / unit).max(1).saturating_mul(unit);
        let mut parts = Vec::new();
        for run in whole.runs() {
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
        match &rows.0 {
            Runs(runs) if runs.is_empty() => Self::None,
            Runs(runs) if runs.len() == 1 => runs[0].clone().into(),
            _ => Blocks(rows.runs().map(|run| (vec![run.start], vec![run.end - 1])).collect()).into(),
        }
    }
}

impl From<Range<u64>> for Rows {
    fn from(range: Range<u64>) -> Self {
        Self::range(range)
    }
}

/// The runs of bits, the first of which stands for row `first`.
#[derive(Clone, Debug)]
struct RunsOfBits<'b> {
    first: u64,
    bits: &'b [u64],
    /// The first bit that was not looked at.
    next: u64,
}

impl<'b> RunsOfBits<'b> {
    fn new(bits: &'b [u64]) -> Self {
        Self { first: 0, bits, next: 0 }
    }

    /// What is left of the word of the next bit, that bit lowest.
    fn rest(&self) -> Option<u64> {
        self.bits.get((self.next / 64) as usize).map(|word| word >> (self.next % 64))
    }
}

impl Iterator for RunsOfBits<'_> {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let mut rest = self.rest()?;
        while rest == 0 {
            self.next = (self.next / 64 + 1) * 64;
            rest = self.rest()?;
        }
        self.next += u64::from(rest.trailing_zeros());
        let start = self.next;
        while let Some(rest) = self.rest() {
            self.next += u64::from(rest.trailing_ones());
            // A run may go on in the next word.
            if !self.next.is_multiple_of(64) || rest & 1 == 0 {
                break;
            }
        }
        Some(self.first + start..self.first + self.next)
    }
}

/// Adds a run that is not before the beginning of the last one.
fn push_run(runs: &mut Vec<Range<u64>>, run: Range<u64>) {
    match runs.last_mut() {
        Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
        _ => runs.push(run),
    }
}

/// What runs have of a range.
fn meeting(runs: &[Range<u64>], range: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let (start, end) = (range.start, range.end);
    let first = runs.partition_point(|run| run.end <= start);
    let met = runs[first..].iter().take_while(move |run| run.start < end);
    met.map(move |run| run.start.max(start)..run.end.min(end)).filter(|run| !run.is_empty())
}

/// A word of which these bits are set.
fn ones(bits: &Range<u64>) -> u64 {
    let below = |n: u64| 1u64.checked_shl(n as u32).map_or(u64::MAX, |bit| bit - 1);
    below(bits.end) & !below(bits.start)
}

/// Sets the bit of a row that there is a bit for.
pub(super) fn set(bits: &mut [u64], row: u64) {
    bits[(row / 64) as usize] |= 1 << (row % 64);
}

/// Sets the bits of a run that there are bits for.
fn set_run(bits: &mut [u64], run: &Range<u64>) {
    let words = (run.start / 64) as usize..run.end.div_ceil(64) as usize;
    for (word, first) in bits[words].iter_mut().zip((run.start / 64 * 64..).step_by(64)) {
        *word |= ones(&(run.start.max(first) - first..(run.end - first).min(64)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn runs(rows: &Rows) -> Vec<Range<u64>> {
        rows.runs().collect()
    }

    #[test]
    fn runs_that_touch_become_one() {
        assert_eq!(runs(&Rows::of(vec![7, 3, 1, 2, 3])), [1..4, 7..8]);
        assert_eq!(Rows::range(5..5), Rows::none());
        assert_eq!(runs(&Rows::of(vec![u64::MAX - 1, 4])), [4..5, u64::MAX - 1..u64::MAX]);
        let mut rows = Rows::range(0..3);
        rows.push_bits(0, &[1 << 3 | 1 << 63, u64::MAX]);
        assert_eq!(runs(&rows), [0..4, 63..128]);
        assert_eq!(Rows::of(vec![1, 9]).aligned(4, 10, 4), [0..4, 8..10]);
        assert_eq!(Rows::range(0..10).aligned(4, 10, 4), [0..4, 4..8, 8..10]);
        assert_eq!(Rows::of(vec![1, 2, 8, 9]).first(3).iter().collect::<Vec<_>>(), [1, 2, 8]);
    }

    #[test]
    fn what_takes_less_memory_is_kept() {
        let every_other: Vec<u64> = (0..1000).map(|n| 2 * n).collect();
        assert!(matches!(Rows::of(every_other.clone()).0, Bits(_)));
        assert!(matches!(Rows::of((0..1000).collect()).0, Runs(_)));
        assert!(matches!(Rows::of(every_other.iter().map(|n| n * 1000).collect()).0, Runs(_)));
        let mut rows = Rows::none();
        for first in (0..64_000).step_by(640) {
            rows.push_bits(first, &[0x55; 10]);
        }
        assert!(matches!(&rows.0, Bits(bits) if bits.len() == 1000));
        assert_eq!(rows.len(), 4000);
    }

    /// Rows below 400: some close together, some in runs, some alone, so that both forms come up.
    fn some() -> impl Strategy<Value = std::collections::BTreeSet<u64>> {
        let parts = prop::collection::vec((0u64..380, 1u64..20, 1u64..4), 0..12);
        parts.prop_map(|parts| {
            parts.into_iter().flat_map(|(start, n, step)| (start..start + n).step_by(step as usize)).collect()
        })
    }

    proptest! {
        #[test]
        fn as_sets(a in some(), b in some(), range in (0u64..400, 0u64..400), n in 0u64..100) {
            let (x, y) = (Rows::of(a.iter().copied().collect()), Rows::of(b.iter().copied().collect()));
            prop_assert_eq!(x.len() as usize, a.len());
            prop_assert_eq!(x.end(), a.last().map_or(0, |last| last + 1));
            prop_assert_eq!(x.to_vec(), a.iter().copied().collect::<Vec<_>>());
            prop_assert!(x.iter().eq(a.iter().copied()));
            prop_assert!(runs(&x).windows(2).all(|pair| pair[0].end < pair[1].start));
            prop_assert!(x.intersection(&y).iter().eq(a.intersection(&b).copied()));
            prop_assert!(x.union(&y).iter().eq(a.union(&b).copied()));
            prop_assert!(x.first(n).iter().eq(a.iter().copied().take(n as usize)));
            let range = range.0.min(range.1)..range.1.max(range.0);
            let within: Vec<u64> = a.iter().copied().filter(|row| range.contains(row)).collect();
            prop_assert_eq!(x.within(&range).to_vec(), within.clone());
            prop_assert_eq!(x.covers(&range), !range.is_empty() && within.len() as u64 == range.end - range.start);
            let start = range.start / 64 * 64;
            let mut pieces = x.within(&(0..start));
            pieces.push_bits(start, &x.words(&(start..400)));
            prop_assert_eq!(&pieces, &x);
            // The same rows are equal whichever way they are kept.
            let mut bits = vec![0; 7];
            a.iter().for_each(|row| set(&mut bits, *row));
            prop_assert_eq!(&Rows::of_bits(0, bits.clone()), &x);
            prop_assert_eq!(runs(&x), runs(&Rows(Bits(bits))));
        }
    }
}
