//! AnnData of every era: each element is what `testdata/make/anndata_eras.py` put there.

mod common;

use h5kit::File;
use h5kit::encoding::anndata::{AnnData, Array, Element, Error, Kind, Ragged, Values};
use serde_json::{Value, json};

use common::testdata;

fn open(name: &str) -> (AnnData, Value) {
    let path = testdata().join("files").join(name);
    let expected = std::fs::read_to_string(path.with_extension("h5ad.json")).expect("the values");
    let data = AnnData::open(&File::open(path).expect("a file")).expect("an AnnData");
    (data, serde_json::from_str(&expected).expect("JSON"))
}

fn array(array: &Array) -> Value {
    match array.values(..).expect("values") {
        Values::Bool(values) => json!(values),
        Values::String(values) => json!(values),
        Values::Bytes(values) => json!(values[0].iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        _ if array.value_type().is_integer() => json!(array.read::<Vec<i64>>(..).expect("integers")),
        _ => json!(array.read::<Vec<f64>>(..).expect("numbers")),
    }
}

/// A column with missing entries, as whatever its values are.
fn optional(element: &Element) -> Value {
    if let Ok(values) = element.options::<bool>(..) {
        return json!(values);
    }
    element
        .options::<i64>(..)
        .map_or_else(|_| json!(element.options::<String>(..).expect("text")), |values| json!(values))
}

fn plain(entry: &Ragged) -> Value {
    match entry {
        Ragged::Integer(value) => json!(i64::try_from(*value).expect("a small number")),
        Ragged::List(entries) => entries.iter().map(plain).collect(),
        other => panic!("{other:?}"),
    }
}

fn values(element: &Element) -> Value {
    match &element.kind {
        Kind::Array(a) | Kind::StringArray(a) | Kind::NumericScalar(a) | Kind::String(a) | Kind::Bytes(a) => array(a),
        Kind::Sparse(sparse) => {
            let [rows, columns] = sparse.shape().map(|n| n as usize);
            let mut dense = vec![0.0; rows * columns];
            let part = sparse.part(0..sparse.n_major()).expect("all of it");
            let Values::F32(values) = &part.values else { panic!("{:?}", part.values) };
            for (major, (indices, entries)) in part.rows().enumerate() {
                for (minor, entry) in indices.iter().map(|index| *index as usize).zip(entries) {
                    let place = if element.encoding() == "csr_matrix" {
                        major * columns + minor
                    } else {
                        minor * columns + major
                    };
                    dense[place] = values[entry];
                }
            }
            json!(dense)
        }
        Kind::Categorical(_) | Kind::NullableInteger(_) | Kind::NullableBoolean(_) | Kind::NullableStrings(_) => {
            optional(element)
        }
        Kind::Records(records) => json!(records.names().expect("names")),
        Kind::Awkward(awkward) => awkward.read(0..awkward.length()).expect("lists").iter().map(plain).collect(),
        Kind::DataFrame(frame) if element.legacy.is_some() => json!(frame.columns()),
        _ => Value::Null,
    }
}

/// Truth values and missing ones aside, numbers are numbers: 1 and 1.0.
fn same(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| same(found, expected))
        }
        (Value::Number(found), Value::Number(expected)) => found.as_f64() == expected.as_f64(),
        _ => found == expected,
    }
}

fn every_element(name: &str) {
    let (data, expected) = open(name);
    let mut found: Vec<String> = Vec::new();
    for element in data.elements() {
        let element = element.element.unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = &expected[&element.path];
        let legacy = element.legacy.map(|legacy| legacy.name());
        assert_eq!(json!(element.encoding()), expected["encoding"], "{name} {}", element.path);
        assert_eq!(json!(legacy), expected["legacy"], "{name} {}", element.path);
        let values = values(&element);
        let plain = expected["values"].is_null() || same(&values, &expected["values"]);
        assert!(plain, "{name} {}: {values} instead of {}", element.path, expected["values"]);
        let by_path = data.get(&element.path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((by_path.encoding(), by_path.shape()), (element.encoding(), element.shape()));
        found.push(element.path);
    }
    let mut expected: Vec<String> = expected.as_object().expect("elements").keys().cloned().collect();
    expected.sort();
    assert_eq!(found, expected, "{name}");
}

/// Each mapping is gone through by a few of the million paths that lead to it.
#[test]
fn mappings_that_many_paths_lead_to() {
    let file = File::open(testdata().join("files/anndata_linked.h5ad")).expect("it opens");
    let data = AnnData::open(&file).expect("an AnnData");
    let elements = data.elements();
    assert!((100..2000).contains(&elements.len()), "{}", elements.len());
    let rules: Vec<_> =
        elements.iter().filter_map(|found| found.element.as_ref().err()).map(ToString::to_string).collect();
    assert!(rules.iter().any(|rule| rule.contains("many paths lead to")), "{rules:?}");
}

#[test]
fn every_encoding_of_today() {
    every_element("anndata_now.h5ad");
    let (data, _) = open("anndata_now.h5ad");
    let Kind::NullableStrings(note) = data.get("obs/note").expect("a column").kind else { panic!("not nullable") };
    assert_eq!(note.na_value(), Some("NaN"));
    assert!(data.obs().categorical("stage").expect("a column").is_ordered());
    assert!(!data.obs().categorical("type").expect("a column").is_ordered());
    let raw = data.raw().expect("raw").expect("raw");
    assert_eq!(raw.x(4).expect("a matrix").shape(), Some(vec![4, 3]));
    assert_eq!(raw.var().expect("var").labels().expect("labels"), ["g0", "g1", "g2"]);
    let unknown: Vec<_> = data.faults().iter().map(Error::to_string).collect();
    assert_eq!(unknown, ["uns/new: unknown-encoding: the encoding \"holographic-array\" is not known"]);
}

#[test]
fn frames_that_refer_to_their_categories_and_elements_without_tags() {
    every_element("anndata_07.h5ad");
    assert!(open("anndata_07.h5ad").0.obs().categorical("type").expect("a column").is_ordered());
}

#[test]
fn frames_of_records() {
    every_element("anndata_06.h5ad");
}

#[test]
fn broken_elements_are_told_by_rule_and_hide_nothing() {
    let (data, expected) = open("anndata_broken.h5ad");
    let mut found = serde_json::Map::new();
    for fault in data.faults() {
        match fault {
            Error::Fault(fault) => found.insert(fault.path, json!(fault.rule.code())),
            Error::File(error) => panic!("{error}"),
        };
    }
    assert_eq!(Value::Object(found), expected);
    assert_eq!(data.obs().read::<i64>("sound").expect("a column"), [1, 2, 3, 4]);
    let obsm = data.obsm().expect("obsm").expect("obsm");
    let short = obsm.get("short").expect_err("three rows for four cells").to_string();
    assert!(short.contains("[3, 2]") && short.contains("4 observations"), "{short}");
    assert!(obsm.get("others").is_err(), "labels of other cells");
    assert!(obsm.members().get("short").is_ok());
    let x = data.x().expect_err("two columns for three genes").to_string();
    assert!(x.contains("[4, 2]") && x.contains("4 observations and 3 variables"), "{x}");
}

#[test]
fn an_anndata_within_a_file() {
    let file = File::open(testdata().join("files/anndata_now.h5ad")).expect("a file");
    let data = AnnData::at(&file.root()).expect("an AnnData");
    assert_eq!((data.n_obs(), data.n_var()), (4, 3));
    let raw = file.group("raw").expect("a group");
    assert!(AnnData::at(&raw).expect_err("there is no obs").to_string().contains("missing-member"));
}
