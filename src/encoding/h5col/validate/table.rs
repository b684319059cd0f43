//! Rules for the table as a whole.

use std::collections::{BTreeMap, HashSet};

use super::Check;
use crate::bytes::Text;
use crate::encoding::h5col::attribute::{self, Token};
use crate::encoding::h5col::column::Column;
use crate::encoding::h5col::error::{Result, Rule, Violation};
use crate::encoding::h5col::list::member;
use crate::encoding::h5col::table::RESERVED_GROUPS;
use crate::object::{Object, Target};

/// Names that the convention reserves, and those that AnnData has for the same things.
const RESERVED: [&str; 30] = [
    "CATEGORIES",
    "SEARCH_INDEXES",
    "OFFSETS",
    "CHARS",
    "MASK",
    "CLASS",
    "VERSION",
    "NROWS",
    "TITLE",
    "INDEX_COLUMNS",
    "GENERATION",
    "SEARCH_INDEX_LIST",
    "valid_min",
    "valid_max",
    "KIND",
    "VALUES",
    "SOURCE_GENERATION",
    "SOURCE_NROWS",
    "COLUMN_TABLE",
    "LIST_COLUMN",
    "STRING_VALUES",
    "CHUNK_MINMAX",
    "SORTED_ROWS",
    "BITMAP",
    "CHUNK_BLOOM",
    "column-order",
    "_index",
    "encoding-type",
    "encoding-version",
    "ordered",
];

/// True for a name that nothing of the producer's may have.
pub(super) fn is_reserved(name: &Text) -> bool {
    RESERVED.iter().any(|reserved| *name == **reserved)
}

impl Check<'_> {
    pub(super) fn table(&mut self) -> Result<()> {
        let (path, info) = (self.table.path().to_owned(), self.table.group().info().clone());
        if let Token::Malformed(what) = Token::read(&info, "NROWS")? {
            self.add(None, Violation::new(Rule::T4, &path, format!("NROWS is {what}, not a scalar uint64")));
        }
        self.extents();
        self.column_order()?;
        self.index_columns()?;
        for foreign in self.table.foreign() {
            self.add(None, Violation::new(Rule::T8, &foreign.path, foreign.what.clone()));
        }
        for column in self.table.all_columns() {
            if is_reserved(column.name()) {
                let violation = Violation::new(Rule::T9, column.info().path(), "a column of a reserved name");
                self.add(column.name().as_str(), violation);
            }
        }
        for name in RESERVED_GROUPS {
            match member(self.table.group(), name) {
                Ok(None | Some(Object::Group(_))) => {}
                Ok(Some(other)) => {
                    let detail = format!("{name} is a {}, not a group", other.kind());
                    self.add(None, Violation::new(Rule::T9, other.path(), detail));
                }
                Err(e) => {
                    self.take(None, Err::<(), _>(e))?;
                }
            }
        }
        Ok(())
    }

    fn extents(&mut self) {
        let mut extents: BTreeMap<u64, Vec<&Column>> = BTreeMap::new();
        for column in self.table.all_columns() {
            if let Column::Scalar(scalar) = column {
                extents.entry(scalar.dataset().len()).or_default().push(column);
            }
        }
        let common = extents.iter().max_by_key(|(_, columns)| columns.len()).map_or(0, |(extent, _)| *extent);
        for (extent, columns) in extents.iter().filter(|(extent, _)| **extent != common) {
            for column in columns {
                let detail = format!("{extent} elements where others have {common}");
                self.add(column.name().as_str(), Violation::new(Rule::T5, column.info().path(), detail));
            }
        }
    }

    fn column_order(&mut self) -> Result<()> {
        let (path, info) = (self.table.path().to_owned(), self.table.group().info().clone());
        let Some(order) = self.table.column_order() else {
            if attribute::find(&info, "column-order")?.is_some() {
                self.add(None, Violation::new(Rule::T6, &path, "column-order holds no strings"));
            }
            return Ok(());
        };
        let mut times: BTreeMap<&Text, usize> = BTreeMap::new();
        for name in order {
            *times.entry(name).or_default() += 1;
        }
        for (name, n) in times {
            if n > 1 {
                self.add(None, Violation::new(Rule::T6, &path, format!("column-order names {name:?} {n} times")));
            }
            if !self.table.columns().iter().any(|column| column.name() == name) {
                let detail = format!("column-order names {name:?}, which is no column");
                self.add(None, Violation::new(Rule::T6, &path, detail));
            }
        }
        for column in self.table.unlisted_columns() {
            let violation = Violation::new(Rule::T6, &path, "column-order leaves it out");
            self.add(column.name().as_str(), violation);
        }
        Ok(())
    }

    fn index_columns(&mut self) -> Result<()> {
        let (path, info) = (self.table.path().to_owned(), self.table.group().info().clone());
        let Some(names) = self.take(None, self.table.index_columns())? else { return Ok(()) };
        let references = attribute::references(&info, "INDEX_COLUMNS")?.unwrap_or_default();
        for (level, reference) in references.iter().enumerate() {
            let fault = match self.table.referred(reference) {
                Some(Column::Scalar(_)) => continue,
                Some(Column::List(_)) => "leads to a list column",
                None if reference.is_null() => "is null",
                None => "leads to no column of the table",
            };
            self.add(None, Violation::new(Rule::T7, &path, format!("level {level} of INDEX_COLUMNS {fault}")));
        }
        let first = names.first().and_then(Option::as_deref);
        match (attribute::text(&info, "_index")?, first) {
            (Some(named), Some(first)) if named != *first => {
                let detail = format!("_index is {named:?}, INDEX_COLUMNS begins with {first:?}");
                self.add(None, Violation::new(Rule::T7, &path, detail));
            }
            _ => {}
        }
        Ok(())
    }

    /// The group of labels, which holds nothing else.
    pub(super) fn categories(&mut self) -> Result<()> {
        let group = self.table.reserved_group("CATEGORIES");
        let Some(Some(group)) = self.take(None, group)? else { return Ok(()) };
        let mut used = HashSet::new();
        for column in self.table.all_columns().filter_map(Column::as_scalar) {
            let references = attribute::references(column.dataset().info(), "CATEGORIES")?.unwrap_or_default();
            used.extend(references.iter().filter_map(|reference| reference.address()));
        }
        for link in group.links()? {
            let link = match link {
                Ok(link) => link,
                Err(e) => {
                    self.take(None, Err::<(), _>(e.into()))?;
                    continue;
                }
            };
            let fault = match (link.open(), link.target()) {
                (Ok(Object::Dataset(labels)), _) if labels.shape().len() != 1 => "not of one dimension",
                (Ok(Object::Dataset(_)), Target::Hard(address)) if used.contains(&address) => continue,
                (Ok(Object::Dataset(_)), _) => "no column refers to it",
                (Ok(_), _) => "no dataset of labels",
                (Err(e), _) if e.is_missing() => return Err(e.into()),
                (Err(_), _) => "leads nowhere",
            };
            self.add(None, Violation::new(Rule::K4, &link.path(), fault));
        }
        Ok(())
    }
}
