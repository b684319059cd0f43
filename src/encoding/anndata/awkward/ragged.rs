//! Ragged lists, rebuilt from a form and its buffers.

use std::ops::Range;

use super::super::fault::{Fault, Result, Rule, broken};
use super::super::values::Values;
use super::Awkward;
use super::form::ListOf;
use super::node::Node;

/// An entry of an awkward array.
#[derive(Clone, Debug, PartialEq)]
pub enum Ragged {
    /// A missing entry.
    Missing,
    /// A truth value.
    Bool(bool),
    /// An integer, of whatever width.
    Integer(i128),
    /// A number, of whatever width.
    Float(f64),
    /// A complex number: real part, imaginary part.
    Complex([f64; 2]),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Ragged>),
    /// A record: its fields in order.
    Record(Vec<(String, Ragged)>),
    /// A record whose fields have no names.
    Tuple(Vec<Ragged>),
}

/// Entries of all levels that one read makes at most.
const ENTRIES: usize = 1 << 24;

impl Awkward {
    /// Some of the outermost entries, rebuilt.
    ///
    /// # Errors
    /// `BadForm`, `LengthMismatch` and `MissingMember` where form and buffers do not go together; `ShapeMismatch` for
    /// entries that there are not; `BadForm` for more than 16,777,216 values in all levels, which are to be read in
    /// several parts; what the file below cannot give.
    pub fn read(&self, entries: Range<u64>) -> Result<Vec<Ragged>> {
        if entries.start > entries.end || entries.end > self.length {
            return broken(Rule::ShapeMismatch, &self.path, format!("entries {entries:?} of {}", self.length));
        }
        let node = Node::open(&self.parsed()?, self, self.length, true)?;
        let places: Vec<u64> = entries.collect();
        Build { path: &self.path, left: ENTRIES }.entries(&node, &places)
    }
}

struct Build<'a> {
    path: &'a str,
    /// Entries that may still be made.
    left: usize,
}

