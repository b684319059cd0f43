//! Datasets: messages that must agree, and storage that is not in chunks.

use std::sync::Arc;

use super::chunks::Chunks;
use super::elements::leads_to_heap;
use super::header::Header;
use super::{Context, Data, Pass};
use crate::bytes::{Addr, Block};
use crate::error::{Cause, Corrupt, Error, Fault, Structure};
use crate::filter;
use crate::format::message::data_layout::{Chunked, DataLayout, LayoutClass};
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::Datatype;
use crate::format::message::external_data_files::ExternalDataFiles;
use crate::format::message::fill_value::{Fill, FillValue};
use crate::format::message::filter_pipeline::FilterPipeline;
use crate::format::object_header::MessageType;
use crate::format::reference::HeapPlace;
use crate::format::virtual_mapping::VirtualMappings;
use crate::walk;
use crate::walk::Run;
use crate::walk::chunks::ChunkGrid;
use crate::walk::heap::steps;

const S: Structure = Structure::DataLayout;

/// Bytes of raw data that are looked at in one go, more or less.
const STRIDE: u64 = 1 << 20;

impl Pass<'_> {
    pub(super) fn dataset(&mut self, header: &Header) -> Option<()> {
        let datatype = self.needed(header, MessageType::DATATYPE, Structure::Datatype);
        let dataspace = self.needed(header, MessageType::DATASPACE, Structure::Dataspace);
        let layout = self.needed(header, MessageType::DATA_LAYOUT, Structure::DataLayout)?;
        // What does not decode was noted with the messages.
        let datatype = walk::datatype(self.storage, datatype?.block()).ok()?;
        let dataspace = Dataspace::decode(dataspace?.block()).ok()?;
        let at = layout.block().at();
        let layout = DataLayout::decode(layout.block()).ok()?;
        self.fill_value(header, &datatype);
        let bytes = dataspace.elements().and_then(|n| n.checked_mul(datatype.size.into()));
        let Some(bytes) = bytes else {
            self.note(Corrupt::new(Structure::Dataspace, "dimension size", at, Fault::Value(u64::MAX)));
            return None;
        };
        match layout.class {
            LayoutClass::Compact { data } => {
                let length = data.len() as u64;
                if bytes > length {
                    self.note(Corrupt::new(S, "raw data", at, Fault::Truncated { needed: bytes - length }));
                }
                self.elements(&datatype, &data[..bytes.min(length) as usize]);
            }
            LayoutClass::Contiguous { address, size } => {
                let size = size.unwrap_or(bytes);
                match address {
                    Some(address) if size.max(bytes) > 0 => self.contiguous(&datatype, address, size, bytes, at)?,
                    _ => self.external_files(header, bytes).unwrap_or_default(),
                }
            }
            LayoutClass::Chunked(chunked) => {
                self.chunked(header, chunked, layout.version, datatype, &dataspace, at)?;
            }
            LayoutClass::Virtual { heap, index } => {
                // There is no mapping yet where there is no heap.
                self.mappings(HeapPlace { collection: heap?, index })?;
            }
        }
        Some(())
    }

    fn needed(&mut self, header: &Header, kind: MessageType, structure: Structure) -> Option<Run<'static>> {
        if header.whole && header.first(kind).is_none() {
            let at = self.storage.position(header.address);
            self.note(Corrupt::new(structure, "message", at, Fault::Absent));
        }
        self.first(header, kind)
    }

    fn fill_value(&mut self, header: &Header, datatype: &Datatype) -> Option<()> {
        let run = self.first(header, MessageType::FILL_VALUE)?;
        if let Ok(FillValue { fill: Fill::Value(value), .. }) = FillValue::decode(run.block()) {
            let (at, size) = (run.block().at(), datatype.size.into());
            self.equal(Structure::FillValue, "size", at, value.len() as u64, size);
            if value.len() as u64 == size {
                self.elements(datatype, &value);
            }
        }
        Some(())
    }

    fn contiguous(&mut self, datatype: &Datatype, address: Addr, size: u64, bytes: u64, at: u64) -> Option<()> {
        const R: Structure = Structure::RawData;
        let storage = self.storage;
        if size < bytes {
            self.note(Corrupt::new(S, "size", at, Fault::Mismatch { found: size, expected: bytes }));
        }
        // Readers go by the elements, whatever the size says.
        let size = size.max(bytes);
        self.check(storage.raw_range(address, size, R))?;
        self.keep(R, address, size, Context::Raw);
        if self.data == Data::Read && leads_to_heap(datatype) {
            let (end, element) = (bytes, u64::from(datatype.size));
            let stride = (STRIDE / element).max(1) * element;
            let mut done = 0;
            while done < end {
                let n = stride.min(end - done);
                let data = self.check(storage.read_raw(address.plus(done), n, R))?;
                self.elements(datatype, &data);
                done += n;
            }
        }
        Some(())
    }

    fn external_files(&mut self, header: &Header, bytes: u64) -> Option<()> {
        const S: Structure = Structure::ExternalDataFiles;
        let run = self.first(header, MessageType::EXTERNAL_DATA_FILES)?;
        let files = ExternalDataFiles::decode(run.block()).ok()?;
        let heap = self.defined(S, "heap address", run.block().at(), files.heap)?;
        let segment = self.local_heap(heap)?;
        for slot in &files.slots {
            self.name(&segment, slot.name);
        }
        let room = files.slots.iter().try_fold(0u64, |sum, slot| Some(sum.saturating_add(slot.size?)));
        if let Some(room) = room.filter(|room| *room < bytes) {
            self.equal(S, "size of data in external files", run.block().at(), room, bytes);
        }
        Some(())
    }

    fn chunked(
        &mut self,
        header: &Header,
        layout: Chunked,
        version: u8,
        datatype: Arc<Datatype>,
        dataspace: &Dataspace,
        at: u64,
    ) -> Option<()> {
        let rank = dataspace.dims.len();
        if layout.rank() != rank {
            let fault = Fault::Mismatch { found: layout.rank() as u64, expected: rank as u64 };
            self.note(Corrupt::new(S, "dimensionality", at, fault));
            return None;
        }
        let steps = match self.first(header, MessageType::FILTER_PIPELINE) {
            // A pipeline that does not decode was noted; without it sizes mean nothing.
            Some(run) => steps(&FilterPipeline::decode(run.block()).ok()?),
            None => Vec::new(),
        };
        let grid = ChunkGrid {
            layout,
            version,
            dims: dataspace.dims.clone(),
            max_dims: dataspace.max_dims(),
            element_size: datatype.size.into(),
            filtered: !steps.is_empty(),
            at,
        };
        let bytes = self.check(grid.chunk_bytes())?;
        let leads = leads_to_heap(&datatype);
        let mut read = self.data == Data::Read && (leads || !steps.is_empty());
        if let Some(feature) = steps.iter().filter(|_| read).find_map(|step| filter::available(step.id).err()) {
            // Said once for all chunks; a mask might leave the filter out of some.
            self.note(Cause::Unsupported { feature, at });
            read = false;
        }
        let limit = self.storage.limits().chunk_bytes;
        if read && bytes > limit {
            self.note(Error::limit("chunk_bytes", bytes, limit));
            read = false;
        }
        self.chunks(&Chunks { grid, bytes, steps, datatype, leads, read })
    }

    fn mappings(&mut self, place: HeapPlace) -> Option<()> {
        const S: Structure = Structure::VirtualMapping;
        let collection = self.collection(place.collection)?;
        let block: Block<'_> = self.check(collection.object(place.index))?;
        self.begin_index();
        if !self.enter(S, Addr(block.at())) {
            return None;
        }
        self.part(S, block.at(), block.bytes().len(), Context::Plain);
        self.check(VirtualMappings::decode(block)).map(drop)
    }
}
