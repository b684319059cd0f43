//! Columns of a table.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use super::attribute;
use super::error::{InColumn, Result, Rule, Violation};
use super::kind::{Held, Kind};
use super::list::ListColumn;
use super::missing::Missing;
use super::rows::Rows;
use super::values::{self, Room, Values};
use crate::bytes::Text;
use crate::error::{ErrorKind, SelectionFault};
use crate::object::{Attribute, Dataset, Object, ObjectInfo};

/// A column: one value, or one list, for each row.
#[derive(Clone, Debug)]
pub enum Column {
    /// One value for each row.
    Scalar(ScalarColumn),
    /// A list for each row.
    List(ListColumn),
}

/// A column of one value for each row: a dataset.
#[derive(Clone, Debug)]
pub struct ScalarColumn {
    pub(super) table: Arc<str>,
    pub(super) name: Text,
    pub(super) dataset: Dataset,
    pub(super) nrows: u64,
    categorical: bool,
}

/// Attributes of a column that the convention gives a meaning.
pub(super) const KNOWN: [&str; 8] =
    ["SEARCH_INDEX_LIST", "CATEGORIES", "valid_min", "valid_max", "units", "units_vocabulary", "description", "MASK"];

/// The labels of a categorical column.
#[derive(Clone, Debug)]
pub struct Labels {
    pub(super) dataset: Dataset,
}

impl Column {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &Text {
        match self {
            Self::Scalar(column) => &column.name,
            Self::List(column) => column.name(),
        }
    }

    /// What it holds.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Scalar(column) => column.kind(),
            Self::List(column) => column.kind(),
        }
    }

    /// What is common to all objects: path and attributes.
    #[must_use]
    pub fn info(&self) -> &ObjectInfo {
        match self {
            Self::Scalar(column) => column.dataset.info(),
            Self::List(column) => column.group().info(),
        }
    }

    /// The column of single values.
    #[must_use]
    pub fn as_scalar(&self) -> Option<&ScalarColumn> {
        match self {
            Self::Scalar(column) => Some(column),
            Self::List(_) => None,
        }
    }

    /// Text of `units`, `units_vocabulary` or `description`.
    ///
    /// # Errors
    /// `File`.
    pub fn text(&self, attribute: &str) -> Result<Option<Text>> {
        Ok(attribute::text(self.info(), attribute)?)
    }

    /// Attributes of the producer, by name: those that the convention says nothing about.
    ///
    /// # Errors
    /// `File`.
    pub fn attributes(&self) -> Result<Vec<Attribute>> {
        let known: &[&str] = match self {
            Self::Scalar(_) => &KNOWN,
            Self::List(_) => &["CLASS", "KIND", "units", "units_vocabulary", "description"],
        };
        let mut found = Vec::new();
        for attribute in self.info().attributes()? {
            let attribute = attribute?;
            if known.iter().all(|name| *attribute.name() != **name) {
                found.push(attribute);
            }
        }
        Ok(found)
    }

    /// Reads some rows.
    ///
    /// # Errors
    /// `File` also for rows that the table does not have; `Rule` where what is needed breaks one.
    pub fn read(&self, rows: impl RangeBounds<u64>) -> Result<Values> {
        match self {
            Self::Scalar(column) => column.read(rows),
            Self::List(column) => column.read(rows),
        }
    }

    /// Reads a set of rows, in ascending order.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_rows(&self, rows: &Rows) -> Result<Values> {
        match self {
            Self::Scalar(column) => column.read_rows(rows),
            Self::List(column) => column.read_rows(rows),
        }
    }
}

