//! A file that is open in JavaScript.

use std::num::NonZero;
use std::sync::Arc;

use js_sys::{Array, Float64Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::failure::{Failure, Result, answer};
use super::neighbours::Files;
use super::{describe, listing, reading, selection};
use crate::Limits;
use crate::bytes::{Addr, Text};
use crate::object::{File, Object, ObjectPath, Options};
use crate::source::{Extents, Fetching, Request};

/// A file, and the ranges of it that have been fetched.
///
/// Objects are named by a place: the address of their header, or, where that is not a number, a path.
#[wasm_bindgen]
pub struct Session {
    files: Files,
    fetching: Fetching,
    budget: u64,
    limits: Limits,
    /// What [`Session::requests`] gave last: the number of the file, and the request.
    asked: Vec<(usize, Request)>,
    file: Option<File>,
}

/// Keeps what was fetched until it is freed.
#[wasm_bindgen]
pub struct Turns {
    _turns: Vec<crate::source::Turn>,
}

/// A number of JavaScript as one of bytes or elements; one that is none, or negative, is past every end.
pub(super) fn whole(number: f64) -> u64 {
    if number >= 0.0 { number as u64 } else { u64::MAX }
}

#[wasm_bindgen]
impl Session {
    /// A file of `length` bytes of which the first ones are here. `page`, `gap`, `small`, `budget` and `most` are in bytes: see
    /// `Fetching`, `Extents::with_budget` and `Limits::read_bytes`.
    #[wasm_bindgen(constructor)]
    pub fn new(length: f64, first: Vec<u8>, page: f64, gap: f64, small: f64, budget: f64, most: f64) -> Self {
        let (page, gap, small) = (whole(page).max(1), whole(gap), whole(small));
        let fetching = Fetching { page, gap, small, ..Fetching::default() };
        let limits = Limits { read_bytes: whole(most), ..Limits::default() };
        let budget = whole(budget);
        let own = Arc::new(Extents::with_budget(whole(length), budget));
        own.insert(0, first);
        Self { files: Files::new(own), fetching, budget, limits, asked: Vec::new(), file: None }
    }

    /// Begins a piece of work that is called again until nothing is missing.
    pub fn begin(&self) -> Turns {
        Turns { _turns: self.files.open().iter().map(|(_, extents)| extents.begin()).collect() }
    }

    /// What is to be fetched before the next call: of each request the number of the file, its first byte and its end.
    pub fn requests(&mut self) -> Float64Array {
        self.asked.clear();
        for (number, extents) in self.files.open() {
            self.asked.extend(extents.requests(&self.fetching).into_iter().map(|request| (number, request)));
        }
        let numbers =
            |(file, Request { range, .. }): &(usize, Request)| [*file as f64, range.start as f64, range.end as f64];
        let numbers: Vec<f64> = self.asked.iter().flat_map(numbers).collect();
        Float64Array::from(&numbers[..])
    }

    /// Whether a range is structures, which stay, rather than elements: by its number among the requests.
    #[wasm_bindgen(js_name = isStructure)]
    pub fn is_structure(&self, number: usize) -> bool {
        self.asked.get(number).is_some_and(|(_, request)| request.kind == crate::source::Kind::Structure)
    }

    /// Adds bytes that were fetched.
    pub fn answer(&self, file: usize, start: f64, structure: bool, bytes: Vec<u8>) {
        use crate::source::Kind;
        let kind = if structure { Kind::Structure } else { Kind::Data };
        let (start, length) = (whole(start), bytes.len() as u64);
        if let Some(extents) = self.files.number(file) {
            extents.answer(&Request { range: start..start.saturating_add(length), kind }, bytes);
        }
    }

    /// Bytes that are kept of the file and of those that it names.
    pub fn kept(&self) -> f64 {
        self.files.open().iter().map(|(_, extents)| extents.kept() as f64).sum()
    }

    /// Names of files that this one leads to, which have to be looked for.
    pub fn wanted(&self) -> Array {
        self.files.wanted().iter().map(|name| JsValue::from_str(name)).collect()
    }

    /// Says that there is no file of a name.
    pub fn absent(&self, name: &str) {
        self.files.found(name, None);
    }

    /// Says that a file of a name was found: its length, and its first bytes. Gives its number.
    pub fn found(&self, name: &str, length: f64, first: Vec<u8>) -> Option<usize> {
        let extents = Arc::new(Extents::with_budget(whole(length), self.budget));
        extents.insert(0, first);
        self.files.found(name, Some(extents))
    }

    /// Opens the file: gives the root group as [`Session::object`] gives any object. Where nobody `finds` other files, what
    /// needs them is an error.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(&mut self, finds: bool) -> std::result::Result<JsValue, JsValue> {
        answer(self.opened(finds))
    }

    fn opened(&mut self, finds: bool) -> Result<String> {
        if self.file.is_none() {
            let [own] = &self.files.open()[..1] else { return Err(Failure::new("Usage", "no file")) };
            let options = Options::new().limits(self.limits.clone()).threads(NonZero::<usize>::MIN);
            let options = if finds { options.neighbours(self.files.neighbours()) } else { options };
            self.file = Some(options.from_source(own.1.clone())?);
        }
        let file = self.file()?;
        Ok(describe::object(&Object::Group(file.root()), file))
    }

    fn file(&self) -> Result<&File> {
        self.file.as_ref().ok_or_else(|| Failure::new("Usage", "the file is not open"))
    }

    /// The object at a place.
    fn at(&self, address: f64, path: &[u8]) -> Result<Object> {
        let file = self.file()?;
        if address.is_nan() {
            return Ok(file.object(path)?);
        }
        let path = Text::from(path).to_string();
        let found = Object::at(file, Addr(whole(address)), ObjectPath::new(&path));
        found.map_err(|e| e.in_object(&path).into())
    }

    /// The object at a path from the group at a place, as JSON.
    ///
    /// # Errors
    /// As [`File::object`].
    pub fn object(&self, address: f64, path: &[u8], rest: &[u8]) -> std::result::Result<JsValue, JsValue> {
        answer(self.below(address, path, rest).and_then(|object| Ok(describe::object(&object, self.file()?))))
    }

    fn below(&self, address: f64, path: &[u8], rest: &[u8]) -> Result<Object> {
        match self.at(address, path)? {
            object if rest.is_empty() => Ok(object),
            Object::Group(group) => Ok(group.object(rest)?),
            other => Err(other.is_not("group").into()),
        }
    }

    /// Whether there is an object at a path from the group at a place.
    ///
    /// # Errors
    /// A file that breaks the format on the way.
    pub fn exists(&self, address: f64, path: &[u8], rest: &[u8]) -> std::result::Result<JsValue, JsValue> {
        let exists = || match self.at(address, path)? {
            Object::Group(group) => Ok(group.exists(rest)?),
            other => Err(other.is_not("group").into()),
        };
        answer(exists())
    }

    /// The links of the group at a place, and what they lead to, down to a depth: JSON. `0` is names alone.
    ///
    /// # Errors
    /// As [`Group::links`](crate::Group::links).
    pub fn entries(&self, address: f64, path: &[u8], depth: u32) -> std::result::Result<JsValue, JsValue> {
        let entries = || match self.at(address, path)? {
            Object::Group(group) => listing::entries(&group, self.file()?, depth),
            other => Err(other.is_not("group").into()),
        };
        answer(entries())
    }

    /// The attributes of the object at a place: of each its name, its description as JSON and its elements, or an error in
    /// place of these.
    ///
    /// # Errors
    /// As [`ObjectInfo::attributes`](crate::ObjectInfo::attributes).
    pub fn attributes(&self, address: f64, path: &[u8]) -> std::result::Result<JsValue, JsValue> {
        answer(self.at(address, path).and_then(|object| listing::attributes(object.info())))
    }

    /// Prepares to read the dataset at a place, in parts of some bytes. What is selected is `numbers`, as `form` says.
    ///
    /// # Errors
    /// As [`Dataset::read`](crate::Dataset::read), as far as can be told without reading.
    pub fn read(
        &self,
        address: f64,
        path: &[u8],
        form: &str,
        numbers: &[f64],
        part: f64,
    ) -> std::result::Result<JsValue, JsValue> {
        answer(self.dataset(address, path).and_then(|dataset| {
            let selection = selection::selection(form, numbers, dataset.shape().len())?;
            reading::Reading::begin(dataset, selection, whole(part))
        }))
    }

    fn dataset(&self, address: f64, path: &[u8]) -> Result<crate::Dataset> {
        match self.at(address, path)? {
            Object::Dataset(dataset) => Ok(dataset),
            other => Err(other.is_not("dataset").into()),
        }
    }

    /// The fill value of the dataset at a place: an element, `null` where the file gives none.
    ///
    /// # Errors
    /// As [`Dataset::fill_value`](crate::Dataset::fill_value).
    #[wasm_bindgen(js_name = fillValue)]
    pub fn fill_value(&self, address: f64, path: &[u8]) -> std::result::Result<JsValue, JsValue> {
        answer(self.dataset(address, path).and_then(|dataset| reading::fill_value(&dataset)))
    }

    /// The chunks of the dataset at a place that are in the file: of each its offset, position, size and filter mask.
    ///
    /// # Errors
    /// As [`Dataset::chunks`](crate::Dataset::chunks).
    pub fn chunks(&self, address: f64, path: &[u8]) -> std::result::Result<JsValue, JsValue> {
        answer(self.dataset(address, path).and_then(|dataset| reading::chunks(&dataset)))
    }

    /// A path of the object whose header is at an address, or `null`.
    ///
    /// # Errors
    /// As [`File::path_at`].
    #[wasm_bindgen(js_name = pathAt)]
    pub fn path_at(&self, address: f64) -> std::result::Result<JsValue, JsValue> {
        let path = || Ok(self.file()?.path_at(whole(address))?.map_or(JsValue::NULL, JsValue::from_str));
        answer(path())
    }
}

