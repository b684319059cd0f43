//! Errors, as JavaScript sees them.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

use crate::error::{Cause, Error, ErrorKind, Unsupported};

/// Why a call gives nothing.
pub(super) enum Failure {
    /// The session asks for ranges or files first.
    Missing,
    /// An error: an object with `kind`, `message`, and what else is known.
    Told(JsValue),
}

pub(super) type Result<T> = std::result::Result<T, Failure>;

/// What a call gives to JavaScript: `undefined` where something is missing.
pub(super) fn answer<T: Into<JsValue>>(result: Result<T>) -> std::result::Result<JsValue, JsValue> {
    match result {
        Ok(value) => Ok(value.into()),
        Err(Failure::Missing) => Ok(JsValue::UNDEFINED),
        Err(Failure::Told(error)) => Err(error),
    }
}

impl Failure {
    /// An error that is none of a file.
    pub(super) fn new(kind: &str, message: &str) -> Self {
        Self::Told(object(&[("kind", kind.into()), ("message", message.into())]).into())
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// The error as a value that stands where it does not hide the rest.
    pub(super) fn value(self) -> JsValue {
        match self {
            Self::Missing => JsValue::UNDEFINED,
            Self::Told(error) => error,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if error.is_missing() {
            return Self::Missing;
        }
        let mut fields = vec![("kind", kind(error.kind()).into()), ("message", error.to_string().into())];
        if let Some(path) = error.path() {
            fields.push(("path", path.into()));
        }
        if let Some(Unsupported::Filter(id) | Unsupported::FilterFeature(id, _)) = error.unsupported() {
            fields.push(("filter", id.into()));
        }
        if let Cause::Limit { limit, .. } = error.cause() {
            fields.push(("limit", (*limit).into()));
        }
        Self::Told(object(&fields).into())
    }
}

pub(super) fn kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotHdf5 => "NotHdf5",
        ErrorKind::Corrupt => "Corrupt",
        ErrorKind::Unsupported => "Unsupported",
        ErrorKind::NotFound => "NotFound",
        ErrorKind::Type => "Type",
        ErrorKind::Selection => "Selection",
        ErrorKind::Limit => "Limit",
        ErrorKind::Usage => "Usage",
        ErrorKind::Io => "Io",
    }
}

/// An object of these fields.
pub(super) fn object(fields: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in fields {
        // Setting a field of an object that was just made does not fail.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object
}

/// Calls `visit` with every item. Where something is missing the items after it are visited too, so that one round fetches
/// what all of them lack.
pub(super) fn each<I: IntoIterator>(items: I, mut visit: impl FnMut(I::Item) -> Result<()>) -> Result<()> {
    let mut missing = false;
    for item in items {
        match visit(item) {
            Err(failure) if failure.is_missing() => missing = true,
            Err(failure) if !missing => return Err(failure),
            _ => {}
        }
    }
    if missing { Err(Failure::Missing) } else { Ok(()) }
}
