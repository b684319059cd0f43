//! Inflating in one go: a zlib stream (RFC 1950, RFC 1951) into a buffer.
//!
//! This is the decoder of the JavaScript package, where zlib-rs would be a tenth of the module. It takes and refuses what
//! zlib does.

use crate::error::FilterFault;

/// Bits of a code that are looked up at once; the rest of a longer one is searched for.
const LOOKED_UP: u32 = 11;
/// Bits of the longest code.
const LONGEST: usize = 15;
/// The symbol that ends a block.
const END: usize = 256;
/// Bytes of a copy that may be written behind its end.
const STRIDE: usize = 8;

/// What a code stands for. The lowest 6 bits are how many bits the code has, as a shift takes them; then there are 4 for what it
/// is, 4 for how many bits follow it, and from bit 16 on the number that these are added to. Bit 31 says that it is no literal.
type Meaning = u32;

const LITERAL: Meaning = 0;
const MATCH: Meaning = OTHER | 1 << 6;
const STOP: Meaning = OTHER | 2 << 6;
const NOTHING: Meaning = OTHER | 3 << 6;
const KINDS: Meaning = 15 << 6;
const OTHER: Meaning = 1 << 31;

const fn meaning(kind: Meaning, number: u32, extra: u32) -> Meaning {
    number << 16 | kind | extra << 10
}

/// The number that a meaning says, without the bits that follow.
#[inline(always)]
fn number(meaning: Meaning) -> u32 {
    (meaning & !OTHER) >> 16
}

/// How many bits follow.
#[inline(always)]
fn extra(meaning: Meaning) -> u32 {
    meaning >> 10 & 15
}

const LITERALS: [Meaning; 288] = {
    let mut all = [NOTHING; 288];
    let mut symbol = 0;
    while symbol < 256 {
        all[symbol] = meaning(LITERAL, symbol as u32, 0);
        symbol += 1;
    }
    all[END] = STOP;
    let (mut length, mut n) = (3, 0);
    while n < 28 {
        let extra = if n < 8 { 0 } else { n / 4 - 1 };
        all[END + 1 + n as usize] = meaning(MATCH, length, extra);
        length += 1 << extra;
        n += 1;
    }
    all[END + 29] = meaning(MATCH, 258, 0);
    all
};

const DISTANCES: [Meaning; 32] = {
    let mut all = [NOTHING; 32];
    let (mut distance, mut n) = (1, 0);
    while n < 30 {
        let extra = if n < 4 { 0 } else { n / 2 - 1 };
        all[n as usize] = meaning(MATCH, distance, extra);
        distance += 1 << extra;
        n += 1;
    }
    all
};

const LENGTHS: [Meaning; 19] = {
    let mut all = [NOTHING; 19];
    let mut symbol = 0;
    while symbol < 19 {
        all[symbol] = meaning(LITERAL, symbol as u32, 0);
        symbol += 1;
    }
    all
};

/// The order in which a block gives the lengths of the code that the lengths of its codes are written in.
const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

fn damaged() -> FilterFault {
    FilterFault::Stream("the zlib stream is damaged")
}

/// Inflates to at most `bound` bytes, into a buffer, whatever is in it.
#[cfg(any(feature = "wasm", feature = "wasm-codecs"))]
pub(super) fn decode_into(bytes: &[u8], _: &[u32], bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    super::input::resize(out, bound.min(bytes.len().saturating_mul(super::deflate::RATIO)))?;
    let made = inflate(bytes, out)?;
    out.truncate(made);
    Ok(())
}

/// Inflates a stream that holds exactly as many bytes as `out` has room for.
#[cfg(all(feature = "blosc", any(feature = "wasm", feature = "wasm-codecs")))]
pub(super) fn fill(stream: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
    if inflate(stream, out)? == out.len() { Ok(()) } else { Err(FilterFault::Truncated) }
}

