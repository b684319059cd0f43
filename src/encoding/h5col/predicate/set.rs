//! Sets of values: what a comparison asks for, as intervals of the order that a column has.

use std::cmp::Ordering;
use std::ops::Bound;

use super::{Literal, Operator};
use crate::encoding::h5col::index::{float_bytes, integer_bytes};
use crate::encoding::h5col::values::Data;

/// Values of one order.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::encoding::h5col) enum Set {
    /// Integers, codes, booleans and bits.
    Integers(Intervals<i128>),
    /// Floats, of which no interval holds a NaN.
    Floats(Intervals<f64>),
    /// Strings, byte by byte.
    Bytes(Intervals<Vec<u8>>),
}

/// Intervals that do not overlap, ascending.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::encoding::h5col) struct Intervals<T>(Vec<(Bound<T>, Bound<T>)>);

/// What has an order, NaN left out.
pub(in crate::encoding::h5col) trait Ordered: Clone {
    type View<'a>: Copy;
    fn order(&self, other: Self::View<'_>) -> Option<Ordering>;
    fn view(&self) -> Self::View<'_>;
}

impl Ordered for i128 {
    type View<'a> = Self;

    fn order(&self, other: Self) -> Option<Ordering> {
        Some(self.cmp(&other))
    }

    fn view(&self) -> Self {
        *self
    }
}

impl Ordered for f64 {
    type View<'a> = Self;

    fn order(&self, other: Self) -> Option<Ordering> {
        self.partial_cmp(&other)
    }

    fn view(&self) -> Self {
        *self
    }
}

impl Ordered for Vec<u8> {
    type View<'a> = &'a [u8];

    fn order(&self, other: &[u8]) -> Option<Ordering> {
        Some(self.as_slice().cmp(other))
    }

    fn view(&self) -> &[u8] {
        self
    }
}

/// True where a value is not before the beginning of an interval.
fn after_low<T: Ordered>(low: &Bound<T>, value: T::View<'_>) -> Option<bool> {
    Some(match low {
        Bound::Included(low) => low.order(value)?.is_le(),
        Bound::Excluded(low) => low.order(value)?.is_lt(),
        Bound::Unbounded => true,
    })
}

/// True where a value is not after the end of an interval.
fn before_high<T: Ordered>(high: &Bound<T>, value: T::View<'_>) -> Option<bool> {
    Some(match high {
        Bound::Included(high) => high.order(value)?.is_ge(),
        Bound::Excluded(high) => high.order(value)?.is_gt(),
        Bound::Unbounded => true,
    })
}

/// The order of two beginnings.
fn lows<T: Ordered>(a: &Bound<T>, b: &Bound<T>) -> Ordering {
    match (a, b) {
        (Bound::Unbounded, Bound::Unbounded) => Ordering::Equal,
        (Bound::Unbounded, _) => Ordering::Less,
        (_, Bound::Unbounded) => Ordering::Greater,
        (Bound::Included(x) | Bound::Excluded(x), Bound::Included(y) | Bound::Excluded(y)) => {
            let open = |bound: &Bound<T>| matches!(bound, Bound::Excluded(_));
            x.order(y.view()).unwrap_or(Ordering::Equal).then(open(a).cmp(&open(b)))
        }
    }
}

/// The order of two ends.
fn highs<T: Ordered>(a: &Bound<T>, b: &Bound<T>) -> Ordering {
    match (a, b) {
        (Bound::Unbounded, Bound::Unbounded) => Ordering::Equal,
        (Bound::Unbounded, _) => Ordering::Greater,
        (_, Bound::Unbounded) => Ordering::Less,
        (Bound::Included(x) | Bound::Excluded(x), Bound::Included(y) | Bound::Excluded(y)) => {
            let open = |bound: &Bound<T>| matches!(bound, Bound::Excluded(_));
            x.order(y.view()).unwrap_or(Ordering::Equal).then(open(b).cmp(&open(a)))
        }
    }
}

/// True where no value can be between both bounds.
fn is_empty<T: Ordered>(low: &Bound<T>, high: &Bound<T>) -> bool {
    match (low, high) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(x), Bound::Included(y)) => x.order(y.view()).is_none_or(Ordering::is_gt),
        (Bound::Included(x) | Bound::Excluded(x), Bound::Included(y) | Bound::Excluded(y)) => {
            x.order(y.view()).is_none_or(Ordering::is_ge)
        }
    }
}

impl<T: Ordered> Intervals<T> {
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    fn one(low: Bound<T>, high: Bound<T>) -> Self {
        if is_empty(&low, &high) { Self::none() } else { Self(vec![(low, high)]) }
    }

    /// The beginning and the end of each.
    pub(in crate::encoding::h5col) fn bounds(&self) -> impl Iterator<Item = &(Bound<T>, Bound<T>)> {
        self.0.iter()
    }

