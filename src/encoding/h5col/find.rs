//! Finding rows: what indexes say of them, and then block by block what has to be read.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::column::{Column, ScalarColumn};
use super::error::Result;
use super::index::{Bitmap, Probe, SortedRows};
use super::predicate::{Leaf, Set, Test};
use super::rows::{self, Rows};
use super::scan::{self, Tester, Worker};
use super::select::{Exact, Pruning, Step, must_stop};
use super::values::{Data, Values, possible};
use crate::object::{WORTH_COPYING, WORTH_DECODING, share};

/// Rows that are tested at once: what is read of them stays in the cache of a processor.
const BLOCK: u64 = 1 << 13;

/// Rows that are read together where some of them are wanted.
const NEAR: u64 = 1024;

/// Putting row numbers in order takes so many times what reading them does.
const ORDERING: u64 = 2;

/// The first `enough` rows of the `nrows` of a table that a step finds, on up to so many threads.
pub(super) fn first(step: &Step, nrows: u64, enough: u64, threads: usize) -> Result<Rows> {
    if enough == 0 {
        return Ok(Rows::none());
    }
    let mut columns = Vec::new();
    let sieve = Sieve::new(step, &Rows::range(0..nrows), &mut columns)?;
    let rows = match sieve {
        Sieve::Rows(rows) => rows,
        sieve => Scan { sieve, columns, nrows, threads: threads.max(1), enough }.rows()?,
    };
    Ok(if rows.len() > enough { rows.first(enough) } else { rows })
}

/// What is known of the rows before columns are read.
enum Sieve {
    /// These are found.
    Rows(Rows),
    /// Those of some that pass the test of a column, by its number.
    Test(Rows, usize),
    /// Those of some that pass all of these.
    All(Rows, Vec<Self>),
    /// Those that pass one of these.
    Any(Vec<Self>),
}

impl Sieve {
    /// Asks the indexes about some rows, and adds the columns that have to be read to the others.
    fn new<'s>(step: &'s Step, among: &Rows, columns: &mut Vec<Tested<'s>>) -> Result<Self> {
        if among.is_empty() {
            return Ok(Self::Rows(Rows::none()));
        }
        match step {
            Step::All => Ok(Self::Rows(among.clone())),
            Step::Nothing => Ok(Self::Rows(Rows::none())),
            Step::And(steps) => {
                let (mut left, mut parts) = (among.clone(), Vec::new());
                for step in steps {
                    let part = Self::new(step, &left, columns)?;
                    left = part.candidates();
                    if !matches!(part, Self::Rows(_)) {
                        parts.push(part);
                    }
                }
                Ok(if parts.is_empty() || left.is_empty() { Self::Rows(left) } else { Self::All(left, parts) })
            }
            Step::Or(steps) => {
                let parts = steps.iter().map(|step| Self::new(step, among, columns));
                let any = Self::Any(parts.collect::<Result<_>>()?);
                Ok(if any.is_known() { Self::Rows(any.candidates()) } else { any })
            }
            Step::Index { leaf, index, scan, cost, .. } => {
                if let (Test::Within(set), Some(column)) = (&leaf.test, leaf.column.as_scalar()) {
                    let rows = match index {
                        Exact::SortedRows(sorted) => sorted_rows(sorted, column, set, scan.saturating_sub(*cost)),
                        Exact::Bitmap(bitmap) => bitmap_rows(bitmap, column, set),
                    };
                    match rows {
                        Ok(Some(rows)) => return Ok(Self::Rows(rows.intersection(among))),
                        Err(e) if must_stop(&e) => return Err(e),
                        Ok(None) | Err(_) => {}
                    }
                }
                Self::test(leaf, among.clone(), columns)
            }
            Step::Scan { leaf, pruning, .. } => {
                let mut among = among.clone();
                if let (Test::Within(set), Some(column)) = (&leaf.test, leaf.column.as_scalar()) {
                    for (_, pruning) in pruning {
                        match kept(pruning, column, set) {
                            Ok(Some(rows)) => among = among.intersection(&rows),
                            Err(e) if must_stop(&e) => return Err(e),
                            Ok(None) | Err(_) => {}
                        }
                    }
                }
                Self::test(leaf, among, columns)
            }
        }
    }

    fn test<'s>(leaf: &'s Leaf, among: Rows, columns: &mut Vec<Tested<'s>>) -> Result<Self> {
        columns.push(Tested::new(leaf, &among)?);
        Ok(Self::Test(among, columns.len() - 1))
    }

    /// True where no column has to be read.
    fn is_known(&self) -> bool {
        match self {
            Self::Rows(_) => true,
            Self::Test(..) | Self::All(..) => false,
            Self::Any(parts) => parts.iter().all(Self::is_known),
        }
    }

    /// The rows that may pass.
    fn candidates(&self) -> Rows {
        match self {
            Self::Rows(rows) | Self::Test(rows, _) | Self::All(rows, _) => rows.clone(),
            Self::Any(parts) => parts.iter().fold(Rows::none(), |rows, part| rows.union(&part.candidates())),
        }
    }

    /// One bit for each row of a block, set where it passes.
    fn bits(&self, block: &Range<u64>, workers: &mut [Worker<'_>]) -> Result<Vec<u64>> {
        match self {
            Self::Rows(rows) => Ok(rows.words(block)),
            Self::Test(among, column) if among.covers(block) => workers[*column](block),
            Self::Test(among, column) => {
                let mut bits = among.words(block);
                if bits.iter().any(|word| *word != 0) {
                    both(&mut bits, &workers[*column](block)?);
                }
                Ok(bits)
            }
            Self::All(among, parts) => {
                let mut bits = among.words(block);
                for part in parts {
                    if bits.iter().all(|word| *word == 0) {
                        break;
                    }
                    both(&mut bits, &part.bits(block, workers)?);
                }
                Ok(bits)
            }
            Self::Any(parts) => {
                let mut bits = vec![0; (block.end - block.start).div_ceil(64) as usize];
                for part in parts {
                    bits.iter_mut().zip(part.bits(block, workers)?).for_each(|(word, more)| *word |= more);
                }
                Ok(bits)
            }
        }
    }
}

