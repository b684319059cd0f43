//! Attributes: in object headers and in heaps.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::header::{Header, structure};
use super::{Context, Pass};
use crate::bytes::checksum::lookup3;
use crate::bytes::{Addr, Block, Text};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::btree_v2::{AttributeRecord, RecordType};
use crate::format::message::attribute::Attribute;
use crate::format::message::attribute_info::AttributeInfo;
use crate::format::message::dataspace::Dataspace;
use crate::format::object_header::{MessageFlags, MessageType};
use crate::walk::heap::Heap;
use crate::walk::{self, Run, shared};

const S: Structure = Structure::Attribute;

impl<'f> Pass<'f> {
    pub(super) fn attributes(&mut self, header: &Header) {
        let mut names = HashSet::new();
        for message in header.all(MessageType::ATTRIBUTE) {
            self.survey.counts.attributes += 1;
            let Some(run) = self.body(message) else { continue };
            // What does not decode was noted with the messages.
            let Ok(attribute) = Attribute::decode(run.block()) else { continue };
            // One in the heap of shared messages is checked there, once for all who have it.
            if !message.flags.shared() {
                self.attribute(&attribute, true);
            }
            if !names.insert(attribute.name()) {
                self.note(message.body.block().corrupt(S, "name", Fault::Order));
            }
        }
        if let Some(run) = self.first(header, MessageType::ATTRIBUTE_INFO)
            && let Ok(info) = AttributeInfo::decode(run.block())
        {
            self.dense_attributes(&info, run.block().at());
        }
    }

    /// Checks an attribute. `in_place` where its bytes stand in the file as they are.
    pub(super) fn attribute(&mut self, attribute: &Attribute<'_>, in_place: bool) -> Option<()> {
        let datatype =
            self.attribute_part(attribute.datatype, attribute.datatype_shared(), MessageType::DATATYPE, in_place);
        let dataspace =
            self.attribute_part(attribute.dataspace, attribute.dataspace_shared(), MessageType::DATASPACE, in_place);
        let datatype = self.check(walk::datatype(self.storage, datatype?.block()))?;
        let dataspace = self.check(Dataspace::decode(dataspace?.block()))?;
        let data = attribute.data;
        let needed = dataspace.elements().and_then(|n| n.checked_mul(datatype.size.into())).unwrap_or(u64::MAX);
        if needed > data.bytes().len() as u64 {
            let needed = needed - data.bytes().len() as u64;
            self.note(data.corrupt(S, "data", Fault::Truncated { needed }));
            return None;
        }
        self.elements(&datatype, &data.bytes()[..needed as usize]);
        Some(())
    }

    /// The datatype or dataspace of an attribute, wherever it stands.
    fn attribute_part(
        &mut self,
        block: Block<'_>,
        is_shared: bool,
        kind: MessageType,
        in_place: bool,
    ) -> Option<Run<'static>> {
        if is_shared {
            self.pointer(block, kind, in_place)?;
            return shared::follow(self.storage, block, kind, 1).ok();
        }
        if let (true, Some(structure)) = (in_place, structure(kind)) {
            self.part(structure, block.at(), block.bytes().len(), Context::Message(kind));
        }
        Some(Run::from(block).into_owned())
    }

    fn dense_attributes(&mut self, info: &AttributeInfo, at: u64) -> Option<()> {
        let heap = info.fractal_heap.and_then(|address| self.heap(address));
        let by_name =
            info.name_index.map(|index| self.attribute_index(index, RecordType::ATTRIBUTE_NAME, heap.as_deref(), true));
        let by_order = info
            .creation_order_index
            .flatten()
            .map(|index| self.attribute_index(index, RecordType::ATTRIBUTE_ORDER, heap.as_deref(), by_name.is_none()));
        if let (Some(Some((by_name, shared))), by_order) = (by_name, by_order.flatten()) {
            if let Some((by_order, _)) = by_order {
                self.equal(Structure::AttributeInfo, "attributes in the creation order index", at, by_order, by_name);
            }
            if let (Some(heap), Some(address)) = (heap, info.fractal_heap) {
                let (at, stored) = (self.storage.position(address), Self::counted_objects(&heap));
                self.equal(Structure::FractalHeap, "number of objects in heap", at, stored, by_name - shared);
            }
        }
        Some(())
    }

    /// Visits an index of attributes and gives the number of its records and of those that lead to the heap of
    /// shared messages. The attributes themselves are checked where `check` says so.
    fn attribute_index(
        &mut self,
        index: Addr,
        kind: RecordType,
        heap: Option<&Heap>,
        check: bool,
    ) -> Option<(u64, u64)> {
        let mut shared = 0;
        let mut last: Option<(u32, Text)> = None;
        let counted = self.btree_v2(index, &[kind], None, &mut |pass, record, kind| {
            let Some(decoded) = pass.check(AttributeRecord::decode(record, kind)) else { return };
            let is_shared = MessageFlags(decoded.flags).shared();
            shared += u64::from(is_shared);
            pass.survey.counts.attributes += u64::from(check);
            let Some(name) = pass.dense_attribute(record, &decoded, is_shared, heap, check) else { return };
            let this = (lookup3(name.as_bytes()), name);
            let Some(hash) = decoded.hash else { return };
            if hash != this.0 {
                pass.note(Self::wrong_hash(record.at(), hash));
            }
            if last.as_ref().is_some_and(|last| last.cmp(&this) != Ordering::Less) {
                pass.note(Corrupt::new(Structure::BTreeV2Leaf, "records", record.at(), Fault::Order));
            }
            last = Some(this);
        })?;
        Some((counted, shared.min(counted)))
    }

    fn dense_attribute(
        &mut self,
        record: Block<'_>,
        decoded: &AttributeRecord,
        is_shared: bool,
        heap: Option<&Heap>,
        check: bool,
    ) -> Option<Text> {
        let message = if is_shared {
            if check {
                self.use_shared(MessageType::ATTRIBUTE, decoded.id);
            }
            self.check(shared::from_heap(self.storage, record, MessageType::ATTRIBUTE, &decoded.id))?
        } else {
            let heap = heap?;
            let message = self.check(heap.object(self.storage, &decoded.id))?;
            if check {
                let context = Context::Message(MessageType::ATTRIBUTE);
                self.heap_part(heap, &decoded.id, S, message.block(), context);
            }
            message
        };
        let attribute = self.check(Attribute::decode(message.block()))?;
        if check && !is_shared {
            self.attribute(&attribute, heap.is_some_and(|heap| heap.header.filtered.is_none()));
        }
        Some(attribute.name())
    }
}
