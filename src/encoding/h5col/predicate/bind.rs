//! From a predicate to what is asked of the columns of one table.
//!
//! `not` is moved down to the single tests. Where a test is unknown neither it nor its opposite is true, so that below
//! `and` and `or` alone, true rows can be found as sets.

use super::set::{Intervals, Set};
use super::{Literal, Name, Operator, Predicate};
use crate::element::Value;
use crate::encoding::h5col::column::{Column, ScalarColumn};
use crate::encoding::h5col::error::{QueryError, Result};
use crate::encoding::h5col::kind::{Held, Kind};
use crate::encoding::h5col::table::Table;
use crate::encoding::h5col::values::Data;

/// What is asked of a table, without `not`.
#[derive(Clone, Debug)]
pub(in crate::encoding::h5col) enum Node {
    /// Every row.
    All,
    /// No row.
    Nothing,
    /// A test of one column.
    Leaf(Leaf),
    /// All of these.
    And(Vec<Node>),
    /// One of these.
    Or(Vec<Node>),
}

/// A test of one column.
#[derive(Clone, Debug)]
pub(in crate::encoding::h5col) struct Leaf {
    pub(in crate::encoding::h5col) column: Column,
    pub(in crate::encoding::h5col) test: Test,
    /// What was asked, as people read it.
    pub(in crate::encoding::h5col) text: String,
}

/// What is asked of a value.
#[derive(Clone, Debug)]
pub(in crate::encoding::h5col) enum Test {
    /// It is there and in the set.
    Within(Set),
    /// It is there and not in the set; a NaN is in none.
    Outside(Set),
    /// It is missing.
    Missing,
    /// It is there.
    Present,
}

/// What a predicate asks of a table.
pub(in crate::encoding::h5col) fn bind(table: &Table, predicate: &Predicate) -> Result<Node> {
    node(table, predicate, false)
}

fn node(table: &Table, predicate: &Predicate, negated: bool) -> Result<Node> {
    let nodes = |parts: &[Predicate]| parts.iter().map(|part| node(table, part, negated)).collect::<Result<Vec<_>>>();
    Ok(match predicate {
        Predicate::All if negated => Node::Nothing,
        Predicate::All => Node::All,
        Predicate::Not(part) => node(table, part, !negated)?,
        Predicate::And(parts) if negated => any(nodes(parts)?),
        Predicate::And(parts) => all(nodes(parts)?),
        Predicate::Or(parts) if negated => all(nodes(parts)?),
        Predicate::Or(parts) => any(nodes(parts)?),
        Predicate::IsNull(name) | Predicate::IsValid(name) => {
            let missing = matches!(predicate, Predicate::IsNull(_)) != negated;
            let test = if missing { Test::Missing } else { Test::Present };
            let text = format!("{} is {}", Name(name), if missing { "null" } else { "not null" });
            Node::Leaf(Leaf { column: column(table, name)?.clone(), test, text })
        }
        Predicate::Compare { column: name, operator, value } => {
            let column = column(table, name)?;
            let set = compared(column, *operator, value)?;
            leaf(column, set, (*operator == Operator::NotEqual) != negated, predicate, negated)
        }
        Predicate::In { column: name, values } => {
            let column = column(table, name)?;
            let mut set = nothing(column)?;
            for value in values {
                let one = compared(column, Operator::Equal, value)?;
                set = set.union(&one).unwrap_or(one);
            }
            leaf(column, set, negated, predicate, negated)
        }
    })
}

fn leaf(column: &Column, set: Set, outside: bool, asked: &Predicate, negated: bool) -> Node {
    let text = if negated { format!("not ({asked})") } else { asked.to_string() };
    let test = if outside { Test::Outside(set) } else { Test::Within(set) };
    Node::Leaf(Leaf { column: column.clone(), test, text })
}

/// All of these, those that ask one column for sets put together.
fn all(nodes: Vec<Node>) -> Node {
    merged(nodes, " and ", Set::intersection, Node::And)
}

/// One of these, those that ask one column for sets put together.
fn any(nodes: Vec<Node>) -> Node {
    merged(nodes, " or ", Set::union, Node::Or)
}

