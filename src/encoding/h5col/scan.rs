//! Testing numbers of a column as they are read, without keeping them.
//!
//! What a test asks for becomes bounds of the type that the numbers are stored as, so that whole blocks are compared at
//! once.

use std::ops::{Bound, Range};

use super::column::ScalarColumn;
use super::error::{InColumn, Result};
use super::kind::{Held, Kind};
use super::missing::Missing;
use super::predicate::{Set, Test};
use super::rows::Rows;
use crate::element::Element;
use crate::format::message::datatype::Class;

/// Rows that are compared at once: they stay in the cache of a processor.
const BLOCK: u64 = 1 << 15;

/// What a test asks of a number.
struct Asked<T> {
    /// Pairs of least and largest; both count.
    within: Vec<(T, T)>,
    /// The other values are asked for.
    outside: bool,
    /// What is missing, which passes no test.
    missing: Option<T>,
}

/// A type of numbers that are tested as they are stored.
trait Number: Element + Copy + PartialOrd + Default {
    /// The bounds of this type for an integer set's interval; `None` where no value is within them.
    fn bounds(low: i128, high: i128) -> Option<(Self, Self)>;
    fn of(integer: i128) -> Option<Self>;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            fn bounds(low: i128, high: i128) -> Option<(Self, Self)> {
                let (low, high) = (low.max(Self::MIN.into()), high.min(Self::MAX.into()));
                Some((Self::try_from(low).ok()?, Self::try_from(high).ok()?)).filter(|(low, high)| low <= high)
            }

            fn of(integer: i128) -> Option<Self> {
                Self::try_from(integer).ok()
            }
        }
    )*};
}

numbers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// The rows of some blocks whose number passes a test; `None` where the column or the test has to be looked at value by
/// value.
pub(super) fn passing(column: &ScalarColumn, test: &Test, blocks: &[Range<u64>]) -> Result<Option<Rows>> {
    // Codes are held against their labels where they are read.
    if !matches!(column.kind(), Kind::Integer | Kind::Float) {
        return Ok(None);
    }
    let datatype = column.dataset().datatype();
    let read = || match (&datatype.class, datatype.size) {
        (Class::FloatingPoint(_), _) if column.held() == Held::Float => floats(column, test, blocks),
        (Class::FixedPoint(n), size) => match (n.signed, size) {
            (true, 1) => integers::<i8>(column, test, blocks),
            (true, 2) => integers::<i16>(column, test, blocks),
            (true, 4) => integers::<i32>(column, test, blocks),
            (true, 8) => integers::<i64>(column, test, blocks),
            (false, 1) => integers::<u8>(column, test, blocks),
            (false, 2) => integers::<u16>(column, test, blocks),
            (false, 4) => integers::<u32>(column, test, blocks),
            (false, 8) => integers::<u64>(column, test, blocks),
            _ => Ok(None),
        },
        _ => Ok(None),
    };
    read().in_column(&column.table, column.name.as_str())
}

fn integers<T: Number>(column: &ScalarColumn, test: &Test, blocks: &[Range<u64>]) -> Result<Option<Rows>> {
    let (Test::Within(Set::Integers(set)) | Test::Outside(Set::Integers(set))) = test else { return Ok(None) };
    let low = |bound: &Bound<i128>| match bound {
        Bound::Included(n) => *n,
        Bound::Excluded(n) => n.saturating_add(1),
        Bound::Unbounded => i128::MIN,
    };
    let high = |bound: &Bound<i128>| match bound {
        Bound::Included(n) => *n,
        Bound::Excluded(n) => n.saturating_sub(1),
        Bound::Unbounded => i128::MAX,
    };
    let missing = match column.missing()? {
        Missing::Never => None,
        Missing::Integer(fill) => T::of(fill),
        _ => return Ok(None),
    };
    let within = set.bounds().filter_map(|(a, b)| T::bounds(low(a), high(b))).collect();
    let asked = Asked { within, outside: matches!(test, Test::Outside(_)), missing };
    asked.among(column, blocks).map(Some)
}

