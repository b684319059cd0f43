//! Converted values, selections, references and facts, as libhdf5 gives them (`testdata/values.json`).

mod common;

use common::testdata;
use h5kit::bytes::Text;
use h5kit::element::{Bytes, Lossy, Output, Reference, ReferenceTarget, Value as Dynamic};
use h5kit::{Attribute, Dataset, ErrorKind, File, Hyperslab, Object, Points, Result, Selection};
use serde_json::{Value, json};

/// A dataset or an attribute.
enum Source {
    Dataset(Dataset),
    Attribute(Attribute),
}

impl Source {
    fn find(file: &File, place: &str) -> Result<Self> {
        match place.rsplit_once('@') {
            Some((path, name)) => file.attribute(path, name).map(Self::Attribute),
            None => file.dataset(place).map(Self::Dataset),
        }
    }

    fn read<O: Output>(&self, selection: &Selection) -> Result<O> {
        match self {
            Self::Dataset(dataset) => dataset.read(selection),
            Self::Attribute(attribute) => attribute.read(),
        }
    }
}

fn selection(entry: &Value) -> Selection {
    let Some(select) = entry.get("select") else { return Selection::All };
    let numbers = |value: &Value| -> Vec<u64> {
        value.as_array().expect("a list").iter().map(|n| n.as_u64().expect("a number")).collect()
    };
    match select.get("points") {
        Some(points) => Points(points.as_array().expect("a list").iter().map(numbers).collect()).into(),
        None => Hyperslab::new(numbers(&select["start"]), numbers(&select["count"]))
            .stride(numbers(&select["stride"]))
            .block(numbers(&select["block"]))
            .into(),
    }
}

/// Bits as the file has them; one NaN stands for all.
fn bits(n: f64) -> Value {
    json!(if n.is_nan() { "nan".to_owned() } else { format!("{:016x}", n.to_bits()) })
}

fn expected_bits(value: &Value) -> Value {
    let text = value.as_str().expect("hexadecimal digits");
    bits(f64::from_bits(u64::from_str_radix(text, 16).expect("hexadecimal digits")))
}

/// What h5kit has for an entry, in the entry's own form.
fn found(file: &File, place: &str, entry: &Value) -> Result<Value> {
    if let Some((path, fact)) = place.rsplit_once('#') {
        return fact_of(file, path, fact);
    }
    let source = Source::find(file, place)?;
    let selection = selection(entry);
    Ok(match entry["as"].as_str().expect("a kind") {
        "i64" => json!(flat::<i64>(&source, &selection)?),
        "u64" => json!(flat::<u64>(&source, &selection)?),
        "f64" => flat::<Lossy<f64>>(&source, &selection)?.into_iter().map(|n| bits(n.0)).collect(),
        "f64 pairs" => source.read::<Vec<[f64; 2]>>(&selection)?.into_iter().flatten().map(bits).collect(),
        "string" => {
            let texts: Vec<Text> = source.read(&selection)?;
            let strings: Result<Vec<String>> = source.read(&selection);
            // A string that is no UTF-8 is an error of its own, and nothing else is.
            assert_eq!(strings.is_ok(), texts.iter().all(|text| text.as_str().is_some()));
            texts.iter().map(|text| json!(text.as_str())).collect()
        }
        "bytes" => {
            let elements: Vec<String> = source.read::<Vec<Bytes>>(&selection)?.iter().map(|b| hex(&b.0)).collect();
            // One run of digits stands for all elements.
            let whole = entry["values"].as_array().is_some_and(|values| values.len() == 1);
            if whole { json!([elements.concat()]) } else { json!(elements) }
        }
        "enum" => {
            let values: Vec<Dynamic> = source.read(&selection)?;
            let name = |value: Dynamic| match value {
                Dynamic::Enumeration(name, _) => json!(name.map(|name| name.to_string())),
                other => panic!("{other} is no enumeration"),
            };
            values.into_iter().map(name).collect()
        }
        other => panic!("{place}: {other} is unknown"),
    })
}