/// Inflates a stream to the beginning of `out`, and gives how many bytes it became. What follows its end is ignored.
///
/// # Errors
/// A stream that is damaged (its checksum included), has no end, or is longer than `out`.
fn inflate(stream: &[u8], out: &mut [u8]) -> Result<usize, FilterFault> {
    let mut bits = Bits { bytes: stream, at: 0, held: 0, count: 0 };
    let (method, flags) = (bits.take(8)?, bits.take(8)?);
    if method & 15 != 8 || method >> 4 > 7 || (method << 8 | flags) % 31 != 0 || flags & 32 != 0 {
        return Err(damaged());
    }
    let mut made = 0;
    loop {
        let last = bits.take(1)? == 1;
        made = match bits.take(2)? {
            0 => stored(&mut bits, out, made)?,
            1 => {
                let (literals, distances) = fixed()?;
                coded(&mut bits, &literals, &distances, out, made)?
            }
            2 => {
                let (literals, distances) = dynamic(&mut bits)?;
                coded(&mut bits, &literals, &distances, out, made)?
            }
            _ => return Err(damaged()),
        };
        if last {
            break;
        }
    }
    bits.align();
    let mut sum = 0;
    for _ in 0..4 {
        sum = sum << 8 | bits.take(8)?;
    }
    if sum == adler32(&out[..made]) { Ok(made) } else { Err(damaged()) }
}

/// The bits of a stream, the lowest of each byte first.
#[derive(Clone, Copy)]
struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte that is not held.
    at: usize,
    /// Bits that are held; above `count` of them there may be some of the next bytes.
    held: u64,
    count: u32,
}

impl Bits<'_> {
    /// Holds 56 bits or more, or all that are left.
    #[inline(always)]
    fn fill(&mut self) {
        if let Some(next) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            self.held |= u64::from_le_bytes(*next) << self.count;
            self.at += ((63 - self.count) / 8) as usize;
            self.count |= 56;
        } else {
            // By value, so that the loops have the fields in registers.
            *self = self.filled_near_end();
        }
    }

    #[cold]
    #[inline(never)]
    fn filled_near_end(mut self) -> Self {
        while self.count < 56
            && let Some(byte) = self.bytes.get(self.at)
        {
            self.held |= u64::from(*byte) << self.count;
            self.at += 1;
            self.count += 8;
        }
        self
    }

    /// Lets go of bits that are held.
    #[inline(always)]
    fn skip(&mut self, count: u32) -> Result<(), FilterFault> {
        self.count = self.count.checked_sub(count).ok_or(FilterFault::Truncated)?;
        self.held >>= count;
        Ok(())
    }

    /// Lets go of a code.
    #[inline(always)]
    fn skip_code(&mut self, meaning: Meaning) -> Result<(), FilterFault> {
        self.count = self.count.checked_sub(meaning & 63).ok_or(FilterFault::Truncated)?;
        self.held = self.held.wrapping_shr(meaning);
        Ok(())
    }

    /// Up to 15 of the bits that are held.
    #[inline(always)]
    fn held(&mut self, count: u32) -> Result<u32, FilterFault> {
        let value = self.held as u32 & ((1 << count) - 1);
        self.skip(count)?;
        Ok(value)
    }

    /// The next bits, up to 15.
    fn take(&mut self, count: u32) -> Result<u32, FilterFault> {
        if self.count < count {
            self.fill();
        }
        self.held(count)
    }

    /// Goes to the end of a byte.
    fn align(&mut self) {
        self.held >>= self.count % 8;
        self.count -= self.count % 8;
    }

    /// The next bytes, from the end of a byte on.
    fn bytes(&mut self, count: usize) -> Result<&[u8], FilterFault> {
        let start = self.at - (self.count / 8) as usize;
        let end = start + count;
        (self.held, self.count, self.at) = (0, 0, end.min(self.bytes.len()));
        self.bytes.get(start..end).ok_or(FilterFault::Truncated)
    }
}

/// A prefix code.
struct Code<'a> {
    /// By the next bits; 0 where the code is longer than they are, or where there is none.
    table: [Meaning; 1 << LOOKED_UP],
    /// Codes of each length.
    counts: [u16; LONGEST + 1],
    /// Symbols in the order of their codes.
    sorted: [u16; 288],
    meanings: &'a [Meaning],
}

impl<'a> Code<'a> {
    /// The code of some lengths. One that does not use all bits is refused, but for one of a single bit, or of nothing, where
    /// there may be no codes (`sparse`).
    fn new(lengths: &[u8], meanings: &'a [Meaning], sparse: bool) -> Result<Self, FilterFault> {
        let mut code = Self { table: [0; 1 << LOOKED_UP], counts: [0; LONGEST + 1], sorted: [0; 288], meanings };
        for length in lengths {
            code.counts[usize::from(*length)] += 1;
        }
        code.counts[0] = 0;
        let mut starts = [0; LONGEST + 2];
        let mut left = 1i32;
        for length in 1..=LONGEST {
            left = 2 * left - i32::from(code.counts[length]);
            if left < 0 {
                return Err(damaged());
            }
            starts[length + 1] = starts[length] + code.counts[length];
        }
        let single = code.counts[2..].iter().all(|count| *count == 0);
        if left > 0 && !(sparse && single) {
            return Err(damaged());
        }
        for (symbol, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            let place = &mut starts[usize::from(*length)];
            code.sorted[usize::from(*place)] = symbol as u16;
            *place += 1;
        }
        code.look_up();
        Ok(code)
    }

