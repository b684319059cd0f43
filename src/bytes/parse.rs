//! The specification's field kinds as parsers on the bytes of one block.
//!
//! Every parser fails inside the block, naming the field and what was wrong with it: mostly that it ends too
//! early.
#![allow(clippy::missing_errors_doc)]

use nom::IResult;

use super::{Addr, Widths};
use crate::error::{Fault, Unsupported};

/// What a parser of this crate gives: the rest and the value.
pub type Parsed<'a, T> = IResult<&'a [u8], T, Lost<'a>>;

/// A fault together with the rest of the block where it stands.
#[derive(Debug)]
pub struct Lost<'a>(pub(super) Box<Place<'a>>);

/// What parsers give is mostly no fault, and need not have room for one.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) rest: &'a [u8],
    pub(super) field: &'static str,
    pub(super) fault: Fault,
}

#[cold]
#[inline(never)]
fn lost(rest: &[u8], fault: Fault) -> nom::Err<Lost<'_>> {
    nom::Err::Error(Lost(Box::new(Place { rest, field: "", fault })))
}

/// Names the field that a fault is in, unless it is named.
#[cold]
#[inline(never)]
fn named<'a>(name: &'static str, error: nom::Err<Lost<'a>>) -> nom::Err<Lost<'a>> {
    error.map(|mut lost| {
        if lost.0.field.is_empty() {
            lost.0.field = name;
        }
        lost
    })
}

impl<'a> nom::error::ParseError<&'a [u8]> for Lost<'a> {
    fn from_error_kind(rest: &'a [u8], kind: nom::error::ErrorKind) -> Self {
        let fault = match kind {
            nom::error::ErrorKind::Eof => Fault::Truncated { needed: 1 },
            _ => Fault::Value(rest.first().copied().unwrap_or(0).into()),
        };
        Self(Box::new(Place { rest, field: "", fault }))
    }

    fn append(_: &'a [u8], _: nom::error::ErrorKind, other: Self) -> Self {
        other
    }
}

/// Fails at `rest` with `fault`.
pub fn fail<'a, T>(rest: &'a [u8], fault: Fault) -> Parsed<'a, T> {
    Err(lost(rest, fault))
}

/// Names the field that a parser reads, for errors.
pub fn field<'a, T>(
    name: &'static str,
    mut parser: impl nom::Parser<&'a [u8], Output = T, Error = Lost<'a>>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, T> {
    move |i| parser.parse(i).map_err(|e| named(name, e))
}

/// `parser` where `present`, else nothing.
pub fn cond<'a, T>(
    present: bool,
    mut parser: impl nom::Parser<&'a [u8], Output = T, Error = Lost<'a>>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, Option<T>> {
    move |i| if present { parser.parse(i).map(|(i, value)| (i, Some(value))) } else { Ok((i, None)) }
}

/// `n` bytes.
pub fn take<'a>(n: usize) -> impl FnMut(&'a [u8]) -> Parsed<'a, &'a [u8]> {
    move |i| match i.split_at_checked(n) {
        Some((bytes, rest)) => Ok((rest, bytes)),
        None => fail(i, Fault::Truncated { needed: (n - i.len()) as u64 }),
    }
}

/// `N` bytes, known at compile time.
pub fn array<const N: usize>(i: &[u8]) -> Parsed<'_, [u8; N]> {
    match i.split_first_chunk::<N>() {
        Some((bytes, rest)) => Ok((rest, *bytes)),
        None => fail(i, Fault::Truncated { needed: (N - i.len()) as u64 }),
    }
}

/// All the bytes that are left.
pub fn rest(i: &[u8]) -> Parsed<'_, &[u8]> {
    Ok((&i[i.len()..], i))
}

/// One byte.
pub fn u8(i: &[u8]) -> Parsed<'_, u8> {
    array::<1>(i).map(|(i, [b])| (i, b))
}

/// A little-endian 16-bit number.
pub fn u16(i: &[u8]) -> Parsed<'_, u16> {
    array(i).map(|(i, b)| (i, u16::from_le_bytes(b)))
}

/// A little-endian 32-bit number.
pub fn u32(i: &[u8]) -> Parsed<'_, u32> {
    array(i).map(|(i, b)| (i, u32::from_le_bytes(b)))
}