/// Leaves the bits that others have too.
fn both(bits: &mut [u64], others: &[u64]) {
    bits.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
}

/// A column that has to be read.
struct Tested<'s> {
    tester: Tester<'s>,
    /// Rows that are decoded together; 1 where each can be read alone.
    unit: u64,
    nrows: u64,
    /// Bytes of a row.
    width: u64,
}

impl<'s> Tested<'s> {
    fn new(leaf: &'s Leaf, among: &Rows) -> Result<Self> {
        let column = match &leaf.column {
            Column::Scalar(column) => column,
            Column::List(column) => {
                return Ok(Self { tester: by_value(leaf), unit: 1, nrows: column.nrows(), width: 1 });
            }
        };
        let dataset = column.dataset();
        possible(dataset.file(), among.len(), dataset.datatype().size)?;
        let unit = column.chunk_rows().filter(|_| !dataset.filters().is_empty()).unwrap_or(1).max(1);
        let tester = scan::tester(column, &leaf.test)?.unwrap_or_else(|| by_value(leaf));
        Ok(Self { tester, unit, nrows: column.nrows, width: dataset.datatype().size.into() })
    }

    /// A worker that has whole chunks decoded, and remembers what it found in them.
    fn worker(&self) -> Worker<'_> {
        let mut worker = (self.tester)();
        if self.unit == 1 {
            return worker;
        }
        let (mut known, mut words) = (0..0, Vec::new());
        Box::new(move |block| {
            if block.end > known.end {
                // What is known of the block already goes first.
                let done = known.end.max(block.start);
                words.drain(..words.len().min(((block.start - known.start) / 64) as usize));
                let end = block.end.div_ceil(self.unit).saturating_mul(self.unit).min(self.nrows);
                words.resize((end - block.start).div_ceil(64) as usize, 0);
                put(&mut words, done - block.start, &worker(&(done..end))?);
                known = block.start..end;
            }
            let first = ((block.start - known.start) / 64) as usize;
            let bits = &words[first..first + (block.end - block.start).div_ceil(64) as usize];
            Ok(bits.to_vec())
        })
    }
}

