//! One room for each structure of the file, named by the specification's own words.
//!
//! A room decodes its structure from a bounded [`Block`] and encodes it again;
//! it follows no address and reads no file. Decoding loses nothing, so that for every structure
//! `encode(decode(bytes)) == bytes`.

use crate::bytes::Block;
use crate::bytes::checksum::lookup3;
use crate::error::{Corrupt, Fault, Structure};

pub mod btree_v1;
pub mod btree_v2;
pub mod cache_image;
pub mod chunk_index;
pub mod dataspace_selection;
pub mod driver_info;
pub mod fractal_heap;
pub mod free_space_manager;
pub mod global_heap;
pub mod local_heap;
pub mod message;
pub mod object_header;
pub mod reference;
pub mod shared_message;
pub mod shared_message_table;
pub mod superblock;
pub mod symbol_table_entry;
pub mod symbol_table_node;
#[cfg(test)]
pub(crate) mod testing;
pub mod virtual_mapping;

/// Verifies the checksum in the last four bytes of a block and gives the bytes before it.
///
/// Built for fuzzing it compares nothing, so that what lies behind checksums is reached.
///
/// # Errors
/// [`Fault::Checksum`] where it does not hold, [`Fault::Truncated`] where the block is shorter.
pub fn verified<'a>(block: Block<'a>, structure: Structure) -> Result<Block<'a>, Corrupt> {
    let (body, stored) = match block.bytes().split_last_chunk::<4>() {
        Some((body, stored)) => (body, u32::from_le_bytes(*stored)),
        None => {
            let needed = 4 - block.bytes().len() as u64;
            return Err(block.corrupt(structure, "checksum", Fault::Truncated { needed }));
        }
    };
    let computed = lookup3(body);
    if stored != computed && !cfg!(fuzzing) {
        let at = block.at() + body.len() as u64;
        return Err(Corrupt::new(structure, "checksum", at, Fault::Checksum { stored, computed }));
    }
    block.sub(structure, "body", 0..body.len())
}
