//! Fletcher-32, filter 3: a checksum in the four bytes behind the data.

use std::borrow::Cow;

use crate::error::FilterFault;

/// Length of the checksum in bytes.
pub const SUM: usize = 4;

/// Compares the checksum and takes it off.
///
/// # Errors
/// Less than four bytes; a checksum that does not hold.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], _bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    let (data, sum) = bytes.split_last_chunk::<SUM>().ok_or(FilterFault::Truncated)?;
    let length = data.len();
    let stored = u32::from_le_bytes(*sum);
    let computed = fletcher32(data);
    // Before HDF5 1.6.3 little-endian machines stored the two bytes of each half the other way round.
    let swapped = (stored & 0x00ff_00ff) << 8 | (stored >> 8) & 0x00ff_00ff;
    if computed != stored && computed != swapped {
        return Err(FilterFault::Checksum { stored, computed });
    }
    Ok(match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..length]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(length);
            Cow::Owned(bytes)
        }
    })
}

/// Appends the checksum.
///
/// # Errors
/// None.
pub fn encode(bytes: &[u8], _: &[u32]) -> Result<Vec<u8>, FilterFault> {
    Ok([bytes, &fletcher32(bytes).to_le_bytes()].concat())
}

/// The checksum of `bytes` as 16-bit big-endian words, an odd last byte being the upper half of one.
#[must_use]
pub fn fletcher32(bytes: &[u8]) -> u32 {
    let fold = |sum: u32| (sum & 0xffff) + (sum >> 16);
    let (mut low, mut high) = (0_u32, 0_u32);
    // 360 words are the most that cannot overflow the sums. Folding is not the same as a remainder:
    // it gives 0xffff where that gives 0, so it has to happen at the same places.
    let (words, odd) = bytes.split_at(bytes.len() & !1);
    for block in words.chunks(2 * 360) {
        for word in block.chunks_exact(2) {
            low += u32::from(word[0]) << 8 | u32::from(word[1]);
            high += low;
        }
        (low, high) = (fold(low), fold(high));
    }
    if let Some(byte) = odd.first() {
        low += u32::from(*byte) << 8;
        (low, high) = (fold(low), fold(high + low));
    }
    fold(high) << 16 | fold(low)
}

/// The most bytes that writing can make of so many.
pub(super) fn longest(bytes: usize, _: &[u32]) -> usize {
    bytes.saturating_add(SUM)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, stands_damage};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_as_libhdf5() {
        let sums = [
            (vec![1], 0x0100_0100),
            (vec![1, 2], 0x0102_0102),
            (b"abcde".to_vec(), 0x4ff0_29c7),
            (b"abcdef".to_vec(), 0x5056_2a2d),
            (b"abcdefgh".to_vec(), 0xe1eb_9195),
            ((0..=255).collect(), 0x5575_c03f),
            (vec![0xff; 720], 0xffff_ffff),
            (vec![0xff; 721], 0xff00_ff00),
            ((0..10_000).map(|i| (i % 251) as u8).collect(), 0x7431_beaa),
            (vec![0; 9], 0),
            (vec![], 0),
        ];
        for (bytes, sum) in sums {
            assert_eq!(fletcher32(&bytes), sum, "of {} bytes", bytes.len());
        }
    }

    #[test]
    fn both_orders_hold() {
        let data = [b'a', b'b', b'c', b'd', b'e'];
        let (new, old) = ([0xf0, 0x4f], [0x4f, 0xf0]);
        assert_eq!(encode(&data, &[]).unwrap()[5..], [0xc7, 0x29, 0xf0, 0x4f]);
        let stored = |low: [u8; 2], high: [u8; 2]| [&data[..], &low, &high].concat();
        for bytes in [stored([0xc7, 0x29], new), stored([0x29, 0xc7], old)] {
            assert_eq!(decode(bytes.into(), &[], 5), Ok(data.to_vec().into()));
        }
        let fault = FilterFault::Checksum { stored: 0x4ff0_c729, computed: 0x4ff0_29c7 };
        assert_eq!(decode(stored([0x29, 0xc7], new).into(), &[], 5), Err(fault));
        assert_eq!(decode(vec![0; 3].into(), &[], 5), Err(FilterFault::Truncated));
    }

    #[test]
    fn borrows_what_is_borrowed() {
        assert!(matches!(decode((&[0; 8]).into(), &[], 4), Ok(Cow::Borrowed([0, 0, 0, 0]))));
    }

    proptest! {
        #[test]
        fn both_ways(plain in data(0..3000)) {
            let encoded = encode(&plain, &[]).unwrap();
            stands_damage(decode, &[], &encoded[..encoded.len().min(300)], plain.len());
            prop_assert_eq!(decode(encoded.into(), &[], plain.len()), Ok(plain.into()));
        }
    }
}
