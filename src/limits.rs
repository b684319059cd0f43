//! What a file may make the reader do.

/// Upper bounds on work and memory that a file can ask for.
///
/// Every limit that is hit ends in an error of kind [`Limit`](crate::ErrorKind::Limit) that names it.
/// The defaults let every sane file through; raise or lower single fields:
///
/// ```
/// let limits = h5kit::Limits { read_bytes: 1 << 30, ..Default::default() };
/// # let _ = limits;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Deepest nesting of datatypes (compound in array in compound …). Default 64.
    pub datatype_depth: u32,
    /// Soft, external and user-defined links followed for one path. libhdf5 allows 16; so does the default.
    pub link_traversals: u32,
    /// Blocks of one object header (the first chunk and its continuations). Default 65 536.
    pub header_chunks: u32,
    /// Levels of a B-tree, of nested fractal heap indirect blocks, or of virtual datasets in virtual datasets.
    /// Default 64.
    pub tree_depth: u32,
    /// Source datasets that are opened for one read of a virtual dataset; a source of a source counts as 16. Default
    /// 65 536.
    pub virtual_sources: u64,
    /// Nodes of one index (B-tree, fixed or extensible array). Default 16 Mi.
    pub index_nodes: u64,
    /// Bytes of one metadata structure (a header chunk, a heap, a node). Default 256 MiB.
    pub metadata_bytes: u64,
    /// Bytes of one chunk before or after its filters. Default 4 GiB on 64-bit machines, 256 MiB on 32-bit ones.
    pub chunk_bytes: u64,
    /// Bytes one read may return. Default 64 GiB on 64-bit machines, 1 GiB on 32-bit ones.
    pub read_bytes: u64,
    /// Bytes of decoded structures kept for reuse. Default 64 MiB.
    pub cache_bytes: u64,
    /// Bytes of chunks kept with their filters undone, for reads that come back to them; 0 keeps none. A chunk of more
    /// than a quarter of it is not kept. As many bytes at most of the memory that chunks are decoded in are kept from
    /// one read to the next. Default 32 MiB.
    pub chunk_cache_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let narrow = usize::BITS < 64;
        Self {
            datatype_depth: 64,
            link_traversals: 16,
            header_chunks: 65_536,
            tree_depth: 64,
            virtual_sources: 65_536,
            index_nodes: 16 << 20,
            metadata_bytes: 256 << 20,
            chunk_bytes: if narrow { 256 << 20 } else { 4 << 30 },
            read_bytes: if narrow { 1 << 30 } else { 64 << 30 },
            cache_bytes: 64 << 20,
            chunk_cache_bytes: 32 << 20,
        }
    }
}
