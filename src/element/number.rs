use half::{bf16, f16};

use super::fixed_point::{FixedPointReader, Integer};
use super::floating_point::{FloatingPointReader, Wide};
use super::{Decoder, Element, mismatch, out_of_memory, unfit, zeroed};
use crate::error::Result;
use crate::format::message::datatype::{Bits, ByteOrder, Class, Datatype, FixedPoint};

/// A number that is rounded to the nearest one of its type where it does not fit exactly.
///
/// For those who want `f32` values of `f64` data and know what they do.
///
/// ```
/// # fn main() -> h5kit::Result<()> {
/// # let file = h5kit::File::open("testdata/pbmc_small.h5ad")?;
/// # let dataset = file.dataset("/obs/n_counts").or_else(|_| file.dataset("/X/data"))?;
/// use h5kit::element::Lossy;
/// let rounded: Vec<Lossy<f32>> = dataset.read(..)?;
/// let sum: f32 = rounded.iter().map(|x| x.0).sum();
/// # assert!(sum.is_finite());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
#[repr(transparent)]
pub struct Lossy<T>(pub T);

/// What numbers convert from; `None` where the value does not fit.
pub(super) trait Number: Copy + Default + Send + Sync + 'static {
    const NAME: &'static str;
    /// Values are rounded.
    const ROUNDS: bool = false;
    /// Those of up to 32 bits have a way of their own: most fit without a question.
    fn from_i32(n: i32) -> Option<Self>;
    fn from_u32(n: u32) -> Option<Self>;
    fn from_i64(n: i64) -> Option<Self>;
    fn from_u64(n: u64) -> Option<Self>;
    fn from_integer(n: Integer) -> Option<Self>;
    fn from_float(n: f64) -> Option<Self>;
    /// True where an element of this kind has the bytes of a value.
    fn is_native(native: Native) -> bool;
    fn bytes(values: &mut [Self]) -> Option<&mut [u8]>;
    fn from_bytes(bytes: &[u8]) -> Option<&[Self]>;
    fn from_memory(bytes: &[u8]) -> Option<Self>;
    const UNTOUCHED: bool = false;
    fn zeros(n: usize) -> Result<Vec<Self>> {
        let mut values = Vec::new();
        values.try_reserve_exact(n).map_err(|_| out_of_memory::<Self>(n))?;
        values.resize(n, Self::default());
        Ok(values)
    }
}

/// An element that this machine has a type for, in this machine's byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Native {
    Signed(u32),
    Unsigned(u32),
    /// Bits of the exponent and of the mantissa.
    Ieee(u8, u8),
}

fn native(datatype: &Datatype) -> Option<Native> {
    let machine = if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big };
    let whole = |bits: &Bits| {
        bits.offset == 0
            && u64::from(bits.precision) == 8 * u64::from(datatype.size)
            && (bits.order == machine || datatype.size == 1)
    };
    match &datatype.class {
        Class::FixedPoint(FixedPoint { bits, signed }) if whole(bits) => {
            Some(if *signed { Native::Signed(datatype.size) } else { Native::Unsigned(datatype.size) })
        }
        Class::Bitfield(bits) if whole(bits) => Some(Native::Unsigned(datatype.size)),
        Class::Enumeration { base, .. } => native(base),
        Class::FloatingPoint(float) if whole(&float.bits) => {
            let layouts = [(2, 5, 10), (2, 8, 7), (4, 8, 23), (8, 11, 52)];
            let found = layouts.into_iter().find(|(size, e, m)| *size == datatype.size && float.is_ieee(*e, *m));
            found.map(|(_, exponent, mantissa)| Native::Ieee(exponent, mantissa))
        }
        _ => None,
    }
}

macro_rules! plain_memory {
    () => {
        fn bytes(values: &mut [Self]) -> Option<&mut [u8]> {
            Some(bytemuck::cast_slice_mut(values))
        }

        fn from_bytes(bytes: &[u8]) -> Option<&[Self]> {
            bytemuck::try_cast_slice(bytes).ok()
        }

        fn from_memory(bytes: &[u8]) -> Option<Self> {
            bytemuck::try_pod_read_unaligned(bytes).ok()
        }

        const UNTOUCHED: bool = true;

        fn zeros(n: usize) -> Result<Vec<Self>> {
            zeroed(n)
        }
    };
}

