//! The module of codecs: filters that few files need.

use wasm_bindgen::prelude::wasm_bindgen;

/// The filters that are decoded here.
#[wasm_bindgen]
pub fn filters() -> Vec<u16> {
    (0..=u16::MAX).filter(|id| (*id == 4 || *id > 6) && crate::filter::available(*id).is_ok()).collect()
}

/// Undoes a filter: the bytes of a chunk, the client data, and the most bytes that may come out.
///
/// # Errors
/// What is wrong with the bytes, as text.
#[wasm_bindgen]
pub fn decode(id: u16, bytes: Vec<u8>, values: &[u32], bound: usize) -> Result<Vec<u8>, String> {
    crate::filter::undo(id, values, bytes.into(), bound).map(Into::into).map_err(|fault| fault.to_string())
}
