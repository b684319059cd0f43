//! Reading a sparse matrix: along its pointers, and across them.
//!
//! Nothing here reads the whole matrix at once. What lies along the pointers is read where it is; what lies across
//! them takes one pass over all indices, and over those values whose neighbours are wanted.

use std::ops::Range;

use crate::selection::{Blocks, Selection};

use super::super::fault::{Fault, Result, Rule, broken};
use super::super::values::{Source, Values};
use super::{Part, Sparse};

/// Entries that are looked at at once when a whole matrix is streamed.
const ENTRIES: u64 = 1 << 20;
/// Pointers that are looked at at once.
const POINTERS: u64 = 1 << 16;
/// Bytes of an index in memory.
const INDEX: u64 = 8;

impl Sparse {
    /// Some major rows, one after the other: rows of CSR, columns of CSC.
    ///
    /// # Errors
    /// `BadIndptr`, `IndexOutOfRange`, and what the file below cannot give.
    pub fn part(&self, major: Range<u64>) -> Result<Part> {
        let pointers = self.pointers(major)?;
        let (first, last) = self.ends(&pointers)?;
        let indices = self.indices(first..last)?;
        let values = self.values(first..last)?;
        Ok(Part { starts: relative(&pointers, first), indices, values })
    }

    /// The same as a type that the values convert to without loss: where the entries of each row begin, their indices
    /// and their values.
    #[cfg(any(feature = "ndarray", feature = "sprs"))]
    pub(super) fn typed_part<T: crate::element::Element>(
        &self,
        major: Range<u64>,
    ) -> Result<(Vec<usize>, Vec<u64>, Vec<T>)> {
        let pointers = self.pointers(major)?;
        let (first, last) = self.ends(&pointers)?;
        Ok((relative(&pointers, first), self.indices(first..last)?, self.data.read(first..last)?))
    }

    /// Any major rows, in the order in which they are named, also more than once: rows of CSR, columns of CSC.
    ///
    /// Each chunk of the file is decoded once, whatever the order.
    ///
    /// # Errors
    /// As [`part`](Self::part); `ShapeMismatch` for a row that there is not.
    pub fn select(&self, major: &[u64]) -> Result<Part> {
        let sorted = sorted(major);
        let mut starts = vec![0_u64];
        let mut blocks: Vec<Range<u64>> = Vec::new();
        let mut rest = &sorted[..];
        while let Some(&first) = rest.first() {
            let near = rest.partition_point(|row| row - first < POINTERS);
            let (rows, others) = rest.split_at(near);
            let end = rows.last().map_or(first, |last| last.saturating_add(1));
            let pointers = self.pointers(first..end)?;
            for row in rows {
                let at = (row - first) as usize;
                let (start, end) = self.ends(&pointers[at..at + 2])?;
                starts.push(starts.last().map_or(0, |last| last + (end - start)));
                match blocks.last_mut() {
                    Some(last) if last.end == start => last.end = end,
                    _ if start < end => blocks.push(start..end),
                    _ => {}
                }
            }
            rest = others;
        }
        let blocks = Blocks(blocks.into_iter().map(|block| (vec![block.start], vec![block.end - 1])).collect());
        let indices = self.checked_indices(self.stored_indices(blocks.clone())?, 0)?;
        let values = Source::Dataset(self.data.clone()).values(self.value_type, &blocks.into(), &self.path)?;
        let part = Part { starts: starts.into_iter().map(|start| start as usize).collect(), indices, values };
        if sorted == major {
            return Ok(part);
        }
        Ok(part.take(major.iter().map(|row| sorted.partition_point(|other| other < row))))
    }