    fn contains(&self, value: T::View<'_>) -> bool {
        let holds = |(low, high): &(Bound<T>, Bound<T>)| {
            after_low(low, value) == Some(true) && before_high(high, value) == Some(true)
        };
        match self.0.as_slice() {
            [] => false,
            [one] => holds(one),
            // Of those that begin before the value only the last one can hold it.
            many => {
                let begun = many.partition_point(|(low, _)| after_low(low, value) == Some(true));
                begun.checked_sub(1).and_then(|last| many.get(last)).is_some_and(holds)
            }
        }
    }

    /// True where a value between both, ends included, can be in an interval.
    fn meets(&self, min: T::View<'_>, max: T::View<'_>) -> bool {
        self.0.iter().any(|(low, high)| after_low(low, max) != Some(false) && before_high(high, min) != Some(false))
    }

    fn union(&self, other: &Self) -> Self {
        let mut all: Vec<(Bound<T>, Bound<T>)> = self.0.iter().chain(&other.0).cloned().collect();
        all.sort_by(|a, b| lows(&a.0, &b.0));
        let mut merged: Vec<(Bound<T>, Bound<T>)> = Vec::new();
        for (low, high) in all {
            match merged.last_mut() {
                Some(last) if !is_empty(&low, &last.1) => {
                    if highs(&last.1, &high).is_lt() {
                        last.1 = high;
                    }
                }
                _ => merged.push((low, high)),
            }
        }
        Self(merged)
    }

    fn intersection(&self, other: &Self) -> Self {
        let mut both = Vec::new();
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            let low = if lows(&x.0, &y.0).is_ge() { &x.0 } else { &y.0 };
            let high = if highs(&x.1, &y.1).is_le() { &x.1 } else { &y.1 };
            if !is_empty(low, high) {
                both.push((low.clone(), high.clone()));
            }
            if highs(&x.1, &y.1).is_le() {
                a.next()
            } else {
                b.next()
            };
        }
        Self(both)
    }

    /// The values, where every interval is a single one.
    fn points(&self) -> Option<Vec<&T>> {
        self.0
            .iter()
            .map(|(low, high)| match (low, high) {
                (Bound::Included(x), Bound::Included(y)) if x.order(y.view()) == Some(Ordering::Equal) => Some(x),
                _ => None,
            })
            .collect()
    }
}

/// The float of a row that is no NaN, which not even an interval without ends holds.
fn number(data: &Data, row: usize) -> Option<f64> {
    data.float(row).filter(|x| !x.is_nan())
}

impl Set {
    /// True where a row's value is one of the set.
    pub(in crate::encoding::h5col) fn holds(&self, data: &Data, row: usize) -> bool {
        match self {
            Self::Integers(set) => data.integer(row).is_some_and(|n| set.contains(n)),
            Self::Floats(set) => number(data, row).is_some_and(|x| set.contains(x)),
            Self::Bytes(set) => data.bytes(row).is_some_and(|bytes| set.contains(bytes)),
        }
    }

    /// True where a value between those of row `row` of both can be in the set; true also where they have no order.
    pub(in crate::encoding::h5col) fn meets(&self, min: &Data, max: &Data, row: usize) -> bool {
        match self {
            Self::Integers(set) => min.integer(row).zip(max.integer(row)).is_none_or(|(a, b)| set.meets(a, b)),
            Self::Floats(set) => min.float(row).zip(max.float(row)).is_none_or(|(a, b)| set.meets(a, b)),
            Self::Bytes(set) => min.bytes(row).zip(max.bytes(row)).is_none_or(|(a, b)| set.meets(a, b)),
        }
    }

    /// True where the set has no value.
    pub(in crate::encoding::h5col) fn is_empty(&self) -> bool {
        self.intervals() == 0
    }

    /// Number of intervals.
    pub(in crate::encoding::h5col) fn intervals(&self) -> usize {
        match self {
            Self::Integers(set) => set.0.len(),
            Self::Floats(set) => set.0.len(),
            Self::Bytes(set) => set.0.len(),
        }
    }

    /// Where a row's value stands to interval `i`: before it, in it, or after it.
    pub(in crate::encoding::h5col) fn stands(&self, i: usize, data: &Data, row: usize) -> Option<Ordering> {
        fn place<T: Ordered>(set: &Intervals<T>, i: usize, value: T::View<'_>) -> Option<Ordering> {
            let (low, high) = set.0.get(i)?;
            Some(match (after_low(low, value)?, before_high(high, value)?) {
                (false, _) => Ordering::Less,
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
            })
        }
        match self {
            Self::Integers(set) => place(set, i, data.integer(row)?),
            Self::Floats(set) => place(set, i, number(data, row)?),
            Self::Bytes(set) => place(set, i, data.bytes(row)?),
        }
    }

