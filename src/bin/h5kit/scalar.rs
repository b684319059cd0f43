//! Numbers as people write them: no more digits than tell them from their neighbours.

use h5kit::Datatype;
use h5kit::format::message::datatype::Class;

/// A floating-point number of the file's datatype, in as few digits as name it.
pub fn float(value: f64, datatype: &Datatype) -> String {
    match mantissa(datatype) {
        Some(bits) if value.is_finite() && bits < 23 => short(value, bits),
        // Whatever the layout in the file, `f32` holds no less.
        Some(23) => format!("{:?}", value as f32),
        _ => format!("{value:?}"),
    }
}

/// A floating-point number in digits from which one of 32 or 64 bits is found again.
pub fn exact(value: f64, datatype: &Datatype) -> String {
    match mantissa(datatype) {
        Some(bits) if bits <= 23 && f64::from(value as f32) == value => format!("{:?}", value as f32),
        _ => format!("{value:?}"),
    }
}

/// Bits of the mantissa, leading bit not counted.
fn mantissa(datatype: &Datatype) -> Option<u8> {
    match &datatype.class {
        Class::FloatingPoint(number) => Some(number.mantissa_size),
        _ => None,
    }
}

/// The fewest digits from which a number of `bits` bits of mantissa is found again.
fn short(value: f64, bits: u8) -> String {
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    // Half the way to the neighbours; below a power of two the next one is nearer.
    let power = value.abs() == 2f64.powi(exponent);
    let near = 2f64.powi(exponent - i32::from(bits) - if power { 2 } else { 1 });
    for digits in 0..17 {
        let text = format!("{value:.digits$e}");
        let Ok(back) = text.parse::<f64>() else { break };
        if (back - value).abs() < near || back == value {
            return format!("{back:?}");
        }
    }
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use h5kit::format::message::datatype::{ByteOrder, FloatingPoint};

    fn datatype(size: u32, exponent: u8, mantissa: u8) -> Datatype {
        let number = FloatingPoint::ieee(ByteOrder::Little, exponent, mantissa);
        Datatype { version: 1, size, class: Class::FloatingPoint(number), reserved_bits: 0 }
    }

    #[test]
    fn as_few_digits_as_needed() {
        assert_eq!(float(f64::from(0.1f32), &datatype(4, 8, 23)), "0.1");
        assert_eq!(float(0.1, &datatype(8, 11, 52)), "0.1");
        assert_eq!(float(0.099_975_585_937_5, &datatype(2, 5, 10)), "0.1");
        assert_eq!(float(65504.0, &datatype(2, 5, 10)), "65500.0");
        assert_eq!(float(3.140_625, &datatype(2, 8, 7)), "3.14");
        assert_eq!(float(0.0, &datatype(2, 5, 10)), "0.0");
        assert_eq!(float(f64::NAN, &datatype(2, 5, 10)), "NaN");
        assert_eq!(float(f64::INFINITY, &datatype(4, 8, 23)), "inf");
    }
}
