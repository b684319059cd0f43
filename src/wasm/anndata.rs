//! AnnData in JavaScript.

use js_sys::{Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::describe;
use super::failure::{self, Failure, Result, answer, each, object};
use super::selection::selection;
use super::session::whole;
use super::values::{array_of, texts};
use crate::digest::json::{Json, list, quoted};
use crate::element::Strings;
use crate::encoding::anndata::Array as Stored;
use crate::encoding::anndata::{
    AnnData, Awkward, DataFrame, Element, Error, Kind, Members, Part, Ragged, Records, Sparse, Values,
};
use crate::selection::Selection;

/// An AnnData.
#[wasm_bindgen]
pub struct Annotated {
    data: AnnData,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::File(error) => error.into(),
            Error::Fault(fault) => {
                let told = [
                    ("kind", "Rule".into()),
                    ("message", fault.to_string().into()),
                    ("path", fault.path.as_str().into()),
                    ("rule", fault.rule.code().into()),
                ];
                Self::Told(object(&told).into())
            }
        }
    }
}

impl Annotated {
    pub(super) fn new(data: AnnData) -> Self {
        Self { data }
    }

    /// Shape, frames, and the keys of all mappings.
    fn described(&self) -> Result<String> {
        let data = &self.data;
        let mut json = Json::object();
        json.raw("shape", &describe::numbers(&[data.n_obs(), data.n_var()]));
        json.raw("keys", &strings(&data.members().keys()?));
        frame(&mut json, "obs", data.obs());
        frame(&mut json, "var", data.var());
        let mappings = [
            ("layers", data.layers()),
            ("obsm", data.obsm()),
            ("varm", data.varm()),
            ("obsp", data.obsp()),
            ("varp", data.varp()),
        ];
        for (name, mapping) in mappings {
            let keys = mapping?.map(|mapping| mapping.keys()).transpose()?.unwrap_or_default();
            json.raw(name, &strings(&keys));
        }
        let keys = data.uns()?.map(|uns| uns.keys()).transpose()?.unwrap_or_default();
        json.raw("uns", &strings(&keys));
        json.number("raw", data.raw()?.is_some());
        Ok(json.finish())
    }

    /// The element at a path, held against the shape of the whole, or a column against the length of its frame.
    fn open(&self, path: &str) -> Result<Element> {
        for (slash, _) in path.match_indices('/') {
            if let Kind::DataFrame(frame) = self.data.get(&path[..slash])?.kind {
                // A column's name may have slashes.
                let name = &path[slash + 1..];
                if frame.columns().iter().any(|column| column == name) {
                    return Ok(frame.column(name)?);
                }
                break;
            }
        }
        let found = self.data.get(path)?;
        match self.data.fit(&found) {
            Err(Error::Fault(fault)) if fault.warning => Ok(found),
            fits => Ok(fits.map(|()| found)?),
        }
    }

    fn array(&self, path: &str) -> Result<Stored> {
        match self.open(path)?.kind {
            Kind::Array(array) | Kind::StringArray(array) | Kind::NumericScalar(array) | Kind::String(array) => {
                Ok(array)
            }
            Kind::Bytes(array) => Ok(array),
            Kind::Categorical(categorical) => Ok(categorical.categories().clone()),
            other => Err(wrong(path, "array", &other)),
        }
    }

    fn awkward(&self, path: &str) -> Result<Awkward> {
        match self.open(path)?.kind {
            Kind::Awkward(awkward) => Ok(awkward),
            other => Err(wrong(path, "awkward array", &other)),
        }
    }

    fn buffers(&self, path: &str) -> Result<JsValue> {
        let awkward = self.awkward(path)?;
        let mut buffers = Vec::new();
        each(awkward.buffers()?, |name| {
            let buffer = values(&awkward.buffer_array(&name)?.values(Selection::All)?);
            buffers.push(Array::of2(&name.into(), &buffer));
            Ok(())
        })?;
        Ok(buffers.into_iter().collect::<Array>().into())
    }

