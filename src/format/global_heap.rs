//! The global heap collection (III.E): variable-length data, region references, virtual mappings.
//!
//! Both the collection's head and every object's head are padded to a multiple of 8 bytes, which shows
//! where lengths have fewer than 8.

use std::ops::Range;

use crate::bytes::parse::{array, field, length, padding_to_8, signature, take, u16, u32, version};
use crate::bytes::{Block, Emit, Widths};
use crate::error::{Corrupt, Fault, Structure};

/// One object of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapObject {
    /// Its number in the collection, from 1.
    pub index: u16,
    /// Reference count; not kept by libhdf5.
    pub reference_count: u16,
    /// Reserved.
    pub reserved: u32,
    /// Where its bytes stand in the collection.
    pub data: Range<usize>,
    /// The bytes after them up to a multiple of 8: zeros, mostly.
    pub padding: Padding,
}

/// Up to seven bytes that stand between one object and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Padding([u8; 7]);

/// A collection, by the objects it holds in the file's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalHeap {
    /// Reserved.
    pub reserved: [u8; 3],
    /// Bytes of the collection, its head included.
    pub size: u64,
    /// The objects, free space left out.
    pub objects: Vec<HeapObject>,
    /// Size of the free space object as stored (its head included); `None` where there is none.
    pub free: Option<u64>,
}

impl GlobalHeap {
    /// Bytes of the collection's head.
    #[must_use]
    pub fn head(widths: Widths) -> usize {
        (8 + usize::from(widths.lengths)).next_multiple_of(8)
    }

    /// Bytes of the collection, from its first [`head`](Self::head) bytes.
    ///
    /// # Errors
    /// Another signature or version.
    pub fn decode_size(block: Block<'_>) -> Result<u64, Corrupt> {
        let w = block.widths();
        block.run(Structure::GlobalHeap, move |i| {
            let (i, ()) = field("signature", signature(b"GCOL"))(i)?;
            let (i, _) = field("version", version(&[1]))(i)?;
            let (i, _) = field("reserved", array::<3>)(i)?;
            field("collection size", length(w))(i)
        })
    }

