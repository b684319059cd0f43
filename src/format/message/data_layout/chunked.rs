use crate::bytes::parse::{Parsed, addr, counted, fail, field, length, u8, u32, uint};
use crate::bytes::{Addr, Emit, Widths, log2_floor};
use crate::error::Fault;

/// Storage in chunks of one shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunked {
    /// Flags of versions 4 and 5: partial edge chunks are stored without filters (bit 0), a single chunk
    /// has filters (bit 1).
    pub flags: u8,
    /// Elements of a chunk in each dimension; last, the bytes of an element.
    pub dims: Vec<u64>,
    /// Bytes in which each dimension is stored.
    pub dim_width: u8,
    /// How chunks are found.
    pub index: ChunkIndex,
    /// The index, or the chunk itself; undefined before the first chunk.
    pub address: Option<Addr>,
}

/// How chunks are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkIndex {
    /// A version 1 B-tree (layout versions 1 to 3).
    BTreeV1,
    /// There is one chunk.
    SingleChunk {
        /// With filters: its bytes in the file and the mask of filters not applied.
        filtered: Option<(u64, u32)>,
    },
    /// All chunks stand in a row.
    Implicit,
    /// A fixed array.
    FixedArray {
        /// Binary logarithm of the elements of a page.
        page_bits: u8,
    },
    /// An extensible array; see [`ExtensibleArray`](crate::format::chunk_index::extensible_array::ExtensibleArray).
    ExtensibleArray {
        /// Bits of the number of elements.
        max_bits: u8,
        /// Elements in the index block.
        index_elements: u8,
        /// Data blocks of the smallest secondary block.
        min_pointers: u8,
        /// Elements of the smallest data blocks.
        min_elements: u8,
        /// Binary logarithm of the elements of a page.
        page_bits: u8,
    },
    /// A version 2 B-tree.
    BTreeV2 {
        /// Bytes of a node.
        node_size: u32,
        /// Percent full at which a node is split.
        split_percent: u8,
        /// Percent full at which a node is merged.
        merge_percent: u8,
    },
}

impl ChunkIndex {
    /// The specification's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BTreeV1 => "version 1 B-tree",
            Self::SingleChunk { .. } => "single chunk",
            Self::Implicit => "implicit",
            Self::FixedArray { .. } => "fixed array",
            Self::ExtensibleArray { .. } => "extensible array",
            Self::BTreeV2 { .. } => "version 2 B-tree",
        }
    }
}

const EDGE_UNFILTERED: u8 = 1;
const SINGLE_FILTERED: u8 = 2;

