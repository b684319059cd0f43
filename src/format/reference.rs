//! References as elements hold them (VIII.B), and what the global heap holds for them.

use super::dataspace_selection::StoredSelection;
use crate::bytes::parse::{Parsed, addr, array, cond, fail, field, take, u8, u16, u32};
use crate::bytes::{Addr, Block, Emit, Text, Widths};
use crate::error::{Corrupt, Fault, Structure};

/// A place in the global heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeapPlace {
    /// The collection.
    pub collection: Addr,
    /// The object in it.
    pub index: u32,
}

impl HeapPlace {
    /// Bytes of a place.
    #[must_use]
    pub fn size(w: Widths) -> usize {
        usize::from(w.offsets) + 4
    }

    /// Decodes a place; `None` where it points nowhere.
    ///
    /// # Errors
    /// An element that is too short.
    pub fn decode(element: Block<'_>) -> Result<Option<Self>, Corrupt> {
        element.run(Structure::Reference, Self::parse(element.widths()))
    }

    pub(crate) fn parse<'a>(w: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, Option<Self>> {
        move |i| {
            let (i, collection) = field("global heap collection address", addr(w))(i)?;
            let (i, index) = field("object index", u32)(i)?;
            let place = collection.filter(|a| a.0 != 0).map(|collection| Self { collection, index });
            Ok((i, place))
        }
    }
}

/// A variable-length element: how many elements, and where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableLengthElement {
    /// Elements (bytes, for strings).
    pub length: u32,
    /// Where they are.
    pub place: Option<HeapPlace>,
}

impl VariableLengthElement {
    /// Bytes of an element.
    #[must_use]
    pub fn size(w: Widths) -> usize {
        4 + HeapPlace::size(w)
    }

    /// Decodes an element.
    ///
    /// # Errors
    /// An element that is too short.
    #[inline]
    pub fn decode(element: Block<'_>) -> Result<Self, Corrupt> {
        let w = element.widths();
        if let (8, Some([a, b, c, d, address @ .., e, f, g, h])) = (w.offsets, element.bytes().first_chunk::<16>()) {
            let address = u64::from_le_bytes(*address);
            let index = u32::from_le_bytes([*e, *f, *g, *h]);
            let place = HeapPlace { collection: Addr(address), index };
            let place = Some(place).filter(|_| address != 0 && address != u64::MAX);
            return Ok(Self { length: u32::from_le_bytes([*a, *b, *c, *d]), place });
        }
        element.run(Structure::Element, move |i| {
            let (i, length) = field("length", u32)(i)?;
            let (i, place) = HeapPlace::parse(w)(i)?;
            Ok((i, Self { length, place }))
        })
    }
}

/// An old object reference: the address of an object header; `None` where it points nowhere.
///
/// # Errors
/// An element that is too short.
pub fn decode_object(element: Block<'_>) -> Result<Option<Addr>, Corrupt> {
    let w = element.widths();
    element.run(Structure::Reference, move |i| {
        let (i, header) = field("object header address", addr(w))(i)?;
        Ok((i, header.filter(|a| a.0 != 0)))
    })
}

/// An old region reference, as the global heap holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionObject {
    /// The dataset's object header.
    pub dataset: Addr,
    /// The region.
    pub selection: StoredSelection,
}

impl RegionObject {
    /// Decodes the heap object.
    ///
    /// # Errors
    /// An undefined address, a selection that cannot be.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        let (dataset, rest) = block
            .run_rest(Structure::Reference, |i| field("object header address", crate::bytes::parse::defined(w))(i))?;
        let (selection, _) = StoredSelection::decode(rest)?;
        Ok(Self { dataset, selection })
    }

    /// Encodes the heap object.
    pub fn encode(&self, to: &mut Emit) {
        to.addr(Some(self.dataset));
        self.selection.encode(to);
    }
}

/// A revised reference (HDF5 1.12), as an element holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevisedElement {
    /// To an object of the same file: its address is in the element.
    Object(Addr),
    /// To anything else: its body is in the global heap.
    Heap {
        /// Type: 2 object, 3 region, 4 attribute.
        kind: u8,
        /// The object is in another file.
        external: bool,
        /// Bytes of the body.
        size: u32,
        /// Where the body is.
        place: HeapPlace,
    },
}

