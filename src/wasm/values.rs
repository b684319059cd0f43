//! Elements as JavaScript arrays.
//!
//! | elements | become |
//! |---|---|
//! | numbers, also of enumerations, arrays and complex numbers | one typed array |
//! | strings | `{text, ends}`: all in one string, and where each ends in it |
//! | compounds | an array of what their members become |
//! | sequences | `{values, ends}` |
//! | references | JSON |
//! | opaque | their bytes |

use js_sys::{
        Array, BigInt64Array, BigUint64Array, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, JsString,
    Uint8Array, Uint16Array, Uint32Array,
};
use wasm_bindgen::JsValue;

use super::describe;
use super::failure::{self, object};
use crate::digest::json::{Json, list};
use crate::element::{Element, Heap, Output, Reference, ReferenceTarget, Strings, sequences};
use crate::encoding::h5col::is_boolean;
use crate::error::Result;
use crate::format::message::datatype::{Class, Datatype};
use crate::object::{Attribute, FileHeap};
use crate::selection::Selection;
use crate::walk::each;

/// The typed arrays that numbers go into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

/// Runs `$body` with the type of the numbers.
macro_rules! each_type {
    ($numbers:expr, $t:ident => $body:expr) => {
        each_type!(@ $numbers, $t, $body,
            I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64)
    };
    (@ $numbers:expr, $t:ident, $body:expr, $($variant:ident $type:ty),*) => {
        match $numbers {
            $(Numbers::$variant => {
                type $t = $type;
                $body
            })*
        }
    };
}

impl Numbers {
    /// What elements of a datatype go into, where they are numbers of one kind.
    pub(super) fn of(datatype: &Datatype) -> Option<Self> {
        match &datatype.class {
            Class::FixedPoint(number) => Some(Self::integers(datatype.size, number.signed)),
            Class::Time { .. } => Some(Self::integers(datatype.size, true)),
            Class::Bitfield(_) => Some(Self::integers(datatype.size, false)),
            Class::FloatingPoint(number) if number.mantissa_size <= 23 && number.exponent_size <= 8 => Some(Self::F32),
            Class::FloatingPoint(_) => Some(Self::F64),
            Class::Enumeration { .. } if is_boolean(datatype) => Some(Self::U8),
            Class::Enumeration { base, .. } | Class::Array { base, .. } | Class::Complex { base, .. } => Self::of(base),
            _ => None,
        }
    }

    fn integers(size: u32, signed: bool) -> Self {
        match (size, signed) {
            (0..=1, true) => Self::I8,
            (2, true) => Self::I16,
            (3..=4, true) => Self::I32,
            (_, true) => Self::I64,
            (0..=1, false) => Self::U8,
            (2, false) => Self::U16,
            (3..=4, false) => Self::U32,
            (_, false) => Self::U64,
        }
    }

    /// The name of the array.
    pub(super) fn array(self) -> &'static str {
        match self {
            Self::I8 => "Int8Array",
            Self::I16 => "Int16Array",
            Self::I32 => "Int32Array",
            Self::I64 => "BigInt64Array",
            Self::U8 => "Uint8Array",
            Self::U16 => "Uint16Array",
            Self::U32 => "Uint32Array",
            Self::U64 => "BigUint64Array",
            Self::F32 => "Float32Array",
            Self::F64 => "Float64Array",
        }
    }

    /// Numbers in one element.
    pub(super) fn count(self, datatype: &Datatype) -> u64 {
        match &datatype.class {
            Class::Array { base, .. } => datatype.array_elements().saturating_mul(self.count(base)),
            Class::Complex { base, .. } => 2 * self.count(base),
            _ => 1,
        }
    }

    /// Writes elements to the beginning of the memory of an array, and gives how many bytes they are.
    pub(super) fn fill(
        self,
        datatype: &Datatype,
        bytes: Vec<u8>,
        heap: &dyn Heap,
        target: &Uint8Array,
    ) -> Result<usize> {
        let datatype = number(datatype);
        each_type!(self, T => {
            if T::native_bytes(datatype, &mut []).is_some() {
                copy(&bytes, target)
            } else {
                copy(bytemuck::cast_slice(&decode::<T>(datatype, &bytes, heap)?), target)
            }
        })
    }

    fn values(self, datatype: &Datatype, bytes: &[u8], heap: &dyn Heap) -> Result<JsValue> {
        let datatype = number(datatype);
        Ok(match self {
            Self::I8 => Int8Array::from(&decode::<i8>(datatype, bytes, heap)?[..]).into(),
            Self::I16 => Int16Array::from(&decode::<i16>(datatype, bytes, heap)?[..]).into(),
            Self::I32 => Int32Array::from(&decode::<i32>(datatype, bytes, heap)?[..]).into(),
            Self::I64 => BigInt64Array::from(&decode::<i64>(datatype, bytes, heap)?[..]).into(),
            Self::U8 => Uint8Array::from(&decode::<u8>(datatype, bytes, heap)?[..]).into(),
            Self::U16 => Uint16Array::from(&decode::<u16>(datatype, bytes, heap)?[..]).into(),
            Self::U32 => Uint32Array::from(&decode::<u32>(datatype, bytes, heap)?[..]).into(),
            Self::U64 => BigUint64Array::from(&decode::<u64>(datatype, bytes, heap)?[..]).into(),
            Self::F32 => Float32Array::from(&decode::<f32>(datatype, bytes, heap)?[..]).into(),
            Self::F64 => Float64Array::from(&decode::<f64>(datatype, bytes, heap)?[..]).into(),
        })
    }
}

/// What the numbers within elements are.
fn number(datatype: &Datatype) -> &Datatype {
    match &datatype.class {
        Class::Enumeration { base, .. } | Class::Array { base, .. } | Class::Complex { base, .. } => number(base),
        _ => datatype,
    }
}

