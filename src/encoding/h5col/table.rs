//! Tables: groups whose children are columns.

use std::collections::HashSet;
use std::sync::Arc;

use super::attribute::{self, Token};
use super::column::{Column, ScalarColumn};
use super::error::{Fault, InColumn, Result, Rule, Verdict, Violation};
use super::index::SearchIndex;
use super::list::{self, ListColumn};
use crate::bytes::Text;
use crate::element::Reference;
use crate::error::ErrorKind;
use crate::object::{File, Group, Link, Object, ObjectInfo, Target};

/// The largest major version that is read.
const MAJOR: u64 = 1;

/// The group of labels, and that of search indexes: no columns.
pub(super) const RESERVED_GROUPS: [&str; 2] = ["CATEGORIES", "SEARCH_INDEXES"];

/// A table. Opening one reads metadata only.
#[derive(Clone, Debug)]
pub struct Table {
    parts: Arc<Parts>,
}

#[derive(Debug)]
struct Parts {
    group: Group,
    version: Text,
    nrows: u64,
    generation: Token,
    order: Option<Vec<Text>>,
    columns: Vec<Column>,
    unlisted: Vec<Column>,
    foreign: Vec<Foreign>,
}

/// Something below a table that is neither column nor labels nor index.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Its path.
    pub path: String,
    /// What it is.
    pub what: String,
}

/// The groups of a file that are tables, by path in byte order. They are found by visiting all groups.
///
/// # Errors
/// `File` for a group that cannot be listed.
pub fn tables(file: &File) -> Result<Vec<Group>> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([file.root().info().address()]);
    let mut groups = vec![file.root()];
    while let Some(group) = groups.pop() {
        let mut below = Vec::new();
        for link in group.links()? {
            let link = match link {
                Ok(link) => link,
                Err(e) if e.is_missing() => return Err(e.into()),
                Err(_) => continue,
            };
            // Other links lead to what hard links lead to as well, or to other files.
            let Target::Hard(address) = link.target() else { continue };
            if seen.contains(&address) {
                continue;
            }
            match link.open() {
                Ok(Object::Group(child)) => {
                    seen.insert(address);
                    below.push(child);
                }
                Err(e) if e.is_missing() => return Err(e.into()),
                Ok(_) | Err(_) => {}
            }
        }
        groups.extend(below.into_iter().rev());
        if attribute::says(group.info(), "CLASS", "COLUMN_TABLE")? {
            found.push(group);
        }
    }
    found.sort_by(|a, b| a.path().as_bytes().cmp(b.path().as_bytes()));
    Ok(found)
}

impl Table {
    /// Opens the table that a group is.
    ///
    /// # Errors
    /// `Rule` where the group is no table, of a version that is not read here, has no row count, or a column that is
    /// shorter than it; `File`.
    pub fn open(group: &Group) -> Result<Self> {
        Self::parts(group).in_column(group.path(), None).map(|parts| Self { parts: Arc::new(parts) })
    }

    fn parts(group: &Group) -> Result<Parts> {
        let (info, path) = (group.info(), group.path());
        if !attribute::says(info, "CLASS", "COLUMN_TABLE")? {
            return Err(Violation::new(Rule::T1, path, "CLASS is not COLUMN_TABLE").into());
        }
        let version = version(group)?;
        let nrows = nrows(group)?;
        let order = attribute::texts(info, "column-order")?;
        let table: Arc<str> = Arc::from(path);
        let mut columns = Vec::new();
        let mut foreign = Vec::new();
        for link in group.links()? {
            match link {
                Ok(link) if RESERVED_GROUPS.iter().any(|name| *link.name() == **name) => {}
                Ok(link) => match child(&table, &link, nrows)? {
                    Ok(column) => columns.push(column),
                    Err(what) => foreign.push(Foreign { path: link.path(), what }),
                },
                Err(e) if e.is_missing() => return Err(e.into()),
                Err(e) => foreign.push(Foreign { path: path.to_owned(), what: e.to_string() }),
            }
        }
        for column in columns.iter().filter_map(Column::as_scalar) {
            let extent = column.dataset().len();
            if extent < nrows {
                let detail = format!("{extent} elements for {nrows} rows");
                let violation = Violation::new(Rule::T5, column.dataset().path(), detail).verdict(Verdict::Reject);
                return Err(violation.of(path, column.name().as_str()).into());
            }
        }
        let (columns, unlisted) = in_order(columns, order.as_deref());
        let generation = Token::read(info, "GENERATION")?;
        Ok(Parts { group: group.clone(), version, nrows, generation, order, columns, unlisted, foreign })
    }

