//! BITMAP: for each value the rows that have it.
//!
//! Bit `r % 8` of byte `r / 8` of row `k` is set where row `r` of the table has value `k` of the values dataset.

use super::{shaped, unusable};
use crate::encoding::h5col::attribute;
use crate::encoding::h5col::column::ScalarColumn;
use crate::encoding::h5col::error::{Result, Rule, Verdict, Violation};
use crate::encoding::h5col::kind::Held;
use crate::encoding::h5col::rows::Rows;
use crate::encoding::h5col::table::Table;
use crate::encoding::h5col::values::{self, Data};
use crate::object::{Dataset, Object};

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
        values::read(&self.values, self.held, ..)
    }

    /// The rows of the table that have value `k`. Bits past the last row mean nothing.
    ///
    /// # Errors
    /// `File`; `Rule` where there is no such value.
    pub fn rows(&self, k: u64) -> Result<Rows> {
        let bytes = self.bits(k, self.nrows.div_ceil(8))?;
        let (words, rest) = bytes.as_chunks::<8>();
        let mut bits: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        bits.extend((!rest.is_empty()).then(|| rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))));
        let used = self.nrows % 64;
        if let Some(last) = bits.last_mut().filter(|_| used != 0) {
            *last &= (1 << used) - 1;
        }
        Ok(Rows::of_bits(0, bits))
    }

    fn bits(&self, k: u64, bytes: u64) -> Result<Vec<u8>> {
        shaped(&self.dataset, self.dataset.read((k, 0..bytes)))
    }

    /// True where bits past the last row are set in the last byte of value `k`.
    pub(in crate::encoding::h5col) fn has_padding_bits(&self, k: u64) -> Result<bool> {
        let used = self.nrows % 8;
        if used == 0 {
            return Ok(false);
        }
        let last = self.nrows / 8;
        let byte: Vec<u8> = shaped(&self.dataset, self.dataset.read((k, last..=last)))?;
        Ok(byte.iter().any(|byte| byte >> used != 0))
    }

    /// Bytes of the bits of one value.
    pub(in crate::encoding::h5col) fn row_bytes(&self) -> u64 {
        match self.dataset.chunk_shape() {
            Some([rows, bytes]) => self.nrows.div_ceil(8).div_ceil((*bytes).max(1)) * rows.saturating_mul(*bytes),
            _ => self.nrows.div_ceil(8),
        }
    }
}
