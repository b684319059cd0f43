//! The canonical digest, line by line.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::failure::answer;
use crate::digest::Lines;

/// The lines of a digest that have not been given yet.
#[wasm_bindgen]
pub struct Digest {
    lines: Lines,
}

impl Digest {
    pub(super) fn new(lines: Lines) -> Self {
        Self { lines }
    }
}

#[wasm_bindgen]
impl Digest {
    /// The next line; `null` after the last.
    ///
    /// # Errors
    /// None but what the source lacks.
    #[allow(clippy::should_implement_trait, reason = "the name in JavaScript")]
    pub fn next(&mut self) -> Result<JsValue, JsValue> {
        answer(match self.lines.next() {
            None => Ok(JsValue::NULL),
            Some(Ok(line)) => Ok(line.into()),
            Some(Err(e)) => Err(e.into()),
        })
    }
}