    /// The group.
    #[must_use]
    pub fn group(&self) -> &Group {
        &self.parts.group
    }

    /// Path of the group.
    #[must_use]
    pub fn path(&self) -> &str {
        self.parts.group.path()
    }

    /// Text of VERSION.
    #[must_use]
    pub fn version(&self) -> &Text {
        &self.parts.version
    }

    /// Number of rows. Columns may be longer: what follows is reserved storage and means nothing.
    #[must_use]
    pub fn nrows(&self) -> u64 {
        self.parts.nrows
    }

    /// GENERATION, which changes with every change of the table.
    #[must_use]
    pub fn generation(&self) -> &Token {
        &self.parts.generation
    }

    /// Text of an attribute of the table: `TITLE`, `description`, `units_vocabulary`, `_index` …
    ///
    /// # Errors
    /// `File`.
    pub fn text(&self, attribute: &str) -> Result<Option<Text>> {
        Ok(attribute::text(self.parts.group.info(), attribute)?)
    }

    /// Names of the attribute `column-order`, as they stand there.
    #[must_use]
    pub fn column_order(&self) -> Option<&[Text]> {
        self.parts.order.as_deref()
    }

    /// The columns, in the order that the table gives them; by name where it gives none. What `column-order` leaves
    /// out is not among them.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.parts.columns
    }

    /// Columns that `column-order` leaves out, which it must not.
    #[must_use]
    pub fn unlisted_columns(&self) -> &[Column] {
        &self.parts.unlisted
    }

    /// The column of a name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.parts.columns.iter().find(|column| *column.name() == *name)
    }

    /// What is directly below the table and is none of its parts.
    #[must_use]
    pub fn foreign(&self) -> &[Foreign] {
        &self.parts.foreign
    }

    /// Names of the columns that label the rows, outermost level first; `None` for a null reference.
    ///
    /// # Errors
    /// `Rule` where the attribute holds no references; `File`.
    pub fn index_columns(&self) -> Result<Vec<Option<String>>> {
        let info = self.parts.group.info();
        let Some(attribute) = attribute::find(info, "INDEX_COLUMNS")? else { return Ok(Vec::new()) };
        let Some(references) = attribute::references(info, "INDEX_COLUMNS")? else {
            let detail = format!("INDEX_COLUMNS is {}, not references", attribute.datatype()?);
            return Err(Violation::new(Rule::T7, self.path(), detail).of(self.path(), None).into());
        };
        references.iter().map(|reference| self.name_of(reference)).collect()
    }

    /// Last part of the path of what a reference leads to.
    fn name_of(&self, reference: &Reference) -> Result<Option<String>> {
        if let Some(column) = self.referred(reference) {
            return Ok(Some(column.name().to_string()));
        }
        let path = self.parts.group.file().path_of(reference)?;
        Ok(path.map(|path| path.rsplit('/').next().unwrap_or(path).to_owned()))
    }

    /// The column that a reference leads to.
    pub(super) fn referred(&self, reference: &Reference) -> Option<&Column> {
        let address = reference.address().filter(|_| reference.file().is_none())?;
        self.all_columns().find(|column| self.is_at(column.info(), address))
    }

    /// True where an object of this file is at an address; links of other files lead to objects of theirs.
    pub(super) fn is_at(&self, object: &ObjectInfo, address: u64) -> bool {
        object.address() == address && object.file().is(self.parts.group.file())
    }

    pub(super) fn all_columns(&self) -> impl Iterator<Item = &Column> {
        self.parts.columns.iter().chain(&self.parts.unlisted)
    }

    /// The search indexes, by name. No content is read.
    ///
    /// # Errors
    /// `File`.
    pub fn search_indexes(&self) -> Result<Vec<SearchIndex>> {
        super::index::all(self)
    }

    /// The group of that name, one of the two reserved ones.
    pub(super) fn reserved_group(&self, name: &str) -> Result<Option<Group>> {
        match list::member(&self.parts.group, name)? {
            Some(Object::Group(group)) => Ok(Some(group)),
            _ => Ok(None),
        }
    }
}

