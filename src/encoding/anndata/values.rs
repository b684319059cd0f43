//! What the elements of an array are, and a run of them.

use std::ops::Range;

use half::f16;

use crate::bytes::Text;
use crate::element::{Bytes, Element, Value};
use crate::error::ErrorKind;
use crate::format::message::datatype::{Class, Datatype};
use crate::object::{Dataset, Member};
use crate::selection::Selection;

use super::fault::{Error, Fault, Result, Rule, broken};

/// The type of stored values, as it is: nothing is made wider.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    /// Two `f32`, real part first.
    C64,
    /// Two `f64`, real part first.
    C128,
    String,
    /// Strings of one length that are not text.
    Bytes,
}

impl Type {
    /// The type of a datatype's values; `None` for records and all that AnnData has no name for.
    #[must_use]
    pub fn of(datatype: &Datatype) -> Option<Self> {
        Some(match (&datatype.class, datatype.size) {
            (Class::FixedPoint(n), 1) => {
                if n.signed {
                    Self::I8
                } else {
                    Self::U8
                }
            }
            (Class::FixedPoint(n), 2) => {
                if n.signed {
                    Self::I16
                } else {
                    Self::U16
                }
            }
            (Class::FixedPoint(n), 4) => {
                if n.signed {
                    Self::I32
                } else {
                    Self::U32
                }
            }
            (Class::FixedPoint(n), 8) => {
                if n.signed {
                    Self::I64
                } else {
                    Self::U64
                }
            }
            (Class::FloatingPoint(_), 2) => Self::F16,
            (Class::FloatingPoint(_), 4) => Self::F32,
            (Class::FloatingPoint(_), 8) => Self::F64,
            (Class::Enumeration { base, members }, 1) if is_bool(members) && base.size == 1 => Self::Bool,
            (Class::Enumeration { base, .. }, _) => return Self::of(base),
            (Class::Complex { base, form: 0, .. }, _) => return Self::of(base)?.complex(),
            (Class::Compound { .. }, _) => match datatype.members() {
                [r, i] if r.name == "r" && i.name == "i" && r.datatype == i.datatype => {
                    return Self::of(&r.datatype)?.complex();
                }
                _ => return None,
            },
            (Class::VariableLength { is_string: true, .. }, _) => Self::String,
            (Class::String { .. }, _) => Self::Bytes,
            _ => return None,
        })
    }

    fn complex(self) -> Option<Self> {
        match self {
            Self::F32 => Some(Self::C64),
            Self::F64 => Some(Self::C128),
            _ => None,
        }
    }

    /// The name that NumPy gives it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "int8",
            Self::I16 => "int16",
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::U8 => "uint8",
            Self::U16 => "uint16",
            Self::U32 => "uint32",
            Self::U64 => "uint64",
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
            Self::C64 => "complex64",
            Self::C128 => "complex128",
            Self::String => "string",
            Self::Bytes => "bytes",
        }
    }

    /// True for integers.
    #[must_use]
    pub fn is_integer(self) -> bool {
        use Type::{I8, I16, I32, I64, U8, U16, U32, U64};
        matches!(self, I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
    }
}

/// h5py's Boolean: `FALSE` 0 and `TRUE` 1.
fn is_bool(members: &[(Text, Vec<u8>)]) -> bool {
    let has = |name: &str, value: u8| members.iter().any(|(n, v)| *n == *name && v[..] == [value]);
    members.len() == 2 && has("FALSE", 0) && has("TRUE", 1)
}

/// Values of one type, row-major.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Bool(Vec<bool>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F16(Vec<f16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    C64(Vec<[f32; 2]>),
    C128(Vec<[f64; 2]>),
    String(Vec<String>),
    Bytes(Vec<Vec<u8>>),
}

/// Runs `$body` with the vector of whatever variant it is.
#[macro_export]
#[doc(hidden)]
macro_rules! anndata_each_values {
    ($values:expr, $vector:ident => $body:expr) => {
        match $values {
            $crate::encoding::anndata::Values::Bool($vector) => $body,
            $crate::encoding::anndata::Values::I8($vector) => $body,
            $crate::encoding::anndata::Values::I16($vector) => $body,
            $crate::encoding::anndata::Values::I32($vector) => $body,
            $crate::encoding::anndata::Values::I64($vector) => $body,
            $crate::encoding::anndata::Values::U8($vector) => $body,
            $crate::encoding::anndata::Values::U16($vector) => $body,
            $crate::encoding::anndata::Values::U32($vector) => $body,
            $crate::encoding::anndata::Values::U64($vector) => $body,
            $crate::encoding::anndata::Values::F16($vector) => $body,
            $crate::encoding::anndata::Values::F32($vector) => $body,
            $crate::encoding::anndata::Values::F64($vector) => $body,
            $crate::encoding::anndata::Values::C64($vector) => $body,
            $crate::encoding::anndata::Values::C128($vector) => $body,
            $crate::encoding::anndata::Values::String($vector) => $body,
            $crate::encoding::anndata::Values::Bytes($vector) => $body,
        }
    };
}

