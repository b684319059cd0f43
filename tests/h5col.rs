//! Tables of columns: what is in them, the rows that queries find, and the rules that are broken.
//!
//! `testdata/h5col` holds tables with what was written to them; where `H5KIT_CORPUS` names a folder, its `h5col` has
//! more, made by the reference implementation.

#![cfg(feature = "cli")]

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use h5kit::encoding::h5col::{
    Depth, Error, IndexUse, Literal, Operator, Predicate, Rows, Select, Table, column, tables, validate,
};
use h5kit::source::{Memory, Traced};
use h5kit::{File, Limits, Options};
use proptest::prelude::*;
use serde_json::Value;

mod common;

use common::{FarAway, corpus, testdata};

/// What takes no part in a comparison: how things are stored, and what only the reference implementation says.
const IGNORED: [&str; 6] = ["h5col_diverges", "datetime64", "reference_type", "storage", "plan", "h5col_rows"];

/// What the command prints, and whether it ends well.
fn h5col(verb: &str, args: &[&str]) -> (Value, String, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_h5kit")).args(["h5col", verb]).args(args).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    (serde_json::from_slice(&output.stdout).unwrap_or_default(), text, output.status.success())
}

fn json(path: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

fn beside(file: &Path, extension: &str) -> PathBuf {
    file.with_extension(extension)
}

/// Where what was found is not what was expected. Of objects in `part`, what is not expected does not count.
fn difference(expected: &Value, found: &Value, part: bool) -> Option<String> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|_| !part)).filter(|key| !IGNORED.contains(&key.as_str()));
            keys.into_iter().find_map(|key| match (a.get(key), b.get(key)) {
                (Some(a), Some(b)) => difference(a, b, part).map(|what| format!("/{key}{what}")),
                (a, _) => Some(format!("/{key}: only {}", if a.is_some() { "expected" } else { "found" })),
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.into_iter().find_map(|(i, (a, b))| difference(a, b, part).map(|what| format!("/{i}{what}")))
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            let same = a == b && a.is_sign_negative() == b.is_sign_negative();
            (!same).then(|| format!(": {a} expected, {b} found"))
        }
        (a, b) => (a != b).then(|| format!(": {a} expected, {b} found")),
    }
}

fn tables_of(folder: &Path) -> Vec<PathBuf> {
    let files = common::files_below(folder);
    files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "h5")).collect()
}

/// The dump of a file, held against what is expected; the queries, by whatever indexes.
fn check_values(file: &Path, part: bool) -> Option<String> {
    let name = file.to_str().expect("UTF-8");
    if let Some(expected) = json(&beside(file, "expected.json")) {
        let (found, errors, _) = h5col("dump", &[name]);
        if let Some(what) = difference(&expected, &found, part) {
            return Some(format!("dump {what} {errors}"));
        }
    }
    let queries = beside(file, "queries.json");
    if let Some(expected) = json(&queries) {
        for indexes in ["cheaper", "always", "never"] {
            let (found, errors, _) = h5col("query", &[name, queries.to_str().expect("UTF-8"), "--indexes", indexes]);
            if let Some(what) = difference(&expected, &found, false) {
                return Some(format!("query, indexes {indexes}: {what} {errors}"));
            }
        }
    }
    None
}

#[test]
fn tables_are_read_as_they_were_written() {
    for file in tables_of(&testdata().join("h5col")) {
        assert_eq!(check_values(&file, true), None, "{}", file.display());
    }
}

#[test]
fn broken_rules_are_named() {
    let file = testdata().join("h5col/broken.h5");
    let expected: BTreeMap<String, Value> =
        serde_json::from_value(json(&beside(&file, "json")).expect("a list")).expect("faults by table");
    let (found, _, sound) = h5col("validate", &[file.to_str().expect("UTF-8"), "--json"]);
    assert!(!sound);
    let found: Vec<Value> = found.as_array().expect("a list").clone();
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for fault in found {
        let wanted = &expected[fault["table"].as_str().expect("a path")];
        assert_eq!(difference(wanted, &fault, true), None, "{fault}");
    }
    for sound in ["stations", "large"] {
        let file = File::open(testdata().join(format!("h5col/{sound}.h5"))).expect("a file");
        for group in tables(&file).expect("tables") {
            let found = validate(&group, Depth::Values).expect("a validation");
            assert!(found.violations.is_empty() && found.unread.is_empty(), "{found:?}");
        }
    }
}

