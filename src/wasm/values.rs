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

use half::f16;
use js_sys::{
    Array, BigInt64Array, BigUint64Array, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, JsString,
    Uint8Array, Uint16Array, Uint32Array,
};
use wasm_bindgen::JsValue;

use super::describe;
use super::failure::{self, object};
use crate::digest::json::{Json, list};
use crate::element::{
    Element, FixedPointReader, FloatingPointReader, Heap, Integer, Output, Reference, ReferenceTarget, Strings, Wide,
    Written, mismatch, sequences, unfit,
};
use crate::encoding::h5col::is_boolean;
use crate::error::Result;
use crate::format::message::datatype::{ByteOrder, Class, Datatype, FixedPoint, FloatingPoint};
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

/// Appends the number that an element is; an error is the value, where it does not fit.
type Put<'p> = dyn Fn(&[u8], &mut Vec<u8>) -> std::result::Result<(), String> + 'p;

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

    /// The memory of an array of some elements. What is not the same in memory, in either order of bytes, is converted one by
    /// one: loops for each pair of types would make the module much larger.
    pub(super) fn memory(self, datatype: &Datatype, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let datatype = number(datatype);
        let native = |datatype: &Datatype| each_type!(self, T => T::native_bytes(datatype, &mut []).is_some());
        // Booleans are mostly integers with a sign.
        let same = self == Self::U8 && i8::native_bytes(datatype, &mut []).is_some() && bytes.is_ascii();
        if same || native(datatype) {
            return Ok(bytes);
        }
        if native(&turned(datatype)) {
            bytes.chunks_exact_mut(datatype.size as usize).for_each(<[u8]>::reverse);
            return Ok(bytes);
        }
        if f16::native_bytes(datatype, &mut []).is_some() {
            let wide = |half: &[u8; 2]| f16::from_le_bytes(*half).to_f32().to_le_bytes();
            return Ok(bytes.as_chunks().0.iter().flat_map(wide).collect());
        }
        match &datatype.class {
            Class::FloatingPoint(float) => self.floats(datatype, *float, &bytes),
            Class::FixedPoint(number) => {
                self.integers_of(FixedPointReader::new(datatype, number.bits, number.signed), datatype, &bytes)
            }
            Class::Bitfield(bits) => self.integers_of(FixedPointReader::new(datatype, *bits, false), datatype, &bytes),
            Class::Time { order, precision } => {
                self.integers_of(FixedPointReader::time(datatype, *order, *precision), datatype, &bytes)
            }
            _ => Err(mismatch::<f64>(datatype)),
        }
    }

    fn floats(self, datatype: &Datatype, float: FloatingPoint, bytes: &[u8]) -> Result<Vec<u8>> {
        let reader = FloatingPointReader::new(datatype, float).ok_or_else(|| mismatch::<f64>(datatype))?;
        self.each(datatype, bytes, &|element, memory| {
            let Wide { nearest, exact } = reader.read(element);
            let narrow = nearest as f32;
            let fits = self == Self::F64 || f64::from(narrow) == nearest || nearest.is_nan();
            if !exact || !fits {
                return Err(nearest.written());
            }
            match self {
                Self::F64 => memory.extend(nearest.to_le_bytes()),
                _ => memory.extend(narrow.to_le_bytes()),
            }
            Ok(())
        })
    }

    fn integers_of(self, reader: FixedPointReader, datatype: &Datatype, bytes: &[u8]) -> Result<Vec<u8>> {
        let (size, signed) = self.size();
        let (low, high) =
            if signed { (-1 << (8 * size - 1), (1 << (8 * size - 1)) - 1) } else { (0, (1 << (8 * size)) - 1) };
        self.each(datatype, bytes, &|element, memory| {
            let stored = reader.read(element).ok_or("an integer of more than 128 bits")?;
            let value = match stored {
                Integer::Signed(n) => Some(n),
                Integer::Unsigned(n) => i128::try_from(n).ok(),
            };
            let value = value.filter(|n| (low..=high).contains(n)).ok_or_else(|| stored.to_string())?;
            memory.extend_from_slice(&value.to_le_bytes()[..size]);
            Ok(())
        })
    }

    /// Bytes of a number, and whether it may be negative.
    fn size(self) -> (usize, bool) {
        match self {
            Self::I8 => (1, true),
            Self::I16 => (2, true),
            Self::I32 => (4, true),
            Self::I64 => (8, true),
            Self::U8 => (1, false),
            Self::U16 => (2, false),
            Self::U32 | Self::F32 => (4, false),
            Self::U64 | Self::F64 => (8, false),
        }
    }

    /// Appends what `put` makes of each element; an error of it is a value that does not fit.
    fn each(self, datatype: &Datatype, bytes: &[u8], put: &Put<'_>) -> Result<Vec<u8>> {
        let mut memory = Vec::with_capacity(elements(datatype, bytes) * self.size().0);
        for (i, element) in bytes.chunks_exact(datatype.size.max(1) as usize).enumerate() {
            put(element, &mut memory).map_err(|value| each_type!(self, T => unfit::<T>(i, value)))?;
        }
        Ok(memory)
    }

    fn values(self, datatype: &Datatype, bytes: &[u8]) -> Result<JsValue> {
        Ok(self.array_of(&self.memory(datatype, bytes.to_vec())?))
    }

    /// An array of this memory.
    fn array_of(self, memory: &[u8]) -> JsValue {
        let bytes = Uint8Array::from(memory);
        let buffer = bytes.buffer();
        match self {
            Self::I8 => Int8Array::new(&buffer).into(),
            Self::I16 => Int16Array::new(&buffer).into(),
            Self::I32 => Int32Array::new(&buffer).into(),
            Self::I64 => BigInt64Array::new(&buffer).into(),
            Self::U8 => bytes.into(),
            Self::U16 => Uint16Array::new(&buffer).into(),
            Self::U32 => Uint32Array::new(&buffer).into(),
            Self::U64 => BigUint64Array::new(&buffer).into(),
            Self::F32 => Float32Array::new(&buffer).into(),
            Self::F64 => Float64Array::new(&buffer).into(),
        }
    }
}

