//! Datatypes, of which many objects may have one and the same.

use std::hash::BuildHasher;
use std::sync::Arc;

use super::Storage;
use crate::bytes::{Addr, Block};
use crate::error::{Result, Structure};
use crate::format::message::datatype::Datatype;

/// Bytes of a message that is worth keeping decoded: committed datatypes of thousands of members are there, and named by all
/// objects of a file.
const LARGE: usize = 1 << 10;

/// Bytes of a decoded datatype for each byte of its message, more or less.
const DECODED: u64 = 8;

/// The datatype of a message.
///
/// # Errors
/// A message that breaks the format, or is nested deeper than the limit.
pub(crate) fn datatype(storage: &Storage, message: Block<'_>) -> Result<Arc<Datatype>> {
    let decode = || Datatype::decode(message, storage.limits().datatype_depth);
    let bytes = message.bytes();
    if bytes.len() < LARGE {
        return Ok(Arc::new(decode()?));
    }
    // Copies of it stand in many places: they are known by what they say.
    let key = Addr(storage.places().hash_one(bytes));
    let kept = storage.memo(key, Structure::Datatype, || {
        let kept = (bytes.to_vec(), Arc::new(decode()?));
        Ok((kept, DECODED * bytes.len() as u64))
    })?;
    let (message, datatype) = &*kept;
    if message == bytes { Ok(datatype.clone()) } else { Ok(Arc::new(decode()?)) }
}
