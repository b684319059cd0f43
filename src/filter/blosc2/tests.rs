//! Frames of the C plugin, and what is wrong with others.

use super::super::testing::{hex, stands_damage};
use super::*;

/// Sixty-four int32: 0 to 12, five times each.
fn plain() -> Vec<u8> {
    (0..64_u32).flat_map(|i| (i / 5).to_le_bytes()).collect()
}

/// One dimension, LZ4 with shuffle.
const LINE: &str = "9ea862326672616d6500d200000061cf0000000000000116a412005103d30000000000000100d3000000000000006ad2\
    00000004d200000100d200000100d10000d10001c2d8060000000000010100000000000000000093cd0007de0000dc00\
    000501250400010000000100006a00000000000000000101000000000000000000240000003600000010000100100101\
    001002010010030100100401001005010010060100100701001008010010090100100a0100900b0b0b0b0b0c0c0c0c00\
    000000000000000000000005010708080000000800000028000000000000000001000000000000000000000000000000\
    000000940193cd0006de0000dc0000ce00000023d80000000000000000000000000000000000";
/// Two dimensions: seven of eight times seven of eight of them, Zstandard with bit planes, in blocks of 2 by 2.
const ARRAY: &str = "9ea862326672616d6500d2000000a5cf0000000000000142a412005503d300000000000000c4d30000000000000052d2\
    00000004d2000000c4d2000000c4d10000d10001c2d8060000000000020500000000000000000093cd0011de0001a462\
    326e64d20000006bdc0001c60000003597000292d30000000000000007d3000000000000000792d200000007d2000000\
    0792d200000007d20000000700db000000037c563405019504c4000000c4000000520000000000000000020500000000\
    0000000000240000002a00000028b52ffd20c40d0100c8e0c1c387070f00fe03f807f00000fcff0700f8ff000a000000\
    020024408305c20501070808000000080000002800000000000000000100000000000000000000000000000000000094\
    0193cd0006de0000dc0000ce00000023d80000000000000000000000000000000000";
const ARRAY_VALUES: [u32; 10] = [1, 0, 4, 196, 5, 2, 5, 2, 7, 7];
/// Zeros, as many.
const ZEROS: &str = "9ea862326672616d6500d200000061cf00000000000000aca412005003d30000000000000100d30000000000000000d2\
    00000004d200000100d200000100d10000d10001c2d8060000000000010000000000000000000093cd0007de0000dc00\
    0005010708080000000800000028000000000000000001000000000000000000000000000000000081940193cd0006de\
    0000dc0000ce00000023d80000000000000000000000000000000000";

#[test]
fn reads_the_plugin() {
    let run = |frame: &str, values: &[u32], bound| decode(hex(frame).into(), values, bound).map(Cow::into_owned);
    assert_eq!(run(LINE, &[], 256), Ok(plain()));
    assert_eq!(run(ZEROS, &[], 256), Ok(vec![0; 256]));
    let rows = plain();
    let rows: Vec<u8> = rows.chunks(32).take(7).flat_map(|row| &row[..28]).copied().collect();
    assert_eq!(run(ARRAY, &ARRAY_VALUES, 196), Ok(rows));
}

#[test]
fn says_what_is_wrong() {
    let run = |frame: &[u8], bound| decode(frame.into(), &[], bound).map(Cow::into_owned);
    for frame in [LINE, ZEROS] {
        assert_eq!(run(&hex(frame), 255), Err(FilterFault::TooLong(255)));
    }
    assert_eq!(run(&hex(ARRAY), 195), Err(FilterFault::TooLong(195)));
    let line = hex(LINE);
    assert_eq!(run(&line[..line.len() - 1], 256), Err(FilterFault::TooLong(line.len() as u64 - 1)));
    assert_eq!(run(&line[..9], 256), Err(FilterFault::Truncated));
    assert_eq!(run(&[0; 99], 256), Err(FilterFault::Stream("not a Blosc2 frame")));
    let mut other = ARRAY_VALUES;
    other.swap(8, 9);
    other[8] = 8;
    assert!(matches!(decode(hex(ARRAY).into(), &other, 196), Err(FilterFault::Stream(_))));
    // The codec of the chunk made one of the plugins, its number 33.
    let mut plugin = line;
    plugin[0x61 + 2] |= 0xc0;
    plugin[0x61 + 22] = 33;
    let refused = Err(FilterFault::Unsupported(crate::error::Unsupported::Blosc2Codec(33)));
    assert_eq!(run(&plugin, 256), refused);
}

#[test]
fn chunks_of_the_same_bytes() {
    // Two chunks, both of which the index has at 0: it is all zeros.
    let mut frame = hex(LINE);
    frame[0x1e..0x26].copy_from_slice(&512_u64.to_be_bytes());
    let index = 0x61 + 0x6a;
    frame[index + 4..index + 8].copy_from_slice(&16_u32.to_le_bytes());
    frame[index + 31] = 1 << 4;
    let refused = Err(FilterFault::Stream("the Blosc2 frame is damaged"));
    assert_eq!(decode(frame.into(), &[], 512), refused);
}

#[test]
fn damage() {
    for (frame, length) in [(LINE, 256), (ARRAY, 196), (ZEROS, 256)] {
        stands_damage(decode, &[], &hex(frame), length);
    }
    stands_damage(decode, &ARRAY_VALUES, &hex(ARRAY), 196);
}
