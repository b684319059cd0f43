//! What can go wrong, and how it is told.
//!
//! [`Error::kind`] is for programs, the text of an error for people. A fault of the file says the
//! structure, the field, the position and the numbers; a path is added where an object is known.

use std::fmt;
use std::io;

mod registered_filters;
mod structure;
mod unsupported;

pub use registered_filters::{registered_filter_name, registered_filter_page};
pub use structure::Structure;
pub use unsupported::Unsupported;

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whose fault an error is, and of which sort.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The bytes are no HDF5 file.
    NotHdf5,
    /// The file breaks the format.
    Corrupt,
    /// The file is valid and this crate does not do what it asks for; see [`Unsupported`].
    Unsupported,
    /// No object, attribute, member or file of that name.
    NotFound,
    /// The value's datatype does not fit the type asked for, or a value does not fit it.
    Type,
    /// The selection does not fit the shape.
    Selection,
    /// A bound of [`Limits`](crate::Limits) was hit.
    Limit,
    /// The call was wrong.
    Usage,
    /// The operating system or the source failed.
    Io,
}

/// An error with the path of the object it concerns, where one is known.
///
/// `Debug` says the same as `Display`, so that a `main` that returns it speaks to people. Control characters that a
/// file put into a name are shown as escapes.
pub struct Error(Box<Inner>);

struct Inner {
    path: Option<String>,
    cause: Cause,
}

/// What an [`Error`] says, without the path.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// No superblock where one could be.
    #[error("not an HDF5 file: no signature at 0, 512, 1024, … up to its end ({length} bytes)")]
    NotHdf5 {
        /// Length of what was searched, in bytes.
        length: u64,
    },
    /// The file breaks the format.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    /// Valid, not done.
    #[error("{feature} (at {at:#x}) is not supported")]
    Unsupported {
        /// What is not done.
        feature: Unsupported,
        /// Position in the file, in bytes.
        at: u64,
    },
    /// No such thing.
    #[error("no {what} `{name}`{}", Nearest(nearest))]
    NotFound {
        /// What was looked for: "object", "attribute", "member" …
        what: &'static str,
        /// Its name.
        name: String,
        /// Existing names close to it, best first.
        nearest: Vec<String>,
    },
    /// A datatype that does not convert.
    #[error("cannot read {stored} as {wanted}")]
    Type {
        /// The file's datatype.
        stored: String,
        /// The type asked for.
        wanted: String,
    },
    /// A value that does not fit.
    #[error("element {element}: {value} does not fit {wanted}")]
    Value {
        /// Row-major number of the element in the selection.
        element: u64,
        /// The value as people read it.
        value: String,
        /// The type asked for.
        wanted: String,
    },
    /// A selection that does not fit.
    #[error("selection: {0}")]
    Selection(SelectionFault),
    /// A limit was hit.
    #[error("limit `{limit}`: the file asks for {asked}, {allowed} are allowed")]
    Limit {
        /// The field of [`Limits`](crate::Limits).
        limit: &'static str,
        /// What was asked for.
        asked: u64,
        /// The bound.
        allowed: u64,
    },
    /// A wrong call.
    #[error("{0}")]
    Usage(Usage),
    /// The operating system failed.
    #[error("{what}: {error}")]
    Io {
        /// The file, or what was being done.
        what: String,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// Ranges that a source of fetched ranges does not hold yet; they are noted in the source.
    #[error("bytes that have not been fetched yet")]
    Missing,
}

