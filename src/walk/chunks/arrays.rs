use super::{ChunkBox, ChunkGrid, Numbering, StoredChunks, inside};
use std::sync::Arc;

use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use crate::format::chunk_index::extensible_array::{DataBlock, ExtensibleArray, IndexBlock, SecondaryBlock};
use crate::format::chunk_index::fixed_array::{FixedArray, FixedArrayBlock};
use crate::format::chunk_index::{ChunkElement, ElementForm, page_is_initialised};
use crate::format::verified;
use crate::walk::{Storage, Total, each};

/// A node as it is kept.
struct Kept<T> {
    /// The array that it was decoded as a part of: its header, how its elements are written, and how many the node has.
    of: (Addr, ElementForm, u64),
    node: T,
}

/// The chunks of a box, found by their numbers.
struct Search<'s> {
    /// Where the header of the array is.
    array: Addr,
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
                self.found.push(self.storage, &self.scaled, self.grid.entry(address, element.filtered)?)?;
            }
        }
        Ok(())
    }

    /// A node of so many bytes and elements, from the memo where it is there: most windows need what others needed.
    fn node<T: Send + Sync + 'static>(
        &mut self,
        (address, bytes): (Addr, u64),
        elements: u64,
        structure: Structure,
        decode: impl Fn(Block<'_>) -> Result<T, Corrupt>,
    ) -> Result<Arc<Kept<T>>> {
        self.nodes += 1;
        let (storage, allowed) = (self.storage, self.storage.limits().index_nodes);
        if self.nodes > allowed {
            return Err(Error::limit("index_nodes", self.nodes, allowed));
        }
        let of = (self.array, self.form, elements);
        let read = || {
            let run = storage.read(address, bytes, structure)?;
            Ok(Kept { of, node: decode(run.block())? })
        };
        let kept = storage.memo(address, structure, || {
            // Elements take more room in memory than in the file.
            let held = elements.saturating_mul(size_of::<ChunkElement>() as u64).max(bytes);
            read().map(|node| (node, held))
        })?;
        self.total.add(storage, address, usize::try_from(bytes).unwrap_or(usize::MAX))?;
        // A damaged file may have nodes of several arrays in one place.
        if kept.of == of { Ok(kept) } else { read().map(Arc::new) }
    }

    /// A page of `n` elements, the first of which has the number `first`.
    fn page(&mut self, address: Addr, first: u64, n: u64, structure: Structure) -> Result<()> {
        let form = self.form;
        let decode = |block: Block<'_>| form.decode_page(verified(block, structure)?, n, structure);
        let page = self.node((address, self.page_bytes(n)), n, structure, decode)?;
        self.take(first, &page.node)
    }

    fn page_bytes(&self, elements: u64) -> u64 {
        elements.saturating_mul(self.form.size(self.storage.widths()) as u64).saturating_add(4)
    }
}

impl ChunkGrid {
    fn search<'s>(
        &'s self,
        storage: &'s Storage,
        array: Addr,
        wanted: &'s ChunkBox,
        first: Option<usize>,
        found: &'s mut StoredChunks,
    ) -> Result<Search<'s>> {
        let numbering = self.numbering(first)?;
        let span = numbering.span(wanted);
        let form = self.element_form(storage)?;
        let scaled = vec![0; self.layout.rank()];
        Ok(Search {
            array,
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
        let mut search = self.search(storage, address, wanted, None, found)?;
        let (form, w) = (search.form, storage.widths());
        let run = storage.read(address, FixedArray::size(w) as u64, Structure::FixedArray)?;
        let array = FixedArray::decode(run.block(), form)?;
        let Some(block_address) = array.data_block else { return Ok(()) };
        let size = array.data_block_size(w);
        let decode = |block: Block<'_>| FixedArrayBlock::decode(block, &array, form);
        let elements = if array.pages() == 0 { array.elements } else { 0 };
        let kept = search.node((block_address, size), elements, Structure::FixedArrayBlock, decode)?;
        let block = &kept.node;
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
        let mut search = self.search(storage, address, wanted, endless, found)?;
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
        let (form, size) = (self.form, array.secondary_size(share, self.storage.widths()));
        let decode = |block: Block<'_>| SecondaryBlock::decode(block, array, form, share);
        let kept = self.node((address, size), share.blocks, S, decode)?;
        let block = &kept.node;
        let expected = share.start - u64::from(array.index_elements);
        if block.offset != expected {
            let fault = Fault::Mismatch { found: block.offset, expected };
            return Err(Corrupt::new(S, "block offset", self.storage.position(address), fault).into());
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
        let form = self.form;
        let block = self.node((address, size), n, S, |block| DataBlock::decode(block, array, form, n))?;
        self.take(first, &block.node.elements)?;
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