/// Numbers, also those in arrays and sequences.
fn flat<T: h5kit::element::Element>(source: &Source, selection: &Selection) -> Result<Vec<T>> {
    source.read::<Vec<T>>(selection).or_else(|first| match source.read::<Vec<Vec<T>>>(selection) {
        Ok(nested) => Ok(nested.into_iter().flatten().collect()),
        Err(_) => Err(first),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn fact_of(file: &File, path: &str, fact: &str) -> Result<Value> {
    let object = file.object(if path.is_empty() { "/" } else { path })?;
    let info = object.info();
    Ok(match (fact, &object) {
        ("comment", _) => json!([info.comment()?.map(|text| text.to_string())]),
        ("mtime", _) => json!([info.modified()?]),
        ("times", _) => {
            let times = info.times().expect("times are stored");
            json!([times.access, times.modification, times.change, times.birth])
        }
        ("order", Object::Group(group)) => {
            let links = group.links_in_creation_order()?.expect("order is tracked");
            links.iter().map(|link| json!(link.name().to_string())).collect()
        }
        ("attribute_order", _) => {
            let attributes = info.attributes()?.in_creation_order()?.expect("order is tracked");
            attributes.iter().map(|attribute| json!(attribute.name().to_string())).collect()
        }
        _ => panic!("{path}#{fact} is unknown"),
    })
}

/// Compares references with what they lead to.
fn check_references(file: &File, place: &str, expected: &Value) -> std::result::Result<(), String> {
    let references: Vec<Reference> =
        Source::find(file, place).and_then(|s| s.read(&Selection::All)).map_err(|e| e.to_string())?;
    let expected = expected["values"].as_array().expect("a list");
    if references.len() != expected.len() {
        return Err(format!("{} references instead of {}", references.len(), expected.len()));
    }
    for (i, (reference, expected)) in references.iter().zip(expected).enumerate() {
        check_reference(file, reference, expected).map_err(|e| format!("reference {i}: {e}"))?;
    }
    Ok(())
}

fn check_reference(file: &File, reference: &Reference, expected: &Value) -> std::result::Result<(), String> {
    if expected.is_null() {
        return if reference.is_null() { Ok(()) } else { Err(format!("{reference} instead of null")) };
    }
    let path = expected.as_str().or(expected["path"].as_str()).expect("a path");
    let other = expected["file"].as_str();
    if reference.file().map(|f| f.to_string()).as_deref() != other {
        return Err(format!("in {:?} instead of {other:?}", reference.file()));
    }
    let object = file.dereference(reference).map_err(|e| e.to_string())?;
    let home = other.map(|name| File::open(testdata().join("files").join(name)).expect("the other file"));
    let target = home.as_ref().unwrap_or(file).object(path).map_err(|e| e.to_string())?;
    if object.info().address() != target.info().address() || object.kind() != target.kind() {
        return Err(format!("{} instead of {path}", object.path()));
    }
    let part = reference.part().expect("not null");
    match (&part, expected.get("points"), expected["attribute"].as_str()) {
        (ReferenceTarget::Object, None, None) => Ok(()),
        (ReferenceTarget::Attribute(name), None, Some(expected)) if name == expected => {
            object.attribute(name).map(|_| ()).map_err(|e| e.to_string())
        }
        (ReferenceTarget::Region(selection), Some(points), None) => {
            let Object::Dataset(dataset) = &object else { return Err("no dataset".into()) };
            let found = selection.coordinates(dataset.shape()).map_err(|e| e.to_string())?;
            let read: Result<Vec<Dynamic>> = dataset.read(selection);
            if read.map_err(|e| e.to_string())?.len() != found.len() {
                return Err("another number of elements".into());
            }
            if json!(found) == *points { Ok(()) } else { Err(format!("{found:?} instead of {points}")) }
        }
        _ => Err(format!("{part:?} instead of {expected}")),
    }
}

#[test]
fn values_are_those_of_libhdf5() {
    let text = std::fs::read_to_string(testdata().join("values.json")).expect("the values");
    let files: Value = serde_json::from_str(&text).expect("JSON");
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (name, places) in files.as_object().expect("an object") {
        let file = File::open(testdata().join("files").join(name)).expect(name);
        for (place, entries) in places.as_object().expect("an object") {
            let entries = entries.as_array().cloned().unwrap_or_else(|| vec![entries.clone()]);
            for entry in &entries {
                checked += 1;
                if let Err(e) = check(&file, place, entry) {
                    wrong.push(format!("{name}:{place}: {e}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 400, "only {checked} values");
}

fn check(file: &File, place: &str, entry: &Value) -> std::result::Result<(), String> {
    let kind = entry["as"].as_str().expect("a kind");
    match kind {
        "reference" | "region" | "revised reference" => return check_references(file, place, entry),
        "refused" => {
            // libhdf5 refuses the file; here it opens and says what is unusual.
            let condition = file.condition();
            let said = condition.truncated.is_some() || condition.open_for_writing || condition.open_for_swmr;
            return if said { Ok(()) } else { Err("nothing is said of it".into()) };
        }
        _ => {}
    }
    let mut expected = entry["values"].clone();
    if kind.starts_with("f64") {
        expected = expected.as_array().expect("a list").iter().map(expected_bits).collect();
    }
    match found(file, place, entry) {
        Ok(found) if found == expected => Ok(()),
        Ok(found) => Err(format!("{found} instead of {expected}")),
        Err(e) => Err(e.to_string()),
    }
}

#[test]
fn what_lies_past_the_end_is_an_error_when_asked_for() {
    let file = File::open(testdata().join("files/truncated.h5")).expect("it opens");
    assert!(file.condition().truncated.is_some());
    let mut kinds = Vec::new();
    for link in file.root().links().expect("the links") {
        if let Ok(Object::Dataset(dataset)) = link.and_then(|link| link.open()) {
            kinds.push(dataset.read_bytes(..).map_err(|e| e.kind()).err());
        }
    }
    assert!(kinds.contains(&Some(ErrorKind::Corrupt)) && kinds.contains(&None), "{kinds:?}");
}