impl Build<'_> {
    fn spend(&mut self, entries: usize) -> Result<()> {
        match self.left.checked_sub(entries) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => broken(Rule::BadForm, self.path, format!("more than {ENTRIES} values are read at once")),
        }
    }

    /// The entries of a node at some places.
    fn entries(&mut self, node: &Node, places: &[u64]) -> Result<Vec<Ragged>> {
        self.spend(places.len())?;
        match node {
            Node::Empty => Ok(Vec::new()),
            Node::Numpy { values, inner_shape, is_bool } => {
                let each = inner_shape.iter().product::<u64>();
                self.spend(places.len().saturating_mul(each as usize))?;
                let numbers = if values.shape().len() == 1 {
                    values
                        .rows(&places.iter().flat_map(|place| place * each..(place + 1) * each).collect::<Vec<_>>())?
                } else {
                    values.rows(places)?
                };
                let numbers = self.numbers(numbers, *is_bool)?;
                Ok(if inner_shape.is_empty() { numbers } else { nested(numbers, inner_shape, places.len()) })
            }
            Node::Lists { bounds, content, of } => {
                let ranges: Vec<Range<u64>> = places.iter().map(|list| bounds.of(*list)).collect();
                let total = ranges.iter().fold(0, |total: u64, range| total.saturating_add(range.end - range.start));
                self.spend(usize::try_from(total).unwrap_or(usize::MAX))?;
                let inner: Vec<u64> = ranges.iter().cloned().flatten().collect();
                let mut inner = self.entries(content, &inner)?.into_iter();
                ranges
                    .into_iter()
                    .map(|range| self.list(inner.by_ref().take((range.end - range.start) as usize).collect(), *of))
                    .collect()
            }
            Node::Record { names, contents } => {
                let fields: Result<Vec<_>> = contents.iter().map(|node| self.entries(node, places)).collect();
                let mut fields: Vec<_> = fields?.into_iter().map(Vec::into_iter).collect();
                let mut values = || fields.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>();
                let record = |_: &u64| match names {
                    Some(names) => Ragged::Record(names.iter().cloned().zip(values()).collect()),
                    None => Ragged::Tuple(values()),
                };
                Ok(places.iter().map(record).collect())
            }
            Node::Indexed { index, content } => {
                let index: Vec<Option<u64>> = places.iter().map(|place| index[*place as usize]).collect();
                let mut inner =
                    self.entries(content, &index.iter().flatten().copied().collect::<Vec<_>>())?.into_iter();
                Ok(index.iter().map(|index| index.and_then(|_| inner.next()).unwrap_or(Ragged::Missing)).collect())
            }
            Node::Union { entries, contents } => {
                let entries: Vec<(usize, u64)> = places.iter().map(|place| entries[*place as usize]).collect();
                let mut of = Vec::new();
                for (tag, node) in contents.iter().enumerate() {
                    let places: Vec<u64> =
                        entries.iter().filter(|(other, _)| *other == tag).map(|(_, place)| *place).collect();
                    of.push(self.entries(node, &places)?.into_iter());
                }
                Ok(entries.iter().map(|(tag, _)| of[*tag].next().unwrap_or(Ragged::Missing)).collect())
            }
        }
    }

    fn numbers(&self, values: Values, is_bool: bool) -> Result<Vec<Ragged>> {
        macro_rules! integers {
            ($values:expr) => {
                $values
                    .into_iter()
                    .map(|n| if is_bool { Ragged::Bool(n != 0) } else { Ragged::Integer(n.into()) })
                    .collect()
            };
        }
        Ok(match values {
            Values::Bool(values) => values.into_iter().map(Ragged::Bool).collect(),
            Values::I8(values) => integers!(values),
            Values::I16(values) => integers!(values),
            Values::I32(values) => integers!(values),
            Values::I64(values) => integers!(values),
            Values::U8(values) => integers!(values),
            Values::U16(values) => integers!(values),
            Values::U32(values) => integers!(values),
            Values::U64(values) => integers!(values),
            Values::F16(values) => values.into_iter().map(|n| Ragged::Float(n.into())).collect(),
            Values::F32(values) => values.into_iter().map(|n| Ragged::Float(n.into())).collect(),
            Values::F64(values) => values.into_iter().map(Ragged::Float).collect(),
            Values::C64(values) => values.into_iter().map(|n| Ragged::Complex(n.map(f64::from))).collect(),
            Values::C128(values) => values.into_iter().map(Ragged::Complex).collect(),
            Values::String(_) | Values::Bytes(_) => {
                return broken(Rule::BadForm, self.path, "a buffer of text");
            }
        })
    }

    fn list(&self, entries: Vec<Ragged>, of: ListOf) -> Result<Ragged> {
        if of == ListOf::Entries {
            return Ok(Ragged::List(entries));
        }
        let byte = |entry: &Ragged| match entry {
            Ragged::Integer(byte) => u8::try_from(*byte).ok(),
            _ => None,
        };
        let bad = |rule, text: &str| Fault::new(rule, self.path, text);
        let bytes: Option<Vec<u8>> = entries.iter().map(byte).collect();
        let bytes = bytes.ok_or_else(|| bad(Rule::BadForm, "text that is not made of bytes"))?;
        Ok(match of {
            ListOf::Text => {
                Ragged::Text(String::from_utf8(bytes).map_err(|_| bad(Rule::BadText, "text that is not UTF-8"))?)
            }
            _ => Ragged::Bytes(bytes),
        })
    }
}

/// Values in lists of one length each, innermost dimension last.
fn nested(values: Vec<Ragged>, shape: &[u64], count: usize) -> Vec<Ragged> {
    let mut counts = vec![count];
    for n in shape {
        counts.push(counts[counts.len() - 1].saturating_mul(*n as usize));
    }
    let mut values = values;
    for (count, n) in counts.iter().zip(shape).rev() {
        let mut inner = values.into_iter();
        values = (0..*count).map(|_| Ragged::List(inner.by_ref().take(*n as usize).collect())).collect();
    }
    values
}
