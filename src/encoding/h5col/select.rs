//! Selecting rows: what is asked, and which way is taken to find them.
//!
//! The cost of a way is the bytes that have to be decoded. An index is used where what it takes is known to be less
//! than reading the column; what it only narrows is read and tested.

use std::fmt;

use super::column::{Column, ScalarColumn};
use super::error::{Error, QueryError, Result};
use super::find;
use super::index::{Bitmap, ChunkBloom, ChunkMinMax, Content, SearchIndex, SortedRows};
use super::predicate::{Leaf, Node, Predicate, Test, bind};
use super::rows::Rows;
use super::table::Table;
use super::values::{Values, possible};
use crate::bytes::Text;

/// Which indexes a selection uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IndexUse {
    /// Those that cost less than reading the column.
    #[default]
    WhereCheaper,
    /// Every one that is valid, whatever it costs.
    Always,
    /// None: for files that are not trusted, since an index can say what is not so.
    Never,
}

/// A question to a table, to be answered by [`rows`](Self::rows) or [`read`](Self::read).
#[derive(Clone, Debug)]
pub struct Select {
    table: Table,
    predicate: Predicate,
    columns: Option<Vec<String>>,
    limit: Option<u64>,
    indexes: IndexUse,
}

/// Selected rows and their values.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The rows.
    pub rows: Rows,
    /// The columns that were asked for, with a value for each of the rows.
    pub columns: Vec<(Column, Values)>,
}

impl Batch {
    /// The values of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Values> {
        self.columns.iter().find(|(column, _)| *column.name() == *name).map(|(_, values)| values)
    }
}

impl Table {
    /// Asks for the rows that a predicate is true of.
    #[must_use]
    pub fn select(&self, predicate: Predicate) -> Select {
        Select { table: self.clone(), predicate, columns: None, limit: None, indexes: IndexUse::default() }
    }
}

impl Select {
    /// Columns to read, in this order; all unless it is said.
    #[must_use]
    pub fn columns<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Only the first so many rows. What comes after them is not read, as far as a column is read in the order of rows.
    #[must_use]
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = Some(rows);
        self
    }

    /// Which indexes are used.
    #[must_use]
    pub fn indexes(mut self, indexes: IndexUse) -> Self {
        self.indexes = indexes;
        self
    }

    /// How the rows will be found. Attributes and shapes of indexes are read, no value.
    ///
    /// # Errors
    /// `Query` where the predicate does not fit the table, `File`.
    pub fn plan(&self) -> Result<Plan> {
        let asked = bind(&self.table, &self.predicate)?;
        let indexes = match self.indexes {
            IndexUse::Never => Vec::new(),
            IndexUse::WhereCheaper | IndexUse::Always => usable(&self.table)?,
        };
        Ok(Plan { step: step(asked, &indexes, self.indexes), nrows: self.table.nrows() })
    }

    /// The rows.
    ///
    /// # Errors
    /// `Query` where the predicate does not fit the table; `Rule` where a column that is needed breaks one; `File`.
    pub fn rows(&self) -> Result<Rows> {
        let plan = self.plan()?;
        let file = self.table.group().file();
        // Each row has something in the file.
        possible(file, plan.nrows, 1)?;
        find::first(&plan.step, plan.nrows, self.limit.unwrap_or(u64::MAX), file.threads())
    }

    /// The rows and the values of the columns asked for.
    ///
    /// # Errors
    /// As [`rows`](Self::rows), and `Query` for a column that is not there.
    pub fn read(&self) -> Result<Batch> {
        let columns = self.chosen()?;
        let rows = self.rows()?;
        let values = columns.into_iter().map(|column| {
            let values = column.read_rows(&rows)?;
            Ok((column, values))
        });
        Ok(Batch { columns: values.collect::<Result<_>>()?, rows })
    }

    /// The columns asked for.
    pub(super) fn chosen(&self) -> Result<Vec<Column>> {
        let Some(names) = &self.columns else { return Ok(self.table.columns().to_vec()) };
        let column =
            |name: &String| self.table.column(name).cloned().ok_or_else(|| QueryError::UnknownColumn(name.clone()));
        Ok(names.iter().map(column).collect::<Result<_, _>>()?)
    }
}

/// How rows are found. `Display` shows it as people read it.
#[derive(Clone, Debug)]
pub struct Plan {
    step: Step,
    nrows: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    All,
    Nothing,
    /// An index answers; the column is read where it turns out that it cannot.
    Index {
        leaf: Leaf,
        index: Exact,
        name: Text,
        cost: u64,
        scan: u64,
    },
    /// The column is read, without the chunks that indexes rule out.
    Scan {
        leaf: Leaf,
        pruning: Vec<(Text, Pruning)>,
        cost: u64,
    },
    And(Vec<Step>),
    Or(Vec<Step>),
}

#[derive(Clone, Debug)]
pub(super) enum Exact {
    SortedRows(SortedRows),
    Bitmap(Bitmap),
}

#[derive(Clone, Debug)]
pub(super) enum Pruning {
    MinMax(ChunkMinMax),
    Bloom(ChunkBloom),
}

/// The indexes of a table that can be used. What is wrong with others makes them absent.
fn usable(table: &Table) -> Result<Vec<(SearchIndex, Content)>> {
    let mut usable = Vec::new();
    let indexes = match table.search_indexes() {
        Ok(indexes) => indexes,
        Err(e) if must_stop(&e) => return Err(e),
        Err(_) => Vec::new(),
    };
    for index in indexes {
        match index.content() {
            Ok(Some(content)) => usable.push((index, content)),
            Ok(None) => {}
            Err(e) if must_stop(&e) => return Err(e),
            Err(_) => {}
        }
    }
    Ok(usable)
}

