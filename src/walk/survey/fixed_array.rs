//! Fixed arrays: header, data block, pages; and what both kinds of array have in common.

use std::sync::Arc;

use super::chunks::Chunks;
use super::{ArrayContext, Context, Pass};
use crate::bytes::Addr;
use crate::error::{Result, Structure};
use crate::format::chunk_index::fixed_array::{FixedArray, FixedArrayBlock};
use crate::format::chunk_index::{ChunkElement, ElementForm, page_is_initialised};
use crate::format::verified;
use crate::walk::chunks::Numbering;

/// A walk over one array: where the numbers of its elements are in the grid, where that matters.
pub(super) struct Elements<'c> {
    pub(super) chunks: &'c Chunks,
    pub(super) form: ElementForm,
    numbering: Option<Numbering>,
    scaled: Vec<u64>,
}

impl<'c> Elements<'c> {
    /// `endless` is the dimension that has no end.
    pub(super) fn new(chunks: &'c Chunks, form: ElementForm, endless: Option<usize>) -> Result<Self> {
        let numbering = if chunks.placed() { Some(chunks.grid.numbering(endless)?) } else { None };
        Ok(Self { chunks, form, numbering, scaled: vec![0; chunks.grid.layout.rank()] })
    }
}

impl Pass<'_> {
    pub(super) fn fixed_array(&mut self, chunks: &Chunks, address: Addr, page_bits: u8) -> Option<()> {
        const S: Structure = Structure::FixedArray;
        let (storage, w) = (self.storage, self.storage.widths());
        self.begin_index();
        let form = self.check(chunks.grid.element_form(storage))?;
        let mut elements = self.check(Elements::new(chunks, form, None))?;
        let run = self.check(storage.read(address, FixedArray::size(w) as u64, S))?;
        let array = self.check(FixedArray::decode(run.block(), form))?;
        if !self.enter(S, address) {
            return None;
        }
        self.keep(S, address, FixedArray::size(w) as u64, Context::Array(form));
        let at = run.block().at();
        self.equal(S, "page bits", at, array.page_bits.into(), page_bits.into());
        let numbers = self.all_numbers(chunks)?;
        self.equal(S, "max num entries", at, array.elements, numbers);
        self.fixed_array_block(&mut elements, Arc::new(ArrayContext { array, form }), address)
    }

    fn fixed_array_block(
        &mut self,
        elements: &mut Elements<'_>,
        context: Arc<ArrayContext<FixedArray>>,
        header: Addr,
    ) -> Option<()> {
        const S: Structure = Structure::FixedArrayBlock;
        let (storage, w, array) = (self.storage, self.storage.widths(), &context.array);
        let address = array.data_block?;
        let size = array.data_block_size(w);
        let run = self.check(storage.read(address, size, S))?;
        let block = self.check(FixedArrayBlock::decode(run.block(), array, context.form))?;
        if !self.enter(S, address) {
            return None;
        }
        self.keep(S, address, size, Context::FixedArray(context.clone()));
        self.equal(S, "header address", run.block().at(), block.header.0, header.0);
        self.array_elements(elements, 0, &block.elements);
        let page = array.page_elements();
        let pages = Pages {
            structure: S,
            first_page: address.plus(size),
            stride: context.page_bytes(page, w),
            bitmap: Some((&block.bitmap, 0)),
        };
        self.pages(elements, &pages, array.pages(), |n| (n * page, page.min(array.elements - n * page)));
        Some(())
    }

    pub(super) fn array_elements(&mut self, to: &mut Elements<'_>, first: u64, elements: &[ChunkElement]) {
        for (i, element) in elements.iter().enumerate() {
            let Some(address) = element.address else { continue };
            if let Some(numbering) = &to.numbering {
                numbering.place(first.saturating_add(i as u64), &mut to.scaled);
            }
            let (size, mask) = element.filtered.unwrap_or((to.chunks.bytes, 0));
            self.chunk(to.chunks, address, size, mask, &to.scaled);
        }
    }

    /// Visits `n` pages; `span` gives the number of a page's first element and of its elements. Those that were
    /// never written are noted as runs of bytes: what stands there means nothing.
    pub(super) fn pages(
        &mut self,
        elements: &mut Elements<'_>,
        pages: &Pages<'_>,
        n: u64,
        span: impl Fn(u64) -> (u64, u64),
    ) {
        let w = self.storage.widths();
        let bytes = |count: u64| count.saturating_mul(elements.form.size(w) as u64).saturating_add(4);
        let place = |page: u64| pages.first_page.plus(page.saturating_mul(pages.stride));
        let mut written = Vec::new();
        let mut unwritten: Option<Addr> = None;
        for page in 0..n {
            let is_written = pages.bitmap.is_none_or(|(bits, from)| page_is_initialised(bits, from + page));
            if !is_written {
                unwritten.get_or_insert(place(page));
                continue;
            }
            if let Some(begin) = unwritten.take() {
                self.keep_allocated(pages.structure, begin, 0, place(page).0 - begin.0, Context::Raw);
            }
            written.push(page);
        }
        if let Some(begin) = unwritten {
            let end = place(n - 1).plus(bytes(span(n - 1).1));
            self.keep_allocated(pages.structure, begin, 0, end.0 - begin.0, Context::Raw);
        }
        for page in written {
            let (first, count) = span(page);
            self.page(elements, pages.structure, place(page), first, count);
        }
    }

    fn page(&mut self, to: &mut Elements<'_>, structure: Structure, address: Addr, first: u64, n: u64) -> Option<()> {
        if !self.enter(structure, address) {
            return None;
        }
        let bytes = n.saturating_mul(to.form.size(self.storage.widths()) as u64).saturating_add(4);
        let run = self.check(self.storage.read(address, bytes, structure))?;
        self.keep(structure, address, bytes, Context::Page { form: to.form, elements: n });
        let body = self.check(verified(run.block(), structure))?;
        let elements = self.check(to.form.decode_page(body, n, structure))?;
        self.array_elements(to, first, &elements);
        Some(())
    }
}

/// The pages that follow a data block.
pub(super) struct Pages<'b> {
    pub(super) structure: Structure,
    pub(super) first_page: Addr,
    /// Bytes from one page to the next.
    pub(super) stride: u64,
    /// Which were written, and the number of the first page's bit.
    pub(super) bitmap: Option<(&'b [u8], u64)>,
}
