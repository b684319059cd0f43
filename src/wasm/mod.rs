//! The JavaScript package: a thin translation of files and what is in them to JavaScript.
//!
//! All is synchronous here. A [`session`](session::Session) reads from ranges that have been fetched so far
//! ([`Extents`](crate::source::Extents)); a call that lacks some gives `undefined`. The driver in `js/` then fetches what the
//! session asks for, and calls again. Metadata goes over as JSON, values as arrays.
#![allow(unsafe_code, reason = "what `wasm_bindgen` makes has some")]

#[cfg(feature = "wasm-tables")]
mod anndata;
#[cfg(feature = "wasm-codecs")]
mod codecs;
#[cfg(feature = "wasm")]
mod decoders;
#[cfg(feature = "wasm")]
mod describe;
#[cfg(feature = "wasm-tables")]
mod digest;
#[cfg(feature = "wasm")]
mod failure;
#[cfg(feature = "wasm-tables")]
mod h5col;
#[cfg(feature = "wasm")]
mod listing;
#[cfg(feature = "wasm")]
mod neighbours;
#[cfg(feature = "wasm")]
mod reading;
#[cfg(feature = "wasm")]
mod selection;
#[cfg(feature = "wasm")]
mod session;
#[cfg(feature = "wasm")]
mod values;

use std::sync::{Mutex, PoisonError};

use wasm_bindgen::prelude::wasm_bindgen;

/// What the panic said that ended this module.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Notes what a panic says.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
}

/// What the panic said that ended this module; empty where there was none.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> String {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Panics for any place but the first, for tests of what comes after that: no package has it.
#[cfg(feature = "wasm-panic")]
#[wasm_bindgen]
pub fn panics(place: usize) -> u8 {
    [0][place]
}
