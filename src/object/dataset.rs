use std::borrow::Cow;
use std::sync::Arc;

use super::chunked::ChunkReader;
use super::heap::FileHeap;
use super::info::{ObjectInfo, object_methods};
use super::past_damage::Damage;
use super::raw::{FillPattern, RawData, Store};
use super::storage_info::{FillInfo, FilterInfo, Layout, StoredChunk};
use super::virtual_read::{self, Nesting};
use super::workers;
use crate::element::{Column, Element, Gather, Output};
use crate::error::{Corrupt, Error, Fault, InObject, Result, SelectionFault, Structure, Usage};
use crate::format::message::data_layout::{DataLayout, LayoutClass};
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::Datatype;
use crate::format::message::external_data_files::ExternalDataFiles;
use crate::format::message::fill_value::{Fill, FillValue, decode_old};
use crate::format::message::filter_pipeline::FilterPipeline;
use crate::format::object_header::MessageType;
use crate::format::reference::HeapPlace;
use crate::selection::{Resolved, Selection};
use crate::walk;
use crate::walk::chunks::ChunkGrid;
use crate::walk::each;
use crate::walk::heap::steps;
use crate::walk::virtual_dataset;

/// An array in a file. Opening it reads metadata only.
#[derive(Clone, Debug)]
pub struct Dataset {
    info: ObjectInfo,
    parts: Arc<Parts>,
}

#[derive(Clone, Debug)]
struct Parts {
    dataspace: Dataspace,
    datatype: Arc<Datatype>,
    layout: DataLayout,
    external: bool,
    pipeline: Option<FilterPipeline>,
    fill: Fill,
    raw: RawData,
}

object_methods!(Dataset);

/// Makes values of the bytes of as many elements.
type Decode<'d, T> = dyn Fn(&[u8], &FileHeap<'_>, &mut [T]) -> Result<()> + Sync + 'd;

/// Takes the bytes of so many elements, with the heap they point into.
type Convert<'c> = dyn FnMut(&[u8], usize, &FileHeap<'_>) -> Result<()> + 'c;

/// The fill value write time that means never.
const NEVER: u8 = 1;

/// Bytes that are converted at once.
const BLOCK: u64 = 512 << 10;

/// Bytes that are gathered at once: of strings, they and what they point to stay near.
const GATHERED: u64 = 128 << 10;

/// Times the bytes that one read may return that its values may have in memory.
const AS_VALUES: u64 = 4;

impl Dataset {
    pub(super) fn open(info: ObjectInfo, nesting: Nesting) -> Result<Self> {
        let (file, header) = (info.file().clone(), info.header());
        let storage = file.storage();
        let run = header.needed(storage, MessageType::DATATYPE, Structure::Datatype)?;
        let datatype = walk::datatype(storage, run.block())?;
        let run = header.needed(storage, MessageType::DATASPACE, Structure::Dataspace)?;
        let mut dataspace = Dataspace::decode(run.block())?;
        let run = header.needed(storage, MessageType::DATA_LAYOUT, Structure::DataLayout)?;
        let layout = DataLayout::decode(run.block())?;
        let at = run.block().at();
        let pipeline = match header.body(storage, MessageType::FILTER_PIPELINE)? {
            Some(run) => Some(FilterPipeline::decode(run.block())?),
            None => None,
        };
        let external = match header.body(storage, MessageType::EXTERNAL_DATA_FILES)? {
            Some(run) => Some(ExternalDataFiles::decode(run.block())?),
            None => None,
        };
        let (fill, never) = Self::fill_message(&info)?;
        let is_external = external.is_some();
        let store = match &layout.class {
            LayoutClass::Compact { data } => Store::Compact(data.clone()),
            LayoutClass::Contiguous { address, .. } => match (external, address) {
                (Some(files), _) => Store::External(files),
                (None, Some(address)) => Store::Contiguous(*address),
                (None, None) => Store::Nowhere,
            },
            LayoutClass::Chunked(chunked) => {
                if chunked.rank() != dataspace.dims.len() {
                    let (found, expected) = (chunked.rank() as u64, dataspace.dims.len() as u64);
                    let fault = Fault::Mismatch { found, expected };
                    return Err(Corrupt::new(Structure::DataLayout, "dimensionality", at, fault).into());
                }
                Store::Chunked(ChunkGrid {
                    layout: chunked.clone(),
                    version: layout.version,
                    dims: dataspace.dims.clone(),
                    max_dims: dataspace.max_dims(),
                    element_size: datatype.size.into(),
                    filtered: pipeline.as_ref().is_some_and(|p| !p.filters.is_empty()),
                    at,
                })
            }
            LayoutClass::Virtual { heap: None, .. } => Store::Nowhere,
            LayoutClass::Virtual { heap: Some(collection), index } => {
                let place = HeapPlace { collection: *collection, index: *index };
                Store::Virtual(virtual_dataset::mappings(storage, place, at)?)
            }
        };
        if let Store::Virtual(mappings) = &store {
            virtual_read::extend(&file, &nesting, at, mappings, &mut dataspace)?;
        }
        let raw = RawData {
            dims: dataspace.dims.clone(),
            store,
            datatype: datatype.clone(),
            steps: pipeline.as_ref().map(steps).unwrap_or_default(),
            // Where it is never to be written, libhdf5 leaves the reader's buffer as it was.
            fill: if never { FillPattern::Zeros } else { pattern(&fill, &datatype, at)? },
            at,
            file: file.clone(),
            nesting,
            damage: None,
        };
        let parts = Parts { dataspace, datatype, layout, external: is_external, pipeline, fill, raw };
        Ok(Self { info, parts: Arc::new(parts) })
    }

