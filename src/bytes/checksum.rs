//! The metadata checksum: Jenkins' lookup3 ("hashlittle").
//!
//! Also the hash of link and attribute names in version 2 B-trees.

/// lookup3 of `bytes` with the initial value 0.
#[must_use]
pub fn lookup3(bytes: &[u8]) -> u32 {
    lookup3_from(0, bytes)
}

/// lookup3 of `bytes` with another initial value: shared messages are hashed from their type on.
#[must_use]
pub fn lookup3_from(initial: u32, bytes: &[u8]) -> u32 {
    let mut mix = Mix::new(bytes.len(), initial);
    let mut rest = bytes;
    // The last block, also a full one, is mixed in another way.
    while rest.len() > 12 {
        let (words, after) = rest.split_at(12);
        mix.add(words);
        mix.stir();
        rest = after;
    }
    if rest.is_empty() {
        return mix.c;
    }
    let mut tail = [0; 12];
    tail[..rest.len()].copy_from_slice(rest);
    mix.add(&tail);
    mix.finish()
}

/// lookup3 of `bytes` with zeros in place of those of a range.
#[must_use]
pub fn lookup3_without(bytes: &[u8], range: std::ops::Range<usize>) -> u32 {
    let mut mix = Mix::new(bytes.len(), 0);
    let copy = |from: usize, to: usize| {
        let mut block = [0; 12];
        block[..to - from].copy_from_slice(&bytes[from..to]);
        for i in range.start.max(from)..range.end.min(to) {
            block[i - from] = 0;
        }
        block
    };
    // Blocks before the end of the range are copied, the rest is not.
    let copied = range.end.next_multiple_of(12).min(bytes.len().saturating_sub(1) / 12 * 12);
    for start in (0..copied).step_by(12) {
        mix.add(&copy(start, start + 12));
        mix.stir();
    }
    let mut rest = copied;
    while bytes.len() - rest > 12 {
        mix.add(&bytes[rest..rest + 12]);
        mix.stir();
        rest += 12;
    }
    if bytes.is_empty() {
        return mix.c;
    }
    mix.add(&copy(rest, bytes.len()));
    mix.finish()
}

struct Mix {
    a: u32,
    b: u32,
    c: u32,
}

impl Mix {
    fn new(length: usize, initial: u32) -> Self {
        let start = 0xdead_beef_u32.wrapping_add(length as u32).wrapping_add(initial);
        Self { a: start, b: start, c: start }
    }

    fn add(&mut self, twelve: &[u8]) {
        let word = |i: usize| u32::from_le_bytes([twelve[i], twelve[i + 1], twelve[i + 2], twelve[i + 3]]);
        self.a = self.a.wrapping_add(word(0));
        self.b = self.b.wrapping_add(word(4));
        self.c = self.c.wrapping_add(word(8));
    }

    fn stir(&mut self) {
        let Self { a, b, c } = self;
        for rotations in [[4, 6, 8], [16, 19, 4]] {
            *a = a.wrapping_sub(*c) ^ c.rotate_left(rotations[0]);
            *c = c.wrapping_add(*b);
            *b = b.wrapping_sub(*a) ^ a.rotate_left(rotations[1]);
            *a = a.wrapping_add(*c);
            *c = c.wrapping_sub(*b) ^ b.rotate_left(rotations[2]);
            *b = b.wrapping_add(*a);
        }
    }

    fn finish(self) -> u32 {
        let Self { mut a, mut b, mut c } = self;
        c = (c ^ b).wrapping_sub(b.rotate_left(14));
        a = (a ^ c).wrapping_sub(c.rotate_left(11));
        b = (b ^ a).wrapping_sub(a.rotate_left(25));
        c = (c ^ b).wrapping_sub(b.rotate_left(16));
        a = (a ^ c).wrapping_sub(c.rotate_left(4));
        b = (b ^ a).wrapping_sub(a.rotate_left(14));
        (c ^ b).wrapping_sub(b.rotate_left(24))
    }
}

#[cfg(test)]
mod tests {
    use super::{lookup3, lookup3_from, lookup3_without};

    #[test]
    fn a_range_counts_as_zeros() {
        let bytes: Vec<u8> = (1..=60).collect();
        for length in 0..bytes.len() {
            for start in 0..=length {
                for end in start..=length.min(start + 5) {
                    let mut zeroed = bytes[..length].to_vec();
                    zeroed[start..end].fill(0);
                    assert_eq!(lookup3_without(&bytes[..length], start..end), lookup3(&zeroed));
                }
            }
        }
    }

    #[test]
    fn published_values() {
        let counting: Vec<u8> = (0..=255).collect();
        for (bytes, expected) in [
            (&b""[..], 0xdead_beef),
            (b"a", 0x58d6_8708),
            (b"ab", 0xfbb3_a8df),
            (b"abc", 0x0e39_7631),
            (b"abcd", 0xb5f4_889c),
            (b"abcdefghijk", 0x5f61_edf8),
            (b"abcdefghijkl", 0x4012_f87b),
            (b"abcdefghijklm", 0x9281_28f9),
            (b"Four score and seven years ago", 0x1777_0551),
            (&counting[..24], 0x9c0a_dd53),
            (&counting[..25], 0x3a88_2244),
            (&counting, 0xe20e_0833),
            (&[0; 12], 0x1b68_e557),
            (&[0xff; 36], 0x88fe_a3ea),
        ] {
            assert_eq!(lookup3(bytes), expected, "{bytes:?}");
        }
        assert_eq!(lookup3_from(1, b"abcdefghijklm"), 0x8675_b9c8);
    }
}
