//! A stream of bits, the most significant bit of every byte first.

use crate::error::FilterFault;

/// Takes bits from bytes.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bytes that `held` counts as taken over.
    at: usize,
    /// The next bits, from the top. Below the first `held` ones may stand bits that are not counted yet.
    next: u64,
    held: u32,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, next: 0, held: 0 }
    }

    /// The next `count` bits, at most 64, as a number.
    #[inline]
    pub(super) fn take(&mut self, count: u32) -> Result<u64, FilterFault> {
        if count > 56 {
            let high = self.take(count.min(64) - 32)?;
            return Ok(high << 32 | self.take(32)?);
        }
        if self.held < count {
            self.fill();
            if self.held < count {
                return Err(FilterFault::Truncated);
            }
        }
        // Two shifts, because 0 bits would ask for a shift by 64.
        let bits = self.next >> 1 >> (63 - count);
        self.next <<= count;
        self.held -= count;
        Ok(bits)
    }

    /// The number of 0 bits before the next 1 bit, which is taken too.
    #[inline]
    pub(super) fn unary(&mut self) -> Result<u64, FilterFault> {
        let mut zeros = 0;
        loop {
            let run = self.next.leading_zeros();
            if run < self.held {
                self.next = self.next << run << 1;
                self.held -= run + 1;
                return Ok(zeros + u64::from(run));
            }
            zeros += u64::from(self.held);
            self.next = 0;
            self.held = 0;
            self.fill();
            if self.held == 0 {
                return Err(FilterFault::Truncated);
            }
        }
    }

    /// Holds at least 57 bits, or all that are left.
    #[inline]
    fn fill(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if let (Some(word), true) = (rest.first_chunk(), self.held < 57) {
            self.next |= u64::from_be_bytes(*word) >> self.held;
            let taken = (64 - self.held) / 8;
            self.at += taken as usize;
            self.held += taken * 8;
            return;
        }
        for byte in rest {
            if self.held > 56 {
                break;
            }
            self.next |= u64::from(*byte) << (56 - self.held);
            self.at += 1;
            self.held += 8;
        }
    }
}

/// Collects bits into bytes.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// The bits that do not fill a byte yet, from the bottom.
    last: u8,
    held: u32,
}

impl BitWriter {
    /// Appends the lowest `count` bits of `bits`, at most 64.
    pub(super) fn put(&mut self, bits: u64, count: u32) {
        let mut left = count.min(64);
        while left > 0 {
            let now = left.min(8 - self.held);
            left -= now;
            let piece = (bits >> left) as u8 & (0xff >> (8 - now));
            // Eight at once leaves nothing of the old ones, which are none then.
            self.last = self.last.checked_shl(now).unwrap_or(0) | piece;
            self.held += now;
            if self.held == 8 {
                self.bytes.push(self.last);
                self.last = 0;
                self.held = 0;
            }
        }
    }

    /// Appends `zeros` 0 bits and a 1 bit.
    pub(super) fn put_unary(&mut self, zeros: u64) {
        let mut left = zeros;
        while left >= 64 {
            self.put(0, 64);
            left -= 64;
        }
        self.put(0, left as u32);
        self.put(1, 1);
    }

    /// The bytes, the last one filled up with 0 bits.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.put(0, (8 - self.held) % 8);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn takes_across_bytes() {
        let mut bits = BitReader::new(&[0b1010_0000, 0b0000_0001, 0xff]);
        assert_eq!(bits.take(0), Ok(0));
        assert_eq!(bits.take(3), Ok(0b101));
        assert_eq!(bits.unary(), Ok(12));
        assert_eq!(bits.take(8), Ok(0xff));
        assert_eq!(bits.take(1), Err(FilterFault::Truncated));
        assert_eq!(bits.unary(), Err(FilterFault::Truncated));
    }

    proptest! {
        #[test]
        fn both_ways(items in prop::collection::vec((any::<bool>(), any::<u64>(), 0_u32..=64), 0..100)) {
            let mut to = BitWriter::default();
            let cut = |bits: u64, count: u32| bits & u64::MAX.checked_shr(64 - count).unwrap_or(0);
            for &(unary, bits, count) in &items {
                if unary { to.put_unary(bits % 300) } else { to.put(bits, count) }
            }
            let bytes = to.finish();
            let mut from = BitReader::new(&bytes);
            for &(unary, bits, count) in &items {
                let (found, put) =
                    if unary { (from.unary(), bits % 300) } else { (from.take(count), cut(bits, count)) };
                prop_assert_eq!(found, Ok(put));
            }
        }
    }
}