/// Why a selection does not fit.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionFault {
    /// Another number of dimensions than the dataspace has.
    #[error("indices for {given} dimensions, the dataspace has {rank}")]
    Rank {
        /// Dimensions of the selection.
        given: usize,
        /// Rank of the dataspace.
        rank: usize,
    },
    /// Past the end of a dimension.
    #[error("dimension {dimension} has {extent} elements, the selection ends at {end}")]
    OutOfBounds {
        /// The dimension, from 0.
        dimension: usize,
        /// One past the last element selected.
        end: u64,
        /// Elements of the dimension.
        extent: u64,
    },
    /// An index that the dimension does not have.
    #[error("dimension {dimension} has {extent} elements, there is none at {}", Index(*index))]
    Index {
        /// The dimension, from 0.
        dimension: usize,
        /// The index; the largest number stands for a negative one.
        index: u64,
        /// Elements of the dimension.
        extent: u64,
    },
    /// A stride or block of zero, or blocks that overlap.
    #[error("dimension {dimension}: stride {stride} with blocks of {block}")]
    Stride {
        /// The dimension, from 0.
        dimension: usize,
        /// The stride.
        stride: u64,
        /// The block.
        block: u64,
    },
    /// A mask of another shape.
    #[error("a mask of {given} elements for {elements}")]
    Mask {
        /// Elements of the mask.
        given: u64,
        /// Elements of the dataspace.
        elements: u64,
    },
    /// A buffer or array of another size.
    #[error("room for {room} elements, {selected} selected")]
    Room {
        /// Elements of the buffer.
        room: u64,
        /// Elements selected.
        selected: u64,
    },
    /// A result of fixed rank for a selection of another.
    #[error("an array of {wanted} dimensions for a selection of {rank}")]
    ResultRank {
        /// Dimensions of the result.
        wanted: usize,
        /// Dimensions of the selection.
        rank: usize,
    },
}

/// A wrong call.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Usage {
    /// An object of another kind than asked for.
    #[error("this is a {found}, not a {wanted}")]
    Kind {
        /// What is there.
        found: &'static str,
        /// What was asked for.
        wanted: &'static str,
    },
    /// A function whose cargo feature is off.
    #[error("this needs h5kit's `{0}` feature")]
    Feature(&'static str),
    /// Several links in a row that lead to links, in a circle or too many.
    #[error("too many links in a row on the way to the object (limit `link_traversals`: {0} are allowed)")]
    LinkLoop(u32),
    /// More than one element where one was asked for, or none.
    #[error("{0} elements where one was asked for")]
    NotScalar(u64),
    /// The value has a null dataspace: there is no element.
    #[error("a null dataspace has no elements")]
    Null,
    /// A reference that points nowhere.
    #[error("a null reference")]
    NullReference,
    /// Other files are needed, and this file was not opened from a path.
    #[error("`{0}` is in another file, and this one was not opened from a path")]
    NoFolder(String),
    /// A family or split file pattern that names no file.
    #[error("`{0}` is no pattern for the members of a file")]
    Pattern(String),
    /// What is no address of a file far away.
    #[error("`{0}` is no address that files can be read from")]
    Address(String),
}

/// Where and how a file breaks the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} at {:#x}, {}: {}", .0.structure, .0.at, .0.field, .0.fault)]
pub struct Corrupt(Box<What>);

/// What decoders return is mostly no error, and need not have room for one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct What {
    structure: Structure,
    field: &'static str,
    at: u64,
    fault: Fault,
}

impl Corrupt {
    /// A fault of `field` of `structure`, found at the position `at` of the file, in bytes.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn new(structure: Structure, field: &'static str, at: u64, fault: Fault) -> Self {
        Self(Box::new(What { structure, field, at, fault }))
    }

    /// The same with another fault.
    pub(crate) fn with(mut self, fault: Fault) -> Self {
        self.0.fault = fault;
        self
    }

    /// What is no damage but was found where damage is looked for.
    fn into_cause(self) -> Cause {
        let at = self.0.at;
        match self.0.fault {
            Fault::Unsupported(feature) | Fault::Filter { fault: FilterFault::Unsupported(feature), .. } => {
                Cause::Unsupported { feature, at }
            }
            Fault::Nesting(depth) => {
                Cause::Limit { limit: "datatype_depth", asked: u64::from(depth) + 1, allowed: depth.into() }
            }
            Fault::Filter { fault: FilterFault::Memory(bytes), .. } => {
                Cause::Io { what: format!("{bytes} bytes of memory"), error: io::ErrorKind::OutOfMemory.into() }
            }
            _ => Cause::Corrupt(self),
        }
    }

    /// The structure, by the specification's name.
    #[must_use]
    pub fn structure(&self) -> Structure {
        self.0.structure
    }

    /// The field, by the specification's name.
    #[must_use]
    pub fn field(&self) -> &'static str {
        self.0.field
    }

    /// Position in the file in bytes, base address included.
    #[must_use]
    pub fn at(&self) -> u64 {
        self.0.at
    }

    /// What is wrong.
    #[must_use]
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }
}

