//! Global heap collections: objects by their numbers.

use std::ops::Range;
use std::sync::Arc;

use super::{Run, Storage};
use crate::bytes::{Addr, Block, Widths};
use crate::error::{Result, Structure};
use crate::format::global_heap::GlobalHeap;
use crate::format::reference::HeapPlace;
use crate::order::sort_by;

/// A collection, read as a whole.
#[derive(Debug)]
pub(crate) struct Collection {
    pub(crate) heap: GlobalHeap,
    bytes: Vec<u8>,
    at: u64,
    widths: Widths,
}

/// Bytes of the collections that libhdf5 mostly writes.
const USUAL: u64 = 4096;

/// Bytes of an object of a few bytes, with its head.
const LEAST_OBJECT: usize = 32;

/// Most bytes of collections that are read at once.
const WINDOW: u64 = 128 << 10;

impl Collection {
    /// The collection at an address.
    pub(crate) fn read(storage: &Storage, address: Addr) -> Result<Arc<Self>> {
        storage.memo(address, Structure::GlobalHeap, || {
            let run = whole(storage, address)?;
            let size = run.block().bytes().len() as u64;
            let heap = GlobalHeap::decode(run.block())?;
            let (at, widths) = (run.block().at(), storage.widths());
            let cost = size + 32 * heap.objects.len() as u64;
            Ok((Self { heap, bytes: run.into_bytes(), at, widths }, cost))
        })
    }

    /// The bytes of an object.
    ///
    /// # Errors
    /// No object of that number.
    pub(crate) fn object(&self, index: u32) -> Result<Block<'_>> {
        match self.heap.object(index) {
            Some(range) => {
                let at = self.at + range.start as u64;
                Ok(Block::new(&self.bytes[range], at, self.widths))
            }
            None => Err(GlobalHeap::no_object(self.at, index).into()),
        }
    }
}

/// A collection to take many objects out of: where each stands is known by its number.
#[derive(Debug)]
pub(crate) struct Objects<'a> {
    run: Run<'a>,
    places: Vec<Range<usize>>,
    /// The objects of an unusual collection, which has no places.
    unusual: Option<GlobalHeap>,
}

impl<'a> Objects<'a> {
    /// The collection at an address.
    pub(crate) fn read(storage: &'a Storage, address: Addr) -> Result<Self> {
        let run = whole(storage, address)?;
        let mut places = Vec::with_capacity(run.block().bytes().len() / LEAST_OBJECT);
        if GlobalHeap::places(run.block(), &mut places) {
            return Ok(Self { run, places, unusual: None });
        }
        let unusual = Some(GlobalHeap::decode(run.block())?);
        Ok(Self { run, places: Vec::new(), unusual })
    }

    /// The same from the memo.
    pub(crate) fn kept(storage: &Storage, address: Addr) -> Result<Arc<Objects<'static>>> {
        storage.memo(address, Structure::GlobalHeap, || {
            let Objects { run, places, unusual } = Objects::read(storage, address)?;
            let count = places.len() + 2 * unusual.as_ref().map_or(0, |heap| heap.objects.len());
            let cost = run.block().bytes().len() + count * size_of::<Range<usize>>();
            Ok((Objects { run: run.into_owned(), places, unusual }, cost as u64))
        })
    }

    /// What objects are taken out of.
    pub(crate) fn view(&self) -> View<'_> {
        View { block: self.run.block(), places: &self.places, unusual: self.unusual.as_ref() }
    }
}

/// A collection as objects are taken out of it.
#[derive(Clone, Copy)]
pub(crate) struct View<'c> {
    block: Block<'c>,
    places: &'c [Range<usize>],
    unusual: Option<&'c GlobalHeap>,
}

impl<'c> View<'c> {
    /// The bytes of an object.
    ///
    /// # Errors
    /// No object of that number.
    #[inline]
    pub(crate) fn object(&self, index: u32) -> Result<Block<'c>> {
        let block = self.block;
        let found = match self.places.get(index as usize) {
            Some(place) if place.start > 0 => Some(place.clone()),
            _ => self.unusual.and_then(|heap| heap.object(index)),
        };
        match found {
            Some(range) => {
                let at = block.at() + range.start as u64;
                Ok(Block::new(&block.bytes()[range], at, block.widths()))
            }
            None => Err(GlobalHeap::no_object(block.at(), index).into()),
        }
    }
}

