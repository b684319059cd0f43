use super::{Decoder, Element, Heap};
use crate::error::{Cause, Error, Result};
use crate::format::message::datatype::{Class, Datatype};

/// Decodes one member of compound elements.
pub struct Column<T> {
    decode: Decoder<T>,
    offset: usize,
    size: usize,
    element: usize,
    /// Its bytes are those of a value in memory.
    native: bool,
}

/// A decoder of the member `name` of a compound datatype.
///
/// # Errors
/// `NotFound` where the compound has no such member, `Type` where it is no compound or the member is no `T`.
pub fn member<T: Element>(datatype: &Datatype, name: &str) -> Result<Column<T>> {
    let Class::Compound { members } = &datatype.class else {
        return Err(Cause::Type { stored: datatype.to_string(), wanted: "a compound".to_owned() }.into());
    };
    let Some(member) = members.iter().find(|m| m.name == *name) else {
        let names = members.iter().map(|m| m.name.to_string()).collect();
        return Err(Error::not_found("member", name, names));
    };
    Ok(Column {
        decode: T::decoder(&member.datatype)?,
        offset: member.offset as usize,
        size: member.datatype.size as usize,
        element: datatype.size as usize,
        native: T::native_bytes(&member.datatype, &mut []).is_some(),
    })
}

impl<T: Element> Column<T> {
    /// The member of each element in `bytes`.
    ///
    /// # Errors
    /// As the decoder of `T`.
    pub fn decode(&self, bytes: &[u8], heap: &dyn Heap) -> Result<Vec<T>> {
        let mut values = T::empty_vec(bytes.len() / self.element)?;
        (self.decode)(&self.packed(bytes), heap, &mut values)?;
        Ok(values)
    }

    /// Gives the member of each element in `bytes` to `set`, with the value of `values` that it belongs to.
    ///
    /// # Errors
    /// As the decoder of `T`.
    pub fn fill<V>(&self, bytes: &[u8], heap: &dyn Heap, values: &mut [V], set: impl Fn(&mut V, T)) -> Result<()> {
        if !self.native {
            values.iter_mut().zip(self.decode(bytes, heap)?).for_each(|(value, part)| set(value, part));
            return Ok(());
        }
        for (element, value) in bytes.chunks_exact(self.element).zip(values) {
            let member = element.get(self.offset..).and_then(|rest| rest.get(..size_of::<T>()));
            if let Some(part) = member.and_then(T::from_memory) {
                set(value, part);
            }
        }
        Ok(())
    }

    /// The bytes of the member of each element, one after the other.
    pub(crate) fn packed(&self, bytes: &[u8]) -> Vec<u8> {
        match self.size {
            1 => self.packed_as::<1>(bytes),
            2 => self.packed_as::<2>(bytes),
            4 => self.packed_as::<4>(bytes),
            8 => self.packed_as::<8>(bytes),
            16 => self.packed_as::<16>(bytes),
            _ => {
                let mut packed = Vec::with_capacity(bytes.len() / self.element * self.size);
                for element in bytes.chunks_exact(self.element) {
                    packed.extend_from_slice(&element[self.offset..self.offset + self.size]);
                }
                packed
            }
        }
    }

    /// The same for a member of a size that is known when this is compiled.
    fn packed_as<const N: usize>(&self, bytes: &[u8]) -> Vec<u8> {
        let mut packed = vec![0; bytes.len() / self.element * N];
        let (places, _) = packed.as_chunks_mut::<N>();
        for (element, place) in bytes.chunks_exact(self.element).zip(places) {
            if let Some(member) = element.get(self.offset..).and_then(|rest| rest.first_chunk()) {
                *place = *member;
            }
        }
        packed
    }
}

/// Elements whose members are decoded one after the other, so that what is written again is still near.
const PART: usize = 1024;

/// Decodes the elements of `bytes` into as many values, part by part, for decoders that go through them more than once.
///
/// # Errors
/// What `decode` says of a part, with the number that the element has in the whole.
pub fn in_parts<T>(
    bytes: &[u8],
    values: &mut [T],
    mut decode: impl FnMut(&[u8], &mut [T]) -> Result<()>,
) -> Result<()> {
    let size = bytes.len().checked_div(values.len()).unwrap_or(0).max(1);
    let parts = bytes.chunks(size * PART).zip(values.chunks_mut(PART));
    let mut missing = None;
    for (i, (bytes, values)) in parts.enumerate() {
        match decode(bytes, values) {
            Err(e) if e.is_missing() => missing = Some(e),
            Err(e) if missing.is_none() => return Err(e.shifted_by((i * PART) as u64)),
            _ => {}
        }
    }
    missing.map_or(Ok(()), Err)
}

/// Declares a struct whose fields are members of a compound datatype.
///
/// Fields are found by name; `= "name"` names a member that is called otherwise. The compound may have
/// more members, in any order and of any numeric type that converts.
///
/// ```
/// h5kit::compound! {
///     /// One measurement.
///     #[derive(Debug, Clone, PartialEq)]
///     pub struct Measurement {
///         /// When.
///         pub time: f64,
///         /// How hot.
///         pub celsius: f32 = "temperature (°C)",
///     }
/// }
/// # fn read(dataset: &h5kit::Dataset) -> h5kit::Result<()> {
/// let measurements: Vec<Measurement> = dataset.read(..)?;
/// # drop(measurements);
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! compound {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident : $t:ty $(= $member:literal)?),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $t),+
        }

        impl $crate::element::Element for $name {
            fn type_name() -> String {
                stringify!($name).to_owned()
            }

            fn empty() -> Self {
                Self { $($field: <$t as $crate::element::Element>::empty()),+ }
            }

            fn decoder(datatype: &$crate::Datatype) -> $crate::Result<$crate::element::Decoder<Self>> {
                $(let $field = $crate::element::member::<$t>(
                    datatype,
                    $crate::compound!(@name $field $($member)?),
                )?;)+
                Ok(Box::new(move |bytes, heap, values| {
                    $crate::element::in_parts(bytes, values, |bytes, values| {
                        $($field.fill(bytes, heap, values, |value, part| value.$field = part)?;)+
                        Ok(())
                    })
                }))
            }
        }

        $crate::compound!(@output $name);
    };
    (@output $name:ident) => {
        impl $crate::element::Output for $name {
            type Element = Self;

            fn from_elements(elements: Vec<Self>, _: &[u64]) -> $crate::Result<Self> {
                $crate::element::one(elements)
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $member:literal) => { $member };
}
