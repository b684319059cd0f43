//! Helpers of the rooms' tests.

use std::borrow::Cow;

use proptest::prelude::*;

use crate::error::FilterFault;

pub(super) type Decode = for<'a> fn(Cow<'a, [u8]>, &[u32], usize) -> Result<Cow<'a, [u8]>, FilterFault>;
pub(super) type Encode = fn(&[u8], &[u32]) -> Result<Vec<u8>, FilterFault>;

/// Bytes from hexadecimal digits.
pub(super) fn hex(digits: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).expect("hexadecimal") as u8;
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Asserts that `encoded`, both hexadecimal, decodes to `plain`, and so does what the encoder makes of it.
pub(super) fn decodes(decode: Decode, encode: Encode, values: &[u32], plain: &str, encoded: &str) {
    let (plain, encoded) = (hex(plain), hex(encoded));
    let found = decode(encoded.into(), values, plain.len()).expect("a valid stream");
    assert_eq!(found, plain, "decoded from libhdf5's");
    let own = encode(&plain, values).expect("encodable");
    assert_eq!(decode(own.into(), values, plain.len()).expect("own stream"), plain, "decoded from our own");
}

/// Asserts [`decodes`], and that the encoder makes the very bytes.
pub(super) fn both_ways(decode: Decode, encode: Encode, values: &[u32], plain: &str, encoded: &str) {
    decodes(decode, encode, values, plain, encoded);
    assert_eq!(encode(&hex(plain), values), Ok(hex(encoded)), "encoded like libhdf5");
}

/// Asserts that a decoder stands what is done to a valid stream: cut off, bits flipped, bounds too low.
pub(super) fn stands_damage(decode: Decode, values: &[u32], encoded: &[u8], length: usize) {
    let check = |bytes: &[u8], values: &[u32], bound: usize| {
        if let Ok(out) = decode(bytes.into(), values, bound) {
            // Filters that only ever take bytes away or keep their number need no bound.
            assert!(out.len() <= bound.max(bytes.len()));
        }
    };
    for end in 0..encoded.len() {
        check(&encoded[..end], values, length);
    }
    for bit in 0..encoded.len().min(200) * 8 {
        let mut bytes = encoded.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        check(&bytes, values, length);
    }
    for bound in [0, 1, length.saturating_sub(1), length + 1, length * 2, usize::MAX] {
        check(encoded, values, bound.min(1 << 24));
    }
    for index in 0..values.len() {
        for value in [0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 64, 65, 4096, 1 << 31, u32::MAX] {
            let mut values = values.to_vec();
            values[index] = value;
            check(encoded, &values, length);
        }
        check(encoded, &values[..index], length);
    }
}

/// Bytes as data have them: random, constant, a slow slope, few values, mostly zeros.
pub(super) fn data(lengths: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    (prop::collection::vec(any::<u8>(), lengths), 0..6, any::<u8>()).prop_map(|(random, kind, seed)| {
        let pick = |(i, byte): (usize, u8)| match kind {
            0 => byte,
            1 => seed,
            2 => (i / 7) as u8,
            3 => byte & 3,
            4 if byte > 250 => byte,
            5 if i % 8 == 0 => byte,
            _ => 0,
        };
        random.into_iter().enumerate().map(pick).collect()
    })
}