/// The bytes of a whole collection.
fn whole(storage: &Storage, address: Addr) -> Result<Run<'_>> {
    const S: Structure = Structure::GlobalHeap;
    let run = storage.read_up_to(address, USUAL, S)?;
    let size = GlobalHeap::decode_size(run.block())?;
    if size == run.block().bytes().len() as u64 { Ok(run) } else { storage.read(address, size, S) }
}

/// Says that the collections of these places will be read; gives the stretches of two and more of the usual size, in order.
pub(crate) fn prefetch(storage: &Storage, places: &mut dyn Iterator<Item = HeapPlace>) -> Result<Vec<Range<u64>>> {
    let mut addresses: Vec<Addr> = Vec::new();
    for place in places {
        // Mostly the one after is in the same collection.
        if addresses.last() != Some(&place.collection) {
            addresses.push(place.collection);
        }
    }
    sort_by(&mut addresses, Ord::cmp);
    addresses.dedup();
    storage.prefetch(addresses.iter().map(|address| (*address, USUAL)))?;
    let mut planned: Vec<Range<u64>> = Vec::new();
    if storage.limits().metadata_bytes >= WINDOW {
        for Addr(address) in addresses {
            match planned.last_mut() {
                Some(last) if last.end == address => last.end = address.saturating_add(USUAL),
                _ => planned.push(address..address.saturating_add(USUAL)),
            }
        }
        planned.retain(|stretch| stretch.end - stretch.start >= 2 * USUAL);
    }
    Ok(planned)
}

/// Collections that are used one after the other, read into memory that is used for all of them; those that stand one after
/// the other are read at once.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// What was read last, from `start` on.
    buffer: Vec<u8>,
    start: u64,
    length: usize,
    /// The collection that objects are taken out of.
    turned: Option<Turned>,
    places: Vec<Range<usize>>,
}

/// A collection in a window.
#[derive(Clone, Debug)]
struct Turned {
    address: Addr,
    bytes: Range<usize>,
    at: u64,
    widths: Widths,
}

impl Window {
    /// True where it is turned to this collection.
    pub(crate) fn is_at(&self, address: Addr) -> bool {
        self.turned.as_ref().is_some_and(|turned| turned.address == address)
    }

    /// Turns to a collection of which those after it are `planned` as well; false where it is anything but usual, or cannot be read.
    pub(crate) fn turn(&mut self, storage: &Storage, address: Addr, planned: &[Range<u64>]) -> bool {
        self.turned = self.find(address, storage).or_else(|| {
            self.fill(storage, address, planned)?;
            self.find(address, storage)
        });
        self.turned.is_some()
    }

    /// The collection at an address, where all of it is in the buffer.
    fn find(&mut self, address: Addr, storage: &Storage) -> Option<Turned> {
        let start = usize::try_from(address.0.checked_sub(self.start)?).ok()?;
        let rest = self.buffer.get(..self.length)?.get(start..)?;
        let (at, widths) = (storage.position(address), storage.widths());
        let size = GlobalHeap::decode_size(Block::new(rest, at, widths)).ok()?;
        let bytes = rest.get(..usize::try_from(size).ok()?)?;
        let range = start..start + bytes.len();
        GlobalHeap::places(Block::new(bytes, at, widths), &mut self.places).then_some(Turned {
            address,
            bytes: range,
            at,
            widths,
        })
    }

    /// Reads the collection at an address, and those that are planned after it.
    fn fill(&mut self, storage: &Storage, address: Addr, planned: &[Range<u64>]) -> Option<()> {
        let after = planned.partition_point(|stretch| stretch.start <= address.0);
        let planned = after.checked_sub(1).and_then(|i| planned.get(i)).map_or(0, |stretch| stretch.end);
        let planned = planned.saturating_sub(address.0).min(WINDOW);
        self.length = 0;
        let length = planned.max(USUAL).min(storage.source().available(storage.position(address)));
        storage.read_over(address, length, &mut self.buffer, 0).ok()?;
        let block = Block::new(self.buffer.get(..length as usize)?, storage.position(address), storage.widths());
        let size = GlobalHeap::decode_size(block).ok().filter(|size| *size <= storage.limits().metadata_bytes)?;
        if size > length {
            storage.read_over(address, size, &mut self.buffer, length as usize).ok()?;
        }
        (self.start, self.length) = (address.0, size.max(length) as usize);
        Some(())
    }

