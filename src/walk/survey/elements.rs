//! What elements lead to: global heap collections.

use std::sync::Arc;

use super::{Context, Pass};
use crate::bytes::{Addr, Block};
use crate::error::{Fault, Structure};
use crate::format::message::datatype::{Class, Datatype, ReferenceKind};
use crate::format::reference::{HeapPlace, RegionObject, RevisedBody, RevisedElement, VariableLengthElement};
use crate::walk::global_heap::Collection;

impl Pass<'_> {
    /// Visits what elements lead to.
    pub(super) fn elements(&mut self, datatype: &Datatype, bytes: &[u8]) {
        if leads_to_heap(datatype) {
            bytes.chunks_exact(datatype.size as usize).for_each(|element| self.element(datatype, element));
        }
    }

    fn element(&mut self, datatype: &Datatype, bytes: &[u8]) {
        match &datatype.class {
            Class::VariableLength { is_string, base, .. } => {
                self.variable_length(bytes, *is_string, base);
            }
            Class::Compound { members } => {
                for member in members.iter().filter(|member| leads_to_heap(&member.datatype)) {
                    let start = member.offset as usize;
                    if let Some(bytes) = bytes.get(start..start + member.datatype.size as usize) {
                        self.element(&member.datatype, bytes);
                    }
                }
            }
            Class::Array { base, .. } if leads_to_heap(base) => {
                bytes.chunks_exact(base.size as usize).for_each(|bytes| self.element(base, bytes));
            }
            Class::Reference { kind, .. } => {
                self.reference(*kind, bytes);
            }
            _ => {}
        }
    }

    fn variable_length(&mut self, bytes: &[u8], is_string: bool, base: &Datatype) -> Option<()> {
        let block = Block::new(bytes, 0, self.storage.widths());
        let element = self.check(VariableLengthElement::decode(block))?;
        let place = element.place.filter(|_| element.length > 0)?;
        let collection = self.collection(place.collection)?;
        let object = self.check(collection.object(place.index))?;
        let size = if is_string { 1 } else { base.size as usize };
        let needed = u64::from(element.length).saturating_mul(size as u64);
        let length = object.bytes().len() as u64;
        if needed > length {
            self.note(object.corrupt(Structure::Element, "length", Fault::Truncated { needed: needed - length }));
        }
        // Many elements may lead to one object, whose elements lead on: they are visited once.
        if !is_string && leads_to_heap(base) && self.heap_objects.insert(place) {
            let elements = object.bytes().chunks_exact(size).take(element.length as usize);
            elements.for_each(|bytes| self.element(base, bytes));
        }
        Some(())
    }

    fn reference(&mut self, kind: ReferenceKind, bytes: &[u8]) -> Option<()> {
        const S: Structure = Structure::Reference;
        let block = Block::new(bytes, 0, self.storage.widths());
        match kind {
            ReferenceKind::Object => {}
            ReferenceKind::Region => {
                let place = self.check(HeapPlace::decode(block))?.filter(|place| self.heap_objects.insert(*place))?;
                let collection = self.collection(place.collection)?;
                let object = self.check(collection.object(place.index))?;
                self.part(S, object.at(), object.bytes().len(), Context::Region);
                self.check(RegionObject::decode(object))?;
            }
            ReferenceKind::ObjectRevised | ReferenceKind::RegionRevised | ReferenceKind::AttributeRevised => {
                let element = self.check(RevisedElement::decode(block))??;
                if let RevisedElement::Heap { kind, external, place, .. } = element
                    && self.heap_objects.insert(place)
                {
                    let collection = self.collection(place.collection)?;
                    let object = self.check(collection.object(place.index))?;
                    self.part(S, object.at(), object.bytes().len(), Context::RevisedBody { kind, external });
                    self.check(RevisedBody::decode(object, kind, external))?;
                }
            }
        }
        Some(())
    }

    /// The collection at an address. What is wrong with it is noted once, however many elements lead there.
    pub(super) fn collection(&mut self, address: Addr) -> Option<Arc<Collection>> {
        // Elements that follow one another lead to one collection, mostly.
        if let Some((_, collection)) = self.last_collection.as_ref().filter(|(last, _)| *last == address) {
            return Some(collection.clone());
        }
        let known = self.collections.get(&address).copied();
        if known == Some(false) {
            return None;
        }
        let collection = self.check(Collection::read(self.storage, address));
        self.collections.insert(address, collection.is_some());
        let collection = collection?;
        if known.is_none() {
            self.keep(Structure::GlobalHeap, address, collection.heap.size, Context::Plain);
        }
        self.last_collection = Some((address, collection.clone()));
        Some(collection)
    }
}

/// True where elements lead to the global heap.
pub(super) fn leads_to_heap(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::VariableLength { .. } => true,
        Class::Reference { kind, .. } => *kind != ReferenceKind::Object,
        Class::Compound { members } => members.iter().any(|member| leads_to_heap(&member.datatype)),
        Class::Array { base, .. } => leads_to_heap(base),
        _ => false,
    }
}
