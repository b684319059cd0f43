use super::{ChunkBox, ChunkGrid, Numbering, StoredChunks, inside};
use crate::bytes::Addr;
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use crate::format::chunk_index::extensible_array::{DataBlock, ExtensibleArray, IndexBlock, SecondaryBlock};
use crate::format::chunk_index::fixed_array::{FixedArray, FixedArrayBlock};
use crate::format::chunk_index::{ChunkElement, ElementForm, page_is_initialised};
use crate::format::verified;
use crate::walk::{Run, Storage, Total, each};

/// The chunks of a box, found by their numbers.
struct Search<'s> {
    grid: &'s ChunkGrid,
    storage: &'s Storage,
    wanted: &'s ChunkBox,
    numbering: Numbering,
    /// Least and greatest number.
    span: (u64, u64),
    form: ElementForm,
    scaled: Vec<u64>,
    found: &'s mut StoredChunks,
    /// Nodes read so far.
    nodes: u64,
    total: Total,
}

impl<'s> Search<'s> {
    /// True where the elements `first..first + n` can hold one that is wanted.
    fn meets(&self, first: u64, n: u64) -> bool {
        first <= self.span.1 && first.saturating_add(n) > self.span.0
    }

    fn take(&mut self, first: u64, elements: &[ChunkElement]) -> Result<()> {
        for (i, element) in elements.iter().enumerate() {
            let number = first.saturating_add(i as u64);
            let Some(address) = element.address else { continue };
            if !self.meets(number, 1) {
                continue;
            }
            self.numbering.place(number, &mut self.scaled);
            if inside(&self.scaled, self.wanted) {
                self.found.push(&self.scaled, self.grid.entry(address, element.filtered)?);
            }
        }
        Ok(())
    }

    /// The bytes of a node.
    fn node(&mut self, address: Addr, bytes: u64, structure: Structure) -> Result<Run<'s>> {
        self.nodes += 1;
        let allowed = self.storage.limits().index_nodes;
        if self.nodes > allowed {
            return Err(Error::limit("index_nodes", self.nodes, allowed));
        }
        let run = self.storage.read(address, bytes, structure)?;
        self.total.add(self.storage, address, run.block().bytes().len())?;
        Ok(run)
    }

    /// A page of `n` elements, the first of which has the number `first`.
    fn page(&mut self, address: Addr, first: u64, n: u64, structure: Structure) -> Result<()> {
        let run = self.node(address, self.page_bytes(n), structure)?;
        let elements = self.form.decode_page(verified(run.block(), structure)?, n, structure)?;
        self.take(first, &elements)
    }

    fn page_bytes(&self, elements: u64) -> u64 {
        elements.saturating_mul(self.form.size(self.storage.widths()) as u64).saturating_add(4)
    }
}