    /// Makes the table.
    fn look_up(&mut self) {
        let (mut next, mut place) = (0u32, 0);
        for length in 1..=LOOKED_UP {
            for _ in 0..self.counts[length as usize] {
                let meaning = self.meanings[usize::from(self.sorted[place])] | length;
                let first = next.reverse_bits() >> (32 - length);
                self.table.iter_mut().skip(first as usize).step_by(1 << length).for_each(|entry| *entry = meaning);
                next += 1;
                place += 1;
            }
            next <<= 1;
        }
    }

    /// What the next code stands for, of which no bit has been let go.
    #[inline(always)]
    fn next(&self, bits: &Bits) -> Result<Meaning, FilterFault> {
        match self.table[bits.held as usize % (1 << LOOKED_UP)] {
            0 => self.search(bits),
            found => Ok(found),
        }
    }

    #[cold]
    fn search(&self, bits: &Bits) -> Result<Meaning, FilterFault> {
        let (mut code, mut first, mut place) = (0, 0, 0);
        for length in 1..=LONGEST {
            code |= (bits.held >> (length - 1)) as usize & 1;
            let count = usize::from(self.counts[length]);
            if code < first + count {
                return Ok(self.meanings[usize::from(self.sorted[place + code - first])] | length as u32);
            }
            place += count;
            first = 2 * (first + count);
            code *= 2;
        }
        Err(if bits.count < LONGEST as u32 { FilterFault::Truncated } else { damaged() })
    }
}

/// The codes that need not be written.
fn fixed() -> Result<(Code<'static>, Code<'static>), FilterFault> {
    let mut lengths = [8; 288];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    Ok((Code::new(&lengths, &LITERALS, false)?, Code::new(&[5; 32], &DISTANCES, false)?))
}

/// The codes of a block that has its own.
fn dynamic(bits: &mut Bits) -> Result<(Code<'static>, Code<'static>), FilterFault> {
    let literals = bits.take(5)? as usize + 257;
    let distances = bits.take(5)? as usize + 1;
    let count = bits.take(4)? as usize + 4;
    if literals > 286 || distances > 30 {
        return Err(damaged());
    }
    let mut first = [0; 19];
    for place in &ORDER[..count] {
        first[usize::from(*place)] = bits.take(3)? as u8;
    }
    let code = Code::new(&first, &LENGTHS, false)?;
    let mut lengths = [0u8; 286 + 30];
    let lengths = &mut lengths[..literals + distances];
    let mut done = 0;
    while done < lengths.len() {
        bits.fill();
        let meaning = code.next(bits)?;
        bits.skip_code(meaning)?;
        let before = done.checked_sub(1).map(|last| lengths[last]);
        let (length, times) = match number(meaning) {
            16 => (before.ok_or_else(damaged)?, 3 + bits.held(2)?),
            17 => (0, 3 + bits.held(3)?),
            18 => (0, 11 + bits.held(7)?),
            length => (length as u8, 1),
        };
        let end = done + times as usize;
        lengths.get_mut(done..end).ok_or_else(damaged)?.fill(length);
        done = end;
    }
    let (literals, distances) = lengths.split_at(literals);
    if literals[END] == 0 {
        return Err(damaged());
    }
    Ok((Code::new(literals, &LITERALS, true)?, Code::new(distances, &DISTANCES, true)?))
}

/// Bytes that were not compressed.
fn stored(bits: &mut Bits, out: &mut [u8], made: usize) -> Result<usize, FilterFault> {
    bits.align();
    let mut part = || Ok(bits.take(8)? | bits.take(8)? << 8);
    let (length, complement) = (part()?, part()?);
    if length != complement ^ 0xffff {
        return Err(damaged());
    }
    let bytes = bits.bytes(length as usize)?;
    let room = out.len() as u64;
    let end = made + bytes.len();
    out.get_mut(made..end).ok_or(FilterFault::TooLong(room))?.copy_from_slice(bytes);
    Ok(end)
}

