//! Local heaps: names by their offsets.

use std::sync::Arc;

use super::{Run, Storage};
use crate::bytes::{Addr, Text};
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::local_heap::LocalHeap;

/// A local heap, opened. Its data segment is read where a name is asked for.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) address: Addr,
    pub(crate) heap: LocalHeap,
}

/// Bytes in which most names end.
const FIRST_READ: u64 = 64;

/// Bytes of segments that are read as a whole for a single name.
const SMALL: u64 = 64 << 10;

impl Names {
    /// Opens the heap at an address.
    pub(crate) fn open(storage: &Storage, address: Addr) -> Result<Arc<Self>> {
        const S: Structure = Structure::LocalHeap;
        storage.memo(address, S, || {
            let length = LocalHeap::size(storage.widths()) as u64;
            let run = storage.read(address, length, S)?;
            Ok((Self { address, heap: LocalHeap::decode(run.block())? }, length))
        })
    }

    /// The whole data segment.
    pub(crate) fn segment<'s>(&self, storage: &'s Storage) -> Result<Run<'s>> {
        storage.read(self.data(storage)?, self.heap.data_size, Structure::LocalHeap)
    }

    /// The whole data segment, to look up more than one name; `None` where it is large.
    pub(crate) fn kept_segment(&self, storage: &Storage) -> Result<Option<Arc<Run<'static>>>> {
        if self.heap.data_size > SMALL {
            return Ok(None);
        }
        let segment = || Ok((self.segment(storage)?.into_owned(), self.heap.data_size));
        storage.memo(self.data(storage)?, Structure::LocalHeap, segment).map(Some)
    }

    /// The name at an offset of a segment that was read.
    pub(crate) fn in_segment(&self, segment: &Run<'_>, offset: u64) -> Result<Text> {
        self.bytes_in_segment(segment, offset).map(Text::from)
    }

    /// The bytes of the name at an offset of a segment that was read.
    pub(crate) fn bytes_in_segment<'r>(&self, segment: &'r Run<'_>, offset: u64) -> Result<&'r [u8]> {
        let block = segment.block();
        let from = usize::try_from(offset).ok().and_then(|offset| block.bytes().get(offset..));
        let name = from.and_then(|from| Some(&from[..from.iter().position(|b| *b == 0)?]));
        name.ok_or_else(|| {
            Corrupt::new(Structure::LocalHeap, "link name offset", block.at(), Fault::Value(offset)).into()
        })
    }

    /// The name at an offset, of which no more is read than needed.
    pub(crate) fn name(&self, storage: &Storage, offset: u64) -> Result<Text> {
        let data = self.data(storage)?;
        let mut length = FIRST_READ;
        loop {
            let left = self.heap.data_size.saturating_sub(offset);
            if left == 0 {
                let fault = Fault::Value(offset);
                let at = storage.position(self.address);
                return Err(Corrupt::new(Structure::LocalHeap, "link name offset", at, fault).into());
            }
            let run = storage.read(data.plus(offset), length.min(left), Structure::LocalHeap)?;
            let bytes = run.block().bytes();
            if let Some(end) = bytes.iter().position(|b| *b == 0) {
                return Ok(bytes[..end].into());
            }
            if length >= left {
                return Err(run.block().corrupt(Structure::LocalHeap, "name", Fault::Truncated { needed: 1 }).into());
            }
            length *= 8;
        }
    }

    fn data(&self, storage: &Storage) -> Result<Addr> {
        self.heap.data.ok_or_else(|| {
            let at = storage.position(self.address);
            Corrupt::new(Structure::LocalHeap, "address of data segment", at, Fault::Undefined).into()
        })
    }
}
