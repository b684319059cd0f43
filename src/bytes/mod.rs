//! A run of bytes and the vocabulary in which structures are written down.
//!
//! [`Block`] bounds what a decoder sees and knows where the bytes stand in the file; the functions of
//! [`parse`] read the specification's field kinds from it; [`Emit`] writes the same kinds outwards.

mod block;
pub mod checksum;
mod emit;
pub mod parse;
mod text;

pub use block::{Addr, Block, Widths, log2_floor, width_of};
pub use emit::{Emit, EmitFault};
pub use text::Text;