    /// Lets go of all that is kept of the file ([`File::refresh`](crate::File::refresh)), and reads the object header again:
    /// the dataset has the shape, and leads to the elements, that are in the file now. Its attributes are read again too.
    /// Other handles of the dataset, also clones of this one, stay as they are.
    ///
    /// # Errors
    /// As [`File::dataset`](crate::File::dataset), where the dataset cannot be opened any more; this one is then as it was.
    pub fn refresh(&mut self) -> Result<()> {
        self.file().refresh()?;
        *self = self
            .info
            .again()
            .and_then(|info| Self::open(info, Nesting::default()))
            .in_object(self.info.object_path())?;
        Ok(())
    }

    /// The fill value, and whether it is never to be written.
    fn fill_message(info: &ObjectInfo) -> Result<(Fill, bool)> {
        let (storage, header) = (info.file().storage(), info.header());
        if let Some(run) = header.body(storage, MessageType::FILL_VALUE)? {
            let message = FillValue::decode(run.block())?;
            return Ok((message.fill, message.write_time == NEVER));
        }
        match header.body(storage, MessageType::FILL_VALUE_OLD)? {
            Some(run) => Ok((decode_old(run.block())?, false)),
            None => Ok((Fill::Default, false)),
        }
    }

    /// Elements of each dimension, slowest first; empty for a scalar and for a null dataspace, which
    /// [`dataspace`](Self::dataspace) tells apart.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.parts.dataspace.dims
    }

    /// Largest elements of each dimension, `None` for one without an end.
    #[must_use]
    pub fn max_shape(&self) -> Vec<Option<u64>> {
        self.parts.dataspace.max_dims()
    }

    /// Number of elements: 1 for a scalar, 0 for a null dataspace.
    #[must_use]
    pub fn len(&self) -> u64 {
        // A dataspace with more elements than 64 bits count is not decoded.
        self.parts.dataspace.elements().unwrap_or(u64::MAX)
    }

    /// True without an element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dataspace; that of a virtual dataset reaches as far as its sources do.
    #[must_use]
    pub fn dataspace(&self) -> &Dataspace {
        &self.parts.dataspace
    }

    /// What the elements are.
    #[must_use]
    pub fn datatype(&self) -> &Datatype {
        &self.parts.datatype
    }

    /// How the elements are stored.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::of(&self.parts.layout, self.parts.external)
    }

    /// Version of the data layout message.
    #[must_use]
    pub fn layout_version(&self) -> u8 {
        self.parts.layout.version
    }

    /// Elements of a chunk in each dimension; `None` where the dataset is not chunked.
    #[must_use]
    pub fn chunk_shape(&self) -> Option<&[u64]> {
        match &self.parts.layout.class {
            LayoutClass::Chunked(chunked) => Some(chunked.chunk()),
            _ => None,
        }
    }

    /// The filters that chunks went through, in the order in which they were applied.
    #[must_use]
    pub fn filters(&self) -> Vec<FilterInfo> {
        self.parts.pipeline.iter().flat_map(|p| &p.filters).map(FilterInfo::of).collect()
    }

    /// What never-written elements give.
    #[must_use]
    pub fn fill(&self) -> FillInfo {
        match self.parts.fill {
            Fill::Default => FillInfo::Default,
            Fill::Undefined => FillInfo::Undefined,
            Fill::Value(_) => FillInfo::Value,
        }
    }

    /// The value of never-written elements; `None` where the file gives none.
    ///
    /// # Errors
    /// `Type` where it does not convert.
    pub fn fill_value<T: Element>(&self) -> Result<Option<T>> {
        let Some(bytes) = self.fill_bytes() else { return Ok(None) };
        let mut value = [T::empty()];
        let decode = T::decoder(self.datatype()).in_object(self.info.object_path())?;
        decode(bytes, &FileHeap::new(self.file().storage()), &mut value).in_object(self.info.object_path())?;
        let [value] = value;
        Ok(Some(value))
    }

    /// The same as it is stored, in the file's datatype.
    #[must_use]
    pub fn fill_bytes(&self) -> Option<&[u8]> {
        match &self.parts.fill {
            Fill::Value(bytes) if bytes.len() == self.datatype().size as usize => Some(bytes),
            _ => None,
        }
    }

    /// Bytes of the elements in this file, filters applied; metadata, and what is in other files, not counted.
    ///
    /// # Errors
    /// `Corrupt`, `Limit`.
    pub fn stored_size(&self) -> Result<u64> {
        Ok(match &self.parts.raw.store {
            Store::Nowhere | Store::External(_) | Store::Virtual(_) => 0,
            Store::Compact(data) => data.len() as u64,
            Store::Contiguous(_) => self.logical_size(),
            Store::Chunked(_) => self.chunks()?.iter().map(|chunk| chunk.size).sum(),
        })
    }

    /// Bytes of the elements without filters.
    #[must_use]
    pub fn logical_size(&self) -> u64 {
        self.len().saturating_mul(self.datatype().size.into())
    }

    /// Position in the file of the elements, in bytes, where they stand in one piece.
    #[must_use]
    pub fn position(&self) -> Option<u64> {
        match &self.parts.raw.store {
            Store::Contiguous(address) => Some(self.file().storage().position(*address)),
            _ => None,
        }
    }

    /// The chunks that are in the file, in the order of the index; none where the dataset is not chunked.
    ///
    /// # Errors
    /// `Corrupt`, `Limit`.
    pub fn chunks(&self) -> Result<Vec<StoredChunk>> {
        let Store::Chunked(grid) = &self.parts.raw.store else { return Ok(Vec::new()) };
        let storage = self.file().storage();
        let found = grid.find(storage, &grid.whole()).in_object(self.info.object_path())?;
        let info = found.iter().map(|(scaled, entry)| StoredChunk {
            offset: grid.offset(scaled),
            position: storage.position(entry.address),
            size: entry.size,
            filter_mask: entry.mask,
        });
        Ok(info.collect())
    }

    /// Reads a chunk and undoes its filters, which verifies what they can verify.
    ///
    /// # Errors
    /// `Corrupt`, `Unsupported` for a filter that is not done here, `Limit`, and `Usage` where the dataset
    /// is not chunked.
    pub fn read_chunk(&self, chunk: &StoredChunk) -> Result<Vec<u8>> {
        let Store::Chunked(grid) = &self.parts.raw.store else {
            return Err(Error::from(Usage::Kind { found: "dataset without chunks", wanted: "chunked dataset" }));
        };
        let scaled: Vec<u64> = chunk.offset.iter().zip(grid.layout.chunk()).map(|(o, n)| o / n).collect();
        let address = chunk.position.checked_sub(self.file().user_block_size()).map(crate::bytes::Addr);
        let Some(address) = address.filter(|_| scaled.len() == self.shape().len()) else {
            return Err(SelectionFault::Rank { given: scaled.len(), rank: self.shape().len() }.into());
        };
        let entry = crate::walk::chunks::ChunkEntry { address, size: chunk.size, mask: chunk.filter_mask };
        ChunkReader::new(&self.parts.raw, grid).whole(&scaled, entry).in_object(self.info.object_path())
    }

    /// Reads the selected elements: into `Vec<T>`, an `ndarray` array, one value where one is selected, or an
    /// [`Array`](crate::element::Array) of anything. Row-major. A null dataspace gives an empty `Vec` or `Array`, or
    /// `None`; a range that ends before it begins selects nothing.
    ///
    /// # Errors
    /// `Selection`, `Type` where elements do not convert, `Usage` where one value is asked for and there are
    /// more or none, `Corrupt`, `Unsupported`, `Limit`, `Io`.
    pub fn read<O: Output>(&self, selection: impl Into<Selection>) -> Result<O> {
        let read = |selection: Selection| {
            if self.parts.dataspace.is_null() {
                return O::from_null();
            }
            if matches!(selection, Selection::All)
                && let Some(values) = self.whole::<O::Element>()?
            {
                return O::from_elements(values, self.shape());
            }
            let selected = self.resolve(&selection)?;
            if let Some(gather) = O::gather(self.datatype())? {
                return self.gather(gather, &selected, |bytes| Cow::Borrowed(bytes));
            }
            let values = self.values::<O::Element>(&selected)?;
            O::from_elements(values, &selected.shape())
        };
        read(selection.into()).in_object(self.info.object_path())
    }

    /// Reads the selected elements into a buffer of as many values, row-major.
    ///
    /// # Errors
    /// As [`read`](Self::read); `Selection` where the buffer has another length.
    pub fn read_into<T: Element>(&self, values: &mut [T], selection: impl Into<Selection>) -> Result<()> {
        let read = |selection: Selection, values: &mut [T]| {
            let selected = self.resolve(&selection)?;
            if selected.elements() != values.len() as u64 {
                let fault = SelectionFault::Room { room: values.len() as u64, selected: selected.elements() };
                return Err(fault.into());
            }
            self.claim(&selected)?;
            self.read_values(&selected, values)
        };
        read(selection.into(), values).in_object(self.info.object_path())
    }

    /// Reads the bytes of the selected elements in the file's datatype, row-major.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_bytes(&self, selection: impl Into<Selection>) -> Result<Vec<u8>> {
        let read = |selection: Selection| {
            let selected = self.resolve(&selection)?;
            self.bytes(&selected)
        };
        read(selection.into()).in_object(self.info.object_path())
    }

    /// The elements borrowed from the source, where they can be: one piece of a file in memory or mapped,
    /// with the bytes that `T` has in memory, and aligned. `None` is normal; then `read` gives a copy.
    ///
    /// # Errors
    /// `Corrupt` where the elements are not in the file.
    pub fn as_slice<T: Element>(&self) -> Result<Option<&[T]>> {
        let Store::Contiguous(address) = &self.parts.raw.store else { return Ok(None) };
        let storage = self.file().storage();
        let bytes =
            storage.read_raw(*address, self.logical_size(), Structure::RawData).in_object(self.info.object_path())?;
        match bytes {
            Cow::Borrowed(bytes) => Ok(T::from_native_bytes(self.datatype(), bytes)),
            Cow::Owned(_) => Ok(None),
        }
    }

    /// A member of a compound dataset, to read on its own.
    ///
    /// # Errors
    /// `NotFound` where there is no such member, `Type` where the dataset is no compound.
    pub fn member(&self, name: &str) -> Result<Member> {
        // Found now, so that a wrong name is not found out by the first read.
        crate::element::member::<crate::element::Value>(self.datatype(), name).in_object(self.info.object_path())?;
        Ok(Member { dataset: self.clone(), name: name.to_owned() })
    }

    pub(crate) fn resolve(&self, selection: &Selection) -> Result<Resolved> {
        if self.parts.dataspace.is_null() {
            return Err(Usage::Null.into());
        }
        selection.resolve(self.shape())
    }

    /// The same dataset, of which reads go on past damaged chunks and note them.
    pub(super) fn noting(&self, damage: Arc<Damage>) -> Self {
        let mut parts = Parts::clone(&self.parts);
        parts.raw.damage = Some(damage);
        Self { info: self.info.clone(), parts: Arc::new(parts) }
    }

    pub(super) fn raw(&self) -> &RawData {
        &self.parts.raw
    }

    /// The bytes of resolved elements.
    pub(crate) fn bytes(&self, selected: &Resolved) -> Result<Vec<u8>> {
        let mut bytes = crate::element::zeroed(self.length_of(selected)?)?;
        self.read_raw(selected, &mut bytes)?;
        Ok(bytes)
    }

    /// How many bytes resolved elements have, where one read may return as many and they can be in the file.
    pub(crate) fn length_of(&self, selected: &Resolved) -> Result<usize> {
        let length = self.parts.raw.bytes_of(selected.elements())?;
        self.claim(selected)?;
        Ok(length)
    }

    /// Counts elements that are asked for, and refuses those that cannot be in the file.
    pub(super) fn claim(&self, selected: &Resolved) -> Result<()> {
        self.file().storage().count_elements(selected.elements(), self.datatype().size.into())?;
        self.parts.raw.check_stored(selected)
    }

    /// Fills a buffer with the bytes of resolved elements.
    pub(crate) fn read_raw(&self, selected: &Resolved, bytes: &mut [u8]) -> Result<()> {
        self.parts.raw.nesting.begin();
        self.parts.raw.read(selected, bytes)
    }

    /// Parts of a selection, in order, each of some `bytes` where that is possible and made of whole chunks.
    pub(crate) fn blocks(&self, selected: &Resolved, bytes: u64) -> Vec<Resolved> {
        let elements = (bytes / u64::from(self.datatype().size.max(1))).max(1);
        selected.blocks(elements, self.chunk_shape())
    }

    /// Refuses results that are larger than a read may be, as bytes of the file or as values.
    pub(super) fn check_room<T>(&self, selected: &Resolved) -> Result<()> {
        self.parts.raw.bytes_of(selected.elements())?;
        let bytes = selected.elements().saturating_mul(size_of::<T>() as u64);
        self.parts.raw.check_expansion(bytes / AS_VALUES)?;
        let allowed = self.file().limits().read_bytes;
        if bytes > allowed { Err(Error::limit("read_bytes", bytes, allowed)) } else { Ok(()) }
    }

    /// All elements, where they stand in one piece and have the bytes that they have in memory.
    fn whole<T: Element>(&self) -> Result<Option<Vec<T>>> {
        let Store::Contiguous(address) = self.parts.raw.store else { return Ok(None) };
        let storage = self.file().storage();
        let (n, bytes) = (self.len(), self.parts.raw.bytes_of(self.len())?);
        if n.saturating_mul(size_of::<T>() as u64) != bytes as u64
            || T::native_bytes(self.datatype(), &mut []).is_none()
        {
            return Ok(None);
        }
        // What cannot be in the file is refused before room is made for it.
        storage.raw_range(address, bytes as u64, Structure::RawData)?;
        let mut values = T::empty_vec(n as usize)?;
        if let Some(bytes) = T::native_bytes(self.datatype(), &mut values).filter(|bytes| !bytes.is_empty()) {
            storage.read_raw_into(address, bytes)?;
        }
        Ok(Some(values))
    }

    fn values<T: Element>(&self, selected: &Resolved) -> Result<Vec<T>> {
        self.check_room::<T>(selected)?;
        self.claim(selected)?;
        let n = usize::try_from(selected.elements()).unwrap_or(usize::MAX);
        let alone = self.datatype().has_heap_data() || self.file().threads() == 1;
        if T::UNTOUCHED || !alone || T::native_bytes(self.datatype(), &mut []).is_some() {
            let mut values = T::empty_vec(n)?;
            self.read_values(selected, &mut values)?;
            return Ok(values);
        }
        // Values are made block by block, so that they are still near when they are overwritten.
        let decode = T::decoder(self.datatype())?;
        let mut values = T::empty_vec(0)?;
        values.try_reserve_exact(n).map_err(|_| crate::element::out_of_memory::<T>(n))?;
        self.each_block(selected, &mut |bytes, n, heap| {
            let first = values.len();
            values.extend((0..n).map(|_| T::empty()));
            decode(bytes, heap, &mut values[first..])
        })?;
        Ok(values)
    }

    pub(super) fn read_values<T: Element>(&self, selected: &Resolved, values: &mut [T]) -> Result<()> {
        if let Some(bytes) = T::native_bytes(self.datatype(), values) {
            return self.read_raw(selected, bytes);
        }
        let decode = T::decoder(self.datatype())?;
        self.decode_blocks(selected, values, &|bytes, heap, values| decode(bytes, heap, values))
    }

    /// Converts block by block, so that the bytes of all elements are never there at once.
    fn decode_blocks<T: Send>(&self, selected: &Resolved, values: &mut [T], decode: &Decode<'_, T>) -> Result<()> {
        let mut jobs = Vec::new();
        let (mut first, mut rest) = (0, values);
        for block in self.blocks(selected, BLOCK) {
            let (part, after) = rest.split_at_mut(block.elements() as usize);
            jobs.push((first, block, part));
            first += jobs.last().map_or(0, |(_, block, _)| block.elements());
            rest = after;
        }
        let worth = self.parts.raw.bytes_of(first)? / workers::WORTH_DECODING;
        // What one read may take out of the heap, and the sources that it may open, are counted in one place.
        let alone = self.datatype().has_heap_data() || matches!(self.parts.raw.store, Store::Virtual(_));
        let threads = if alone { 1 } else { self.file().threads().min(worth) };
        let state = || (Vec::new(), FileHeap::new(self.file().storage()));
        workers::share(threads, jobs, state, |(bytes, heap), (first, block, part)| {
            decode(self.block_bytes(&block, bytes)?, heap, part).map_err(|e| e.shifted_by(first))
        })
    }

    /// Gathers a result of elements of which `bytes` gives those that count.
    fn gather<O>(
        &self,
        mut gather: Box<dyn Gather<O>>,
        selected: &Resolved,
        bytes: impl Fn(&[u8]) -> Cow<'_, [u8]>,
    ) -> Result<O> {
        self.check_room::<u64>(selected)?;
        self.claim(selected)?;
        gather.announce(selected.elements());
        self.each_block(selected, &mut |block, n, heap| gather.add(&bytes(block), n, heap))?;
        gather.finish(&selected.shape())
    }

    /// Calls `convert` with the bytes of so many elements, block by block and in order.
    fn each_block(&self, selected: &Resolved, convert: &mut Convert<'_>) -> Result<()> {
        let heap = FileHeap::new(self.file().storage());
        let mut next = 0u64;
        let mut bytes = Vec::new();
        each(self.blocks(selected, GATHERED), |block| {
            let first = next;
            next += block.elements();
            let bytes = self.block_bytes(&block, &mut bytes)?;
            convert(bytes, block.elements() as usize, &heap).map_err(|e| e.shifted_by(first))
        })
    }

    /// The bytes of a block, in a buffer that is used for all of them.
    fn block_bytes<'b>(&self, block: &Resolved, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        let length = self.parts.raw.bytes_of(block.elements())?;
        if buffer.len() < length {
            *buffer = crate::element::zeroed(length)?;
        }
        self.read_raw(block, &mut buffer[..length])?;
        Ok(&buffer[..length])
    }
}

