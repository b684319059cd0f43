//! The extensible array (VII.D): chunks of a dataset with one dimension without an end.

use super::fixed_array::{check_form, client};
use super::{ChunkElement, ElementForm};
use crate::bytes::parse::{addr, cond, counted, defined, field, length, signature, take, u8, uint, version};
use crate::bytes::{Addr, Block, Emit, Widths, log2_floor};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::verified;

/// The header of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensibleArray {
    /// 0 for chunks without filters, 1 with.
    pub client: u8,
    /// Bytes of an element.
    pub element_size: u8,
    /// Bits of the number of elements.
    pub max_bits: u8,
    /// Elements in the index block.
    pub index_elements: u8,
    /// Elements of the smallest data blocks.
    pub min_elements: u8,
    /// Data blocks of the smallest secondary block.
    pub min_pointers: u8,
    /// Binary logarithm of the elements of a page.
    pub page_bits: u8,
    /// Secondary blocks and their bytes, data blocks and their bytes, largest index set + 1, elements realized.
    pub statistics: [u64; 6],
    /// The index block; undefined before the first chunk.
    pub index_block: Option<Addr>,
}

/// A secondary block's share of an array, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secondary {
    /// Data blocks.
    pub blocks: u64,
    /// Elements of each.
    pub elements: u64,
    /// Number of its first element in the array.
    pub start: u64,
}

impl ExtensibleArray {
    /// Bytes of the header.
    #[must_use]
    pub fn size(w: Widths) -> usize {
        16 + 6 * usize::from(w.lengths) + usize::from(w.offsets)
    }

