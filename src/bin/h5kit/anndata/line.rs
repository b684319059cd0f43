//! A line: what an element is, and a hash of its values.

use std::collections::BTreeMap;

use h5kit::encoding::anndata::Values;
use h5kit::encoding::anndata::{Array, Awkward, Categorical, Element, Kind, Nullable, Records, Result, Sparse, Type};
use serde_json::{Value, json};
use twox_hash::XxHash3_128;

use super::stream;

/// Elements of at most so many values carry the values themselves.
const SMALL: u64 = 20;

/// The line of an element, keys sorted. `shape` is that of the whole, for the whole.
pub fn of(element: &Element, shape: Option<[u64; 2]>) -> Result<String> {
    let mut line = BTreeMap::new();
    line.insert("path", json!(element.path));
    line.insert("encoding", json!(element.encoding()));
    line.insert("version", json!(element.version));
    if let Some(legacy) = element.legacy {
        line.insert("legacy", json!(legacy.name()));
    }
    if let Some(at) = element.at.as_ref().filter(|at| **at != element.path) {
        line.insert("at", json!(at));
    }
    if let Some(shape) = shape {
        line.insert("shape", json!(shape));
    }
    match &element.kind {
        Kind::AnnData(members) | Kind::Raw(members) | Kind::Dict(members) => {
            line.insert("keys", json!(members.keys()?));
        }
        Kind::DataFrame(frame) => {
            line.insert("shape", json!([frame.rows(), frame.columns().len()]));
            line.insert("index", json!(frame.index_name()));
            line.insert("columns", json!(frame.columns()));
        }
        Kind::Array(array) | Kind::StringArray(array) => of_array(array, &mut line)?,
        Kind::NumericScalar(array) | Kind::String(array) | Kind::Bytes(array) => {
            of_array(array, &mut line)?;
            line.insert("shape", json!([]));
        }
        Kind::Null | Kind::Unknown(_) => {}
        Kind::Categorical(categorical) => of_categorical(categorical, &mut line)?,
        Kind::NullableInteger(nullable) | Kind::NullableBoolean(nullable) => of_nullable(nullable, &mut line)?,
        Kind::NullableStrings(nullable) => {
            of_nullable(nullable, &mut line)?;
            line.insert("na_value", json!(nullable.na_value()));
        }
        Kind::Sparse(sparse) => of_sparse(sparse, &mut line)?,
        Kind::Records(records) => of_records(records, &mut line)?,
        Kind::Awkward(awkward) => of_awkward(awkward, &mut line)?,
        _ => {}
    }
    if let Some(moved) = loads_as(element) {
        line.insert("loads_as", json!(moved));
    }
    Ok(json!(line).to_string())
}

type Line = BTreeMap<&'static str, Value>;

/// Where anndata moves the matrices of neighbours that old files have in `uns`.
fn loads_as(element: &Element) -> Option<String> {
    let name = element.path.strip_prefix("uns/neighbors/")?;
    let matrix = match &element.kind {
        Kind::Sparse(_) => true,
        Kind::Array(array) => array.shape().len() == 2,
        _ => false,
    };
    (matrix && ["connectivities", "distances"].contains(&name)).then(|| format!("obsp/{name}"))
}

fn of_array(array: &Array, line: &mut Line) -> Result<()> {
    let shape = array.shape();
    line.insert("shape", json!(shape));
    line.insert("dtype", json!(array.value_type().name()));
    let mut hash = XxHash3_128::new();
    stream::blocks(&shape, |selection| {
        stream::plain(&array.values(selection)?, &mut hash);
        Ok(())
    })?;
    line.insert("xxh3", json!(hex(&hash)));
    if shape.iter().product::<u64>() <= SMALL {
        line.insert("values", values(&array.values(..)?));
    }
    Ok(())
}

fn of_categorical(categorical: &Categorical, line: &mut Line) -> Result<()> {
    let (codes, categories) = (categorical.codes(..)?, categorical.categories().values(..)?);
    line.insert("shape", json!([codes.len()]));
    line.insert("dtype", json!(categorical.categories().value_type().name()));
    line.insert("codes_dtype", json!(categorical.code_type().name()));
    line.insert("ordered", json!(categorical.is_ordered()));
    line.insert("n_categories", json!(categories.len()));
    line.insert("missing", json!(codes.iter().filter(|code| code.is_none()).count()));
    let mut hash = XxHash3_128::new();
    stream::plain(&categories, &mut hash);
    line.insert("categories_xxh3", json!(hex(&hash)));
    let labels = stream::each(&categories);
    let mut hash = XxHash3_128::new();
    for code in &codes {
        stream::optional(code.and_then(|code| labels.get(code as usize)), &mut hash);
    }
    line.insert("xxh3", json!(hex(&hash)));
    let Value::Array(shown) = values(&categories) else { return Ok(()) };
    if codes.len() as u64 <= SMALL {
        let label = |code: &Option<u64>| code.and_then(|code| shown.get(code as usize).cloned());
        line.insert("values", json!(codes.iter().map(label).collect::<Vec<_>>()));
    }
    if shown.len() as u64 <= SMALL {
        line.insert("categories", json!(shown));
    }
    Ok(())
}

