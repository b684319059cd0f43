//! JSON with sorted keys, and arrays of scalars on one line.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use h5kit::bytes::Text;
use serde_json::Value;

use crate::session::{Done, Trouble};
use crate::value::hex;

/// What is written as JSON, some of it made only then.
pub enum Part {
    /// A value.
    Value(Value),
    /// An object.
    Object(Object),
    /// An array.
    Array(Vec<Part>),
    /// An array that is made while it is written.
    Items(Items),
}

/// Parts by their keys.
pub type Object = BTreeMap<String, Part>;

/// Items of an array that are made while they are written.
pub struct Items {
    /// True where some of them are objects, so that each has a line of its own.
    pub lines: bool,
    /// Writes them.
    pub write: Box<dyn Fn(&mut List<'_>) -> Done>,
}

impl<T: Into<Value>> From<T> for Part {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

/// Prints, the parts indented by one blank each.
pub fn print(value: &Part) -> Done {
    // Not through the output that takes colours out: these bytes are as they are.
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    part(&mut out, value, 0)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

fn part(out: &mut dyn Write, value: &Part, indent: usize) -> Done {
    match value {
        Part::Value(value) => self::value(out, value, indent),
        Part::Object(parts) => members(out, parts.iter().collect(), indent, part),
        Part::Array(parts) => {
            let is_object = |part: &Part| matches!(part, Part::Object(_) | Part::Value(Value::Object(_)));
            let mut list = List::begin(out, indent, parts.iter().any(is_object))?;
            parts.iter().try_for_each(|item| list.part(item))?;
            list.end()
        }
        Part::Items(items) => {
            let mut list = List::begin(out, indent, items.lines)?;
            (items.write)(&mut list)?;
            list.end()
        }
    }
}

fn value(out: &mut dyn Write, value: &Value, indent: usize) -> Done {
    match value {
        Value::Object(object) => members(out, object.iter().collect(), indent, self::value),
        Value::Array(items) => {
            let mut list = List::begin(out, indent, items.iter().any(Value::is_object))?;
            items.iter().try_for_each(|item| list.item(item))?;
            list.end()
        }
        other => Ok(write!(out, "{other}")?),
    }
}

/// The members of an object.
fn members<T>(
    out: &mut dyn Write,
    mut members: Vec<(&String, &T)>,
    indent: usize,
    write: fn(&mut dyn Write, &T, usize) -> Done,
) -> Done {
    if members.is_empty() {
        return Ok(out.write_all(b"{}")?);
    }
    members.sort_by_key(|(key, _)| *key);
    writeln!(out, "{{")?;
    for (i, (key, value)) in members.into_iter().enumerate() {
        out.write_all(if i > 0 { b",\n" } else { b"" })?;
        write!(out, "{:1$}{2}: ", "", indent + 1, Value::from(key.as_str()))?;
        write(out, value, indent + 1)?;
    }
    Ok(write!(out, "\n{:1$}}}", "", indent)?)
}

/// An array that is being written.
pub struct List<'o> {
    out: &'o mut dyn Write,
    indent: usize,
    lines: bool,
    is_empty: bool,
}

impl<'o> List<'o> {
    fn begin(out: &'o mut dyn Write, indent: usize, lines: bool) -> Result<Self, Trouble> {
        out.write_all(b"[")?;
        Ok(Self { out, indent, lines, is_empty: true })
    }

    fn end(self) -> Done {
        if self.lines && !self.is_empty {
            write!(self.out, "\n{:1$}", "", self.indent)?;
        }
        Ok(self.out.write_all(b"]")?)
    }

    /// Writes what is before an item; its indent.
    fn next(&mut self) -> io::Result<usize> {
        self.out.write_all(match (self.lines, self.is_empty) {
            (true, true) => b"\n",
            (true, false) => b",\n",
            (false, true) => b"",
            (false, false) => b", ",
        })?;
        self.is_empty = false;
        if !self.lines {
            return Ok(self.indent);
        }
        write!(self.out, "{:1$}", "", self.indent + 1)?;
        Ok(self.indent + 1)
    }

    /// Writes an item.
    pub fn item(&mut self, value: &Value) -> Done {
        let indent = self.next()?;
        self::value(self.out, value, indent)
    }

    fn part(&mut self, part: &Part) -> Done {
        let indent = self.next()?;
        self::part(self.out, part, indent)
    }

    /// Writes an array in this one, with lines for its items where some of them are objects.
    pub fn list(&mut self, lines: bool, write: impl FnOnce(&mut List<'_>) -> Done) -> Done {
        let indent = self.next()?;
        let mut list = List::begin(self.out, indent, lines)?;
        write(&mut list)?;
        list.end()
    }
}

/// An object of these keys.
pub fn object<const N: usize>(parts: [(&str, Part); N]) -> Object {
    parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Text; what is not UTF-8 says so.
pub fn text(text: &Text) -> Value {
    match text.as_str() {
        Some(text) => text.into(),
        None => serde_json::json!({ "$invalid_utf8": hex(text.as_bytes()) }),
    }
}

/// Text, where there is some.
pub fn maybe(text: Option<&Text>) -> Value {
    text.map_or(Value::Null, self::text)
}

/// An integer; one that JSON numbers do not hold exactly everywhere, as text.
pub fn integer(n: i128) -> Value {
    match (i64::try_from(n), u64::try_from(n)) {
        (Ok(n), _) => n.into(),
        (_, Ok(n)) => n.into(),
        _ => serde_json::json!({ "$int": n.to_string() }),
    }
}

/// A floating-point number; those that JSON lacks, by name.
pub fn float(x: f64) -> Value {
    if x.is_nan() {
        "NaN".into()
    } else if x.is_infinite() {
        if x > 0.0 { "Infinity".into() } else { "-Infinity".into() }
    } else {
        x.into()
    }
}
