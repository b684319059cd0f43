//! Data frames: an index and columns of one length.

use crate::Dataset;
use crate::element::Reference;
use crate::format::message::datatype::{Class, ReferenceKind};
use crate::object::{Group, Object};

use super::array::Array;
use super::categorical::Categorical;
use super::element::{Element, Kind, Legacy, member};
use super::fault::{Result, Rule, broken};
use super::members::join;
use super::tagged::ordered;
use super::tags::{required_text, texts};
use super::untagged;
use super::values::{Source, Type, Values};

/// A data frame, opened but not read.
#[derive(Clone, Debug)]
pub struct DataFrame {
    path: String,
    index: String,
    columns: Vec<String>,
    rows: u64,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    /// A group whose columns say what they are.
    Group(Group),
    /// A group of version 0.1.0, whose columns are plain datasets.
    Plain(Group),
    /// A dataset of records; the categories of some columns.
    Records(Dataset, Vec<(String, Array)>),
}

impl DataFrame {
    /// A frame with attributes that name its columns, of version 0.1.0 if `plain`.
    pub(super) fn tagged(group: &Group, path: &str, plain: bool) -> Result<Self> {
        let index = required_text(group.info(), "_index", path)?;
        match texts(group.info(), "column-order", path)? {
            Some(columns) => Self::of_group(group, path, index, columns, plain),
            None => broken(Rule::MissingAttribute, path, "there is no attribute column-order"),
        }
    }

    /// A frame that is one by its attribute `_index`.
    pub(super) fn structural(group: &Group, path: &str) -> Result<Self> {
        let index = required_text(group.info(), "_index", path)?;
        let columns = match texts(group.info(), "column-order", path)? {
            Some(columns) => columns,
            None => {
                let names: crate::Result<Vec<_>> =
                    group.links()?.map(|link| Ok(link?.name().display().into_owned())).collect();
                names?.into_iter().filter(|name| *name != index && name != "__categories").collect()
            }
        };
        Self::of_group(group, path, index, columns, false)
    }

