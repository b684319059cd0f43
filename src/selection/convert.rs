use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use super::{Blocks, Hyperslab, Mask, Points, Selection};

/// What is selected along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    pub(super) start: u64,
    /// Exclusive; `None` for the dimension's end.
    pub(super) end: Option<u64>,
    pub(super) step: u64,
    /// A single index, whose dimension does not show in the result.
    pub(super) index: bool,
}

impl Slice {
    /// The whole dimension.
    pub const ALL: Self = Self { start: 0, end: None, step: 1, index: false };

    /// The same with every `step`-th element only.
    #[must_use]
    pub fn step(self, step: u64) -> Self {
        Self { step, ..self }
    }
}

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Self {
        Self::ALL
    }
}

/// Positions as `u64`; a negative one is past every end, and so an error when it is used.
trait Position: Copy {
    fn position(self) -> u64;
}

macro_rules! positions {
    ($($t:ty)*) => {$(
        impl Position for $t {
            fn position(self) -> u64 {
                u64::try_from(self).unwrap_or(u64::MAX)
            }
        }

        impl From<$t> for Slice {
            fn from(index: $t) -> Self {
                let start = index.position();
                Self { start, end: Some(start.saturating_add(1)), step: 1, index: true }
            }
        }

        impl From<$t> for Selection {
            fn from(index: $t) -> Self {
                Self::Slices(vec![index.into()])
            }
        }

        positions!(@ranges $t, Range<$t> |r| r.start.position(), Some(r.end.position()));
        positions!(@ranges $t, RangeFrom<$t> |r| r.start.position(), None);
        positions!(@ranges $t, RangeTo<$t> |r| 0, Some(r.end.position()));
        positions!(@ranges $t, RangeInclusive<$t> |r| r.start().position(), Some(r.end().position().saturating_add(1)));
        positions!(@ranges $t, RangeToInclusive<$t> |r| 0, Some(r.end.position().saturating_add(1)));
    )*};
    (@ranges $t:ty, $range:ty |$r:ident| $start:expr, $end:expr) => {
        impl From<$range> for Slice {
            fn from($r: $range) -> Self {
                Self { start: $start, end: $end, step: 1, index: false }
            }
        }

        impl From<$range> for Selection {
            fn from(range: $range) -> Self {
                Self::Slices(vec![range.into()])
            }
        }
    };
}

positions!(i32 u32 i64 u64 usize);

impl From<RangeFull> for Selection {
    fn from(_: RangeFull) -> Self {
        Self::All
    }
}

impl From<Slice> for Selection {
    fn from(slice: Slice) -> Self {
        Self::Slices(vec![slice])
    }
}

impl From<Vec<Slice>> for Selection {
    fn from(slices: Vec<Slice>) -> Self {
        Self::Slices(slices)
    }
}

impl From<&Selection> for Selection {
    fn from(selection: &Selection) -> Self {
        selection.clone()
    }
}

impl From<Hyperslab> for Selection {
    fn from(hyperslab: Hyperslab) -> Self {
        Self::Hyperslab(hyperslab)
    }
}

impl From<Points> for Selection {
    fn from(points: Points) -> Self {
        Self::Points(points)
    }
}

impl From<Mask> for Selection {
    fn from(mask: Mask) -> Self {
        Self::Mask(mask)
    }
}

impl From<Blocks> for Selection {
    fn from(blocks: Blocks) -> Self {
        Self::Blocks(blocks)
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: Into<Slice>),+> From<($($name,)+)> for Selection {
            #[allow(non_snake_case)]
            fn from(($($name,)+): ($($name,)+)) -> Self {
                Self::Slices(vec![$($name.into()),+])
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}
