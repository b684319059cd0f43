//! What is lost, and the attributes, as lines of JSON.

use std::io::{self, Write};

use h5kit::element::Array;
use h5kit::{Attribute, Error, ErrorKind, Object};

use super::write::Output;
use crate::blocks::Part;
use crate::describe;
use crate::json;
use crate::references::References;

/// What has become of something that is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is damaged.
    Lost,
    /// It may be sound: a limit was met, or it asks for what is not supported.
    NotExported,
}

impl Status {
    fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Limit | ErrorKind::Unsupported => Self::NotExported,
            _ => Self::Lost,
        }
    }

    /// Why, as people read it.
    fn line(self, why: &str) -> String {
        match self {
            Self::Lost => why.to_owned(),
            Self::NotExported => format!("not exported: {why}"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::NotExported => "not exported",
        }
    }
}

/// Lines to be written at the end.
#[derive(Debug)]
pub struct Report {
    /// What is lost, as people read it.
    lines: Vec<(Status, String)>,
    /// The same for programs.
    json: Vec<String>,
    attributes: Vec<String>,
    /// Bytes that these may still have: objects can share them.
    attribute_bytes: usize,
    /// Parts of the dataset that is being written that cannot be read, and why.
    parts: Vec<(Part, (Status, String))>,
    /// Parts that were noted so far.
    noted: usize,
    /// Attributes are kept only where they are written.
    written: bool,
}

/// Parts of datasets that are noted before one fault of each dataset is enough.
const MOST_PARTS: usize = 1 << 20;

/// Bytes of all attributes, as they are written.
const ATTRIBUTES: usize = 64 << 20;

impl Report {
    /// A report on nothing yet.
    pub fn new(output: &Output) -> Self {
        let written = matches!(output, Output::Folder(_));
        Self {
            lines: Vec::new(),
            json: Vec::new(),
            attributes: Vec::new(),
            attribute_bytes: ATTRIBUTES,
            parts: Vec::new(),
            noted: 0,
            written,
        }
    }

    /// How much is lost.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// What is lost, from a place in the report on.
    pub fn lines_from(&self, from: usize) -> &[(Status, String)] {
        &self.lines[from..]
    }

    /// Notes an object, or something of it, that is lost or not exported.
    pub fn lost(&mut self, path: &str, address: Option<u64>, error: &Error) {
        self.object(path, address, Status::of(error), &describe::why(error, path));
    }

    /// Notes an object that is not written, and why.
    pub fn not_exported(&mut self, path: &str, why: String) {
        self.object(path, None, Status::NotExported, &why);
    }

    fn object(&mut self, path: &str, address: Option<u64>, status: Status, why: &str) {
        let mut line = serde_json::json!({"path": path, "status": status.name(), "error": why});
        if let Some(address) = address {
            line["address"] = address.into();
        }
        self.note(status, status.line(why), &line);
    }

    /// Notes elements that cannot be read, which follow those noted before. Parts that one fault spoils become one.
    pub fn elements(&mut self, path: &str, part: &Part, error: &Error) {
        self.noted += 1;
        self.parts.push((part.clone(), (Status::of(error), describe::why(error, path))));
        while let [.., (first, one), (second, other)] = &self.parts[..]
            && one == other
            && let Some(both) = joined(first, second)
        {
            self.parts.pop();
            if let Some((part, _)) = self.parts.last_mut() {
                *part = both;
            }
        }
    }

    /// True once so many parts were noted that of other datasets one fault is enough: thousands of them may share what is
    /// damaged.
    pub fn is_full(&self) -> bool {
        self.noted >= MOST_PARTS
    }

    /// Ends the elements of a dataset.
    pub fn end(&mut self, path: &str) {
        for (part, (status, why)) in std::mem::take(&mut self.parts) {
            let ranges: Vec<String> = part.iter().map(|(from, to)| format!("{from}..{to}")).collect();
            let (offset, count): (Vec<u64>, Vec<u64>) = part.iter().map(|(from, to)| (*from, to - from)).unzip();
            let line = serde_json::json!({
                "path": path, "status": status.name(), "offset": offset, "count": count, "error": why,
            });
            self.note(status, format!("[{}]: {}", ranges.join(", "), status.line(&why)), &line);
        }
    }