impl Chunked {
    /// Rank of the dataset, the element size left out.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.dims.len() - 1
    }

    /// Elements of a chunk in each dimension.
    #[must_use]
    pub fn chunk(&self) -> &[u64] {
        &self.dims[..self.rank()]
    }

    /// Elements of a chunk; `None` where 64 bits do not hold them.
    #[must_use]
    pub fn chunk_elements(&self) -> Option<u64> {
        self.chunk().iter().try_fold(1u64, |n, dim| n.checked_mul(*dim))
    }

    /// True where chunks that stick out of the dataset are stored without filters.
    #[must_use]
    pub fn edges_unfiltered(&self) -> bool {
        self.flags & EDGE_UNFILTERED != 0
    }

    /// Bytes of the size field of a filtered chunk in its index: version 5 has a length, version 4 just
    /// enough for a chunk of `chunk_bytes` that its filters made a little larger.
    #[must_use]
    pub fn size_width(version: u8, chunk_bytes: u64, w: Widths) -> u8 {
        if version >= 5 { w.lengths } else { (1 + (log2_floor(chunk_bytes) + 8) / 8).min(8) as u8 }
    }

    pub(super) fn parse<'a>(version: u8, w: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, Self> {
        move |i| if version == 3 { Self::parse_v3(i, w) } else { Self::parse_v4(i, w) }
    }

    fn parse_v3(start: &[u8], w: Widths) -> Parsed<'_, Self> {
        let (i, n) = field("dimensionality", u8)(start)?;
        let (i, address) = field("address", addr(w))(i)?;
        let (i, dims) = field("dimension size", counted(n.into(), 4, u32))(i)?;
        let (_, dims) = checked_dims(dims.into_iter().map(u64::from).collect())(start)?;
        Ok((i, Self { flags: 0, dims, dim_width: 4, index: ChunkIndex::BTreeV1, address }))
    }

    fn parse_v4(i: &[u8], w: Widths) -> Parsed<'_, Self> {
        let (start, flags) = field("flags", u8)(i)?;
        let (i, n) = field("dimensionality", u8)(start)?;
        let (after, dim_width) = field("dimension size encoded length", u8)(i)?;
        if !(1..=8).contains(&dim_width) {
            return field("dimension size encoded length", |i| fail(i, Fault::Value(dim_width.into())))(i);
        }
        let (i, dims) = field("dimension size", counted(n.into(), dim_width.into(), uint(dim_width)))(after)?;
        let (_, dims) = checked_dims(dims)(start)?;
        let (after, kind) = field("chunk indexing type", u8)(i)?;
        let (i, index) = match kind {
            1 if flags & SINGLE_FILTERED != 0 => {
                let (i, size) = field("size of filtered chunk", length(w))(after)?;
                let (i, mask) = field("filters for chunk", u32)(i)?;
                (i, ChunkIndex::SingleChunk { filtered: Some((size, mask)) })
            }
            1 => (after, ChunkIndex::SingleChunk { filtered: None }),
            2 => (after, ChunkIndex::Implicit),
            3 => field("page bits", u8)(after).map(|(i, page_bits)| (i, ChunkIndex::FixedArray { page_bits }))?,
            4 => {
                let (i, max_bits) = field("max bits", u8)(after)?;
                let (i, index_elements) = field("index elements", u8)(i)?;
                let (i, min_pointers) = field("min pointers", u8)(i)?;
                let (i, min_elements) = field("min elements", u8)(i)?;
                let (i, page_bits) = field("page bits", u8)(i)?;
                (i, ChunkIndex::ExtensibleArray { max_bits, index_elements, min_pointers, min_elements, page_bits })
            }
            5 => {
                let (i, node_size) = field("node size", u32)(after)?;
                let (i, split_percent) = field("split percent", u8)(i)?;
                let (i, merge_percent) = field("merge percent", u8)(i)?;
                (i, ChunkIndex::BTreeV2 { node_size, split_percent, merge_percent })
            }
            other => return field("chunk indexing type", |i| fail(i, Fault::Value(other.into())))(i),
        };
        let (i, address) = field("address", addr(w))(i)?;
        Ok((i, Self { flags, dims, dim_width, index, address }))
    }

    pub(super) fn encode(&self, version: u8, to: &mut Emit) {
        let n = self.dims.len() as u64;
        if version == 3 {
            to.uint(1, n);
            to.addr(self.address);
            self.dims.iter().for_each(|dim| to.uint(4, *dim));
            return;
        }
        to.u8(self.flags);
        to.uint(1, n);
        to.u8(self.dim_width);
        self.dims.iter().for_each(|dim| to.uint(self.dim_width, *dim));
        match self.index {
            ChunkIndex::BTreeV1 => to.u8(0),
            ChunkIndex::SingleChunk { filtered } => {
                to.u8(1);
                if let Some((size, mask)) = filtered {
                    to.length(size);
                    to.u32(mask);
                }
            }
            ChunkIndex::Implicit => to.u8(2),
            ChunkIndex::FixedArray { page_bits } => to.bytes(&[3, page_bits]),
            ChunkIndex::ExtensibleArray { max_bits, index_elements, min_pointers, min_elements, page_bits } => {
                to.bytes(&[4, max_bits, index_elements, min_pointers, min_elements, page_bits]);
            }
            ChunkIndex::BTreeV2 { node_size, split_percent, merge_percent } => {
                to.u8(5);
                to.u32(node_size);
                to.bytes(&[split_percent, merge_percent]);
            }
        }
        to.addr(self.address);
    }
}

/// Chunk dimensions that can be: at least one besides the element size, and none of zero.
pub(super) fn checked_dims<'a>(dims: Vec<u64>) -> impl FnOnce(&'a [u8]) -> Parsed<'a, Vec<u64>> {
    move |i| {
        if dims.len() < 2 || dims.len() > 33 {
            return field("dimensionality", |i| fail(i, Fault::Value(dims.len() as u64)))(i);
        }
        if dims[..dims.len() - 1].contains(&0) {
            return field("dimension size", |i| fail(i, Fault::Value(0)))(i);
        }
        Ok((i, dims))
    }
}
