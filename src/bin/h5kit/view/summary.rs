//! The summary of an AnnData: a line for each element.

use std::collections::BTreeMap;

use h5kit::encoding::anndata::{AnnData, Element, Found, Kind, Result};

use crate::paint;
use crate::session::{Done, Session};
use crate::table::{Cell, Row, Table};

use super::text;

/// Values that are shown of a column.
const FEW: u64 = 4;

/// Shows all elements of an AnnData, which is at `name` in its file.
pub fn show(data: &AnnData, name: &str, session: &mut Session) -> Done {
    let whole = data.element();
    let observations = paint::count(data.n_obs(), "observation", "observations");
    let variables = paint::count(data.n_var(), "variable", "variables");
    let mut heading = format!("AnnData of {observations} × {variables}");
    if let Some(legacy) = whole.legacy {
        heading += &format!(", {}", legacy.name());
    }
    let name = paint::clean(name);
    let heading = if name.is_empty() { heading } else { format!("{name}: {heading}") };
    session.line(&paint::styled(paint::GROUP, &heading))?;
    elements(data, data.elements().into_iter().filter(|found| !found.path.is_empty()), session)
}

/// Shows elements, each after those that it is in, columns in their order.
pub fn elements(data: &AnnData, found: impl Iterator<Item = Found>, session: &mut Session) -> Done {
    let mut left: BTreeMap<String, Result<Element>> = found.map(|found| (found.path, found.element)).collect();
    let mut table = Table::default();
    while let Some((path, element)) = left.pop_first() {
        let frame = match &element {
            Ok(Element { kind: Kind::DataFrame(frame), .. }) => Some(frame.clone()),
            _ => None,
        };
        let misfit = element.as_ref().ok().and_then(|element| data.fit(element).err());
        let mut row = row(&path, element, session);
        if let Some(error) = misfit {
            session.found();
            row.below.push(paint::styled(paint::BAD, &paint::clean(&error.to_string())));
        }
        table.row(&mut session.out, row)?;
        if let Some(frame) = frame {
            // The index is on the line of its data frame.
            left.remove(&format!("{path}/{}", frame.index_name()));
            for column in frame.columns() {
                if let Some(element) = left.remove(&format!("{path}/{column}")) {
                    let row = indented(depth(&path), column, element, session);
                    table.row(&mut session.out, row)?;
                }
            }
        }
    }
    table.flush(&mut session.out)?;
    Ok(())
}

/// The line of an element at a path.
fn row(path: &str, element: Result<Element>, session: &mut Session) -> Row {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    indented(depth(above), name, element, session)
}

/// Names that a path has.
fn depth(path: &str) -> usize {
    path.split('/').filter(|name| !name.is_empty()).count()
}

fn indented(depth: usize, name: &str, element: Result<Element>, session: &mut Session) -> Row {
    let name = format!("{}{}", "  ".repeat(depth), paint::clean(name));
    let told = element.and_then(|element| Ok((describe(&element)?, element)));
    match told {
        Ok(((kind, rest), element)) => {
            let style = if matches!(element.kind, Kind::Dict(_) | Kind::Raw(_) | Kind::DataFrame(_)) {
                paint::GROUP
            } else {
                paint::PLAIN
            };
            let legacy = element.legacy.map(|legacy| format!("({})", legacy.name())).unwrap_or_default();
            let warnings = element.warnings.iter().map(|warning| paint::styled(paint::WARNING, &warning.to_string()));
            Row {
                cells: vec![Cell::new(style, name), Cell::plain(kind), Cell::new(paint::DIM, legacy)],
                rest: Cell::new(paint::DIM, rest),
                below: warnings.collect(),
            }
        }
        Err(error) => {
            session.found();
            Row {
                cells: vec![Cell::plain(name)],
                rest: Cell::new(paint::BAD, paint::clean(&error.to_string())),
                below: Vec::new(),
            }
        }
    }
}

/// What an element is, and a few of its values.
fn describe(element: &Element) -> Result<(String, String)> {
    let shape = element.shape().map(|shape| text::shape(&shape)).unwrap_or_default();
    Ok(match &element.kind {
        Kind::AnnData(_) => ("anndata".to_owned(), String::new()),
        Kind::Raw(_) | Kind::Null => (element.encoding().to_owned(), String::new()),
        Kind::Dict(members) => (paint::count(members.keys()?.len() as u64, "key", "keys"), String::new()),
        Kind::DataFrame(frame) => {
            let rows = paint::count(frame.rows(), "row", "rows");
            let kind = format!("{rows}, {}", paint::count(frame.columns().len() as u64, "column", "columns"));
            let index = frame.index()?;
            let few = text::run(&index, 0..frame.rows().min(FEW))?.unwrap_or_default();
            (kind, format!("{}: {}", paint::clean(frame.index_name()), few.join(", ")))
        }
        Kind::Array(array) | Kind::StringArray(array) => {
            let kind = format!("{} {shape}", array.value_type().name());
            let few = match array.shape()[..] {
                [length] => text::run(element, 0..length.min(FEW))?.unwrap_or_default(),
                _ => Vec::new(),
            };
            (kind, few.join(", "))
        }
        Kind::NumericScalar(value) | Kind::String(value) | Kind::Bytes(value) => {
            (value.value_type().name().to_owned(), text::each(&value.values(..)?).join(", "))
        }
        Kind::NullableInteger(n) | Kind::NullableBoolean(n) | Kind::NullableStrings(n) => {
            let kind = format!("nullable {} {shape}", n.values().value_type().name());
            let length = n.values().shape().first().copied().unwrap_or(0);
            (kind, text::run(element, 0..length.min(FEW))?.unwrap_or_default().join(", "))
        }
        Kind::Categorical(categorical) => {
            let ordered = if categorical.is_ordered() { "ordered " } else { "" };
            let count = paint::count(categorical.n_categories(), "category", "categories");
            let labels = text::categories(categorical)?;
            let count_of = labels.len();
            (format!("{ordered}categorical {shape}, {count}"), text::joined(labels.into_iter(), count_of))
        }
        Kind::Sparse(sparse) => {
            let [rows, columns] = sparse.shape();
            let all = rows as f64 * columns as f64;
            let density = if all > 0.0 { sparse.nnz() as f64 / all * 100.0 } else { 0.0 };
            let kind = format!("{} {} {shape}", sparse.format().name(), sparse.value_type().name());
            (kind, format!("{} stored, {density:.2} %", sparse.nnz()))
        }
        Kind::Records(records) => (format!("records {shape}"), records.names()?.join(", ")),
        Kind::Awkward(awkward) => {
            let few = text::run(element, 0..awkward.length().min(2))?.unwrap_or_default();
            (format!("ragged {shape}"), few.join(", "))
        }
        Kind::Unknown(name) => (format!("{name:?}, which is not known"), String::new()),
        _ => (element.encoding().to_owned(), String::new()),
    })
}
