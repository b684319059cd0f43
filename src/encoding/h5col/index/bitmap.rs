//! BITMAP: for each value the rows that have it.
//!
//! Bit `r % 8` of byte `r / 8` of row `k` is set where row `r` of the table has value `k` of the values dataset.

use std::ops::Range;

use super::{blocks, shaped, unusable};
use crate::encoding::h5col::attribute;
use crate::encoding::h5col::column::ScalarColumn;
use crate::encoding::h5col::error::{Result, Rule, Verdict, Violation};
use crate::encoding::h5col::kind::Held;
use crate::encoding::h5col::rows::Rows;
use crate::encoding::h5col::table::Table;
use crate::encoding::h5col::values::{self, Data, Room};
use crate::object::{Dataset, Object};

/// The bits of one value.
#[derive(Clone, Debug)]
pub struct Bits {
    /// The rows that have it.
    pub rows: Rows,
    /// True where bits past the last row are set, in the last byte that has rows.
    pub past_the_end: bool,
}

/// For each value the rows that have it.
#[derive(Clone, Debug)]
pub struct Bitmap {
    dataset: Dataset,
    values: Dataset,
    held: Held,
    nrows: u64,
    /// True where the order of the values means something; `None` where nothing says so.
    pub ordered: Option<bool>,
    /// True where every value of the column is listed; `None` where nothing says so, which means false.
    pub exhaustive: Option<bool>,
}

impl Bitmap {
    pub(super) fn open(table: &Table, dataset: &Dataset, column: &ScalarColumn) -> Result<Self> {
        let nrows = column.nrows;
        let [values_count, bytes] = *dataset.shape() else {
            return Err(unusable(dataset, format!("shape {:?}, not of two dimensions", dataset.shape())));
        };
        if bytes < nrows.div_ceil(8) || dataset.datatype().size != 1 {
            return Err(unusable(dataset, format!("{bytes} elements of {} for {nrows} rows", dataset.datatype())));
        }
        let values = Self::values_of(table, dataset)?;
        let wrong = |detail: String| Violation::new(Rule::S7, dataset.path(), detail);
        if values.shape() != [values_count] {
            let detail = format!("{values_count} rows of bits for values of shape {:?}", values.shape());
            return Err(wrong(detail).into());
        }
        if values.datatype() != column.dataset().datatype() {
            return Err(wrong("its values have another datatype than the column".into()).into());
        }
        Ok(Self {
            dataset: dataset.clone(),
            values,
            held: column.held(),
            nrows,
            ordered: attribute::boolean(dataset.info(), "ordered")?,
            exhaustive: attribute::boolean(dataset.info(), "exhaustive")?,
        })
    }

    /// The dataset of values that an index needs.
    pub(in crate::encoding::h5col) fn values_of(table: &Table, dataset: &Dataset) -> Result<Dataset> {
        let wrong = |detail: &str| Violation::new(Rule::S7, dataset.path(), detail).verdict(Verdict::IgnoreIndex);
        let references = attribute::references(dataset.info(), "VALUES")?;
        let Some([reference]) = references.as_deref() else {
            return Err(wrong("VALUES is not one reference").into());
        };
        match table.group().file().dereference(reference) {
            Ok(Object::Dataset(values)) => Ok(values),
            Ok(_) => Err(wrong("VALUES leads to no dataset").into()),
            Err(e) if e.is_missing() => Err(e.into()),
            Err(e) => Err(wrong(&format!("VALUES leads nowhere: {e}")).into()),
        }
    }

    /// The dataset of the values.
    #[must_use]
    pub fn values_dataset(&self) -> &Dataset {
        &self.values
    }

    /// The values, in the order of the rows of bits.
    ///
    /// # Errors
    /// `File`.
    pub fn values(&self) -> Result<Data> {
        // A value is looked for by what it is, so that more than itself is kept of each.
        Room::of(self.values.file()).take(self.values.len(), self.held.bytes(self.values.datatype().size) + 64)?;
        values::read(&self.values, self.held, ..)
    }

    /// The rows of the table that have value `k`. Bits past the last row mean nothing.
    ///
    /// # Errors
    /// `File`; `Rule` where there is no such value.
    pub fn rows(&self, k: u64) -> Result<Rows> {
        let bytes: Vec<u8> = shaped(&self.dataset, self.dataset.read((k, 0..self.nrows.div_ceil(8))))?;
        Ok(self.bits_of(&bytes).rows)
    }

    /// The values, by their numbers, in blocks whose bits are read together.
    pub fn blocks(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        blocks(&self.dataset, self.values.len(), self.nrows.div_ceil(8))
    }

    /// The bits of some values.
    ///
    /// # Errors
    /// As [`rows`](Self::rows).
    pub fn bits(&self, values: Range<u64>) -> Result<Vec<Bits>> {
        let length = self.nrows.div_ceil(8);
        let count = usize::try_from(values.end.saturating_sub(values.start)).unwrap_or(usize::MAX);
        let all: Vec<u8> = shaped(&self.dataset, self.dataset.read((values, 0..length)))?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        // A table without rows has no bytes of bits.
        Ok((0..count).map(|k| self.bits_of(all.get(k * length..(k + 1) * length).unwrap_or_default())).collect())
    }

    fn bits_of(&self, bytes: &[u8]) -> Bits {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut bits: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        bits.extend((!rest.is_empty()).then(|| rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))));
        let used = self.nrows % 64;
        let mut past_the_end = false;
        if let Some(last) = bits.last_mut().filter(|_| used != 0) {
            past_the_end = *last >> used != 0;
            *last &= (1 << used) - 1;
        }
        Bits { rows: Rows::of_bits(0, bits), past_the_end }
    }

    /// Bytes of the bits of one value.
    pub(in crate::encoding::h5col) fn row_bytes(&self) -> u64 {
        match self.dataset.chunk_shape() {
            Some([rows, bytes]) => self.nrows.div_ceil(8).div_ceil((*bytes).max(1)) * rows.saturating_mul(*bytes),
            _ => self.nrows.div_ceil(8),
        }
    }
}