#[cfg(feature = "wasm-tables")]
#[wasm_bindgen]
impl Session {
    /// The AnnData in the group at a place.
    ///
    /// # Errors
    /// As [`AnnData::at`](crate::encoding::anndata::AnnData::at).
    pub fn anndata(&self, address: f64, path: &[u8]) -> std::result::Result<JsValue, JsValue> {
        use crate::encoding::anndata::AnnData;
        answer(self.group(address, path).and_then(|group| Ok(super::anndata::Annotated::new(AnnData::at(&group)?))))
    }

    /// The table in the group at a place.
    ///
    /// # Errors
    /// As [`Table::open`](crate::encoding::h5col::Table::open).
    pub fn table(&self, address: f64, path: &[u8]) -> std::result::Result<JsValue, JsValue> {
        use crate::encoding::h5col::Table;
        answer(self.group(address, path).and_then(|group| Ok(super::h5col::Columns::new(Table::open(&group)?))))
    }

    /// The paths of the groups of the file that are tables.
    ///
    /// # Errors
    /// A file that breaks the format.
    pub fn tables(&self) -> std::result::Result<JsValue, JsValue> {
        let tables = || {
            let tables = crate::encoding::h5col::tables(self.file()?)?;
            Ok(tables.iter().map(|group| JsValue::from_str(group.path())).collect::<Array>())
        };
        answer(tables())
    }

    /// The lines of the canonical digest.
    ///
    /// # Errors
    /// `Usage` where the file is not open.
    pub fn digest(&self) -> std::result::Result<JsValue, JsValue> {
        use super::digest::Digest;
        answer(self.file().map(|file| Digest::new(crate::digest::Lines::of(file))))
    }

    fn group(&self, address: f64, path: &[u8]) -> Result<crate::object::Group> {
        match self.at(address, path)? {
            Object::Group(group) => Ok(group),
            other => Err(other.is_not("group").into()),
        }
    }
}