    fn note(&mut self, status: Status, line: String, json: &serde_json::Value) {
        self.lines.push((status, line));
        self.json.push(json.to_string());
    }

    /// Notes the attributes of an object.
    pub fn attributes(&mut self, object: &Object) {
        let attributes = match object.attributes() {
            Ok(attributes) => attributes,
            Err(e) => return self.lost(object.path(), None, &e),
        };
        let references = References::of(object.info().file());
        for attribute in attributes {
            if self.attribute_bytes == 0 {
                let why = "limit of what is written of attributes: more than 64 MiB";
                return self.not_exported(object.path(), why.to_owned());
            }
            match attribute.and_then(|attribute| line(object.path(), &attribute, &references)) {
                Ok(line) => {
                    self.attribute_bytes = self.attribute_bytes.saturating_sub(line.len());
                    if self.written {
                        self.attributes.push(line);
                    }
                }
                Err(e) => self.lost(object.path(), None, &e),
            }
        }
    }

    /// Writes what there is.
    pub fn finish(&self, output: &mut Output) -> io::Result<()> {
        let Output::Folder(folder) = output else { return Ok(()) };
        for (name, lines) in [("attributes", &self.attributes), ("report", &self.json)] {
            let (_, mut file) = folder.create(name, 0, ".jsonl")?;
            for line in lines {
                writeln!(file, "{line}")?;
            }
        }
        Ok(())
    }
}

/// Two parts as one, where the second goes on along one axis where the first ends.
fn joined(first: &Part, second: &Part) -> Option<Part> {
    let mut different = first.iter().zip(second).enumerate().filter(|(_, (a, b))| a != b);
    let (d, (a, b)) = different.next()?;
    if different.next().is_some() || a.1 != b.0 {
        return None;
    }
    let mut both = first.clone();
    both[d].1 = b.1;
    Some(both)
}

/// An attribute as a line of JSON.
fn line(path: &str, attribute: &Attribute, references: &References) -> h5kit::Result<String> {
    let (datatype, space) = (attribute.datatype()?, attribute.dataspace()?);
    let mut value = String::new();
    if space.is_null() {
        value += "null";
    } else {
        let array: Array = attribute.read()?;
        json::nested(&mut value, &array.shape, &array.values, &datatype, references);
    }
    let (path, name) = (json::string(path), json::text(attribute.name()));
    let datatype = json::string(&datatype.to_string());
    Ok(format!(
        "{{\"path\":{path},\"name\":{name},\"datatype\":{datatype},\"shape\":{:?},\"value\":{value}}}",
        space.dims
    ))
}

#[cfg(test)]
#[test]
fn parts_of_one_fault_become_one() {
    let mut report = Report::new(&Output::None);
    let error = |text: &str| Error::from(h5kit::error::Usage::NoFolder(text.into()));
    for row in 0..3 {
        for column in [0, 2] {
            report.elements("/x", &vec![(row, row + 1), (column, column + 2)], &error("a"));
        }
    }
    report.elements("/x", &vec![(5, 6), (0, 2)], &error("a"));
    report.elements("/x", &vec![(5, 6), (2, 4)], &error("b"));
    report.end("/x");
    let lines: Vec<&str> = report.lines.iter().filter_map(|(_, line)| line.split(": ").next()).collect();
    assert_eq!(lines, ["[0..3, 0..4]", "[5..6, 0..2]", "[5..6, 2..4]"]);
}

#[cfg(test)]
#[test]
fn attributes_without_end_are_not_exported() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/files/committed_by_many.h5");
    let file = h5kit::File::open(path).expect("it opens");
    let group = file.object("/g").expect("a group of 60 attributes");
    let mut report = Report::new(&Output::None);
    report.attributes(&group);
    assert_eq!(report.len(), 0);
    report.attribute_bytes = 1;
    report.attributes(&group);
    assert!(report.lines[0].1.contains("limit of what is written of attributes"), "{:?}", report.lines);
}
