use super::fixed_point::{bit_field, little_endian};
use crate::format::message::datatype::{ByteOrder, Datatype, FloatingPoint, Normalization};

/// A number as near as `f64` comes to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wide {
    pub(crate) nearest: f64,
    /// `nearest` is the number itself.
    pub(crate) exact: bool,
}

/// Reads floating-point numbers of any layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatingPointReader {
    size: u32,
    float: FloatingPoint,
}

impl FloatingPointReader {
    /// A reader for this layout; `None` where there is no value in it: a mantissa of more than 120 bits, an
    /// exponent of more than 30, a normalization that does not exist, or more than 64 bytes.
    pub(crate) fn new(datatype: &Datatype, float: FloatingPoint) -> Option<Self> {
        let possible = float.mantissa_size <= 120
            && (1..=30).contains(&float.exponent_size)
            && float.normalization != Normalization::Reserved
            && (float.normalization == Normalization::Implied || float.mantissa_size > 0)
            && datatype.size <= 64
            && (float.bits.order != ByteOrder::Vax || datatype.size.is_multiple_of(2));
        possible.then_some(Self { size: datatype.size, float })
    }

    pub(super) fn order(&self) -> ByteOrder {
        self.float.bits.order
    }

    /// The bits of exponent and mantissa, where the machine or the `half` crate has a type of this layout.
    pub(super) fn machine(&self) -> Option<(u8, u8)> {
        if self.float.bits.order == ByteOrder::Vax {
            return None;
        }
        let layouts = [(8, 11, 52), (4, 8, 23), (2, 5, 10), (2, 8, 7)];
        let found = layouts.into_iter().find(|(size, e, m)| *size == self.size && self.float.is_ieee(*e, *m));
        found.map(|(_, exponent, mantissa)| (exponent, mantissa))
    }

    pub(crate) fn read(&self, element: &[u8]) -> Wide {
        let f = &self.float;
        let mut buffer = [0; 64];
        let Some(little) = little_endian(element, f.bits.order, &mut buffer) else {
            return Wide { nearest: f64::NAN, exact: false };
        };
        let negative = bit_field(little, f.sign_position.into(), 1) != 0;
        let exponent = bit_field(little, f.exponent_position.into(), f.exponent_size.into()) as i64;
        let mantissa = bit_field(little, f.mantissa_position.into(), f.mantissa_size.into());
        let size = i64::from(f.mantissa_size);
        let highest = (1i64 << f.exponent_size) - 1;
        let implied = f.normalization == Normalization::Implied;
        if exponent == highest {
            // Where the leading bit is stored, infinity has it set.
            let leading = if implied { 0 } else { 1u128 << (size - 1) };
            let nearest = if mantissa == 0 || mantissa == leading { f64::INFINITY } else { f64::NAN };
            return Wide { nearest: if negative { -nearest } else { nearest }, exact: true };
        }
        let bias = i64::from(f.bias);
        // The exponent of the mantissa's lowest bit.
        let scale = exponent.max(1) - bias - if implied { size } else { size - 1 };
        let whole = if implied && exponent > 0 { mantissa | 1 << size } else { mantissa };
        let (magnitude, exact) = scaled(whole, scale);
        Wide { nearest: if negative { -magnitude } else { magnitude }, exact }
    }
}