/// Trouble with an index means reading the column, unless bytes have to be fetched first.
pub(super) fn must_stop(error: &Error) -> bool {
    error.is_missing()
}

fn step(node: Node, indexes: &[(SearchIndex, Content)], which: IndexUse) -> Step {
    let steps = |nodes: Vec<Node>| {
        let mut steps: Vec<Step> = nodes.into_iter().map(|node| step(node, indexes, which)).collect();
        // What costs least narrows what comes after it.
        steps.sort_by_key(Step::cost);
        steps
    };
    match node {
        Node::All => Step::All,
        Node::Nothing => Step::Nothing,
        Node::And(nodes) => Step::And(steps(nodes)),
        Node::Or(nodes) => Step::Or(steps(nodes)),
        Node::Leaf(leaf) => leaf_step(leaf, indexes, which),
    }
}

fn leaf_step(leaf: Leaf, indexes: &[(SearchIndex, Content)], which: IndexUse) -> Step {
    let scan = scan_cost(&leaf.column);
    let (Test::Within(set), Some(column)) = (&leaf.test, leaf.column.as_scalar()) else {
        return Step::Scan { leaf, pruning: Vec::new(), cost: scan };
    };
    if set.is_empty() {
        return Step::Nothing;
    }
    let mine = || indexes.iter().filter(|(index, _)| index.columns() == [column.name().clone()]);
    let worth = |cost: u64| which == IndexUse::Always || cost < scan;
    let exact = mine().filter_map(|(index, content)| {
        let (exact, cost) = match content {
            Content::SortedRows(sorted) => {
                (Exact::SortedRows(sorted.clone()), search_cost(sorted, column).saturating_mul(set.intervals() as u64))
            }
            Content::Bitmap(bitmap) => {
                let values = bitmap.values_dataset().logical_size();
                let asked = set.points().map_or(bitmap.values_dataset().len(), |points| points as u64);
                (Exact::Bitmap(bitmap.clone()), values.saturating_add(bitmap.row_bytes().saturating_mul(asked)))
            }
            Content::ChunkMinMax(_) | Content::ChunkBloom(_) => return None,
        };
        // A list of values that may lack some answers only for single ones.
        let answers = !matches!(&exact, Exact::Bitmap(b) if b.exhaustive != Some(true) && set.points().is_none());
        (answers && worth(cost)).then(|| (cost, index.name().clone(), exact))
    });
    if let Some((cost, name, index)) = exact.min_by_key(|(cost, ..)| *cost) {
        return Step::Index { leaf, index, name, cost, scan };
    }
    let pruning = mine().filter_map(|(index, content)| {
        let (pruning, cost) = match content {
            Content::ChunkMinMax(bounds) => (Pruning::MinMax(bounds.clone()), bounds.bytes()),
            Content::ChunkBloom(bloom) => (Pruning::Bloom(bloom.clone()), bloom.cost(set.points()? as u64)),
            Content::SortedRows(_) | Content::Bitmap(_) => return None,
        };
        worth(cost).then(|| (index.name().clone(), pruning))
    });
    let pruning = pruning.collect();
    Step::Scan { leaf, pruning, cost: scan }
}

/// Bytes of a column as far as the table reaches.
fn scan_cost(column: &Column) -> u64 {
    match column {
        Column::Scalar(column) => column.nrows.saturating_mul(column.dataset().datatype().size.into()),
        // Its mask at least; what else is in it is not known before it is read.
        Column::List(column) => column.nrows(),
    }
}

/// Most bytes that a binary search decodes, both ends of an interval searched: the order is read in few blocks, since
/// the last steps are close together; the values that it leads to can be anywhere.
fn search_cost(sorted: &SortedRows, column: &ScalarColumn) -> u64 {
    let steps = |n: u64| 2 * u64::from(n.max(1).ilog2() + 1);
    let width = u64::from(column.dataset().datatype().size);
    let values = super::index::block(column.dataset()).saturating_mul(width);
    let order = steps(sorted.blocks()).saturating_mul(sorted.block_bytes());
    order.saturating_add(steps(sorted.body()).saturating_mul(values))
}

impl Step {
    fn cost(&self) -> u64 {
        match self {
            Self::All | Self::Nothing => 0,
            Self::Index { cost, .. } | Self::Scan { cost, .. } => *cost,
            Self::And(steps) | Self::Or(steps) => steps.iter().map(Self::cost).fold(0, u64::saturating_add),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(f, &self.step, 0)
    }
}

fn show(f: &mut fmt::Formatter<'_>, step: &Step, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * depth)?;
    match step {
        Step::All => writeln!(f, "every row"),
        Step::Nothing => writeln!(f, "no row"),
        Step::And(steps) | Step::Or(steps) => {
            let all = matches!(step, Step::And(_));
            writeln!(f, "{}", if all { "all of, each among the rows of those before" } else { "any of" })?;
            steps.iter().try_for_each(|step| show(f, step, depth + 1))
        }
        Step::Index { leaf, index, name, cost, scan } => {
            let kind = match index {
                Exact::SortedRows(_) => "SORTED_ROWS",
                Exact::Bitmap(_) => "BITMAP",
            };
            let text = &leaf.text;
            writeln!(f, "{text}: {kind} index `{name}` (at most {cost} bytes, the column has {scan})")
        }
        Step::Scan { leaf, pruning, cost } => {
            write!(f, "{}: read `{}` ({cost} bytes)", leaf.text, leaf.column.name())?;
            for (name, pruning) in pruning {
                let kind = match pruning {
                    Pruning::MinMax(_) => "CHUNK_MINMAX",
                    Pruning::Bloom(_) => "CHUNK_BLOOM",
                };
                write!(f, ", without the chunks that {kind} index `{name}` rules out")?;
            }
            writeln!(f)
        }
    }
}
