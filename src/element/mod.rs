//! The file's datatypes to Rust types.
//!
//! | Rust | is read from |
//! |---|---|
//! | integers, `u128` and `i128` included | fixed-point, enumeration, bitfield, time, floating-point with whole values |
//! | `f64`, `f32`, `half::f16`, `half::bf16` | floating-point of any layout, fixed-point |
//! | [`Lossy<T>`] of these | the same, rounded to the nearest where it does not fit |
//! | `bool` | the enumeration of FALSE and TRUE, or integers 0 and 1 |
//! | `String` | fixed and variable-length strings that are UTF-8, names of an enumeration |
//! | [`Strings`] | the same, all of them in one piece of memory |
//! | [`Text`](crate::bytes::Text) | strings of any bytes |
//! | [`Bytes`] | the bytes of any element as they are stored |
//! | `Vec<T>` | variable-length sequences and arrays of what `T` is read from |
//! | `[T; N]` | arrays of `N`, complex numbers (`N` = 2) |
//! | `Option<T>` | what `T` is read from; `None` for null references, strings and sequences |
//! | [`Reference`] | references of every kind |
//! | a struct made by [`compound!`](crate::compound) | compounds that have its members |
//! | [`Value`] | everything |
//!
//! A conversion that cannot lose is done; one that could is checked value by value and fails, naming the
//! value and its place.

mod compound;
mod convert;
mod fixed_point;
mod floating_point;
mod number;
mod output;
mod reference;
mod sequence;
mod strings;
mod text;
mod value;

use crate::bytes::{Block, Widths};
use crate::error::{Cause, Error, Result};
use crate::format::message::datatype::Datatype;
use crate::format::reference::HeapPlace;

pub use compound::{Column, in_parts, member};
pub(crate) use convert::convert;
pub(crate) use fixed_point::{FixedPointReader, Integer};
#[cfg(feature = "wasm")]
pub(crate) use floating_point::{FloatingPointReader, Wide};
pub use number::Lossy;
#[cfg(feature = "wasm")]
pub(crate) use number::Written;
pub use output::{Gather, Output, one};
pub(crate) use reference::selection;
pub use reference::{Reference, ReferenceTarget};
#[cfg(feature = "wasm")]
pub(crate) use sequence::sequences;
pub use strings::Strings;
pub use text::Bytes;
pub use value::{Array, Value};

/// The global heap, where variable-length elements and regions are.
pub trait Heap {
    /// Size of offsets and of lengths.
    fn widths(&self) -> Widths;

    /// Says that these places will be asked for.
    ///
    /// # Errors
    /// Missing, where the source has to fetch them first.
    fn prefetch(&self, places: &mut dyn Iterator<Item = HeapPlace>) -> Result<()>;

    /// Counts bytes of memory that what was asked for becomes.
    ///
    /// # Errors
    /// More than what is in the heap can rightly become.
    fn becomes(&self, bytes: u64) -> Result<()>;

    /// Calls `with` with the bytes of an object.
    ///
    /// # Errors
    /// A place where no object is, or what `with` says.
    fn object(&self, place: HeapPlace, with: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()>;

    /// Calls `with` with the bytes of an object, and again with those of the object of the same collection whose number it
    /// gives, until it gives none.
    ///
    /// # Errors
    /// As [`object`](Self::object).
    fn objects(&self, place: HeapPlace, with: &mut dyn FnMut(Block<'_>) -> Result<Option<u32>>) -> Result<()> {
        let mut next = Some(place.index);
        while let Some(index) = next.take() {
            self.object(HeapPlace { index, ..place }, &mut |object| {
                next = with(object)?;
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Decodes elements: their bytes, one after the other, into as many values.
pub type Decoder<T> = Box<dyn Fn(&[u8], &dyn Heap, &mut [T]) -> Result<()> + Send + Sync>;

/// A Rust type that elements are read into.
pub trait Element: Sized + Send + 'static {
    /// What to call the type in errors.
    fn type_name() -> String;

    /// [`empty_vec`](Self::empty_vec) gives memory that nobody has written to yet.
    const UNTOUCHED: bool = false;

    /// A value to be overwritten.
    fn empty() -> Self;

    /// So many values to be overwritten.
    ///
    /// # Errors
    /// `Io` where memory lacks.
    fn empty_vec(n: usize) -> Result<Vec<Self>> {
        let mut values = Vec::new();
        values.try_reserve_exact(n).map_err(|_| out_of_memory::<Self>(n))?;
        values.extend((0..n).map(|_| Self::empty()));
        Ok(values)
    }

    /// A decoder for elements of this datatype.
    ///
    /// # Errors
    /// [`Type`](crate::ErrorKind::Type) where elements of the datatype are never values of this type.
    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>>;

    /// The memory of `values`, where elements of this datatype have the same bytes.
    fn native_bytes<'v>(datatype: &Datatype, values: &'v mut [Self]) -> Option<&'v mut [u8]> {
        let _ = (datatype, values);
        None
    }

    /// The value that has these bytes in memory; `None` for what is not made of its bytes.
    #[must_use]
    fn from_memory(bytes: &[u8]) -> Option<Self> {
        let _ = bytes;
        None
    }

    /// `bytes` as values, where elements of this datatype have the same bytes and they are aligned.
    fn from_native_bytes<'b>(datatype: &Datatype, bytes: &'b [u8]) -> Option<&'b [Self]> {
        let _ = (datatype, bytes);
        None
    }
}

/// The error that elements of a datatype are never values of `T`.
pub(crate) fn mismatch<T: Element>(datatype: &Datatype) -> Error {
    Cause::Type { stored: datatype.to_string(), wanted: T::type_name() }.into()
}

/// The error that a value does not fit `T`.
pub(crate) fn unfit<T: Element>(element: usize, value: impl ToString) -> Error {
    Cause::Value { element: element as u64, value: value.to_string(), wanted: T::type_name() }.into()
}

/// The error that memory lacks for `n` values.
pub(crate) fn out_of_memory<T>(n: usize) -> Error {
    let bytes = n.saturating_mul(size_of::<T>());
    Error::io(format!("{bytes} bytes of memory"), std::io::ErrorKind::OutOfMemory.into())
}

/// So many zeros, of which the system hands out the pages as they are used.
///
/// # Errors
/// `Io` where memory lacks.
pub(crate) fn zeroed<T: bytemuck::Zeroable>(n: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(n).map_err(|()| out_of_memory::<T>(n))
}

/// The elements of a run of bytes with the values they go to.
fn pairs<'a, T>(bytes: &'a [u8], values: &'a mut [T]) -> impl Iterator<Item = (usize, &'a [u8], &'a mut T)> {
    let size = bytes.len().checked_div(values.len()).unwrap_or(0);
    values.iter_mut().enumerate().map(move |(i, value)| (i, &bytes[i * size..(i + 1) * size], value))
}

#[cfg(test)]
pub(crate) mod testing;
