//! The canonical digest: what a file holds, whatever way it is stored.
//!
//! One line of JSON for each object and link, the walk from the root following hard links only, children
//! sorted by the bytes of their names. Elements are hashed with XXH3-128 over their bytes in the file's
//! datatype, padding between members left out and variable-length data in place of where it is. So two
//! files, or two programs, can be compared line by line: `docs/format-notes.md` has the details.
//!
//! ```
//! # fn main() -> h5kit::Result<()> {
//! let file = h5kit::File::open("testdata/pbmc_small.h5ad")?;
//! for line in h5kit::digest::Lines::of(&file) {
//!     println!("{}", line?);
//! }
//! # Ok(())
//! # }
//! ```

mod canonical;
pub(crate) mod json;
mod memory;

use std::collections::HashMap;

use twox_hash::XxHash3_128;

use crate::element::Heap;
use crate::error::{Cause, Error, ErrorKind, Result, Unsupported};
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::Datatype;
use crate::object::{Attribute, Dataset, File, FileHeap, Group, Link, Object, ObjectInfo, ObjectPath, Target};
use crate::selection::Resolved;

use canonical::Canonical;
use json::Json;

/// Bytes of a dataset that are hashed at once.
const BLOCK: u64 = 8 << 20;

/// Bytes of elements that are hashed of one file, where that file is small: what it can claim to hold
/// without holding it is bounded.
const MOST: u64 = 32 << 30;

/// Bytes of the lines of any file. What many objects have in common, like a committed datatype, is said of each.
const SAID: u64 = 128 << 20;

/// Bytes of lines beyond those, for each byte of the file.
const SAID_OF_EACH: u64 = 64;

/// The most that a filter makes of its input, in whole files.
const EXPANSION: u64 = 1100;

/// The lines of a file's digest.
#[derive(Debug)]
pub struct Lines {
    /// What comes next, last first.
    jobs: Vec<Job>,
    /// Paths of the objects printed so far, by the addresses of their headers.
    seen: HashMap<u64, ObjectPath>,
    /// Bytes that may still be hashed.
    budget: u64,
    /// Bytes of lines that were given, and those that may be.
    said: (u64, u64),
}

#[derive(Debug)]
enum Job {
    Root(Group),
    Link(Link),
}

impl Lines {
    /// The lines of a file.
    #[must_use]
    pub fn of(file: &File) -> Self {
        let most = MOST.min(file.limits().read_bytes);
        let length = file.source().len();
        let budget = most.saturating_add(length.saturating_mul(EXPANSION));
        let said = (0, length.saturating_mul(SAID_OF_EACH).saturating_add(SAID));
        Self { jobs: vec![Job::Root(file.root())], seen: HashMap::new(), budget, said }
    }

    /// The next line, and what comes after it. Nothing changes where it fails.
    fn line(&mut self, job: &Job) -> Result<(String, Vec<Job>)> {
        let link = match job {
            Job::Root(group) => return self.object(&Object::Group(group.clone())),
            Job::Link(link) => link,
        };
        let begin = |kind| {
            let mut json = Json::object();
            json.text("path", &link.path());
            json.text("kind", kind);
            json
        };
        let json = match link.target() {
            Target::Soft(target) => {
                let mut json = begin("softlink");
                json.text("target", &target.display());
                json
            }
            Target::External { file, path } => {
                let mut json = begin("extlink");
                json.text("file", &file.display());
                json.text("target", &path.display());
                json
            }
            Target::UserDefined { class, .. } => {
                let mut json = begin("userlink");
                json.raw("class", &class.to_string());
                json
            }
            Target::Hard(address) => {
                if let Some(target) = self.seen.get(&address) {
                    let mut json = begin("hardlink");
                    json.text("target", &target.written());
                    json
                } else {
                    match link.open() {
                        Ok(object) => return self.object(&object),
                        Err(e) if e.is_missing() => return Err(e),
                        Err(e) => {
                            let mut json = begin("error");
                            json.text("error", why(&e));
                            json
                        }
                    }
                }
            }
        };
        Ok((json.finish(), Vec::new()))
    }

    fn object(&mut self, object: &Object) -> Result<(String, Vec<Job>)> {
        let path = object.info().object_path();
        let mut json = Json::object();
        json.text("path", &path.written());
        json.text("kind", object.kind());
        let mut children = Vec::new();
        let mut fault = None;
        match object {
            Object::Group(group) => match group.fetch_children(|_| Ok(())).and_then(|()| group.links()) {
                Ok(links) => {
                    for link in links {
                        match link {
                            Ok(link) => children.push(Job::Link(link)),
                            Err(e) => fault = fault.or(Some(e)),
                        }
                    }
                }
                Err(e) if e.is_missing() => return Err(e),
                Err(e) => fault = Some(e),
            },
            Object::Dataset(dataset) => self.dataset(dataset, &mut json)?,
            Object::NamedDatatype(named) => json.raw("type", &json::datatype(named.datatype())),
        }
        if let Some(fault) = fault {
            json.text("error", why(&fault));
        }
        json.raw("attrs", &attributes(object.info())?);
        self.seen.insert(object.info().address(), path.clone());
        children.reverse();
        Ok((json.finish(), children))
    }

    fn dataset(&mut self, dataset: &Dataset, json: &mut Json) -> Result<()> {
        json.raw("type", &json::datatype(dataset.datatype()));
        json.raw("shape", &json::shape(dataset.dataspace()));
        if !dataset.shape().is_empty() {
            json.raw("maxshape", &json::max_shape(dataset));
        }
        if dataset.dataspace().is_null() {
            json.raw("xxh3", "null");
            return Ok(());
        }
        let bytes = dataset.logical_size();
        match self.hash(dataset, bytes) {
            Ok(hash) => {
                self.budget -= bytes;
                json.text("xxh3", &hash);
            }
            Err(e) if e.is_missing() => return Err(e),
            Err(e) => json.text("error", why(&e)),
        }
        Ok(())
    }

