//! Values as people read them.

use std::fmt::Write as _;

use h5kit::Datatype;
use h5kit::element::{Array, Value};
use h5kit::format::message::datatype::Class;

use crate::paint::{self, quoted};
use crate::references::References;
use crate::scalar;

/// How much of one element is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// Characters of a string.
    pub characters: usize,
    /// Items of a sequence or array inside an element.
    pub items: usize,
    /// Bytes of an opaque element.
    pub bytes: usize,
}

impl Most {
    /// All of it.
    pub const ALL: Self = Self { characters: usize::MAX, items: usize::MAX, bytes: usize::MAX };
    /// What is shown of the elements of a dataset.
    pub const USUAL: Self = Self { characters: 200, items: 40, bytes: 64 };
    /// What is shown of a single element.
    pub const SINGLE: Self = Self { characters: 4000, items: 400, bytes: 1000 };
    /// What is shown to give an idea.
    pub const HEAD: Self = Self { characters: 60, items: 8, bytes: 16 };
}

/// Writes values as text.
#[derive(Clone, Copy)]
pub struct Format<'a> {
    most: Most,
    references: Option<&'a References>,
}

impl Format<'static> {
    /// A format that does not look for the paths of references.
    pub fn new(most: Most) -> Self {
        Self { most, references: None }
    }
}

impl<'a> Format<'a> {
    /// A format that gives references as paths.
    pub fn with(most: Most, references: &'a References) -> Self {
        Self { most, references: Some(references) }
    }

    /// A value of this datatype as text.
    pub fn value(&self, value: &Value, datatype: &Datatype) -> String {
        let mut text = String::new();
        self.write(&mut text, value, datatype);
        text
    }

    fn write(&self, to: &mut String, value: &Value, datatype: &Datatype) {
        match (value, &datatype.class) {
            (Value::Float(n), _) => to.push_str(&scalar::float(*n, datatype)),
            (Value::String(text), _) => to.push_str(&quoted(text, self.most.characters)),
            (Value::Bits(bits), _) => {
                let digits = 2 * datatype.size as usize;
                let _ = write!(to, "0x{bits:0digits$x}");
            }
            (Value::Opaque(bytes), _) => {
                to.push_str("0x");
                to.push_str(&hex(&bytes[..bytes.len().min(self.most.bytes)]));
                if bytes.len() > self.most.bytes {
                    let _ = write!(to, "… ({} bytes)", bytes.len());
                }
            }
            (Value::Enumeration(Some(name), _), _) => to.push_str(&paint::name(name)),
            (Value::Compound(parts), Class::Compound { members }) => {
                to.push('{');
                for (i, ((name, part), member)) in parts.iter().zip(members).enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    let _ = write!(to, "{comma}{}: ", paint::name(name));
                    self.write(to, part, &member.datatype);
                }
                to.push('}');
            }
            (Value::Array(array), Class::Array { base, .. }) => self.array(to, &array.shape, array, base),
            (Value::Sequence(values), Class::VariableLength { base, .. }) => self.list(to, values, base),
            (Value::Complex(parts), Class::Complex { base, .. }) => {
                self.write(to, &parts.0, base);
                let imaginary = self.value(&parts.1, base);
                to.push_str(if imaginary.starts_with('-') { "" } else { "+" });
                to.push_str(&imaginary);
                to.push('i');
            }
            (Value::Reference(reference), _) => match self.references {
                Some(references) => to.push_str(&references.text(reference)),
                None => to.push_str(&paint::clean(&reference.to_string())),
            },
            (other, _) => {
                let _ = write!(to, "{other}");
            }
        }
    }

    /// Nested brackets: an array inside an element.
    fn array(&self, to: &mut String, shape: &[u64], array: &Array, base: &Datatype) {
        let rest = |from: usize| shape[from..].iter().fold(1usize, |n, dim| n.saturating_mul(*dim as usize)).max(1);
        to.push_str(&"[".repeat(shape.len()));
        for (i, value) in array.values.iter().enumerate() {
            if i > 0 {
                // As many brackets close and open as dimensions turn over.
                let turned = (1..shape.len()).filter(|from| i % rest(*from) == 0).count();
                let _ = write!(to, "{}, {}", "]".repeat(turned), "[".repeat(turned));
            }
            if i == self.most.items {
                let _ = write!(to, "… {} more", array.values.len() - i);
                break;
            }
            self.write(to, value, base);
        }
        to.push_str(&"]".repeat(shape.len()));
    }

    fn list(&self, to: &mut String, values: &[Value], base: &Datatype) {
        to.push('(');
        for (i, value) in values.iter().enumerate() {
            to.push_str(if i > 0 { ", " } else { "" });
            if i == self.most.items {
                let _ = write!(to, "… {} more", values.len() - i);
                break;
            }
            self.write(to, value, base);
        }
        to.push(')');
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// True where elements look best at the end of a column: numbers.
pub fn is_number(datatype: &Datatype) -> bool {
    matches!(
        datatype.class,
        Class::FixedPoint(_)
            | Class::FloatingPoint(_)
            | Class::Time { .. }
            | Class::Bitfield(_)
            | Class::Complex { .. }
    )
}
