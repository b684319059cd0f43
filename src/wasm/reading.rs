//! Elements of datasets, part by part.

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::describe;
use super::failure::{Failure, Result, answer};
use super::values::{Numbers, values};
use crate::digest::json::{Json, list};
use crate::format::message::datatype::{Class, Datatype};
use crate::object::{Dataset, FileHeap};
use crate::selection::{Resolved, Selection};

/// A read of a dataset that is done part by part, so that not all of it has to be in this memory, which never shrinks.
#[wasm_bindgen]
pub struct Reading {
    dataset: Dataset,
    selected: Resolved,
    parts: Vec<Resolved>,
    numbers: Option<Numbers>,
    /// Compounds with the members that were chosen.
    chosen: Option<Datatype>,
}

impl Reading {
    /// Begins a read in parts of some bytes each, where it can be cut so.
    pub(super) fn begin(dataset: Dataset, selection: Selection, part: u64) -> Result<Self> {
        let begin = || {
            let selected = dataset.resolve(&selection)?;
            dataset.length_of(&selected)?;
            Ok(selected)
        };
        let selected = begin().map_err(|e: crate::Error| Failure::from(e.in_object(dataset.path())))?;
        let parts = if selected.elements() == 0 { Vec::new() } else { dataset.blocks(&selected, part) };
        let numbers = Numbers::of(dataset.datatype());
        Ok(Self { dataset, selected, parts, numbers, chosen: None })
    }

    fn bytes(&self, part: usize) -> Result<Vec<u8>> {
        let part = self.parts.get(part).ok_or_else(|| Failure::new("Usage", "no such part"))?;
        self.dataset.bytes(part).map_err(|e| e.in_object(self.dataset.path()).into())
    }

    fn read(&self, part: usize) -> Result<JsValue> {
        let bytes = self.bytes(part)?;
        let heap = FileHeap::new(self.dataset.file().storage());
        let datatype = self.chosen.as_ref().unwrap_or(self.dataset.datatype());
        values(datatype, &bytes, &heap).map_err(|e| e.in_object(self.dataset.path()).into())
    }

    fn filled(&self, part: usize, target: &Uint8Array) -> Result<f64> {
        let bytes = self.bytes(part)?;
        let numbers = self.numbers.ok_or_else(|| Failure::new("Usage", "these are no numbers"))?;
        let memory = numbers.memory(self.dataset.datatype(), bytes);
        let memory = memory.map_err(|e| e.in_object(self.dataset.path()))?;
        let room = u32::try_from(memory.len()).ok().filter(|n| *n <= target.length());
        let room = room.ok_or_else(|| Failure::new("Usage", "there is no room for these numbers"))?;
        target.subarray(0, room).copy_from(&memory);
        Ok(room.into())
    }
}

#[wasm_bindgen]
impl Reading {
    /// What is read, as JSON: shape, number of parts, bytes in the file, and where they are numbers the name of their array and
    /// how many there are.
    pub fn describe(&self) -> String {
        let mut json = Json::object();
        json.raw("shape", &describe::numbers(&self.selected.shape()));
        json.number("parts", self.parts.len());
        let elements = self.selected.elements();
        json.number("bytes", elements.saturating_mul(self.dataset.datatype().size.into()));
        if let Some(numbers) = self.numbers {
            json.text("array", numbers.array());
            json.number("length", elements.saturating_mul(numbers.count(self.dataset.datatype())));
        }
        json.finish()
    }

    /// Chooses members of compounds by their numbers: the others are not converted.
    pub fn choose(&mut self, numbers: &[u32]) {
        let mut datatype = self.dataset.datatype().clone();
        if let Class::Compound { members } = &mut datatype.class {
            *members = numbers.iter().filter_map(|number| members.get(*number as usize)).cloned().collect();
        }
        self.chosen = Some(datatype);
    }

    /// The shape of a part as JSON.
    #[wasm_bindgen(js_name = shapeOf)]
    pub fn shape_of(&self, part: usize) -> String {
        describe::numbers(&self.parts.get(part).map(Resolved::shape).unwrap_or_default())
    }

    /// The elements of a part.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn part(&self, part: usize) -> std::result::Result<JsValue, JsValue> {
        answer(self.read(part))
    }

    /// Writes the numbers of a part to the beginning of an array, and gives how many bytes they are.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn fill(&self, part: usize, target: &Uint8Array) -> std::result::Result<JsValue, JsValue> {
        answer(self.filled(part, target))
    }

    /// The bytes of a part in the file's datatype.
    ///
    /// # Errors
    /// As [`Dataset::read_bytes`].
    pub fn stored(&self, part: usize) -> std::result::Result<JsValue, JsValue> {
        answer(self.bytes(part).map(|bytes| Uint8Array::from(&bytes[..])))
    }
}

/// The fill value of a dataset: one element, or `null`.
pub(super) fn fill_value(dataset: &Dataset) -> Result<JsValue> {
    let Some(bytes) = dataset.fill_bytes() else { return Ok(JsValue::NULL) };
    let heap = FileHeap::new(dataset.file().storage());
    values(dataset.datatype(), bytes, &heap).map_err(|e| e.in_object(dataset.path()).into())
}

/// The chunks of a dataset as JSON.
pub(super) fn chunks(dataset: &Dataset) -> Result<String> {
    let chunk = |chunk: &crate::object::StoredChunk| {
        let mut json = Json::object();
        json.raw("offset", &describe::numbers(&chunk.offset));
        json.number("position", chunk.position);
        json.number("size", chunk.size);
        json.number("filterMask", chunk.filter_mask);
        json.finish()
    };
    Ok(list(dataset.chunks()?.iter().map(chunk)))
}