    fn field(&self, path: &str, name: &str, form: &str, numbers: &[f64]) -> Result<JsValue> {
        let Kind::Records(records) = self.open(path)?.kind else {
            return Err(Failure::new("Usage", &format!("{path}: these are no records")));
        };
        let selection = selection(form, numbers, records.shape().len())?;
        Ok(values(&records.field(name)?.values(selection)?))
    }

    /// What is wrong with the whole, as JSON.
    fn faults(&self) -> Result<String> {
        let faults = self.data.faults();
        if faults.iter().any(|fault| fault.is_missing()) {
            return Err(Failure::Missing);
        }
        Ok(list(faults.iter().map(fault)))
    }

    fn sparse(&self, path: &str) -> Result<Sparse> {
        match self.open(path)?.kind {
            Kind::Sparse(sparse) => Ok(sparse),
            other => Err(wrong(path, "sparse matrix", &other)),
        }
    }

    fn entries(&self, path: &str, rows: Selection) -> Result<JsValue> {
        let missing =
            |missing: &[bool]| Uint8Array::from(&missing.iter().map(|m| u8::from(*m)).collect::<Vec<u8>>()[..]);
        match self.open(path)?.kind {
            Kind::Categorical(categorical) => {
                let codes = categorical.codes(rows)?;
                let codes: Vec<f64> = codes.into_iter().map(|code| code.map_or(-1.0, |code| code as f64)).collect();
                Ok(object(&[("codes", Float64Array::from(&codes[..]).into())]).into())
            }
            Kind::NullableInteger(nullable) | Kind::NullableBoolean(nullable) | Kind::NullableStrings(nullable) => {
                let (values, mask) = nullable.read(rows)?;
                Ok(object(&[("values", self::values(&values)), ("missing", missing(&mask).into())]).into())
            }
            Kind::Array(array) | Kind::StringArray(array) | Kind::NumericScalar(array) | Kind::String(array) => {
                Ok(object(&[("values", self::values(&array.values(rows)?))]).into())
            }
            other => Err(wrong(path, "column", &other)),
        }
    }
}

fn wrong(path: &str, wanted: &str, found: &Kind) -> Failure {
    let found = Element {
        kind: found.clone(),
        path: String::new(),
        at: None,
        version: None,
        legacy: None,
        warnings: Vec::new(),
    };
    Failure::new("Usage", &format!("{path}: this is a {}, not a {wanted}", found.encoding()))
}

fn strings(texts: &[String]) -> String {
    list(texts.iter().map(|text| quoted(text)))
}

fn frame(json: &mut Json, name: &str, frame: &DataFrame) {
    let mut inner = Json::object();
    inner.text("path", frame.path());
    inner.number("rows", frame.rows());
    inner.text("indexName", frame.index_name());
    inner.raw("columns", &strings(frame.columns()));
    json.raw(name, &inner.finish());
}

/// An element as JSON.
fn element(element: &Element) -> Result<String> {
    let mut json = Json::object();
    json.text("path", &element.path);
    json.text("encoding", element.encoding());
    if let Some(version) = &element.version {
        json.text("version", version);
    }
    if let Some(legacy) = element.legacy {
        json.text("legacy", legacy.name());
    }
    if let Some(shape) = element.shape() {
        json.raw("shape", &describe::numbers(&shape));
    }
    json.raw("warnings", &list(element.warnings.iter().map(|fault| quoted(&fault.to_string()))));
    match &element.kind {
        Kind::Dict(members) | Kind::AnnData(members) | Kind::Raw(members) => keys(&mut json, members)?,
        Kind::DataFrame(inner) => frame(&mut json, "frame", inner),
        Kind::Sparse(sparse) => {
            json.text("type", sparse.value_type().name());
            json.text("format", sparse.format().name());
            json.number("nnz", sparse.nnz());
        }
        Kind::Categorical(categorical) => {
            json.text("type", categorical.categories().value_type().name());
            json.number("ordered", categorical.is_ordered());
            json.number("categories", categorical.n_categories());
        }
        Kind::NullableInteger(inner) | Kind::NullableBoolean(inner) | Kind::NullableStrings(inner) => {
            json.text("type", inner.values().value_type().name());
        }
        Kind::Array(array) | Kind::StringArray(array) | Kind::NumericScalar(array) | Kind::String(array) => {
            json.text("type", array.value_type().name());
        }
        Kind::Records(records) => json.raw("fields", &fields(records)?),
        Kind::Awkward(awkward) => {
            json.text("form", awkward.form());
            json.number("length", awkward.length());
        }
        _ => {}
    }
    Ok(json.finish())
}

