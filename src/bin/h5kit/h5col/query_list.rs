//! Lists of queries as JSON, printed back with what each of them finds.

use std::path::Path;

use h5kit::File;
use h5kit::encoding::h5col::{self, Error, IndexUse, Literal, Operator, Predicate, QueryError, Rows, column};
use serde_json::Value;

use super::json::{self, Items, List, Object, Part};
use crate::session::{Done, Trouble};

/// Predicates inside each other that are followed.
const DEEPEST: usize = 200;

/// Answers the queries of a list.
pub fn run(file: &File, list: &Path, indexes: IndexUse) -> Done {
    let name = list.display();
    let text = std::fs::read_to_string(list).map_err(|e| Trouble::Usage(format!("{name}: {e}")))?;
    let parsed: Value = serde_json::from_str(&text).map_err(|e| Trouble::Usage(format!("{name}: {e}")))?;
    let Value::Array(queries) = parsed else { return Err(Trouble::Usage(format!("{name}: not a list of queries"))) };
    let mut answered = Vec::new();
    for (i, query) in queries.into_iter().enumerate() {
        let Value::Object(mut query) = query else {
            return Err(Trouble::Usage(format!("{name}: query {i} is no object")));
        };
        for key in ["rows", "error", "plan", "h5col_rows"] {
            query.remove(key);
        }
        let path = query.get("table").and_then(Value::as_str).map(str::to_owned);
        let predicate = match query.get("where") {
            None | Some(Value::Null) => Ok(Predicate::All),
            Some(asked) => predicate(asked, 0),
        };
        let predicate = predicate.map_err(|what| Trouble::Usage(format!("{name}: query {i}: {what}")))?;
        let Some(path) = path else { return Err(Trouble::Usage(format!("{name}: query {i} names no table"))) };
        let (key, answer) = match rows(file, &path, predicate, indexes) {
            Ok(rows) => ("rows", Part::Items(numbers(rows))),
            Err(Error::File(e)) => return Err(e.into()),
            Err(e) => ("error", class(&e).into()),
        };
        let mut query: Object = query.into_iter().map(|(key, value)| (key, value.into())).collect();
        query.insert(key.into(), answer);
        answered.push(Part::Object(query));
    }
    json::print(&Part::Array(answered))
}

fn rows(file: &File, path: &str, predicate: Predicate, indexes: IndexUse) -> h5col::Result<Rows> {
    super::table(file, path)?.select(predicate).indexes(indexes).rows()
}

fn numbers(rows: Rows) -> Items {
    let write = move |list: &mut List<'_>| rows.iter().try_for_each(|row| list.item(&row.into()));
    Items { lines: false, write: Box::new(write) }
}

/// The name that the convention's reference implementation has for an error.
fn class(error: &Error) -> &'static str {
    match error {
        Error::Query(QueryError::UnknownColumn(_)) => "KeyError",
        Error::Query(_) => "SchemaError",
        _ => "ConformanceError",
    }
}

fn predicate(asked: &Value, depth: usize) -> Result<Predicate, String> {
    if depth > DEEPEST {
        return Err(format!("more than {DEEPEST} levels"));
    }
    let key = |name: &str| asked.get(name).ok_or_else(|| format!("no `{name}` in {asked}"));
    let list = |name: &str| key(name)?.as_array().ok_or_else(|| format!("`{name}` is no list in {asked}"));
    let name = || key("column")?.as_str().map(str::to_owned).ok_or_else(|| format!("`column` is no name in {asked}"));
    let parts = || list("args")?.iter().map(|part| predicate(part, depth + 1)).collect::<Result<Vec<_>, _>>();
    let operator = match key("op")?.as_str().unwrap_or_default() {
        "and" => return Ok(Predicate::And(parts()?)),
        "or" => return Ok(Predicate::Or(parts()?)),
        "not" => return Ok(!predicate(key("arg")?, depth + 1)?),
        "is_null" => return Ok(column(name()?).is_null()),
        "is_valid" => return Ok(column(name()?).is_valid()),
        "in" => {
            let values: Vec<Literal> = list("values")?.iter().map(literal).collect::<Result<_, _>>()?;
            return Ok(column(name()?).is_in(values));
        }
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        other => return Err(format!("no operator `{other}`")),
    };
    Ok(Predicate::Compare { column: name()?, operator, value: literal(key("value")?)? })
}

fn literal(value: &Value) -> Result<Literal, String> {
    let wrong = || format!("{value} is no value");
    let part = |name: &str| value.get(name).and_then(Value::as_str);
    Ok(match value {
        Value::Bool(b) => (*b).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(n), _, _) => n.into(),
            (_, Some(n), _) => n.into(),
            (_, _, Some(x)) => x.into(),
            _ => return Err(wrong()),
        },
        Value::Object(_) => {
            if let Some(text) = part("$float") {
                text.replace("Infinity", "inf").parse::<f64>().map_err(|_| wrong())?.into()
            } else if let Some(text) = part("$int") {
                text.parse::<i128>().map_err(|_| wrong())?.into()
            } else if let Some(text) = part("$hex") {
                let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
                let digits = digits.filter(|d| d.len() % 2 == 0).ok_or_else(wrong)?;
                let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
                bytes.into()
            } else {
                return Err(wrong());
            }
        }
        _ => return Err(wrong()),
    })
}

#[cfg(test)]
#[test]
fn values_of_every_sort() {
    use serde_json::json;
    assert_eq!(literal(&json!({"$float": "-Infinity"})), Ok(Literal::Float(f64::NEG_INFINITY)));
    assert_eq!(literal(&json!({"$int": "18446744073709551616"})), Ok(Literal::Integer(1 << 64)));
    assert_eq!(literal(&json!({"$hex": "00fF"})), Ok(Literal::Bytes(vec![0, 255])));
    assert_eq!(literal(&json!(u64::MAX)), Ok(Literal::Integer(u64::MAX.into())));
    assert!(literal(&json!(null)).is_err());
}
