//! Values of elements as short texts.

use h5kit::anndata_each_values;
use h5kit::bytes::Text;
use h5kit::encoding::anndata::{Categorical, Element, Kind, Ragged, Result, Values};

use crate::paint::quoted;

/// Characters that are shown of a text.
const CHARACTERS: usize = 40;
/// Entries that are shown of a list.
const ENTRIES: usize = 8;
/// What is shown for a missing value.
pub const MISSING: &str = "NA";

/// Each value.
pub fn each(values: &Values) -> Vec<String> {
    match values {
        Values::String(values) => values.iter().map(|text| quoted(&Text::from(text.as_str()), CHARACTERS)).collect(),
        Values::Bytes(values) => values.iter().map(|bytes| quoted(&Text::from(&bytes[..]), CHARACTERS)).collect(),
        Values::F16(values) => values.iter().map(|n| format!("{n}")).collect(),
        Values::C64(values) => values.iter().map(complex).collect(),
        Values::C128(values) => values.iter().map(complex).collect(),
        values => anndata_each_values!(values, values => values.iter().map(|value| format!("{value:?}")).collect()),
    }
}

/// A complex number.
fn complex<T: std::fmt::Debug>([r, i]: &[T; 2]) -> String {
    let i = format!("{i:?}");
    let plus = if i.starts_with('-') { "" } else { "+" };
    format!("{r:?}{plus}{i}i")
}

/// The values of a run of entries of an element of one dimension; `None` for an element that has no such values.
pub fn run(element: &Element, rows: std::ops::Range<u64>) -> Result<Option<Vec<String>>> {
    Ok(Some(match &element.kind {
        Kind::Array(array) | Kind::StringArray(array) if array.shape().len() == 1 => each(&array.values(rows)?),
        Kind::NullableInteger(nullable) | Kind::NullableBoolean(nullable) | Kind::NullableStrings(nullable) => {
            let (values, missing) = nullable.read(rows)?;
            let shown = each(&values).into_iter().zip(missing);
            shown.map(|(value, missing)| if missing { MISSING.to_owned() } else { value }).collect()
        }
        Kind::Categorical(categorical) => {
            let labels = categories(categorical)?;
            let label = |code: Option<u64>| code.and_then(|code| labels.get(code as usize).cloned());
            categorical.codes(rows)?.into_iter().map(|code| label(code).unwrap_or_else(|| MISSING.to_owned())).collect()
        }
        Kind::Awkward(awkward) => awkward.read(rows)?.iter().map(ragged).collect(),
        _ => return Ok(None),
    }))
}

/// The categories.
pub fn categories(categorical: &Categorical) -> Result<Vec<String>> {
    Ok(each(&categorical.categories().values(..)?))
}

/// An entry of ragged lists.
fn ragged(entry: &Ragged) -> String {
    let list = |entries: &[Ragged]| joined(entries.iter().map(ragged), entries.len());
    match entry {
        Ragged::Missing => MISSING.to_owned(),
        Ragged::Bool(value) => value.to_string(),
        Ragged::Integer(value) => value.to_string(),
        Ragged::Float(value) => format!("{value:?}"),
        Ragged::Complex(value) => complex(value),
        Ragged::Text(text) => quoted(&Text::from(text.as_str()), CHARACTERS),
        Ragged::Bytes(bytes) => quoted(&Text::from(&bytes[..]), CHARACTERS),
        Ragged::List(entries) => format!("[{}]", list(entries)),
        Ragged::Tuple(entries) => format!("({})", list(entries)),
        Ragged::Record(fields) => {
            let field = |(name, value): &(String, Ragged)| format!("{}: {}", crate::paint::clean(name), ragged(value));
            format!("{{{}}}", joined(fields.iter().map(field), fields.len()))
        }
    }
}

/// The first of so many texts, with commas.
pub fn joined(texts: impl Iterator<Item = String>, count: usize) -> String {
    let mut shown: Vec<String> = texts.take(ENTRIES).collect();
    if count > ENTRIES {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

/// Lengths of dimensions.
pub fn shape(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ")
}
