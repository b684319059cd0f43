//! Shared messages: bodies that stand in another object header or in the file's table of shared messages.

use super::heap::Heap;
use super::object::ObjectHeader;
use super::{Run, Storage};
use crate::bytes::Block;
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::object_header::MessageType;
use crate::format::shared_message::SharedMessage;

/// Most pointers from one to the next.
const MAX_POINTERS: u32 = 8;

/// Follows the pointer `block` to the body of a message of type `kind`.
///
/// # Errors
/// A pointer that leads nowhere, or in a circle.
pub(crate) fn follow(storage: &Storage, block: Block<'_>, kind: MessageType, depth: u32) -> Result<Run<'static>> {
    const S: Structure = Structure::SharedMessage;
    if depth > MAX_POINTERS {
        return Err(block.corrupt(S, "address", Fault::Cycle).into());
    }
    match SharedMessage::decode(block)? {
        SharedMessage::Committed { header, .. } => {
            let target = ObjectHeader::read(storage, header)?;
            match target.body_at(storage, kind, depth)? {
                Some(run) => Ok(run.into_owned()),
                None => Err(block.corrupt(S, "address", Fault::Absent).into()),
            }
        }
        SharedMessage::Heap { id } => from_heap(storage, block, kind, &id),
    }
}

/// The body of a message of type `kind` in the heap of shared messages; `pointer` is what led there.
///
/// # Errors
/// A file without a heap for the type, or an ID that is not in it.
pub(crate) fn from_heap(storage: &Storage, pointer: Block<'_>, kind: MessageType, id: &[u8]) -> Result<Run<'static>> {
    let index = storage.shared_table().and_then(|table| table.index_of(kind.0));
    let Some(address) = index.and_then(|index| index.heap) else {
        let fault = Fault::Value(kind.0.into());
        return Err(Corrupt::new(Structure::SharedMessageTable, "message type", pointer.at(), fault).into());
    };
    storage.counting(|| storage.retrying(|| Heap::open(storage, address)?.object(storage, id)))
}