    /// Decodes the header of an array of elements of this form.
    ///
    /// # Errors
    /// Another signature, version or client, elements of another size, parameters with which no array can
    /// be, a wrong checksum.
    pub fn decode(block: Block<'_>, form: ElementForm) -> Result<Self, Corrupt> {
        const S: Structure = Structure::ExtensibleArray;
        let w = block.widths();
        let block = block.sub(S, "length", 0..Self::size(w))?;
        let header = verified(block, S)?.run(S, move |i| {
            let (i, ()) = field("signature", signature(b"EAHD"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, client) = field("client ID", u8)(i)?;
            let (i, element_size) = field("element size", u8)(i)?;
            let (i, max_bits) = field("max nelmts bits", u8)(i)?;
            let (i, index_elements) = field("index blk elmts", u8)(i)?;
            let (i, min_elements) = field("data blk min elmts", u8)(i)?;
            let (i, min_pointers) = field("secondary blk min data ptrs", u8)(i)?;
            let (mut i, page_bits) = field("max data blk page nelmts bits", u8)(i)?;
            let mut statistics = [0; 6];
            for value in &mut statistics {
                (i, *value) = field("statistics", length(w))(i)?;
            }
            let (i, index_block) = field("index block address", addr(w))(i)?;
            Ok((
                i,
                Self {
                    client,
                    element_size,
                    max_bits,
                    index_elements,
                    min_elements,
                    min_pointers,
                    page_bits,
                    statistics,
                    index_block,
                },
            ))
        })?;
        check_form(block, S, form, header.client, header.element_size)?;
        let wrong = |field, value: u8| Err(block.corrupt(S, field, Fault::Value(value.into())));
        if header.max_bits > 64 || header.max_bits == 0 {
            return wrong("max nelmts bits", header.max_bits);
        }
        if !header.min_elements.is_power_of_two() || log2_floor(header.min_elements.into()) > header.max_bits.into() {
            return wrong("data blk min elmts", header.min_elements);
        }
        if !header.min_pointers.is_power_of_two()
            || u64::from(header.direct_secondaries()) > u64::from(header.secondaries())
        {
            return wrong("secondary blk min data ptrs", header.min_pointers);
        }
        if header.page_bits >= 64 {
            return wrong("max data blk page nelmts bits", header.page_bits);
        }
        Ok(header)
    }

    /// Encodes the header.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"EAHD");
            to.bytes(&[0, self.client, self.element_size, self.max_bits, self.index_elements]);
            to.bytes(&[self.min_elements, self.min_pointers, self.page_bits]);
            self.statistics.iter().for_each(|n| to.length(*n));
            to.addr(self.index_block);
        });
    }

    /// Secondary blocks of a full array.
    #[must_use]
    pub fn secondaries(&self) -> u32 {
        1 + u32::from(self.max_bits) - log2_floor(self.min_elements.into())
    }

    /// Secondary blocks that do not exist, because the index block holds their data blocks.
    #[must_use]
    pub fn direct_secondaries(&self) -> u32 {
        2 * log2_floor(self.min_pointers.into())
    }

    /// Data blocks whose addresses the index block holds.
    #[must_use]
    pub fn direct_blocks(&self) -> u64 {
        2 * (u64::from(self.min_pointers) - 1)
    }

    /// A secondary block's share of the array; numbers saturate where they exceed 64 bits.
    #[must_use]
    pub fn secondary(&self, number: u32) -> Secondary {
        let power = |exponent: u32| 1u64.checked_shl(exponent).unwrap_or(u64::MAX);
        // The shares double with each number, so that those before it hold as much as it, less one share.
        let before = u64::from(self.min_elements).saturating_mul(power(number) - 1);
        Secondary {
            blocks: power(number / 2),
            elements: u64::from(self.min_elements).saturating_mul(power(number.div_ceil(2))),
            start: before.saturating_add(self.index_elements.into()),
        }
    }

    /// The secondary block that holds element `n`, which is not one of the index block's.
    #[must_use]
    pub fn secondary_of(&self, n: u64) -> u32 {
        log2_floor(((n - u64::from(self.index_elements)) / u64::from(self.min_elements)).saturating_add(1))
    }

    /// Pages of a data block of so many elements; 0 where it is not paged.
    #[must_use]
    pub fn pages(&self, elements: u64) -> u64 {
        let page = 1u64 << self.page_bits;
        if elements > page { elements / page } else { 0 }
    }

    /// Elements of a page.
    #[must_use]
    pub fn page_elements(&self) -> u64 {
        1 << self.page_bits
    }

    /// Bytes of the "block offset" fields.
    #[must_use]
    pub fn offset_width(&self) -> u8 {
        self.max_bits.div_ceil(8)
    }

    /// Bytes of the index block.
    #[must_use]
    pub fn index_block_size(&self, w: Widths) -> u64 {
        let addresses = self.direct_blocks() + u64::from(self.secondaries() - self.direct_secondaries());
        let elements = u64::from(self.index_elements) * u64::from(self.element_size);
        10 + u64::from(w.offsets) * (1 + addresses) + elements
    }

    /// Bytes of a secondary block.
    #[must_use]
    pub fn secondary_size(&self, share: Secondary, w: Widths) -> u64 {
        let bitmaps = share.blocks.saturating_mul(self.pages(share.elements).div_ceil(8));
        let addresses = share.blocks.saturating_mul(w.offsets.into());
        (10 + u64::from(w.offsets) + u64::from(self.offset_width())).saturating_add(bitmaps).saturating_add(addresses)
    }

    /// Bytes of a data block without its pages.
    #[must_use]
    pub fn data_block_size(&self, elements: u64, w: Widths) -> u64 {
        let body = if self.pages(elements) > 0 { 0 } else { elements.saturating_mul(self.element_size.into()) };
        (10 + u64::from(w.offsets) + u64::from(self.offset_width())).saturating_add(body)
    }
}

/// The index block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexBlock {
    /// The array's header.
    pub header: Addr,
    /// The first elements.
    pub elements: Vec<ChunkElement>,
    /// Data blocks of the secondary blocks that do not exist.
    pub data_blocks: Vec<Option<Addr>>,
    /// Secondary blocks.
    pub secondaries: Vec<Option<Addr>>,
}

