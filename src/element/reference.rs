use super::{Decoder, Element, Heap, mismatch, pairs};
use crate::bytes::{Addr, Block, Text};
use crate::error::{Fault, Result, Structure};
use crate::format::dataspace_selection::StoredSelection;
use crate::format::message::datatype::{Class, Datatype, ReferenceKind};
use crate::format::reference::{HeapPlace, RegionObject, RevisedBody, RevisedElement, decode_object};
use crate::selection::{Blocks, Hyperslab, Points, Selection};

/// A reference: to an object, to a region of a dataset, or to an attribute.
///
/// [`File::dereference`](crate::File::dereference) gives what it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Reference {
    pub(crate) target: Option<Target>,
}

/// What a reference stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) object: Addr,
    pub(crate) file: Option<Text>,
    pub(crate) part: Part,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    Region(StoredSelection),
    Attribute(Text),
}

/// What part of its object a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// The object itself.
    Object,
    /// A region of a dataset.
    Region(Selection),
    /// The attribute of that name.
    Attribute(String),
}

impl Reference {
    /// True where it leads nowhere.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.target.is_none()
    }

    /// Address of the object's header, in bytes from the base address.
    #[must_use]
    pub fn address(&self) -> Option<u64> {
        self.target.as_ref().map(|target| target.object.0)
    }

    /// Name of the other file the object is in, for references that leave this one.
    #[must_use]
    pub fn file(&self) -> Option<&Text> {
        self.target.as_ref()?.file.as_ref()
    }

    /// What part of the object is meant; `None` for a null reference.
    #[must_use]
    pub fn part(&self) -> Option<ReferenceTarget> {
        Some(match &self.target.as_ref()?.part {
            Part::Whole => ReferenceTarget::Object,
            Part::Region(stored) => ReferenceTarget::Region(selection(stored)),
            Part::Attribute(name) => ReferenceTarget::Attribute(name.to_string()),
        })
    }
}

/// A stored selection as one that reads take. What has no end in the file ends nowhere here either, and is
/// past the end of every dataspace.
pub(crate) fn selection(stored: &StoredSelection) -> Selection {
    match stored {
        StoredSelection::None(_) => Selection::None,
        StoredSelection::All(_) => Selection::All,
        StoredSelection::Points { rank, coordinates, .. } => {
            Points(coordinates.chunks_exact(*rank).map(<[u64]>::to_vec).collect()).into()
        }
        StoredSelection::Regular { dims, .. } => Hyperslab {
            start: dims.iter().map(|d| d.start).collect(),
            stride: dims.iter().map(|d| d.stride).collect(),
            count: dims.iter().map(|d| d.count.unwrap_or(u64::MAX)).collect(),
            block: dims.iter().map(|d| d.block.unwrap_or(u64::MAX)).collect(),
        }
        .into(),
        StoredSelection::Irregular { rank, corners, .. } => regular(*rank, corners).map_or_else(
            || {
                let corners: Vec<&[u64]> = corners.chunks_exact(*rank).collect();
                let blocks = corners.chunks_exact(2).map(|pair| (pair[0].to_vec(), pair[1].to_vec()));
                Blocks(blocks.collect()).into()
            },
            Selection::Hyperslab,
        ),
    }
}

/// A list of blocks as a pattern, where it is one along a single dimension: old files have no other way to store
/// patterns.
fn regular(rank: usize, corners: &[u64]) -> Option<Hyperslab> {
    let mut blocks = corners.chunks_exact(2 * rank);
    let (first, last) = blocks.next()?.split_at(rank);
    let block: Vec<u64> =
        first.iter().zip(last).map(|(f, l)| l.checked_sub(*f)?.checked_add(1)).collect::<Option<_>>()?;
    let mut slab = Hyperslab::new(first, vec![1; rank]).stride(block.clone()).block(block);
    let Some(second) = corners.chunks_exact(2 * rank).nth(1) else { return Some(slab) };
    let along = (0..rank).find(|d| second[*d] != first[*d])?;
    let stride = second[along].checked_sub(first[along]).filter(|stride| *stride >= slab.block[along])?;
    for (n, other) in (1u64..).zip(blocks) {
        for d in 0..rank {
            let start = first[d].checked_add(if d == along { stride.checked_mul(n)? } else { 0 })?;
            if other[d] != start || other[rank + d].checked_sub(start)?.checked_add(1)? != slab.block[d] {
                return None;
            }
        }
        slab.count[along] = n + 1;
    }
    slab.stride[along] = stride;
    Some(slab)
}