    fn of_group(group: &Group, path: &str, index: String, columns: Vec<String>, plain: bool) -> Result<Self> {
        let mut sorted: Vec<&String> = columns.iter().collect();
        sorted.sort();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return broken(Rule::DuplicateName, path, format!("the column {} is named twice", twice[0]));
        }
        let group = group.clone();
        let store = if plain { Store::Plain(group) } else { Store::Group(group) };
        let mut frame = Self { path: path.to_owned(), index, columns, rows: 0, store };
        let labels = frame.open_column(&frame.index)?;
        frame.rows = match labels.shape().as_deref() {
            Some(&[rows]) => rows,
            _ => return broken(Rule::WrongRank, &labels.path, "an index that is not one column"),
        };
        Ok(frame)
    }

    /// A frame that is a dataset of records; the first field is the index. Some columns are codes of categories.
    pub(super) fn records(dataset: &Dataset, path: &str, categories: Vec<(String, Array)>) -> Result<Self> {
        let &[rows] = dataset.shape() else {
            return broken(Rule::WrongRank, path, "records in more than one dimension, or in none");
        };
        let names = super::records::Records::new(dataset, path)?.names()?;
        let Some((index, columns)) = names.split_first() else {
            return broken(Rule::MissingMember, path, "records without a field");
        };
        Ok(Self {
            path: path.to_owned(),
            index: index.clone(),
            columns: columns.to_vec(),
            rows,
            store: Store::Records(dataset.clone(), categories),
        })
    }

    /// The path of the frame, without a slash at the beginning.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The name of the index.
    #[must_use]
    pub fn index_name(&self) -> &str {
        &self.index
    }

    /// The names of the columns in order, the index not among them.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The index: an element of one dimension.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn index(&self) -> Result<Element> {
        self.open_column(&self.index)
    }

    /// The labels of the rows as text, whatever they are stored as.
    ///
    /// # Errors
    /// What is wrong with the index; `BadType` where it is neither text nor integers.
    pub fn labels(&self) -> Result<Vec<String>> {
        let element = self.index()?;
        let no_text = || broken(Rule::BadType, &element.path, "labels that are neither text nor integers");
        match &element.kind {
            Kind::Categorical(labels) => Ok(labels.options(..)?.into_iter().map(Option::unwrap_or_default).collect()),
            Kind::NullableStrings(labels) => match labels.read(..)? {
                (Values::String(labels), _) => Ok(labels),
                _ => no_text(),
            },
            Kind::Array(labels) | Kind::StringArray(labels) => match labels.values(..)? {
                Values::String(labels) => Ok(labels),
                _ if labels.value_type().is_integer() => {
                    Ok(labels.read::<Vec<i128>>(..)?.iter().map(i128::to_string).collect())
                }
                _ => no_text(),
            },
            _ => no_text(),
        }
    }

    /// A column, by its name: an element of one dimension with as many entries as there are rows.
    ///
    /// # Errors
    /// `MissingMember` where there is none of this name; `WrongRank` and `LengthMismatch` where it does not fit; what
    /// else is wrong with it.
    pub fn column(&self, name: &str) -> Result<Element> {
        if !self.columns.iter().any(|column| column == name) {
            return broken(Rule::MissingMember, &join(&self.path, name), "there is no such column");
        }
        let column = self.open_column(name)?;
        match column.shape().as_deref() {
            Some(&[length]) if length == self.rows => Ok(column),
            Some(&[length]) => {
                let text = format!("{length} entries, and the index has {}", self.rows);
                broken(Rule::LengthMismatch, &column.path, text)
            }
            Some(shape) => broken(Rule::WrongRank, &column.path, format!("a column of shape {shape:?}")),
            None => broken(Rule::WrongKind, &column.path, format!("a column that is a {}", column.encoding())),
        }
    }

    fn open_column(&self, name: &str) -> Result<Element> {
        let path = join(&self.path, name);
        match &self.store {
            Store::Group(group) => Element::open(&member(group, name, &path)?, &path),
            Store::Plain(group) => match member(group, name, &path)? {
                Object::Dataset(dataset) => plain_column(&dataset, &path),
                other => broken(Rule::WrongKind, &path, format!("a column that is a {}", other.kind())),
            },
            Store::Records(dataset, categories) => {
                let field = Source::field(dataset, name)?;
                let mut element = match categories.iter().find(|(column, _)| column == name) {
                    Some((_, labels)) => {
                        let kind = Kind::Categorical(Categorical::new(&path, field, labels.clone(), false)?);
                        Element::legacy(&path, kind, Legacy::UnsCategories)
                    }
                    None => {
                        let array = Array::untagged(field, &path)?;
                        let text = array.value_type() == Type::String;
                        let kind = if text { Kind::StringArray(array) } else { Kind::Array(array) };
                        Element::legacy(&path, kind, Legacy::RecordField)
                    }
                };
                element.at = Some(dataset.path().trim_start_matches('/').to_owned());
                Ok(element)
            }
        }
    }
}

/// A column of version 0.1.0: codes whose attribute refers to their categories, or values.
fn plain_column(dataset: &Dataset, path: &str) -> Result<Element> {
    if !dataset.info().has_attribute("categories")? {
        return untagged::of_dataset(dataset, path);
    }
    let attribute = dataset.attribute("categories")?;
    let refers = matches!(
        attribute.datatype()?.class,
        Class::Reference { kind: ReferenceKind::Object | ReferenceKind::ObjectRevised, .. }
    );
    if !refers {
        return untagged::of_dataset(dataset, path);
    }
    let reference: Reference = attribute.read()?;
    let labels = match dataset.file().dereference(&reference) {
        Ok(Object::Dataset(labels)) if !reference.is_null() => labels,
        Err(e) if e.is_missing() => return Err(e.into()),
        _ => return broken(Rule::DanglingLink, path, "a reference to categories that leads to none"),
    };
    let ordered = ordered(labels.info(), path)?.unwrap_or(false);
    let labels = Array::untagged(Source::Dataset(labels), path)?;
    let kind = Kind::Categorical(Categorical::new(path, Source::Dataset(dataset.clone()), labels, ordered)?);
    Ok(Element::legacy(path, kind, Legacy::CategoriesRef))
}