/// Sets bits from bit `at` on.
fn put(words: &mut [u64], at: u64, bits: &[u64]) {
    let (first, shift) = ((at / 64) as usize, at % 64);
    for (i, bits) in bits.iter().enumerate() {
        words[first + i] |= bits << shift;
        if let Some(next) = words.get_mut(first + i + 1).filter(|_| shift > 0) {
            *next |= bits >> (64 - shift);
        }
    }
}

/// A tester that looks at the values one by one.
fn by_value(leaf: &Leaf) -> Tester<'_> {
    Box::new(move || {
        Box::new(move |block| {
            let values = leaf.column.read(block.clone())?;
            let mut bits = vec![0; values.len().div_ceil(64)];
            for row in (0..values.len()).filter(|row| passes(&leaf.test, &values, *row)) {
                rows::set(&mut bits, row as u64);
            }
            Ok(bits)
        })
    })
}

/// Reading the columns of a sieve until there are enough rows.
struct Scan<'s> {
    sieve: Sieve,
    columns: Vec<Tested<'s>>,
    nrows: u64,
    threads: usize,
    enough: u64,
}

/// The bits of a block that begins at some row.
type Found = Vec<(u64, Vec<u64>)>;

impl Scan<'_> {
    fn rows(&self) -> Result<Rows> {
        let candidates = self.sieve.candidates();
        let blocks = candidates.aligned(NEAR, self.nrows, self.enough.clamp(NEAR, BLOCK));
        // Blocks of one chunk stay together, so that it is decoded once.
        let unit = self.columns.iter().map(|column| column.unit).max().unwrap_or(1);
        let mut jobs = blocks.chunk_by(|a, b| a.start / unit == b.start / unit);
        let threads = self.threads(candidates.len());
        let mut rows = Rows::none();
        let mut wave = if self.enough == u64::MAX { usize::MAX } else { threads };
        loop {
            let some: Vec<_> = jobs.by_ref().take(wave).collect();
            if some.is_empty() || rows.len() >= self.enough {
                return Ok(rows);
            }
            for (first, bits) in self.wave(&some, threads)? {
                rows.push_bits(first, &bits);
            }
            wave = wave.saturating_mul(2);
        }
    }

    /// Threads that are worth their while for so many rows.
    fn threads(&self, rows: u64) -> usize {
        let bytes = self.columns.iter().map(|column| column.width).sum::<u64>().saturating_mul(rows);
        let worth = if self.columns.iter().any(|column| column.unit > 1) { WORTH_DECODING } else { WORTH_COPYING };
        let useful = usize::try_from(bytes / worth as u64).unwrap_or(usize::MAX);
        self.threads.min(useful).max(1)
    }

    /// What some blocks have, on so many threads; the error is that of the first that fails.
    fn wave(&self, jobs: &[&[Range<u64>]], threads: usize) -> Result<Found> {
        let failed = AtomicBool::new(false);
        let mut found: Vec<Result<Found>> = jobs.iter().map(|_| Ok(Vec::new())).collect();
        let shares = jobs.iter().zip(&mut found).collect();
        let workers = || self.columns.iter().map(Tested::worker).collect::<Vec<_>>();
        share(threads, shares, workers, |workers, (blocks, found)| {
            if !failed.load(Relaxed) {
                *found = self.job(blocks, workers);
                // What lacks only bytes that have to be fetched does not stop the others from saying what they lack.
                failed.fetch_or(found.as_ref().is_err_and(|e| !must_stop(e)), Relaxed);
            }
            Ok(())
        })?;
        found.into_iter().try_fold(Vec::new(), |mut all, found| {
            all.extend(found?);
            Ok(all)
        })
    }

    fn job(&self, blocks: &[Range<u64>], workers: &mut [Worker<'_>]) -> Result<Found> {
        let (mut found, mut count) = (Vec::new(), 0u64);
        for block in blocks {
            let bits = self.sieve.bits(block, workers)?;
            count += bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            found.push((block.start, bits));
            if count >= self.enough {
                break;
            }
        }
        Ok(found)
    }
}