impl Element for Reference {
    fn type_name() -> String {
        "Reference".into()
    }

    fn empty() -> Self {
        Self::default()
    }

    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
        let Class::Reference { kind, .. } = datatype.class else { return Err(mismatch::<Self>(datatype)) };
        Ok(Box::new(move |bytes, heap, values| {
            let mut missing = None;
            for (_, element, value) in pairs(bytes, values) {
                match decode(element, kind, heap) {
                    Ok(target) => *value = Self { target },
                    Err(e) if e.is_missing() => missing = Some(e),
                    Err(e) if missing.is_none() => return Err(e),
                    Err(_) => {}
                }
            }
            missing.map_or(Ok(()), Err)
        }))
    }
}

fn decode(element: &[u8], kind: ReferenceKind, heap: &dyn Heap) -> Result<Option<Target>> {
    let block = Block::new(element, 0, heap.widths());
    match kind {
        ReferenceKind::Object => {
            let object = decode_object(block)?;
            Ok(object.map(|object| Target { object, file: None, part: Part::Whole }))
        }
        ReferenceKind::Region => {
            let Some(place) = HeapPlace::decode(block)? else { return Ok(None) };
            let mut target = None;
            heap.object(place, &mut |object| {
                let region = RegionObject::decode(object)?;
                in_memory(&region.selection, heap)?;
                target = Some(Target { object: region.dataset, file: None, part: Part::Region(region.selection) });
                Ok(())
            })?;
            Ok(target)
        }
        ReferenceKind::ObjectRevised | ReferenceKind::RegionRevised | ReferenceKind::AttributeRevised => {
            match RevisedElement::decode(block)? {
                None => Ok(None),
                Some(RevisedElement::Object(object)) => Ok(Some(Target { object, file: None, part: Part::Whole })),
                Some(RevisedElement::Heap { kind, external, size, place }) => {
                    let mut target = None;
                    heap.object(place, &mut |object| {
                        let body = object.sub(Structure::Reference, "size", 0..size as usize)?;
                        let body = RevisedBody::decode(body, kind, external)?;
                        let part = match (body.region, body.attribute) {
                            (Some((_, selection)), _) => {
                                in_memory(&selection, heap)?;
                                Part::Region(selection)
                            }
                            (None, Some(name)) => Part::Attribute(name),
                            (None, None) => Part::Whole,
                        };
                        target = Some(Target { object: body.object, file: body.file, part });
                        Ok(())
                    })?;
                    match target {
                        Some(target) => Ok(Some(target)),
                        None => Err(block.corrupt(Structure::Reference, "object index", Fault::Absent).into()),
                    }
                }
            }
        }
    }
}

/// Counts what a selection becomes: its numbers can be of two bytes in the file.
fn in_memory(selection: &StoredSelection, heap: &dyn Heap) -> Result<()> {
    heap.becomes(selection.numbers() as u64 * size_of::<u64>() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::testing::OneObject;
    use super::*;

    #[test]
    fn what_a_region_becomes_is_counted() {
        // Two points of two coordinates, of two bytes each.
        let points = [1u8, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 1, 0, 2, 0, 3, 0, 4, 0];
        let heap = OneObject::new(&[&0x60u64.to_le_bytes()[..], &points].concat());
        let element = [&64u64.to_le_bytes()[..], &1u32.to_le_bytes()].concat();
        let target = decode(&element, ReferenceKind::Region, &heap).expect("a region").expect("not null");
        let Part::Region(StoredSelection::Points { coordinates, .. }) = target.part else { panic!("points") };
        assert_eq!(heap.became(), size_of_val(&coordinates[..]) as u64);
    }

    #[test]
    fn blocks_in_a_row_are_a_pattern() {
        let expected = Hyperslab::new([1, 0], [3, 1]).stride([4, 5]).block([2, 5]);
        assert_eq!(regular(2, &[1, 0, 2, 4, 5, 0, 6, 4, 9, 0, 10, 4]), Some(expected));
        assert_eq!(regular(1, &[3, 5]), Some(Hyperslab::new([3], [1]).stride([3]).block([3])));
        for corners in [
            &[0, 0, 4, 5, 9, 9][..], // unequal
            &[0, 1, 1, 2],           // overlapping
            &[4, 4, 0, 0],           // backwards
            &[5, 4],                 // empty
        ] {
            assert_eq!(regular(1, corners), None);
        }
        assert_eq!(regular(2, &[0, 0, 0, 0, 1, 1, 1, 1]), None);
    }
}