    /// Decodes a whole collection.
    ///
    /// # Errors
    /// Another signature or version, or an object that leaves the collection.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        let object_head = Self::head(w);
        block.run(Structure::GlobalHeap, move |start| {
            let (i, ()) = field("signature", signature(b"GCOL"))(start)?;
            let (i, _) = field("version", version(&[1]))(i)?;
            let (i, reserved) = field("reserved", array)(i)?;
            let (i, size) = field("collection size", length(w))(i)?;
            let (mut i, ()) = padding_to_8(8 + usize::from(w.lengths))(i)?;
            let mut heap = Self { reserved, size, objects: Vec::new(), free: None };
            while i.len() >= object_head {
                let (after, index) = field("heap object index", u16)(i)?;
                let (after, reference_count) = field("reference count", u16)(after)?;
                let (after, reserved) = field("reserved", u32)(after)?;
                let (after, size) = field("object size", length(w))(after)?;
                if index == 0 {
                    heap.free = Some(size);
                    break;
                }
                let (after, ()) = padding_to_8(8 + usize::from(w.lengths))(after)?;
                let at = start.len() - after.len();
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                let (after, _) = field("object data", take(size))(after)?;
                i = padding_to_8(size)(after)?.0;
                let mut padding = Padding::default();
                let stored = &after[..after.len() - i.len()];
                padding.0[..stored.len()].copy_from_slice(stored);
                heap.objects.push(HeapObject { index, reference_count, reserved, data: at..at + size, padding });
            }
            Ok((i, heap))
        })
    }

    /// Encodes the collection; `data` is its bytes as decoded, of which the objects' ranges are taken.
    pub fn encode(&self, data: &[u8], to: &mut Emit) {
        let start = to.len();
        to.bytes(b"GCOL");
        to.u8(1);
        to.bytes(&self.reserved);
        to.length(self.size);
        to.pad_to_8(start);
        for object in &self.objects {
            let head = to.len();
            to.u16(object.index);
            to.u16(object.reference_count);
            to.u32(object.reserved);
            to.length(object.data.len() as u64);
            to.pad_to_8(head);
            let body = &data[object.data.clone()];
            to.bytes(body);
            to.bytes(&object.padding.0[..body.len().next_multiple_of(8) - body.len()]);
        }
        if let Some(size) = self.free {
            let head = to.len();
            to.zeros(8);
            to.length(size);
            to.pad_to_8(head);
        }
    }

    /// The object numbered `index`, as a range of the collection's bytes.
    #[must_use]
    pub fn object(&self, index: u32) -> Option<Range<usize>> {
        // libhdf5 writes them in order, so that number i is mostly the i-th.
        let guess = usize::try_from(index).ok()?.checked_sub(1)?;
        let found = match self.objects.get(guess) {
            Some(object) if u32::from(object.index) == index => Some(object),
            _ => self.objects.iter().find(|o| u32::from(o.index) == index),
        };
        found.map(|o| o.data.clone())
    }

    /// Where the objects of a whole collection stand, by their numbers: an empty range at 0 for a number that none has.
    /// They take the place of what was in `places`. False where the collection is anything but usual, or at fault:
    /// [`decode`](Self::decode) says what it is.
    pub fn places(block: Block<'_>, places: &mut Vec<Range<usize>>) -> bool {
        const HEAD: usize = 16;
        let bytes = block.bytes();
        places.clear();
        if block.widths().lengths != 8 || !bytes.starts_with(b"GCOL\x01") {
            return false;
        }
        let mut at = HEAD;
        while let Some(head) = bytes.get(at..).and_then(|rest| rest.first_chunk::<HEAD>()) {
            let [low, high, _, _, _, _, _, _, size @ ..] = head;
            let index = usize::from(u16::from_le_bytes([*low, *high]));
            if index == 0 {
                break;
            }
            let start = at + HEAD;
            let size = usize::try_from(u64::from_le_bytes(*size)).ok();
            let end = size.and_then(|size| start.checked_add(size)).filter(|end| *end <= bytes.len());
            let Some(end) = end.filter(|_| index <= bytes.len()) else { return false };
            if index == places.len() {
                places.push(start..end);
            } else {
                if index > places.len() {
                    places.resize(index + 1, 0..0);
                } else if places[index].start != 0 {
                    return false;
                }
                places[index] = start..end;
            }
            at = end.next_multiple_of(8);
        }
        true
    }

    /// A fault of this collection: it has no object of that number.
    #[must_use]
    pub fn no_object(at: u64, index: u32) -> Corrupt {
        Corrupt::new(Structure::GlobalHeap, "heap object index", at, Fault::Value(index.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places_of(block: Block<'_>) -> Option<Vec<Range<usize>>> {
        let mut places = vec![1..2; 3];
        GlobalHeap::places(block, &mut places).then_some(places)
    }

    #[test]
    fn places_are_those_of_the_objects() {
        let collection = |objects: &[(u16, &[u8])], free: bool| {
            let widths = Widths::default();
            let mut bytes = b"GCOL\x01\0\0\0\0\0\0\0\0\0\0\0".to_vec();
            for (index, data) in objects {
                bytes.extend_from_slice(&index.to_le_bytes());
                bytes.extend_from_slice(&[1, 0, 0, 0, 0, 0]);
                bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
                bytes.extend_from_slice(data);
                bytes.resize(bytes.len().next_multiple_of(8), 0);
            }
            if free {
                bytes.extend_from_slice(&[0; 40]);
            }
            let block = Block::new(&bytes, 0, widths);
            (places_of(block), GlobalHeap::decode(block).expect("it decodes"))
        };
        for free in [true, false] {
            let (places, heap) = collection(&[(1, b"abc"), (3, b""), (2, b"12345678")], free);
            let places = places.expect("a usual collection");
            for index in 0..5 {
                let found = places.get(index).cloned().filter(|place| place.start > 0);
                assert_eq!(found, heap.object(index as u32), "object {index}");
            }
        }
        // What is out of the usual is left to the decoder.
        assert_eq!(collection(&[(1, b"abc"), (1, b"d")], true).0, None);
        assert_eq!(collection(&[(60_000, b"abc")], true).0, None);
        assert_eq!(places_of(Block::new(b"GCOL\x01\0\0\0", 0, Widths { offsets: 4, lengths: 4 })), None);
    }

    #[test]
    fn heads_are_padded_with_short_lengths() {
        #[rustfmt::skip]
        let bytes = [
            b'G', b'C', b'O', b'L', 1, 0, 0, 0,
            56, 0, 0, 0,  0, 0, 0, 0,                        // size, padding
            1, 0, 0, 0, 0, 0, 0, 0,  3, 0, 0, 0, 0, 0, 0, 0, // object 1: 3 bytes
            b'a', b'b', b'c', 0, 0, 0, 9, 0,                 // left over in the padding: kept
            0, 0, 0, 0, 0, 0, 0, 0,  16, 0, 0, 0, 0, 0, 0, 0, // free space
        ];
        let widths = Widths { offsets: 4, lengths: 4 };
        let heap = GlobalHeap::decode(Block::new(&bytes, 0, widths)).expect("it decodes");
        assert_eq!(&bytes[heap.object(1).expect("object 1")], b"abc");
        assert_eq!((heap.object(2), heap.free), (None, Some(16)));
        let encoded = Emit::encode(widths, |to| heap.encode(&bytes, to)).expect("it fits");
        assert_eq!(encoded, bytes);
    }
}