/// The same variant, of what `$body` makes of its vector.
macro_rules! map_values {
    ($values:expr, $vector:ident => $body:expr) => {
        match $values {
            Values::Bool($vector) => Values::Bool($body),
            Values::I8($vector) => Values::I8($body),
            Values::I16($vector) => Values::I16($body),
            Values::I32($vector) => Values::I32($body),
            Values::I64($vector) => Values::I64($body),
            Values::U8($vector) => Values::U8($body),
            Values::U16($vector) => Values::U16($body),
            Values::U32($vector) => Values::U32($body),
            Values::U64($vector) => Values::U64($body),
            Values::F16($vector) => Values::F16($body),
            Values::F32($vector) => Values::F32($body),
            Values::F64($vector) => Values::F64($body),
            Values::C64($vector) => Values::C64($body),
            Values::C128($vector) => Values::C128($body),
            Values::String($vector) => Values::String($body),
            Values::Bytes($vector) => Values::Bytes($body),
        }
    };
}

impl Values {
    /// No values of a type.
    #[must_use]
    pub fn empty(of: Type) -> Self {
        match of {
            Type::Bool => Self::Bool(Vec::new()),
            Type::I8 => Self::I8(Vec::new()),
            Type::I16 => Self::I16(Vec::new()),
            Type::I32 => Self::I32(Vec::new()),
            Type::I64 => Self::I64(Vec::new()),
            Type::U8 => Self::U8(Vec::new()),
            Type::U16 => Self::U16(Vec::new()),
            Type::U32 => Self::U32(Vec::new()),
            Type::U64 => Self::U64(Vec::new()),
            Type::F16 => Self::F16(Vec::new()),
            Type::F32 => Self::F32(Vec::new()),
            Type::F64 => Self::F64(Vec::new()),
            Type::C64 => Self::C64(Vec::new()),
            Type::C128 => Self::C128(Vec::new()),
            Type::String => Self::String(Vec::new()),
            Type::Bytes => Self::Bytes(Vec::new()),
        }
    }

    /// The values at some places, in the order of these.
    ///
    /// # Panics
    /// Where a place is beyond the values.
    #[must_use]
    pub fn take(&self, places: &[usize]) -> Self {
        map_values!(self, values => taken(values, places))
    }

    /// The values of some stretches, one after the other.
    pub(super) fn stretches(&self, stretches: &[Range<usize>]) -> Self {
        map_values!(self, values => joined(values, stretches))
    }

    /// Adds more values of the same type. Those of another type are left.
    pub(super) fn append(&mut self, more: Self) {
        macro_rules! same {
            ($($variant:ident)*) => {
                match (self, more) {
                    $((Self::$variant(values), Self::$variant(more)) => values.extend(more),)*
                    _ => debug_assert!(false, "values of two types"),
                }
            };
        }
        same!(Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 C64 C128 String Bytes);
    }

    /// A value that is there twice, as text.
    pub(super) fn twice(&self) -> Option<String> {
        let mut seen = std::collections::HashSet::new();
        anndata_each_values!(self, values => {
            values.iter().map(|value| format!("{value:?}")).find(|value| !seen.insert(value.clone()))
        })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        anndata_each_values!(self, values => values.len())
    }

    /// True without a value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values as text, where they are text.
    #[must_use]
    pub fn as_strings(&self) -> Option<&[String]> {
        match self {
            Self::String(values) => Some(values),
            _ => None,
        }
    }
}

fn taken<T: Clone>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|place| values[*place].clone()).collect()
}

/// Stretches of values, one after the other.
pub(super) fn joined<T: Clone>(values: &[T], stretches: &[Range<usize>]) -> Vec<T> {
    let mut joined = Vec::with_capacity(stretches.iter().map(Range::len).sum());
    stretches.iter().for_each(|stretch| joined.extend_from_slice(&values[stretch.clone()]));
    joined
}

/// Where values are: a dataset, or a field of the records that a dataset holds.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Dataset(Dataset),
    Field(Dataset, Member),
}

impl Source {
    /// A field by its name.
    pub(super) fn field(dataset: &Dataset, name: &str) -> Result<Self> {
        Ok(Self::Field(dataset.clone(), dataset.member(name)?))
    }

    /// The datatype of one value: of the elements of an array within a record.
    pub(super) fn datatype(&self) -> &Datatype {
        match self {
            Self::Dataset(dataset) => dataset.datatype(),
            Self::Field(_, member) => match &member.datatype().class {
                Class::Array { base, .. } => base,
                _ => member.datatype(),
            },
        }
    }

