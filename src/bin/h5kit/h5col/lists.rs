//! Lists as JSON.

use h5kit::File;
use h5kit::encoding::h5col::{Column, Data, Level, ListColumn, Result, Values};
use serde_json::Value;

use super::element::Writer;
use super::json::{self, Items, List};
use super::rows::Rows;
use crate::session::Done;

/// How the entries of a level are written.
pub enum Entries {
    /// Lists of others.
    Lists(Box<Self>),
    /// Strings.
    Strings,
    /// Single values.
    Leaf(Writer),
}

impl Entries {
    /// Those of a column.
    pub fn of(column: &ListColumn) -> Result<Self> {
        Ok(Self::new(&Level::Lists(column.level()?), column.group().file()))
    }

    fn new(level: &Level, file: &File) -> Self {
        match level {
            Level::Lists(level) => Self::Lists(Box::new(Self::new(&level.values, file))),
            Level::Strings(_) => Self::Strings,
            Level::Leaf(leaf) => Self::Leaf(Writer::new(file, leaf.datatype())),
        }
    }

    /// Writes an entry; null where it is missing.
    fn write(&self, values: &Values, entry: usize, list: &mut List<'_>) -> Done {
        match self {
            Self::Lists(inner) => match elements(values, entry) {
                None => list.item(&Value::Null),
                Some((values, mut elements)) => {
                    let lines = elements.clone().any(|element| inner.single(values, element).is_object());
                    list.list(lines, |list| elements.try_for_each(|element| inner.write(values, element, list)))
                }
            },
            Self::Strings | Self::Leaf(_) => list.item(&self.single(values, entry)),
        }
    }

    /// The value of an entry that is no list.
    fn single(&self, values: &Values, entry: usize) -> Value {
        match (self, &values.data) {
            (Self::Leaf(writer), _) => writer.value(values, entry),
            (Self::Strings, Data::Text(texts)) if !values.is_missing(entry) => json::maybe(texts.get(entry)),
            _ => Value::Null,
        }
    }

    /// An entry, without what comes after so many elements of its lists.
    pub fn beginning(&self, values: &Values, entry: usize, most: usize) -> Value {
        self.first(values, entry, &mut { most })
    }

    fn first(&self, values: &Values, entry: usize, left: &mut usize) -> Value {
        let Self::Lists(inner) = self else { return self.single(values, entry) };
        let Some((values, elements)) = elements(values, entry) else { return Value::Null };
        let mut some = Vec::new();
        for element in elements {
            if *left == 0 {
                break;
            }
            *left -= 1;
            some.push(inner.first(values, element, left));
        }
        some.into()
    }
}

/// The elements of a list, and where they are; `None` where it is missing.
fn elements(values: &Values, entry: usize) -> Option<(&Values, std::ops::Range<usize>)> {
    match &values.data {
        Data::List(lists) if !values.is_missing(entry) => {
            let [start, end] = lists.offsets.get(entry..entry + 2)? else { return None };
            // Offsets count elements that are in memory.
            Some((&lists.values, *start as usize..*end as usize))
        }
        _ => None,
    }
}

/// The lists of a column.
pub fn items(column: &ListColumn, nrows: u64) -> Result<Items> {
    let entries = Entries::of(column)?;
    let rows = Rows::read(&Column::List(column.clone()), nrows, |_| {})?;
    let write = move |list: &mut List<'_>| {
        rows.each(|values| (0..values.len()).try_for_each(|row| entries.write(values, row, list)))
    };
    Ok(Items { lines: false, write: Box::new(write) })
}