/// What never-written elements give, which must have the size of an element.
fn pattern(fill: &Fill, datatype: &Datatype, at: u64) -> Result<FillPattern> {
    match fill {
        Fill::Value(value) if value.iter().any(|b| *b != 0) => {
            if value.len() != datatype.size as usize {
                let fault = Fault::Mismatch { found: value.len() as u64, expected: datatype.size.into() };
                return Err(Corrupt::new(Structure::FillValue, "size", at, fault).into());
            }
            Ok(FillPattern::Element(value.clone()))
        }
        _ => Ok(FillPattern::Zeros),
    }
}

/// One member of a compound dataset.
///
/// ```
/// # fn read(file: &h5kit::File) -> h5kit::Result<()> {
/// let energies: Vec<f64> = file.dataset("/events")?.member("energy")?.read(0..1000)?;
/// # drop(energies);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Member {
    dataset: Dataset,
    name: String,
}

impl Member {
    /// The member's datatype.
    #[must_use]
    pub fn datatype(&self) -> &Datatype {
        let members = self.dataset.datatype().members();
        // The dataset was asked for the member before this was made.
        members.iter().find(|m| m.name == *self.name).map_or(self.dataset.datatype(), |m| &m.datatype)
    }

    /// Reads the member of the selected elements.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn read<O: Output>(&self, selection: impl Into<Selection>) -> Result<O> {
        let read = |selection: Selection| {
            let selected = self.dataset.resolve(&selection)?;
            let column: Column<O::Element> = crate::element::member(self.dataset.datatype(), &self.name)?;
            if let Some(gather) = O::gather(self.datatype())? {
                return self.dataset.gather(gather, &selected, |bytes| Cow::Owned(column.packed(bytes)));
            }
            self.dataset.check_room::<O::Element>(&selected)?;
            let n = usize::try_from(selected.elements()).unwrap_or(usize::MAX);
            let mut values = O::Element::empty_vec(n)?;
            self.dataset.decode_blocks(&selected, &mut values, &|bytes, heap, values| {
                for (value, part) in values.iter_mut().zip(column.decode(bytes, heap)?) {
                    *value = part;
                }
                Ok(())
            })?;
            O::from_elements(values, &selected.shape())
        };
        read(selection.into()).in_object(self.dataset.info.object_path())
    }
}