    /// The bytes that Bloom indexes know each value by, at the width in bytes that the column stores, where every
    /// interval is a single value. A value that the column cannot store has none.
    pub(in crate::encoding::h5col) fn canonical(&self, width: u32) -> Option<Vec<Vec<u8>>> {
        match self {
            Self::Integers(set) => set.points()?.into_iter().map(|n| integer_bytes(*n, width)).collect(),
            Self::Floats(set) => Some(set.points()?.into_iter().filter_map(|x| float_bytes(*x, width)).collect()),
            Self::Bytes(set) => Some(set.points()?.into_iter().cloned().collect()),
        }
    }

    /// Number of values, where every interval is a single one.
    pub(in crate::encoding::h5col) fn points(&self) -> Option<usize> {
        match self {
            Self::Integers(set) => set.points().map(|points| points.len()),
            Self::Floats(set) => set.points().map(|points| points.len()),
            Self::Bytes(set) => set.points().map(|points| points.len()),
        }
    }

    pub(super) fn union(&self, other: &Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Integers(a), Self::Integers(b)) => Self::Integers(a.union(b)),
            (Self::Floats(a), Self::Floats(b)) => Self::Floats(a.union(b)),
            (Self::Bytes(a), Self::Bytes(b)) => Self::Bytes(a.union(b)),
            _ => return None,
        })
    }

    /// The values of all sets, which are of one kind; `None` without a set.
    pub(super) fn union_of(mut sets: Vec<Self>) -> Option<Self> {
        // In pairs, so that many single values are not gone through for each of them.
        while sets.len() > 1 {
            let pairs = sets.chunks(2);
            sets = pairs
                .filter_map(|pair| match pair {
                    [a, b] => a.union(b),
                    rest => rest.first().cloned(),
                })
                .collect();
        }
        sets.pop()
    }

    pub(super) fn intersection(&self, other: &Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Integers(a), Self::Integers(b)) => Self::Integers(a.intersection(b)),
            (Self::Floats(a), Self::Floats(b)) => Self::Floats(a.intersection(b)),
            (Self::Bytes(a), Self::Bytes(b)) => Self::Bytes(a.intersection(b)),
            _ => return None,
        })
    }

    /// The integers that compare so with a number; `None` for other values.
    pub(super) fn integers(operator: Operator, value: &Literal) -> Option<Self> {
        let (below, at) = match value {
            Literal::Integer(n) => (*n, Some(*n)),
            Literal::Boolean(b) => (i128::from(*b), Some(i128::from(*b))),
            Literal::Float(x) => {
                // The largest integer not above it. What is out of range compares like the largest there is.
                let below = x.floor();
                let exact = below == *x && below.abs() < 2f64.powi(127);
                (below as i128, exact.then_some(below as i128))
            }
            Literal::Text(_) | Literal::Bytes(_) => return None,
        };
        Some(Self::Integers(compared(operator, below, at)))
    }

    /// The floats that compare so with a number; `None` for other values.
    pub(super) fn floats(operator: Operator, value: &Literal) -> Option<Self> {
        let (below, at) = match value {
            Literal::Float(x) => (*x, Some(*x)),
            Literal::Boolean(b) => (f64::from(u8::from(*b)), Some(f64::from(u8::from(*b)))),
            Literal::Integer(n) => {
                // Between neighbouring floats there is no float, so that the one below stands for the integer.
                let near = *n as f64;
                let exact = near < 2f64.powi(127) && near as i128 == *n;
                let above = near >= 2f64.powi(127) || near as i128 > *n;
                (if above { near.next_down() } else { near }, exact.then_some(near))
            }
            Literal::Text(_) | Literal::Bytes(_) => return None,
        };
        Some(Self::Floats(compared(operator, below, at)))
    }

    /// The strings that compare so with a string; `None` for other values.
    pub(super) fn strings(operator: Operator, value: &Literal) -> Option<Self> {
        let bytes = match value {
            Literal::Text(text) => text.clone().into_bytes(),
            Literal::Bytes(bytes) => bytes.clone(),
            _ => return None,
        };
        Some(Self::Bytes(compared(operator, bytes.clone(), Some(bytes))))
    }
}

