//! JSON with sorted keys, and arrays of scalars on one line.

use std::io::{self, BufWriter, Write};

use h5kit::bytes::Text;
use serde_json::{Map, Value};

use crate::value::hex;

/// Prints a value, its parts indented by one blank each.
pub fn print(value: &Value) -> io::Result<()> {
    // Not through the output that takes colours out: these bytes are as they are.
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    part(&mut out, value, 0)?;
    writeln!(out)?;
    out.flush()
}

fn part(out: &mut dyn Write, value: &Value, indent: usize) -> io::Result<()> {
    match value {
        Value::Object(object) if !object.is_empty() => {
            let mut keys: Vec<(&String, &Value)> = object.iter().collect();
            keys.sort_by_key(|(key, _)| *key);
            writeln!(out, "{{")?;
            for (i, (key, value)) in keys.into_iter().enumerate() {
                out.write_all(if i > 0 { b",\n" } else { b"" })?;
                write!(out, "{:1$}{2}: ", "", indent + 1, Value::from(key.as_str()))?;
                part(out, value, indent + 1)?;
            }
            write!(out, "\n{:1$}}}", "", indent)
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            writeln!(out, "[")?;
            for (i, item) in items.iter().enumerate() {
                out.write_all(if i > 0 { b",\n" } else { b"" })?;
                write!(out, "{:1$}", "", indent + 1)?;
                part(out, item, indent + 1)?;
            }
            write!(out, "\n{:1$}]", "", indent)
        }
        Value::Array(items) => {
            write!(out, "[")?;
            for (i, item) in items.iter().enumerate() {
                out.write_all(if i > 0 { b", " } else { b"" })?;
                part(out, item, indent)?;
            }
            write!(out, "]")
        }
        other => write!(out, "{other}"),
    }
}

/// An object of these keys.
pub fn object<const N: usize>(parts: [(&str, Value); N]) -> Map<String, Value> {
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