fn large() -> Table {
    let file = File::open(testdata().join("h5col/large.h5")).expect("a file");
    Table::open(&file.group("/large").expect("a group")).expect("a table")
}

#[test]
fn indexes_are_used_where_they_cost_less() {
    let table = large();
    let plan = |predicate: Predicate, indexes| table.select(predicate).indexes(indexes).plan().expect("a plan");
    let cheaper = |predicate| plan(predicate, IndexUse::WhereCheaper).to_string();
    // One slice of the order answers both sides of a range.
    let range = cheaper(column("value").ge(990) & column("value").lt(995));
    assert!(range.lines().filter(|line| line.contains("SORTED_ROWS index `value`")).count() == 1, "{range}");
    assert!(cheaper(column("time").gt(59_000)).contains("CHUNK_MINMAX index `time` rules out"));
    assert!(cheaper(column("kind").eq(3)).contains("BITMAP index `kind`"));
    // Bits of three values take as long as the column.
    assert!(cheaper(column("kind").ge(0)).contains("read `kind`"));
    assert!(cheaper(column("value").ne(3)).contains("read `value`"));
    assert!(plan(column("value").eq(3), IndexUse::Never).to_string().contains("read `value`"));
    // What the order gives is more than the column: it is read after all, and the same rows are found.
    let most = column("value").ge(-999);
    let ways = [IndexUse::WhereCheaper, IndexUse::Always, IndexUse::Never];
    let counts = ways.map(|way| table.select(most.clone()).indexes(way).rows().expect("rows"));
    assert!(counts.iter().all(|rows| *rows == counts[2]) && counts[2].len() > 19_000);
}

#[test]
fn rows_come_with_their_columns() {
    let batch = large().select(column("value").eq(417)).columns(["kind", "value"]).limit(2).read().expect("rows");
    assert_eq!(batch.rows.len(), 2);
    let names: Vec<String> = batch.columns.iter().map(|(column, _)| column.name().to_string()).collect();
    assert_eq!(names, ["kind", "value"]);
    assert!((0..2).all(|row| batch.columns[1].1.data.integer(row) == Some(417)));
    let wrong = large().select(column("valu").eq(1)).rows().expect_err("no such column");
    assert_eq!(wrong.to_string(), "no column `valu`");
}

#[test]
fn a_limit_ends_the_reading() {
    let bytes = std::fs::read(testdata().join("h5col/large.h5")).expect("a file");
    let traced = Arc::new(Traced::new(Arc::new(Memory::new(bytes))));
    let file = File::from_source(traced.clone()).expect("HDF5");
    let table = Table::open(&file.group("/large").expect("a group")).expect("a table");
    let both = column("value").ge(0) & column("kind").ne(1);
    for predicate in [column("value").ge(0), both, !column("value").is_in(0..900), column("kind").is_valid()] {
        let select = table.select(predicate).indexes(IndexUse::Never);
        let read = |select: Select| {
            drop(traced.take_log());
            let rows = select.rows().expect("rows");
            (rows, traced.take_log().iter().map(|range| range.end - range.start).sum::<u64>())
        };
        let (all, most) = read(select.clone());
        let (none, nothing) = read(select.clone().limit(0));
        assert!(none.is_empty() && nothing * 10 < most, "{nothing} of {most} bytes");
        for n in [1, 7, 300] {
            let (rows, bytes) = read(select.clone().limit(n));
            assert_eq!(rows, all.first(n));
            assert!(bytes * 5 < most, "{bytes} of {most} bytes for {n} rows");
        }
        assert_eq!(read(select.limit(all.len() + 1)).0, all);
    }
}

/// A file's error, which says whether bytes have to be fetched first.
fn of_file<T>(result: Result<T, Error>) -> h5kit::Result<T> {
    result.map_err(|e| match e {
        Error::File(e) => e,
        other => panic!("{other}"),
    })
}

