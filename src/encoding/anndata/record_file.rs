//! Files of before version 0.7, whose `obs` and `var` are datasets of records.

use std::collections::BTreeSet;

use crate::Dataset;
use crate::object::{Group, Object};

use super::array::Array;
use super::container::ALIGNED;
use super::element::{Element, Kind, Legacy, member};
use super::fault::{Fault, Result, Rule, broken};
use super::frame::DataFrame;
use super::members::Members;
use super::records::Records;
use super::values::{Source, Type};

/// The end of the names under which `uns` holds the categories of columns.
const CATEGORIES: &str = "_categories";

/// The whole, its members, `obs` and `var`.
pub(super) fn open(group: &Group) -> Result<(Element, Members, DataFrame, DataFrame)> {
    let names: crate::Result<Vec<String>> =
        group.links()?.map(|link| Ok(link?.name().display().into_owned())).collect();
    let names: BTreeSet<String> = names?.into_iter().collect();
    let (obs, var) = (records(group, "obs")?, records(group, "var")?);
    let uns = match names.contains("uns").then(|| member(group, "uns", "uns")).transpose()? {
        Some(Object::Group(uns)) => Some(uns),
        _ => None,
    };
    let found = uns.as_ref().map_or_else(|| Ok(Consumed::default()), |uns| Consumed::find(uns, &obs, &var))?;
    let obs = DataFrame::records(&obs, "obs", found.obs)?;
    let var = DataFrame::records(&var, "var", found.var)?;
    let mut elements = vec![frame("obs", &obs, "obs"), frame("var", &var, "var")];
    for name in names.iter().filter(|name| !name.starts_with("raw.") && !["obs", "var"].contains(&name.as_str())) {
        let object = member(group, name, name)?;
        elements.push(match (&object, &uns) {
            (Object::Dataset(dataset), _) if ALIGNED.contains(&name.as_str()) && is_records(dataset) => {
                let kind = Kind::Dict(Members::of_records(dataset, name));
                Element::legacy(name, kind, Legacy::RecordMapping)
            }
            (Object::Group(_), Some(uns)) if name == "uns" => {
                let kind = Kind::Dict(Members::of_part(uns, name, found.names.clone(), None));
                Element::legacy(name, kind, Legacy::Untagged)
            }
            _ => Element::open(&object, name)?,
        });
    }
    if names.contains("raw.X") {
        elements.retain(|element| element.path != "raw");
        elements.push(raw(group, &names)?);
    }
    let members = Members::listed(elements, "");
    let mut element = Element::legacy("", Kind::AnnData(members.clone()), Legacy::RecordFile);
    element.warnings = found.warnings;
    Ok((element, members, obs, var))
}

fn frame(path: &str, frame: &DataFrame, at: &str) -> Element {
    let mut element = Element::legacy(path, Kind::DataFrame(frame.clone()), Legacy::RecordDataframe);
    element.at = (at != path).then(|| at.to_owned());
    element
}

fn records(group: &Group, name: &str) -> Result<Dataset> {
    match member(group, name, name)? {
        Object::Dataset(dataset) if is_records(&dataset) => Ok(dataset),
        other => broken(Rule::WrongKind, name, format!("a {} where records should be", other.kind())),
    }
}

fn is_records(dataset: &Dataset) -> bool {
    Type::of(dataset.datatype()).is_none() && !dataset.datatype().members().is_empty()
}

/// `raw` of members whose names begin with it.
fn raw(group: &Group, names: &BTreeSet<String>) -> Result<Element> {
    let mut elements = Vec::new();
    for name in ["X", "var", "varm"] {
        let (at, path) = (format!("raw.{name}"), format!("raw/{name}"));
        if !names.contains(&at) {
            continue;
        }
        let object = member(group, &at, &path)?;
        let mut element = match (name, &object) {
            ("var", Object::Dataset(dataset)) if is_records(dataset) => {
                frame(&path, &DataFrame::records(dataset, &path, Vec::new())?, &at)
            }
            ("varm", Object::Dataset(dataset)) if is_records(dataset) => {
                let kind = Kind::Dict(Members::of_records(dataset, &path));
                Element::legacy(&path, kind, Legacy::RecordMapping)
            }
            ("varm", Object::Group(varm)) => {
                let kind = Kind::Dict(Members::of_part(varm, &path, Vec::new(), Some(at.clone())));
                Element::legacy(&path, kind, Legacy::Untagged)
            }
            _ => Element::open(&object, &path)?,
        };
        element.at = Some(at);
        elements.push(element);
    }
    Ok(Element::legacy("raw", Kind::Raw(Members::listed(elements, "raw")), Legacy::RawDot))
}

/// Categories of columns that are kept in `uns`.
#[derive(Default)]
struct Consumed {
    /// Their names in `uns`.
    names: Vec<String>,
    obs: Vec<(String, Array)>,
    var: Vec<(String, Array)>,
    /// Columns whose codes are no numbers of what seems to be their categories.
    warnings: Vec<Fault>,
}

impl Consumed {
    /// A key of `uns` that ends in `_categories` holds the categories of a column where all codes of that are numbers
    /// of these.
    fn find(uns: &Group, obs: &Dataset, var: &Dataset) -> Result<Self> {
        let mut found = Self::default();
        for link in uns.links()? {
            let name = link?.name().display().into_owned();
            if !name.ends_with(CATEGORIES) {
                continue;
            }
            let column = name.replace(CATEGORIES, "");
            let labels = match uns.object(&name) {
                Ok(Object::Dataset(labels)) => Array::untagged(Source::Dataset(labels), &format!("uns/{name}")),
                Ok(_) => continue,
                Err(e) => Err(e.into()),
            };
            let labels = match labels {
                Ok(labels) => labels,
                Err(e) if e.is_missing() => return Err(e),
                Err(_) => continue,
            };
            if labels.shape().len() > 1 {
                continue;
            }
            let count: u64 = labels.shape().iter().product();
            let mut largest = Vec::new();
            for (of, dataset, columns) in [("obs", obs, &mut found.obs), ("var", var, &mut found.var)] {
                match largest_code(dataset, &column)? {
                    Some(code) if code < i128::from(count) => columns.push((column.clone(), labels.clone())),
                    Some(code) => largest.push((of, code)),
                    None => {}
                }
            }
            let is_used = |columns: &[(String, Array)]| columns.last().is_some_and(|(used, _)| *used == column);
            if is_used(&found.obs) || is_used(&found.var) {
                found.names.push(name.clone());
            }
            found.warnings.extend(largest.into_iter().map(|(of, code)| {
                let text = format!("code {code}, and {count} labels in uns/{name}");
                Fault::warning(Rule::CodeOutOfRange, &format!("{of}/{column}"), text)
            }));
        }
        Ok(found)
    }
}

/// The largest number in a column of records, the index aside; `None` where there is no such column of integers.
fn largest_code(dataset: &Dataset, column: &str) -> Result<Option<i128>> {
    let records = Records::new(dataset, "")?;
    if !records.names()?.iter().skip(1).any(|name| name == column) {
        return Ok(None);
    }
    let field = records.field(column)?;
    if !field.value_type().is_integer() || field.shape().len() != 1 {
        return Ok(None);
    }
    let codes: Vec<i128> = field.read(..)?;
    Ok(Some(codes.into_iter().max().unwrap_or(-1)))
}