/// Bytes to the beginning of an array; what has no room there is left.
fn copy(bytes: &[u8], target: &Uint8Array) -> Result<usize> {
    let room = bytes.len().min(target.length() as usize);
    target.subarray(0, room as u32).copy_from(&bytes[..room]);
    Ok(room)
}

fn decode<T: Element>(datatype: &Datatype, bytes: &[u8], heap: &dyn Heap) -> Result<Vec<T>> {
    let decoder = T::decoder(datatype)?;
    let mut values = T::empty_vec(elements(datatype, bytes))?;
    decoder(bytes, heap, &mut values)?;
    Ok(values)
}

/// Elements that some bytes are.
fn elements(datatype: &Datatype, bytes: &[u8]) -> usize {
    bytes.len().checked_div(datatype.size as usize).unwrap_or(0)
}

/// Elements by their bytes, one after the other.
pub(super) fn values(datatype: &Datatype, bytes: &[u8], heap: &dyn Heap) -> Result<JsValue> {
    if let Some(numbers) = Numbers::of(datatype) {
        return numbers.values(datatype, bytes, heap);
    }
    match &datatype.class {
        Class::Opaque { .. } => Ok(Uint8Array::from(bytes).into()),
        Class::Compound { members } => {
            let columns = Array::new();
            each(members, |member| {
                let (start, size) = (member.offset as usize, member.datatype.size as usize);
                let rows = bytes.chunks_exact(datatype.size.max(1) as usize);
                let column: Vec<u8> = rows.flat_map(|row| &row[start..start + size]).copied().collect();
                columns.push(&values(&member.datatype, &column, heap)?);
                Ok(())
            })?;
            Ok(columns.into())
        }
        Class::Reference { .. } => {
            let references = decode::<Reference>(datatype, bytes, heap)?;
            Ok(list(references.iter().map(reference)).into())
        }
        Class::VariableLength { is_string: false, base, .. } => {
            let n = elements(datatype, bytes);
            let (all, ends) = sequences(bytes, n, base.size as usize, heap)?;
            let size = base.size.max(1) as usize;
            let ends: Vec<f64> = ends.into_iter().map(|end| (end / size) as f64).collect();
            let inner = values(base, &all, heap)?;
            Ok(object(&[("values", inner), ("ends", Float64Array::from(&ends[..]).into())]).into())
        }
        // An array of what is no number.
        Class::Array { base, .. } => values(base, bytes, heap),
        _ => strings(datatype, bytes, heap),
    }
}

fn strings(datatype: &Datatype, bytes: &[u8], heap: &dyn Heap) -> Result<JsValue> {
    let n = elements(datatype, bytes);
    let Some(mut gather) = Strings::gather(datatype)? else { return Ok(JsValue::NULL) };
    gather.announce(n as u64);
    gather.add(bytes, n, heap)?;
    Ok(texts(&gather.finish(&[n as u64])?))
}

/// Strings as JavaScript counts their letters.
pub(super) fn texts(strings: &Strings) -> JsValue {
    let ends: Vec<f64> = if strings.as_str().is_ascii() {
        strings.offsets().iter().skip(1).map(|end| *end as f64).collect()
    } else {
        let mut end = 0;
        let lengths = strings.iter().map(|text| text.chars().map(char::len_utf16).sum::<usize>());
        lengths.map(|length| { end += length; end as f64 }).collect()
    };
    let text = JsString::from(strings.as_str());
    object(&[("text", text.into()), ("ends", Float64Array::from(&ends[..]).into())]).into()
}

fn reference(reference: &Reference) -> String {
    let (Some(address), Some(part)) = (reference.address(), reference.part()) else { return "null".to_owned() };
    let mut json = Json::object();
    json.number("address", address);
    if let Some(file) = reference.file() {
        json.text("file", &file.display());
    }
    match part {
        ReferenceTarget::Object => json.text("kind", "object"),
        ReferenceTarget::Attribute(name) => {
            json.text("kind", "attribute");
            json.text("name", &name);
        }
        ReferenceTarget::Region(selection) => {
            json.text("kind", "region");
            region(&mut json, &selection);
        }
    }
    json.finish()
}

/// A selection as [`selection`](super::selection::selection) takes it.
fn region(json: &mut Json, selection: &Selection) {
    let (form, numbers) = match selection {
        Selection::All => ("all", Vec::new()),
        Selection::Points(points) => ("points", points.0.concat()),
        Selection::Blocks(blocks) => {
            ("blocks", blocks.0.iter().flat_map(|(first, last)| [&first[..], last].concat()).collect())
        }
        Selection::Hyperslab(slab) => {
            ("hyperslab", [&slab.start[..], &slab.stride, &slab.count, &slab.block].concat())
        }
        // No reference holds the others.
        Selection::None | Selection::Slices(_) | Selection::Mask(_) => ("none", Vec::new()),
    };
    json.text("form", form);
    json.raw("numbers", &describe::numbers(&numbers));
}

/// The description of an attribute as JSON, and its elements; `null` for those of a null dataspace.
pub(super) fn attribute(attribute: &Attribute) -> failure::Result<(String, JsValue)> {
    let (datatype, space) = (attribute.datatype()?, attribute.dataspace()?);
    let mut json = Json::object();
    describe::space(&mut json, &space);
    json.raw("dtype", &describe::datatype(&datatype));
    let elements = if space.is_null() {
        JsValue::NULL
    } else {
        let heap = FileHeap::new(attribute.owner().file().storage());
        let path = || format!("{}@{}", attribute.owner().path(), attribute.name());
        values(&datatype, &attribute.read_bytes()?, &heap).map_err(|e| e.in_object(&path()))?
    };
    Ok((json.finish(), elements))
}
