use super::dataset::Dataset;
use super::info::{ObjectInfo, object_methods};
use super::link::{Link, Links};
use super::lookup::{self, Object};
use super::named_datatype::NamedDatatype;
use crate::error::{InObject, Result, Structure};
use crate::format::btree_v2::RecordType;
use crate::format::message::link;
use crate::format::message::link_info::LinkInfo;
use crate::format::object_header::MessageType;
use crate::walk::btree_v2::Tree;
use crate::walk::each;
use crate::walk::group::Links as StoredLinks;

/// A group: named links to objects.
#[derive(Clone, Debug)]
pub struct Group {
    info: ObjectInfo,
}

object_methods!(Group);

/// A group with more links than this is not listed to find names for an error.
const FEW: u64 = 1000;

impl Group {
    pub(super) fn new(info: ObjectInfo) -> Self {
        Self { info }
    }

    /// All links, sorted by the bytes of their names, each on its own.
    ///
    /// # Errors
    /// An index or heap that cannot be read, `Limit`; a damaged link is an error of its own.
    pub fn links(&self) -> Result<Links> {
        Ok(Links::new(self, self.stored_links()?))
    }

    /// Fetches together what opening each of the children takes, and what `also` reads of each. Only for files far away, of
    /// which a loop would fetch one after the other; of others nothing is read.
    ///
    /// # Errors
    /// As [`links`](Self::links); what is wrong with a child is said when it is opened.
    pub fn fetch_children(&self, mut also: impl FnMut(&Object) -> Result<()>) -> Result<()> {
        let storage = self.file().storage();
        if !storage.source().is_far() {
            return Ok(());
        }
        storage.waiting(&mut || {
            each(self.links()?, |link| match link.and_then(|link| also(&link.open()?)) {
                Err(e) if e.is_missing() => Err(e),
                _ => Ok(()),
            })
        })
    }

    /// All links in the order in which they were made; `None` where the group does not track it.
    ///
    /// # Errors
    /// As [`links`](Self::links), and for the first damaged link.
    pub fn links_in_creation_order(&self) -> Result<Option<Vec<Link>>> {
        if self.creation_order_tracked()? { self.links()?.in_creation_order() } else { Ok(None) }
    }

    /// True where the group counts the order in which its links were made.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn creation_order_tracked(&self) -> Result<bool> {
        let run = self
            .info
            .header()
            .body(self.file().storage(), MessageType::LINK_INFO)
            .in_object(self.info.object_path())?;
        match run {
            Some(run) => {
                Ok(LinkInfo::decode(run.block()).in_object(self.info.object_path())?.maximum_creation_index.is_some())
            }
            None => Ok(false),
        }
    }

    /// The link at a path from here, itself not followed.
    ///
    /// # Errors
    /// `NotFound`, `Usage` where something on the way is no group, `Corrupt`.
    pub fn link(&self, path: impl AsRef<[u8]>) -> Result<Link> {
        lookup::link(self, path.as_ref()).map(|(group, link)| Link::new(group, link))
    }

    /// Whatever is at a path from here, in text or in bytes; a path that begins with a slash is from the root. Links on the way
    /// are followed. Names are found through the group's index, without listing it.
    ///
    /// # Errors
    /// `NotFound`; `Usage` where something on the way is no group, or links go in a circle; `Corrupt`.
    pub fn object(&self, path: impl AsRef<[u8]>) -> Result<Object> {
        lookup::object(self, path.as_ref())
    }

    /// The group at a path from here.
    ///
    /// # Errors
    /// As [`object`](Self::object); `Usage` where something else is there.
    pub fn group(&self, path: impl AsRef<[u8]>) -> Result<Self> {
        match self.object(path)? {
            Object::Group(group) => Ok(group),
            other => Err(other.is_not("group")),
        }
    }

    /// The dataset at a path from here.
    ///
    /// # Errors
    /// As [`object`](Self::object); `Usage` where something else is there.
    pub fn dataset(&self, path: impl AsRef<[u8]>) -> Result<Dataset> {
        match self.object(path)? {
            Object::Dataset(dataset) => Ok(dataset),
            other => Err(other.is_not("dataset")),
        }
    }

    /// The committed datatype at a path from here.
    ///
    /// # Errors
    /// As [`object`](Self::object); `Usage` where something else is there.
    pub fn named_datatype(&self, path: impl AsRef<[u8]>) -> Result<NamedDatatype> {
        match self.object(path)? {
            Object::NamedDatatype(datatype) => Ok(datatype),
            other => Err(other.is_not("datatype")),
        }
    }

    /// True where there is an object at a path from here.
    ///
    /// # Errors
    /// A file that breaks the format on the way.
    pub fn exists(&self, path: impl AsRef<[u8]>) -> Result<bool> {
        lookup::exists(self, path.as_ref())
    }

    /// Where the group keeps its links.
    fn stored(&self) -> Result<&StoredLinks> {
        let header = self.info.header();
        let storage = self.file().storage();
        match StoredLinks::of(storage, header)? {
            Some(links) => Ok(links),
            None => Err(header.absent(storage, Structure::SymbolTable)),
        }
    }

    fn stored_links(&self) -> Result<Vec<Result<link::Link>>> {
        let links = self.stored().in_object(self.info.object_path())?;
        links.all(self.file().storage(), self.info.header()).in_object(self.info.object_path())
    }

    pub(super) fn find_link(&self, name: &[u8]) -> Result<Option<link::Link>> {
        self.stored()?.find(self.file().storage(), self.info.header(), name)
    }

    /// All names, where there are few.
    pub(super) fn few_names(&self) -> Result<Option<Vec<String>>> {
        let storage = self.file().storage();
        let few = match self.stored()? {
            StoredLinks::Compact => true,
            StoredLinks::Old { heap, .. } => heap.heap.data_size < 32 * FEW,
            StoredLinks::Dense { info, .. } => match info.name_index {
                Some(index) => Tree::open(storage, index, &[RecordType::LINK_NAME])?.header.total_records < FEW,
                None => true,
            },
        };
        if !few || !self.file().may_suggest() {
            return Ok(None);
        }
        let names: Vec<_> = self.stored_links()?.into_iter().flatten().map(|link| link.name.to_string()).collect();
        self.file().has_suggested(names.iter().map(String::len).sum());
        Ok(Some(names))
    }
}
