//! Search indexes: what a table stores to find rows faster.
//!
//! They say nothing that the columns do not. One is trusted only where its tokens are those of the table and it has
//! the shape that its kind asks for; [`validate`](super::validate()) compares what it says with the column.

mod bitmap;
mod bloom;
mod chunk_min_max;
mod murmur3;
mod sorted_rows;

use std::ops::Range;

use super::attribute::{self, Token};
use super::column::ScalarColumn;
use super::error::{InColumn, Result, Rule, Violation};
use super::table::Table;
use crate::bytes::Text;
use crate::element::Reference;
use crate::error::ErrorKind;
use crate::object::{Dataset, Object};

pub use bitmap::{Bitmap, Bits};
pub use bloom::ChunkBloom;
pub(super) use bloom::{canonical, float_bytes, integer_bytes};
pub use chunk_min_max::{ChunkBounds, ChunkMinMax};
pub use sorted_rows::SortedRows;
pub(super) use sorted_rows::{Probe, block, order};

/// The kinds of search indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// Least and largest value of each chunk.
    ChunkMinMax,
    /// Row numbers in the order of their values.
    SortedRows,
    /// For each value the rows that have it.
    Bitmap,
    /// A Bloom filter of the values of each chunk.
    ChunkBloom,
    /// One that is not known here, and is ignored.
    Other(Text),
}

/// A search index of a table. Its content is read when it is asked for.
#[derive(Clone, Debug)]
pub struct SearchIndex {
    table: Table,
    name: Text,
    dataset: Dataset,
    kind: IndexKind,
    columns: Vec<Text>,
    source_generation: Token,
    source_nrows: Token,
}

/// What an index says.
#[derive(Clone, Debug)]
pub enum Content {
    /// Least and largest value of each chunk.
    ChunkMinMax(ChunkMinMax),
    /// Row numbers in the order of their values.
    SortedRows(SortedRows),
    /// For each value the rows that have it.
    Bitmap(Bitmap),
    /// A Bloom filter of the values of each chunk.
    ChunkBloom(ChunkBloom),
}

impl IndexKind {
    fn of(kind: &Text) -> Self {
        match kind.as_str() {
            Some("CHUNK_MINMAX") => Self::ChunkMinMax,
            Some("SORTED_ROWS") => Self::SortedRows,
            Some("BITMAP") => Self::Bitmap,
            Some("CHUNK_BLOOM") => Self::ChunkBloom,
            _ => Self::Other(kind.clone()),
        }
    }

    /// The convention's word for it.
    #[must_use]
    pub fn name(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::ChunkMinMax => "CHUNK_MINMAX".into(),
            Self::SortedRows => "SORTED_ROWS".into(),
            Self::Bitmap => "BITMAP".into(),
            Self::ChunkBloom => "CHUNK_BLOOM".into(),
            Self::Other(name) => name.display(),
        }
    }
}

/// All indexes of a table, by name.
pub(super) fn all(table: &Table) -> Result<Vec<SearchIndex>> {
    let Some(group) = table.reserved_group("SEARCH_INDEXES")? else { return Ok(Vec::new()) };
    let mut links = Vec::new();
    for column in table.all_columns().filter_map(|column| column.as_scalar()) {
        let listed = attribute::references(column.dataset().info(), "SEARCH_INDEX_LIST")?;
        links.extend(listed.unwrap_or_default().into_iter().map(|reference| (column.name().clone(), reference)));
    }
    let mut indexes = Vec::new();
    for link in group.links()? {
        let object = match link.and_then(|link| Ok((link.name().clone(), link.open()?))) {
            Ok(object) => object,
            Err(e) if e.is_missing() => return Err(e.into()),
            Err(_) => continue,
        };
        let (name, Object::Dataset(dataset)) = object else { continue };
        if dataset.info().has_attribute("KIND")? {
            indexes.push(SearchIndex::new(table, name, dataset, &links)?);
        }
    }
    Ok(indexes)
}

