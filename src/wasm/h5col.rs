//! H5Col tables in JavaScript.

use js_sys::{Array, Float64Array, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::describe;
use super::failure::{Failure, Result, answer, object};
use super::session::whole;
use super::values::{Numbers, array_of, texts};
use crate::digest::json::{Json, list, quoted};
use crate::element::Strings;
use crate::encoding::h5col::{Batch, Column, Data, Error, Predicate, Rows, Select, Table, Values};
use crate::format::message::datatype::Datatype;

/// A table.
#[wasm_bindgen]
pub struct Columns {
    table: Table,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let kind = match error {
            Error::File(error) => return error.into(),
            Error::Query(_) => "Query",
            _ => "Rule",
        };
        Self::new(kind, &error.to_string())
    }
}

impl Columns {
    pub(super) fn new(table: Table) -> Self {
        Self { table }
    }

    fn column(&self, name: &str) -> Result<&Column> {
        let found = self.table.column(name);
        found.ok_or_else(|| Failure::new("Query", &format!("{}: no column `{name}`", self.table.path())))
    }

    fn selected(&self, condition: Option<&str>, limit: f64) -> Result<Select> {
        let predicate = match condition {
            Some(text) => text.parse().map_err(|e: crate::encoding::h5col::QueryError| Error::from(e))?,
            None => Predicate::All,
        };
        let select = self.table.select(predicate);
        Ok(if limit.is_nan() { select } else { select.limit(whole(limit)) })
    }
}

fn described(table: &Table) -> String {
    let column = |column: &Column| {
        let mut json = Json::object();
        json.text("name", &column.name().display());
        json.text("kind", &format!("{:?}", column.kind()));
        json.text("path", column.info().path());
        if let Some(datatype) = datatype(column) {
            json.raw("dtype", &describe::datatype(datatype));
        }
        json.finish()
    };
    let mut json = Json::object();
    json.text("path", table.path());
    json.number("rows", table.nrows());
    json.text("version", &table.version().display());
    json.raw("columns", &list(table.columns().iter().map(column)));
    json.raw("foreign", &list(table.foreign().iter().map(|foreign| quoted(&foreign.path))));
    json.finish()
}

/// Rows as runs: first and end of each.
fn rows(rows: &Rows) -> JsValue {
    let ends: Vec<f64> = rows.runs().flat_map(|run| [run.start as f64, run.end as f64]).collect();
    Float64Array::from(&ends[..]).into()
}

fn batch(batch: &Batch) -> JsValue {
    let columns: Array = batch
        .columns
        .iter()
        .map(|(column, read)| {
            let name = column.name().display().into_owned();
            JsValue::from(object(&[("name", name.into()), ("values", values(read, datatype(column)))]))
        })
        .collect();
    object(&[("rows", rows(&batch.rows)), ("columns", columns.into())]).into()
}

fn datatype(column: &Column) -> Option<&Datatype> {
    column.as_scalar().map(|scalar| scalar.dataset().datatype())
}

/// Values and which are missing. Integers have the width that they are stored with, those in lists 64 bits.
fn values(values: &Values, stored: Option<&Datatype>) -> JsValue {
    let missing: Vec<u8> = values.missing.iter().map(|missing| u8::from(*missing)).collect();
    let mut fields = vec![("missing", JsValue::from(Uint8Array::from(&missing[..])))];
    match &values.data {
        Data::Signed(integers) => fields.push(("values", signed(integers, stored))),
        Data::Unsigned(integers) => fields.push(("values", unsigned(integers, stored))),
        Data::Float(floats) => fields.push(("values", array_of(floats))),
        Data::Boolean(booleans) => {
            let bytes: Vec<u8> = booleans.iter().map(|boolean| u8::from(*boolean)).collect();
            fields.push(("values", array_of(&bytes)));
            fields.push(("boolean", true.into()));
        }
        Data::Text(all) => {
            let all: Vec<_> = all.iter().map(|text| text.display()).collect();
            fields.push(("texts", texts(&all.iter().map(AsRef::as_ref).collect::<Strings>())));
        }
        Data::Value(all) => {
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            fields.push(("texts", texts(&all.iter().map(String::as_str).collect::<Strings>())));
        }
        Data::List(lists) => {
            let offsets: Vec<f64> = lists.offsets.iter().map(|offset| *offset as f64).collect();
            fields.push(("offsets", array_of(&offsets)));
            fields.push(("lists", self::values(&lists.values, None)));
        }
    }
    object(&fields).into()
}

