use super::{Decoder, Element, Heap, mismatch, pairs};
use crate::bytes::Block;
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::message::datatype::{Class, Datatype};
use crate::format::reference::{HeapPlace, VariableLengthElement};

/// Makes a value of the bytes in the heap of each variable-length element; `base_size` is the size of what
/// the element counts. `make` gets the element's number, its count, and exactly that many bytes.
pub(super) fn variable_length<T>(
    bytes: &[u8],
    base_size: usize,
    heap: &dyn Heap,
    values: &mut [T],
    make: impl Fn(usize, usize, &[u8]) -> Result<T>,
) -> Result<()> {
    each_object(bytes, values.len(), base_size, heap, |i, n, bytes| {
        values[i] = make(i, n, bytes)?;
        Ok(())
    })
}

/// Calls `with` for each of `n` variable-length elements, in order: with its number, its count, and exactly the bytes that
/// it counts; none where there is nothing in the heap. Where the source lacks something the elements after it are asked
/// for all the same, and it is an error in the end.
pub(super) fn each_object(
    bytes: &[u8],
    n: usize,
    base_size: usize,
    heap: &dyn Heap,
    mut with: impl FnMut(usize, usize, &[u8]) -> Result<()>,
) -> Result<()> {
    let (size, widths) = (bytes.len().checked_div(n).unwrap_or(0), heap.widths());
    let element = |i: usize| VariableLengthElement::decode(Block::new(&bytes[i * size..(i + 1) * size], 0, widths));
    let (mut fault, mut last) = (None, None);
    // Mostly the one after is in the same collection.
    let mut places = (0..n).filter_map(|i| {
        let place = element(i).unwrap_or_else(|e| nothing(&mut fault, e)).place?;
        let before = last.replace(place.collection);
        (before != Some(place.collection)).then_some(place)
    });
    let prefetched = heap.prefetch(&mut places);
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    prefetched?;
    let mut missing = None;
    let mut i = 0;
    while i < n {
        let mut this = element(i)?;
        let asked = match stored(&this) {
            None => with(i, 0, &[]).map(|()| i += 1),
            Some(first) => heap.objects(first, &mut |object| {
                with(i, this.length as usize, counted(object, this.length, base_size)?)?;
                i += 1;
                while i < n {
                    this = element(i)?;
                    match stored(&this) {
                        None => with(i, 0, &[])?,
                        Some(place) if place.collection == first.collection => return Ok(Some(place.index)),
                        Some(_) => break,
                    }
                    i += 1;
                }
                Ok(None)
            }),
        };
        match asked {
            Ok(()) => continue,
            Err(e) if e.is_missing() => missing = Some(e),
            Err(e) if missing.is_none() => return Err(e),
            Err(_) => {}
        }
        // It is about the element where it stopped.
        i += 1;
    }
    missing.map_or(Ok(()), Err)
}

/// The bytes of what `n` variable-length elements count, one after the other, and where those of each end.
#[cfg(feature = "wasm")]
pub(crate) fn sequences(bytes: &[u8], n: usize, base_size: usize, heap: &dyn Heap) -> Result<(Vec<u8>, Vec<usize>)> {
    let (mut all, mut ends) = (Vec::new(), Vec::with_capacity(n));
    each_object(bytes, n, base_size, heap, |_, _, bytes| {
        all.extend_from_slice(bytes);
        ends.push(all.len());
        Ok(())
    })?;
    Ok((all, ends))
}

/// Where what an element counts is, if it counts anything.
fn stored(element: &VariableLengthElement) -> Option<HeapPlace> {
    element.place.filter(|_| element.length > 0)
}

/// Notes the first fault of an element.
fn nothing(fault: &mut Option<Corrupt>, new: Corrupt) -> VariableLengthElement {
    fault.get_or_insert(new);
    VariableLengthElement { length: 0, place: None }
}

/// The bytes of `n` elements of an object, which must have them.
fn counted(object: Block<'_>, n: u32, base_size: usize) -> Result<&[u8]> {
    let needed = u64::from(n) * base_size as u64;
    match usize::try_from(needed).ok().and_then(|needed| object.bytes().get(..needed)) {
        Some(bytes) => Ok(bytes),
        None => {
            let needed = needed.saturating_sub(object.bytes().len() as u64);
            Err(object.corrupt(Structure::Element, "length", Fault::Truncated { needed }).into())
        }
    }
}

impl<T: Element> Element for Vec<T> {
    fn type_name() -> String {
        format!("Vec<{}>", T::type_name())
    }

    fn empty() -> Self {
        Self::new()
    }

    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
        match &datatype.class {
            Class::VariableLength { is_string: false, base, .. } => {
                let inner = T::decoder(base)?;
                let size = base.size as usize;
                Ok(Box::new(move |bytes, heap, values| {
                    variable_length(bytes, size, heap, values, |_, n, bytes| {
                        heap.becomes((n as u64).saturating_mul(size_of::<T>() as u64))?;
                        let mut sequence = T::empty_vec(n)?;
                        inner(bytes, heap, &mut sequence)?;
                        Ok(sequence)
                    })
                }))
            }
            Class::Array { base, .. } => {
                let inner = T::decoder(base)?;
                let n = datatype.array_elements() as usize;
                Ok(Box::new(move |bytes, heap, values| {
                    for (_, element, value) in pairs(bytes, values) {
                        *value = T::empty_vec(n)?;
                        inner(element, heap, value)?;
                    }
                    Ok(())
                }))
            }
            _ => Err(mismatch::<Self>(datatype)),
        }
    }
}

impl<T: Element, const N: usize> Element for [T; N] {
    fn type_name() -> String {
        format!("[{}; {N}]", T::type_name())
    }

    fn empty() -> Self {
        std::array::from_fn(|_| T::empty())
    }

    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
        let inner = match &datatype.class {
            Class::Array { base, .. } if datatype.array_elements() == N as u64 => T::decoder(base)?,
            Class::Complex { base, form: 0, .. } if N == 2 => T::decoder(base)?,
            _ => return Err(mismatch::<Self>(datatype)),
        };
        Ok(Box::new(move |bytes, heap, values| {
            for (_, element, value) in pairs(bytes, values) {
                inner(element, heap, value)?;
            }
            Ok(())
        }))
    }
}

impl<T: Element> Element for Option<T> {
    fn type_name() -> String {
        format!("Option<{}>", T::type_name())
    }

    fn empty() -> Self {
        None
    }

    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
        let inner = T::decoder(datatype)?;
        let is_null: fn(&[u8], &dyn Heap) -> Result<bool> = match &datatype.class {
            Class::VariableLength { .. } => |element, heap| {
                let element = VariableLengthElement::decode(Block::new(element, 0, heap.widths()))?;
                Ok(element.place.is_none())
            },
            Class::Reference { .. } => |element, _| Ok(element.iter().all(|b| *b == 0)),
            _ => |_, _| Ok(false),
        };
        Ok(Box::new(move |bytes, heap, values| {
            let mut present = T::empty_vec(values.len())?;
            inner(bytes, heap, &mut present)?;
            for ((_, element, value), present) in pairs(bytes, values).zip(present) {
                *value = if is_null(element, heap)? { None } else { Some(present) };
            }
            Ok(())
        }))
    }
}
