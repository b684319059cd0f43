use crate::bytes::Text;
use crate::format::message::data_layout::{DataLayout, LayoutClass};
use crate::format::message::filter_pipeline::FilterDescription;

/// How a dataset is stored.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In the object header.
    Compact,
    /// In one piece of the file.
    Contiguous,
    /// In other files that hold nothing else.
    External,
    /// In chunks.
    Chunked {
        /// Elements of a chunk in each dimension.
        chunk: Vec<u64>,
        /// The specification's name of the index that finds them.
        index: &'static str,
    },
    /// In other datasets.
    Virtual,
}

impl Layout {
    pub(super) fn of(layout: &DataLayout, external: bool) -> Self {
        match &layout.class {
            LayoutClass::Compact { .. } => Self::Compact,
            LayoutClass::Contiguous { .. } if external => Self::External,
            LayoutClass::Contiguous { .. } => Self::Contiguous,
            LayoutClass::Chunked(chunked) => {
                Self::Chunked { chunk: chunked.chunk().to_vec(), index: chunked.index.name() }
            }
            LayoutClass::Virtual { .. } => Self::Virtual,
        }
    }

    /// One word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Contiguous => "contiguous",
            Self::External => "external",
            Self::Chunked { .. } => "chunked",
            Self::Virtual => "virtual",
        }
    }
}

/// One filter of a dataset's pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterInfo {
    /// Registered number.
    pub id: u16,
    /// The name that the file gives, or else the registered one.
    pub name: Option<Text>,
    /// A chunk may be stored without it.
    pub optional: bool,
    /// Client data values: what the filter was told.
    pub values: Vec<u32>,
    /// It can be undone here.
    pub available: bool,
}

impl FilterInfo {
    pub(super) fn of(filter: &FilterDescription) -> Self {
        let registered = || crate::error::registered_filter_name(filter.id).map(Text::from);
        Self {
            id: filter.id,
            name: filter.name().or_else(registered),
            optional: filter.is_optional(),
            values: filter.values.clone(),
            available: crate::filter::available(filter.id).is_ok(),
        }
    }
}

/// What never-written elements give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillInfo {
    /// Zeros: nobody said anything.
    Default,
    /// Nothing in particular; zeros here.
    Undefined,
    /// A value that the file gives.
    Value,
}

/// A chunk that is in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    /// Coordinates of its first element.
    pub offset: Vec<u64>,
    /// Position in the file, in bytes.
    pub position: u64,
    /// Bytes in the file.
    pub size: u64,
    /// Filters that were not applied to it: bit `i` is that of filter `i` of [`Dataset::filters`](crate::Dataset::filters).
    pub filter_mask: u32,
}
