//! The free-space manager (III.H): what is unused in a heap or in the file.

use super::verified;
use crate::bytes::parse::{Parsed, addr, defined, fail, field, length, signature, take, u8, u16, uint, version};
use crate::bytes::{Addr, Block, Emit, Widths, log2_floor, width_of};
use crate::error::{Corrupt, Fault, Structure};

/// The header of a manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeSpaceManager {
    /// 0 a fractal heap, 1 the file.
    pub client: u8,
    /// Free bytes; sections; serialized sections; ghost sections.
    pub totals: [u64; 4],
    /// Classes of sections.
    pub classes: u16,
    /// Percent to shrink and to expand by.
    pub percents: (u16, u16),
    /// Bits of a section's offset.
    pub address_bits: u16,
    /// Bytes of the largest section.
    pub max_section: u64,
    /// The sections.
    pub sections: Option<Addr>,
    /// Bytes of the section list in use.
    pub used: u64,
    /// Bytes of the section list allocated.
    pub allocated: u64,
}

impl FreeSpaceManager {
    /// Bytes of the header.
    #[must_use]
    pub fn size(w: Widths) -> usize {
        18 + 7 * usize::from(w.lengths) + usize::from(w.offsets)
    }

    /// Decodes the header.
    ///
    /// # Errors
    /// Another signature or version, a wrong checksum.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        const S: Structure = Structure::FreeSpaceManager;
        let w = block.widths();
        let block = block.sub(S, "length", 0..Self::size(w))?;
        verified(block, S)?.run(S, move |i| {
            let (i, ()) = field("signature", signature(b"FSHD"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (mut i, client) = field("client ID", u8)(i)?;
            let mut totals = [0; 4];
            for total in &mut totals {
                (i, *total) = field("total space tracked", length(w))(i)?;
            }
            let (i, classes) = field("number of section classes", u16)(i)?;
            let (i, shrink) = field("shrink percent", u16)(i)?;
            let (i, expand) = field("expand percent", u16)(i)?;
            let (i, address_bits) = field("size of address space", u16)(i)?;
            let (i, max_section) = field("maximum section size", length(w))(i)?;
            let (i, sections) = field("address of serialized section list", addr(w))(i)?;
            let (i, used) = field("size of serialized section list used", length(w))(i)?;
            let (i, allocated) = field("allocated size of serialized section list", length(w))(i)?;
            let percents = (shrink, expand);
            Ok((i, Self { client, totals, classes, percents, address_bits, max_section, sections, used, allocated }))
        })
    }

    /// Encodes the header.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"FSHD");
            to.u8(0);
            to.u8(self.client);
            self.totals.iter().for_each(|n| to.length(*n));
            to.u16(self.classes);
            to.u16(self.percents.0);
            to.u16(self.percents.1);
            to.u16(self.address_bits);
            to.length(self.max_section);
            to.addr(self.sections);
            to.length(self.used);
            to.length(self.allocated);
        });
    }
}

/// A piece of free space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Where it begins, in bytes, in the client's address space.
    pub offset: u64,
    /// Its bytes.
    pub size: u64,
    /// Its class.
    pub class: u8,
    /// What the class stores more.
    pub data: Vec<u8>,
}

/// The serialized sections of a manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeSpaceSections {
    /// The manager's header.
    pub manager: Addr,
    /// Bytes of a section's size.
    pub size_width: u8,
    /// The sections in the file's order, grouped by size.
    pub sections: Vec<Section>,
}

impl FreeSpaceSections {
    /// Decodes the list in its `used` bytes; `heap_offset_width` is that of the client heap's offsets.
    ///
    /// # Errors
    /// Another signature or version, a wrong checksum, a section that leaves the list.
    pub fn decode(block: Block<'_>, manager: &FreeSpaceManager, heap_offset_width: u8) -> Result<Self, Corrupt> {
        const S: Structure = Structure::FreeSpaceSections;
        let body = verified(block, S)?;
        // Writers before the first release took a bit less for the largest size; the length tells them apart.
        let narrow = log2_floor(manager.max_section).div_ceil(8).max(1) as u8;
        let wide = width_of(manager.max_section);
        let fills = |width| body.run_rest(S, Self::parse(manager, heap_offset_width, width, body.widths()));
        match fills(wide) {
            Ok((list, rest)) if rest.bytes().is_empty() => Ok(list),
            other if narrow == wide => other.map(|(list, _)| list),
            other => match fills(narrow) {
                Ok((list, rest)) if rest.bytes().is_empty() => Ok(list),
                _ => other.map(|(list, _)| list),
            },
        }
    }

