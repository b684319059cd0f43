//! The table of shared object header messages, its lists, B-trees and heaps.

use super::header::{decode, structure};
use super::{Context, Pass};
use crate::bytes::Block;
use crate::bytes::checksum::lookup3_from;
use crate::error::{Corrupt, Fault, Structure};
use crate::format::btree_v2::{RecordType, SharedLocation, SharedRecord};
use crate::format::message::attribute::Attribute;
use crate::format::message::shared_message_table::SharedMessageTableLocation;
use crate::format::object_header::MessageType;
use crate::format::shared_message_table::{SharedIndex, SharedMessageList, SharedMessageTable};
use crate::walk::heap::Heap;

impl Pass<'_> {
    pub(super) fn shared_messages(&mut self, location: SharedMessageTableLocation) -> Option<()> {
        const S: Structure = Structure::SharedMessageTable;
        // The table itself was decoded when the file was opened.
        let table = self.storage.shared_table()?;
        let size = SharedMessageTable::size(location.indexes, self.storage.widths()) as u64;
        self.keep(S, location.address?, size, Context::SharedTable { indexes: location.indexes });
        for index in &table.indexes {
            let heap = index.heap.and_then(|address| self.heap(address));
            let counted = match (index.kind, index.index) {
                (_, None) => Some(0),
                (0, Some(_)) => self.shared_list(index, heap.as_deref()),
                (_, Some(address)) => {
                    self.btree_v2(address, &[RecordType::SHARED_MESSAGE], None, &mut |pass, record, _| {
                        if let Some(decoded) = pass.check(SharedRecord::decode(record)) {
                            pass.shared_message(record.at(), &decoded, index, heap.as_deref());
                        }
                    })
                }
            };
            if let Some(counted) = counted {
                let at = self.storage.position(location.address?);
                self.equal(S, "number of messages", at, index.count.into(), counted);
            }
        }
        Some(())
    }

    fn shared_list(&mut self, index: &SharedIndex, heap: Option<&Heap>) -> Option<u64> {
        const S: Structure = Structure::SharedMessageList;
        let (address, w) = (index.index?, self.storage.widths());
        let used = SharedMessageList::size(index.count, w) as u64;
        let room = SharedMessageList::size(index.cutoff.0.max(index.count), w) as u64;
        let run = self.check(self.storage.read(address, used, S))?;
        let list = self.check(SharedMessageList::decode(run.block(), index.count))?;
        self.keep_allocated(S, address, used, room, Context::SharedList { count: index.count });
        for record in &list.records {
            self.shared_message(run.block().at(), record, index, heap);
        }
        Some(list.records.len() as u64)
    }

    /// Resolves a record: the message in the heap must have the hash that the record says, and decode. Hashes
    /// begin with the type of the message, which the record does not tell otherwise.
    fn shared_message(
        &mut self,
        at: u64,
        record: &SharedRecord,
        index: &SharedIndex,
        heap: Option<&Heap>,
    ) -> Option<()> {
        if let (SharedLocation::Heap { id, reference_count }, Some(heap)) = (&record.location, heap) {
            self.stored_uses.push(((heap.address, *id), at, *reference_count));
            let message = self.check(heap.object(self.storage, id))?;
            let block: Block<'_> = message.block();
            // Old fill values are where the new ones are.
            let types = (0..16).map(MessageType).filter(|kind| match *kind {
                MessageType::FILL_VALUE_OLD => index.types & 1 << MessageType::FILL_VALUE.0 != 0,
                kind => index.types & 1 << kind.0 != 0,
            });
            let kind = { types }.find(|kind| lookup3_from(kind.0.into(), block.bytes()) == record.hash);
            let Some((kind, structure)) = kind.and_then(|kind| Some((kind, structure(kind)?))) else {
                let fault = Fault::Value(record.hash.into());
                self.note(Corrupt::new(Structure::SharedMessageList, "hash value", at, fault));
                return None;
            };
            self.heap_part(heap, id, structure, block, Context::Message(kind));
            self.check(decode(self.storage, kind, block))?;
            if kind == MessageType::ATTRIBUTE {
                let attribute = self.check(Attribute::decode(block))?;
                self.attribute(&attribute, heap.header.filtered.is_none());
            }
        }
        Some(())
    }

    /// Counts a use of the message with this ID.
    pub(super) fn use_shared(&mut self, kind: MessageType, id: [u8; 8]) {
        let index = self.storage.shared_table().and_then(|table| table.index_of(kind.0));
        if let Some(heap) = index.and_then(|index| index.heap) {
            *self.uses.entry((heap, id)).or_default() += 1;
        }
    }
}
