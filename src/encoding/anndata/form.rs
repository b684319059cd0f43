//! The forms of awkward arrays, and what they ask of their buffers.
//! (<https://awkward-array.org/doc/main/reference/generated/ak.forms.Form.html>)

use serde_json::Value;

use super::awkward::Awkward;
use super::fault::{Result, Rule, broken};

/// A node of a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    class: String,
    key: String,
    contents: Vec<Form>,
    /// Entries of each list of one length, and of each value of an array.
    size: u64,
    inner_size: u64,
}

/// Deepest nesting of a form.
const DEPTH: usize = 64;

impl Form {
    pub(super) fn parse(text: &str) -> std::result::Result<Self, String> {
        let json: Value = serde_json::from_str(text).map_err(|error| format!("a form that is not JSON: {error}"))?;
        Self::of(&json, DEPTH)
    }

    fn of(json: &Value, depth: usize) -> std::result::Result<Self, String> {
        let Some(depth) = depth.checked_sub(1) else { return Err("a form that is nested too deep".into()) };
        // A name alone stands for an array of this type.
        let Some(object) = json.as_object() else {
            return Err(format!("a node of a form that is {json}"));
        };
        let class = object.get("class").and_then(Value::as_str).ok_or("a node of a form without a class")?;
        let key = object.get("form_key").and_then(Value::as_str).unwrap_or_default();
        let contents = match (object.get("content"), object.get("contents")) {
            (Some(content), _) => vec![Self::of(content, depth)?],
            (None, Some(Value::Array(contents))) => {
                contents.iter().map(|content| Self::of(content, depth)).collect::<std::result::Result<_, _>>()?
            }
            (None, Some(Value::Object(contents))) => {
                contents.values().map(|content| Self::of(content, depth)).collect::<std::result::Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        let inner = object.get("inner_shape").and_then(Value::as_array).cloned().unwrap_or_default();
        Ok(Self {
            class: class.to_owned(),
            key: key.to_owned(),
            contents,
            size: object.get("size").and_then(Value::as_u64).unwrap_or(1),
            inner_size: inner.iter().filter_map(Value::as_u64).fold(1, u64::saturating_mul),
        })
    }

    /// Holds the buffers of this node, of at least `length` entries, against what it says; `outermost` where the
    /// length is that of the whole array.
    pub(super) fn verify(&self, array: &Awkward, length: u64, path: &str, outermost: bool) -> Result<()> {
        let buffer = |role: &str, needed: u64| {
            let name = format!("{}-{role}", self.key);
            let dataset = array.buffer(&name)?;
            if dataset.len() < needed {
                let text = format!("the buffer {name} has {} entries, and {needed} are needed", dataset.len());
                return broken(if outermost { Rule::LengthMismatch } else { Rule::BadForm }, path, text);
            }
            Ok(dataset)
        };
        let integers = |role: &str, needed: u64| -> Result<Vec<i64>> {
            let dataset = buffer(role, needed)?;
            Ok(dataset.read(0..needed)?)
        };
        let inner = |form: Option<&Self>, length: u64| match form {
            Some(form) => form.verify(array, length, path, false),
            None => broken(Rule::BadForm, path, format!("a {} without content", self.class)),
        };
        let bad = |text: &str| broken(Rule::BadForm, path, format!("{}: {text}", self.key));
        let content = self.contents.first();
        match self.class.as_str() {
            "NumpyArray" => buffer("data", length.saturating_mul(self.inner_size)).map(|_| ()),
            "EmptyArray" => Ok(()),
            "ListOffsetArray" => {
                let offsets = integers("offsets", length.saturating_add(1))?;
                if offsets.iter().any(|offset| *offset < 0) || !offsets.is_sorted() {
                    return bad("offsets that fall");
                }
                inner(content, offsets.last().map_or(0, |last| last.unsigned_abs()))
            }
            "ListArray" => {
                let (starts, stops) = (integers("starts", length)?, integers("stops", length)?);
                if starts.iter().zip(&stops).any(|(start, stop)| *start < 0 || start > stop) {
                    return bad("lists that end before they begin");
                }
                inner(content, stops.iter().max().map_or(0, |stop| stop.unsigned_abs()))
            }
            "RegularArray" => inner(content, length.saturating_mul(self.size)),
            "RecordArray" => self.contents.iter().try_for_each(|form| inner(Some(form), length)),
            "IndexedArray" | "IndexedOptionArray" => {
                let index = integers("index", length)?;
                inner(content, index.iter().max().map_or(0, |last| (last + 1).max(0).unsigned_abs()))
            }
            "ByteMaskedArray" => buffer("mask", length).and_then(|_| inner(content, length)),
            "BitMaskedArray" => buffer("mask", length.div_ceil(8)).and_then(|_| inner(content, length)),
            "UnmaskedArray" => inner(content, length),
            "UnionArray" => {
                let (tags, index) = (integers("tags", length)?, integers("index", length)?);
                for (tag, form) in (0..).zip(&self.contents) {
                    let last = tags.iter().zip(&index).filter(|(of, _)| **of == tag).map(|(_, index)| *index).max();
                    inner(Some(form), last.map_or(0, |last| (last + 1).max(0).unsigned_abs()))?;
                }
                Ok(())
            }
            other => broken(Rule::BadForm, path, format!("a form of the unknown class {other}")),
        }
    }
}