    fn hash(&self, dataset: &Dataset, bytes: u64) -> Result<String> {
        if bytes > self.budget {
            return Err(Error::limit("bytes of a digest", bytes, self.budget));
        }
        let heap = FileHeap::new(dataset.file().storage());
        let canonical = Canonical::of(dataset.datatype()).ok_or_else(revised)?;
        let mut hasher = XxHash3_128::new();
        let mut buffer: Vec<u8> = Vec::new();
        if bytes > 0 {
            for block in dataset.blocks(&Resolved::whole(dataset.shape()), BLOCK) {
                let length = usize::try_from(block.elements() * u64::from(dataset.datatype().size));
                let length = length.map_err(|_| Error::limit("read_bytes", bytes, usize::MAX as u64))?;
                if buffer.len() < length {
                    buffer = crate::element::zeroed(length)?;
                }
                dataset.read_raw(&block, &mut buffer[..length])?;
                canonical.hash(&buffer[..length], &heap, &mut hasher)?;
            }
        }
        Ok(hex(&hasher))
    }
}

impl Iterator for Lines {
    type Item = Result<String>;

    /// The next line. An error says that the source lacks ranges: once they are there the same line comes. Or it is a
    /// `Limit`: the lines would be much longer than the file, and no more come. Other faults stand in the lines.
    fn next(&mut self) -> Option<Result<String>> {
        let job = self.jobs.pop()?;
        let (said, most) = self.said;
        if said > most {
            self.jobs.clear();
            return Some(Err(Error::limit("bytes of a digest's lines", said, most)));
        }
        match self.line(&job) {
            Ok((line, children)) => {
                self.said.0 += line.len() as u64;
                self.jobs.extend(children);
                Some(Ok(line))
            }
            Err(e) => {
                self.jobs.push(job);
                Some(Err(e))
            }
        }
    }
}

fn hex(hasher: &XxHash3_128) -> String {
    format!("{:032x}", hasher.finish_128())
}

/// The error that revised references have no canonical bytes.
fn revised() -> Error {
    Cause::Type { stored: "references of HDF5 1.12".into(), wanted: "canonical bytes".into() }.into()
}

/// What a line says where elements cannot be read.
fn why(error: &Error) -> &'static str {
    match (error.kind(), error.unsupported()) {
        (_, Some(Unsupported::Filter(_) | Unsupported::FilterFeature(..))) => "unreadable",
        (ErrorKind::Unsupported | ErrorKind::Type | ErrorKind::Limit, _) => "unsupported",
        _ => "unreadable",
    }
}

fn attributes(info: &ObjectInfo) -> Result<String> {
    let mut json = Json::object();
    let attributes = match info.attributes() {
        Ok(attributes) => attributes,
        Err(e) if e.is_missing() => return Err(e),
        // The index or heap is damaged: how many there are is not known.
        Err(e) => {
            let mut one = Json::object();
            one.text("error", why(&e));
            json.raw("#0", &one.finish());
            return Ok(json.finish());
        }
    };
    let mut missing = None;
    // Many attributes of one large committed datatype say much, and are few bytes. There are copies of what they say.
    let allowed = (info.file().limits().metadata_bytes / 4).saturating_add(info.file().source().len());
    for (i, attribute) in attributes.enumerate() {
        if json.length() > allowed {
            json.text("error", why(&Error::limit("metadata_bytes", json.length(), allowed)));
            break;
        }
        match attribute {
            Ok(attribute) => match describe(&attribute) {
                Ok(text) => json.raw(&attribute.name().display(), &text),
                Err(e) => missing = Some(e),
            },
            Err(e) => {
                let mut one = Json::object();
                one.text("error", why(&e));
                json.raw(&format!("#{i}"), &one.finish());
            }
        }
    }
    missing.map_or_else(|| Ok(json.finish()), Err)
}

fn describe(attribute: &Attribute) -> Result<String> {
    let mut json = Json::object();
    let mut describe = || {
        let datatype = attribute.datatype()?;
        json.raw("type", &json::datatype(&datatype));
        let dataspace = attribute.dataspace()?;
        json.raw("shape", &json::shape(&dataspace));
        hash_attribute(attribute, &datatype, &dataspace)
    };
    match describe() {
        Ok(Some(hash)) => json.text("xxh3", &hash),
        Ok(None) => json.raw("xxh3", "null"),
        Err(e) if e.is_missing() => return Err(e),
        Err(e) => json.text("error", why(&e)),
    }
    Ok(json.finish())
}

fn hash_attribute(attribute: &Attribute, datatype: &Datatype, dataspace: &Dataspace) -> Result<Option<String>> {
    if dataspace.is_null() {
        return Ok(None);
    }
    let heap = FileHeap::new(attribute.owner().file().storage());
    let canonical = Canonical::of(datatype).ok_or_else(revised)?;
    let mut hasher = XxHash3_128::new();
    canonical.hash(&attribute.read_bytes()?, &heap as &dyn Heap, &mut hasher)?;
    Ok(Some(hex(&hasher)))
}

#[cfg(test)]
#[test]
fn lines_much_longer_than_the_file_end() {
    let file = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/files/committed_by_many.h5")).expect("a file");
    let all: Vec<String> = Lines::of(&file).collect::<Result<_>>().expect("lines");
    let mut few = Lines::of(&file);
    few.said.1 = all[0].len() as u64;
    assert_eq!(few.by_ref().map_while(Result::ok).collect::<Vec<_>>(), all[..2]);
    assert!(few.next().is_none(), "nothing comes after the error");
}