    pub(super) fn shape(&self) -> Vec<u64> {
        match self {
            Self::Dataset(dataset) => dataset.shape().to_vec(),
            Self::Field(dataset, member) => {
                let mut shape = dataset.shape().to_vec();
                shape.extend(sub_shape(member.datatype()));
                shape
            }
        }
    }

    /// The values of the selected elements, or records.
    pub(super) fn read<T: Element>(&self, selection: &Selection) -> crate::Result<Vec<T>> {
        match self {
            Self::Dataset(dataset) => dataset.read(selection),
            Self::Field(_, member) => match &member.datatype().class {
                Class::Array { .. } => Ok(member.read::<Vec<Vec<T>>>(selection)?.into_iter().flatten().collect()),
                _ => member.read(selection),
            },
        }
    }

    /// The same as whatever type they are; text is what `path` is told to be where it is not UTF-8.
    pub(super) fn values(&self, of: Type, selection: &Selection, path: &str) -> Result<Values> {
        Ok(match of {
            Type::Bool => Values::Bool(self.read(selection)?),
            Type::I8 => Values::I8(self.read(selection)?),
            Type::I16 => Values::I16(self.read(selection)?),
            Type::I32 => Values::I32(self.read(selection)?),
            Type::I64 => Values::I64(self.read(selection)?),
            Type::U8 => Values::U8(self.read(selection)?),
            Type::U16 => Values::U16(self.read(selection)?),
            Type::U32 => Values::U32(self.read(selection)?),
            Type::U64 => Values::U64(self.read(selection)?),
            Type::F16 => Values::F16(self.read(selection)?),
            Type::F32 => Values::F32(self.read(selection)?),
            Type::F64 => Values::F64(self.read(selection)?),
            Type::C64 => Values::C64(self.pairs(selection, path, |x| x as f32)?),
            Type::C128 => Values::C128(self.pairs(selection, path, |x| x)?),
            Type::String => Values::String(self.read(selection).map_err(|error| bad_text(error, path))?),
            Type::Bytes => Values::Bytes(self.read::<Bytes>(selection)?.into_iter().map(trimmed).collect()),
        })
    }

    /// What `make` makes of each selected integer, given its number among them. They are read as what they are stored as:
    /// a type that holds all integers would need many times their memory.
    pub(super) fn integers<R>(
        &self,
        selection: &Selection,
        mut make: impl FnMut(usize, i128) -> R,
    ) -> crate::Result<Vec<R>> {
        macro_rules! each {
            ($type:ty) => {{
                let stored = self.read::<$type>(selection)?;
                Ok(stored.into_iter().enumerate().map(|(at, value)| make(at, value.into())).collect())
            }};
        }
        match Type::of(self.datatype()) {
            Some(Type::I8) => each!(i8),
            Some(Type::I16) => each!(i16),
            Some(Type::I32) => each!(i32),
            Some(Type::I64) => each!(i64),
            Some(Type::U8) => each!(u8),
            Some(Type::U16) => each!(u16),
            Some(Type::U32) => each!(u32),
            Some(Type::U64) => each!(u64),
            _ => each!(i128),
        }
    }

    /// Complex numbers, of HDF5's class or as h5py writes them.
    fn pairs<T>(&self, selection: &Selection, path: &str, part: impl Fn(f64) -> T) -> Result<Vec<[T; 2]>> {
        let pair = |value: &Value| match value {
            Value::Complex(pair) => Some([pair.0.as_f64()?, pair.1.as_f64()?]),
            Value::Compound(parts) => match &parts[..] {
                [(_, r), (_, i)] => Some([r.as_f64()?, i.as_f64()?]),
                _ => None,
            },
            _ => None,
        };
        let values = self.read::<Value>(selection)?;
        let pairs: Option<Vec<_>> = values.iter().map(|value| pair(value).map(|pair| pair.map(&part))).collect();
        pairs.map_or_else(|| broken(Rule::BadType, path, "numbers that are not complex"), Ok)
    }
}

/// Without the NULs that fill it.
fn trimmed(bytes: Bytes) -> Vec<u8> {
    let mut bytes = bytes.0;
    bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    bytes
}

/// The shape of an array within a record; empty where there is none.
pub(super) fn sub_shape(datatype: &Datatype) -> Vec<u64> {
    match &datatype.class {
        Class::Array { dims, .. } => dims.iter().map(|dim| u64::from(*dim)).collect(),
        _ => Vec::new(),
    }
}

/// Text that does not convert is text that is not UTF-8.
fn bad_text(error: crate::Error, path: &str) -> Error {
    match error.kind() {
        ErrorKind::Type => Fault::new(Rule::BadText, path, error.to_string()).into(),
        _ => error.into(),
    }
}
