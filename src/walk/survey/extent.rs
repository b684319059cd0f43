use std::sync::Arc;

use crate::bytes::Widths;
use crate::error::Structure;
use crate::format::btree_v2::{BTreeV2, Geometry};
use crate::format::chunk_index::ElementForm;
use crate::format::chunk_index::extensible_array::ExtensibleArray;
use crate::format::chunk_index::fixed_array::FixedArray;
use crate::format::fractal_heap::FractalHeap;
use crate::format::free_space_manager::FreeSpaceManager;
use crate::format::object_header::{MessageType, Prefix};

/// A stretch of the file and what it is.
#[derive(Clone, Debug)]
pub struct Extent {
    /// What it is.
    pub structure: Structure,
    /// Position of its first byte.
    pub at: u64,
    /// Bytes, as allocated where that is known.
    pub length: u64,
    /// Bytes that are in use.
    pub used: u64,
    /// The object it was reached from, as a number among the survey's objects.
    pub(crate) object: Option<u32>,
    /// What a decoder must know besides.
    // The tests decode every extent again; nothing else has to.
    #[allow(dead_code)]
    pub(crate) context: Context,
}

/// What a decoder must know of a structure besides its bytes.
#[allow(dead_code)]
#[derive(Clone, Debug)]
pub(crate) enum Context {
    /// Nothing.
    Plain,
    /// The type of a message.
    Message(MessageType),
    /// The prefix of the header that a continuation block belongs to.
    Continuation(Arc<Prefix>),
    /// A version 1 B-tree node of a group.
    GroupNode,
    /// A version 1 B-tree node of a dataset of this rank.
    ChunkNode { rank: u8 },
    /// The header of a version 2 B-tree.
    Tree(Arc<TreeContext>),
    /// A node of a version 2 B-tree: its height above the leaves and its records.
    TreeNode { tree: Arc<TreeContext>, depth: u16, records: u64 },
    /// A direct block of a fractal heap without filters.
    Direct(Arc<FractalHeap>),
    /// An indirect block of a fractal heap.
    Indirect { heap: Arc<FractalHeap>, rows: u32 },
    /// The sections of a free-space manager, and the width of its client's offsets.
    Sections { manager: Arc<FreeSpaceManager>, heap_offset_width: u8 },
    /// The table of shared messages and the number of its indexes.
    SharedTable { indexes: u8 },
    /// A list of shared messages and the number of them.
    SharedList { count: u16 },
    /// The header of a fixed or extensible array.
    Array(ElementForm),
    /// A block of a fixed array.
    FixedArray(Arc<ArrayContext<FixedArray>>),
    /// The index block of an extensible array.
    IndexBlock(Arc<ArrayContext<ExtensibleArray>>),
    /// A secondary block of an extensible array, by its number.
    Secondary { array: Arc<ArrayContext<ExtensibleArray>>, number: u32 },
    /// A data block of an extensible array and the number of its elements.
    DataBlock { array: Arc<ArrayContext<ExtensibleArray>>, elements: u64 },
    /// A page of an array and the number of its elements.
    Page { form: ElementForm, elements: u64 },
    /// These bytes are no structure by themselves: data, names, what filters made of a block, unwritten pages.
    Raw,
    /// A region of the global heap that an old reference leads to.
    Region,
    /// The body of a revised reference: its kind, and whether it leads to another file.
    RevisedBody { kind: u8, external: bool },
}

/// A version 2 B-tree as its nodes need it.
#[allow(dead_code)]
#[derive(Debug)]
pub(crate) struct TreeContext {
    pub(crate) header: BTreeV2,
    pub(crate) geometry: Geometry,
    /// For chunks: rank of the dataset, and bytes of the size field where they are filtered.
    pub(crate) chunks: Option<(usize, Option<u8>)>,
}

/// An array as its blocks need it.
#[allow(dead_code)]
#[derive(Debug)]
pub(crate) struct ArrayContext<A> {
    pub(crate) array: A,
    pub(crate) form: ElementForm,
}

impl<A> ArrayContext<A> {
    /// Bytes of a page of so many elements.
    pub(crate) fn page_bytes(&self, elements: u64, w: Widths) -> u64 {
        elements.saturating_mul(self.form.size(w) as u64).saturating_add(4)
    }
}
