use half::{bf16, f16};

use super::{Array, Bytes, Element, Lossy, Reference, Value};
use crate::bytes::Text;
#[cfg(feature = "ndarray")]
use crate::error::SelectionFault;
use crate::error::{Result, Usage};

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