fn merged(nodes: Vec<Node>, word: &str, merge: fn(&Set, &Set) -> Option<Set>, join: fn(Vec<Node>) -> Node) -> Node {
    let mut kept: Vec<Node> = Vec::new();
    for node in nodes {
        let together = match &node {
            Node::Leaf(Leaf { column, test: Test::Within(set), text }) => {
                kept.iter_mut().find_map(|other| match other {
                    Node::Leaf(leaf) if leaf.column.info().path() == column.info().path() => match &leaf.test {
                        Test::Within(first) => {
                            let set = merge(first, set)?;
                            leaf.text = format!("{}{word}{text}", leaf.text);
                            leaf.test = Test::Within(set);
                            Some(())
                        }
                        _ => None,
                    },
                    _ => None,
                })
            }
            _ => None,
        };
        if together.is_none() {
            kept.push(node);
        }
    }
    join(kept)
}

fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column> {
    table.column(name).ok_or_else(|| QueryError::UnknownColumn(name.to_owned()).into())
}

/// The column, where values compare with its own.
fn comparable(column: &Column) -> Result<&ScalarColumn> {
    let refused = || QueryError::Kind { column: column.name().to_string(), kind: column.kind().name() };
    let scalar = column.as_scalar().ok_or_else(refused)?;
    match (scalar.kind(), scalar.held()) {
        // Wide integers are held with everything else.
        (Kind::Integer | Kind::Enumeration, _) => Ok(scalar),
        (_, Held::Value) => Err(refused().into()),
        _ => Ok(scalar),
    }
}

/// No value of a column.
fn nothing(column: &Column) -> Result<Set> {
    Ok(match comparable(column)?.held() {
        Held::Float => Set::Floats(Intervals::none()),
        Held::Text => Set::Bytes(Intervals::none()),
        _ => Set::Integers(Intervals::none()),
    })
}

/// The values of a column that compare so; for `!=` those that are equal.
fn compared(column: &Column, operator: Operator, value: &Literal) -> Result<Set> {
    let name = || column.name().to_string();
    let scalar = comparable(column)?;
    if matches!(value, Literal::Float(x) if x.is_nan()) {
        return Err(QueryError::NotANumber(name()).into());
    }
    if scalar.kind() == Kind::Categorical {
        return labelled(scalar, operator, value);
    }
    let set = match scalar.held() {
        Held::Float => Set::floats(operator, value),
        Held::Text => Set::strings(operator, value),
        _ => Set::integers(operator, value),
    };
    set.ok_or_else(|| QueryError::Value { column: name(), kind: scalar.kind().name(), value: value.to_string() }.into())
}

/// The codes of the labels that compare so. Labels have the order of their codes.
fn labelled(column: &ScalarColumn, operator: Operator, value: &Literal) -> Result<Set> {
    let none = Set::Integers(Intervals::none());
    let Some(labels) = column.labels()? else { return Ok(none) };
    let labels = labels.read()?;
    let codes = (0i128..).zip(0..labels.len()).filter(|(_, row)| is_label(&labels.data, *row, value));
    let mut codes = codes.map(|(code, _)| Literal::Integer(code));
    match operator {
        Operator::Equal | Operator::NotEqual => {
            let sets = codes.filter_map(|code| Set::integers(Operator::Equal, &code));
            Ok(sets.fold(none, |all, one| all.union(&one).unwrap_or(one)))
        }
        _ => {
            let first = codes.next().and_then(|code| Set::integers(operator, &code));
            let unknown = || QueryError::UnknownLabel { column: column.name().to_string(), value: value.to_string() };
            first.ok_or_else(|| unknown().into())
        }
    }
}

fn is_label(labels: &Data, row: usize, value: &Literal) -> bool {
    let set = match labels {
        Data::Float(_) => Set::floats(Operator::Equal, value),
        Data::Text(_) => Set::strings(Operator::Equal, value),
        Data::Boolean(_) => match value {
            Literal::Boolean(_) => Set::integers(Operator::Equal, value),
            _ => None,
        },
        Data::Signed(_) | Data::Unsigned(_) => match value {
            Literal::Boolean(_) => None,
            _ => Set::integers(Operator::Equal, value),
        },
        Data::Value(values) => {
            return match (values.get(row), value) {
                (Some(Value::Opaque(bytes)), Literal::Bytes(asked)) => bytes == asked,
                _ => false,
            };
        }
        Data::List(_) => None,
    };
    set.is_some_and(|set| set.holds(labels, row))
}
