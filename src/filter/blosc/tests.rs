//! Chunks of the C plugin, and what is wrong with others.

use proptest::prelude::*;

use super::super::testing::{data, decodes, hex, stands_damage};
use super::*;

/// Sixty-four int32: 0 to 12, five times each.
fn plain() -> String {
    (0..64).map(|i| format!("{:02x}000000", i / 5)).collect()
}

/// BloscLZ with shuffle.
const BLOSCLZ: &str = "02011104000100000001000062000000140000004a0000003f0000000000010101010102020202020303030303040404\
    0404050505050506061f0606060707070707080808080809090909090a0a0a0a0a0b0b0b0b0b0c0c0c0c603fe0b00101\
    0000";
const LZ4: &str = "0201310400010000000100005b0000001400000043000000100001001001010010020100100301001004010010050100\
    10060100100701001008010010090100100a0100100b0100610c0c0c0c000042000f0200a1500000000000";
const ZLIB: &str = "0201710400010000000100003f0000001400000027000000785ed5c18901002008c4b01315dffde7858e4122a50643c7\
    c0846361e3e0e2e12715173b89017b";
const ZSTD: &str = "02019104000100000001000048000000140000003000000028b52ffd600000350100a800000000000102030405060708\
    090a0b0c0c0c0c000c9010d89107003c326b66d6cc9a2c19";
/// LZ4 with bit planes.
const LZ4_BITS: &str = "020134040001000000010000480000001400000030000000ff16e0830f3ef8e0830f00fc0fc0ff00fc0f0000f0ffff00\
    00f00000000000ffffff00000000000500c3500000000000";

const fn values(shuffle: u32, codec: u32) -> [u32; 7] {
    [2, 2, 4, 256, 5, shuffle, codec]
}

#[test]
fn reads_the_plugin() {
    assert_eq!(decode(hex(BLOSCLZ).into(), &values(1, 0), 256), Ok(hex(&plain()).into()));
    decodes(decode, encode, &values(1, 1), &plain(), LZ4);
    decodes(decode, encode, &values(1, 4), &plain(), ZLIB);
    decodes(decode, encode, &values(1, 5), &plain(), ZSTD);
    decodes(decode, encode, &values(2, 2), &plain(), LZ4_BITS);
}

#[test]
fn says_what_is_wrong() {
    let run = |bytes: &[u8], bound| decode(bytes.into(), &[], bound).map(Cow::into_owned);
    let chunk = hex(LZ4);
    assert_eq!(run(&chunk, 255), Err(FilterFault::TooLong(255)));
    assert_eq!(run(&chunk[..chunk.len() - 1], 256), Err(FilterFault::Truncated));
    assert_eq!(run(&chunk[..15], 256), Err(FilterFault::Truncated));
    // A byte of the header changed: the version, the type size, the bytes of a block, the stored bytes, the
    // place of the block, the length of its stream.
    for (at, byte) in [(0, 7), (3, 0), (8, 1), (9, 2), (12, 15), (16, 0x5b), (20, 0xff), (23, 0x80)] {
        let mut changed = chunk.clone();
        changed[at] = byte;
        assert!(run(&changed, 256).is_err(), "{at}");
    }
    // The number of a plugin, which only Blosc2 has.
    let mut plugin = chunk;
    plugin[2] = 0xd1;
    assert_eq!(run(&plugin, 256), Err(FilterFault::Unsupported(Unsupported::Blosc2Codec(0))));
}

#[test]
fn what_cannot_be_encoded() {
    let parameter = |index, value| Err(FilterFault::Parameter { index, value });
    assert_eq!(encode(&[1], &[2, 2]), parameter(2, None));
    assert_eq!(encode(&[1], &[2, 2, 0]), parameter(2, Some(0)));
    assert_eq!(encode(&[1], &[2, 2, 1, 1, 5, 3, 1]), parameter(5, Some(3)));
    assert_eq!(encode(&[1], &[2, 2, 1, 1, 5, 1, 6]), parameter(6, Some(6)));
    assert_eq!(encode(&[1], &[2, 2, 1, 1, 5, 1]), Err(FilterFault::Unsupported(Unsupported::BloscLzEncoding)));
}

#[test]
fn damage() {
    for chunk in [BLOSCLZ, LZ4, ZLIB, ZSTD, LZ4_BITS] {
        stands_damage(decode, &[], &hex(chunk), 256);
    }
}

#[test]
fn several_blocks() {
    // Two blocks and a short one, of split and of whole streams.
    let plain: Vec<u8> = (0..150_000_u32).map(|i| (i / 100 * i) as u8 & 0x3f).collect();
    for codec in 1..=5 {
        for size in [1, 3, 8, 16, 17, 200, 300] {
            for shuffle in 0..3 {
                let values = [2, 2, size, 150_000, 5, shuffle, codec];
                let encoded = encode(&plain, &values).unwrap();
                assert!(encoded.len() < plain.len());
                assert_eq!(decode(encoded.into(), &values, plain.len()), Ok((&plain).into()), "{values:?}");
            }
        }
    }
}

#[test]
fn blocks_of_the_same_bytes() {
    // A block that does not compress, and others that do.
    let noise = (0..150_000_u32).map(|i| if i < 60_000 { (i.wrapping_mul(0x9e37_79b9) >> 13) as u8 } else { 0 });
    let (plain, values) = (noise.collect::<Vec<u8>>(), [2, 2, 1, 150_000, 5, 0, 1]);
    let mut chunk = encode(&plain, &values).unwrap();
    assert_eq!(decode((&chunk).into(), &values, plain.len()), Ok((&plain).into()));
    chunk.copy_within(HEADER..HEADER + 4, HEADER + 4);
    let refused = Err(FilterFault::Stream("Blosc blocks that share bytes"));
    assert_eq!(decode(chunk.into(), &values, plain.len()), refused);
}

proptest! {
    #[test]
    fn both_ways(plain in data(0..3000), size in 1_u32..40, level in 0_u32..10, shuffle in 0_u32..3, codec in 1_u32..6) {
        let values = [2, 2, size, plain.len() as u32, level, shuffle, codec];
        let encoded = encode(&plain, &values).unwrap();
        prop_assert!(encoded.len() <= plain.len() + HEADER);
        prop_assert_eq!(decode(encoded.into(), &values, plain.len()), Ok(plain.into()));
    }
}
