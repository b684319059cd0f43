//! Rules for search indexes.

use std::collections::HashSet;

use super::table::is_reserved;
use super::{Check, content};
use crate::element::Reference;
use crate::encoding::h5col::attribute::{self, Token, is_string};
use crate::encoding::h5col::column::Column;
use crate::encoding::h5col::error::{Fault, Result, Rule, Verdict, Violation};
use crate::encoding::h5col::index::{Bitmap, IndexKind, SearchIndex};
use crate::error::ErrorKind;
use crate::format::message::datatype::Class;
use crate::object::Object;

impl Check<'_> {
    pub(super) fn search_indexes(&mut self) -> Result<()> {
        let Some(indexes) = self.take(None, self.table.search_indexes())? else { return Ok(()) };
        self.links_to(&indexes)?;
        self.members_of_indexes(&indexes)?;
        if !indexes.is_empty() {
            let path = self.table.path().to_owned();
            if let Some(what) = fault(self.table.generation()) {
                self.add(None, Violation::new(Rule::S2, &path, format!("GENERATION {what}")));
            }
        }
        for index in &indexes {
            self.search_index(index)?;
        }
        Ok(())
    }

    /// The references of columns to indexes.
    fn links_to(&mut self, indexes: &[SearchIndex]) -> Result<()> {
        let addresses: HashSet<u64> = indexes.iter().map(|index| index.dataset().info().address()).collect();
        for column in self.table.all_columns().filter_map(Column::as_scalar) {
            let (info, name) = (column.dataset().info(), column.name().as_str());
            if attribute::find(info, "SEARCH_INDEX_LIST")?.is_none() {
                continue;
            }
            let Some(references) = attribute::references(info, "SEARCH_INDEX_LIST")? else {
                let detail = "SEARCH_INDEX_LIST holds no references";
                self.add(name, Violation::new(Rule::S3, info.path(), detail));
                continue;
            };
            for (i, reference) in references.iter().enumerate() {
                if !in_this_file(reference).is_some_and(|address| addresses.contains(&address)) {
                    let fault = if reference.is_null() { "is null" } else { "leads to no index of the table" };
                    let detail = format!("reference {i} of SEARCH_INDEX_LIST {fault}");
                    self.add(name, Violation::new(Rule::S3, info.path(), detail));
                }
            }
        }
        Ok(())
    }

    /// What is in the group of indexes and is none.
    fn members_of_indexes(&mut self, indexes: &[SearchIndex]) -> Result<()> {
        let group = self.table.reserved_group("SEARCH_INDEXES");
        let Some(Some(group)) = self.take(None, group)? else { return Ok(()) };
        let mut needed: HashSet<u64> = HashSet::new();
        for index in indexes {
            for attribute in attribute::sound(index.dataset().attributes()?)? {
                if matches!(attribute.datatype()?.class, Class::Reference { .. }) {
                    match attribute.read::<Vec<Reference>>() {
                        Ok(references) => needed.extend(references.iter().filter_map(in_this_file)),
                        Err(e) if e.is_missing() => return Err(e.into()),
                        Err(_) => {}
                    }
                }
            }
        }
        for link in group.links()? {
            let opened = link.and_then(|link| Ok((link.path(), link.name().clone(), link.open()?)));
            let fault = match opened {
                Ok((path, name, _)) if is_reserved(&name) => {
                    self.add(None, Violation::new(Rule::T9, &path, "an index of a reserved name"));
                    continue;
                }
                Ok((path, _, Object::Dataset(dataset))) => {
                    let known = dataset.info().has_attribute("KIND")? || needed.contains(&dataset.info().address());
                    if known {
                        continue;
                    }
                    (path, "a dataset without KIND that no index needs")
                }
                Ok((path, ..)) => (path, "no dataset"),
                Err(e) if e.kind() == ErrorKind::NotFound => (group.path().to_owned(), "a link that leads nowhere"),
                Err(e) => {
                    self.take(None, Err::<(), _>(e.into()))?;
                    continue;
                }
            };
            self.add(None, Violation::new(Rule::S1, &fault.0, fault.1));
        }
        Ok(())
    }

    fn search_index(&mut self, index: &SearchIndex) -> Result<()> {
        let (dataset, columns) = (index.dataset(), index.columns());
        let path = dataset.path();
        let name = columns.first().and_then(|column| column.as_str()).filter(|_| columns.len() == 1);
        let kind = dataset.attribute("KIND")?.datatype()?;
        if !is_string(&kind) {
            self.add(name, Violation::new(Rule::S1, path, format!("KIND is {kind}, not a string")));
        } else if !matches!(kind.class, Class::String { .. }) {
            let violation = Violation::new(Rule::S1, path, format!("KIND is {kind}, not of fixed length"));
            self.add(name, violation.fault(Fault::BadAttribute).verdict(Verdict::Tolerate));
        }
        for (attribute, token) in
            [("SOURCE_GENERATION", index.source_generation()), ("SOURCE_NROWS", index.source_nrows())]
        {
            if let Some(what) = fault(token) {
                self.add(name, Violation::new(Rule::S2, path, format!("{attribute} {what}")));
            }
        }
        if columns.len() > 1 {
            self.add(None, Violation::new(Rule::S4, path, format!("it serves {} columns: {columns:?}", columns.len())));
        }
        if *index.kind() == IndexKind::Bitmap {
            match Bitmap::values_of(self.table, dataset) {
                Ok(values) if values.info().has_attribute("KIND")? => {
                    self.add(name, Violation::new(Rule::S7, path, "its values have a KIND of their own"));
                }
                Err(e) if e.is_missing() => return Err(e),
                // What is wrong with them is found where the content is opened.
                Ok(_) | Err(_) => {}
            }
        }
        // What is stale says nothing that has to be so.
        let Some(Some(content)) = self.take(name, index.content())? else { return Ok(()) };
        if let (true, Some(column)) = (self.reads_values(), index.column()) {
            let held = content::hold(&content, dataset, column, &mut |violation| self.add(name, violation));
            self.take(name, held)?;
        }
        Ok(())
    }
}

/// The address that a reference leads to in this file.
fn in_this_file(reference: &Reference) -> Option<u64> {
    reference.address().filter(|_| reference.file().is_none())
}

/// What is wrong with a token.
fn fault(token: &Token) -> Option<String> {
    match token {
        Token::Value(_) => None,
        Token::Absent => Some("is not there".into()),
        Token::Malformed(what) => Some(format!("is {what}, not a scalar uint64")),
    }
}
