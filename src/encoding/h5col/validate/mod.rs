//! The rules of the convention, and which are broken.

mod content;
mod list;
mod scalar;
mod search_index;
mod table;

use super::error::{Error, Result, Violation};
use super::table::Table;
use crate::object::Group;

/// How far a validation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Attributes, datatypes and shapes. No value is read.
    Metadata,
    /// Every value of the table and of its search indexes too. A column is in memory at a time.
    Values,
}

/// What a validation finds.
#[derive(Debug, Default)]
pub struct Findings {
    /// The broken rules.
    pub violations: Vec<Violation>,
    /// What could not be read, so that nothing is said about it.
    pub unread: Vec<crate::Error>,
}

/// Holds a group to the rules for tables.
///
/// # Errors
/// `File` where bytes have to be fetched first; everything else is a finding.
pub fn validate(group: &Group, depth: Depth) -> Result<Findings> {
    let mut found = Findings::default();
    let Some(table) = found.take(Table::open(group))? else { return Ok(found) };
    let mut check = Check { table: &table, depth, found };
    check.table()?;
    for column in table.all_columns() {
        match column {
            super::Column::Scalar(column) => check.scalar(column)?,
            super::Column::List(column) => check.list(column)?,
        }
    }
    check.categories()?;
    check.search_indexes()?;
    Ok(check.found)
}

impl Findings {
    /// What several ways lead to is said once.
    fn add(&mut self, violation: Violation) {
        if !self.violations.contains(&violation) {
            self.violations.push(violation);
        }
    }

    /// The result, or `None` where its error is a finding.
    fn take<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => return Ok(Some(value)),
            Err(Error::Rule(violation)) => self.add(*violation),
            Err(Error::File(e)) if !e.is_missing() => self.unread.push(e),
            Err(e) => return Err(e),
        }
        Ok(None)
    }
}

/// A validation under way.
struct Check<'t> {
    table: &'t Table,
    depth: Depth,
    found: Findings,
}

impl Check<'_> {
    fn add(&mut self, column: Option<&str>, violation: Violation) {
        self.found.add(violation.of(self.table.path(), column));
    }

    /// The result, or `None` where its error is a finding.
    fn take<T>(&mut self, column: Option<&str>, result: Result<T>) -> Result<Option<T>> {
        use super::error::InColumn;
        self.found.take(result.in_column(self.table.path(), column))
    }

    fn reads_values(&self) -> bool {
        self.depth == Depth::Values
    }
}
