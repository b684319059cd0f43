use std::num::NonZero;
use std::sync::Arc;

use super::attempts::Attempts;
use super::object::ObjectHeader;
use super::storage::Storage;
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Cause, Corrupt, Fault, InObject, Result, Structure};
use crate::format::cache_image::CacheImage;
use crate::format::driver_info::DriverInfo;
use crate::format::message::btree_k::BTreeK;
use crate::format::message::cache_image::CacheImageLocation;
use crate::format::message::shared_message_table::SharedMessageTableLocation;
use crate::format::object_header::MessageType;
use crate::format::shared_message_table::SharedMessageTable;
use crate::format::superblock::{self, Form, SIGNATURE, SWMR_WRITING, Superblock, WRITING};
use crate::limits::Limits;
use crate::source::Source;

/// What is unusual about a file that can be read all the same.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Condition {
    /// The file is shorter than its superblock says: the length it should have, in bytes.
    pub truncated: Option<u64>,
    /// A writer had it open when it was last written, and never closed it.
    pub open_for_writing: bool,
    /// The writer let others read meanwhile (single writer, multiple readers).
    pub open_for_swmr: bool,
    /// The superblock is at another position than it says: bytes were put in front of it.
    pub moved: bool,
    /// Metadata comes from a cache image, which supersedes what stands in its place.
    pub cache_image: bool,
}

/// A file whose root group's header has been read.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) frame: Frame,
    pub(crate) root: Arc<ObjectHeader>,
}

/// A file of which no object has been read yet: all that a survey needs to begin with, which goes on where the root
/// group cannot be read.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) storage: Storage,
    pub(crate) superblock: Superblock,
    /// Position of the superblock: the base address.
    pub(crate) position: u64,
    pub(crate) condition: Condition,
    pub(crate) driver_info: Option<DriverInfo>,
}

impl OpenFile {
    /// The driver information of a file of which this may be one member only; `None` where there is none,
    /// or where it is in another member.
    pub(crate) fn peek_driver_info(source: Arc<dyn Source>, limits: Limits) -> Option<DriverInfo> {
        let (position, superblock) = find_superblock(source.as_ref(), None).ok()?;
        let attempts = Attempts::new(None, flags(&superblock) & SWMR_WRITING != 0);
        let storage = Storage::new(source, position, superblock.widths, limits, attempts);
        if let Some(address) = superblock.driver_info() {
            return read_driver_info(&storage, address).ok();
        }
        let extension = ObjectHeader::read(&storage, superblock.extension()?).ok()?;
        let run = extension.body(&storage, MessageType::DRIVER_INFO).ok()??;
        DriverInfo::decode_message(run.block()).ok()
    }

    /// Finds and reads the superblock, its extension and the root group's header. What breaks the format is read so many
    /// times as are asked for, or as the state of the file asks for.
    pub(crate) fn open(source: Arc<dyn Source>, limits: Limits, read_attempts: Option<NonZero<u32>>) -> Result<Self> {
        let frame = Frame::open(source, limits, read_attempts)?;
        let root = frame.root()?;
        Ok(Self { frame, root })
    }
}

impl Frame {
    /// Finds and reads the superblock and its extension.
    pub(crate) fn open(source: Arc<dyn Source>, limits: Limits, read_attempts: Option<NonZero<u32>>) -> Result<Self> {
        let mut frame = Self::begin(source, limits, read_attempts)?;
        frame.read_extension()?;
        Ok(frame)
    }

    /// Finds and reads the superblock alone.
    pub(super) fn begin(source: Arc<dyn Source>, limits: Limits, read_attempts: Option<NonZero<u32>>) -> Result<Self> {
        let (position, superblock) = find_superblock(source.as_ref(), read_attempts)?;
        let condition = condition(&superblock, position, source.len());
        if condition.open_for_swmr {
            source.keep_nothing();
        }
        let attempts = Attempts::new(read_attempts, condition.open_for_swmr);
        let mut storage = Storage::new(source, position, superblock.widths, limits, attempts);
        let encoded = Emit::encode(superblock.widths, |to| superblock.encode(to));
        storage.superblock = encoded.map_or(0, |bytes| bytes.len() as u64);
        if let Form::Old(old) = &superblock.form {
            storage.k = BTreeK {
                group_leaf: old.group_leaf_k,
                group_internal: old.group_internal_k,
                chunk: old.chunk_k.map_or(BTreeK::default().chunk, |(k, _)| k),
            };
        }
        Ok(Self { storage, superblock, position, condition, driver_info: None })
    }

    /// A file that has lost its superblock, with its first address at a position.
    pub(super) fn without_superblock(source: Arc<dyn Source>, limits: Limits, position: u64, widths: Widths) -> Self {
        let storage = Storage::new(source, position, widths, limits, Attempts::new(None, false));
        let form = Form::New { version: 3, extension: None, root: None };
        let superblock = Superblock { widths, flags: 0, base: Some(Addr(position)), end_of_file: None, form };
        Self { storage, superblock, position, condition: Condition::default(), driver_info: None }
    }

    /// The addresses of positions, those before the first left out.
    pub(super) fn addresses(&self, positions: &[u64]) -> impl Iterator<Item = Addr> {
        let base = self.position;
        positions.iter().filter_map(move |at| at.checked_sub(base).map(Addr))
    }