/// What compares so with a value: `at`, where the order has it, and else between `below` and what follows it. `!=` is
/// asked as not `==`.
fn compared<T: Ordered>(operator: Operator, below: T, at: Option<T>) -> Intervals<T> {
    use Bound::{Excluded, Included, Unbounded};
    match (operator, at) {
        (Operator::Equal | Operator::NotEqual, Some(at)) => Intervals::one(Included(at.clone()), Included(at)),
        (Operator::Equal | Operator::NotEqual, None) => Intervals::none(),
        (Operator::Less, Some(at)) => Intervals::one(Unbounded, Excluded(at)),
        (Operator::Less, None) | (Operator::LessOrEqual, _) => Intervals::one(Unbounded, Included(below)),
        (Operator::GreaterOrEqual, Some(at)) => Intervals::one(Included(at), Unbounded),
        (Operator::GreaterOrEqual, None) | (Operator::Greater, _) => Intervals::one(Excluded(below), Unbounded),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPERATORS: [Operator; 5] =
        [Operator::Equal, Operator::Less, Operator::LessOrEqual, Operator::Greater, Operator::GreaterOrEqual];

    fn satisfies(operator: Operator, order: Ordering) -> bool {
        match operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
        }
    }

    #[test]
    fn integers_and_floats_compare_exactly() {
        let large = (1i128 << 53) + 1;
        let near = (1u64 << 53) as f64;
        for operator in OPERATORS {
            // 2^53 < 2^53 + 1, which no float is equal to.
            let floats = Set::floats(operator, &Literal::Integer(large)).expect("a number");
            assert_eq!(floats.holds(&Data::Float(vec![near]), 0), satisfies(operator, Ordering::Less));
            assert_eq!(floats.holds(&Data::Float(vec![near + 2.0]), 0), satisfies(operator, Ordering::Greater));
            let integers = Set::integers(operator, &Literal::Float(0.5)).expect("a number");
            assert_eq!(integers.holds(&Data::Signed(vec![0]), 0), satisfies(operator, Ordering::Less));
            assert_eq!(integers.holds(&Data::Signed(vec![1]), 0), satisfies(operator, Ordering::Greater));
            let endless = Set::integers(operator, &Literal::Float(f64::INFINITY)).expect("a number");
            assert_eq!(endless.holds(&Data::Unsigned(vec![u64::MAX]), 0), satisfies(operator, Ordering::Less));
            let endless = Set::integers(operator, &Literal::Float(f64::NEG_INFINITY)).expect("a number");
            assert_eq!(endless.holds(&Data::Signed(vec![i64::MIN]), 0), satisfies(operator, Ordering::Greater));
            let huge = Set::floats(operator, &Literal::Integer(i128::MAX)).expect("a number");
            assert_eq!(huge.holds(&Data::Float(vec![2f64.powi(127)]), 0), satisfies(operator, Ordering::Greater));
            assert_eq!(huge.holds(&Data::Float(vec![1e38]), 0), satisfies(operator, Ordering::Less));
        }
        let nan = Set::floats(Operator::GreaterOrEqual, &Literal::Float(f64::NEG_INFINITY)).expect("a number");
        assert!(!nan.holds(&Data::Float(vec![f64::NAN]), 0));
        let below = Set::floats(Operator::Less, &Literal::Integer(2)).expect("a number");
        let all =
            below.union(&Set::floats(Operator::Greater, &Literal::Integer(1)).expect("a number")).expect("floats");
        assert!(all.holds(&Data::Float(vec![f64::INFINITY]), 0) && !all.holds(&Data::Float(vec![f64::NAN]), 0));
        let zero = Set::floats(Operator::Equal, &Literal::Float(0.0)).expect("a number");
        assert!(zero.holds(&Data::Float(vec![-0.0]), 0));
    }

    fn interval() -> impl Strategy<Value = (Operator, i128)> {
        (0usize..5, 0i128..12).prop_map(|(operator, n)| (OPERATORS[operator], n))
    }

    proptest! {
        #[test]
        fn intervals_are_sets(list in proptest::collection::vec((interval(), any::<bool>()), 1..6)) {
            let asked = |(operator, n): (Operator, i128)| {
                Set::integers(operator, &Literal::Integer(n)).expect("a number")
            };
            let mut set = asked(list[0].0);
            let mut naive: Vec<bool> = (0..12).map(|x: i128| satisfies(list[0].0.0, x.cmp(&list[0].0.1))).collect();
            for ((operator, n), union) in &list[1..] {
                let other = asked((*operator, *n));
                set = if *union { set.union(&other) } else { set.intersection(&other) }.expect("integers");
                for (x, held) in naive.iter_mut().enumerate() {
                    let holds = satisfies(*operator, (x as i128).cmp(n));
                    *held = if *union { *held || holds } else { *held && holds };
                }
            }
            let data = Data::Signed((0..12).collect());
            let found: Vec<bool> = (0..12).map(|row| set.holds(&data, row)).collect();
            prop_assert_eq!(&found, &naive);
            // A chunk that holds a value of the set is never pruned.
            for a in 0..12usize {
                for b in a..12 {
                    let (min, max) = (Data::Signed(vec![a as i64]), Data::Signed(vec![b as i64]));
                    if naive[a..=b].iter().any(|held| *held) {
                        prop_assert!(set.meets(&min, &max, 0));
                    }
                }
            }
        }
    }
}