/// Literals and copies of what was made before.
fn coded(
    stream: &mut Bits,
    literals: &Code,
    distances: &Code,
    out: &mut [u8],
    mut made: usize,
) -> Result<usize, FilterFault> {
    let room = out.len();
    // What is in registers in this loop.
    let mut bits = *stream;
    loop {
        if bits.count < LONGEST as u32 {
            bits.fill();
        }
        let found = literals.next(&bits)?;
        bits.skip_code(found)?;
        if found & OTHER == 0 {
            *out.get_mut(made).ok_or(FilterFault::TooLong(room as u64))? = (found >> 16) as u8;
            made += 1;
            continue;
        }
        if found & KINDS == STOP & KINDS {
            *stream = bits;
            return Ok(made);
        }
        // The bits behind a length, the longest code of a distance, and those behind it.
        if bits.count < 5 + 15 + 13 {
            bits.fill();
        }
        let length = (number(found) + bits.held(extra(found))?) as usize;
        let from = distances.next(&bits)?;
        bits.skip_code(from)?;
        let distance = (number(from) + bits.held(extra(from))?) as usize;
        if (found | from) & KINDS != MATCH & KINDS || distance > made {
            return Err(damaged());
        }
        if length > room - made {
            return Err(FilterFault::TooLong(room as u64));
        }
        copy(out, made, distance, length);
        made += length;
    }
}

/// Copies what is some bytes before to `at`; where that runs into itself it repeats.
#[inline(always)]
fn copy(out: &mut [u8], at: usize, distance: usize, length: usize) {
    let end = at + length;
    if distance >= STRIDE && out.len() - end >= STRIDE {
        let mut to = at;
        while to < end {
            let from = to - distance;
            let Some(bytes) = out.get(from..).and_then(<[u8]>::first_chunk::<STRIDE>).copied() else { return };
            let Some(room) = out.get_mut(to..).and_then(<[u8]>::first_chunk_mut::<STRIDE>) else { return };
            *room = bytes;
            to += STRIDE;
        }
    } else if distance == 1 {
        let byte = out[at - 1];
        out[at..end].fill(byte);
    } else {
        for to in at..end {
            out[to] = out[to - distance];
        }
    }
}

/// The checksum of a zlib stream.
fn adler32(bytes: &[u8]) -> u32 {
    const PRIME: u32 = 65521;
    /// Bytes after which no sum has grown out of 32 bits.
    const PART: usize = 4096;
    let (mut low, mut high) = (1u32, 0u32);
    for part in bytes.chunks(PART) {
        let (blocks, rest) = part.as_chunks();
        let (sum, sums) = sums(blocks);
        high += low * 16 * blocks.len() as u32 + sums;
        low += sum;
        for byte in rest {
            low += u32::from(*byte);
            high += low;
        }
        low %= PRIME;
        high %= PRIME;
    }
    high << 16 | low
}

/// The sum of all bytes, and the sum of the sums up to each of them.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn sums(blocks: &[[u8; 16]]) -> (u32, u32) {
    blocks.as_flattened().iter().fold((0, 0), |(sum, sums), byte| {
        let sum = sum + u32::from(*byte);
        (sum, sums + sum)
    })
}

/// The sum of all bytes, and the sum of the sums up to each of them.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn sums(blocks: &[[u8; 16]]) -> (u32, u32) {
    use std::arch::wasm32::{
        i16x8, i32x4_dot_i16x8, u16x8_extadd_pairwise_u8x16, u16x8_extend_high_u8x16, u16x8_extend_low_u8x16,
        u32x4_add, u32x4_extadd_pairwise_u16x8, u32x4_splat, v128,
    };
    // Within a block each byte counts as often as there are bytes from it on; what was before the block counts 16 times.
    let (first, second) = (i16x8(16, 15, 14, 13, 12, 11, 10, 9), i16x8(8, 7, 6, 5, 4, 3, 2, 1));
    let (mut sum, mut before, mut within) = (u32x4_splat(0), u32x4_splat(0), u32x4_splat(0));
    for block in blocks {
        let bytes: v128 = bytemuck::cast(*block);
        before = u32x4_add(before, sum);
        sum = u32x4_add(sum, u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(bytes)));
        within = u32x4_add(within, i32x4_dot_i16x8(u16x8_extend_low_u8x16(bytes), first));
        within = u32x4_add(within, i32x4_dot_i16x8(u16x8_extend_high_u8x16(bytes), second));
    }
    let total = |lanes: v128| bytemuck::cast::<v128, [u32; 4]>(lanes).into_iter().sum::<u32>();
    (total(sum), 16 * total(before) + total(within))
}