    /// What objects of the collection that was turned to are taken out of.
    pub(crate) fn view(&self) -> View<'_> {
        let none = Turned { address: Addr(0), bytes: 0..0, at: 0, widths: Widths::default() };
        let turned = self.turned.as_ref().unwrap_or(&none);
        let bytes = &self.buffer[turned.bytes.clone()];
        View { block: Block::new(bytes, turned.at, turned.widths), places: &self.places, unusual: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::source::{Extents, Memory, Source};

    /// A collection of so many bytes with as many objects, each of which says what it is.
    fn collection(number: usize, size: usize, objects: u16) -> Vec<u8> {
        let mut bytes = b"GCOL\x01\0\0\0".to_vec();
        bytes.extend_from_slice(&(size as u64).to_le_bytes());
        for index in 1..=objects {
            let data = format!("{number}:{index}");
            bytes.extend_from_slice(&index.to_le_bytes());
            bytes.extend_from_slice(&[0; 6]);
            bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
            bytes.extend_from_slice(data.as_bytes());
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        bytes.resize(size, 0);
        bytes
    }

    /// Collections of the usual size, of which the tenth has another signature, the twentieth an object that leaves it; one
    /// that is large; one that claims more than the file has; the last ends with the file before its usual size.
    fn file() -> (Vec<u8>, Vec<u64>) {
        let mut bytes = vec![0; 100];
        let mut addresses = Vec::new();
        for number in 0..80 {
            addresses.push(bytes.len() as u64);
            let mut new = match number {
                40 => collection(number, 300_000, 900),
                79 => collection(number, 1000, 9),
                _ => collection(number, 4096, 60),
            };
            match number {
                10 => new[0] = b'X',
                20 => new[24..32].fill(0x7f),
                60 => new[8..16].copy_from_slice(&(1u64 << 40).to_le_bytes()),
                _ => {}
            }
            bytes.append(&mut new);
        }
        (bytes, addresses)
    }

    fn storage(source: Arc<dyn Source>) -> Storage {
        let attempts = crate::walk::attempts::Attempts::new(None, false);
        Storage::new(source, 0, Widths::default(), Limits::default(), attempts)
    }

    fn object(view: Result<View<'_>>, index: u32) -> std::result::Result<(u64, Vec<u8>), String> {
        let object = view.and_then(|view| view.object(index)).map_err(|e| e.to_string())?;
        Ok((object.at(), object.bytes().to_vec()))
    }

    #[test]
    fn a_window_gives_what_collections_give() {
        let (bytes, addresses) = file();
        let storage = storage(Arc::new(Memory::new(bytes)));
        let place = |address: &u64| HeapPlace { collection: Addr(*address), index: 1 };
        for step in [1, 2, 7] {
            let asked: Vec<u64> = addresses.iter().copied().step_by(step).collect();
            let planned = prefetch(&storage, &mut asked.iter().map(place)).expect("all is in memory");
            assert_eq!(planned.is_empty(), step > 1);
            let backwards = asked.iter().rev().chain(&asked);
            let mut window = Window::default();
            let mut unusual = 0;
            for address in asked.iter().chain(backwards) {
                let address = Addr(*address);
                if !window.turn(&storage, address, &planned) {
                    unusual += 1;
                    continue;
                }
                assert!(window.is_at(address));
                let collection = Objects::read(&storage, address);
                for index in [0, 1, 9, 60, 61, 900, 70_000] {
                    let alone = object(collection.as_ref().map(Objects::view).map_err(|_| no_object()), index);
                    assert_eq!(object(Ok(window.view()), index), alone, "object {index} at {address:?}");
                }
            }
            let damaged = asked.iter().filter(|address| Objects::read(&storage, Addr(**address)).is_err());
            assert_eq!(unusual, 3 * damaged.count());
        }
    }

    fn no_object() -> crate::Error {
        GlobalHeap::no_object(0, 0).into()
    }

    #[test]
    fn a_window_asks_for_no_more_than_collections_do() {
        let (bytes, addresses) = file();
        let extents = Arc::new(Extents::new(bytes.len() as u64));
        extents.insert(0, bytes[..100 + 30 * 4096].to_vec());
        let storage = storage(extents.clone());
        let planned = 100..100 + 30 * USUAL;
        let planned = std::slice::from_ref(&planned);
        let mut window = Window::default();
        assert!(window.turn(&storage, Addr(addresses[5]), planned));
        assert!(window.turn(&storage, Addr(addresses[29]), planned));
        assert!(extents.take_missing().is_empty());
        assert!(!window.turn(&storage, Addr(addresses[30]), planned));
        let missing = addresses[30]..addresses[30] + USUAL;
        assert_eq!(extents.take_missing(), std::slice::from_ref(&missing));
    }
}