impl ScalarColumn {
    pub(super) fn new(table: Arc<str>, name: Text, dataset: Dataset, nrows: u64) -> crate::Result<Self> {
        let categorical = dataset.info().has_attribute("CATEGORIES")?;
        Ok(Self { table, name, dataset, nrows, categorical })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// The dataset, which may be longer than the table.
    #[must_use]
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// What it holds.
    #[must_use]
    pub fn kind(&self) -> Kind {
        if self.categorical { Kind::Categorical } else { Kind::of(self.dataset.datatype()) }
    }

    /// Rows of a chunk; all rows where the dataset is not chunked.
    #[must_use]
    pub fn chunk_rows(&self) -> Option<u64> {
        self.dataset.chunk_shape().and_then(|shape| shape.first().copied())
    }

    pub(super) fn held(&self) -> Held {
        // Codes that are no integers are read where their values are.
        match (self.categorical, Held::of(self.dataset.datatype())) {
            (true, Held::Float) => Held::Signed,
            (_, held) => held,
        }
    }

    pub(super) fn missing(&self) -> crate::Result<Missing> {
        if self.categorical && self.held() != Held::of(self.dataset.datatype()) {
            return Ok(self.dataset.fill_value::<i128>()?.map_or(Missing::Never, Missing::Integer));
        }
        Missing::of(&self.dataset)
    }

    /// The labels of a categorical column; `None` for any other.
    ///
    /// # Errors
    /// `Rule` where the reference to them leads to no dataset of one dimension.
    pub fn labels(&self) -> Result<Option<Labels>> {
        if !self.categorical {
            return Ok(None);
        }
        let broken = |detail: String| {
            let violation = Violation::new(Rule::K3, self.dataset.path(), detail);
            violation.verdict(super::Verdict::Reject).of(&self.table, self.name.as_str())
        };
        let references = attribute::references(self.dataset.info(), "CATEGORIES")?;
        let Some([reference]) = references.as_deref() else {
            return Err(broken("CATEGORIES is not one reference".into()).into());
        };
        match self.dataset.file().dereference(reference) {
            Ok(Object::Dataset(dataset)) if dataset.shape().len() == 1 => Ok(Some(Labels { dataset })),
            Ok(other) => Err(broken(format!("CATEGORIES leads to a {}, not to labels", other.kind())).into()),
            Err(e) if e.is_missing() || e.kind() == ErrorKind::Io => Err(e.into()),
            Err(e) => Err(broken(format!("CATEGORIES leads nowhere: {e}")).into()),
        }
    }

    /// Reads some rows. Categorical columns and enumerations give codes.
    ///
    /// # Errors
    /// `File` also for rows that the table does not have; `Rule` where what is needed breaks one.
    pub fn read(&self, rows: impl RangeBounds<u64>) -> Result<Values> {
        self.read_rows(&checked(rows, self.nrows)?)
    }

    /// Reads a set of rows, in ascending order.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_rows(&self, rows: &Rows) -> Result<Values> {
        within(rows, self.nrows)?;
        let read = || {
            let (file, size) = (self.dataset.file(), self.dataset.datatype().size);
            values::possible(file, rows.len(), size)?;
            Room::of(file).values(rows.len(), self.held(), size)?;
            let data = values::read(&self.dataset, self.held(), rows)?;
            let missing = self.missing()?.among(&data, &self.dataset, rows)?;
            let values = Values { data, missing };
            self.check_codes(&values)?;
            Ok(values)
        };
        read().in_column(&self.table, self.name.as_str())
    }

    /// The labels in the place of codes that were read; for a column that is not categorical the values as they are.
    ///
    /// # Errors
    /// As [`labels`](Self::labels), and for labels that cannot be read.
    pub fn decoded(&self, values: Values) -> Result<Values> {
        let Some(labels) = self.labels()? else { return Ok(values) };
        let code = |row: usize| values.data.integer(row).and_then(|code| usize::try_from(code).ok());
        let place = |row: usize| if values.is_missing(row) { None } else { code(row) };
        // A missing code is the place of no label.
        let places: Vec<usize> = (0..values.len()).map(|row| place(row).unwrap_or(usize::MAX)).collect();
        Ok(labels.read()?.take(&places))
    }

    /// Codes that count no label are an error where they are read.
    fn check_codes(&self, values: &Values) -> Result<()> {
        if let Some(labels) = self.labels()? {
            let n = i128::from(labels.len());
            let wrong = (0..values.len()).find(|row| {
                !values.is_missing(*row) && !values.data.integer(*row).is_some_and(|code| (0..n).contains(&code))
            });
            if let Some(row) = wrong {
                let code = values.data.integer(row).map_or("a code".to_owned(), |code| format!("code {code}"));
                let detail = format!("{code}, which is neither the fill value nor one of {n} labels");
                return Err(Violation::new(Rule::K1, self.dataset.path(), detail).into());
            }
        }
        Ok(())
    }
}

impl Labels {
    /// The dataset of the labels.
    #[must_use]
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Number of labels.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.dataset.len()
    }

    /// True without a label.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dataset.is_empty()
    }

    /// All labels; the code of a label is its place.
    ///
    /// # Errors
    /// `File`; `Rule` for labels that are no booleans where they should be.
    pub fn read(&self) -> Result<Values> {
        let (file, held, size) = (self.dataset.file(), Held::of(self.dataset.datatype()), self.dataset.datatype().size);
        values::possible(file, self.len(), size)?;
        Room::of(file).values(self.len(), held, size)?;
        let data = values::read(&self.dataset, held, ..)?;
        Ok(Values { missing: vec![false; data.len()], data })
    }

    /// True where the order of the labels means something; `None` where nothing says so.
    ///
    /// # Errors
    /// `File`.
    pub fn ordered(&self) -> Result<Option<bool>> {
        Ok(attribute::boolean(self.dataset.info(), "ordered")?)
    }
}

/// The rows of a range that ends where the table does unless it says so.
pub(super) fn checked(rows: impl RangeBounds<u64>, nrows: u64) -> crate::Result<Rows> {
    let start = match rows.start_bound() {
        Bound::Included(n) => *n,
        Bound::Excluded(n) => n.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match rows.end_bound() {
        Bound::Included(n) => n.saturating_add(1),
        Bound::Excluded(n) => *n,
        Bound::Unbounded => nrows,
    };
    let rows = Rows::range(start..end);
    within(&rows, nrows)?;
    Ok(rows)
}

/// Refuses rows that the table does not have.
pub(super) fn within(rows: &Rows, nrows: u64) -> crate::Result<()> {
    let end = rows.end();
    if end > nrows { Err(SelectionFault::OutOfBounds { dimension: 0, end, extent: nrows }.into()) } else { Ok(()) }
}