fn signed(integers: &[i64], stored: Option<&Datatype>) -> JsValue {
    match stored.and_then(Numbers::of) {
        Some(Numbers::I8) => array_of(&integers.iter().map(|n| *n as i8).collect::<Vec<_>>()),
        Some(Numbers::I16) => array_of(&integers.iter().map(|n| *n as i16).collect::<Vec<_>>()),
        Some(Numbers::I32) => array_of(&integers.iter().map(|n| *n as i32).collect::<Vec<_>>()),
        _ => array_of(integers),
    }
}

fn unsigned(integers: &[u64], stored: Option<&Datatype>) -> JsValue {
    match stored.and_then(Numbers::of) {
        Some(Numbers::U8) => array_of(&integers.iter().map(|n| *n as u8).collect::<Vec<_>>()),
        Some(Numbers::U16) => array_of(&integers.iter().map(|n| *n as u16).collect::<Vec<_>>()),
        Some(Numbers::U32) => array_of(&integers.iter().map(|n| *n as u32).collect::<Vec<_>>()),
        _ => array_of(integers),
    }
}

type Answer = std::result::Result<JsValue, JsValue>;

#[wasm_bindgen]
impl Columns {
    /// The table, as JSON.
    pub fn describe(&self) -> String {
        described(&self.table)
    }

    /// Some rows of a column.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(&self, column: &str, start: f64, end: f64) -> Answer {
        answer(
            self.column(column)
                .and_then(|column| Ok(values(&column.read(whole(start)..whole(end))?, datatype(column)))),
        )
    }

    /// Rows of a column by their numbers, in ascending order.
    ///
    /// # Errors
    /// What is wrong with it.
    #[wasm_bindgen(js_name = readRows)]
    pub fn read_rows(&self, column: &str, numbers: &[f64]) -> Answer {
        let rows = Rows::of(numbers.iter().map(|number| whole(*number)).collect());
        answer(self.column(column).and_then(|column| Ok(values(&column.read_rows(&rows)?, datatype(column)))))
    }

    /// The labels of a categorical column, or `null`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn labels(&self, column: &str) -> Answer {
        answer(self.column(column).and_then(|column| {
            let Some(scalar) = column.as_scalar() else { return Ok(JsValue::NULL) };
            let Some(labels) = scalar.labels()? else { return Ok(JsValue::NULL) };
            Ok(values(&labels.read()?, Some(labels.dataset().datatype())))
        }))
    }

    /// The rows that a condition is true of, as runs.
    ///
    /// # Errors
    /// A condition that does not fit the table; what is wrong with its columns.
    pub fn rows(&self, condition: Option<String>, limit: f64) -> Answer {
        answer(self.selected(condition.as_deref(), limit).and_then(|select| Ok(rows(&select.rows()?))))
    }

    /// The same rows, with their values of some columns, or of all.
    ///
    /// # Errors
    /// As [`Columns::rows`].
    pub fn query(&self, condition: Option<String>, columns: Option<Vec<String>>, limit: f64) -> Answer {
        answer(self.selected(condition.as_deref(), limit).and_then(|select| {
            let select = match columns {
                Some(names) => select.columns(names),
                None => select,
            };
            Ok(batch(&select.read()?))
        }))
    }

    /// How the rows will be found, in words.
    ///
    /// # Errors
    /// As [`Columns::rows`].
    pub fn plan(&self, condition: Option<String>) -> Answer {
        answer(self.selected(condition.as_deref(), f64::NAN).and_then(|select| Ok(select.plan()?.to_string())))
    }
}