impl RevisedElement {
    /// Decodes an element; `None` for a null reference.
    ///
    /// # Errors
    /// An unknown type, a token of another size than an address.
    pub fn decode(element: Block<'_>) -> Result<Option<Self>, Corrupt> {
        let w = element.widths();
        if element.bytes().iter().all(|b| *b == 0) {
            return Ok(None);
        }
        element.run(Structure::Reference, move |start| {
            let (i, kind) = field("type", u8)(start)?;
            let (i, flags) = field("flags", u8)(i)?;
            let external = flags & 1 != 0;
            match kind {
                2 if !external => {
                    let (i, token) = token(i, w)?;
                    Ok((i, token.map(Self::Object)))
                }
                2..=4 => {
                    let (i, size) = field("size", u32)(i)?;
                    let (i, place) = HeapPlace::parse(w)(i)?;
                    Ok((i, place.map(|place| Self::Heap { kind, external, size, place })))
                }
                other => field("type", |i| fail(i, Fault::Value(other.into())))(start),
            }
        })
    }
}

/// The body of a revised reference, as the global heap holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisedBody {
    /// The object's header.
    pub object: Addr,
    /// The file the object is in, where it is another.
    pub file: Option<Text>,
    /// The attribute, for references to one.
    pub attribute: Option<Text>,
    /// The region and the rank of its dataset, for references to one.
    pub region: Option<(u32, StoredSelection)>,
}

impl RevisedBody {
    /// Decodes the heap object of a reference of this kind.
    ///
    /// # Errors
    /// A token of another size than an address, a name or selection that leaves the object.
    pub fn decode(block: Block<'_>, kind: u8, external: bool) -> Result<Self, Corrupt> {
        const S: Structure = Structure::Reference;
        let w = block.widths();
        let ((object, file), rest) = block.run_rest(S, move |i| {
            let (after, object) = token(i, w)?;
            let Some(object) = object else { return field("token", |i| fail(i, Fault::Undefined))(i) };
            let (i, file) = field("file name", cond(external, name))(after)?;
            Ok((i, (object, file)))
        })?;
        let mut body = Self { object, file, attribute: None, region: None };
        match kind {
            3 => {
                let (rank, rest) = rest.run_rest(S, |i| {
                    let (i, _) = field("selection size", u32)(i)?;
                    field("extent rank", u32)(i)
                })?;
                body.region = Some((rank, StoredSelection::decode(rest)?.0));
            }
            4 => body.attribute = Some(rest.run(S, |i| field("attribute name", name)(i))?),
            _ => {}
        }
        Ok(body)
    }
}

fn name(i: &[u8]) -> Parsed<'_, Text> {
    let (i, length) = u16(i)?;
    take(length.into())(i).map(|(i, name)| (i, name.into()))
}

/// A token: an address preceded by its size.
fn token(start: &[u8], w: Widths) -> Parsed<'_, Option<Addr>> {
    let (i, [size]) = field("token size", array::<1>)(start)?;
    if size != w.offsets {
        let fault = Fault::Mismatch { found: size.into(), expected: w.offsets.into() };
        return field("token size", |i| fail(i, fault.clone()))(start);
    }
    field("token", addr(w))(i)
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: Widths = Widths { offsets: 4, lengths: 4 };

    #[test]
    fn revised_elements() {
        let read = |bytes: &[u8]| RevisedElement::decode(Block::new(bytes, 0, W)).expect("it decodes");
        assert_eq!(read(&[0; 14]), None);
        assert_eq!(read(&[2, 0, 4, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Some(RevisedElement::Object(Addr(0x60))));
        let place = HeapPlace { collection: Addr(0x80), index: 2 };
        assert_eq!(
            read(&[4, 1, 9, 0, 0, 0, 0x80, 0, 0, 0, 2, 0, 0, 0]),
            Some(RevisedElement::Heap { kind: 4, external: true, size: 9, place })
        );
        assert!(RevisedElement::decode(Block::new(&[9; 14], 0, W)).is_err());
    }

    #[test]
    fn revised_bodies() {
        let bytes = [4, 0x60, 0, 0, 0, 3, 0, b'f', b'.', b'h', 2, 0, b'a', b't'];
        let body = RevisedBody::decode(Block::new(&bytes, 0, W), 4, true).expect("it decodes");
        assert_eq!(
            body,
            RevisedBody { object: Addr(0x60), file: Some("f.h".into()), attribute: Some("at".into()), region: None }
        );
    }

    #[test]
    fn nothing_written_is_null() {
        let place = HeapPlace::decode(Block::new(&[0; 8], 0, W)).expect("it decodes");
        assert_eq!(place, None);
        let element = VariableLengthElement::decode(Block::new(&[0; 12], 0, W)).expect("it decodes");
        assert_eq!((element.length, element.place), (0, None));
    }
}
