//! Objects in a few words.

use h5kit::error::{Cause, Unsupported, Usage};
use h5kit::format::message::dataspace::Dataspace;
use h5kit::format::message::datatype::Class;
use h5kit::{Dataset, Datatype, Error, FilterInfo, Layout, Target};

use crate::paint::{self, clean, count, cut};

/// Characters of a datatype in a table.
const TYPE: usize = 32;

/// Dimensions: `700 × 765`.
pub fn dims(dims: &[u64]) -> String {
    let dims: Vec<String> = dims.iter().map(u64::to_string).collect();
    dims.join(" × ")
}

/// Largest dimensions: `700 × unlimited`.
pub fn max_dims(dims: &[Option<u64>]) -> String {
    let dims: Vec<String> = dims.iter().map(|n| n.map_or("unlimited".to_owned(), |n| n.to_string())).collect();
    dims.join(" × ")
}

/// The shape: dimensions, `scalar` or `null`.
pub fn shape(space: &Dataspace) -> String {
    if space.is_null() {
        "null".into()
    } else if space.dims.is_empty() {
        "scalar".into()
    } else {
        dims(&space.dims)
    }
}

/// True for the enumeration that stands for truth values.
pub fn is_bool(datatype: &Datatype) -> bool {
    let Class::Enumeration { members, base } = &datatype.class else { return false };
    let is = |i: usize, name: &str, value: u8| members.get(i).is_some_and(|(n, v)| *n == *name && v[..] == [value]);
    base.size == 1 && members.len() == 2 && is(0, "FALSE", 0) && is(1, "TRUE", 1)
}

/// A datatype in few characters.
pub fn short_type(datatype: &Datatype) -> String {
    if is_bool(datatype) {
        return "bool".into();
    }
    let whole = clean(&datatype.to_string()).into_owned();
    if whole.chars().count() <= TYPE {
        return whole;
    }
    match &datatype.class {
        Class::Compound { members } => {
            let mut text = String::from("{");
            for (i, member) in members.iter().enumerate() {
                let name = clean(&member.name.display()).into_owned();
                let more = if i == 0 { name } else { format!(", {name}") };
                if text.chars().count() + more.chars().count() + 10 > TYPE && i > 0 {
                    text.push_str(&format!(", … {} more", members.len() - i));
                    break;
                }
                text.push_str(&more);
            }
            text + "}"
        }
        Class::Enumeration { base, members } => {
            format!("enum of {} ({})", short_type(base), count(members.len() as u64, "name", "names"))
        }
        Class::VariableLength { base, .. } => format!("sequence of {}", short_type(base)),
        Class::Array { dims, base, .. } => {
            let dims: Vec<String> = dims.iter().map(u32::to_string).collect();
            format!("[{}] of {}", dims.join(", "), short_type(base))
        }
        _ => cut(&whole, TYPE + 8).into_owned(),
    }
}

/// A filter: its name and what it was told.
pub fn filter(filter: &FilterInfo) -> String {
    let name = match filter.id {
        // The file may give these other names: `gzip`, `deflate level 4` …
        1 => format!("deflate {}", filter.values.first().copied().unwrap_or_default()).trim_end().to_owned(),
        2..=6 => h5kit::error::registered_filter_name(filter.id)
            .map_or_else(|| format!("filter {}", filter.id), str::to_owned),
        id => {
            let name = h5kit::error::registered_filter_name(id).map(str::to_owned);
            let name = name.or_else(|| filter.name.as_ref().map(|n| clean(&n.display()).into_owned()));
            name.map_or_else(|| format!("filter {id}"), |name| format!("{name} ({id})"))
        }
    };
    if filter.available { name } else { format!("{name}, unsupported") }
}

/// Layout and filters: `chunked, shuffle + deflate 4`.
pub fn layout(dataset: &Dataset) -> String {
    let filters: Vec<String> = dataset.filters().iter().map(filter).collect();
    let layout = dataset.layout();
    if filters.is_empty() { layout.name().into() } else { format!("{}, {}", layout.name(), filters.join(" + ")) }
}

/// True where the elements are not in this file.
pub fn is_elsewhere(dataset: &Dataset) -> bool {
    matches!(dataset.layout(), Layout::External | Layout::Virtual)
}

/// What an error says, without the path where that stands beside it already.
pub fn why(error: &Error, path: &str) -> String {
    let text = if error.path() == Some(path) { error.cause().to_string() } else { error.to_string() };
    clean(&text).into_owned()
}

/// Why a link leads nowhere.
pub fn nowhere(error: &Error) -> String {
    match error.cause() {
        Cause::NotFound { what: "file", .. } => "no such file".into(),
        Cause::NotFound { .. } => "dangling".into(),
        Cause::Usage(Usage::LinkLoop(_)) => "a loop of links".into(),
        Cause::Unsupported { feature: Unsupported::UserDefinedLink(_), .. } => "not followed".into(),
        cause => clean(&cause.to_string()).into_owned(),
    }
}

/// Where a link leads.
pub fn target(target: &Target) -> String {
    match target {
        Target::Soft(path) => paint::name(path),
        Target::External { file, path } => format!("{}:{}", paint::name(file), paint::name(path)),
        Target::UserDefined { class, data } => {
            format!("class {class}, {}", count(data.len() as u64, "byte", "bytes"))
        }
        Target::Hard(address) => format!("object at {address:#x}"),
        _ => "?".into(),
    }
}
