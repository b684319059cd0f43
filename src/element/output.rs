use half::{bf16, f16};

use super::{Array, Bytes, Element, Heap, Lossy, Reference, Value};
use crate::bytes::Text;
#[cfg(feature = "ndarray")]
use crate::error::SelectionFault;
use crate::error::{Result, Usage};
use crate::format::message::datatype::Datatype;

/// What a read gives: many values, or one.
pub trait Output: Sized {
    /// The type of each value.
    type Element: Element;

    /// Makes the result of values in row-major order and their shape.
    ///
    /// # Errors
    /// `Selection` or `Usage` where the shape is not that of the result.
    fn from_elements(elements: Vec<Self::Element>, shape: &[u64]) -> Result<Self>;

    /// The result for a null dataspace, which has no element and no shape: an empty `Vec` or [`Array`], `None`.
    ///
    /// # Errors
    /// `Usage` for results that must have an element or a shape.
    fn from_null() -> Result<Self> {
        Err(Usage::Null.into())
    }

    /// What gathers elements of this datatype, for a result that is not made of one value for each: it takes the place of
    /// [`from_elements`](Self::from_elements). `None`, the default, for all others.
    ///
    /// # Errors
    /// `Type` where elements of the datatype are never part of such a result.
    fn gather(datatype: &Datatype) -> Result<Option<Box<dyn Gather<Self>>>> {
        let _ = datatype;
        Ok(None)
    }
}

/// Gathers a result from the bytes of its elements, part by part.
pub trait Gather<O> {
    /// Says how many elements there will be, so that room can be made.
    fn announce(&mut self, n: u64) {
        let _ = n;
    }

    /// Takes in `n` elements: their bytes, one after the other.
    ///
    /// # Errors
    /// Elements that do not convert, by their numbers in this part.
    fn add(&mut self, bytes: &[u8], n: usize, heap: &dyn Heap) -> Result<()>;

    /// The result, once all elements of its shape are taken in.
    ///
    /// # Errors
    /// As [`Output::from_elements`].
    fn finish(self: Box<Self>, shape: &[u64]) -> Result<O>;
}

impl<T: Element> Output for Vec<T> {
    type Element = T;

    fn from_elements(elements: Self, _: &[u64]) -> Result<Self> {
        Ok(elements)
    }

    fn from_null() -> Result<Self> {
        Ok(Self::new())
    }
}

impl Output for Array {
    type Element = Value;

    fn from_elements(values: Vec<Value>, shape: &[u64]) -> Result<Self> {
        Ok(Self { shape: shape.to_vec(), values })
    }

    fn from_null() -> Result<Self> {
        Ok(Self { shape: vec![0], values: Vec::new() })
    }
}

macro_rules! scalars {
    ($($t:ty)*) => {$(
        impl Output for $t {
            type Element = Self;

            fn from_elements(elements: Vec<Self>, _: &[u64]) -> Result<Self> {
                one(elements)
            }
        }
    )*};
}

scalars! {
    u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 bool f64 f32 f16 bf16
    Lossy<f64> Lossy<f32> Lossy<f16> Lossy<bf16>
    String Text Bytes Reference Value
}

impl<T: Element> Output for Option<T> {
    type Element = Self;

    fn from_elements(elements: Vec<Self>, _: &[u64]) -> Result<Self> {
        one(elements)
    }

    fn from_null() -> Result<Self> {
        Ok(None)
    }
}

impl<T: Element, const N: usize> Output for [T; N] {
    type Element = Self;

    fn from_elements(elements: Vec<Self>, _: &[u64]) -> Result<Self> {
        one(elements)
    }
}

/// The only one of some values.
///
/// # Errors
/// `Usage` where there are more, or none.
pub fn one<T>(elements: Vec<T>) -> Result<T> {
    let n = elements.len() as u64;
    let mut elements = elements.into_iter();
    match (elements.next(), n) {
        (Some(element), 1) => Ok(element),
        _ => Err(Usage::NotScalar(n).into()),
    }
}

#[cfg(feature = "ndarray")]
impl<T: Element, D: ndarray::Dimension> Output for ndarray::Array<T, D> {
    type Element = T;

    fn from_elements(elements: Vec<T>, shape: &[u64]) -> Result<Self> {
        // The shape multiplies to the number of values, which is in memory.
        let dims: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
        let array = ndarray::ArrayD::from_shape_vec(dims, elements);
        let array = array.ok().and_then(|array| array.into_dimensionality::<D>().ok());
        array.ok_or_else(|| {
            SelectionFault::ResultRank { wanted: D::NDIM.unwrap_or(shape.len()), rank: shape.len() }.into()
        })
    }
}
