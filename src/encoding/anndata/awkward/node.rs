//! Nodes of a form with their buffers, held against each other.

use super::super::array::Array;
use super::super::fault::{Result, Rule, broken};
use super::Awkward;
use super::form::{Class, Form, ListOf};

/// A node with all of its buffers but the values.
#[derive(Debug)]
pub(super) enum Node {
    /// Values; the shape of each.
    Numpy {
        values: Array,
        inner_shape: Vec<u64>,
        is_bool: bool,
    },
    Empty,
    /// The entries of each list in the content.
    Lists {
        bounds: Bounds,
        content: Box<Node>,
        of: ListOf,
    },
    Record {
        names: Option<Vec<String>>,
        contents: Vec<Node>,
    },
    /// The number of each entry in the content; `None` where it is missing.
    Indexed {
        index: Vec<Option<u64>>,
        content: Box<Node>,
    },
    /// For each entry its content and its number there.
    Union {
        entries: Vec<(usize, u64)>,
        contents: Vec<Node>,
    },
}

/// Where lists begin and end.
#[derive(Debug)]
pub(super) enum Bounds {
    Offsets(Vec<u64>),
    StartsStops(Vec<u64>, Vec<u64>),
    Regular(u64),
}

impl Bounds {
    /// The entries of a list.
    pub(super) fn of(&self, list: u64) -> std::ops::Range<u64> {
        let at = list as usize;
        match self {
            Self::Offsets(offsets) => offsets[at]..offsets[at + 1],
            Self::StartsStops(starts, stops) => starts[at]..stops[at],
            Self::Regular(size) => list.saturating_mul(*size)..(list + 1).saturating_mul(*size),
        }
    }
}

impl Node {
    /// Opens the buffers of a form of at least `length` entries. `outermost` where the length is that of the whole array.
    pub(super) fn open(form: &Form, array: &Awkward, length: u64, outermost: bool) -> Result<Self> {
        let load = Load { form, array, outermost };
        let inner = |content: &Form, length: u64| Self::open(content, array, length, false).map(Box::new);
        Ok(match &form.class {
            Class::Numpy { inner_shape, is_bool } => {
                let each = inner_shape.iter().fold(1, |each: u64, n| each.saturating_mul(*n));
                load.buffer("data", length.saturating_mul(each))?;
                let values = array.buffer_array(&load.name("data"))?;
                Self::Numpy { values, inner_shape: inner_shape.clone(), is_bool: *is_bool }
            }
            Class::Empty if length > 0 => return load.bad(&format!("{length} entries of nothing")),
            Class::Empty => Self::Empty,
            Class::ListOffset { content, of } => {
                let offsets = load.numbers("offsets", length.saturating_add(1))?;
                if !offsets.is_sorted() {
                    return load.bad("offsets that fall");
                }
                let content = inner(content, offsets.last().copied().unwrap_or(0))?;
                Self::Lists { bounds: Bounds::Offsets(offsets), content, of: *of }
            }
            Class::List { content, of } => {
                let (starts, stops) = (load.numbers("starts", length)?, load.numbers("stops", length)?);
                if starts.iter().zip(&stops).any(|(start, stop)| start > stop) {
                    return load.bad("lists that end before they begin");
                }
                let content = inner(content, stops.iter().max().copied().unwrap_or(0))?;
                Self::Lists { bounds: Bounds::StartsStops(starts, stops), content, of: *of }
            }
            Class::Regular { content, size, of } => {
                let content = inner(content, length.saturating_mul(*size))?;
                Self::Lists { bounds: Bounds::Regular(*size), content, of: *of }
            }
            Class::Record { names, contents } => {
                let contents: Result<_> = contents.iter().map(|form| Self::open(form, array, length, false)).collect();
                Self::Record { names: names.clone(), contents: contents? }
            }
            Class::Indexed { content } => {
                let index: Vec<_> =
                    load.integers("index", length)?.into_iter().map(|index| u64::try_from(index).ok()).collect();
                Self::indexed(index, |needed| inner(content, needed))?
            }
            Class::ByteMasked { content, valid_when } => {
                let mask = load.integers("mask", length)?;
                let valid = mask.into_iter().map(|byte| (byte != 0) == *valid_when);
                Self::indexed((0..).zip(valid).map(kept).collect(), |_| inner(content, length))?
            }
            Class::BitMasked { content, valid_when, least_first } => {
                let mask = load.integers("mask", length.div_ceil(8))?;
                let bit = |entry: u64| {
                    let bit = if *least_first { entry % 8 } else { 7 - entry % 8 };
                    (mask[(entry / 8) as usize] >> bit & 1 == 1) == *valid_when
                };
                let index = (0..length).map(|entry| kept((entry, bit(entry)))).collect();
                Self::indexed(index, |_| inner(content, length))?
            }
            Class::Unmasked { content } => return Self::open(content, array, length, false),
            Class::Union { contents } => {
                let (tags, index) = (load.numbers("tags", length)?, load.numbers("index", length)?);
                let entries: Vec<_> = tags.into_iter().map(|tag| tag as usize).zip(index).collect();
                if entries.iter().any(|(tag, _)| *tag >= contents.len()) {
                    return load.bad("tags without a content");
                }
                let needed = |tag: usize| {
                    entries.iter().filter(|(of, _)| *of == tag).map(|(_, index)| index.saturating_add(1)).max()
                };
                let contents: Result<_> = contents
                    .iter()
                    .enumerate()
                    .map(|(tag, form)| Self::open(form, array, needed(tag).unwrap_or(0), false))
                    .collect();
                Self::Union { entries, contents: contents? }
            }
        })
    }

    /// A node by the numbers of its entries in a content, which is opened for as many as are needed.
    fn indexed(index: Vec<Option<u64>>, open: impl FnOnce(u64) -> Result<Box<Self>>) -> Result<Self> {
        let needed = index.iter().flatten().max().map_or(0, |last| last.saturating_add(1));
        Ok(Self::Indexed { index, content: open(needed)? })
    }
}

fn kept((entry, valid): (u64, bool)) -> Option<u64> {
    valid.then_some(entry)
}

/// A node whose buffers are loaded.
struct Load<'a> {
    form: &'a Form,
    array: &'a Awkward,
    outermost: bool,
}

impl Load<'_> {
    fn name(&self, role: &str) -> String {
        format!("{}-{role}", self.form.key)
    }

    fn bad<T>(&self, text: &str) -> Result<T> {
        broken(Rule::BadForm, &self.array.path, format!("{}: {text}", self.form.key))
    }

    /// A buffer of at least so many entries.
    fn buffer(&self, role: &str, needed: u64) -> Result<crate::Dataset> {
        let name = self.name(role);
        let dataset = self.array.buffer(&name)?;
        if dataset.len() < needed {
            let text = format!("the buffer {name} has {} entries, and {needed} are needed", dataset.len());
            let rule = if self.outermost { Rule::LengthMismatch } else { Rule::BadForm };
            return broken(rule, &self.array.path, text);
        }
        Ok(dataset)
    }

    /// The first entries of a buffer.
    fn integers(&self, role: &str, needed: u64) -> Result<Vec<i64>> {
        Ok(self.buffer(role, needed)?.read(0..needed)?)
    }

    /// The same where none is negative.
    fn numbers(&self, role: &str, needed: u64) -> Result<Vec<u64>> {
        let numbers = self.integers(role, needed)?.into_iter().map(u64::try_from).collect();
        std::result::Result::or_else(numbers, |_| self.bad(&format!("{role} that are negative")))
    }
}
