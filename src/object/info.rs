use std::fmt;
use std::sync::Arc;

use super::attribute::{Attribute, Attributes};
use super::file::File;
use super::lookup;
use super::path::ObjectPath;
use crate::bytes::{Addr, Text};
use crate::error::{Error, InObject, Result};
use crate::format::message::modification_time::{ModificationTime, ModificationTimeOld};
use crate::format::message::{comment, reference_count};
use crate::format::object_header::{MessageType, Prefix, Times};
use crate::walk::attributes;
use crate::walk::object::ObjectHeader;

/// What every object has: a header, attributes, perhaps a comment and times.
#[derive(Clone)]
pub struct ObjectInfo {
    file: File,
    header: Arc<ObjectHeader>,
    path: ObjectPath,
}

impl ObjectInfo {
    pub(super) fn new(file: File, header: Arc<ObjectHeader>, path: ObjectPath) -> Self {
        Self { file, header, path }
    }

    /// The file the object is in.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// How the object was found: its path from the root.
    #[must_use]
    pub fn path(&self) -> &str {
        self.path.as_str()
    }

    /// The same path as a value of its own, which takes little room however long it is.
    #[must_use]
    pub fn object_path(&self) -> &ObjectPath {
        &self.path
    }

    /// Address of the object header, in bytes from the base address. Two paths lead to one object where
    /// file and address are the same.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.header.address.0
    }

    /// Position of the object header in the file, in bytes.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.file.storage().position(self.header.address)
    }

    /// The attributes, sorted by the bytes of their names.
    ///
    /// # Errors
    /// An index or heap that cannot be read; a damaged attribute is an error of its own.
    pub fn attributes(&self) -> Result<Attributes> {
        let found = attributes::all(self.file.storage(), &self.header).in_object(&self.path)?;
        Ok(Attributes::new(self, found))
    }

    /// The attribute of a name.
    ///
    /// # Errors
    /// `NotFound`, `Corrupt`.
    pub fn attribute(&self, name: &str) -> Result<Attribute> {
        let found = attributes::find(self.file.storage(), &self.header, name.as_bytes()).in_object(&self.path)?;
        match found {
            Some(found) => Ok(Attribute::new(self.clone(), found)),
            None => {
                let names = self.attributes()?.flatten().map(|a| a.name().to_string()).collect();
                Err(Error::not_found("attribute", name, lookup::nearest(name, names)).in_object(self.path()))
            }
        }
    }

    /// True where there is an attribute of this name.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn has_attribute(&self, name: &str) -> Result<bool> {
        let found = attributes::find(self.file.storage(), &self.header, name.as_bytes()).in_object(&self.path)?;
        Ok(found.is_some())
    }

    /// The comment.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn comment(&self) -> Result<Option<Text>> {
        match self.header.body(self.file.storage(), MessageType::COMMENT).in_object(&self.path)? {
            Some(run) => Ok(Some(comment::decode(run.block()).in_object(&self.path)?)),
            None => Ok(None),
        }
    }

    /// When the object was last modified, in seconds since 1970 (UTC), where it says so.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn modified(&self) -> Result<Option<i64>> {
        let storage = self.file.storage();
        if let Some(times) = self.times() {
            return Ok(Some(times.modification.into()));
        }
        if let Some(run) = self.header.body(storage, MessageType::MODIFICATION_TIME).in_object(&self.path)? {
            let time = ModificationTime::decode(run.block()).in_object(&self.path)?;
            return Ok(Some(time.seconds.into()));
        }
        match self.header.body(storage, MessageType::MODIFICATION_TIME_OLD).in_object(&self.path)? {
            Some(run) => Ok(ModificationTimeOld::decode(run.block()).in_object(&self.path)?.seconds()),
            None => Ok(None),
        }
    }

    /// All four times of the object, in seconds since 1970 (UTC), where its header stores them.
    #[must_use]
    pub fn times(&self) -> Option<Times> {
        match &self.header.prefix {
            Prefix::V1(_) => None,
            Prefix::V2(prefix) => prefix.times,
        }
    }

    /// Hard links to the object, as its header counts them.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn reference_count(&self) -> Result<u32> {
        match &self.header.prefix {
            Prefix::V1(prefix) => Ok(prefix.reference_count),
            Prefix::V2(_) => match self.header.body(self.file.storage(), MessageType::REFERENCE_COUNT)? {
                Some(run) => Ok(reference_count::decode(run.block()).in_object(&self.path)?),
                None => Ok(1),
            },
        }
    }

    /// Version of the object header: 1 or 2.
    #[must_use]
    pub fn header_version(&self) -> u8 {
        self.header.prefix.version()
    }

    /// True where the object counts the order in which its attributes were made.
    #[must_use]
    pub fn attribute_order_tracked(&self) -> bool {
        self.header.prefix.creation_order_tracked()
    }

    /// The same object with its header as it is now.
    pub(super) fn again(&self) -> Result<Self> {
        let header = ObjectHeader::read(self.file.storage(), self.header.address)?;
        Ok(Self::new(self.file.clone(), header, self.path.clone()))
    }

    pub(crate) fn header(&self) -> &ObjectHeader {
        &self.header
    }

    pub(super) fn shared_header(&self) -> Arc<ObjectHeader> {
        self.header.clone()
    }

    pub(super) fn address_raw(&self) -> Addr {
        self.header.address
    }
}

impl fmt::Debug for ObjectInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (object header at {})", self.path, self.header.address)
    }
}

/// What the kinds of objects share, on each of them.
macro_rules! object_methods {
    ($t:ty) => {
        impl $t {
            /// What all objects have.
            #[must_use]
            pub fn info(&self) -> &$crate::object::ObjectInfo {
                &self.info
            }

            /// The file the object is in.
            #[must_use]
            pub fn file(&self) -> &$crate::File {
                self.info.file()
            }

            /// How the object was found: its path from the root.
            #[must_use]
            pub fn path(&self) -> &str {
                self.info.path()
            }

            /// The attributes, sorted by the bytes of their names.
            ///
            /// # Errors
            /// An index or heap that cannot be read; a damaged attribute is an error of its own.
            pub fn attributes(&self) -> $crate::Result<$crate::object::Attributes> {
                self.info.attributes()
            }

            /// The attribute of a name.
            ///
            /// # Errors
            /// `NotFound`, `Corrupt`.
            pub fn attribute(&self, name: &str) -> $crate::Result<$crate::Attribute> {
                self.info.attribute(name)
            }
        }
    };
}
pub(super) use object_methods;