    fn parse<'a>(
        manager: &FreeSpaceManager,
        heap_offset_width: u8,
        size_width: u8,
        w: Widths,
    ) -> impl FnOnce(&'a [u8]) -> Parsed<'a, Self> {
        move |i| {
            let (i, ()) = field("signature", signature(b"FSSE"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (mut i, header) = field("free space manager header address", defined(w))(i)?;
            let mut list = Self { manager: header, size_width, sections: Vec::new() };
            while (list.sections.len() as u64) < manager.totals[2] {
                let (after, n) = field("number of section records", uint(width_of(manager.totals[2])))(i)?;
                let (mut after, size) = field("size of section", uint(size_width))(after)?;
                if n == 0 {
                    return field("number of section records", |i| fail(i, Fault::Value(0)))(i);
                }
                for _ in 0..n {
                    let (rest, offset) = field("section offset", uint(manager.offset_width()))(after)?;
                    let (rest, class) = field("section type", u8)(rest)?;
                    let more = manager.class_data(class, heap_offset_width);
                    let (rest, data) = field("section data", take(more))(rest)?;
                    list.sections.push(Section { offset, size, class, data: data.to_vec() });
                    after = rest;
                }
                i = after;
            }
            Ok((i, list))
        }
    }

    /// Encodes the list.
    pub fn encode(&self, manager: &FreeSpaceManager, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"FSSE");
            to.u8(0);
            to.addr(Some(self.manager));
            for group in self.sections.chunk_by(|a, b| a.size == b.size) {
                to.uint(width_of(manager.totals[2]), group.len() as u64);
                to.uint(self.size_width, group[0].size);
                for section in group {
                    to.uint(manager.offset_width(), section.offset);
                    to.u8(section.class);
                    to.bytes(&section.data);
                }
            }
        });
    }
}

impl FreeSpaceManager {
    fn offset_width(&self) -> u8 {
        self.address_bits.div_ceil(8).min(255) as u8
    }

    fn class_data(&self, class: u8, heap_offset_width: u8) -> usize {
        match (self.client, class) {
            (0, 1 | 3) => usize::from(heap_offset_width) + 6,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::both_ways;
    use super::*;

    #[test]
    fn header_and_sections() {
        let manager = FreeSpaceManager {
            client: 0,
            totals: [30, 3, 3, 0],
            classes: 4,
            percents: (80, 120),
            address_bits: 32,
            max_section: 70_000,
            sections: Some(Addr(0x300)),
            used: 0,
            allocated: 0,
        };
        let w = Widths::default();
        let bytes = Emit::encode(w, |to| manager.encode(to)).expect("it fits");
        assert_eq!(both_ways(&bytes, 8, FreeSpaceManager::decode, FreeSpaceManager::encode), manager);
        let section = |offset, size, class, data: &[u8]| Section { offset, size, class, data: data.to_vec() };
        let list = FreeSpaceSections {
            manager: Addr(0x200),
            size_width: 3,
            sections: vec![section(9, 10, 0, &[]), section(50, 10, 1, &[7; 10]), section(90, 4, 2, &[])],
        };
        let bytes = Emit::encode(w, |to| list.encode(&manager, to)).expect("it fits");
        let decode = |b: Block<'_>| FreeSpaceSections::decode(b, &manager, 4);
        assert_eq!(both_ways(&bytes, 8, decode, |l, to| l.encode(&manager, to)), list);

        let manager = FreeSpaceManager { max_section: 65_536, ..manager };
        let narrow = FreeSpaceSections { size_width: 2, ..list };
        let bytes = Emit::encode(w, |to| narrow.encode(&manager, to)).expect("it fits");
        assert_eq!(FreeSpaceSections::decode(Block::new(&bytes, 0, w), &manager, 4), Ok(narrow));
    }
}