/// VERSION, where it is one that can be read.
fn version(group: &Group) -> Result<Text> {
    let path = group.path();
    if attribute::find(group.info(), "VERSION")?.is_none() {
        return Err(Violation::new(Rule::T2, path, "no VERSION").fault(Fault::MissingAttribute).into());
    }
    let Some(version) = attribute::text(group.info(), "VERSION")? else {
        return Err(Violation::new(Rule::T2, path, "VERSION is no string").into());
    };
    let part = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<u64>().ok()).flatten();
    let parts: Option<Vec<u64>> = version.as_str().and_then(|text| text.split('.').map(part).collect());
    match parts.as_deref().and_then(<[u64]>::first) {
        Some(major) if *major <= MAJOR => Ok(version),
        Some(_) => Err(Violation::new(Rule::T3, path, format!("VERSION is {version}")).into()),
        None => Err(Violation::new(Rule::T2, path, format!("VERSION is {version:?}")).into()),
    }
}

/// NROWS of whatever integer datatype, where it is one number.
fn nrows(group: &Group) -> Result<u64> {
    let broken = |detail: String| Violation::new(Rule::T4, group.path(), detail).verdict(Verdict::Reject);
    let Some(attribute) = attribute::find(group.info(), "NROWS")? else {
        return Err(broken("no NROWS".into()).fault(Fault::MissingAttribute).into());
    };
    match attribute::unsigned(group.info(), "NROWS")? {
        Some(nrows) => Ok(nrows),
        None => Err(broken(format!("NROWS is {}, not one row count", attribute.datatype()?)).into()),
    }
}

/// The column that a link leads to, or what else it leads to.
fn child(table: &Arc<str>, link: &Link, nrows: u64) -> Result<std::result::Result<Column, String>> {
    let name = link.name().clone();
    match link.open() {
        Ok(Object::Dataset(dataset)) if dataset.shape().len() == 1 => {
            Ok(Ok(Column::Scalar(ScalarColumn::new(table.clone(), name, dataset, nrows)?)))
        }
        Ok(Object::Dataset(dataset)) => Ok(Err(format!("a dataset of {} dimensions", dataset.shape().len()))),
        Ok(Object::Group(group)) if attribute::says(group.info(), "CLASS", "LIST_COLUMN")? => {
            Ok(Ok(Column::List(ListColumn::new(table.clone(), name, group, nrows)?)))
        }
        Ok(Object::Group(_)) => Ok(Err("a group that is no list column".into())),
        Ok(Object::NamedDatatype(_)) => Ok(Err("a committed datatype".into())),
        Err(e) if e.is_missing() || e.kind() == ErrorKind::Limit => Err(e.into()),
        Err(e) => Ok(Err(e.to_string())),
    }
}

/// The columns that the order names, in that order, and the others.
fn in_order(columns: Vec<Column>, order: Option<&[Text]>) -> (Vec<Column>, Vec<Column>) {
    let Some(order) = order else { return (columns, Vec::new()) };
    let places: std::collections::HashMap<&Text, usize> = order.iter().rev().zip((0..order.len()).rev()).collect();
    let mut listed = Vec::new();
    let mut unlisted = Vec::new();
    for column in columns {
        match places.get(column.name()) {
            Some(place) => listed.push((*place, column)),
            None => unlisted.push(column),
        }
    }
    listed.sort_by_key(|(place, _)| *place);
    (listed.into_iter().map(|(_, column)| column).collect(), unlisted)
}
