//! Versions 1 and 2 (IV.A.2.i, "Version 1 and 2").

use super::chunked::{ChunkIndex, Chunked, checked_dims};
use super::{LayoutClass, OldDimensions};
use crate::bytes::parse::{Parsed, addr, array, cond, counted, fail, field, take, u8, u32};
use crate::bytes::{Emit, Widths};
use crate::error::Fault;

pub(super) fn parse(i: &[u8], w: Widths) -> Parsed<'_, (LayoutClass, OldDimensions)> {
    let (i, rank) = field("dimensionality", u8)(i)?;
    let (after, class) = field("layout class", u8)(i)?;
    let (after, reserved) = field("reserved", array::<5>)(after)?;
    let (after, address) = field("address", cond(class != 0, addr(w)))(after)?;
    let (after, dims) = field("dimension sizes", counted(rank.into(), 4, u32))(after)?;
    let address = address.flatten();
    match class {
        0 => {
            let (after, size) = field("compact data size", u32)(after)?;
            let (after, data) = field("compact data", take(size as usize))(after)?;
            Ok((after, (LayoutClass::Compact { data: data.to_vec() }, OldDimensions { reserved, dims })))
        }
        1 => Ok((after, (LayoutClass::Contiguous { address, size: None }, OldDimensions { reserved, dims }))),
        2 => {
            let dims = dims.into_iter().map(u64::from).collect();
            let (_, dims) = checked_dims(dims)(i)?;
            let chunked = Chunked { flags: 0, dims, dim_width: 4, index: ChunkIndex::BTreeV1, address };
            let old = OldDimensions { reserved, dims: Vec::new() };
            Ok((after, (LayoutClass::Chunked(chunked), old)))
        }
        other => field("layout class", |i| fail(i, Fault::Value(other.into())))(i),
    }
}

pub(super) fn encode(class: &LayoutClass, old: &OldDimensions, to: &mut Emit) {
    let (number, address, rank) = match class {
        LayoutClass::Compact { .. } | LayoutClass::Virtual { .. } => (0, None, old.dims.len()),
        LayoutClass::Contiguous { address, .. } => (1, Some(*address), old.dims.len()),
        LayoutClass::Chunked(chunked) => (2, Some(chunked.address), chunked.dims.len()),
    };
    to.uint(1, rank as u64);
    to.u8(number);
    to.bytes(&old.reserved);
    if let Some(address) = address {
        to.addr(address);
    }
    old.dims.iter().for_each(|n| to.u32(*n));
    match class {
        LayoutClass::Chunked(chunked) => chunked.dims.iter().for_each(|n| to.uint(4, *n)),
        LayoutClass::Compact { data } => {
            to.uint(4, data.len() as u64);
            to.bytes(data);
        }
        LayoutClass::Contiguous { .. } | LayoutClass::Virtual { .. } => {}
    }
}