#[test]
fn range_by_range_as_at_once() {
    let folder = testdata().join("h5col");
    for name in ["stations.h5", "large.h5", "broken.h5"] {
        let whole = File::open(folder.join(name)).expect("HDF5");
        let far = FarAway::new(folder.clone());
        let source = far.extents(name).expect("a file");
        let away = far.run(|| Options::new().from_source(source.clone())).expect("HDF5");
        let all = far.run(|| of_file(tables(&away))).expect("tables");
        let near = tables(&whole).expect("tables");
        assert!(all.iter().map(|group| group.path()).eq(near.iter().map(|group| group.path())));
        for (group, near) in all.iter().zip(&near) {
            let found = far.run(|| of_file(validate(group, Depth::Values))).expect("a validation");
            assert_eq!(found.violations, validate(near, Depth::Values).expect("a validation").violations);
        }
    }
    let far = FarAway::new(folder);
    let source = far.extents("large.h5").expect("a file");
    let away = far.run(|| Options::new().from_source(source.clone())).expect("HDF5");
    let rows = far.run(|| {
        let table = of_file(Table::open(&away.group("/large")?))?;
        of_file(table.select(column("value").eq(417)).rows())
    });
    assert_eq!(rows.expect("rows"), large().select(column("value").eq(417)).rows().expect("rows"));
}

#[test]
fn damaged_tables_end_in_order() {
    let bytes = std::fs::read(testdata().join("h5col/stations.h5")).expect("a file");
    for at in (0..bytes.len()).step_by(11) {
        for flip in [0x01, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            let Ok(file) = File::from_bytes(bytes) else { continue };
            for group in tables(&file).unwrap_or_default() {
                let _ = validate(&group, Depth::Values);
                let Ok(table) = Table::open(&group) else { continue };
                for predicate in [column("name").ge("D"), column("height").eq(373), column("region").eq("Alps")] {
                    let _ = table.select(predicate).indexes(IndexUse::Always).read();
                }
            }
        }
    }
}

const OPERATORS: [Operator; 6] = [
    Operator::Equal,
    Operator::NotEqual,
    Operator::Less,
    Operator::LessOrEqual,
    Operator::Greater,
    Operator::GreaterOrEqual,
];

/// A test of one column, made of some numbers.
fn leaf(kind: usize, operator: usize, n: usize) -> Predicate {
    let compare = |column: &str, value: Literal| {
        let operator = OPERATORS[operator % OPERATORS.len()];
        Predicate::Compare { column: column.into(), operator, value }
    };
    let of = |list: &[f64]| Literal::Float(list[n % list.len()]);
    let text = |list: &[&str]| Literal::Text(list[n % list.len()].into());
    match kind % 8 {
        0 => compare("height", of(&[316.0, 372.5, 373.0, 2502.0, -32767.0, f64::INFINITY])),
        1 => compare("warmth", of(&[10.5, -1.25, 11.0, 10.75, f64::NEG_INFINITY])),
        2 => compare("name", text(&["Davos", "", "Genf", "G", "Säntis", "z"])),
        3 => compare("region", text(&["Alps", "Jura", "Plateau"])),
        4 => compare("active", n.is_multiple_of(2).into()),
        5 => compare("height", Literal::Integer([316, 1594, 40_000][n % 3])),
        6 if operator.is_multiple_of(2) => column(["height", "warmth", "name", "tags"][n % 4]).is_null(),
        6 => column(["height", "warmth", "region", "readings"][n % 4]).is_valid(),
        _ => column("name").is_in(["Basel", "Chur", "nowhere"].into_iter().take(n % 4)),
    }
}

fn predicates() -> impl Strategy<Value = Predicate> {
    let leaf = (0usize..8, 0usize..6, 0usize..12).prop_map(|(kind, operator, n)| leaf(kind, operator, n));
    leaf.prop_recursive(3, 24, 3, |inner| {
        let some = proptest::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            some.clone().prop_map(Predicate::And),
            some.prop_map(Predicate::Or),
            inner.prop_map(|predicate| !predicate),
        ]
    })
}

/// The order of a value that was written and one that is asked for; `None` for NaN.
fn order(written: &Value, asked: &Literal, labels: Option<&[&str]>) -> Option<Ordering> {
    let place =
        |text: &str| labels.map_or(0, |labels| labels.iter().position(|label| *label == text).expect("a label"));
    match (written, asked) {
        (Value::String(nan), Literal::Float(_)) if nan == "NaN" => None,
        (Value::String(a), Literal::Text(b)) if labels.is_some() => Some(place(a).cmp(&place(b))),
        (Value::String(a), Literal::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Bool(a), Literal::Boolean(b)) => Some(a.cmp(b)),
        (Value::Number(a), Literal::Float(b)) => a.as_f64().expect("a number").partial_cmp(b),
        (Value::Number(a), Literal::Integer(b)) => Some(i128::from(a.as_i64().expect("an integer")).cmp(b)),
        other => panic!("{other:?}"),
    }
}