impl IndexBlock {
    /// Decodes the index block.
    ///
    /// # Errors
    /// Another signature, version or client, a wrong checksum.
    pub fn decode(block: Block<'_>, array: &ExtensibleArray, form: ElementForm) -> Result<Self, Corrupt> {
        const S: Structure = Structure::ExtensibleArrayIndex;
        let w = block.widths();
        let size = array.index_block_size(w) as usize;
        verified(block.sub(S, "length", 0..size)?, S)?.run(S, |i| {
            let (i, ()) = field("signature", signature(b"EAIB"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, _) = field("client ID", client(form))(i)?;
            let (i, header) = field("header address", defined(w))(i)?;
            let (i, elements) = form.parse_many(array.index_elements.into(), w)(i)?;
            let addresses = |n: u64| counted(n, w.offsets.into(), addr(w));
            let (i, data_blocks) = field("data block addresses", addresses(array.direct_blocks()))(i)?;
            let n = array.secondaries() - array.direct_secondaries();
            let (i, secondaries) = field("secondary block addresses", addresses(n.into()))(i)?;
            Ok((i, Self { header, elements, data_blocks, secondaries }))
        })
    }

    /// Encodes the index block.
    pub fn encode(&self, form: ElementForm, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"EAIB");
            to.bytes(&[0, form.client()]);
            to.addr(Some(self.header));
            form.encode(&self.elements, to);
            self.data_blocks.iter().chain(&self.secondaries).for_each(|a| to.addr(*a));
        });
    }
}

/// A secondary block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondaryBlock {
    /// The array's header.
    pub header: Addr,
    /// Number of its first element in the array, those of the index block not counted.
    pub offset: u64,
    /// Which pages were written: bits of all data blocks' pages in a row.
    pub bitmap: Vec<u8>,
    /// Its data blocks.
    pub data_blocks: Vec<Option<Addr>>,
}

impl SecondaryBlock {
    /// Decodes a secondary block with this share of the array.
    ///
    /// # Errors
    /// Another signature, version or client, a wrong checksum.
    pub fn decode(
        block: Block<'_>,
        array: &ExtensibleArray,
        form: ElementForm,
        share: Secondary,
    ) -> Result<Self, Corrupt> {
        const S: Structure = Structure::ExtensibleArraySecondary;
        let w = block.widths();
        let size = usize::try_from(array.secondary_size(share, w)).unwrap_or(usize::MAX);
        verified(block.sub(S, "length", 0..size)?, S)?.run(S, |i| {
            let (i, ()) = field("signature", signature(b"EASB"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, _) = field("client ID", client(form))(i)?;
            let (i, header) = field("header address", defined(w))(i)?;
            let (i, offset) = field("block offset", uint(array.offset_width()))(i)?;
            let bitmap = share.blocks.saturating_mul(array.pages(share.elements).div_ceil(8));
            let (i, bitmap) = field("page bitmap", take(bitmap as usize))(i)?;
            let (i, data_blocks) = field("data block addresses", counted(share.blocks, w.offsets.into(), addr(w)))(i)?;
            Ok((i, Self { header, offset, bitmap: bitmap.to_vec(), data_blocks }))
        })
    }

    /// Encodes the secondary block.
    pub fn encode(&self, array: &ExtensibleArray, form: ElementForm, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"EASB");
            to.bytes(&[0, form.client()]);
            to.addr(Some(self.header));
            to.uint(array.offset_width(), self.offset);
            to.bytes(&self.bitmap);
            self.data_blocks.iter().for_each(|a| to.addr(*a));
        });
    }
}

/// A data block, without its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataBlock {
    /// The array's header.
    pub header: Addr,
    /// Number of its first element; libhdf5 writes wrong ones.
    pub offset: u64,
    /// The elements; empty where the block is paged.
    pub elements: Vec<ChunkElement>,
}