macro_rules! integers {
    ($($t:ident $native:ident;)*) => {$(
        impl Number for $t {
            const NAME: &'static str = stringify!($t);

            fn from_i32(n: i32) -> Option<Self> {
                n.try_into().ok()
            }

            fn from_u32(n: u32) -> Option<Self> {
                n.try_into().ok()
            }

            fn from_i64(n: i64) -> Option<Self> {
                n.try_into().ok()
            }

            fn from_u64(n: u64) -> Option<Self> {
                n.try_into().ok()
            }

            fn from_integer(n: Integer) -> Option<Self> {
                match n {
                    Integer::Signed(n) => n.try_into().ok(),
                    Integer::Unsigned(n) => n.try_into().ok(),
                }
            }

            #[allow(clippy::cast_lossless)]
            fn from_float(n: f64) -> Option<Self> {
                // The least number above all of the type. What is below them all, no whole number, or none at all becomes
                // another number.
                const END: f64 = ($t::MAX / 2 + 1) as f64 * 2.0;
                let whole = n as Self;
                (n < END && whole as f64 == n).then_some(whole)
            }

            fn is_native(native: Native) -> bool {
                native == Native::$native(size_of::<Self>() as u32)
            }

            plain_memory!();
        }
    )*};
}

integers! {
    u8 Unsigned;
    u16 Unsigned;
    u32 Unsigned;
    u64 Unsigned;
    u128 Unsigned;
    i8 Signed;
    i16 Signed;
    i32 Signed;
    i64 Signed;
    i128 Signed;
}

/// `$nearest` gives the value of the type that is nearest to an `f64`.
macro_rules! floats {
    ($($t:ident $exponent:literal $mantissa:literal $nearest:expr;)*) => {$(
        impl Number for $t {
            const NAME: &'static str = stringify!($t);

            fn from_i32(n: i32) -> Option<Self> {
                Self::from_float(n.into())
            }

            fn from_u32(n: u32) -> Option<Self> {
                Self::from_float(n.into())
            }

            fn from_i64(n: i64) -> Option<Self> {
                // Rounded once and then found to be exact is exact.
                const END: f64 = (1u64 << 63) as f64;
                let float = n as f64;
                if float < END && float as i64 == n { Self::from_float(float) } else { None }
            }

            fn from_u64(n: u64) -> Option<Self> {
                const END: f64 = (1u128 << 64) as f64;
                let float = n as f64;
                if float < END && float as u64 == n { Self::from_float(float) } else { None }
            }

            fn from_integer(n: Integer) -> Option<Self> {
                let (float, exact) = n.to_f64();
                if exact { Self::from_float(float) } else { None }
            }

            fn from_float(n: f64) -> Option<Self> {
                let nearest: Self = $nearest(n);
                (f64::from(nearest) == n || n.is_nan()).then_some(nearest)
            }

            fn is_native(native: Native) -> bool {
                native == Native::Ieee($exponent, $mantissa)
            }

            plain_memory!();
        }

        impl Number for Lossy<$t> {
            const NAME: &'static str = concat!(stringify!($t), ", rounded");
            const ROUNDS: bool = true;

            fn from_i32(n: i32) -> Option<Self> {
                Self::from_float(n.into())
            }

            fn from_u32(n: u32) -> Option<Self> {
                Self::from_float(n.into())
            }

            fn from_i64(n: i64) -> Option<Self> {
                Self::from_float(n as f64)
            }

            fn from_u64(n: u64) -> Option<Self> {
                Self::from_float(n as f64)
            }

            fn from_integer(n: Integer) -> Option<Self> {
                Self::from_float(n.to_f64().0)
            }

            fn from_float(n: f64) -> Option<Self> {
                Some(Self($nearest(n)))
            }

            fn is_native(_: Native) -> bool {
                false
            }

            fn bytes(_: &mut [Self]) -> Option<&mut [u8]> {
                None
            }

            fn from_bytes(_: &[u8]) -> Option<&[Self]> {
                None
            }

            fn from_memory(_: &[u8]) -> Option<Self> {
                None
            }
        }
    )*};
}

floats! {
    f64 11 52 (|n: f64| n);
    f32 8 23 (|n: f64| n as f32);
    f16 5 10 f16::from_f64;
    bf16 8 7 bf16::from_f64;
}

impl Number for bool {
    const NAME: &'static str = "bool";

