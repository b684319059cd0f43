//! The modification time messages, types 0x000e (IV.A.2.o) and 0x0012 (IV.A.2.s).

use crate::bytes::parse::{array, fail, field, u32, version};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Fault, Structure};

/// The modification time message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModificationTime {
    /// Reserved.
    pub reserved: [u8; 3],
    /// Seconds since 1970 (UTC).
    pub seconds: u32,
}

impl ModificationTime {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        block.run(Structure::ModificationTime, |i| {
            let (i, _) = field("version", version(&[1]))(i)?;
            let (i, reserved) = field("reserved", array)(i)?;
            let (i, seconds) = field("seconds after UNIX epoch", u32)(i)?;
            Ok((i, Self { reserved, seconds }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(1);
        to.bytes(&self.reserved);
        to.u32(self.seconds);
    }
}

/// The old modification time message: a date in UTC as decimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModificationTimeOld {
    /// `YYYYMMDDhhmmss`.
    pub digits: [u8; 14],
    /// Reserved.
    pub reserved: [u8; 2],
}

impl ModificationTimeOld {
    /// Decodes a message body.
    ///
    /// # Errors
    /// Anything but digits.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        block.run(Structure::ModificationTimeOld, |i| {
            let (after, digits) = field("time", array::<14>)(i)?;
            if let Some(other) = digits.iter().find(|b| !b.is_ascii_digit()) {
                return field("time", |i| fail(i, Fault::Value((*other).into())))(i);
            }
            let (i, reserved) = field("reserved", array)(after)?;
            Ok((i, Self { digits, reserved }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.bytes(&self.digits);
        to.bytes(&self.reserved);
    }

    /// Seconds since 1970 (UTC), `None` for a date that does not exist.
    #[must_use]
    pub fn seconds(&self) -> Option<i64> {
        let number = |from: usize, to: usize| {
            self.digits[from..to].iter().fold(0i64, |n, digit| n * 10 + i64::from(digit - b'0'))
        };
        let (year, month, day) = (number(0, 4), number(4, 6), number(6, 8));
        let (hour, minute, second) = (number(8, 10), number(10, 12), number(12, 14));
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        // Days of the proleptic Gregorian calendar, years beginning in March.
        let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let days = 365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 1;
        const TO_1970: i64 = 719_468;
        Some((days - TO_1970) * 86_400 + hour * 3600 + minute * 60 + second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn both_messages() {
        let new = both_ways(&[1, 0, 0, 0, 0, 0xca, 0x9a, 0x3b], 8, ModificationTime::decode, ModificationTime::encode);
        assert_eq!(new.seconds, 1_000_000_000);
        let decode = ModificationTimeOld::decode;
        let old = both_ways(b"20010909014640\0\0", 8, decode, ModificationTimeOld::encode);
        assert_eq!(old.seconds(), Some(1_000_000_000));
        let leap = ModificationTimeOld { digits: *b"20240229000000", reserved: [0; 2] };
        assert_eq!(leap.seconds(), Some(1_709_164_800));
        assert_eq!(ModificationTimeOld { digits: *b"20241329000000", reserved: [0; 2] }.seconds(), None);
    }
}