impl DataBlock {
    /// Decodes a data block of so many elements, without its pages.
    ///
    /// # Errors
    /// Another signature, version or client, a wrong checksum.
    pub fn decode(
        block: Block<'_>,
        array: &ExtensibleArray,
        form: ElementForm,
        elements: u64,
    ) -> Result<Self, Corrupt> {
        const S: Structure = Structure::ExtensibleArrayBlock;
        let w = block.widths();
        let size = usize::try_from(array.data_block_size(elements, w)).unwrap_or(usize::MAX);
        verified(block.sub(S, "length", 0..size)?, S)?.run(S, |i| {
            let (i, ()) = field("signature", signature(b"EADB"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, _) = field("client ID", client(form))(i)?;
            let (i, header) = field("header address", defined(w))(i)?;
            let (i, offset) = field("block offset", uint(array.offset_width()))(i)?;
            let (i, elements) = cond(array.pages(elements) == 0, form.parse_many(elements, w))(i)?;
            Ok((i, Self { header, offset, elements: elements.unwrap_or_default() }))
        })
    }

    /// Encodes the data block without its pages.
    pub fn encode(&self, array: &ExtensibleArray, form: ElementForm, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"EADB");
            to.bytes(&[0, form.client()]);
            to.addr(Some(self.header));
            to.uint(array.offset_width(), self.offset);
            form.encode(&self.elements, to);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    fn array() -> ExtensibleArray {
        ExtensibleArray {
            client: 0,
            element_size: 8,
            max_bits: 32,
            index_elements: 4,
            min_elements: 16,
            min_pointers: 4,
            page_bits: 10,
            statistics: [0; 6],
            index_block: Some(Addr(0x100)),
        }
    }

    #[test]
    fn shares_follow_one_another() {
        let array = array();
        assert_eq!((array.secondaries(), array.direct_secondaries(), array.direct_blocks()), (29, 4, 6));
        let mut next = 4;
        for number in 0..array.secondaries() {
            let share = array.secondary(number);
            assert_eq!(share.start, next);
            assert_eq!(share.blocks * share.elements, 16 << number);
            assert_eq!(array.secondary_of(share.start), number);
            next += share.blocks * share.elements;
            assert_eq!(array.secondary_of(next - 1), number);
        }
        // With libhdf5's parameters paging begins at secondary block 13.
        assert_eq!(array.secondary(13).start, 131_060);
        assert_eq!((array.pages(array.secondary(12).elements), array.pages(array.secondary(13).elements)), (0, 2));
    }

    #[test]
    fn all_blocks() {
        let (array, form, w) = (array(), ElementForm::Plain, Widths::default());
        let bytes = Emit::encode(w, |to| array.encode(to)).expect("it fits");
        assert_eq!(both_ways(&bytes, 8, |b| ExtensibleArray::decode(b, form), ExtensibleArray::encode), array);

        let element = ChunkElement { address: Some(Addr(0x800)), filtered: None };
        let index = IndexBlock {
            header: Addr(1),
            elements: vec![element; 4],
            data_blocks: vec![None; 6],
            secondaries: vec![Some(Addr(9)); 25],
        };
        let bytes = Emit::encode(w, |to| index.encode(form, to)).expect("it fits");
        let decode = |b: Block<'_>| IndexBlock::decode(b, &array, form);
        assert_eq!(both_ways(&bytes, 8, decode, |x, to| x.encode(form, to)), index);

        let share = array.secondary(13);
        let secondary = SecondaryBlock {
            header: Addr(1),
            offset: 131_056,
            bitmap: vec![0x40; 64],
            data_blocks: vec![Some(Addr(7)); 64],
        };
        let bytes = Emit::encode(w, |to| secondary.encode(&array, form, to)).expect("it fits");
        let decode = |b: Block<'_>| SecondaryBlock::decode(b, &array, form, share);
        assert_eq!(both_ways(&bytes, 8, decode, |x, to| x.encode(&array, form, to)), secondary);

        for (n, elements) in [(16, vec![element; 16]), (2048, vec![])] {
            let data = DataBlock { header: Addr(1), offset: 3, elements };
            let bytes = Emit::encode(w, |to| data.encode(&array, form, to)).expect("it fits");
            let decode = |b: Block<'_>| DataBlock::decode(b, &array, form, n);
            assert_eq!(both_ways(&bytes, 8, decode, |x, to| x.encode(&array, form, to)), data);
        }
    }
}