/// What is wrong with a field.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The structure ends before the field does.
    #[error("{needed} bytes more are needed than there are")]
    Truncated {
        /// Bytes that lack.
        needed: u64,
    },
    /// The file ends before the structure does.
    #[error("{length} bytes are needed, the file ends at {end:#x}")]
    PastEnd {
        /// Bytes that were asked for.
        length: u64,
        /// Length of the file in bytes.
        end: u64,
    },
    /// Another signature.
    #[error("the signature is {}", found.escape_ascii())]
    Signature {
        /// The four bytes found.
        found: [u8; 4],
    },
    /// A version that does not exist.
    #[error("version {0} is unknown")]
    Version(u8),
    /// A value that is not allowed.
    #[error("{0} is not allowed here")]
    Value(u64),
    /// A stored checksum that the bytes do not give.
    #[error("stored checksum is {stored:#010x}, its bytes give {computed:#010x}")]
    Checksum {
        /// As stored.
        stored: u32,
        /// As computed.
        computed: u32,
    },
    /// A structure that contains itself.
    #[error("it leads back to itself")]
    Cycle,
    /// Parts of one whole, or of all objects, that are met again and again.
    #[error("with what was met before it has {total} bytes, the file has {end}")]
    Repeated {
        /// Bytes of the parts met so far.
        total: u64,
        /// Length of the file in bytes.
        end: u64,
    },
    /// Datatypes in datatypes, more than so many levels. Becomes [`Cause::Limit`].
    #[error("it is nested more than {0} levels deep")]
    Nesting(u32),
    /// An undefined address where one is needed.
    #[error("the address is undefined")]
    Undefined,
    /// A message that the object must have.
    #[error("it is absent")]
    Absent,
    /// Two numbers that must agree.
    #[error("{found} where {expected} must be")]
    Mismatch {
        /// As stored.
        found: u64,
        /// As something else in the file says.
        expected: u64,
    },
    /// Entries of an index that do not ascend.
    #[error("it does not come after the one before it")]
    Order,
    /// Bytes that belong to something else too.
    #[error("its bytes are also those of the {other} at {at:#x}")]
    Overlap {
        /// The structure they belong to as well.
        other: Structure,
        /// Its position in the file, in bytes.
        at: u64,
    },
    /// A filter could not undo what it is said to have done.
    #[error("filter {id}: {fault}")]
    Filter {
        /// The filter's registered number.
        id: u16,
        /// What went wrong.
        fault: FilterFault,
    },
    /// Valid, not done. Becomes [`Cause::Unsupported`].
    #[error("{0} is not supported")]
    Unsupported(Unsupported),
}

/// What is wrong with a filter's input.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterFault {
    /// The input ends too early.
    #[error("its input ends too early")]
    Truncated,
    /// The output would exceed what the chunk can hold.
    #[error("its output exceeds {0} bytes")]
    TooLong(u64),
    /// The output has another length.
    #[error("its output is {found} bytes, not {expected}")]
    Length {
        /// As decoded.
        found: u64,
        /// As the chunk needs.
        expected: u64,
    },
    /// A checksum that does not hold.
    #[error("stored checksum is {stored:#010x}, its bytes give {computed:#010x}")]
    Checksum {
        /// As stored.
        stored: u32,
        /// As computed.
        computed: u32,
    },
    /// Client data values that make no sense.
    #[error("client data value {index} is {value:?}")]
    Parameter {
        /// Number of the value, from 0.
        index: usize,
        /// The value, `None` where it is absent.
        value: Option<u32>,
    },
    /// The compressed stream is damaged.
    #[error("{0}")]
    Stream(&'static str),
    /// So many bytes of memory cannot be had. Becomes [`Cause::Io`].
    #[error("it needs {0} bytes of memory")]
    Memory(u64),
    /// Not done here: no such decoder.
    #[error("no decoder")]
    Unsupported(Unsupported),
}

struct Index(u64);

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == u64::MAX { f.write_str("a negative index") } else { self.0.fmt(f) }
    }
}