    /// Any minor rows, in the order in which they are named, also more than once: columns of CSR, rows of CSC. Entries
    /// are in the order of their major index, which is what `indices` tells.
    ///
    /// One pass over all indices; memory for what is found, and for one block.
    ///
    /// # Errors
    /// As [`part`](Self::part); `ShapeMismatch` for a row that there is not.
    pub fn select_minor(&self, minor: &[u64]) -> Result<Part> {
        let wanted = Wanted::new(minor, self.n_minor());
        if let Some(row) = wanted.rows.last().filter(|row| **row >= self.n_minor()) {
            return broken(Rule::ShapeMismatch, &self.path, format!("row {row} of {}", self.n_minor()));
        }
        let (mut rows, mut indices, mut values) = (Vec::new(), Vec::new(), Values::empty(self.value_type));
        for block in self.index_blocks(ENTRIES) {
            let block = block?;
            let mut places = Vec::new();
            for (major, pair) in (block.major.start..).zip(block.starts.windows(2)) {
                for place in pair[0]..pair[1] {
                    if let Some(row) = wanted.find(block.indices[place]) {
                        rows.push(row);
                        indices.push(major);
                        places.push(place);
                    }
                }
            }
            if let (Some(first), Some(last)) = (places.first().copied(), places.last().copied()) {
                let found = self.values(block.first + first as u64..block.first + last as u64 + 1)?;
                places.iter_mut().for_each(|place| *place -= first);
                values.append(found.take(&places));
            }
        }
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|entry| rows[*entry]);
        let starts = (0..=wanted.rows.len()).map(|row| order.partition_point(|entry| rows[*entry] < row)).collect();
        let indices = order.iter().map(|entry| indices[*entry]).collect();
        let part = Part { starts, indices, values: values.take(&order) };
        if wanted.rows == minor {
            return Ok(part);
        }
        Ok(part.take(minor.iter().map(|row| wanted.rows.partition_point(|other| other < row))))
    }

    /// Blocks of major rows from the first to the last, each of at most so many bytes in memory, or of one row.
    pub fn parts(&self, bytes: u64) -> impl Iterator<Item = Result<(Range<u64>, Part)>> + '_ {
        let entry = u64::from(self.data.datatype().size) + INDEX + u64::from(self.indices.datatype().size);
        self.blocks((bytes / entry).max(1)).map(|rows| {
            let rows = rows?;
            Ok((rows.clone(), self.part(rows)?))
        })
    }

    /// The values of some entries, in stored order.
    ///
    /// # Errors
    /// What the file below cannot give.
    pub fn values(&self, entries: Range<u64>) -> Result<Values> {
        Source::Dataset(self.data.clone()).values(self.value_type, &entries.into(), &self.path)
    }

    /// The minor indices of some entries, in stored order.
    ///
    /// # Errors
    /// `IndexOutOfRange`, and what the file below cannot give.
    pub fn indices(&self, entries: Range<u64>) -> Result<Vec<u64>> {
        self.checked_indices(self.stored_indices(entries.clone())?, entries.start)
    }

    /// Whether within every major row the indices rise, none twice. Streams all of them.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    pub fn is_sorted(&self) -> Result<bool> {
        let mut sorted = true;
        for block in self.index_blocks(ENTRIES) {
            let block = block?;
            let mut rows = block.starts.windows(2).map(|pair| &block.indices[pair[0]..pair[1]]);
            sorted &= rows.all(|row| row.is_sorted_by(|a, b| a < b));
        }
        Ok(sorted)
    }

    /// The indices of all major rows in blocks.
    fn index_blocks(&self, entries: u64) -> impl Iterator<Item = Result<IndexBlock>> + '_ {
        self.blocks(entries).map(|major| {
            let major = major?;
            let pointers = self.pointers(major.clone())?;
            let (first, last) = self.ends(&pointers)?;
            Ok(IndexBlock { major, first, starts: relative(&pointers, first), indices: self.indices(first..last)? })
        })
    }

    /// Ranges of major rows of at most so many entries each, or of one row.
    fn blocks(&self, entries: u64) -> impl Iterator<Item = Result<Range<u64>>> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            (next < self.n_major()).then(|| {
                let start = next;
                // Nothing comes after a fault.
                next = self.n_major();
                let limit = start.saturating_add(POINTERS).min(self.n_major());
                let pointers = self.pointers(start..limit)?;
                let (first, _) = self.ends(&pointers)?;
                let within = pointers[1..].partition_point(|pointer| pointer - first <= entries);
                next = start + within.max(1) as u64;
                Ok(start..next)
            })
        })
    }

    fn ends(&self, pointers: &[u64]) -> Result<(u64, u64)> {
        match (pointers.first(), pointers.last()) {
            (Some(first), Some(last)) => Ok((*first, *last)),
            _ => broken(Rule::BadIndptr, &self.path, "no pointers"),
        }
    }

    /// Indices as they are stored; negative ones are far beyond any matrix.
    fn stored_indices(&self, selection: impl Into<Selection>) -> Result<Vec<u64>> {
        let indices = Source::Dataset(self.indices.clone());
        Ok(indices.integers(&selection.into(), |_, index| u64::try_from(index).unwrap_or(u64::MAX))?)
    }

    /// The same where all are within the matrix; `first` is the number of the first entry.
    fn checked_indices(&self, indices: Vec<u64>, first: u64) -> Result<Vec<u64>> {
        let n = self.n_minor();
        match indices.iter().position(|index| *index >= n) {
            None => Ok(indices),
            Some(at) => {
                let index = if indices[at] == u64::MAX { "below 0".to_owned() } else { indices[at].to_string() };
                let text = format!("index {index} of entry {}, and {n} in this dimension", first + at as u64);
                Err(Fault::new(Rule::IndexOutOfRange, &self.path, text).into())
            }
        }
    }
}

/// The indices of some major rows.
struct IndexBlock {
    major: Range<u64>,
    /// The number of the first entry.
    first: u64,
    starts: Vec<usize>,
    indices: Vec<u64>,
}

/// Minor rows that are looked for.
struct Wanted {
    /// Sorted, none twice.
    rows: Vec<u64>,
    /// For each minor row its number among these, if there are not too many minor rows for a table.
    table: Option<Vec<u32>>,
}

impl Wanted {
    /// Longest table, in minor rows.
    const TABLE: u64 = 1 << 22;

    fn new(minor: &[u64], n_minor: u64) -> Self {
        let rows = sorted(minor);
        let table = (n_minor <= Self::TABLE).then(|| {
            let mut table = vec![u32::MAX; n_minor as usize];
            for (number, row) in (0..).zip(&rows) {
                if let Some(entry) = table.get_mut(*row as usize) {
                    *entry = number;
                }
            }
            table
        });
        Self { rows, table }
    }

    fn find(&self, row: u64) -> Option<usize> {
        match &self.table {
            Some(table) => table.get(row as usize).filter(|number| **number != u32::MAX).map(|number| *number as usize),
            None => self.rows.binary_search(&row).ok(),
        }
    }
}

fn sorted(rows: &[u64]) -> Vec<u64> {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn relative(pointers: &[u64], first: u64) -> Vec<usize> {
    pointers.iter().map(|pointer| (pointer - first) as usize).collect()
}