/// Numbers that have an array in JavaScript.
#[cfg(feature = "wasm-tables")]
pub(super) trait Number: bytemuck::NoUninit {
    /// The array.
    const NUMBERS: Numbers;
}

#[cfg(feature = "wasm-tables")]
macro_rules! numbers {
    ($($t:ty, $variant:ident;)*) => {$(
        impl Number for $t {
            const NUMBERS: Numbers = Numbers::$variant;
        }
    )*};
}

#[cfg(feature = "wasm-tables")]
numbers! { i8, I8; i16, I16; i32, I32; i64, I64; u8, U8; u16, U16; u32, U32; u64, U64; f32, F32; f64, F64; }

/// An array of these numbers.
#[cfg(feature = "wasm-tables")]
pub(super) fn array_of<T: Number>(values: &[T]) -> JsValue {
    T::NUMBERS.array_of(bytemuck::cast_slice(values))
}

/// What the numbers within elements are.
fn number(datatype: &Datatype) -> &Datatype {
    match &datatype.class {
        Class::Enumeration { base, .. } | Class::Array { base, .. } | Class::Complex { base, .. } => number(base),
        _ => datatype,
    }
}

fn decode<T: Element>(datatype: &Datatype, bytes: &[u8], heap: &dyn Heap) -> Result<Vec<T>> {
    let decoder = T::decoder(datatype)?;
    let mut values = T::empty_vec(elements(datatype, bytes))?;
    decoder(bytes, heap, &mut values)?;
    Ok(values)
}

/// A datatype with the bytes of each element in the other order.
fn turned(datatype: &Datatype) -> Datatype {
    let mut turned = datatype.clone();
    if let Class::FixedPoint(FixedPoint { bits, .. })
    | Class::Bitfield(bits)
    | Class::FloatingPoint(FloatingPoint { bits, .. }) = &mut turned.class
    {
        bits.order = match bits.order {
            ByteOrder::Little => ByteOrder::Big,
            ByteOrder::Big => ByteOrder::Little,
            ByteOrder::Vax => ByteOrder::Vax,
        };
    }
    turned
}

/// Elements that some bytes are.
fn elements(datatype: &Datatype, bytes: &[u8]) -> usize {
    bytes.len().checked_div(datatype.size as usize).unwrap_or(0)
}

/// Elements by their bytes, one after the other.
pub(super) fn values(datatype: &Datatype, bytes: &[u8], heap: &dyn Heap) -> Result<JsValue> {
    if let Some(numbers) = Numbers::of(datatype) {
        return numbers.values(datatype, bytes);
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
        // Each character begins with one byte that says whether it is two letters.
        let letters = |byte: &u8| usize::from(byte & 0xc0 != 0x80) + usize::from(*byte >= 0xf0);
        let (mut start, mut letters_before) = (0, 0);
        let ends = strings.offsets().iter().skip(1).map(|end| {
            letters_before += strings.as_str().as_bytes()[start..*end as usize].iter().map(letters).sum::<usize>();
            start = *end as usize;
            letters_before as f64
        });
        ends.collect()
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
        Selection::Hyperslab(slab) => ("hyperslab", [&slab.start[..], &slab.stride, &slab.count, &slab.block].concat()),
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