fn floats(column: &ScalarColumn, test: &Test, blocks: &[Range<u64>]) -> Result<Option<Rows>> {
    // NaN is not outside of anything where it means missing, and outside of everything where it does not.
    let Test::Within(Set::Floats(set)) = test else { return Ok(None) };
    // No number is above the largest: a bound that is NaN has none on its side.
    let low = |bound: &Bound<f64>| match bound {
        Bound::Included(x) => *x,
        Bound::Excluded(x) if *x == f64::INFINITY => f64::NAN,
        Bound::Excluded(x) => x.next_up(),
        Bound::Unbounded => f64::NEG_INFINITY,
    };
    let high = |bound: &Bound<f64>| match bound {
        Bound::Included(x) => *x,
        Bound::Excluded(x) if *x == f64::NEG_INFINITY => f64::NAN,
        Bound::Excluded(x) => x.next_down(),
        Bound::Unbounded => f64::INFINITY,
    };
    let missing = match column.missing()? {
        Missing::Never | Missing::NotANumber => None,
        Missing::Float(fill) => Some(fill),
        _ => return Ok(None),
    };
    let within = set.bounds().map(|(a, b)| (low(a), high(b))).collect();
    Asked { within, outside: false, missing }.among(column, blocks).map(Some)
}

impl<T: Element + Copy + PartialOrd + Default> Asked<T> {
    fn among(&self, column: &ScalarColumn, blocks: &[Range<u64>]) -> Result<Rows> {
        let longest = blocks.iter().map(|block| block.end - block.start).max().unwrap_or(0);
        // Chunks that are filtered are decoded whole; others are read where they are.
        let step = if column.dataset().filters().is_empty() { longest.min(BLOCK) } else { longest };
        let mut values = vec![T::default(); usize::try_from(step).unwrap_or(usize::MAX)];
        let mut bits = Vec::new();
        let mut rows = Rows::none();
        for block in blocks {
            let mut start = block.start;
            while start < block.end {
                let end = start.saturating_add(step.max(1)).min(block.end);
                let part = &mut values[..(end - start) as usize];
                column.dataset().read_into(part, start..end)?;
                self.test(part, &mut bits);
                rows.push_bits(start, &bits);
                start = end;
            }
        }
        Ok(rows)
    }

    /// One bit for each of the values.
    fn test(&self, values: &[T], bits: &mut Vec<u64>) {
        let fill = self.missing;
        match (self.within.as_slice(), self.outside, fill) {
            ([(low, high)], false, None) => pack(values, bits, |x| (x >= *low) & (x <= *high)),
            ([(low, high)], false, Some(fill)) => pack(values, bits, |x| (x >= *low) & (x <= *high) & (x != fill)),
            (several, outside, fill) => pack(values, bits, |x| {
                let within = several.iter().any(|(low, high)| x >= *low && x <= *high);
                within != outside && fill.is_none_or(|fill| x != fill)
            }),
        }
    }
}

/// Puts what is true of each value into bits, the first one lowest.
fn pack<T: Copy>(values: &[T], bits: &mut Vec<u64>, holds: impl Fn(T) -> bool) {
    bits.clear();
    bits.extend(values.chunks(64).map(|part| {
        let mut held = [0u8; 64];
        for (held, value) in held.iter_mut().zip(part) {
            *held = holds(*value).into();
        }
        // Eight bytes of 0 and 1 become the eight bits of one.
        let (eights, _) = held.as_chunks::<8>();
        eights
            .iter()
            .rev()
            .fold(0, |word, eight| word << 8 | u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_values() {
        for n in [0, 1, 63, 64, 65, 200] {
            let values: Vec<u32> = (0..n).map(|i| i * 7 % 11).collect();
            let mut bits = vec![1];
            pack(&values, &mut bits, |x| x < 4);
            let naive: Vec<usize> = (0..values.len()).filter(|i| values[*i] < 4).collect();
            let packed: Vec<usize> = (0..bits.len() * 64).filter(|i| bits[i / 64] >> (i % 64) & 1 != 0).collect();
            assert_eq!(packed, naive);
        }
    }
}
