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
use crate::element::Element;
use crate::format::message::datatype::Class;

/// Tells of the rows of a block whether they pass a test: one bit for each, lowest first. Blocks are asked for in
/// ascending order.
pub(super) type Worker<'c> = Box<dyn FnMut(&Range<u64>) -> Result<Vec<u64>> + 'c>;

/// Makes a worker for each thread.
pub(super) type Tester<'c> = Box<dyn Fn() -> Worker<'c> + Sync + 'c>;

/// What a test asks of a number.
#[derive(Clone)]
struct Asked<T> {
    /// Pairs of least and largest; both count.
    within: Vec<(T, T)>,
    /// The other values are asked for.
    outside: bool,
    /// What is missing, which passes no test.
    missing: Option<T>,
}

/// A type of numbers that are tested as they are stored.
trait Number: Element + Copy + PartialOrd + Sync {
    const LEAST: Self;
    const LARGEST: Self;
}

/// An integer type.
trait Integer: Number {
    /// The bounds of this type for an integer set's interval; `None` where no value is within them.
    fn bounds(low: i128, high: i128) -> Option<(Self, Self)>;
    fn of(integer: i128) -> Option<Self>;
}

impl Number for f64 {
    const LEAST: Self = Self::NEG_INFINITY;
    const LARGEST: Self = Self::INFINITY;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            const LEAST: Self = Self::MIN;
            const LARGEST: Self = Self::MAX;
        }

        impl Integer for $t {
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

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// A tester of numbers; `None` where the column or the test has to be looked at value by value.
pub(super) fn tester<'c>(column: &'c ScalarColumn, test: &Test) -> Result<Option<Tester<'c>>> {
    // Codes are held against their labels where they are read.
    if !matches!(column.kind(), Kind::Integer | Kind::Float) {
        return Ok(None);
    }
    let datatype = column.dataset().datatype();
    let made = match (&datatype.class, datatype.size) {
        (Class::FloatingPoint(_), _) if column.held() == Held::Float => floats(column, test),
        (Class::FixedPoint(n), size) => match (n.signed, size) {
            (true, 1) => integers::<i8>(column, test),
            (true, 2) => integers::<i16>(column, test),
            (true, 4) => integers::<i32>(column, test),
            (true, 8) => integers::<i64>(column, test),
            (false, 1) => integers::<u8>(column, test),
            (false, 2) => integers::<u16>(column, test),
            (false, 4) => integers::<u32>(column, test),
            (false, 8) => integers::<u64>(column, test),
            _ => Ok(None),
        },
        _ => Ok(None),
    };
    made.in_column(&column.table, column.name.as_str())
}

fn integers<'c, T: Integer>(column: &'c ScalarColumn, test: &Test) -> Result<Option<Tester<'c>>> {
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
    Ok(Some(asked.tester(column)))
}

fn floats<'c>(column: &'c ScalarColumn, test: &Test) -> Result<Option<Tester<'c>>> {
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
    Ok(Some(Asked { within, outside: false, missing }.tester(column)))
}

impl<T: Number> Asked<T> {
    /// A tester of the values of a column.
    fn tester(self, column: &ScalarColumn) -> Tester<'_> {
        Box::new(move || {
            let (asked, mut buffer) = (self.clone(), Vec::new());
            Box::new(move |block| {
                let values = column.dataset().read_or_borrow(block.clone(), &mut buffer).map_err(Into::into);
                Ok(asked.test(values.in_column(&column.table, column.name.as_str())?))
            })
        })
    }

    /// One bit for each of the values.
    fn test(&self, values: &[T]) -> Vec<u64> {
        let fill = self.missing;
        match (self.within.as_slice(), self.outside, fill) {
            ([(low, high)], false, None) if *high == T::LARGEST => pack(values, |x| x >= *low),
            ([(low, high)], false, None) if *low == T::LEAST => pack(values, |x| x <= *high),
            ([(low, high)], false, None) => pack(values, |x| (x >= *low) & (x <= *high)),
            ([(low, high)], false, Some(fill)) if *high == T::LARGEST => pack(values, |x| (x >= *low) & (x != fill)),
            ([(low, high)], false, Some(fill)) if *low == T::LEAST => pack(values, |x| (x <= *high) & (x != fill)),
            ([(low, high)], false, Some(fill)) => pack(values, |x| (x >= *low) & (x <= *high) & (x != fill)),
            (several, outside, fill) => pack(values, |x| {
                let within = several.iter().any(|(low, high)| x >= *low && x <= *high);
                within != outside && fill.is_none_or(|fill| x != fill)
            }),
        }
    }
}

/// What is true of each value as bits, the first one lowest.
fn pack<T: Copy>(values: &[T], holds: impl Fn(T) -> bool) -> Vec<u64> {
    let (wholes, rest) = values.as_chunks::<64>();
    let mut bits = Vec::with_capacity(wholes.len() + 1);
    // Bytes of 0 and 1, which processors compare many of at once.
    bits.extend(wholes.iter().map(|whole| packed(&whole.map(|value| u8::from(holds(value))))));
    if !rest.is_empty() {
        let mut held = [0; 64];
        held.iter_mut().zip(rest).for_each(|(held, value)| *held = holds(*value).into());
        bits.push(packed(&held));
    }
    bits
}

/// Bytes of 0 and 1 as bits: eight of them become one by a multiplication.
fn packed(held: &[u8; 64]) -> u64 {
    let (eights, _) = held.as_chunks::<8>();
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().rev().fold(0, |word, eight| word << 8 | bits(eight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_values() {
        for n in [0, 1, 63, 64, 65, 200] {
            let values: Vec<u32> = (0..n).map(|i| i * 7 % 11).collect();
            let bits = pack(&values, |x| x < 4);
            let naive: Vec<usize> = (0..values.len()).filter(|i| values[*i] < 4).collect();
            let found: Vec<usize> = (0..bits.len() * 64).filter(|i| bits[i / 64] >> (i % 64) & 1 != 0).collect();
            assert_eq!(found, naive);
        }
    }

    #[test]
    fn bounds_at_the_ends_of_a_type_are_like_others() {
        let values = [i8::MIN, -1, 0, 5, i8::MAX];
        for missing in [None, Some(0)] {
            for (low, high) in [(i8::MIN, 0), (0, i8::MAX), (i8::MIN, i8::MAX), (-1, 5)] {
                let asked = Asked { within: vec![(low, high)], outside: false, missing };
                let naive = values.iter().map(|x| (low..=high).contains(x) && Some(*x) != missing);
                let naive = naive.rev().fold(0, |word, holds| word << 1 | u64::from(holds));
                assert_eq!(asked.test(&values), [naive], "{low} {high} {missing:?}");
            }
        }
        let floats = [f64::NEG_INFINITY, f64::NAN, 1.5, f64::INFINITY];
        let asked = |low, high| Asked { within: vec![(low, high)], outside: false, missing: None }.test(&floats);
        assert_eq!(asked(1.5, f64::INFINITY), [0b1100]);
        assert_eq!(asked(f64::NEG_INFINITY, 1.5), [0b0101]);
    }
}
