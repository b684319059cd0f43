//! What a file may make the reader do.

use crate::error::{Error, Result};

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
    /// Parts, on the way to one object, of the paths that soft and external links lead to. Default 4096.
    pub path_parts: u32,
    /// Blocks of one object header (the first chunk and its continuations). Default 65 536.
    pub header_chunks: u32,
    /// Levels of a B-tree, of nested fractal heap indirect blocks, or of virtual datasets in virtual datasets.
    /// Default 64.
    pub tree_depth: u32,
    /// Source datasets that are opened for one read of a virtual dataset; a source of a source counts as 16. Default
    /// 65 536.
    pub virtual_sources: u64,
    /// Times that each element of a virtual dataset may be read from sources, on average of one read of many elements: its
    /// mappings may overlap. Default 2.
    pub virtual_overlap: u64,
    /// Nodes of one index (B-tree, fixed or extensible array). Default 16 Mi.
    pub index_nodes: u64,
    /// Links of one group, or attributes of one object. Default 16 Mi.
    pub siblings: u64,
    /// Bytes of one metadata structure (a header chunk, a heap, a node), and of what the links of a group or the attributes
    /// of an object may have more than the file. Default 256 MiB.
    pub metadata_bytes: u64,
    /// Bytes of one chunk before or after its filters. Default 4 GiB on 64-bit machines, 256 MiB on 32-bit ones.
    pub chunk_bytes: u64,
    /// Bytes that a chunk may have with its filters undone for each byte that it has in the file, and that one read may
    /// return for each byte of the file. 64 MiB are allowed in any case, and in
    /// memory four times what the file's bytes may be. Larger parts of a dataset of which little was ever
    /// written are read by selections. Default 4096.
    pub expansion: u64,
    /// Bytes that one read may take out of global heaps (its strings and sequences) for each byte of the file, beyond 16 MiB
    /// that are allowed in any case. Of sequences, what they become in memory counts too. Default 128.
    pub heap_expansion: u64,
    /// The same of all reads while the file is open, beyond 256 MiB. The default allows everything, since who shows a file
    /// comes back to what it read; the command, which reads a file once or twice, allows 1024.
    pub heap_total: u64,
    /// Bytes that a salvage may read for each byte of the file while it looks for objects, beyond 64 MiB that are allowed in
    /// any case. Default 64.
    pub salvage_expansion: u64,
    /// Bytes of elements that all reads may return while the file is open, each element counted as 2 bytes at least, for each
    /// byte of the file, beyond 1 GiB. Chunks that were never written have elements, and no bytes. The default allows
    /// everything; the command allows 4096.
    pub read_total: u64,
    /// Bytes one read may return. Default 64 GiB on 64-bit machines, 1 GiB on 32-bit ones.
    pub read_bytes: u64,
    /// Bytes of decoded structures kept for reuse. Default 64 MiB.
    pub cache_bytes: u64,
    /// Bytes of chunks kept with their filters undone, for reads that come back to them; 0 keeps none. A chunk of more
    /// than a quarter of it is not kept. As many bytes at most of the memory that chunks are decoded in are kept from
    /// one read to the next. Default 32 MiB.
    pub chunk_cache_bytes: u64,
}

/// Bytes that stored bytes may become in any case.
const FREE: u64 = 64 << 20;

impl Limits {
    /// Refuses bytes that are more than so many stored ones may become.
    ///
    /// # Errors
    /// `expansion` is hit.
    pub(crate) fn check_expansion(&self, bytes: u64, stored: u64) -> Result<()> {
        let allowed = stored.saturating_mul(self.expansion).max(FREE);
        if bytes > allowed { Err(Error::limit("expansion", bytes, allowed)) } else { Ok(()) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let narrow = usize::BITS < 64;
        Self {
            datatype_depth: 64,
            link_traversals: 16,
            path_parts: 4096,
            header_chunks: 65_536,
            tree_depth: 64,
            virtual_sources: 65_536,
            virtual_overlap: 2,
            index_nodes: 16 << 20,
            siblings: 16 << 20,
            metadata_bytes: 256 << 20,
            chunk_bytes: if narrow { 256 << 20 } else { 4 << 30 },
            expansion: 4096,
            heap_expansion: 128,
            heap_total: u64::MAX,
            read_total: u64::MAX,
            salvage_expansion: 64,
            read_bytes: if narrow { 1 << 30 } else { 64 << 30 },
            cache_bytes: 64 << 20,
            chunk_cache_bytes: 32 << 20,
        }
    }
}