/// The rows of a set's values in a sorted index; `None` where reading them takes more than `most` bytes.
fn sorted_rows(sorted: &SortedRows, column: &ScalarColumn, set: &Set, most: u64) -> Result<Option<Rows>> {
    let mut probe = Probe::new(sorted, column);
    let mut places = Rows::none();
    for i in 0..set.intervals() {
        let start = probe.partition(&|data, row| set.stands(i, data, row).map(Ordering::is_lt))?;
        let end = probe.partition(&|data, row| set.stands(i, data, row).map(Ordering::is_le))?;
        places = places.union(&Rows::range(start..end));
    }
    if places.len().saturating_mul(ORDERING * sorted.row_bytes()) > most.max(sorted.block_bytes()) {
        return Ok(None);
    }
    sorted.rows_at(&places).map(Some)
}

/// The rows of a set's values in a bitmap; `None` where a value is not listed and may still be there.
fn bitmap_rows(bitmap: &Bitmap, column: &ScalarColumn, set: &Set) -> Result<Option<Rows>> {
    let (values, missing) = (bitmap.values()?, column.missing()?);
    let listed: Vec<usize> = (0..values.len()).filter(|k| set.holds(&values, *k)).collect();
    if bitmap.exhaustive != Some(true) {
        let asked = set.points();
        let mut distinct: Vec<usize> = Vec::new();
        for k in &listed {
            if distinct.iter().all(|other| !same(&values, *other, *k)) {
                distinct.push(*k);
            }
        }
        if asked != Some(distinct.len()) {
            return Ok(None);
        }
    }
    let mut rows = Rows::none();
    for k in listed.into_iter().filter(|k| !missing.is(&values, *k)) {
        rows = rows.union(&bitmap.rows(k as u64)?);
    }
    Ok(Some(rows))
}

fn same(values: &Data, i: usize, j: usize) -> bool {
    super::index::order(values, i, values, j) == Some(Ordering::Equal)
}

fn passes(test: &Test, values: &Values, i: usize) -> bool {
    let missing = values.is_missing(i);
    match test {
        Test::Within(set) => !missing && set.holds(&values.data, i),
        Test::Outside(set) => !missing && !set.holds(&values.data, i),
        Test::Missing => missing,
        Test::Present => !missing,
    }
}

