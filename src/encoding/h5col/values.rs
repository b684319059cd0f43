//! Values of rows, column-wise.

use super::error::{Result, Rule, Violation};
use super::kind::Held;
use crate::bytes::Text;
use crate::element::{Element, Value};
use crate::error::{Error, ErrorKind};
use crate::object::{Dataset, File, Member};
use crate::selection::Selection;

/// Values of some rows of a column, and which of them are missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The values; those of missing rows mean nothing.
    pub data: Data,
    /// For each row whether it is missing; as long as the values.
    pub missing: Vec<bool>,
}

/// Values of one kind, one for each row.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Signed integers of up to 64 bits; codes of enumerations and categories.
    Signed(Vec<i64>),
    /// Unsigned integers of up to 64 bits; codes of enumerations and categories; bits.
    Unsigned(Vec<u64>),
    /// Floating-point numbers of up to 64 bits.
    Float(Vec<f64>),
    /// Booleans.
    Boolean(Vec<bool>),
    /// Strings without padding. Nothing promises that they are UTF-8.
    Text(Vec<Text>),
    /// Everything else.
    Value(Vec<Value>),
    /// Lists.
    List(Lists),
}

/// Lists one after the other: list `i` has the elements `offsets[i]..offsets[i + 1]` of `values`.
#[derive(Clone, Debug, PartialEq)]
pub struct Lists {
    /// Where each list begins, from 0, and where the last one ends.
    pub offsets: Vec<u64>,
    /// The elements of all lists.
    pub values: Box<Values>,
}

impl Values {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.missing.len()
    }

    /// True without a row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty()
    }

    /// True where the row is missing, or is none of these.
    #[must_use]
    pub fn is_missing(&self, row: usize) -> bool {
        self.missing.get(row).copied().unwrap_or(true)
    }

    /// The values of some rows, in this order; a row that there is not is missing.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        Self { data: self.data.take(rows), missing: rows.iter().map(|row| self.is_missing(*row)).collect() }
    }

    pub(super) fn append(&mut self, other: Self) {
        self.missing.extend(other.missing);
        self.data.append(other.data);
    }
}

impl Data {
    /// The integer of a row; codes, booleans and bits are integers too.
    #[must_use]
    pub fn integer(&self, row: usize) -> Option<i128> {
        match self {
            Self::Signed(values) => values.get(row).map(|n| i128::from(*n)),
            Self::Unsigned(values) => values.get(row).map(|n| i128::from(*n)),
            Self::Boolean(values) => values.get(row).map(|b| i128::from(*b)),
            Self::Value(values) => match values.get(row) {
                Some(Value::Integer(n) | Value::Enumeration(_, n)) => Some(*n),
                _ => None,
            },
            Self::Float(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// The floating-point number of a row.
    #[must_use]
    pub fn float(&self, row: usize) -> Option<f64> {
        match self {
            Self::Float(values) => values.get(row).copied(),
            _ => None,
        }
    }

    /// The bytes of a row's string or opaque value.
    #[must_use]
    pub fn bytes(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Text(values) => values.get(row).map(Text::as_bytes),
            Self::Value(values) => match values.get(row) {
                Some(Value::Opaque(bytes)) => Some(bytes),
                _ => None,
            },
            _ => None,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Signed(values) => values.len(),
            Self::Unsigned(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Boolean(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Value(values) => values.len(),
            Self::List(lists) => lists.offsets.len().saturating_sub(1),
        }
    }

    /// True without a row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn take(&self, rows: &[usize]) -> Self {
        fn each<T: Clone + Default>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|row| values.get(*row).cloned().unwrap_or_default()).collect()
        }
        match self {
            Self::Signed(values) => Self::Signed(each(values, rows)),
            Self::Unsigned(values) => Self::Unsigned(each(values, rows)),
            Self::Float(values) => Self::Float(each(values, rows)),
            Self::Boolean(values) => Self::Boolean(each(values, rows)),
            Self::Text(values) => Self::Text(each(values, rows)),
            Self::Value(values) => Self::Value(each(values, rows)),
            Self::List(lists) => {
                let (mut offsets, mut inner) = (vec![0], Vec::new());
                for row in rows {
                    if let Some([start, end]) = lists.offsets.get(*row..row.saturating_add(2)) {
                        // Offsets count elements that are in memory.
                        inner.extend(*start as usize..*end as usize);
                    }
                    offsets.push(inner.len() as u64);
                }
                Self::List(Lists { offsets, values: Box::new(lists.values.take(&inner)) })
            }
        }
    }

    /// Both are of one column, hence of one kind.
    fn append(&mut self, other: Self) {
        match (self, other) {
            (Self::Signed(a), Self::Signed(b)) => a.extend(b),
            (Self::Unsigned(a), Self::Unsigned(b)) => a.extend(b),
            (Self::Float(a), Self::Float(b)) => a.extend(b),
            (Self::Boolean(a), Self::Boolean(b)) => a.extend(b),
            (Self::Text(a), Self::Text(b)) => a.extend(b),
            (Self::Value(a), Self::Value(b)) => a.extend(b),
            (Self::List(a), Self::List(b)) => {
                let end = a.offsets.last().copied().unwrap_or(0);
                a.offsets.extend(b.offsets.iter().skip(1).map(|offset| offset + end));
                a.values.append(*b.values);
            }
            _ => {}
        }
    }
}

/// Bytes that a file may have read of it whatever its length: values that were never written take no room in it.
const ALWAYS: u64 = 16 << 20;

/// Bytes that one byte of a file can become: deflate makes no more of one.
const EXPANSION: u64 = 1100;

/// Refuses more elements than a file of this length can hold, before room is made for them.
///
/// # Errors
/// `Limit`.
pub(super) fn possible(file: &File, elements: u64, size: u32) -> Result<()> {
    let allowed = file.source().len().saturating_mul(EXPANSION).max(ALWAYS).min(file.limits().read_bytes);
    let asked = elements.saturating_mul(size.into());
    if asked > allowed { Err(Error::limit("read_bytes", asked, allowed).into()) } else { Ok(()) }
}

/// Bytes of memory that values may take whatever the length of their file: some eight times [`ALWAYS`], since what is
/// a byte in a file can be a number of eight, and whether it is missing.
const ALWAYS_HELD: u64 = 160 << 20;

/// Memory that is left for the values of one read, all levels of lists together.
pub(super) struct Room {
    left: u64,
    allowed: u64,
}

impl Room {
    /// The room for values of a file.
    pub(super) fn of(file: &File) -> Self {
        let allowed = file.source().len().saturating_mul(EXPANSION).max(ALWAYS_HELD);
        Self { left: allowed, allowed }
    }