#[cfg(test)]
mod tests {
    use super::super::deflate::encode;
    use super::super::testing::{data, hex};
    use super::*;
    use proptest::prelude::*;

    /// What zlib-rs makes of a stream.
    fn expected(stream: &[u8], room: usize) -> Option<Vec<u8>> {
        super::super::deflate::decode(stream.into(), &[], room).ok().map(Into::into)
    }

    fn inflated(stream: &[u8], room: usize) -> Result<Vec<u8>, FilterFault> {
        let mut out = vec![0xaa; room];
        let length = inflate(stream, &mut out)?;
        out.truncate(length);
        Ok(out)
    }

    /// Bytes with something to find in them: numbers that are alike, and stretches that repeat.
    fn plain() -> impl Strategy<Value = Vec<u8>> {
        let numbers = (1u32..1000, 0usize..30000).prop_map(|(step, n)| {
            (0..n as u32).flat_map(|i| (i.wrapping_mul(step) / 7).to_le_bytes()).collect::<Vec<u8>>()
        });
        let repeats = (data(1..40), 0usize..3000).prop_map(|(bytes, times)| bytes.repeat(times));
        let skewed = (0usize..60000).prop_map(|n| {
            // Codes of all lengths: each byte is half as frequent as the one before.
            (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761).leading_zeros() as u8).collect::<Vec<u8>>()
        });
        prop_oneof![data(0..5000), numbers, repeats, skewed]
    }

    #[test]
    fn reads_zlib() {
        let stream = hex("785e63606060600462262066066216206605623620660762000170001d");
        let plain = hex("0000000001000000020000000300000004000000050000000600000007000000");
        assert_eq!(inflated(&stream, 32), Ok(plain.clone()));
        assert_eq!(inflated(&[&stream[..], b"behind"].concat(), 99), Ok(plain));
        assert_eq!(inflated(&stream, 31), Err(FilterFault::TooLong(31)));
        for end in 0..stream.len() {
            assert_eq!(inflated(&stream[..end], 32), Err(FilterFault::Truncated), "{end}");
        }
    }

    #[test]
    fn checksums_do_not_overflow() {
        for length in [0, 1, 15, 16, 17, 4095, 4096, 4097, 100_000] {
            let bytes = vec![0xff; length];
            let (low, high) = bytes.iter().fold((1u64, 0u64), |(low, high), byte| {
                let low = (low + u64::from(*byte)) % 65521;
                (low, (high + low) % 65521)
            });
            assert_eq!(u64::from(adler32(&bytes)), high << 16 | low, "{length}");
        }
    }

    #[test]
    fn refuses_what_zlib_refuses() {
        // In turn: a header that says a dictionary, a fourth kind of block, a stored block with a wrong complement, more
        // than 286 literals, lengths that repeat nothing, codes that are too many, a copy of what is before the beginning.
        for stream in [
            "78bb000000000000000000000000",
            "789c070000000000000000000000",
            "789c010300fffe61626300000000",
            "789cfdff00000000000000000000",
            "789c050001000000000000000000",
            "789c05ffffffffffffffffffffff",
            "789c63000200000000000000000000",
            "789c03020000000000000000",
        ] {
            let stream = hex(stream);
            assert_eq!(expected(&stream, 1000), None, "{stream:x?}");
            assert!(inflated(&stream, 1000).is_err(), "{stream:x?}");
        }
    }

    proptest! {
        #[test]
        fn as_zlib(plain in plain(), level in 0u32..10) {
            let stream = encode(&plain, &[level]).unwrap();
            prop_assert_eq!(inflated(&stream, plain.len()), Ok(plain.clone()));
            prop_assert_eq!(inflated(&stream, plain.len() + 100), Ok(plain));
        }

        #[test]
        fn damage_as_zlib(plain in plain(), level in 0u32..10, at in any::<prop::sample::Index>(), bits in 1u8..) {
            let mut stream = encode(&plain, &[level]).unwrap();
            let at = at.index(stream.len());
            stream[at] ^= bits;
            // The sum is left out, so that damage goes as far as it can.
            let room = plain.len() + 1000;
            prop_assert_eq!(inflated(&stream, room).ok(), expected(&stream, room));
        }

        #[test]
        fn any_bytes(bytes in data(0..300)) {
            let stream = [&[0x78, 0x9c], &bytes[..]].concat();
            prop_assert_eq!(inflated(&stream, 2000).ok(), expected(&stream, 2000));
        }
    }
}
