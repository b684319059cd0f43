//! LZF, filter 32000 (h5py's): literals and copies of what came before, no header.
//!
//! Client data: the filter's revision, LZF's version, the length of the chunk in bytes; all three may be
//! absent and none is needed to decode.

use std::borrow::Cow;

use super::copies::{literals, repeat};
use super::input::{Input, owned, resize};
use crate::error::FilterFault;

/// The longest run of literals, in bytes.
const LITERALS: usize = 32;
/// The longest copy, in bytes: 7 in the control byte, 255 in the next, and 2.
const COPY: usize = 264;
/// The farthest a copy reaches back, in bytes.
const REACH: usize = 8192;

/// Decompresses to at most `bound` bytes.
///
/// # Errors
/// An input that ends in the middle of a run, a copy from before the beginning, or a result longer
/// than `bound`.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    owned(|out| decode_into(&bytes, &[], bound, out))
}

/// [`decode`] into a buffer, whatever is in it.
pub(super) fn decode_into(bytes: &[u8], _: &[u32], bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    let too_long = FilterFault::TooLong(bound as u64);
    // Three bytes give 264 at most.
    resize(out, bound.min(bytes.len().saturating_mul(COPY / 3)))?;
    let mut input = Input(bytes);
    let mut at = 0;
    while !input.0.is_empty() {
        let control = input.byte()?;
        if control < 32 {
            let ahead = input.0;
            let from = input.bytes(usize::from(control) + 1)?;
            if from.len() > out.len() - at {
                return Err(too_long);
            }
            literals(out, at, from, ahead);
            at += from.len();
        } else {
            let short = usize::from(control >> 5);
            let count = short + 2 + if short == 7 { input.byte()?.into() } else { 0 };
            let back = (usize::from(control & 31) << 8 | usize::from(input.byte()?)) + 1;
            if back > at {
                return Err(FilterFault::Stream("a copy from before the beginning"));
            }
            if count > out.len() - at {
                return Err(too_long);
            }
            repeat(out, at, back, count);
            at += count;
        }
    }
    out.truncate(at);
    Ok(())
}

/// Compresses. The result may be longer than the input, by a byte in 32.
///
/// # Errors
/// None.
pub fn encode(bytes: &[u8], _: &[u32]) -> Result<Vec<u8>, FilterFault> {
    const NONE: usize = usize::MAX;
    let mut out = Vec::with_capacity(bytes.len() / 2 + 16);
    // Where three bytes of this hash were seen last.
    let mut seen = vec![NONE; 1 << 14];
    let (mut at, mut literal) = (0, 0);
    while let Some(&[a, b, c]) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let hash = u32::from_be_bytes([0, a, b, c]).wrapping_mul(0x9e37_79b1) >> 18;
        let before = std::mem::replace(&mut seen[hash as usize], at);
        if before == NONE || at - before > REACH || bytes[before..before + 3] != [a, b, c] {
            at += 1;
            continue;
        }
        let count = bytes[at..].iter().zip(&bytes[before..]).take(COPY).take_while(|(x, y)| x == y).count();
        put_literals(&mut out, &bytes[literal..at]);
        let back = at - before - 1;
        let short = count - 2;
        out.push((short.min(7) << 5 | back >> 8) as u8);
        if short >= 7 {
            out.push((short - 7) as u8);
        }
        out.push(back as u8);
        at += count;
        literal = at;
    }
    put_literals(&mut out, &bytes[literal..]);
    Ok(out)
}

fn put_literals(out: &mut Vec<u8>, literals: &[u8]) {
    for run in literals.chunks(LITERALS) {
        out.push(run.len() as u8 - 1);
        out.extend_from_slice(run);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, decodes, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    const VALUES: [u32; 3] = [4, 261, 160];
    const ENCODED: &str = "010000e0190000012022e0170300022023e0170300032023e0170300042023e00103010000";

    #[test]
    fn reads_h5py() {
        let plain: Vec<u8> = (0..40_u32).flat_map(|i| (i / 9).to_le_bytes()).collect();
        assert_eq!(decode(hex(ENCODED).into(), &VALUES, 160), Ok((&plain).into()));
        // The client data may be absent.
        assert_eq!(decode(hex(ENCODED).into(), &[], 160), Ok(plain.into()));
        decodes(decode, encode, &[], &"00".repeat(600), "010000e0ff00e0ff00e03b00010000");
        decodes(decode, encode, &[], "", "");
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |bytes: &[u8], bound| decode(bytes.into(), &[], bound).map(Cow::into_owned);
        assert_eq!(run(&hex(ENCODED), 159), Err(FilterFault::TooLong(159)));
        assert_eq!(run(&[2, 1, 2, 3], 2), Err(FilterFault::TooLong(2)));
        assert_eq!(run(&[2, 1, 2], 9), Err(FilterFault::Truncated));
        assert_eq!(run(&[0, 7, 32], 9), Err(FilterFault::Truncated));
        assert_eq!(run(&[0, 7, 224, 0], 99), Err(FilterFault::Truncated));
        assert_eq!(run(&[0, 7, 32, 0], 9), Ok(vec![7; 4]));
        assert!(matches!(run(&[0, 7, 32, 1], 9), Err(FilterFault::Stream(_))));
    }

    #[test]
    fn copies_reach_as_far_as_they_can() {
        for gap in [8189, 8192, 8193, 9000] {
            let mut plain: Vec<u8> = (0..gap).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            plain.extend_from_within(..300);
            assert_eq!(decode(encode(&plain, &[]).unwrap().into(), &[], plain.len()), Ok(plain.into()));
        }
    }

    proptest! {
        #[test]
        fn both_ways(plain in data(0..5000)) {
            let encoded = encode(&plain, &[]).unwrap();
            prop_assert!(encoded.len() <= plain.len() + plain.len().div_ceil(32));
            prop_assert_eq!(decode(encoded.into(), &[], plain.len()), Ok(plain.into()));
        }

        #[test]
        fn any_bytes(bytes in data(0..300)) {
            stands_damage(decode, &[], &bytes, 1000);
            stands_damage(decode, &[], &encode(&bytes, &[]).unwrap(), bytes.len());
        }
    }
}
