//! The rules of the convention, and which are broken.

mod content;
mod list;
mod scalar;
mod search_index;
mod table;

use std::collections::{HashMap, HashSet};

use super::error::{Error, Result, Rule, Violation};
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

/// Violations of one rule by one object that are told.
const TOLD: usize = 1000;

/// What a validation finds.
#[derive(Debug, Default)]
pub struct Findings {
    /// The broken rules. Of one rule and one object only the first thousand are told, and then how many more there are.
    pub violations: Vec<Violation>,
    /// What could not be read, so that nothing is said about it.
    pub unread: Vec<crate::Error>,
}

/// Holds a group to the rules for tables.
///
/// # Errors
/// `File` where bytes have to be fetched first; everything else is a finding.
pub fn validate(group: &Group, depth: Depth) -> Result<Findings> {
    let mut found = Finder::default();
    let Some(table) = found.take(Table::open(group))? else { return Ok(found.findings()) };
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
    Ok(check.found.findings())
}

/// Findings that are being made.
#[derive(Debug, Default)]
struct Finder {
    found: Findings,
    told: HashMap<(Rule, String), Told>,
}

/// What was told of one rule and one object.
#[derive(Debug, Default)]
struct Told {
    violations: HashSet<Violation>,
    /// Violations that are left out, and the place of the line that says so.
    more: Option<(u64, usize)>,
}

impl Finder {
    /// What several ways lead to is said once.
    fn add(&mut self, violation: Violation) {
        let told = self.told.entry((violation.rule, violation.path.clone())).or_default();
        if told.violations.contains(&violation) {
            return;
        }
        match &mut told.more {
            Some((count, _)) => *count += 1,
            None => {
                if told.violations.len() < TOLD {
                    told.violations.insert(violation.clone());
                } else {
                    told.more = Some((1, self.found.violations.len()));
                }
                self.found.violations.push(violation);
            }
        }
    }

    /// All that was found.
    fn findings(mut self) -> Findings {
        for (count, place) in self.told.into_values().filter_map(|told| told.more) {
            if let Some(line) = self.found.violations.get_mut(place) {
                line.detail = format!("{count} more like those before");
            }
        }
        self.found
    }

    /// The result, or `None` where its error is a finding.
    fn take<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => return Ok(Some(value)),
            Err(Error::Rule(violation)) => self.add(*violation),
            Err(Error::File(e)) if !e.is_missing() => self.found.unread.push(e),
            Err(e) => return Err(e),
        }
        Ok(None)
    }
}

/// A validation under way.
struct Check<'t> {
    table: &'t Table,
    depth: Depth,
    found: Finder,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_violations_are_counted() {
        let mut found = Finder::default();
        let of = |rule, path: &str, n: u64| Violation::new(rule, path, format!("fault {n}"));
        for n in 0..200_000 {
            found.add(of(Rule::S6, "/t/i", n));
            // Said already.
            found.add(of(Rule::S6, "/t/i", n % 10));
        }
        found.add(of(Rule::S5, "/t/i", 0));
        found.add(of(Rule::S6, "/t/j", 0));
        let violations = found.findings().violations;
        let details: Vec<&str> = violations.iter().map(|violation| violation.detail.as_str()).collect();
        assert_eq!(details.len(), 1003);
        assert_eq!(details[..2], ["fault 0", "fault 1"]);
        assert_eq!(details[999..], ["fault 999", "199000 more like those before", "fault 0", "fault 0"]);
    }
}