    /// Takes the room for elements of so many bytes each, before they are made.
    ///
    /// # Errors
    /// `Limit`.
    pub(super) fn take(&mut self, elements: u64, bytes: u64) -> Result<()> {
        let asked = elements.saturating_mul(bytes);
        match self.left.checked_sub(asked) {
            Some(left) => self.left = left,
            None => {
                let used = self.allowed - self.left;
                return Err(Error::limit("read_bytes", used.saturating_add(asked), self.allowed).into());
            }
        }
        Ok(())
    }

    /// Takes the room for values that are held so, and for whether they are missing.
    ///
    /// # Errors
    /// `Limit`.
    pub(super) fn values(&mut self, elements: u64, held: Held, size: u32) -> Result<()> {
        self.take(elements, held.bytes(size).saturating_add(1))
    }
}

/// Where elements of one datatype are read from: a dataset, or one member of a compound one.
pub(super) trait Elements {
    fn path(&self) -> &str;
    fn values<T: Element>(&self, selection: Selection) -> crate::Result<Vec<T>>;
}

impl Elements for Dataset {
    fn path(&self) -> &str {
        self.path()
    }

    fn values<T: Element>(&self, selection: Selection) -> crate::Result<Vec<T>> {
        self.read(selection)
    }
}

/// A member of the compound dataset at a path.
pub(super) struct Part<'m>(pub(super) &'m str, pub(super) &'m Member);

impl Elements for Part<'_> {
    fn path(&self) -> &str {
        self.0
    }

    fn values<T: Element>(&self, selection: Selection) -> crate::Result<Vec<T>> {
        self.1.read(selection)
    }
}

/// The selected elements; nothing is said about which are missing.
pub(super) fn read(from: &impl Elements, held: Held, selection: impl Into<Selection>) -> Result<Data> {
    let selection = selection.into();
    Ok(match held {
        Held::Signed => Data::Signed(from.values(selection)?),
        Held::Unsigned => Data::Unsigned(from.values(selection)?),
        Held::Float => Data::Float(from.values(selection)?),
        Held::Boolean => match from.values(selection) {
            Ok(values) => Data::Boolean(values),
            Err(e) if e.kind() == ErrorKind::Type => {
                return Err(Violation::new(Rule::B2, from.path(), e.cause().to_string()).into());
            }
            Err(e) => return Err(e.into()),
        },
        // A string that was never written is an empty one.
        Held::Text => Data::Text(from.values(selection)?),
        Held::Value => Data::Value(from.values(selection)?),
    })
}
