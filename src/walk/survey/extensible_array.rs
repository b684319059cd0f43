//! Extensible arrays: header, index block, secondary blocks, data blocks and their pages.

use std::sync::Arc;

use super::chunks::Chunks;
use super::fixed_array::{Elements, Pages};
use super::{ArrayContext, Context, Pass};
use crate::bytes::Addr;
use crate::error::Structure;
use crate::format::chunk_index::extensible_array::{DataBlock, ExtensibleArray, IndexBlock, SecondaryBlock};
use crate::format::message::data_layout::ChunkIndex;

/// A walk over one array.
struct Blocks<'c> {
    elements: Elements<'c>,
    context: Arc<ArrayContext<ExtensibleArray>>,
    header: Addr,
    /// Secondary blocks and their bytes, data blocks and their bytes, as the header counts them.
    met: [u64; 4],
    /// Some block could not be read.
    torn: bool,
}

impl Pass<'_> {
    pub(super) fn extensible_array(&mut self, chunks: &Chunks, address: Addr) -> Option<()> {
        const S: Structure = Structure::ExtensibleArray;
        let (storage, w) = (self.storage, self.storage.widths());
        self.begin_index();
        let form = self.check(chunks.grid.element_form(storage))?;
        let endless = chunks.grid.max_dims.iter().position(Option::is_none);
        let elements = self.check(Elements::new(chunks, form, endless))?;
        let run = self.check(storage.read(address, ExtensibleArray::size(w) as u64, S))?;
        let array = self.check(ExtensibleArray::decode(run.block(), form))?;
        if !self.enter(S, address) {
            return None;
        }
        self.keep(S, address, ExtensibleArray::size(w) as u64, Context::Array(form));
        let at = run.block().at();
        self.parameters(chunks.grid.layout.index, &array, at);
        let stored = array.statistics;
        let context = Arc::new(ArrayContext { array, form });
        let mut blocks = Blocks { elements, context, header: address, met: [0; 4], torn: false };
        self.index_block(&mut blocks)?;
        if !blocks.torn {
            const NAMES: [&str; 4] = ["num secondary blks", "secondary blk size", "num data blks", "data blk size"];
            for ((name, stored), met) in NAMES.into_iter().zip(stored).zip(blocks.met) {
                self.equal(S, name, at, stored, met);
            }
        }
        Some(())
    }

    /// The header repeats what the layout message says.
    fn parameters(&mut self, index: ChunkIndex, array: &ExtensibleArray, at: u64) {
        const S: Structure = Structure::ExtensibleArray;
        if let ChunkIndex::ExtensibleArray { max_bits, index_elements, min_pointers, min_elements, page_bits } = index {
            for (name, found, expected) in [
                ("max nelmts bits", array.max_bits, max_bits),
                ("index blk elmts", array.index_elements, index_elements),
                ("secondary blk min data ptrs", array.min_pointers, min_pointers),
                ("data blk min elmts", array.min_elements, min_elements),
                ("max data blk page nelmts bits", array.page_bits, page_bits),
            ] {
                self.equal(S, name, at, found.into(), expected.into());
            }
        }
    }

    fn index_block(&mut self, blocks: &mut Blocks<'_>) -> Option<()> {
        const S: Structure = Structure::ExtensibleArrayIndex;
        let (context, w) = (blocks.context.clone(), self.storage.widths());
        let array = &context.array;
        let address = array.index_block?;
        if !self.enter(S, address) {
            return None;
        }
        let size = array.index_block_size(w);
        let run = self.check(self.storage.read(address, size, S))?;
        let index = self.check(IndexBlock::decode(run.block(), array, context.form))?;
        self.keep(S, address, size, Context::IndexBlock(context.clone()));
        self.equal(S, "header address", run.block().at(), index.header.0, blocks.header.0);
        self.array_elements(&mut blocks.elements, 0, &index.elements);
        let mut direct = index.data_blocks.iter();
        for number in 0..array.direct_secondaries() {
            let share = array.secondary(number);
            for i in 0..share.blocks {
                let first = share.start.saturating_add(i.saturating_mul(share.elements));
                if let Some(address) = direct.next().copied().flatten() {
                    let whole = self.data_block(blocks, address, first, share.elements, None);
                    blocks.torn |= whole.is_none();
                }
            }
        }
        for (number, address) in (array.direct_secondaries()..).zip(&index.secondaries) {
            if let Some(address) = address {
                let whole = self.secondary(blocks, *address, number);
                blocks.torn |= whole.is_none();
            }
        }
        Some(())
    }

    fn secondary(&mut self, blocks: &mut Blocks<'_>, address: Addr, number: u32) -> Option<()> {
        const S: Structure = Structure::ExtensibleArraySecondary;
        if !self.enter(S, address) {
            return None;
        }
        let context = blocks.context.clone();
        let array = &context.array;
        let share = array.secondary(number);
        let size = array.secondary_size(share, self.storage.widths());
        let run = self.check(self.storage.read(address, size, S))?;
        let block = self.check(SecondaryBlock::decode(run.block(), array, context.form, share))?;
        self.keep(S, address, size, Context::Secondary { array: context.clone(), number });
        let at = run.block().at();
        self.equal(S, "header address", at, block.header.0, blocks.header.0);
        self.equal(S, "block offset", at, block.offset, share.start - u64::from(array.index_elements));
        blocks.met[0] += 1;
        blocks.met[1] = blocks.met[1].saturating_add(size);
        let pages = array.pages(share.elements);
        for (i, data) in (0u64..).zip(&block.data_blocks) {
            let Some(data) = data else { continue };
            let first = share.start.saturating_add(i.saturating_mul(share.elements));
            let bitmap = (pages > 0).then(|| (block.bitmap.as_slice(), i * pages));
            let whole = self.data_block(blocks, *data, first, share.elements, bitmap);
            blocks.torn |= whole.is_none();
        }
        Some(())
    }

    /// A data block of `n` elements from the number `first` on; `bitmap` is that of its pages, and the number of
    /// its first bit.
    fn data_block(
        &mut self,
        blocks: &mut Blocks<'_>,
        address: Addr,
        first: u64,
        n: u64,
        bitmap: Option<(&[u8], u64)>,
    ) -> Option<()> {
        const S: Structure = Structure::ExtensibleArrayBlock;
        if !self.enter(S, address) {
            return None;
        }
        let (context, w) = (blocks.context.clone(), self.storage.widths());
        let array = &context.array;
        let size = array.data_block_size(n, w);
        let run = self.check(self.storage.read(address, size, S))?;
        let block = self.check(DataBlock::decode(run.block(), array, context.form, n))?;
        self.keep(S, address, size, Context::DataBlock { array: context.clone(), elements: n });
        // The block offset is not looked at: libhdf5 writes wrong ones.
        self.equal(S, "header address", run.block().at(), block.header.0, blocks.header.0);
        let page = array.page_elements();
        let stride = context.page_bytes(page, w);
        blocks.met[2] += 1;
        blocks.met[3] = blocks.met[3].saturating_add(size).saturating_add(array.pages(n).saturating_mul(stride));
        self.array_elements(&mut blocks.elements, first, &block.elements);
        let pages = Pages { structure: S, first_page: address.plus(size), stride, bitmap };
        self.pages(&mut blocks.elements, &pages, array.pages(n), |i| (first.saturating_add(i * page), page));
        Some(())
    }
}
