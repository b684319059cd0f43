//! NumPy's file format: what a datatype is called in it, and what stands before the elements.

use h5kit::Datatype;
use h5kit::format::message::datatype::{Bits, ByteOrder, Class, FloatingPoint};

/// Numbers that NumPy reads as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Byte order, kind and size.
    descr: String,
    /// Dimensions of an element.
    inner: Vec<u32>,
    /// What stands for a number that cannot be read.
    nothing: Vec<u8>,
}

impl Numbers {
    /// How NumPy calls the elements of a datatype; `None` for what it does not have.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        let size = datatype.size as usize;
        match &datatype.class {
            Class::FixedPoint(number) => Self::integer(&number.bits, if number.signed { 'i' } else { 'u' }, size),
            Class::Bitfield(bits) => Self::integer(bits, 'u', size),
            Class::Enumeration { base, .. } => Self::of(base),
            Class::FloatingPoint(number) => Self::float(number, size),
            Class::Array { dims, base, .. } => {
                let base = Self::of(base)?;
                Some(Self { inner: [dims, &base.inner[..]].concat(), ..base })
            }
            Class::Complex { base, form: 0, .. } => Self::of(base)?.complex(size),
            Class::Compound { members } => match &members[..] {
                [re, im] if re.name == "r" && im.name == "i" && re.datatype == im.datatype => {
                    (re.offset == 0 && im.offset == re.datatype.size).then(|| Self::of(&re.datatype))??.complex(size)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn integer(bits: &Bits, kind: char, size: usize) -> Option<Self> {
        let whole = bits.offset == 0 && usize::from(bits.precision) == 8 * size && matches!(size, 1 | 2 | 4 | 8);
        let order = order(bits.order, size).filter(|_| whole)?;
        Some(Self { descr: format!("{order}{kind}{size}"), inner: Vec::new(), nothing: vec![0; size] })
    }

    fn float(number: &FloatingPoint, size: usize) -> Option<Self> {
        let (exponent, mantissa) = match size {
            2 => (5, 10),
            4 => (8, 23),
            8 => (11, 52),
            _ => return None,
        };
        let order = order(number.bits.order, size)?;
        if *number != FloatingPoint::ieee(number.bits.order, exponent, mantissa) {
            return None;
        }
        // All bits of the exponent and the highest of the mantissa.
        let nan = ((1u64 << (exponent + 1)) - 1) << (mantissa - 1);
        let mut nothing = nan.to_le_bytes()[..size].to_vec();
        if number.bits.order == ByteOrder::Big {
            nothing.reverse();
        }
        Some(Self { descr: format!("{order}f{size}"), inner: Vec::new(), nothing })
    }

    /// Pairs of these floating-point numbers.
    fn complex(self, size: usize) -> Option<Self> {
        let half = self.nothing.len();
        let parts = self.inner.is_empty() && self.descr[1..].starts_with('f') && half >= 4 && size == 2 * half;
        parts.then(|| Self {
            descr: format!("{}c{size}", &self.descr[..1]),
            inner: Vec::new(),
            nothing: self.nothing.repeat(2),
        })
    }

    /// The bytes of an element that cannot be read and for which the file has no fill value.
    pub fn nothing(&self, size: usize) -> Vec<u8> {
        self.nothing.repeat(size / self.nothing.len().max(1))
    }

    /// What stands before the elements of a dataset of this shape.
    pub fn head(&self, shape: &[u64]) -> Vec<u8> {
        let dims = shape.iter().copied().chain(self.inner.iter().copied().map(u64::from));
        // A tuple of one has a comma too.
        let dims: String = dims.map(|n| format!("{n},")).collect();
        let text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({dims}), }}", self.descr);
        // With the newline, and what stands before it, a multiple of 64.
        let wide = text.len() + 1 + 10 + 63 > usize::from(u16::MAX);
        let before = if wide { 12 } else { 10 };
        let length = (before + text.len() + 1).next_multiple_of(64) - before;
        let mut head = b"\x93NUMPY".to_vec();
        if wide {
            head.extend([2, 0]);
            head.extend((length as u32).to_le_bytes());
        } else {
            head.extend([1, 0]);
            head.extend((length as u16).to_le_bytes());
        }
        head.extend(text.bytes());
        head.resize(before + length - 1, b' ');
        head.push(b'\n');
        head
    }
}

fn order(order: ByteOrder, size: usize) -> Option<char> {
    match order {
        _ if size == 1 => Some('|'),
        ByteOrder::Little => Some('<'),
        ByteOrder::Big => Some('>'),
        ByteOrder::Vax => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(order: ByteOrder) -> Datatype {
        let class = Class::FloatingPoint(FloatingPoint::ieee(order, 8, 23));
        Datatype { version: 1, size: 4, class, reserved_bits: 0 }
    }

    #[test]
    fn floating_point_numbers() {
        let big = Numbers::of(&floats(ByteOrder::Big)).expect("numbers");
        assert_eq!(
            (big.descr.as_str(), f32::from_be_bytes(big.nothing(4).try_into().expect("4")).is_nan()),
            (">f4", true)
        );
        assert_eq!(Numbers::of(&floats(ByteOrder::Vax)), None);
    }

    #[test]
    fn the_head_is_a_multiple_of_64() {
        let numbers = Numbers::of(&floats(ByteOrder::Little)).expect("numbers");
        for shape in [vec![], vec![3], vec![1 << 40, 7], vec![1; 32]] {
            let head = numbers.head(&shape);
            assert_eq!((head.len() % 64, head.last()), (0, Some(&b'\n')));
            assert_eq!(usize::from(u16::from_le_bytes([head[8], head[9]])), head.len() - 10);
        }
        let text = String::from_utf8_lossy(&numbers.head(&[3])[10..]).into_owned();
        assert!(text.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } "), "{text}");
        assert_eq!(numbers.head(&[u64::MAX; 4000])[6..8], [2, 0]);
    }
}