    fn from_i32(n: i32) -> Option<Self> {
        Self::from_i64(n.into())
    }

    fn from_u32(n: u32) -> Option<Self> {
        Self::from_u64(n.into())
    }

    fn from_i64(n: i64) -> Option<Self> {
        match n {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn from_u64(n: u64) -> Option<Self> {
        n.try_into().ok().and_then(Self::from_i64)
    }

    fn from_integer(n: Integer) -> Option<Self> {
        i64::from_integer(n).and_then(Self::from_i64)
    }

    fn from_float(_: f64) -> Option<Self> {
        None
    }

    fn is_native(_: Native) -> bool {
        false
    }

    fn bytes(_: &mut [Self]) -> Option<&mut [u8]> {
        None
    }

    fn from_bytes(_: &[u8]) -> Option<&[Self]> {
        None
    }

    fn from_memory(_: &[u8]) -> Option<Self> {
        None
    }
}

macro_rules! elements {
    ($($t:ty)*) => {$(
        impl Element for $t {
            fn type_name() -> String {
                <Self as Number>::NAME.to_owned()
            }

            fn empty() -> Self {
                Self::default()
            }

            const UNTOUCHED: bool = <Self as Number>::UNTOUCHED;

            fn empty_vec(n: usize) -> Result<Vec<Self>> {
                Self::zeros(n)
            }

            #[inline]
            fn from_memory(bytes: &[u8]) -> Option<Self> {
                Number::from_memory(bytes)
            }

            fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
                decoder(datatype)
            }

            fn native_bytes<'v>(datatype: &Datatype, values: &'v mut [Self]) -> Option<&'v mut [u8]> {
                native(datatype).filter(|n| Self::is_native(*n)).and_then(|_| Number::bytes(values))
            }

            fn from_native_bytes<'b>(datatype: &Datatype, bytes: &'b [u8]) -> Option<&'b [Self]> {
                native(datatype).filter(|n| Self::is_native(*n)).and_then(|_| Number::from_bytes(bytes))
            }
        }
    )*};
}

elements! {
    u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 bool f64 f32 f16 bf16
    Lossy<f64> Lossy<f32> Lossy<f16> Lossy<bf16>
}

/// What is done with each element, chosen once for all of them.
fn decoder<T: Number + Element>(datatype: &Datatype) -> Result<Decoder<T>> {
    match &datatype.class {
        Class::FixedPoint(number) => fixed_point(FixedPointReader::new(datatype, number.bits, number.signed)),
        Class::Enumeration { base, .. } => decoder(base),
        Class::Bitfield(bits) => fixed_point(FixedPointReader::new(datatype, *bits, false)),
        Class::Time { order, precision } => fixed_point(FixedPointReader::time(datatype, *order, *precision)),
        Class::FloatingPoint(float) => {
            let reader = FloatingPointReader::new(datatype, *float);
            match reader {
                Some(reader) => floating_point(reader),
                None => Err(mismatch::<T>(datatype)),
            }
        }
        _ => Err(mismatch::<T>(datatype)),
    }
}

/// Elements that the machine has types for have loops of their own. The core of the JavaScript package, which has others, leaves
/// them out.
const PLAIN: bool = cfg!(any(not(feature = "wasm"), feature = "wasm-tables"));

/// A number as people read it.
pub(crate) trait Written: Copy {
    fn written(self) -> String;
}

macro_rules! written {
    ($($t:ident)*; $($float:ident)*) => {
        $(impl Written for $t {
            fn written(self) -> String {
                self.to_string()
            }
        })*
        $(impl Written for $float {
            #[cfg(not(feature = "wasm"))]
            fn written(self) -> String {
                self.to_string()
            }

            /// JavaScript has what Rust would bring to the package anew.
            #[cfg(feature = "wasm")]
            fn written(self) -> String {
                js_sys::Number::from(f64::from(self)).to_string_with_radix(10).map(String::from).unwrap_or_default()
            }
        })*
    };
}

written! { u8 u16 u32 u64 i8 i16 i32 i64; f64 f32 f16 bf16 }

