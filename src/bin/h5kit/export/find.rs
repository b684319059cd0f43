//! The data frame that is meant.

use h5kit::encoding::anndata::{AnnData, DataFrame, Element, Error, Found, Kind, Rule};
use h5kit::{File, Group, Object};

use crate::anndata::{place, trouble};
use crate::session::{Session, Trouble};

/// Frames that are named where something else was asked for.
const NAMED: usize = 10;

/// The frame at a path: of the AnnData, of one that MuData has in `mod`, or wherever an object is one.
pub fn frame(file: &File, path: &str, session: &mut Session) -> Result<DataFrame, Trouble> {
    let (group, prefix, rest) = place::of_path(file, path);
    let path = path.trim_matches('/');
    let data = match AnnData::at(&group) {
        Ok(data) => data,
        Err(error) => return elsewhere(&group, rest, &error, session),
    };
    let no_frame = |what: &str| Err(Trouble::Usage(format!("{what}; {}", frames(&data, prefix))));
    match data.get(rest) {
        Ok(Element { kind: Kind::DataFrame(frame), .. }) => Ok(frame),
        Ok(other) => no_frame(&not_one(path, &other)),
        Err(Error::Fault(fault)) if fault.rule == Rule::MissingMember => no_frame(&format!("{path} is not there")),
        Err(error) => Err(trouble(error)),
    }
}

/// A frame in what is no AnnData, or a broken one: then that is said.
fn elsewhere(group: &Group, path: &str, error: &Error, session: &mut Session) -> Result<DataFrame, Trouble> {
    let object = group.object(path)?;
    if let Object::Group(group) = &object
        && group.attribute("CLASS").and_then(|class| class.read::<String>()).is_ok_and(|class| class == "COLUMN_TABLE")
    {
        let text = format!("{path} is a table of columns (H5Col), no data frame; h5kit h5col query shows its rows");
        return Err(Trouble::Usage(text));
    }
    let frame = match Element::open(&object, path).map_err(trouble)? {
        Element { kind: Kind::DataFrame(frame), .. } => frame,
        other => return Err(Trouble::Usage(not_one(path, &other))),
    };
    let is_something_else = match error {
        Error::Fault(fault) if fault.rule == Rule::UnknownEncoding => fault.path.is_empty(),
        Error::Fault(fault) if fault.rule == Rule::MissingMember => !group.exists("obs")? && !group.exists("var")?,
        _ => false,
    };
    if !is_something_else {
        session.report_text(&error.to_string());
    }
    Ok(frame)
}

fn not_one(path: &str, element: &Element) -> String {
    let path = if path.is_empty() { "/" } else { path };
    format!("{path} is no data frame, its encoding is {}", element.encoding())
}

/// The frames that there are, in words.
fn frames(data: &AnnData, prefix: &str) -> String {
    let is_frame = |found: &Found| found.element.as_ref().is_ok_and(|e| matches!(e.kind, Kind::DataFrame(_)));
    let name = |found: Found| if prefix.is_empty() { found.path } else { format!("{prefix}/{}", found.path) };
    let all: Vec<String> = data.elements().into_iter().filter(is_frame).map(name).collect();
    let more = if all.len() > NAMED { " …" } else { "" };
    format!("the data frames are {}{more}", all[..all.len().min(NAMED)].join(", "))
}
