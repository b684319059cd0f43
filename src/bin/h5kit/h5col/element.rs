//! Values as JSON.

use h5kit::Datatype;
use h5kit::bytes::Text;
use h5kit::element::{Array, Reference, ReferenceTarget, Value as Element};
use h5kit::encoding::h5col::{Data, Values, is_boolean};
use h5kit::format::message::datatype::Class;
use h5kit::{File, Selection};
use serde_json::{Value, json};

use super::{datatype, json};
use crate::value::hex;

/// Values of a file as JSON.
pub struct Writer {
    file: File,
    datatype: Datatype,
    names: Vec<(i128, String)>,
}

impl Writer {
    /// A writer for elements of this datatype.
    pub fn new(file: &File, datatype: &Datatype) -> Self {
        let names = match &datatype.class {
            Class::Enumeration { members, .. } => {
                let code = |stored: &[u8]| datatype::code(datatype, stored);
                members.iter().map(|(name, stored)| (code(stored), name.display().into_owned())).collect()
            }
            _ => Vec::new(),
        };
        Self { file: file.clone(), datatype: datatype.clone(), names }
    }

    /// The value of a row; null where it is missing.
    pub fn value(&self, values: &Values, row: usize) -> Value {
        if values.is_missing(row) { Value::Null } else { self.row(&values.data, row) }
    }

    /// The value of a row that is not missing.
    pub fn row(&self, data: &Data, row: usize) -> Value {
        match data {
            Data::Signed(_) | Data::Unsigned(_) => data
                .integer(row)
                .map_or(Value::Null, |n| self.integer(n, matches!(self.datatype.class, Class::Enumeration { .. }))),
            Data::Float(values) => values.get(row).map_or(Value::Null, |x| json::float(*x)),
            Data::Boolean(values) => values.get(row).map_or(Value::Null, |b| (*b).into()),
            Data::Text(values) => json::maybe(values.get(row)),
            Data::Value(values) => values.get(row).map_or(Value::Null, |value| self.element(value, &self.datatype)),
            _ => Value::Null,
        }
    }

    fn integer(&self, n: i128, named: bool) -> Value {
        if !named {
            return json::integer(n);
        }
        let name = self.names.iter().find(|(code, _)| *code == n).map(|(_, name)| name.as_str());
        name.map_or_else(|| json!({ "$code": json::integer(n) }), Value::from)
    }

    /// One element of any datatype.
    pub fn element(&self, value: &Element, datatype: &Datatype) -> Value {
        match (value, &datatype.class) {
            (Element::Integer(n), _) => json::integer(*n),
            (Element::Unsigned(n), _) => json!({ "$int": n.to_string() }),
            (Element::Bits(n), _) => {
                i128::try_from(*n).map_or_else(|_| json!({ "$int": n.to_string() }), json::integer)
            }
            (Element::Float(x) | Element::WideFloat(x, _), _) => json::float(*x),
            (Element::String(text), _) => json::text(text),
            (Element::Null, Class::VariableLength { is_string: true, .. }) => json::text(&Text::default()),
            (Element::Opaque(bytes), _) => hex(bytes).into(),
            (Element::Enumeration(_, n), _) if is_boolean(datatype) => match n {
                0 => false.into(),
                1 => true.into(),
                n => json!({ "$invalid_boolean": json::integer(*n) }),
            },
            (Element::Enumeration(Some(name), _), _) => json::text(name),
            (Element::Enumeration(None, n), _) => json!({ "$code": json::integer(*n) }),
            (Element::Compound(parts), Class::Compound { members }) => {
                let parts = parts.iter().zip(members);
                parts
                    .map(|((name, part), member)| (name.display().into_owned(), self.element(part, &member.datatype)))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }
            (Element::Array(array), Class::Array { base, .. }) => self.array(&array.shape, array, 0, base),
            (Element::Sequence(values), Class::VariableLength { base, .. }) => {
                values.iter().map(|value| self.element(value, base)).collect()
            }
            // An attribute of several elements.
            (Element::Sequence(values), _) => values.iter().map(|value| self.element(value, datatype)).collect(),
            (Element::Complex(parts), Class::Complex { base, .. }) => {
                json!({ "r": self.element(&parts.0, base), "i": self.element(&parts.1, base) })
            }
            (Element::Reference(reference), _) => self.reference(reference),
            _ => Value::Null,
        }
    }

    /// The elements from one on as nested lists.
    fn array(&self, shape: &[u64], array: &Array, from: usize, base: &Datatype) -> Value {
        match shape {
            [] => array.values.get(from).map_or(Value::Null, |value| self.element(value, base)),
            [n, inner @ ..] => {
                let step = inner.iter().fold(1usize, |step, n| step.saturating_mul(*n as usize));
                (0..*n as usize).map(|i| self.array(inner, array, from + i * step, base)).collect()
            }
        }
    }

    fn reference(&self, reference: &Reference) -> Value {
        let path = self.file.path_of(reference).ok().flatten().map_or(Value::Null, Value::from);
        match reference.part() {
            Some(ReferenceTarget::Region(selection)) => json!({ "path": path, "npoints": points(&selection) }),
            _ => path,
        }
    }
}

/// Elements that a region has; null where it has no end.
fn points(selection: &Selection) -> Value {
    match selection {
        Selection::Points(points) => points.0.len().into(),
        Selection::Hyperslab(slab) => {
            let counts = slab.count.iter().chain(&slab.block);
            counts.fold(1u64, |n, count| n.saturating_mul(*count)).into()
        }
        Selection::Blocks(blocks) => {
            let one = |(first, last): &(Vec<u64>, Vec<u64>)| {
                let sides = first.iter().zip(last).map(|(a, b)| b.saturating_sub(*a).saturating_add(1));
                sides.fold(1u64, u64::saturating_mul)
            };
            blocks.0.iter().map(one).fold(0u64, u64::saturating_add).into()
        }
        Selection::None => 0.into(),
        _ => Value::Null,
    }
}
