//! Version 2 B-trees (III.A.2): links, attributes, huge heap objects, shared messages, chunks.

mod header;
mod node;
mod record;

pub use header::{BTreeV2, Geometry, Level};
pub use node::{Child, Node};
pub use record::{
    AttributeRecord, ChunkRecord, HugeRecord, LinkRecord, RecordType, SharedLocation, SharedRecord, shared_record_size,
};
