//! The indexes of chunks that came with version 4 of the data layout message (VII).

mod element;
pub mod extensible_array;
pub mod fixed_array;

pub use element::{ChunkElement, ElementForm};

/// True where bit `n` of a page bitmap is set; its bits are counted from the most significant one.
#[must_use]
pub fn page_is_initialised(bitmap: &[u8], n: u64) -> bool {
    usize::try_from(n / 8).ok().and_then(|i| bitmap.get(i)).is_some_and(|byte| byte & (0x80 >> (n % 8)) != 0)
}
