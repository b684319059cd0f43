//! Which values mean that there is none: those equal to the dataset's own fill value.

use super::error::Result;
use super::kind::Held;
use super::values::Data;
use crate::bytes::Text;
use crate::element::{Bytes, Value};
use crate::object::{Dataset, FillInfo};
use crate::selection::Selection;

/// The test that tells missing elements of a dataset.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Missing {
    /// No element is missing: the dataset has no fill value of its own, or holds booleans.
    Never,
    Integer(i128),
    Float(f64),
    /// Any NaN, whichever NaN the fill value is.
    NotANumber,
    Text(Text),
    /// The value as a whole, where its bytes are a place in a heap.
    Value(Value),
    /// The bytes of the element.
    Bytes(Vec<u8>),
}

impl Missing {
    pub(super) fn of(dataset: &Dataset) -> crate::Result<Self> {
        let held = Held::of(dataset.datatype());
        if dataset.fill() != FillInfo::Value || held == Held::Boolean {
            return Ok(Self::Never);
        }
        let test = match held {
            Held::Signed | Held::Unsigned => dataset.fill_value::<i128>()?.map(Self::Integer),
            Held::Float => {
                dataset.fill_value::<f64>()?.map(|f| if f.is_nan() { Self::NotANumber } else { Self::Float(f) })
            }
            Held::Text => dataset.fill_value::<Text>()?.map(Self::Text),
            Held::Boolean => None,
            Held::Value if dataset.datatype().has_heap_data() => dataset.fill_value::<Value>()?.map(Self::Value),
            Held::Value => dataset.fill_value::<Bytes>()?.map(|bytes| Self::Bytes(bytes.0)),
        };
        Ok(test.unwrap_or(Self::Never))
    }

    /// For each of the elements that `data` was read from whether it is missing.
    pub(super) fn among(&self, data: &Data, dataset: &Dataset, selection: impl Into<Selection>) -> Result<Vec<bool>> {
        Ok(match (self, data) {
            (Self::Integer(fill), Data::Signed(values)) => match i64::try_from(*fill) {
                Ok(fill) => values.iter().map(|n| *n == fill).collect(),
                Err(_) => vec![false; values.len()],
            },
            (Self::Integer(fill), Data::Unsigned(values)) => match u64::try_from(*fill) {
                Ok(fill) => values.iter().map(|n| *n == fill).collect(),
                Err(_) => vec![false; values.len()],
            },
            (Self::Float(fill), Data::Float(values)) => values.iter().map(|x| x == fill).collect(),
            (Self::NotANumber, Data::Float(values)) => values.iter().map(|x| x.is_nan()).collect(),
            (Self::Text(fill), Data::Text(values)) => values.iter().map(|text| text == fill).collect(),
            (Self::Value(fill), Data::Value(values)) => values.iter().map(|value| value == fill).collect(),
            (Self::Bytes(fill), Data::Value(values)) => {
                let bytes = dataset.read_bytes(selection)?;
                let mut missing: Vec<bool> =
                    bytes.chunks_exact(fill.len().max(1)).map(|element| element == fill.as_slice()).collect();
                missing.resize(values.len(), false);
                missing
            }
            _ => vec![false; data.len()],
        })
    }

    /// True where one value, row `row` of `data`, is the fill value. Values whose bytes would have to be compared
    /// never are.
    pub(super) fn is(&self, data: &Data, row: usize) -> bool {
        match self {
            Self::Integer(fill) => data.integer(row) == Some(*fill),
            Self::Float(fill) => data.float(row) == Some(*fill),
            Self::NotANumber => data.float(row).is_some_and(f64::is_nan),
            Self::Text(fill) => data.bytes(row) == Some(fill.as_bytes()),
            Self::Bytes(fill) => data.bytes(row) == Some(fill.as_slice()),
            Self::Never | Self::Value(_) => false,
        }
    }
}