/// `mantissa * 2^scale`, rounded to nearest, ties to even, and whether that is exact.
fn scaled(mantissa: u128, scale: i64) -> (f64, bool) {
    if mantissa == 0 {
        return (0.0, true);
    }
    let bits = 128 - i64::from(mantissa.leading_zeros());
    let top = bits + scale;
    if top > 1024 {
        return (f64::INFINITY, false);
    }
    // Bits that the result has room for: fewer below the least normal number.
    let lowest = (top - 53).max(-1074);
    let drop = lowest - scale;
    if drop <= 0 {
        return (power(mantissa as f64, scale), true);
    }
    if drop > 127 {
        return (0.0, false);
    }
    let kept = mantissa >> drop;
    let rest = mantissa & ((1 << drop) - 1);
    let half = 1u128 << (drop - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    (power((kept + u128::from(up)) as f64, lowest), rest == 0)
}

/// `n * 2^exponent`, where that is exact.
fn power(n: f64, exponent: i64) -> f64 {
    // Two steps, so that neither factor leaves the range of normal numbers.
    let half = exponent / 2;
    let factor = |e: i64| f64::from_bits(((1023 + e.clamp(-1022, 1023)) as u64) << 52);
    let (first, second) = (half, exponent - half);
    n * factor(first) * factor(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::testing::float;
    use crate::format::message::datatype::Class;
    use proptest::prelude::*;

    fn reader(size: u32, exponent: u8, mantissa: u8) -> FloatingPointReader {
        let datatype = float(size, exponent, mantissa);
        let Class::FloatingPoint(layout) = datatype.class else { unreachable!("float() makes floats") };
        FloatingPointReader::new(&datatype, layout).expect("a layout with values")
    }

    #[test]
    fn x87_extended() {
        let mut x87 = reader(16, 15, 64);
        x87.float = FloatingPoint {
            normalization: Normalization::None,
            sign_position: 79,
            exponent_position: 64,
            bias: 16383,
            ..x87.float
        };
        let read = |mantissa: u64, exponent: u16| {
            let mut bytes = [0u8; 16];
            bytes[..8].copy_from_slice(&mantissa.to_le_bytes());
            bytes[8..10].copy_from_slice(&exponent.to_le_bytes());
            x87.read(&bytes)
        };
        assert_eq!(read(1 << 63, 16383), Wide { nearest: 1.0, exact: true });
        assert_eq!(read(3 << 62, 0x8000 | 16384), Wide { nearest: -3.0, exact: true });
        assert_eq!(read(1 << 63, 0x7fff), Wide { nearest: f64::INFINITY, exact: true });
        assert!(read(3 << 62, 0x7fff).nearest.is_nan());
        assert_eq!(read((1 << 63) | 1, 16383), Wide { nearest: 1.0, exact: false });
        assert_eq!(read(1 << 63, 1), Wide { nearest: 0.0, exact: false });
        assert_eq!(read(0, 0), Wide { nearest: 0.0, exact: true });
    }

    proptest! {
        /// Read bit by bit, IEEE numbers are what the machine says they are.
        #[test]
        fn f64_and_f32_and_halves(bits: u64) {
            let same = |wide: Wide, machine: f64| {
                wide.exact && (wide.nearest.to_bits() == machine.to_bits() || wide.nearest.is_nan() && machine.is_nan())
            };
            let double = f64::from_bits(bits);
            prop_assert!(same(reader(8, 11, 52).read(&double.to_le_bytes()), double));
            let single = f32::from_bits(bits as u32);
            prop_assert!(same(reader(4, 8, 23).read(&single.to_le_bytes()), single.into()));
            let half = half::f16::from_bits(bits as u16);
            prop_assert!(same(reader(2, 5, 10).read(&half.to_le_bytes()), half.into()));
            let brain = half::bf16::from_bits(bits as u16);
            prop_assert!(same(reader(2, 8, 7).read(&brain.to_le_bytes()), brain.into()));
        }

        /// A mantissa of 106 bits rounds as the machine rounds the sum of its halves, which both are exact.
        #[test]
        fn rounding_is_to_nearest_even(high in 0u64..1 << 53, low in 0u64..1 << 53, scale in -900i64..800) {
            let model = high as f64 * power(1.0, scale + 53) + low as f64 * power(1.0, scale);
            let (nearest, exact) = scaled(u128::from(high) << 53 | u128::from(low), scale);
            prop_assert_eq!(nearest, model);
            prop_assert_eq!(exact, nearest - high as f64 * power(1.0, scale + 53) == low as f64 * power(1.0, scale));
        }
    }
}
