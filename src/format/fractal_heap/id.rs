use super::header::FractalHeap;
use crate::bytes::parse::{addr, fail, field, length, take, u8, u32, uint};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Fault, Structure};

/// A heap ID, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeapId {
    /// In a direct block: offset in the heap and length, in bytes.
    Managed {
        /// Offset in the heap's linear space.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// On its own, found through the index by a key.
    HugeIndirect {
        /// The key.
        key: u64,
    },
    /// On its own, at an address that the ID holds.
    HugeDirect {
        /// Where it is.
        address: Option<Addr>,
        /// Bytes in the file.
        length: u64,
        /// For heaps with filters: the mask of filters not applied, and the bytes without filters.
        filtered: Option<(u32, u64)>,
    },
    /// In the ID itself.
    Tiny(Vec<u8>),
}

/// IDs up to this long tell the length of a tiny object in the first byte, longer ones in two.
const SHORT_TINY: usize = 17;

impl HeapId {
    /// Takes an ID of the heap apart.
    ///
    /// # Errors
    /// An unknown version or type, or an ID that is too short.
    pub fn decode(id: Block<'_>, heap: &FractalHeap) -> Result<Self, Corrupt> {
        let w = id.widths();
        let room = id.bytes().len().saturating_sub(1);
        id.run(Structure::HeapId, move |start| {
            let (i, first) = field("version and type", u8)(start)?;
            match first >> 4 {
                0 => {
                    let (i, offset) = field("offset", uint(heap.table.offset_width()))(i)?;
                    let (i, length) = field("length", uint(heap.table.length_width(heap.max_managed)))(i)?;
                    Ok((i, Self::Managed { offset, length }))
                }
                1 if room >= Self::direct_size(heap, w) => {
                    let (i, address) = field("address", addr(w))(i)?;
                    let (i, size) = field("length", length(w))(i)?;
                    if heap.filtered.is_none() {
                        return Ok((i, Self::HugeDirect { address, length: size, filtered: None }));
                    }
                    let (i, mask) = field("filter mask", u32)(i)?;
                    let (i, memory) = field("memory size", length(w))(i)?;
                    Ok((i, Self::HugeDirect { address, length: size, filtered: Some((mask, memory)) }))
                }
                1 => {
                    let (i, key) = field("v2 B-tree key", uint(room.min(8) as u8))(i)?;
                    Ok((i, Self::HugeIndirect { key }))
                }
                2 => {
                    let (i, length) = if room < SHORT_TINY {
                        (i, usize::from(first & 0xf))
                    } else {
                        let (i, low) = field("length", u8)(i)?;
                        (i, usize::from(first & 0xf) << 8 | usize::from(low))
                    };
                    let (i, data) = field("data", take(length + 1))(i)?;
                    Ok((i, Self::Tiny(data.to_vec())))
                }
                _ => field("version and type", |i| fail(i, Fault::Value(first.into())))(start),
            }
        })
    }

    fn direct_size(heap: &FractalHeap, w: crate::bytes::Widths) -> usize {
        let plain = usize::from(w.offsets) + usize::from(w.lengths);
        if heap.filtered.is_some() { plain + 4 + usize::from(w.lengths) } else { plain }
    }

    /// Encodes an ID of the heap, padded to the heap's ID length.
    pub fn encode(&self, heap: &FractalHeap, to: &mut Emit) {
        let end = to.len() + usize::from(heap.id_length);
        let room = usize::from(heap.id_length).saturating_sub(1);
        match self {
            Self::Managed { offset, length } => {
                to.u8(0);
                to.uint(heap.table.offset_width(), *offset);
                to.uint(heap.table.length_width(heap.max_managed), *length);
            }
            Self::HugeIndirect { key } => {
                to.u8(0x10);
                to.uint(room.min(8) as u8, *key);
            }
            Self::HugeDirect { address, length, filtered } => {
                to.u8(0x10);
                to.addr(*address);
                to.length(*length);
                if let Some((mask, memory)) = filtered {
                    to.u32(*mask);
                    to.length(*memory);
                }
            }
            Self::Tiny(data) => {
                let length = data.len().saturating_sub(1);
                if room < SHORT_TINY {
                    to.u8(0x20 | length as u8);
                } else {
                    to.u8(0x20 | (length >> 8) as u8);
                    to.u8(length as u8);
                }
                to.bytes(data);
            }
        }
        to.zeros(end.saturating_sub(to.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::DoublingTable;
    use super::*;
    use crate::bytes::Widths;

    fn heap(id_length: u16) -> FractalHeap {
        FractalHeap {
            id_length,
            flags: 2,
            max_managed: 4096,
            next_huge: 0,
            huge_index: None,
            free_space: 0,
            free_space_manager: None,
            statistics: [0; 8],
            table: DoublingTable { width: 4, start: 512, max_direct: 65536, bits: 32 },
            starting_rows: 1,
            root: None,
            current_rows: 0,
            filtered: None,
        }
    }

    #[test]
    fn all_kinds() {
        let tiny = |n: usize| HeapId::Tiny((0..n as u8).collect());
        for (length, width, id) in [
            (7, 8, HeapId::Managed { offset: 0x0102_0304, length: 0x506 }),
            (7, 8, HeapId::HugeIndirect { key: 77 }),
            (7, 2, HeapId::HugeDirect { address: Some(Addr(0x60)), length: 9, filtered: None }),
            (17, 8, HeapId::HugeDirect { address: Some(Addr(0x60)), length: 9, filtered: None }),
            (7, 8, tiny(6)),
            (17, 8, tiny(16)),
            (30, 8, tiny(28)),
        ] {
            let (heap, widths) = (heap(length), Widths { offsets: width, lengths: width });
            let bytes = Emit::encode(widths, |to| id.encode(&heap, to)).expect("it fits");
            assert_eq!(bytes.len(), usize::from(length));
            assert_eq!(HeapId::decode(Block::new(&bytes, 0, widths), &heap), Ok(id));
        }
        assert!(HeapId::decode(Block::new(&[0x40; 7], 0, Widths::default()), &heap(7)).is_err());
    }
}