    /// Reads what the superblock leads to beside the root.
    pub(super) fn read_extension(&mut self) -> Result<()> {
        if let Some(address) = self.superblock.driver_info() {
            self.driver_info = Some(self.storage.retrying(|| read_driver_info(&self.storage, address))?);
        }
        match self.superblock.extension() {
            Some(address) => self.apply_extension(address),
            None => Ok(()),
        }
    }

    /// Reads the superblock extension at an address.
    pub(super) fn apply_extension(&mut self, address: Addr) -> Result<()> {
        let storage = &mut self.storage;
        self.condition.cache_image = apply_cache_image(storage, address)?;
        let extension = ObjectHeader::read(storage, address)?;
        if let Some(run) = extension.body(storage, MessageType::BTREE_K)? {
            storage.k = BTreeK::decode(run.block())?;
        }
        if let Some(run) = extension.body(storage, MessageType::DRIVER_INFO)? {
            self.driver_info = Some(DriverInfo::decode_message(run.block())?);
        }
        if let Some(run) = extension.body(storage, MessageType::SHARED_MESSAGE_TABLE)? {
            let location = SharedMessageTableLocation::decode(run.block())?;
            storage.shared = match location.address {
                Some(address) => Some(storage.retrying(|| read_shared_table(storage, address, location.indexes))?),
                None => None,
            };
        }
        Ok(())
    }

    /// The header of the root group, as it is now.
    pub(crate) fn root(&self) -> Result<Arc<ObjectHeader>> {
        let root = self.superblock.root().ok_or_else(|| {
            Corrupt::new(Structure::Superblock, "root group object header address", self.position, Fault::Undefined)
        });
        root.map_err(Into::into).and_then(|root| ObjectHeader::read(&self.storage, root)).in_object("/")
    }
}

/// Looks for the superblock at 0, 512, 1024, 2048, … A signature that no superblock follows is passed over
/// where another one comes later.
fn find_superblock(source: &dyn Source, read_attempts: Option<NonZero<u32>>) -> Result<(u64, Superblock)> {
    let length = source.len();
    let mut fault = None;
    let mut at = 0u64;
    while at.checked_add(SIGNATURE.len() as u64).is_some_and(|end| end <= length) {
        let bytes = source.read(at..length.min(at.saturating_add(superblock::LARGEST)))?;
        if bytes.starts_with(&SIGNATURE) {
            let attempts = Attempts::new(read_attempts, superblock::claims_swmr(&bytes));
            match attempts.retrying(|| source.refresh(), || superblock_at(source, at)) {
                Ok(superblock) => return Ok((at, superblock)),
                Err(e) if e.corrupt().is_none() => return Err(e),
                Err(e) => fault = fault.or(Some(e)),
            }
        }
        at = if at == 0 { 512 } else { at.saturating_mul(2) };
    }
    Err(fault.unwrap_or_else(|| Cause::NotHdf5 { length }.into()))
}

fn superblock_at(source: &dyn Source, at: u64) -> Result<Superblock> {
    let bytes = source.read(at..source.len().min(at.saturating_add(superblock::LARGEST)))?;
    Ok(Superblock::decode(Block::new(&bytes, at, Widths::default()))?)
}

/// The flags of a file, which mean something from version 3 on; in old files they are whatever was in memory.
fn flags(superblock: &Superblock) -> u32 {
    if superblock.version() == 3 { superblock.flags } else { 0 }
}

fn condition(superblock: &Superblock, position: u64, length: u64) -> Condition {
    let stored_base = superblock.base.map_or(0, |a| a.0);
    // The end of file address is absolute, and moves with the superblock.
    let end = superblock.end_of_file.map(|end| end.0.wrapping_sub(stored_base).wrapping_add(position));
    let flags = flags(superblock);
    Condition {
        truncated: end.filter(|end| *end > length),
        open_for_writing: flags & WRITING != 0,
        open_for_swmr: flags & SWMR_WRITING != 0,
        moved: stored_base != position,
        cache_image: false,
    }
}

fn read_driver_info(storage: &Storage, address: Addr) -> Result<DriverInfo> {
    let head = storage.read(address, DriverInfo::HEAD as u64, Structure::DriverInfo)?;
    let size = DriverInfo::decode_size(head.block())?;
    let run = storage.read(address, DriverInfo::HEAD as u64 + u64::from(size), Structure::DriverInfo)?;
    Ok(DriverInfo::decode_block(run.block())?)
}

/// Lays the entries of the cache image over the file, if there is one. The extension is read without it
/// here, and again with it afterwards.
fn apply_cache_image(storage: &mut Storage, extension: Addr) -> Result<bool> {
    let header = ObjectHeader::read(storage, extension)?;
    let Some(run) = header.body(storage, MessageType::CACHE_IMAGE)? else { return Ok(false) };
    let location = CacheImageLocation::decode(run.block())?;
    let Some(address) = location.address else { return Ok(false) };
    let image = storage.retrying(|| {
        let run = storage.read(address, location.length, Structure::CacheImage)?;
        Ok(CacheImage::decode(run.block())?)
    })?;
    for entry in image.entries {
        if let Some(address) = entry.address {
            storage.lay_over(address, entry.image);
        }
    }
    Ok(true)
}

fn read_shared_table(storage: &Storage, address: Addr, indexes: u8) -> Result<SharedMessageTable> {
    let size = SharedMessageTable::size(indexes, storage.widths()) as u64;
    let run = storage.read(address, size, Structure::SharedMessageTable)?;
    Ok(SharedMessageTable::decode(run.block(), indexes)?)
}