/// The fields of records, each with its type and the shape of its values.
fn fields(records: &Records) -> Result<String> {
    let field = |name: &String| {
        let mut json = Json::object();
        json.text("name", name);
        // What cannot be read is told when it is.
        if let Ok(field) = records.field(name) {
            json.text("type", field.value_type().name());
        }
        json.raw("shape", &describe::numbers(&records.field_shape(name)));
        json.finish()
    };
    Ok(list(records.names()?.iter().map(field)))
}

/// Something that is wrong, as JSON.
fn fault(error: &Error) -> String {
    let mut json = Json::object();
    match error {
        Error::Fault(fault) => {
            json.text("kind", "Rule");
            json.text("rule", fault.rule.code());
            json.text("path", &fault.path);
            json.text("message", &fault.text);
            json.number("warning", fault.warning);
        }
        Error::File(error) => {
            json.text("kind", failure::kind(error.kind()));
            if let Some(path) = error.path() {
                json.text("path", path.trim_start_matches('/'));
            }
            json.text("message", &error.to_string());
            json.number("warning", false);
        }
    }
    json.finish()
}

/// An entry of an awkward array: lists as arrays, records as objects.
fn entry(entry: Ragged) -> JsValue {
    match entry {
        Ragged::Missing => JsValue::NULL,
        Ragged::Bool(bool) => bool.into(),
        Ragged::Integer(n) if n.unsigned_abs() < 1 << 53 => (n as f64).into(),
        Ragged::Integer(n) => n.into(),
        Ragged::Float(n) => n.into(),
        Ragged::Complex([re, im]) => object(&[("re", re.into()), ("im", im.into())]).into(),
        Ragged::Text(text) => text.into(),
        Ragged::Bytes(bytes) => Uint8Array::from(&bytes[..]).into(),
        Ragged::List(entries) | Ragged::Tuple(entries) => {
            entries.into_iter().map(self::entry).collect::<Array>().into()
        }
        Ragged::Record(fields) => {
            let field = |(name, field): (String, Ragged)| Array::of2(&name.into(), &self::entry(field));
            // Pairs of names and values always make an object.
            js_sys::Object::from_entries(&fields.into_iter().map(field).collect::<Array>()).unwrap_or_default().into()
        }
    }
}

fn keys(json: &mut Json, members: &Members) -> Result<()> {
    json.raw("keys", &strings(&members.keys()?));
    Ok(())
}

/// Values as arrays.
fn values(values: &Values) -> JsValue {
    match values {
        Values::Bool(values) => Uint8Array::from(&values.iter().map(|b| u8::from(*b)).collect::<Vec<u8>>()[..]).into(),
        Values::I8(values) => array_of(values),
        Values::I16(values) => array_of(values),
        Values::I32(values) => array_of(values),
        Values::I64(values) => array_of(values),
        Values::U8(values) => array_of(values),
        Values::U16(values) => array_of(values),
        Values::U32(values) => array_of(values),
        Values::U64(values) => array_of(values),
        Values::F16(values) => array_of(&values.iter().map(|n| n.to_f32()).collect::<Vec<f32>>()),
        Values::F32(values) => array_of(values),
        Values::F64(values) => array_of(values),
        Values::C64(values) => array_of(values.as_flattened()),
        Values::C128(values) => array_of(values.as_flattened()),
        Values::String(values) => texts(&values.iter().map(String::as_str).collect::<Strings>()),
        Values::Bytes(values) => {
            values.iter().map(|bytes| JsValue::from(Uint8Array::from(&bytes[..]))).collect::<Array>().into()
        }
    }
}