fn of_nullable(nullable: &Nullable, line: &mut Line) -> Result<()> {
    let (mut stored, missing) = nullable.read(..)?;
    // Truth values that are stored as numbers.
    if let (Values::I8(numbers), Type::I8) = (&stored, nullable.values().value_type())
        && line.get("encoding").is_some_and(|encoding| encoding == "nullable-boolean")
    {
        stored = Values::Bool(numbers.iter().map(|number| *number != 0).collect());
    }
    line.insert("shape", json!(nullable.values().shape()));
    line.insert("dtype", json!(nullable.values().value_type().name()));
    line.insert("missing", json!(missing.iter().filter(|missing| **missing).count()));
    let mut hash = XxHash3_128::new();
    for (value, missing) in stream::each(&stored).iter().zip(&missing) {
        stream::optional((!missing).then_some(value), &mut hash);
    }
    line.insert("xxh3", json!(hex(&hash)));
    if missing.len() as u64 <= SMALL
        && let Value::Array(mut shown) = values(&stored)
    {
        for (value, _) in shown.iter_mut().zip(&missing).filter(|(_, missing)| **missing) {
            *value = Value::Null;
        }
        line.insert("values", json!(shown));
    }
    Ok(())
}

fn of_sparse(sparse: &Sparse, line: &mut Line) -> Result<()> {
    let nnz = sparse.nnz();
    let [indices, indptr] = sparse.index_types().map(|of| of.map(Type::name));
    line.insert("shape", json!(sparse.shape()));
    line.insert("dtype", json!(sparse.value_type().name()));
    line.insert("nnz", json!(nnz));
    line.insert("indices_dtype", json!(indices));
    line.insert("indptr_dtype", json!(indptr));
    line.insert("sorted", json!(sparse.is_sorted()?));
    let mut hash = XxHash3_128::new();
    for entries in stream::ranges(nnz) {
        stream::plain(&sparse.values(entries)?, &mut hash);
    }
    for entries in stream::ranges(nnz) {
        stream::integers(&sparse.indices(entries)?, &mut hash);
    }
    // Pointers of neighbouring ranges share one.
    stream::integers(&sparse.pointers(0..0)?, &mut hash);
    for rows in stream::ranges(sparse.n_major()) {
        stream::integers(&sparse.pointers(rows)?[1..], &mut hash);
    }
    line.insert("xxh3", json!(hex(&hash)));
    if nnz <= SMALL && sparse.n_major() <= SMALL {
        line.insert("data", values(&sparse.values(0..nnz)?));
        line.insert("indices", json!(sparse.indices(0..nnz)?));
        line.insert("indptr", json!(sparse.pointers(0..sparse.n_major())?));
    }
    Ok(())
}

fn of_records(records: &Records, line: &mut Line) -> Result<()> {
    let names = records.names()?;
    let shape = records.shape();
    let rows: u64 = shape.iter().product();
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for name in &names {
        let field = records.field(name)?;
        let mut hash = XxHash3_128::new();
        stream::blocks(shape, |selection| {
            stream::plain(&field.values(selection)?, &mut hash);
            Ok(())
        })?;
        let inner = records.field_shape(name);
        fields.push(json!({
            "name": name, "dtype": field.value_type().name(), "shape": inner, "xxh3": hex(&hash),
        }));
        if rows * names.len() as u64 <= SMALL
            && let Value::Array(shown) = values(&field.values(..)?)
        {
            let each = inner.iter().product::<u64>().max(1) as usize;
            let grouped = |part: &[Value]| if inner.is_empty() { part[0].clone() } else { json!(part) };
            columns.push(shown.chunks(each).map(grouped).collect::<Vec<_>>());
        }
    }
    line.insert("shape", json!(shape));
    line.insert("fields", json!(fields));
    if rows * names.len() as u64 <= SMALL {
        let row = |at: usize| columns.iter().filter_map(|column| column.get(at).cloned()).collect::<Vec<_>>();
        line.insert("values", json!((0..rows as usize).map(row).collect::<Vec<_>>()));
    }
    Ok(())
}

fn of_awkward(awkward: &Awkward, line: &mut Line) -> Result<()> {
    let mut buffers = Vec::new();
    for name in awkward.buffers()? {
        let buffer = awkward.buffer_array(&name)?;
        let mut of = BTreeMap::new();
        of_array(&buffer, &mut of)?;
        buffers.push(json!({"name": name, "dtype": of["dtype"], "shape": of["shape"], "xxh3": of["xxh3"]}));
    }
    line.insert("length", json!(awkward.length()));
    line.insert("form", json!(awkward.form()));
    line.insert("buffers", json!(buffers));
    Ok(())
}

/// Values as JSON: what JSON has no number for as text, complex numbers as pairs, bytes in hexadecimal.
fn values(values: &Values) -> Value {
    let float = |number: f64| match number {
        number if number.is_nan() => json!("NaN"),
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        number => json!(number),
    };
    let digits = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match values {
        Values::Bool(values) => json!(values),
        Values::I8(values) => json!(values),
        Values::I16(values) => json!(values),
        Values::I32(values) => json!(values),
        Values::I64(values) => json!(values),
        Values::U8(values) => json!(values),
        Values::U16(values) => json!(values),
        Values::U32(values) => json!(values),
        Values::U64(values) => json!(values),
        Values::F16(values) => values.iter().map(|number| float(number.to_f64())).collect(),
        Values::F32(values) => values.iter().map(|number| float((*number).into())).collect(),
        Values::F64(values) => values.iter().map(|number| float(*number)).collect(),
        Values::C64(values) => values.iter().map(|[r, i]| json!([float((*r).into()), float((*i).into())])).collect(),
        Values::C128(values) => values.iter().map(|[r, i]| json!([float(*r), float(*i)])).collect(),
        Values::String(values) => json!(values),
        Values::Bytes(values) => values.iter().map(|bytes| json!({"hex": digits(bytes)})).collect(),
    }
}

fn hex(hash: &XxHash3_128) -> String {
    format!("{:032x}", hash.finish_128())
}