/// Elements of a size that the machine has, whole and in one of its orders.
fn plain<T: Number + Element, const N: usize, S: Written>(
    read: impl Fn([u8; N]) -> S + Send + Sync + 'static,
    convert: impl Fn(S) -> Option<T> + Send + Sync + 'static,
) -> Result<Decoder<T>> {
    Ok(Box::new(move |bytes, _, values| {
        let (elements, _) = bytes.as_chunks::<N>();
        // Nothing leaves the loop in its middle, so that many elements are converted at once.
        let mut fit = true;
        for (element, value) in elements.iter().zip(values.iter_mut()) {
            let converted = convert(read(*element));
            fit &= converted.is_some();
            *value = converted.unwrap_or_default();
        }
        if fit {
            return Ok(());
        }
        let mut stored = elements.iter().map(|element| read(*element)).enumerate();
        let unfit =
            stored.find(|(_, stored)| convert(*stored).is_none()).map(|(i, stored)| unfit::<T>(i, stored.written()));
        unfit.map_or(Ok(()), Err)
    }))
}

fn fixed_point<T: Number + Element>(reader: FixedPointReader) -> Result<Decoder<T>> {
    let big = reader.bits.order == ByteOrder::Big;
    macro_rules! machine {
        ($s:ident $wide:ident $convert:expr) => {{
            let convert = |n: $s| $convert($wide::from(n));
            return if big { plain($s::from_be_bytes, convert) } else { plain($s::from_le_bytes, convert) };
        }};
    }
    if PLAIN && reader.is_whole() {
        match (reader.size, reader.signed) {
            (1, false) => machine!(u8 u32 T::from_u32),
            (2, false) => machine!(u16 u32 T::from_u32),
            (4, false) => machine!(u32 u32 T::from_u32),
            (8, false) => machine!(u64 u64 T::from_u64),
            (1, true) => machine!(i8 i32 T::from_i32),
            (2, true) => machine!(i16 i32 T::from_i32),
            (4, true) => machine!(i32 i32 T::from_i32),
            (8, true) => machine!(i64 i64 T::from_i64),
            _ => {}
        }
    }
    Ok(Box::new(move |bytes, _, values| {
        for (i, element, value) in super::pairs(bytes, values) {
            let stored = reader.read(element).ok_or_else(|| unfit::<T>(i, "an integer of more than 128 bits"))?;
            *value = T::from_integer(stored).ok_or_else(|| unfit::<T>(i, stored))?;
        }
        Ok(())
    }))
}