/// A little-endian 64-bit number.
pub fn u64(i: &[u8]) -> Parsed<'_, u64> {
    array(i).map(|(i, b)| (i, u64::from_le_bytes(b)))
}

/// A little-endian number of `width` bytes; more than eight are allowed where the rest are zero.
pub fn uint<'a>(width: u8) -> impl FnMut(&'a [u8]) -> Parsed<'a, u64> {
    move |i| match width {
        8 => u64(i),
        4 => u32(i).map(|(i, n)| (i, n.into())),
        2 => u16(i).map(|(i, n)| (i, n.into())),
        _ => {
            let (after, bytes) = take(width.into())(i)?;
            let mut low = [0; 8];
            let split = bytes.len().min(8);
            low[..split].copy_from_slice(&bytes[..split]);
            if bytes[split..].iter().any(|b| *b != 0) {
                return fail(i, Fault::Unsupported(Unsupported::WideValue));
            }
            Ok((after, u64::from_le_bytes(low)))
        }
    }
}

/// A number of `width` bytes of which all bits set mean none.
pub fn optional_uint<'a>(width: u8) -> impl FnMut(&'a [u8]) -> Parsed<'a, Option<u64>> {
    move |i| {
        let (after, bytes) = take(width.into())(i)?;
        if bytes.iter().all(|b| *b == 0xff) {
            return Ok((after, None));
        }
        uint(width)(i).map(|(after, n)| (after, Some(n)))
    }
}

/// An address; `None` where it is undefined (all bits set).
pub fn addr<'a>(widths: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, Option<Addr>> {
    move |i| optional_uint(widths.offsets)(i).map(|(i, n)| (i, n.map(Addr)))
}

/// An address that must be defined.
pub fn defined<'a>(widths: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, Addr> {
    move |i| match addr(widths)(i)? {
        (after, Some(addr)) => Ok((after, addr)),
        (_, None) => fail(i, Fault::Undefined),
    }
}

/// A length.
pub fn length<'a>(widths: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, u64> {
    uint(widths.lengths)
}

/// The four bytes a structure begins with. A short block is truncated, not a wrong signature.
pub fn signature<'a>(expected: &'static [u8; 4]) -> impl FnMut(&'a [u8]) -> Parsed<'a, ()> {
    move |i| {
        let (after, found) = array::<4>(i)?;
        if found == *expected { Ok((after, ())) } else { fail(i, Fault::Signature { found }) }
    }
}

/// A version number that must be one of `known`.
pub fn version<'a>(known: &'static [u8]) -> impl FnMut(&'a [u8]) -> Parsed<'a, u8> {
    move |i| {
        let (after, found) = u8(i)?;
        if known.contains(&found) { Ok((after, found)) } else { fail(i, Fault::Version(found)) }
    }
}

/// `n` values of `size` bytes each, none of which is looked at before all are known to be there.
pub fn counted<'a, T>(
    n: u64,
    size: usize,
    mut parser: impl nom::Parser<&'a [u8], Output = T, Error = Lost<'a>>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, Vec<T>> {
    move |i| {
        let needed = n.saturating_mul(size as u64);
        if needed > i.len() as u64 {
            return fail(i, Fault::Truncated { needed: needed - i.len() as u64 });
        }
        let mut values = Vec::with_capacity(n as usize);
        let mut i = i;
        for _ in 0..n {
            let (after, value) = parser.parse(i)?;
            values.push(value);
            i = after;
        }
        Ok((i, values))
    }
}

/// Bytes up to a NUL, which is consumed.
pub fn nul_terminated(i: &[u8]) -> Parsed<'_, &[u8]> {
    match i.iter().position(|b| *b == 0) {
        Some(n) => Ok((&i[n + 1..], &i[..n])),
        None => fail(&i[i.len()..], Fault::Truncated { needed: 1 }),
    }
}

/// The bytes that fill a field which began `start` bytes ago up to a multiple of 8.
///
/// Padding that the block's end cuts short is accepted: some writers leave the last one out.
pub fn padding_to_8<'a>(length: usize) -> impl FnMut(&'a [u8]) -> Parsed<'a, ()> {
    move |i| {
        let n = (length.next_multiple_of(8) - length).min(i.len());
        Ok((&i[n..], ()))
    }
}
