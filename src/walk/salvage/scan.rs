//! Where in a file structures may stand, by their signatures.

use crate::error::Result;
use crate::format::superblock::SIGNATURE;
use crate::source::Source;

/// Positions of what looks like structures, in order.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// The superblock's signature.
    pub(super) superblock: Option<u64>,
    /// Object headers of both versions.
    pub(super) headers: Vec<u64>,
    /// Version 1 B-tree nodes of groups.
    pub(super) trees: Vec<u64>,
    /// Symbol table nodes.
    pub(super) nodes: Vec<u64>,
    /// Local heaps.
    pub(super) heaps: Vec<u64>,
    /// Fractal heaps.
    pub(super) fractal_heaps: Vec<u64>,
    /// Version 2 B-trees of links.
    pub(super) link_trees: Vec<u64>,
}

/// Bytes that are read at once.
const WINDOW: u64 = 1 << 20;
/// Bytes by which a structure is told from others.
const HEAD: usize = 24;
/// What the superblock's signature begins with.
const SIGNATURE_BYTE: u8 = SIGNATURE[0];
/// The highest type of a message.
const LAST_TYPE: u16 = 0x18;

impl Marks {
    /// Looks at every byte of a source, up to its first hole.
    ///
    /// # Errors
    /// What the source says.
    pub(super) fn of(source: &dyn Source) -> Result<Self> {
        let mut marks = Self::default();
        let end = source.available(0).min(source.len());
        let mut at = 0;
        while at < end {
            let next = end.min(at + WINDOW);
            let bytes = source.read(at..end.min(next + HEAD as u64))?;
            marks.look(&bytes, at, (next - at) as usize);
            at = next;
        }
        Ok(marks)
    }

    /// Notes what begins in the first `length` bytes.
    fn look(&mut self, bytes: &[u8], at: u64, length: usize) {
        for i in 0..length {
            let (rest, here) = (&bytes[i..], at + i as u64);
            match rest[0] {
                1 if is_old_header(rest) => self.headers.push(here),
                b'O' if rest.starts_with(b"OHDR\x02") => self.headers.push(here),
                b'T' if rest.starts_with(b"TREE\0") => self.trees.push(here),
                b'S' if rest.starts_with(b"SNOD\x01") => self.nodes.push(here),
                b'H' if rest.starts_with(b"HEAP\0") => self.heaps.push(here),
                b'F' if rest.starts_with(b"FRHP\0") => self.fractal_heaps.push(here),
                b'B' if rest.starts_with(b"BTHD\0\x05") || rest.starts_with(b"BTHD\0\x06") => {
                    self.link_trees.push(here);
                }
                SIGNATURE_BYTE if self.superblock.is_none() && can_begin(here) && rest.starts_with(&SIGNATURE) => {
                    self.superblock = Some(here);
                }
                _ => {}
            }
        }
    }
}

/// True where a superblock can stand.
fn can_begin(at: u64) -> bool {
    at == 0 || at >= 512 && at.is_power_of_two()
}

/// True where the bytes can be an object header of version 1, which has no signature: its prefix, and the head of its
/// first message.
fn is_old_header(bytes: &[u8]) -> bool {
    let Some(head) = bytes.first_chunk::<HEAD>() else { return false };
    let short = |i: usize| u16::from_le_bytes([head[i], head[i + 1]]);
    let (messages, links, size) = (short(2), short(6), u32::from_le_bytes([head[8], head[9], head[10], head[11]]));
    let (kind, length) = (short(16), u32::from(short(18)));
    head[..2] == [1, 0]
        && messages > 0
        // Nobody links to one object 65 536 times.
        && links == 0
        && size >= 8
        && size.is_multiple_of(8)
        && head[12..16] == [0; 4]
        && kind <= LAST_TYPE
        && length <= size - 8
        && head[21..24] == [0; 3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    #[test]
    fn what_begins_in_one_window_and_ends_in_the_next() {
        let mut bytes = vec![0u8; (WINDOW + 100) as usize];
        let header = [1, 0, 3, 0, 1, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 1, 0, 24, 0, 0, 0, 0, 0];
        let places = [WINDOW as usize - 23, WINDOW as usize + 3];
        for at in places {
            bytes[at..at + HEAD].copy_from_slice(&header);
        }
        bytes[WINDOW as usize + 70..][..5].copy_from_slice(b"OHDR\x02");
        bytes[7..12].copy_from_slice(b"SNOD\x01");
        let marks = Marks::of(&Memory::new(bytes)).expect("bytes in memory");
        assert_eq!(marks.headers, [WINDOW - 23, WINDOW + 3, WINDOW + 70]);
        assert_eq!(marks.nodes, [7]);
    }
}
