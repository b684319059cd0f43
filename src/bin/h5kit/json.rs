//! Values as JSON.
//!
//! Integers are exact; those of more than 64 bits are strings. Floating-point numbers that JSON does not have are
//! the strings `NaN`, `Infinity` and `-Infinity`; bytes are strings of hexadecimal digits. Enumerations give
//! their names, compounds objects, complex numbers `{"re": …, "im": …}`, references paths.

use std::fmt::Write as _;
use std::io::{self, Write};

use h5kit::bytes::Text;
use h5kit::element::{Reference, ReferenceTarget, Value};
use h5kit::format::message::datatype::Class;
use h5kit::{Datatype, Selection};

use crate::references::References;
use crate::{scalar, value};

/// A JSON string.
pub fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Text from a file as a JSON string; bytes that are not UTF-8 as `\xNN`.
pub fn text(text: &Text) -> String {
    string(&text.display())
}

/// A value as JSON.
pub fn element(to: &mut String, value: &Value, datatype: &Datatype, references: &References) {
    match (value, &datatype.class) {
        (Value::Integer(n), _) | (Value::Enumeration(None, n), _) => integer(to, *n),
        (Value::Unsigned(n), _) => *to += &string(&n.to_string()),
        (Value::Bits(n), _) => match u64::try_from(*n) {
            Ok(n) => *to += &n.to_string(),
            Err(_) => *to += &string(&n.to_string()),
        },
        (Value::Float(n), _) | (Value::WideFloat(n, _), _) => float(to, *n, datatype),
        (Value::String(string), _) => *to += &text(string),
        (Value::Opaque(bytes), _) => *to += &string(&value::hex(bytes)),
        (Value::Enumeration(Some(name), n), _) if crate::describe::is_bool(datatype) => {
            let _ = (name, write!(to, "{}", *n != 0));
        }
        (Value::Enumeration(Some(name), _), _) => *to += &text(name),
        (Value::Compound(parts), Class::Compound { members }) => {
            to.push('{');
            for (i, ((name, part), member)) in parts.iter().zip(members).enumerate() {
                *to += if i > 0 { "," } else { "" };
                *to += &text(name);
                to.push(':');
                element(to, part, &member.datatype, references);
            }
            to.push('}');
        }
        (Value::Array(array), Class::Array { base, .. }) => nested(to, &array.shape, &array.values, base, references),
        (Value::Sequence(values), Class::VariableLength { base, .. }) => {
            nested(to, &[values.len() as u64], values, base, references);
        }
        (Value::Complex(parts), Class::Complex { base, .. }) => {
            *to += "{\"re\":";
            element(to, &parts.0, base, references);
            *to += ",\"im\":";
            element(to, &parts.1, base, references);
            to.push('}');
        }
        (Value::Reference(target), _) => reference(to, target, references),
        _ => *to += "null",
    }
}

fn integer(to: &mut String, n: i128) {
    let narrow = i64::try_from(n).is_ok() || u64::try_from(n).is_ok();
    *to += &if narrow { n.to_string() } else { string(&n.to_string()) };
}

fn float(to: &mut String, n: f64, datatype: &Datatype) {
    if n.is_nan() {
        *to += "\"NaN\"";
    } else if n.is_infinite() {
        *to += if n > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" };
    } else {
        *to += &scalar::exact(n, datatype);
    }
}

/// Elements of a shape as nested arrays.
pub fn nested(to: &mut String, shape: &[u64], values: &[Value], base: &Datatype, references: &References) {
    let [n, inner @ ..] = shape else {
        return values.iter().for_each(|value| element(to, value, base, references));
    };
    let row = values.len().checked_div(*n as usize).unwrap_or(0);
    to.push('[');
    for i in 0..*n as usize {
        *to += if i > 0 { "," } else { "" };
        nested(to, inner, &values[i * row..(i + 1) * row], base, references);
    }
    to.push(']');
}

/// An object's path; for a part of it, an object that says which.
fn reference(to: &mut String, reference: &Reference, references: &References) {
    let (Some(address), Some(part)) = (reference.address(), reference.part()) else { return *to += "null" };
    let path = references.path(reference).unwrap_or_else(|| format!("{address:#x}"));
    let (file, path) = (reference.file(), string(&path));
    if let (None, ReferenceTarget::Object) = (file, &part) {
        return *to += &path;
    }
    let _ = write!(to, "{{\"path\":{path}");
    if let Some(file) = file {
        let _ = write!(to, ",\"file\":{}", text(file));
    }
    match part {
        ReferenceTarget::Object => {}
        ReferenceTarget::Attribute(name) => {
            let _ = write!(to, ",\"attribute\":{}", string(&name));
        }
        ReferenceTarget::Region(selection) => {
            *to += ",\"region\":";
            region(to, &selection);
        }
    }
    to.push('}');
}

fn region(to: &mut String, selection: &Selection) {
    let value = match selection {
        Selection::Hyperslab(slab) => {
            let ends = |list: &[u64]| -> Vec<Option<u64>> {
                list.iter().map(|n| Some(*n).filter(|n| *n < u64::MAX)).collect()
            };
            serde_json::json!({
                "start": slab.start, "stride": slab.stride, "count": ends(&slab.count), "block": ends(&slab.block),
            })
        }
        Selection::Points(points) => serde_json::json!({ "points": points.0 }),
        Selection::Blocks(blocks) => serde_json::json!({ "blocks": blocks.0 }),
        Selection::All => serde_json::json!("all"),
        _ => serde_json::json!("none"),
    };
    *to += &value.to_string();
}

/// Writes elements as nested arrays, one after the other.
pub struct Nested {
    lengths: Vec<u64>,
    next: Vec<u64>,
}

impl Nested {
    /// An array of this shape, which has an element.
    pub fn new(lengths: Vec<u64>) -> Self {
        Self { next: vec![0; lengths.len()], lengths }
    }

    /// Writes the next element.
    pub fn push(&mut self, out: &mut dyn Write, json: &str) -> io::Result<()> {
        let opening = self.next.iter().rev().take_while(|n| **n == 0).count();
        if opening < self.next.len() {
            out.write_all(if opening > 0 { b",\n" } else { b"," })?;
        }
        write!(out, "{}{json}", "[".repeat(opening))?;
        for d in (0..self.lengths.len()).rev() {
            self.next[d] += 1;
            if self.next[d] < self.lengths[d] {
                return Ok(());
            }
            self.next[d] = 0;
            out.write_all(b"]")?;
        }
        Ok(())
    }
}

/// An array without an element: `[]`, `[[], []]` …
pub fn no_elements(lengths: &[u64]) -> String {
    let nothing = lengths.iter().take_while(|n| **n > 0).fold(1u64, |n, length| n.saturating_mul(*length));
    match lengths {
        [first, inner @ ..] if *first > 0 && nothing < 1000 => {
            format!("[{}]", vec![no_elements(inner); *first as usize].join(","))
        }
        _ => "[]".into(),
    }
}