fn floating_point<T: Number + Element>(reader: FloatingPointReader) -> Result<Decoder<T>> {
    let big = reader.order() == ByteOrder::Big;
    match reader.machine().filter(|_| PLAIN) {
        Some((11, 52)) if big => return plain(f64::from_be_bytes, T::from_float),
        Some((11, 52)) => return plain(f64::from_le_bytes, T::from_float),
        Some((8, 23)) if big => return plain(f32::from_be_bytes, |n| T::from_float(n.into())),
        Some((8, 23)) => return plain(f32::from_le_bytes, |n| T::from_float(n.into())),
        Some((5, 10)) if big => return plain(f16::from_be_bytes, |n| T::from_float(n.into())),
        Some((5, 10)) => return plain(f16::from_le_bytes, |n| T::from_float(n.into())),
        Some((8, 7)) if big => return plain(bf16::from_be_bytes, |n| T::from_float(n.into())),
        Some((8, 7)) => return plain(bf16::from_le_bytes, |n| T::from_float(n.into())),
        _ => {}
    }
    Ok(Box::new(move |bytes, _, values| {
        for (i, element, value) in super::pairs(bytes, values) {
            let Wide { nearest, exact } = reader.read(element);
            let fits = if exact || T::ROUNDS { T::from_float(nearest) } else { None };
            *value = fits.ok_or_else(|| unfit::<T>(i, nearest.written()))?;
        }
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::testing::{decode, float, integer};
    use crate::error::ErrorKind;
    use proptest::prelude::*;

    proptest! {
        /// A float is an integer where 128 bits hold it without a fraction and the type has it, and an integer is a
        /// float where that is the same number.
        #[test]
        fn only_what_is_the_same_number_fits(bits: u64, near in -66_000i64..66_000, shift in 0u32..64) {
            for n in [f64::from_bits(bits), near as f64, near as f64 / 2.0, (near as f64) * (1u64 << shift) as f64] {
                let whole = (n.abs() < 1e38 && n.fract() == 0.0).then_some(n as i128);
                prop_assert_eq!(i64::from_float(n), whole.and_then(|n| n.try_into().ok()));
                prop_assert_eq!(u64::from_float(n), whole.and_then(|n| n.try_into().ok()));
                prop_assert_eq!(i16::from_float(n), whole.and_then(|n| n.try_into().ok()));
                prop_assert_eq!(u8::from_float(n), whole.and_then(|n| n.try_into().ok()));
            }
            for n in [bits as i64, near, near << shift, (1 << 53) + near, i64::MAX - near.abs()] {
                let same = |n: i64| (n as f64 as i128 == n.into()).then_some(n as f64);
                prop_assert_eq!(f64::from_i64(n), same(n));
                prop_assert_eq!(f32::from_i64(n), (n as f32 as i128 == n.into()).then_some(n as f32));
                prop_assert_eq!(f64::from_u64(n as u64), (n as u64 as f64 as u128 == (n as u64).into()).then_some(n as u64 as f64));
                prop_assert_eq!(f32::from_i32(n as i32), (n as i32 as f32 as i128 == (n as i32).into()).then_some(n as i32 as f32));
                prop_assert_eq!(u16::from_i32(n as i32), u16::try_from(n as i32).ok());
            }
        }
    }

    #[test]
    fn what_fits_is_converted() {
        assert_eq!(decode::<f64>(&integer(2, true, ByteOrder::Big), &[0xff, 0xfe, 0, 7]).expect("fits"), [-2.0, 7.0]);
        assert_eq!(decode::<u8>(&integer(4, true, ByteOrder::Little), &[200, 0, 0, 0]).expect("fits"), [200]);
        assert_eq!(decode::<i64>(&float(8, 11, 52), &(-3.0f64).to_le_bytes()).expect("fits"), [-3]);
        assert_eq!(decode::<f32>(&float(8, 11, 52), &0.5f64.to_le_bytes()).expect("fits"), [0.5]);
        assert_eq!(decode::<f64>(&float(2, 5, 10), &[0, 0x3c]).expect("fits"), [1.0]);
        assert_eq!(decode::<bool>(&integer(1, false, ByteOrder::Little), &[1, 0]).expect("fits"), [true, false]);
        assert!(decode::<f32>(&float(8, 11, 52), &f64::NAN.to_le_bytes()).expect("fits")[0].is_nan());
        assert_eq!(decode::<u128>(&integer(16, false, ByteOrder::Big), &[0xff; 16]).expect("fits"), [u128::MAX]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = decode::<u8>(&integer(2, true, ByteOrder::Little), &[1, 0, 0, 1]).expect_err("256");
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Type, "element 1: 256 does not fit u8"));
        let large = (1i64 << 53) + 1;
        assert!(decode::<f64>(&integer(8, true, ByteOrder::Little), &large.to_le_bytes()).is_err());
        assert!(decode::<f32>(&float(8, 11, 52), &0.1f64.to_le_bytes()).is_err());
        assert!(decode::<i32>(&float(8, 11, 52), &0.5f64.to_le_bytes()).is_err());
        assert!(decode::<i64>(&float(8, 11, 52), &9.3e18f64.to_le_bytes()).is_err());
        assert!(decode::<bool>(&integer(1, false, ByteOrder::Little), &[2]).is_err());
        let all = decode::<u64>(&integer(8, true, ByteOrder::Little), &(-1i64).to_le_bytes());
        assert!(all.is_err());
    }

    #[test]
    fn lossy_rounds() {
        let bytes = 0.1f64.to_le_bytes();
        assert_eq!(decode::<Lossy<f32>>(&float(8, 11, 52), &bytes).expect("rounded"), [Lossy(0.1f32)]);
        let large = (1i64 << 53) + 1;
        let datatype = integer(8, true, ByteOrder::Little);
        let rounded = decode::<Lossy<f64>>(&datatype, &large.to_le_bytes()).expect("rounded");
        assert_eq!(rounded, [Lossy(9_007_199_254_740_992.0)]);
    }

    #[test]
    fn native_memory_is_used_where_it_is_the_same() {
        let mut values = [0u32; 2];
        let same = integer(4, false, if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big });
        assert_eq!(u32::native_bytes(&same, &mut values).map(|b| b.len()), Some(8));
        assert!(i32::native_bytes(&same, &mut [0; 2]).is_none());
        assert!(
            u32::native_bytes(&integer(4, false, ByteOrder::Big), &mut values).is_none() || cfg!(target_endian = "big")
        );
    }
}
