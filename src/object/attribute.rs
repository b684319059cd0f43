use std::fmt;
use std::sync::Arc;

use super::heap::FileHeap;
use super::info::ObjectInfo;
use crate::bytes::Text;
use crate::element::{Element, Output};
use crate::error::{Error, Fault, InObject, Result, Structure};
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::Datatype;
use crate::order::sort_by;
use crate::walk;
use crate::walk::attributes::{Found, Parts};

/// A small named array that belongs to an object.
#[derive(Clone)]
pub struct Attribute {
    owner: ObjectInfo,
    found: Found,
}

/// The attributes of an object, one after the other; a damaged one is an error and does not hide the rest.
#[derive(Debug)]
pub struct Attributes(std::vec::IntoIter<Result<Attribute>>);

impl Attributes {
    pub(super) fn new(owner: &ObjectInfo, found: Vec<Result<Found>>) -> Self {
        let mut attributes: Vec<_> = found
            .into_iter()
            .map(|found| found.map(|f| Attribute::new(owner.clone(), f)).in_object(owner.object_path()))
            .collect();
        // Damaged ones, whose names are not known, come last.
        sort_by(&mut attributes, |a, b| match (a, b) {
            (Ok(a), Ok(b)) => a.name().cmp(b.name()),
            (a, b) => a.is_err().cmp(&b.is_err()),
        });
        Self(attributes.into_iter())
    }

    /// The attributes in the order in which they were made; `None` where the object does not track it.
    ///
    /// # Errors
    /// The first damaged attribute.
    pub fn in_creation_order(self) -> Result<Option<Vec<Attribute>>> {
        let mut attributes = self.0.collect::<Result<Vec<_>>>()?;
        if attributes.iter().any(|attribute| attribute.creation_order().is_none()) {
            return Ok(None);
        }
        attributes.sort_by_key(Attribute::creation_order);
        Ok(Some(attributes))
    }
}

impl Iterator for Attributes {
    type Item = Result<Attribute>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Attributes {}

impl Attribute {
    pub(super) fn new(owner: ObjectInfo, found: Found) -> Self {
        Self { owner, found }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &Text {
        &self.found.name
    }

    /// Number of the attribute in the order in which the object's attributes were made, where it is tracked.
    #[must_use]
    pub fn creation_order(&self) -> Option<u32> {
        self.found.creation_order
    }

    /// The object the attribute belongs to.
    #[must_use]
    pub fn owner(&self) -> &ObjectInfo {
        &self.owner
    }

    /// The datatype of its elements.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn datatype(&self) -> Result<Datatype> {
        let storage = self.owner.file().storage();
        let parts = self.found.parts(storage).map_err(|e| self.named(e))?;
        let datatype = walk::datatype(storage, parts.datatype.block()).map_err(|e| self.named(e))?;
        Ok(Arc::unwrap_or_clone(datatype))
    }

    /// Elements of each dimension, slowest first; empty for a scalar and for a null dataspace.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn shape(&self) -> Result<Vec<u64>> {
        Ok(self.dataspace()?.dims)
    }

    /// Its dataspace, which tells a scalar from a null one.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn dataspace(&self) -> Result<Dataspace> {
        let parts = self.found.parts(self.owner.file().storage()).map_err(|e| self.named(e))?;
        Dataspace::decode(parts.dataspace.block()).map_err(|e| self.named(e.into()))
    }

    /// The bytes of all elements in the file's datatype, row-major.
    ///
    /// # Errors
    /// `Corrupt`, `Limit`.
    pub fn read_bytes(&self) -> Result<Vec<u8>> {
        let read = || {
            let (parts, datatype, dataspace) = self.decode()?;
            Self::bytes(&parts, &datatype, &dataspace).map(<[u8]>::to_vec)
        };
        read().map_err(|e| self.named(e))
    }

    fn decode(&self) -> Result<(Parts<'_>, Arc<Datatype>, Dataspace)> {
        let storage = self.owner.file().storage();
        let parts = self.found.parts(storage)?;
        let datatype = walk::datatype(storage, parts.datatype.block())?;
        let dataspace = Dataspace::decode(parts.dataspace.block())?;
        Ok((parts, datatype, dataspace))
    }

    /// The bytes of all elements.
    fn bytes<'p>(parts: &Parts<'p>, datatype: &Datatype, dataspace: &Dataspace) -> Result<&'p [u8]> {
        let elements = dataspace.elements().unwrap_or(u64::MAX);
        let length = elements.saturating_mul(datatype.size.into());
        let bytes = usize::try_from(length).ok().and_then(|length| parts.data.bytes().get(..length));
        match bytes {
            Some(bytes) => Ok(bytes),
            None => {
                let needed = length - parts.data.bytes().len() as u64;
                Err(parts.data.corrupt(Structure::Attribute, "data", Fault::Truncated { needed }).into())
            }
        }
    }

    /// The value: `Vec<T>`, a scalar, an `ndarray` array, or an [`Array`](crate::element::Array) of anything. A null
    /// dataspace gives an empty `Vec` or `Array`, or `None`.
    ///
    /// # Errors
    /// `Type` where the elements do not convert; `Usage` where the result is one value and there are more,
    /// or none; `Corrupt`.
    pub fn read<O: Output>(&self) -> Result<O> {
        self.convert().map_err(|e| self.named(e))
    }

    fn convert<O: Output>(&self) -> Result<O> {
        let (parts, datatype, dataspace) = self.decode()?;
        if dataspace.is_null() {
            return O::from_null();
        }
        if let Some(mut gather) = O::gather(&datatype)? {
            let bytes = Self::bytes(&parts, &datatype, &dataspace)?;
            let elements = dataspace.elements().unwrap_or(0) as usize;
            gather.add(bytes, elements, &FileHeap::new(self.owner.file().storage()))?;
            return gather.finish(&dataspace.dims);
        }
        let decode = O::Element::decoder(&datatype)?;
        let bytes = Self::bytes(&parts, &datatype, &dataspace)?;
        let elements = dataspace.elements().unwrap_or(0) as usize;
        let mut values = O::Element::empty_vec(elements)?;
        decode(bytes, &FileHeap::new(self.owner.file().storage()), &mut values)?;
        O::from_elements(values, &dataspace.dims)
    }

    fn named(&self, error: Error) -> Error {
        error.in_object(&format!("{}@{}", self.owner.path(), self.name()))
    }
}

impl fmt::Debug for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.owner.path(), self.name())
    }
}