impl SearchIndex {
    fn new(table: &Table, name: Text, dataset: Dataset, links: &[(Text, Reference)]) -> Result<Self> {
        let info = dataset.info();
        let leads_here = |reference: &Reference| {
            reference.file().is_none() && reference.address().is_some_and(|address| table.is_at(info, address))
        };
        let mut columns: Vec<Text> =
            links.iter().filter(|(_, reference)| leads_here(reference)).map(|(column, _)| column.clone()).collect();
        columns.sort();
        columns.dedup();
        Ok(Self {
            kind: IndexKind::of(&attribute::text(info, "KIND")?.unwrap_or_default()),
            source_generation: Token::read(info, "SOURCE_GENERATION")?,
            source_nrows: Token::read(info, "SOURCE_NROWS")?,
            table: table.clone(),
            name,
            columns,
            dataset,
        })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// The dataset.
    #[must_use]
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &IndexKind {
        &self.kind
    }

    /// Names of the columns that link to it, which must be one.
    #[must_use]
    pub fn columns(&self) -> &[Text] {
        &self.columns
    }

    /// GENERATION of the table that the content describes.
    #[must_use]
    pub fn source_generation(&self) -> &Token {
        &self.source_generation
    }

    /// Number of rows that the content describes.
    #[must_use]
    pub fn source_nrows(&self) -> &Token {
        &self.source_nrows
    }

    /// Text of its `description`.
    ///
    /// # Errors
    /// `File`.
    pub fn description(&self) -> Result<Option<Text>> {
        Ok(attribute::text(self.dataset.info(), "description")?)
    }

    /// True where the content describes the table as it is now. Nothing is said about the content.
    ///
    /// # Errors
    /// `File`.
    pub fn is_valid(&self) -> Result<bool> {
        let nrows = Token::read(self.table.group().info(), "NROWS")?;
        let same = |a: &Token, b: &Token| a.value().is_some() && a == b;
        Ok(same(&self.source_generation, self.table.generation()) && same(&self.source_nrows, &nrows))
    }

    /// The column that it serves; `None` where that is none or several.
    #[must_use]
    pub fn column(&self) -> Option<&ScalarColumn> {
        let [name] = self.columns.as_slice() else { return None };
        self.table.all_columns().find(|column| column.name() == name)?.as_scalar()
    }

    /// What it says; `None` where it is not valid, serves no column or several, or is of a kind not known here.
    ///
    /// # Errors
    /// `Rule` where it lacks the shape of its kind, `File`.
    pub fn content(&self) -> Result<Option<Content>> {
        let (true, Some(column)) = (self.is_valid()?, self.column()) else { return Ok(None) };
        let open = || {
            Ok(Some(match &self.kind {
                IndexKind::ChunkMinMax => Content::ChunkMinMax(ChunkMinMax::open(&self.dataset, column)?),
                IndexKind::SortedRows => Content::SortedRows(SortedRows::open(&self.dataset, column)?),
                IndexKind::Bitmap => Content::Bitmap(Bitmap::open(&self.table, &self.dataset, column)?),
                IndexKind::ChunkBloom => Content::ChunkBloom(ChunkBloom::open(&self.dataset, column)?),
                IndexKind::Other(_) => return Ok(None),
            }))
        };
        open().in_column(self.table.path(), column.name().as_str())
    }
}

/// The chunks of a column that have rows of the table; a column that is not chunked counts as one.
pub(super) fn chunks(column: &ScalarColumn) -> u64 {
    match column.chunk_rows() {
        _ if column.nrows == 0 => 0,
        Some(rows) => column.nrows.div_ceil(rows.max(1)),
        None => 1,
    }
}

/// Bytes of an index that are read at once, unless one of its lines is longer.
const READ: u64 = 64 << 20;

/// The first `end` lines of a dataset, of so many bytes each, in blocks that are read together: whole chunks, unless
/// they are large.
fn blocks(dataset: &Dataset, end: u64, bytes: u64) -> impl Iterator<Item = Range<u64>> + use<> {
    let chunk = dataset.chunk_shape().and_then(|shape| shape.first().copied()).unwrap_or(1).max(1);
    let most = (READ / bytes.max(1)).max(1);
    let step = if most < chunk { most } else { most / chunk * chunk };
    (0..end.div_ceil(step)).map(move |n| n * step..(n + 1).saturating_mul(step).min(end))
}

/// The error that an index lacks the shape of its kind.
fn unusable(dataset: &Dataset, detail: impl Into<String>) -> super::Error {
    Violation::new(Rule::S5, dataset.path(), detail).into()
}

/// A number that an index must have.
fn number(dataset: &Dataset, name: &str) -> Result<u64> {
    match attribute::unsigned(dataset.info(), name)? {
        Some(n) => Ok(n),
        None => Err(unusable(dataset, format!("no {name}, or one that is no unsigned integer"))),
    }
}

/// Errors of the file that say that what is there has another shape become those of a rule.
fn shaped<T>(dataset: &Dataset, read: crate::Result<T>) -> Result<T> {
    read.map_err(|e| match e.kind() {
        ErrorKind::NotFound | ErrorKind::Type | ErrorKind::Selection => unusable(dataset, e.cause().to_string()),
        _ => e.into(),
    })
}
