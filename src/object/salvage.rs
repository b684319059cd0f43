//! What is still there of a damaged file.

use std::sync::Arc;

use super::file::File;
use super::lookup::Object;
use super::open::Options;
use super::path::ObjectPath;
use crate::error::{Error, InObject, Result};
use crate::source::Source;
use crate::walk::object::ObjectHeader;
use crate::walk::salvage::{self, Kind, Named, Root};
use crate::walk::{OpenFile, salvage::Damage};

/// A damaged file, and what is still there of it.
///
/// ```
/// # fn main() -> h5kit::Result<()> {
/// let mut bytes = std::fs::read("testdata/pbmc_small.h5ad").unwrap();
/// bytes[..8].fill(0);                                      // no signature: it does not open
/// let salvage = h5kit::Options::new().salvage_source(std::sync::Arc::new(h5kit::source::Memory::new(bytes)))?;
/// let genes = salvage.objects().iter().find(|object| object.path == "/var/_index").unwrap();
/// if let h5kit::Object::Dataset(genes) = salvage.open(genes)? {
///     assert_eq!(genes.read::<Vec<String>>(..)?.len(), 50);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Salvage {
    file: File,
    superblock: bool,
    root: SalvagedRoot,
    objects: Vec<Salvaged>,
    lost: Vec<Lost>,
}

/// Which group the paths begin at.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SalvagedRoot {
    /// The one that the superblock names, by the address of its header.
    Stored(u64),
    /// The one that most of what was found is below, as nothing else says which it is.
    Guessed(u64),
    /// None: no group was found that could be the root.
    Lost,
}

/// An object that is still there.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// Its path from the root; `unlinked/0xADDRESS`, and what is below that, where no path leads there from the root.
    pub path: String,
    /// True where the path begins at the root.
    pub from_root: bool,
    /// Address of the object header, in bytes from the base address; of a group whose header is lost, some address of
    /// the group.
    pub address: u64,
    /// `group`, `dataset` or `datatype`; `None` for a group whose header is lost, and whose links alone were found.
    pub kind: Option<&'static str>,
}

/// Something that is lost.
#[derive(Debug)]
pub struct Lost {
    /// The path of the object, where it is known.
    pub path: Option<String>,
    /// Address of its header, in bytes from the base address; `None` where it concerns the whole file.
    pub address: Option<u64>,
    /// Why.
    pub error: Error,
}

impl Salvage {
    pub(super) fn of(source: &Arc<dyn Source>, options: Options) -> Result<Self> {
        let found = salvage::salvage(source, options.most())?;
        let storage = &found.frame.storage;
        let root = match found.root {
            Root::Stored(address) | Root::Guessed(address) => ObjectHeader::read(storage, address).ok(),
            Root::Lost => None,
        };
        let root = root.unwrap_or_else(|| ObjectHeader::nothing(storage));
        Ok(Self {
            file: File::new(OpenFile { frame: found.frame, root }, options),
            superblock: found.superblock,
            root: found.root.into(),
            objects: found.objects.into_iter().map(Salvaged::from).collect(),
            lost: found.damage.into_iter().map(Lost::from).collect(),
        })
    }

    /// The file. Its root group is without a link where no header of a root was found.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// True where the file's own superblock says how it is read; else that was found out.
    #[must_use]
    pub fn has_superblock(&self) -> bool {
        self.superblock
    }

    /// The group at which paths begin.
    #[must_use]
    pub fn root(&self) -> SalvagedRoot {
        self.root
    }

    /// What is still there: objects from the root first, level by level, and then those that no path from there leads to.
    #[must_use]
    pub fn objects(&self) -> &[Salvaged] {
        &self.objects
    }

    /// What is known to be lost.
    #[must_use]
    pub fn lost(&self) -> &[Lost] {
        &self.lost
    }

    /// Opens an object.
    ///
    /// # Errors
    /// `Corrupt`, `Unsupported`; `NotFound` for a group whose header is lost.
    pub fn open(&self, object: &Salvaged) -> Result<Object> {
        if object.kind.is_none() {
            return Err(Error::not_found("object header", object.path.clone(), Vec::new()));
        }
        let path = ObjectPath::new(&object.path);
        Object::at(&self.file, crate::bytes::Addr(object.address), path.clone()).in_object(&path)
    }
}

impl From<Root> for SalvagedRoot {
    fn from(root: Root) -> Self {
        match root {
            Root::Stored(address) => Self::Stored(address.0),
            Root::Guessed(address) => Self::Guessed(address.0),
            Root::Lost => Self::Lost,
        }
    }
}

impl From<Named> for Salvaged {
    fn from(named: Named) -> Self {
        let kind = named.kind.map(|kind| match kind {
            Kind::Group => "group",
            Kind::Dataset => "dataset",
            Kind::Datatype => "datatype",
        });
        Self { path: named.path, from_root: named.from_root, address: named.address.0, kind }
    }
}

impl From<Damage> for Lost {
    fn from(damage: Damage) -> Self {
        Self { path: damage.path, address: damage.address.map(|address| address.0), error: damage.error }
    }
}