struct Nearest<'a>(&'a [String]);

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.0.iter().enumerate() {
            write!(f, "{}`{name}`", if i == 0 { "; there is " } else { ", " })?;
        }
        Ok(())
    }
}

impl Error {
    /// What sort of error this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.cause() {
            Cause::NotHdf5 { .. } => ErrorKind::NotHdf5,
            Cause::Corrupt(_) => ErrorKind::Corrupt,
            Cause::Unsupported { .. } => ErrorKind::Unsupported,
            Cause::NotFound { .. } => ErrorKind::NotFound,
            Cause::Type { .. } | Cause::Value { .. } => ErrorKind::Type,
            Cause::Selection(_) => ErrorKind::Selection,
            Cause::Limit { .. } => ErrorKind::Limit,
            Cause::Usage(_) => ErrorKind::Usage,
            Cause::Io { .. } | Cause::Missing => ErrorKind::Io,
        }
    }

    /// What the error says, without the path.
    #[must_use]
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// The path of the object concerned, where it is known.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// Where and how the file breaks the format, if that is what this error says.
    #[must_use]
    pub fn corrupt(&self) -> Option<&Corrupt> {
        match self.cause() {
            Cause::Corrupt(corrupt) => Some(corrupt),
            _ => None,
        }
    }

    /// The feature that is not supported, if that is what this error says.
    #[must_use]
    pub fn unsupported(&self) -> Option<Unsupported> {
        match self.cause() {
            Cause::Unsupported { feature, .. } => Some(*feature),
            _ => None,
        }
    }

    /// True where a source of fetched ranges lacks some: fetch what it noted, then call again.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.cause(), Cause::Missing)
    }

    /// The same error, saying which object it concerns unless it already does.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn in_object(mut self, path: &str) -> Self {
        if self.0.path.is_none() && !self.is_missing() {
            self.0.path = Some(path.to_owned());
        }
        self
    }

    /// The same error, of a part that begins with this element of the whole.
    pub(crate) fn shifted_by(mut self, first: u64) -> Self {
        if let Cause::Value { element, .. } = &mut self.0.cause {
            *element += first;
        }
        self
    }

    pub(crate) fn missing() -> Self {
        Cause::Missing.into()
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn limit(limit: &'static str, asked: u64, allowed: u64) -> Self {
        Cause::Limit { limit, asked, allowed }.into()
    }

    pub(crate) fn io(what: impl Into<String>, error: io::Error) -> Self {
        Cause::Io { what: what.into(), error }.into()
    }

    pub(crate) fn not_found(what: &'static str, name: impl Into<String>, nearest: Vec<String>) -> Self {
        Cause::NotFound { what, name: name.into(), nearest }.into()
    }
}

/// Adds the path of an object to the error of a result.
pub(crate) trait InObject<T> {
    fn in_object(self, path: &(impl AsRef<str> + ?Sized)) -> Result<T>;
}

impl<T, E: Into<Error>> InObject<T> for Result<T, E> {
    fn in_object(self, path: &(impl AsRef<str> + ?Sized)) -> Result<T> {
        self.map_err(|e| e.into().in_object(path.as_ref()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match &self.0.path {
            Some(path) => format!("{path}: {}", self.0.cause),
            None => self.0.cause.to_string(),
        };
        for c in text.chars() {
            if c.is_control() { write!(f, "{}", c.escape_default())? } else { fmt::Write::write_char(f, c)? }
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0.cause)
    }
}

impl From<Cause> for Error {
    #[cold]
    #[inline(never)]
    fn from(cause: Cause) -> Self {
        let cause = match cause {
            Cause::Corrupt(corrupt) => corrupt.into_cause(),
            other => other,
        };
        Self(Box::new(Inner { path: None, cause }))
    }
}

impl From<Corrupt> for Error {
    #[cold]
    #[inline(never)]
    fn from(corrupt: Corrupt) -> Self {
        Cause::Corrupt(corrupt).into()
    }
}

impl From<SelectionFault> for Error {
    fn from(fault: SelectionFault) -> Self {
        Cause::Selection(fault).into()
    }
}

impl From<Usage> for Error {
    fn from(usage: Usage) -> Self {
        Cause::Usage(usage).into()
    }
}