/// The rows of the chunks that may hold a value of a set; `None` where the index does not say.
fn kept(pruning: &Pruning, column: &ScalarColumn, set: &Set) -> Result<Option<Rows>> {
    let length = column.chunk_rows().unwrap_or(column.nrows).max(1);
    let mut rows = Rows::none();
    let mut keep = |chunk: u64| {
        let start = chunk.saturating_mul(length);
        rows.push_run(start..start.saturating_add(length).min(column.nrows));
    };
    match pruning {
        Pruning::MinMax(index) => {
            let bounds = index.entries()?;
            if !index.counts_rows(&bounds) {
                return Ok(None);
            }
            for ((chunk, i), placeholder) in (0u64..).zip(0usize..).zip(&bounds.placeholder) {
                if !placeholder && set.meets(&bounds.min, &bounds.max, i) {
                    keep(chunk);
                }
            }
        }
        Pruning::Bloom(index) => {
            let Some(asked) = set.canonical(column.dataset().datatype().size) else { return Ok(None) };
            let asked: Vec<(u64, u64)> = asked.iter().map(|value| index.hash(value)).collect();
            for block in index.blocks() {
                let filters = index.filters(block.clone())?;
                for (chunk, filter) in block.zip(index.each(&filters)) {
                    if asked.iter().any(|hash| index.may_hold_hash(filter, *hash)) {
                        keep(chunk);
                    }
                }
            }
        }
    }
    Ok(Some(rows))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Every row is tested once and by whole chunks, and told of in its place.
    #[test]
    fn chunks_are_decoded_once() {
        let nrows = 1000;
        let holds = |row: u64| row % 3 == 1 || row % 7 == 1;
        for unit in [1, 7, 64, 100, 384, 2000] {
            let asked = Mutex::new(Vec::new());
            let tester: Tester<'_> = Box::new(|| {
                Box::new(|block| {
                    asked.lock().expect("no panic").push(block.clone());
                    let mut bits = vec![0; (block.end - block.start).div_ceil(64) as usize];
                    (0..block.end - block.start)
                        .filter(|row| holds(block.start + row))
                        .for_each(|row| rows::set(&mut bits, row));
                    Ok(bits)
                })
            });
            let tested = Tested { tester, unit, nrows, width: 1 };
            for blocks in [vec![0..192, 192..384, 384..448, 448..1000], vec![64..128, 640..704, 704..1000]] {
                let mut worker = tested.worker();
                for block in &blocks {
                    let found = Rows::of_bits(block.start, worker(block).expect("bits"));
                    let found = found.within(block);
                    assert!(found.iter().eq(block.clone().filter(|row| holds(*row))), "chunks of {unit}, {block:?}");
                }
                let asked = std::mem::take(&mut *asked.lock().expect("no panic"));
                assert!(asked.windows(2).all(|pair| pair[0].end <= pair[1].start), "chunks of {unit}: {asked:?}");
                let whole = |range: &Range<u64>| range.end.is_multiple_of(unit) || range.end == nrows;
                assert!(asked.iter().all(whole), "chunks of {unit}: {asked:?}");
            }
        }
    }

    fn numbers<'t>(holds: impl Fn(u64) -> bool + Copy + Sync + 't) -> Tested<'t> {
        let tester: Tester<'t> = Box::new(move || {
            Box::new(move |block| {
                let rows = Rows::of(block.clone().filter(|row| holds(*row)).map(|row| row - block.start).collect());
                Ok(rows.words(&(0..block.end - block.start)))
            })
        });
        Tested { tester, unit: 100, nrows: 70_000, width: 1 << 20 }
    }

    #[test]
    fn the_first_failure_is_told() {
        for threads in [1, 3] {
            let tester: Tester<'_> = Box::new(|| {
                Box::new(|block| match block.start {
                    30_000.. => Err(crate::Error::limit("row", block.start, 0).into()),
                    _ => Ok(vec![0; (block.end - block.start).div_ceil(64) as usize]),
                })
            });
            let columns = vec![Tested { tester, unit: 1, nrows: 70_000, width: 1 << 20 }];
            let sieve = Sieve::Test(Rows::range(0..70_000), 0);
            let scan = Scan { sieve, columns, nrows: 70_000, threads, enough: u64::MAX };
            let first = 30_000u64.next_multiple_of(BLOCK);
            let expected = crate::Error::limit("row", first, 0).to_string();
            assert!(scan.rows().expect_err("a limit").to_string().contains(&expected));
        }
    }

    #[test]
    fn threads_find_what_one_does() {
        let nrows = 70_000;
        let all = || Rows::range(0..nrows);
        let some = Rows::of((0..nrows / 5).map(|n| n * 5).collect());
        for threads in [1, 2, 5] {
            for enough in [1, 100, 20_000, u64::MAX] {
                let both = Sieve::All(some.clone(), vec![Sieve::Test(all(), 0), Sieve::Test(all(), 1)]);
                let few = Sieve::Test(Rows::range(65_000..65_010), 2);
                let columns =
                    vec![numbers(|row| row % 2 == 1), numbers(|row| row % 3 > 0), numbers(|row| row % 4 == 1)];
                let scan = Scan { sieve: Sieve::Any(vec![both, few]), columns, nrows, threads, enough };
                let naive = (0..nrows)
                    .filter(|row| row % 10 == 5 && row % 3 > 0 || (65_000..65_010).contains(row) && row % 4 == 1);
                let naive: Vec<u64> = naive.take(usize::try_from(enough).unwrap_or(usize::MAX)).collect();
                let found = scan.rows().expect("rows");
                assert_eq!(found.first(enough).to_vec(), naive, "{threads} threads, {enough} rows");
            }
        }
    }
}