/// Entries of some rows, or columns, of a sparse matrix.
fn part(part: &Part) -> JsValue {
    let starts: Vec<f64> = part.starts.iter().map(|start| *start as f64).collect();
    let indices: Option<Vec<u32>> = part.indices.iter().map(|index| u32::try_from(*index).ok()).collect();
    let indices = match indices {
        Some(indices) => Uint32Array::from(&indices[..]).into(),
        None => array_of(&part.indices.iter().map(|index| *index as f64).collect::<Vec<f64>>()),
    };
    object(&[("indptr", array_of(&starts)), ("indices", indices), ("data", values(&part.values))]).into()
}

fn places(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|n| whole(*n)).collect()
}

type Answer = std::result::Result<JsValue, JsValue>;

#[wasm_bindgen]
impl Annotated {
    /// The whole, as JSON.
    ///
    /// # Errors
    /// What is wrong with a mapping.
    pub fn describe(&self) -> Answer {
        answer(self.described())
    }

    /// The element at a path, as JSON.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn element(&self, path: &str) -> Answer {
        answer(self.open(path).and_then(|found| element(&found)))
    }

    /// Values of an array, or the categories of a column of these.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn values(&self, path: &str, form: &str, numbers: &[f64]) -> Answer {
        answer(self.array(path).and_then(|array| {
            let selection = selection(form, numbers, array.shape().len())?;
            Ok(values(&array.values(selection)?))
        }))
    }

    /// Rows of a column: codes, or values, and which are missing.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn column(&self, path: &str, form: &str, numbers: &[f64]) -> Answer {
        answer(selection(form, numbers, 1).and_then(|rows| self.entries(path, rows)))
    }

    /// Values of a field of records.
    ///
    /// # Errors
    /// What is wrong with it.
    #[wasm_bindgen(js_name = field)]
    pub fn field_of(&self, path: &str, name: &str, form: &str, numbers: &[f64]) -> Answer {
        answer(self.field(path, name, form, numbers))
    }

    /// Entries of an awkward array, rebuilt: those from one to another.
    ///
    /// # Errors
    /// What is wrong with it.
    #[wasm_bindgen(js_name = entries)]
    pub fn entries_of(&self, path: &str, start: f64, end: f64) -> Answer {
        answer(self.awkward(path).and_then(|awkward| {
            let entries = awkward.read(whole(start)..whole(end))?;
            Ok(entries.into_iter().map(entry).collect::<Array>())
        }))
    }

    /// The buffers of an awkward array: of each its name and its values.
    ///
    /// # Errors
    /// What is wrong with one.
    #[wasm_bindgen(js_name = buffers)]
    pub fn buffers_of(&self, path: &str) -> Answer {
        answer(self.buffers(path))
    }

    /// What is wrong with the whole, as JSON. Text, codes and indices are read for that.
    ///
    /// # Errors
    /// None: those of the file are among what is wrong.
    #[wasm_bindgen(js_name = faults)]
    pub fn all_faults(&self) -> Answer {
        answer(self.faults())
    }

    /// The labels of the rows of a data frame.
    ///
    /// # Errors
    /// What is wrong with its index.
    pub fn labels(&self, path: &str) -> Answer {
        let labels = || match self.data.get(path)?.kind {
            Kind::DataFrame(frame) => Ok(texts(&frame.labels()?.iter().map(String::as_str).collect::<Strings>())),
            other => Err(wrong(path, "data frame", &other)),
        };
        answer(labels())
    }

    /// Rows of CSR, or columns of CSC, of a sparse matrix: those from one to another.
    ///
    /// # Errors
    /// What is wrong with it.
    #[wasm_bindgen(js_name = majorRange)]
    pub fn major_range(&self, path: &str, start: f64, end: f64) -> Answer {
        answer(self.sparse(path).and_then(|sparse| Ok(part(&sparse.part(whole(start)..whole(end))?))))
    }

    /// The same for a list of them, in its order.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn major(&self, path: &str, listed: &[f64]) -> Answer {
        answer(self.sparse(path).and_then(|sparse| Ok(part(&sparse.select(&places(listed))?))))
    }

    /// Columns of CSR, or rows of CSC: by one pass over the matrix.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn minor(&self, path: &str, listed: &[f64]) -> Answer {
        answer(self.sparse(path).and_then(|sparse| Ok(part(&sparse.select_minor(&places(listed))?))))
    }
}