/// Whether a predicate is true of a row of what was written; `None` where that is unknown.
fn truth(predicate: &Predicate, row: usize, columns: &BTreeMap<String, Vec<Value>>) -> Option<bool> {
    let value = |name: &String| Some(&columns[name][row]).filter(|value| !value.is_null());
    match predicate {
        Predicate::All => Some(true),
        Predicate::Not(part) => truth(part, row, columns).map(|truth| !truth),
        Predicate::And(parts) => {
            let all: Vec<_> = parts.iter().map(|part| truth(part, row, columns)).collect();
            if all.contains(&Some(false)) { Some(false) } else { all.into_iter().all(|t| t.is_some()).then_some(true) }
        }
        Predicate::Or(parts) => {
            let any: Vec<_> = parts.iter().map(|part| truth(part, row, columns)).collect();
            if any.contains(&Some(true)) { Some(true) } else { any.into_iter().all(|t| t.is_some()).then_some(false) }
        }
        Predicate::IsNull(name) => Some(value(name).is_none()),
        Predicate::IsValid(name) => Some(value(name).is_some()),
        Predicate::In { column, values } => {
            value(column).map(|value| values.iter().any(|asked| order(value, asked, None) == Some(Ordering::Equal)))
        }
        Predicate::Compare { column, operator, value: asked } => {
            let labels: Option<&[&str]> = (column == "region").then_some(&["Alps", "Jura", "Plateau"]);
            value(column).map(|value| match (order(value, asked, labels), operator) {
                (None, operator) => *operator == Operator::NotEqual,
                (Some(order), Operator::Equal) => order.is_eq(),
                (Some(order), Operator::NotEqual) => order.is_ne(),
                (Some(order), Operator::Less) => order.is_lt(),
                (Some(order), Operator::LessOrEqual) => order.is_le(),
                (Some(order), Operator::Greater) => order.is_gt(),
                (Some(order), Operator::GreaterOrEqual) => order.is_ge(),
            })
        }
    }
}

proptest! {
    #[test]
    fn rows_are_those_of_three_valued_logic(predicate in predicates()) {
        let path = testdata().join("h5col/stations.h5");
        let written = json(&beside(&path, "expected.json")).expect("what was written");
        let columns: BTreeMap<String, Vec<Value>> = written["tables"][0]["columns"]
            .as_array()
            .expect("columns")
            .iter()
            .map(|c| (c["name"].as_str().expect("a name").to_owned(), c["values"].as_array().expect("values").clone()))
            .collect();
        let expected: Vec<u64> =
            (0..6).filter(|row| truth(&predicate, *row as usize, &columns) == Some(true)).collect();
        let group = File::open(path).expect("a file").group("/stations").expect("a group");
        let table = Table::open(&group).expect("a table");
        for indexes in [IndexUse::WhereCheaper, IndexUse::Always, IndexUse::Never] {
            let rows = table.select(predicate.clone()).indexes(indexes).rows().expect("rows");
            prop_assert_eq!(rows.iter().collect::<Vec<_>>(), expected.clone());
        }
        let again: Predicate = predicate.to_string().parse().expect("what is shown can be read");
        prop_assert!(table.select(again).rows().expect("rows").iter().eq(expected));
    }
}

#[test]
fn scattered_rows_are_those_of_the_whole() {
    let file = File::open(testdata().join("h5col/stations.h5")).expect("a file");
    let table = Table::open(&file.group("/stations").expect("a group")).expect("a table");
    for column in table.columns() {
        let whole = column.read(..).expect("values");
        for numbers in [vec![0, 2, 3, 5], vec![1], vec![], vec![0, 5]] {
            let places: Vec<usize> = numbers.iter().map(|n| *n as usize).collect();
            let found = column.read_rows(&Rows::of(numbers)).expect("values");
            // NaN is not equal to itself.
            assert_eq!(format!("{found:?}"), format!("{:?}", whole.take(&places)), "{}", column.name());
        }
    }
}

/// What a file has of a few bytes, and says much in them.
fn sparse(table: &str) -> Table {
    let file = File::open(testdata().join("h5col/sparse.h5")).expect("a file");
    Table::open(&file.group(table).expect("a group")).expect("a table")
}

