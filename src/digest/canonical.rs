use twox_hash::XxHash3_128;

use super::memory;
use crate::bytes::Block;
use crate::element::Heap;
use crate::error::{Fault, Result, Structure};
use crate::format::message::datatype::{Class, Datatype, ReferenceKind};
use crate::format::reference::VariableLengthElement;

/// How the canonical bytes of an element are made of its bytes in the file.
pub(super) struct Canonical {
    /// Bytes of an element in the file.
    size: usize,
    part: Part,
}

enum Part {
    /// As they are.
    Plain,
    /// Parts of the element: where each begins.
    Members(Vec<(usize, Canonical)>),
    /// The same part again and again.
    Elements(Box<Canonical>),
    /// A sequence elsewhere: its count, then its elements.
    Sequence(Box<Canonical>),
    /// A string elsewhere: its length up to a NUL, then its bytes.
    String,
    /// An old reference of a file with short addresses, as long as libhdf5 has it in memory.
    Reference(usize),
}

impl Canonical {
    /// `None` for revised references, which have no canonical bytes.
    pub(super) fn of(datatype: &Datatype) -> Option<Self> {
        let part = match &datatype.class {
            Class::Compound { members } => {
                let members: Vec<(usize, Self)> =
                    members.iter().map(|m| Some((m.offset as usize, Self::of(&m.datatype)?))).collect::<Option<_>>()?;
                let mut end = 0;
                let packed = members.iter().all(|(offset, member)| {
                    let follows = *offset == end && matches!(member.part, Part::Plain);
                    end += member.size;
                    follows
                });
                if packed && end == datatype.size as usize { Part::Plain } else { Part::Members(members) }
            }
            Class::Array { base, .. } => {
                let base = Self::of(base)?;
                if matches!(base.part, Part::Plain) { Part::Plain } else { Part::Elements(Box::new(base)) }
            }
            Class::VariableLength { is_string: true, .. } => Part::String,
            Class::VariableLength { base, .. } => Part::Sequence(Box::new(Self::of(base)?)),
            Class::Reference { kind: ReferenceKind::Object | ReferenceKind::Region, .. } => {
                let size = memory::size(datatype) as usize;
                if (datatype.size as usize) < size { Part::Reference(size) } else { Part::Plain }
            }
            Class::Reference { .. } => return None,
            _ => Part::Plain,
        };
        Some(Self { size: datatype.size as usize, part })
    }

    /// Feeds the canonical bytes of some elements to the hasher.
    pub(super) fn hash(&self, bytes: &[u8], heap: &dyn Heap, hasher: &mut XxHash3_128) -> Result<()> {
        if matches!(self.part, Part::Plain) {
            hasher.write(bytes);
            return Ok(());
        }
        let mut places = Vec::new();
        self.places(bytes, heap, &mut places)?;
        heap.prefetch(&mut places.iter().filter_map(|element: &VariableLengthElement| element.place))?;
        bytes.chunks_exact(self.size).try_for_each(|element| self.element(element, heap, hasher))
    }

    /// The places in the heap that some elements lead to, those that these lead to not followed.
    fn places(&self, bytes: &[u8], heap: &dyn Heap, found: &mut Vec<VariableLengthElement>) -> Result<()> {
        if matches!(self.part, Part::Plain | Part::Reference(_)) {
            return Ok(());
        }
        for element in bytes.chunks_exact(self.size) {
            match &self.part {
                Part::Plain | Part::Reference(_) => {}
                Part::Members(members) => {
                    for (offset, member) in members {
                        member.places(&element[*offset..offset + member.size], heap, found)?;
                    }
                }
                Part::Elements(base) => base.places(element, heap, found)?,
                Part::Sequence(_) | Part::String => {
                    found.push(VariableLengthElement::decode(Block::new(element, 0, heap.widths()))?);
                }
            }
        }
        Ok(())
    }

    fn element(&self, element: &[u8], heap: &dyn Heap, hasher: &mut XxHash3_128) -> Result<()> {
        match &self.part {
            Part::Plain => hasher.write(element),
            Part::Reference(size) => {
                let mut bytes = element.to_vec();
                bytes.resize(*size, 0);
                hasher.write(&bytes);
            }
            Part::Members(members) => {
                for (offset, member) in members {
                    member.element(&element[*offset..offset + member.size], heap, hasher)?;
                }
            }
            Part::Elements(base) => {
                element.chunks_exact(base.size).try_for_each(|element| base.element(element, heap, hasher))?;
            }
            Part::Sequence(base) => {
                let found = VariableLengthElement::decode(Block::new(element, 0, heap.widths()))?;
                let Some(place) = found.place.filter(|_| found.length > 0) else {
                    hasher.write(&0u64.to_le_bytes());
                    return Ok(());
                };
                hasher.write(&u64::from(found.length).to_le_bytes());
                heap.object(place, &mut |object| base.hash(counted(object, found.length, base.size)?, heap, hasher))?;
            }
            Part::String => {
                let found = VariableLengthElement::decode(Block::new(element, 0, heap.widths()))?;
                let Some(place) = found.place.filter(|_| found.length > 0) else {
                    hasher.write(&0u64.to_le_bytes());
                    return Ok(());
                };
                heap.object(place, &mut |object| {
                    let bytes = counted(object, found.length, 1)?;
                    let string = bytes.split(|b| *b == 0).next().unwrap_or_default();
                    hasher.write(&(string.len() as u64).to_le_bytes());
                    hasher.write(string);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

fn counted(object: Block<'_>, n: u32, size: usize) -> Result<&[u8]> {
    let needed = u64::from(n) * size as u64;
    let bytes = usize::try_from(needed).ok().and_then(|needed| object.bytes().get(..needed));
    bytes.ok_or_else(|| {
        let needed = needed.saturating_sub(object.bytes().len() as u64);
        object.corrupt(Structure::Element, "length", Fault::Truncated { needed }).into()
    })
}
