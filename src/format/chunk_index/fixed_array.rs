//! The fixed array (VII.C): chunks of a dataset whose dimensions have an end.

use super::{ChunkElement, ElementForm};
use crate::bytes::parse::{addr, cond, defined, fail, field, length, rest, signature, take, u8, version};
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::verified;

/// The header of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedArray {
    /// 0 for chunks without filters, 1 with.
    pub client: u8,
    /// Bytes of an element.
    pub element_size: u8,
    /// Binary logarithm of the elements of a page.
    pub page_bits: u8,
    /// Elements of the array.
    pub elements: u64,
    /// The data block; undefined before the first chunk.
    pub data_block: Option<Addr>,
}

impl FixedArray {
    /// Bytes of the header.
    #[must_use]
    pub fn size(w: Widths) -> usize {
        12 + usize::from(w.lengths) + usize::from(w.offsets)
    }

    /// Decodes the header of an array of elements of this form.
    ///
    /// # Errors
    /// Another signature, version or client, elements of another size, a wrong checksum.
    pub fn decode(block: Block<'_>, form: ElementForm) -> Result<Self, Corrupt> {
        const S: Structure = Structure::FixedArray;
        let w = block.widths();
        let block = block.sub(S, "length", 0..Self::size(w))?;
        let header = verified(block, S)?.run(S, move |i| {
            let (i, ()) = field("signature", signature(b"FAHD"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, client) = field("client ID", u8)(i)?;
            let (i, element_size) = field("entry size", u8)(i)?;
            let (i, page_bits) = field("page bits", u8)(i)?;
            let (i, elements) = field("max num entries", length(w))(i)?;
            let (i, data_block) = field("data block address", addr(w))(i)?;
            Ok((i, Self { client, element_size, page_bits, elements, data_block }))
        })?;
        check_form(block, S, form, header.client, header.element_size)?;
        if header.page_bits >= 64 {
            return Err(block.corrupt(S, "page bits", Fault::Value(header.page_bits.into())));
        }
        Ok(header)
    }

    /// Encodes the header.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"FAHD");
            to.bytes(&[0, self.client, self.element_size, self.page_bits]);
            to.length(self.elements);
            to.addr(self.data_block);
        });
    }

    /// Elements of a page.
    #[must_use]
    pub fn page_elements(&self) -> u64 {
        1 << self.page_bits
    }

    /// Pages of the data block; 0 where it is not paged.
    #[must_use]
    pub fn pages(&self) -> u64 {
        if self.elements > self.page_elements() { self.elements.div_ceil(self.page_elements()) } else { 0 }
    }

    /// Bytes of the data block without its pages.
    #[must_use]
    pub fn data_block_size(&self, w: Widths) -> u64 {
        let body = match self.pages() {
            0 => self.elements.saturating_mul(self.element_size.into()),
            pages => pages.div_ceil(8),
        };
        body.saturating_add(10 + u64::from(w.offsets))
    }
}

/// The data block: its elements, or the bitmap of its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedArrayBlock {
    /// 0 for chunks without filters, 1 with.
    pub client: u8,
    /// The array's header.
    pub header: Addr,
    /// Which pages were written; empty where the block is not paged.
    pub bitmap: Vec<u8>,
    /// The elements; empty where the block is paged.
    pub elements: Vec<ChunkElement>,
}

impl FixedArrayBlock {
    /// Decodes the data block without its pages.
    ///
    /// # Errors
    /// Another signature, version or client, a wrong checksum.
    pub fn decode(block: Block<'_>, array: &FixedArray, form: ElementForm) -> Result<Self, Corrupt> {
        const S: Structure = Structure::FixedArrayBlock;
        let w = block.widths();
        let size = usize::try_from(array.data_block_size(w)).unwrap_or(usize::MAX);
        verified(block.sub(S, "length", 0..size)?, S)?.run(S, |i| {
            let (i, ()) = field("signature", signature(b"FADB"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, client) = field("client ID", client(form))(i)?;
            let (i, header) = field("header address", defined(w))(i)?;
            let paged = array.pages() > 0;
            let (i, bitmap) = field("page bitmap", cond(paged, rest))(i)?;
            let (i, elements) = cond(!paged, form.parse_many(array.elements, w))(i)?;
            let (bitmap, elements) = (bitmap.unwrap_or_default().to_vec(), elements.unwrap_or_default());
            Ok((i, Self { client, header, bitmap, elements }))
        })
    }

    /// Encodes the data block without its pages.
    pub fn encode(&self, form: ElementForm, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"FADB");
            to.bytes(&[0, self.client]);
            to.addr(Some(self.header));
            to.bytes(&self.bitmap);
            form.encode(&self.elements, to);
        });
    }
}

pub(super) fn client<'a>(form: ElementForm) -> impl FnMut(&'a [u8]) -> crate::bytes::parse::Parsed<'a, u8> {
    move |i| {
        let (after, found) = take(1)(i)?;
        if found[0] == form.client() { Ok((after, found[0])) } else { fail(i, Fault::Value(found[0].into())) }
    }
}

pub(super) fn check_form(
    block: Block<'_>,
    structure: Structure,
    form: ElementForm,
    client: u8,
    element_size: u8,
) -> Result<(), Corrupt> {
    if client != form.client() {
        let fault = Fault::Mismatch { found: client.into(), expected: form.client().into() };
        return Err(block.corrupt(structure, "client ID", fault));
    }
    let expected = form.size(block.widths());
    if usize::from(element_size) != expected {
        let fault = Fault::Mismatch { found: element_size.into(), expected: expected as u64 };
        return Err(block.corrupt(structure, "entry size", fault));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::chunk_index::page_is_initialised;
    use crate::format::testing::both_ways;

    #[test]
    fn paged_and_not() {
        let form = ElementForm::Filtered { size_width: 2 };
        let mut array =
            FixedArray { client: 1, element_size: 14, page_bits: 1, elements: 2, data_block: Some(Addr(0x90)) };
        let w = Widths::default();
        let bytes = Emit::encode(w, |to| array.encode(to)).expect("it fits");
        assert_eq!(both_ways(&bytes, 8, |b| FixedArray::decode(b, form), FixedArray::encode), array);
        assert!(FixedArray::decode(Block::new(&bytes, 0, w), ElementForm::Plain).is_err());

        let element = ChunkElement { address: Some(Addr(0x800)), filtered: Some((300, 1)) };
        let mut block = FixedArrayBlock { client: 1, header: Addr(1), bitmap: vec![], elements: vec![element; 2] };
        let check = |array: &FixedArray, block: &FixedArrayBlock| {
            let bytes = Emit::encode(w, |to| block.encode(form, to)).expect("it fits");
            let decode = |b: Block<'_>| FixedArrayBlock::decode(b, array, form);
            assert_eq!(&both_ways(&bytes, 8, decode, |b, to| b.encode(form, to)), block);
        };
        check(&array, &block);
        array.elements = 19;
        block.elements.clear();
        block.bitmap = vec![0x80, 0x40];
        check(&array, &block);
        assert_eq!((array.pages(), array.page_elements()), (10, 2));
        let set: Vec<_> = (0..10).filter(|n| page_is_initialised(&block.bitmap, *n)).collect();
        assert_eq!(set, [0, 9]);
    }
}