#[test]
fn values_of_few_bytes_do_not_take_all_memory() {
    for table in ["/strings", "/levels"] {
        let error = sparse(table).columns()[0].read(..).expect_err("more than the file may become");
        assert!(error.to_string().contains("limit `read_bytes`"), "{table}: {error}");
    }
    let elements = sparse("/elements").columns()[0].read(..).expect("what any file may have");
    let h5kit::encoding::h5col::Data::List(lists) = elements.data else { panic!("lists") };
    assert_eq!((lists.offsets, lists.values.len()), (vec![0, 8_000_000], 8_000_000));
}

/// The output of a command that has 600 MB for everything.
#[cfg(target_os = "linux")]
fn in_little_memory(args: &[&str]) -> String {
    let file = testdata().join("h5col/sparse.h5");
    let mut command = Command::new("sh");
    command.args(["-c", r#"ulimit -v 600000; exec "$0" "$@""#, env!("CARGO_BIN_EXE_h5kit")]);
    let output = command.args(args).env("MALLOC_ARENA_MAX", "1").current_dir(file.parent().expect("a folder")).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_printed_is_not_kept() {
    let nulls = |args: &[&str]| in_little_memory(args).matches("null,").count();
    // The file has other fields without a value too, each on a line of its own.
    assert!((16_000_000 - 1..16_000_040).contains(&nulls(&["h5col", "dump", "sparse.h5", "/rows"])));
    assert!((8_000_000 - 1..8_000_040).contains(&nulls(&["h5col", "dump", "sparse.h5", "/elements"])));
    let shown = in_little_memory(&["view", "sparse.h5", "/elements"]);
    assert!(shown.contains("[null,null,") && shown.contains('…'), "{shown}");
}

#[test]
fn filters_that_cost_more_than_the_column_are_not_asked() {
    let asks = |table: &str| {
        let plan = sparse(table).select(column("x").eq(5)).plan().expect("a plan");
        plan.to_string().contains("CHUNK_BLOOM")
    };
    assert!(asks("/hashes_3") && asks("/hashes_64"));
    // More hashes than any filter needs; and as many bytes as the column once each bit is looked at.
    assert!(!asks("/hashes_65") && !asks("/rare"));
    let found = validate(sparse("/hashes_65").group(), Depth::Metadata).expect("a validation");
    let told: Vec<String> = found.violations.iter().map(|violation| violation.rule.to_string()).collect();
    assert_eq!(told, ["S5"]);
}

#[test]
fn bits_are_decoded_once() {
    let bytes = std::fs::read(testdata().join("h5col/sparse.h5")).expect("a file");
    let length = bytes.len() as u64;
    let traced = Arc::new(Traced::new(Arc::new(Memory::new(bytes))));
    let limits = Limits { chunk_cache_bytes: 0, ..Limits::default() };
    let file = Options::new().limits(limits).from_source(traced.clone()).expect("HDF5");
    let found = validate(&file.group("/bits").expect("a group"), Depth::Values).expect("a validation");
    assert!(found.violations.is_empty() && found.unread.is_empty(), "{found:?}");
    let read: u64 = traced.take_log().iter().map(|range| range.end - range.start).sum();
    assert!(read < length, "{read} bytes of {length}");
}

/// What the corpus says about a broken file.
fn verdict(file: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(beside(file, "expected-error.txt")).unwrap_or_default();
    text.lines().filter_map(|line| line.split_once(": ")).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

fn check(file: &Path) -> Option<String> {
    let wrong = check_values(file, false);
    if wrong.is_some() {
        return wrong;
    }
    let name = file.to_str().expect("UTF-8");
    let verdict = verdict(file);
    let (found, errors, sound) = h5col("validate", &[name, "--json"]);
    let Some(error) = verdict.get("error") else {
        return (!sound).then(|| format!("validate says {found} of a sound file; {errors}"));
    };
    let named = |fault: &Value| fault["error"] == error.as_str();
    if !found.as_array().is_some_and(|found| found.iter().any(named)) {
        return Some(format!("validate does not say {error}: {found} {errors}"));
    }
    let refused = verdict["verdict"] == "reject" && verdict["scope"] == "table";
    (refused && h5col("dump", &[name]).2).then(|| format!("dump accepts what breaks {}", verdict["rule"]))
}

#[test]
fn the_corpus() {
    let Some(corpus) = corpus() else { return };
    let files = tables_of(&corpus.join("h5col"));
    let wrong: Vec<String> =
        files.iter().filter_map(|file| Some(format!("{}: {}", file.display(), check(file)?))).collect();
    assert!(wrong.is_empty() && !files.is_empty(), "{}", wrong.join("\n"));
}