impl ChunkGrid {
    fn search<'s>(
        &'s self,
        storage: &'s Storage,
        wanted: &'s ChunkBox,
        first: Option<usize>,
        found: &'s mut StoredChunks,
    ) -> Result<Search<'s>> {
        let numbering = self.numbering(first)?;
        let span = numbering.span(wanted);
        let form = self.element_form(storage)?;
        let scaled = vec![0; self.layout.rank()];
        Ok(Search {
            grid: self,
            storage,
            wanted,
            numbering,
            span,
            form,
            scaled,
            found,
            nodes: 0,
            total: Total::new(Structure::ExtensibleArray),
        })
    }

    pub(super) fn fixed_array(
        &self,
        storage: &Storage,
        address: Addr,
        wanted: &ChunkBox,
        found: &mut StoredChunks,
    ) -> Result<()> {
        let mut search = self.search(storage, wanted, None, found)?;
        let (form, w) = (search.form, storage.widths());
        let run = storage.read(address, FixedArray::size(w) as u64, Structure::FixedArray)?;
        let array = FixedArray::decode(run.block(), form)?;
        let Some(block_address) = array.data_block else { return Ok(()) };
        let size = array.data_block_size(w);
        let run = storage.read(block_address, size, Structure::FixedArrayBlock)?;
        let block = FixedArrayBlock::decode(run.block(), &array, form)?;
        search.take(0, &block.elements)?;
        let page = array.page_elements();
        let first_page = search.span.0 / page;
        let last_page = (search.span.1 / page).min(array.pages().saturating_sub(1));
        let pages = if array.pages() == 0 { 1..1 } else { first_page..last_page + 1 };
        each(pages, |n| {
            if !page_is_initialised(&block.bitmap, n) {
                return Ok(());
            }
            let at = block_address.plus(size).plus(n.saturating_mul(search.page_bytes(page)));
            let elements = page.min(array.elements - n * page);
            search.page(at, n * page, elements, Structure::FixedArrayBlock)
        })
    }

    pub(super) fn extensible_array(
        &self,
        storage: &Storage,
        address: Addr,
        wanted: &ChunkBox,
        found: &mut StoredChunks,
    ) -> Result<()> {
        let endless = self.max_dims.iter().position(Option::is_none);
        let mut search = self.search(storage, wanted, endless, found)?;
        let (form, w) = (search.form, storage.widths());
        let run = storage.read(address, ExtensibleArray::size(w) as u64, Structure::ExtensibleArray)?;
        let array = ExtensibleArray::decode(run.block(), form)?;
        let Some(index_address) = array.index_block else { return Ok(()) };
        let run = storage.read(index_address, array.index_block_size(w), Structure::ExtensibleArrayIndex)?;
        let index = IndexBlock::decode(run.block(), &array, form)?;
        search.take(0, &index.elements)?;
        let direct = array.direct_secondaries();
        let mut direct_blocks = index.data_blocks.iter();
        each(0..direct, |number| {
            let share = array.secondary(number);
            let mut first = share.start;
            each(0..share.blocks, |_| {
                let block = direct_blocks.next().copied().flatten();
                let start = first;
                first = first.saturating_add(share.elements);
                match block {
                    Some(block) if search.meets(start, share.elements) => {
                        search.data_block(&array, block, start, share.elements, None)
                    }
                    _ => Ok(()),
                }
            })
        })?;
        each(index.secondaries.iter().enumerate(), |(i, secondary)| {
            let share = array.secondary(direct + i as u32);
            match secondary {
                Some(address) if search.meets(share.start, share.blocks.saturating_mul(share.elements)) => {
                    search.secondary(&array, *address, direct + i as u32)
                }
                _ => Ok(()),
            }
        })
    }
}

impl Search<'_> {
    fn secondary(&mut self, array: &ExtensibleArray, address: Addr, number: u32) -> Result<()> {
        const S: Structure = Structure::ExtensibleArraySecondary;
        let share = array.secondary(number);
        let run = self.node(address, array.secondary_size(share, self.storage.widths()), S)?;
        let block = SecondaryBlock::decode(run.block(), array, self.form, share)?;
        let expected = share.start - u64::from(array.index_elements);
        if block.offset != expected {
            let fault = Fault::Mismatch { found: block.offset, expected };
            return Err(Corrupt::new(S, "block offset", run.block().at(), fault).into());
        }
        let pages = array.pages(share.elements);
        each(block.data_blocks.iter().enumerate(), |(i, data)| {
            let start = share.start.saturating_add((i as u64).saturating_mul(share.elements));
            match data {
                Some(data) if self.meets(start, share.elements) => {
                    let bitmap = (pages > 0).then(|| (block.bitmap.as_slice(), i as u64 * pages));
                    self.data_block(array, *data, start, share.elements, bitmap)
                }
                _ => Ok(()),
            }
        })
    }

    /// A data block of `n` elements from the number `first` on; `bitmap` is that of its pages, and the
    /// number of its first bit.
    fn data_block(
        &mut self,
        array: &ExtensibleArray,
        address: Addr,
        first: u64,
        n: u64,
        bitmap: Option<(&[u8], u64)>,
    ) -> Result<()> {
        const S: Structure = Structure::ExtensibleArrayBlock;
        let size = array.data_block_size(n, self.storage.widths());
        let run = self.node(address, size, S)?;
        let block = DataBlock::decode(run.block(), array, self.form, n)?;
        self.take(first, &block.elements)?;
        let page = array.page_elements();
        each(0..array.pages(n), |i| {
            let start = first.saturating_add(i * page);
            let written = bitmap.is_none_or(|(bits, from)| page_is_initialised(bits, from + i));
            if !written || !self.meets(start, page) {
                return Ok(());
            }
            let at = address.plus(size).plus(i.saturating_mul(self.page_bytes(page)));
            self.page(at, start, page, S)
        })
    }
}
