use std::fmt;

use crate::format::message::datatype::{Bits, ByteOrder, Datatype};

/// An integer of up to 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integer {
    Signed(i128),
    Unsigned(u128),
}

impl Integer {
    /// The nearest `f64`, and whether it is the same number.
    pub(super) fn to_f64(self) -> (f64, bool) {
        match self {
            Self::Signed(n) => (n as f64, (n as f64) < (i128::MAX as f64) && (n as f64) as i128 == n),
            Self::Unsigned(n) => (n as f64, (n as f64) < (u128::MAX as f64) && (n as f64) as u128 == n),
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signed(n) => n.fmt(f),
            Self::Unsigned(n) => n.fmt(f),
        }
    }
}

/// Reads integers of any size and precision: the bits of the value count, those beside it are padding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedPointReader {
    pub(super) size: usize,
    pub(super) bits: Bits,
    pub(super) signed: bool,
}

impl FixedPointReader {
    pub(crate) fn new(datatype: &Datatype, bits: Bits, signed: bool) -> Self {
        Self { size: datatype.size as usize, bits, signed }
    }

    /// Times are signed numbers without padding below.
    pub(crate) fn time(datatype: &Datatype, order: ByteOrder, precision: u16) -> Self {
        let precision = precision.min((datatype.size.saturating_mul(8)).min(u16::MAX.into()) as u16);
        let bits = Bits { order, low_padding: false, high_padding: false, offset: 0, precision };
        Self::new(datatype, bits, true)
    }

    /// True where every bit of the element counts.
    pub(super) fn is_whole(&self) -> bool {
        self.bits.offset == 0
            && u64::from(self.bits.precision) == 8 * self.size as u64
            && self.bits.order != ByteOrder::Vax
    }

    /// The integer; `None` where 128 bits do not hold it.
    pub(crate) fn read(&self, element: &[u8]) -> Option<Integer> {
        let mut bytes = [0u8; 64];
        let little = little_endian(element, self.bits.order, &mut bytes)?;
        let (offset, precision) = (u32::from(self.bits.offset), u32::from(self.bits.precision));
        let negative = self.signed && precision > 0 && bit(little, offset + precision - 1);
        let kept = precision.min(128);
        let low = bit_field(little, offset, kept);
        // Bits above the 128th must repeat the sign.
        if (kept..precision).any(|i| bit(little, offset + i) != negative) {
            return None;
        }
        if !self.signed {
            return Some(Integer::Unsigned(low));
        }
        let extended = if negative && kept < 128 { low | (u128::MAX << kept) } else { low };
        let value = extended as i128;
        ((value < 0) == negative).then_some(Integer::Signed(value))
    }
}

/// The bytes of a number, least significant first; `None` where there are more than the buffer holds.
pub(super) fn little_endian<'b>(element: &[u8], order: ByteOrder, buffer: &'b mut [u8; 64]) -> Option<&'b [u8]> {
    let bytes = buffer.get_mut(..element.len())?;
    bytes.copy_from_slice(element);
    match order {
        ByteOrder::Little => {}
        ByteOrder::Big => bytes.reverse(),
        ByteOrder::Vax => {
            // The words are in big-endian order, the bytes of each in little-endian order.
            bytes.reverse();
            bytes.chunks_exact_mut(2).for_each(<[u8]>::reverse);
        }
    }
    Some(bytes)
}

/// One bit of a little-endian number.
fn bit(little: &[u8], position: u32) -> bool {
    little.get(position as usize / 8).is_some_and(|byte| byte >> (position % 8) & 1 != 0)
}

/// Up to 128 bits of a little-endian number.
pub(super) fn bit_field(little: &[u8], position: u32, size: u32) -> u128 {
    let mut value = 0u128;
    let mut done = 0;
    while done < size {
        let at = position + done;
        let byte = little.get(at as usize / 8).copied().unwrap_or(0) >> (at % 8);
        value |= u128::from(byte) << done;
        done += 8 - at % 8;
    }
    if size < 128 { value & ((1 << size) - 1) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], order: ByteOrder, offset: u16, precision: u16, signed: bool) -> Option<Integer> {
        let bits = Bits { order, low_padding: true, high_padding: true, offset, precision };
        FixedPointReader { size: bytes.len(), bits, signed }.read(bytes)
    }

    #[test]
    fn padding_is_masked() {
        // 12 bits at offset 2 of 0b1110_0000_0001_0111, padding of ones.
        let bytes = 0b1110_0000_0001_0111u16.to_le_bytes();
        assert_eq!(read(&bytes, ByteOrder::Little, 2, 12, false), Some(Integer::Unsigned(0b1000_0000_0101)));
        assert_eq!(read(&bytes, ByteOrder::Little, 2, 12, true), Some(Integer::Signed(0b1000_0000_0101 - 4096)));
        assert_eq!(read(&[0xff, 0xff, 0xfe], ByteOrder::Big, 0, 24, true), Some(Integer::Signed(-2)));
    }

    #[test]
    fn more_than_128_bits_only_where_the_value_fits() {
        let mut bytes = [0xff; 24];
        assert_eq!(read(&bytes, ByteOrder::Little, 0, 192, true), Some(Integer::Signed(-1)));
        assert_eq!(read(&bytes, ByteOrder::Little, 0, 192, false), None);
        bytes[15] = 0;
        assert_eq!(read(&bytes, ByteOrder::Little, 0, 192, true), None);
    }
}
