//! What can be wrong with an element, and how it is told.

use std::fmt;

/// The rules that elements are held to. The codes are for programs.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// A member that the element needs is not there.
    MissingMember,
    /// An attribute that the element needs is not there.
    MissingAttribute,
    /// A group where a dataset should be, or the other way round.
    WrongKind,
    /// Another number of dimensions.
    WrongRank,
    /// A datatype that cannot be what it should.
    BadType,
    /// A shape attribute that makes no sense.
    BadShape,
    /// Row or column pointers that do not lead through the values.
    BadIndptr,
    /// A form that does not describe the buffers.
    BadForm,
    /// Text that is not UTF-8.
    BadText,
    /// A shape that does not go with the rest.
    ShapeMismatch,
    /// A length that does not go with the rest.
    LengthMismatch,
    /// Row labels that are not those of the whole.
    IndexMismatch,
    /// An index beyond the matrix.
    IndexOutOfRange,
    /// A code without a category.
    CodeOutOfRange,
    /// A name that should be there once.
    DuplicateName,
    /// A declared encoding that nobody knows.
    UnknownEncoding,
    /// A known encoding of a version that nobody knows.
    UnknownVersion,
    /// A member that is no part of the whole.
    UnknownMember,
    /// A key that others cannot read back.
    UnreadableKey,
    /// A datatype that others cannot hold.
    UnsupportedType,
    /// Two members that stand for the same.
    Ambiguous,
    /// A link to nothing.
    DanglingLink,
    /// A group within itself.
    Cycle,
    /// A matrix that is stored as a vector.
    FlatMatrix,
    /// The file ends early, or is damaged below what AnnData says.
    Truncated,
}

impl Rule {
    /// The code, in lower case with hyphens.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::MissingMember => "missing-member",
            Self::MissingAttribute => "missing-attribute",
            Self::WrongKind => "wrong-kind",
            Self::WrongRank => "wrong-rank",
            Self::BadType => "bad-type",
            Self::BadShape => "bad-shape",
            Self::BadIndptr => "bad-indptr",
            Self::BadForm => "bad-form",
            Self::BadText => "bad-text",
            Self::ShapeMismatch => "shape-mismatch",
            Self::LengthMismatch => "length-mismatch",
            Self::IndexMismatch => "index-mismatch",
            Self::IndexOutOfRange => "index-out-of-range",
            Self::CodeOutOfRange => "code-out-of-range",
            Self::DuplicateName => "duplicate-name",
            Self::UnknownEncoding => "unknown-encoding",
            Self::UnknownVersion => "unknown-version",
            Self::UnknownMember => "unknown-member",
            Self::UnreadableKey => "unreadable-key",
            Self::UnsupportedType => "unsupported-type",
            Self::Ambiguous => "ambiguous",
            Self::DanglingLink => "dangling-link",
            Self::Cycle => "cycle",
            Self::FlatMatrix => "flat-matrix",
            Self::Truncated => "truncated",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A rule that an element breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// The element, without a slash at the beginning; empty for the whole.
    pub path: String,
    /// True where there is a safe way to read it all the same, which is taken.
    pub warning: bool,
    /// What is wrong, in words and numbers.
    pub text: String,
}

impl Fault {
    pub(super) fn new(rule: Rule, path: &str, text: impl Into<String>) -> Self {
        Self { rule, path: path.to_owned(), warning: false, text: text.into() }
    }

    pub(super) fn warning(rule: Rule, path: &str, text: impl Into<String>) -> Self {
        Self { warning: true, ..Self::new(rule, path, text) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(f, "{path}: {}: {}", self.rule, self.text)
    }
}

/// Why an element cannot be read.
#[derive(Debug)]
pub enum Error {
    /// It breaks a rule of AnnData.
    Fault(Fault),
    /// The file below it cannot be read.
    File(crate::Error),
}

/// What reading an element gives.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// True where the source has to fetch something first ([`Extents`](crate::source::Extents)).
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::File(error) if error.is_missing())
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(f),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

pub(super) fn broken<T>(rule: Rule, path: &str, text: impl Into<String>) -> Result<T> {
    Err(Fault::new(rule, path, text).into())
}
