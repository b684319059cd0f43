//! From a predicate to what is asked of the columns of one table.
//!
//! `not` is moved down to the single tests. Where a test is unknown neither it nor its opposite is true, so that below
//! `and` and `or` alone, true rows can be found as sets.

use super::set::{Intervals, Set};
use super::{Literal, Name, Operator, Predicate};
use crate::encoding::h5col::column::{Column, ScalarColumn};
use crate::encoding::h5col::error::{QueryError, Result};
use crate::encoding::h5col::kind::{Held, Kind};
use crate::encoding::h5col::table::Table;
use crate::encoding::h5col::values::{Data, Values};

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
            let set = compared(column, labels(column)?.as_ref(), *operator, value)?;
            leaf(column, set, (*operator == Operator::NotEqual) != negated, predicate, negated)
        }
        Predicate::In { column: name, values } => {
            let column = column(table, name)?;
            let labels = labels(column)?;
            let one = |value| compared(column, labels.as_ref(), Operator::Equal, value);
            let sets = values.iter().map(one).collect::<Result<Vec<_>>>()?;
            let set = Set::union_of(sets).map_or_else(|| nothing(column), Ok)?;
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
    match <[Node; 1]>::try_from(kept) {
        Ok([only]) => only,
        Err(kept) => join(kept),
    }
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

/// The labels of a categorical column.
fn labels(column: &Column) -> Result<Option<Values>> {
    match column.as_scalar().map(ScalarColumn::labels).transpose()?.flatten() {
        Some(labels) => labels.read().map(Some),
        None => Ok(None),
    }
}

/// The values of a column that compare so; for `!=` those that are equal.
fn compared(column: &Column, labels: Option<&Values>, operator: Operator, value: &Literal) -> Result<Set> {
    let name = || column.name().to_string();
    let scalar = comparable(column)?;
    if matches!(value, Literal::Float(x) if x.is_nan()) {
        return Err(QueryError::NotANumber(name()).into());
    }
    if let Some(labels) = labels {
        return labelled(scalar, labels, operator, value);
    }
    let set = match scalar.held() {
        Held::Float => Set::floats(operator, value),
        Held::Text => Set::strings(operator, value),
        _ => Set::integers(operator, value),
    };
    set.ok_or_else(|| QueryError::Value { column: name(), kind: scalar.kind().name(), value: value.to_string() }.into())
}

/// The codes of the labels that compare so. Labels have the order of their codes.
fn labelled(column: &ScalarColumn, labels: &Values, operator: Operator, value: &Literal) -> Result<Set> {
    let codes = codes(&labels.data, value);
    let code = |operator, code: &i128| Set::integers(operator, &Literal::Integer(*code));
    match operator {
        Operator::Equal | Operator::NotEqual => {
            let sets = codes.iter().filter_map(|n| code(Operator::Equal, n)).collect();
            Ok(Set::union_of(sets).unwrap_or(Set::Integers(Intervals::none())))
        }
        _ => {
            let unknown = || QueryError::UnknownLabel { column: column.name().to_string(), value: value.to_string() };
            codes.first().and_then(|n| code(operator, n)).ok_or_else(|| unknown().into())
        }
    }
}

/// The codes whose label is this value.
fn codes(labels: &Data, value: &Literal) -> Vec<i128> {
    let is_boolean = matches!(value, Literal::Boolean(_));
    let set = match labels {
        Data::Float(_) => Set::floats(Operator::Equal, value),
        Data::Boolean(_) if is_boolean => Set::integers(Operator::Equal, value),
        Data::Signed(_) | Data::Unsigned(_) if !is_boolean => Set::integers(Operator::Equal, value),
        Data::Text(_) | Data::Value(_) => Set::strings(Operator::Equal, value),
        _ => None,
    };
    let is_label = |(_, row): &(i128, usize)| set.as_ref().is_some_and(|set| set.holds(labels, *row));
    (0i128..).zip(0..labels.len()).filter(is_label).map(|(code, _)| code).collect()
}
