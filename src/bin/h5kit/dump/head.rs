//! A group or a committed datatype at a glance: attributes, and the first values of datasets.

use std::io::Write;

use h5kit::element::{Array, Value};
use h5kit::{Attribute, Dataset, Datatype, Group, Link, Object, Target};

use crate::blocks::{Elements, InMemory, Part, Stored};
use crate::describe;
use crate::json;
use crate::paint::{self, clean, count, styled};
use crate::pick::Axis;
use crate::references::References;
use crate::session::{Done, Session};
use crate::table::{Cell, Row, Table};
use crate::value::{Format, Most};

/// Characters of a line of values.
const ROOM: usize = 60;
/// Values that are read to fill it.
const FEW: u64 = 12;
/// Elements of a dataset that JSON shows.
const JSON_ELEMENTS: u64 = 1000;

/// Shows an object that is no dataset.
pub fn show(object: &Object, as_json: bool, references: &References, session: &mut Session) -> Done {
    let head = Head { references, session };
    if as_json { head.json(object) } else { head.text(object) }
}

struct Head<'a> {
    references: &'a References,
    session: &'a mut Session,
}

impl Head<'_> {
    fn text(mut self, object: &Object) -> Done {
        let mut attributes = self.attributes(object);
        let what = match object {
            Object::NamedDatatype(named) => clean(&named.datatype().to_string()).into_owned(),
            other => other.kind().to_owned(),
        };
        writeln!(self.session.out, "{}  {what}", styled(paint::GROUP, &clean(object.path())))?;
        let mut table = Table::default();
        for row in attributes.drain(..) {
            table.row(&mut self.session.out, row)?;
        }
        table.flush(&mut self.session.out)?;
        let Object::Group(group) = object else { return Ok(()) };
        let links = match group.links() {
            Ok(links) => self.session.sound(links),
            Err(e) => {
                self.session.report(&e);
                return Ok(());
            }
        };
        let mut table = Table::default();
        for link in links {
            let row = self.member(&link);
            table.row(&mut self.session.out, row)?;
        }
        table.flush(&mut self.session.out)?;
        Ok(())
    }

    fn attributes(&mut self, object: &Object) -> Vec<Row> {
        let attributes = match object.attributes() {
            Ok(attributes) => attributes,
            Err(e) => {
                self.session.report(&e);
                return Vec::new();
            }
        };
        let mut rows = Vec::new();
        for attribute in attributes {
            match attribute {
                Ok(attribute) => rows.push(self.attribute(&attribute)),
                Err(e) => self.session.report(&e),
            }
        }
        rows
    }

    fn attribute(&mut self, attribute: &Attribute) -> Row {
        let name = Cell::new(paint::ATTRIBUTE, format!("  @{}", paint::name(attribute.name())));
        let read = || -> h5kit::Result<(Datatype, String, Array)> {
            let (datatype, space) = (attribute.datatype()?, attribute.dataspace()?);
            let shape = describe::shape(&space);
            let array =
                if space.is_null() { Array { shape: vec![0], values: Vec::new() } } else { attribute.read()? };
            Ok((datatype, shape, array))
        };
        match read() {
            Ok((datatype, shape, array)) => {
                let n = array.values.len();
                let shape = if n == 1 && array.shape.is_empty() { String::new() } else { shape };
                let values = self.line(&mut InMemory::new(array), &datatype);
                let cells = vec![name, Cell::plain(shape), Cell::plain(describe::short_type(&datatype))];
                Row { cells, rest: Cell::plain(values), below: Vec::new() }
            }
            Err(e) => {
                let path = format!("{}@{}", attribute.owner().path(), attribute.name());
                self.bad(name, &describe::why(&e, &path))
            }
        }
    }

    fn member(&mut self, link: &Link) -> Row {
        let text = format!("  {}", paint::name(link.name()));
        match link.open() {
            Ok(Object::Dataset(dataset)) => self.dataset(text, &dataset),
            Ok(Object::Group(group)) => {
                let members = group.links().map(|links| count(links.len() as u64, "member", "members"));
                let members = members.unwrap_or_else(|e| describe::why(&e, group.path()));
                let cells = vec![Cell::new(paint::GROUP, format!("{text}/")), Cell::plain("group")];
                Row { cells, rest: Cell::plain(members), below: Vec::new() }
            }
            Ok(Object::NamedDatatype(named)) => {
                let cells = vec![Cell::new(paint::DATATYPE, text), Cell::plain("datatype")];
                Row { cells, rest: Cell::plain(clean(&named.datatype().to_string())), below: Vec::new() }
            }
            Err(e) => match link.target() {
                Target::Hard(_) => self.bad(Cell::new(paint::BAD, text), &describe::why(&e, &link.path())),
                _ => {
                    let state = format!("{} ({})", clean(&link.to_string()), describe::nowhere(&e));
                    Row { cells: vec![Cell::new(paint::BAD, format!("  {state}"))], ..Row::default() }
                }
            },
        }
    }

    fn dataset(&mut self, name: String, dataset: &Dataset) -> Row {
        let name = Cell::new(paint::DATASET, name);
        let (shape, datatype) = (describe::shape(dataset.dataspace()), dataset.datatype().clone());
        let values = if dataset.dataspace().is_null() {
            "null".to_owned()
        } else {
            let axes = dataset.shape().iter().map(|n| Axis::whole(*n)).collect();
            self.line(&mut Stored::new(dataset, axes), &datatype)
        };
        let cells = vec![name, Cell::plain(shape), Cell::plain(describe::short_type(&datatype))];
        Row { cells, rest: Cell::plain(values), below: Vec::new() }
    }

    fn bad(&mut self, name: Cell, why: &str) -> Row {
        self.session.found();
        Row { cells: vec![name], rest: Cell::new(paint::BAD, why), below: Vec::new() }
    }

    /// The first elements on one line.
    fn line(&mut self, source: &mut dyn Elements, datatype: &Datatype) -> String {
        let lengths: Vec<u64> = source.axes().iter().map(Axis::len).collect();
        if lengths.contains(&0) {
            return json::no_elements(&lengths);
        }
        let last = lengths.len().saturating_sub(1);
        let part: Part =
            lengths.iter().enumerate().map(|(d, n)| (0, if d == last { *n.min(&FEW) } else { 1 })).collect();
        let values = match source.read(&part, self.session) {
            Ok(values) => values,
            Err(e) => {
                self.session.found();
                return clean(&e.cause().to_string()).into_owned();
            }
        };
        let format = Format::with(Most::HEAD, self.references);
        let cells = values.iter().map(|v| v.as_ref().map_or("?".to_owned(), |value| format.value(value, datatype)));
        let mut text = "[".repeat(lengths.len());
        let mut shown = 0;
        for cell in cells {
            if shown > 0 && paint::width(&text) + paint::width(&cell) > ROOM {
                break;
            }
            text.push_str(if shown > 0 { ", " } else { "" });
            text.push_str(&cell);
            shown += 1;
        }
        for (d, length) in lengths.iter().enumerate().rev() {
            let all = if d == last { *length == shown } else { *length == 1 };
            text.push_str(if all { "]" } else { ", …]" });
        }
        text
    }

    fn json(mut self, object: &Object) -> Done {
        let mut text = format!("{{\"path\":{},\"kind\":{}", json::string(object.path()), json::string(object.kind()));
        if let Object::NamedDatatype(named) = object {
            text += &format!(",\"type\":{}", json::string(&named.datatype().to_string()));
        }
        text += ",\n\"attributes\":{";
        let mut comma = "\n";
        match object.attributes() {
            Ok(attributes) => {
                for attribute in attributes {
                    match attribute
                        .and_then(|attribute| Ok((json::text(attribute.name()), self.json_attribute(&attribute)?)))
                    {
                        Ok((name, value)) => {
                            text += &format!("{comma}{name}:{value}");
                            comma = ",\n";
                        }
                        Err(e) => self.session.report(&e),
                    }
                }
            }
            Err(e) => self.session.report(&e),
        }
        text.push('}');
        write!(self.session.out, "{text}")?;
        if let Object::Group(group) = object {
            self.json_members(group)?;
        }
        writeln!(self.session.out, "}}")?;
        Ok(())
    }

    fn json_attribute(&self, attribute: &Attribute) -> h5kit::Result<String> {
        let datatype = attribute.datatype()?;
        if attribute.dataspace()?.is_null() {
            return Ok("null".into());
        }
        let array: Array = attribute.read()?;
        Ok(self.json_values(&array.shape, array.values.into_iter().map(Some), &datatype))
    }

    fn json_values(&self, shape: &[u64], values: impl Iterator<Item = Option<Value>>, datatype: &Datatype) -> String {
        if shape.contains(&0) {
            return json::no_elements(shape);
        }
        let mut nested = json::Nested::new(shape.to_vec());
        let (mut out, mut text) = (Vec::new(), String::new());
        for value in values {
            text.clear();
            match value {
                Some(value) => json::element(&mut text, &value, datatype, self.references),
                None => text.push_str("null"),
            }
            // Into memory: this does not fail.
            let _ = nested.push(&mut out, &text);
        }
        String::from_utf8_lossy(&out).replace(",\n", ",")
    }

    fn json_members(&mut self, group: &Group) -> Done {
        let links = match group.links() {
            Ok(links) => self.session.sound(links),
            Err(e) => {
                self.session.report(&e);
                Vec::new()
            }
        };
        write!(self.session.out, ",\n\"members\":{{")?;
        for (i, link) in links.iter().enumerate() {
            let comma = if i > 0 { ",\n" } else { "\n" };
            let member = self.json_member(link);
            write!(self.session.out, "{comma}{}:{member}", json::text(link.name()))?;
        }
        write!(self.session.out, "}}")?;
        Ok(())
    }

    fn json_member(&mut self, link: &Link) -> String {
        match link.open() {
            Ok(Object::Dataset(dataset)) => {
                let shape = serde_json::json!(if dataset.dataspace().is_null() { None } else { Some(dataset.shape()) });
                let datatype = json::string(&dataset.datatype().to_string());
                let mut text = format!("{{\"kind\":\"dataset\",\"type\":{datatype},\"shape\":{shape}");
                if dataset.len() <= JSON_ELEMENTS && !dataset.dataspace().is_null() {
                    let axes: Vec<Axis> = dataset.shape().iter().map(|n| Axis::whole(*n)).collect();
                    let part: Part = axes.iter().map(|axis| (0, axis.len())).collect();
                    match Stored::new(&dataset, axes).read(&part, self.session) {
                        Ok(values) => {
                            let values = self.json_values(dataset.shape(), values.into_iter(), dataset.datatype());
                            text += &format!(",\"values\":{values}");
                        }
                        Err(e) => self.session.report(&e),
                    }
                } else if !dataset.dataspace().is_null() {
                    text += &format!(",\"values\":null,\"omitted\":{}", dataset.len());
                }
                text + "}"
            }
            Ok(object) => format!("{{\"kind\":{}}}", json::string(object.kind())),
            Err(e) => {
                if matches!(link.target(), Target::Hard(_)) {
                    self.session.report(&e);
                }
                format!("{{\"error\":{}}}", json::string(&describe::why(&e, &link.path())))
            }
        }
    }
}
