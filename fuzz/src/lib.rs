//! What each fuzzer does with an input: nothing may panic, and what two ways give must be the same.
//!
//! | target | input | what must hold |
//! |---|---|---|
//! | [`read`] | a file | everything in it gives values or errors |
//! | [`codec`] | a filter, its client data, a chunk | no more comes out than there may; what is encoded decodes to the same |
//! | [`structure`] | a structure of the format | what decodes encodes, and decodes to the same |
//! | [`selection`] | a selection | it reads what a naive model selects |
//! | [`query`] | a query of a table | an index finds the rows that a scan finds |
//! | [`differential`] | a file | it reads the same from memory and range by range |
//!
//! Built for fuzzing, checksums of metadata are not compared, so that what lies behind them is reached.

mod codec;
mod differential;
mod input;
mod query;
mod read;
mod selection;
mod structure;

pub use codec::{codec, input_of as chunk_input};
pub use differential::differential;
pub use query::query;
pub use read::read;
pub use selection::selection;
pub use structure::{input_of as structure_input, structure};

use std::num::NonZero;

use h5kit::{Limits, Options};

/// A fuzzer: its name and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 6] = [
    ("read", read),
    ("codec", codec),
    ("structure", structure),
    ("selection", selection),
    ("query", query),
    ("differential", differential),
];

/// Limits under which an input is over soon.
#[must_use]
pub fn options() -> Options {
    let limits = Limits {
        read_bytes: 1 << 20,
        chunk_bytes: 1 << 20,
        metadata_bytes: 1 << 20,
        index_nodes: 4096,
        header_chunks: 1024,
        virtual_sources: 256,
        cache_bytes: 1 << 20,
        chunk_cache_bytes: 1 << 20,
        ..Limits::default()
    };
    Options::new().limits(limits).threads(NonZero::<usize>::MIN)
}
