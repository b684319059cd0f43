//! Attributes: those in the object header and those in a heap.

use std::cmp::Ordering;

use super::btree_v2::{Records, Tree};
use super::heap::Heap;
use super::object::ObjectHeader;
use super::shared;
use super::{Held, Run, Siblings, Storage, each};
use crate::bytes::checksum::lookup3;
use crate::bytes::{Block, Text};
use crate::error::{Corrupt, Error, Result, Structure};
use crate::format::btree_v2::{AttributeRecord, RecordType};
use crate::format::message::attribute::Attribute;
use crate::format::message::attribute_info::AttributeInfo;
use crate::format::object_header::{MessageFlags, MessageType};

/// An attribute message, found, with its name decoded.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) name: Text,
    pub(crate) creation_order: Option<u32>,
    pub(crate) message: Run<'static>,
}

/// All attributes, each on its own: one that is damaged does not hide the others.
///
/// # Errors
/// An index or heap that cannot be read.
pub(crate) fn all(storage: &Storage, header: &ObjectHeader) -> Result<Vec<Result<Found>>> {
    storage.retrying(|| all_now(storage, header))
}

fn all_now(storage: &Storage, header: &ObjectHeader) -> Result<Vec<Result<Found>>> {
    let mut found = Siblings::new();
    let tracked = header.prefix.creation_order_tracked();
    each(header.stored(MessageType::ATTRIBUTE), |(message, block)| {
        let order = message.creation_order.filter(|_| tracked).map(u32::from);
        found.keep(storage, one(storage, block, message.flags, order), Found::size)
    })?;
    if let Some(info) = info(storage, header)?
        && let (Some(heap), Some(index)) = (info.fractal_heap, info.name_index.or(info.creation_order_index.flatten()))
    {
        let tree = Tree::open(storage, index, &[RecordType::ATTRIBUTE_NAME, RecordType::ATTRIBUTE_ORDER])?;
        let heap = Heap::open(storage, heap)?;
        let records = tree.all(storage)?;
        let mut held = Held::by(Structure::Attribute, storage.position(header.address));
        held.add(storage, records.bytes())?;
        each(records.iter(), |record| {
            let read = || dense(storage, &heap, record, tree.header.record_type, tracked);
            let attribute = storage.retrying(read);
            // Of shared attributes, and of those that filters made, less is in the file.
            let own = heap.header.filtered.is_none()
                && AttributeRecord::decode(record, tree.header.record_type)
                    .is_ok_and(|decoded| !MessageFlags(decoded.flags).shared());
            if let (Ok(attribute), true) = (&attribute, own) {
                held.add(storage, attribute.size() as u64)?;
            }
            found.keep(storage, attribute, Found::size)
        })?;
    }
    Ok(found.into_found())
}

/// The attribute of a name, found through the index where there is one.
pub(crate) fn find(storage: &Storage, header: &ObjectHeader, name: &[u8]) -> Result<Option<Found>> {
    storage.retrying(|| find_now(storage, header, name))
}

fn find_now(storage: &Storage, header: &ObjectHeader, name: &[u8]) -> Result<Option<Found>> {
    let tracked = header.prefix.creation_order_tracked();
    if let Some((message, block)) = header.attribute_named(name) {
        let order = message.creation_order.filter(|_| tracked).map(u32::from);
        return one(storage, block, message.flags, order).map(Some);
    }
    for (message, block) in header.stored(MessageType::ATTRIBUTE) {
        if !message.flags.shared() && Attribute::decode_name(block).is_ok_and(|found| found != name) {
            continue;
        }
        // A damaged neighbour is no obstacle.
        let order = message.creation_order.filter(|_| tracked).map(u32::from);
        match one(storage, block, message.flags, order) {
            Ok(found) if found.name.as_bytes() == name => return Ok(Some(found)),
            Err(e) if e.is_missing() => return Err(e),
            _ => {}
        }
    }
    let Some(info) = info(storage, header)? else { return Ok(None) };
    let (Some(heap), Some(index)) = (info.fractal_heap, info.name_index) else { return Ok(None) };
    let tree = Tree::kept(storage, index, &[RecordType::ATTRIBUTE_NAME])?;
    let heap = Heap::open(storage, heap)?;
    let hash = lookup3(name);
    // The hash is what the record ends with.
    let place = |record: &[u8]| record.last_chunk().map_or(Ordering::Less, |h| u32::from_le_bytes(*h).cmp(&hash));
    let pick = |records: &Records| {
        for record in records.iter() {
            let found = dense(storage, &heap, record, RecordType::ATTRIBUTE_NAME, tracked)?;
            if found.name.as_bytes() == name {
                return Ok(Some(found));
            }
        }
        Ok(None)
    };
    match tree.search(storage, &place).and_then(|records| records.map_or(Ok(None), |records| pick(&records))) {
        Ok(Some(found)) => Ok(Some(found)),
        Err(e) if e.is_missing() => Err(e),
        // What is out of order is found all the same, and what is at fault is told.
        _ => pick(&tree.range(storage, &place)?),
    }
}

/// Where an object keeps many attributes.
pub(crate) fn info(storage: &Storage, header: &ObjectHeader) -> Result<Option<AttributeInfo>> {
    match header.body(storage, MessageType::ATTRIBUTE_INFO)? {
        Some(run) => Ok(Some(AttributeInfo::decode(run.block())?)),
        None => Ok(None),
    }
}

fn one(storage: &Storage, block: Block<'_>, flags: MessageFlags, order: Option<u32>) -> Result<Found> {
    let message = if flags.shared() {
        shared::follow(storage, block, MessageType::ATTRIBUTE, 1)?
    } else {
        Run::from(block).into_owned()
    };
    let name = Attribute::decode_name(message.block())?.into();
    Ok(Found { name, creation_order: order, message })
}

fn dense(storage: &Storage, heap: &Heap, record: Block<'_>, kind: RecordType, tracked: bool) -> Result<Found> {
    let decoded = AttributeRecord::decode(record, kind)?;
    let message = if MessageFlags(decoded.flags).shared() {
        shared::from_heap(storage, record, MessageType::ATTRIBUTE, &decoded.id)?
    } else {
        heap.object(storage, &decoded.id)?
    };
    let name = Attribute::decode_name(message.block())?.into();
    Ok(Found { name, creation_order: tracked.then_some(decoded.order), message })
}

/// The datatype and dataspace messages of an attribute, wherever they stand, and its data.
pub(crate) struct Parts<'a> {
    pub(crate) datatype: Run<'a>,
    pub(crate) dataspace: Run<'a>,
    pub(crate) data: Block<'a>,
}

impl Found {
    /// Bytes of the message.
    fn size(&self) -> usize {
        self.message.block().bytes().len()
    }

    /// Takes the message apart.
    pub(crate) fn parts(&self, storage: &Storage) -> Result<Parts<'_>> {
        let attribute = Attribute::decode(self.message.block()).map_err(|fault: Corrupt| Error::from(fault))?;
        Ok(Parts {
            datatype: part(storage, attribute.datatype_shared(), attribute.datatype, MessageType::DATATYPE)?,
            dataspace: part(storage, attribute.dataspace_shared(), attribute.dataspace, MessageType::DATASPACE)?,
            data: attribute.data,
        })
    }
}

fn part<'a>(storage: &Storage, shared: bool, block: Block<'a>, kind: MessageType) -> Result<Run<'a>> {
    if shared { shared::follow(storage, block, kind, 1) } else { Ok(Run::from(block)) }
}
