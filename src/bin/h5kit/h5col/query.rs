//! `h5kit h5col query`: rows that are looked for.

use std::io::Write;
use std::path::Path;

use h5kit::encoding::h5col::{Batch, Column, Data, IndexUse, Kind, Predicate, Table as Columns, Values};
use serde_json::Value;

use super::element::Writer;
use super::lists::Entries;
use super::query_list;
use crate::args::Source;
use crate::paint::{self, count};
use crate::scalar;
use crate::session::{Done, Session, Trouble};
use crate::table::{Cell, Row, Table};

/// Rows that are shown unless more are asked for.
const SHOWN: u64 = 100;

/// Characters of a value that are shown.
const WIDEST: usize = 60;

/// The arguments of `h5col query`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Shows the rows of a table that a condition is true of. Comparisons with missing values are unknown, and a row is shown \
where the whole is true.

  = == != <> < <= > >=, in (…), not in (…), between … and …, is null, is not null, and, or, not, ( )

Text stands in \"…\" or '…', bytes in x\"…\", and a column whose name is no word in `…`.

Given a file of queries (JSON) instead of a table, prints them back with the numbers of the rows.

Examples:
  h5kit h5col query data.h5 /stations --where 'height >= 500 and name is not null'
  h5kit h5col query data.h5 /stations --where 'name = \"Davos\"' --select name,height --explain
  h5kit h5col query data.h5 queries.json")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    source: Source,

    /// Path of a table, or a file of queries
    #[arg(value_name = "TABLE|QUERIES.json")]
    asked: String,

    /// The condition
    #[arg(long = "where", value_name = "TEXT")]
    condition: Option<String>,

    /// Columns to show, with commas between them
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    select: Vec<String>,

    /// Show no more rows than this (100 unless it is said)
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Say how the rows are found, and show none
    #[arg(long)]
    explain: bool,

    /// Use no index, or every valid one, whatever it costs
    #[arg(long, value_name = "WHICH", default_value = "cheaper")]
    indexes: Which,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Which {
    /// Those that cost less than reading the column
    Cheaper,
    /// Every valid one
    Always,
    /// None
    Never,
}

/// Shows the rows.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open(&args.source)?;
    let indexes = match args.indexes {
        Which::Cheaper => IndexUse::WhereCheaper,
        Which::Always => IndexUse::Always,
        Which::Never => IndexUse::Never,
    };
    let is_list = args.condition.is_none() && args.asked.ends_with(".json") && Path::new(&args.asked).is_file();
    if is_list {
        return query_list::run(&file, Path::new(&args.asked), indexes);
    }
    let table = super::table(&file, &args.asked)?;
    let predicate = match &args.condition {
        Some(text) => text.parse::<Predicate>().map_err(|e| Trouble::Usage(e.to_string()))?,
        None => Predicate::All,
    };
    let select = table.select(predicate).indexes(indexes);
    if args.explain {
        write!(session.out, "{}", select.plan()?)?;
        return Ok(());
    }
    let limit = args.limit.unwrap_or(SHOWN);
    // One more than is shown tells whether there are more.
    let mut select = select.limit(limit.saturating_add(1));
    if !args.select.is_empty() {
        select = select.columns(args.select.iter().map(|name| name.trim()));
    }
    let batch = select.read()?;
    show(&table, &batch, limit, session)
}

/// Shows rows that were found.
pub fn show(table: &Columns, batch: &Batch, limit: u64, session: &mut Session) -> Done {
    let mut out = Table::default();
    let mut head = Row::default();
    head.cells.push(Cell::right("row"));
    let mut columns = Vec::new();
    for (column, values) in &batch.columns {
        let number = matches!(values.data, Data::Signed(_) | Data::Unsigned(_) | Data::Float(_))
            && !matches!(column.kind(), Kind::Categorical | Kind::Enumeration);
        let name = paint::name(column.name());
        head.cells.push(if number { Cell::right(name) } else { Cell::plain(name) });
        columns.push((number, shown(column, values)?));
    }
    out.row(&mut session.out, head)?;
    for (i, row) in batch.rows.iter().take(usize::try_from(limit).unwrap_or(usize::MAX)).enumerate() {
        let mut line = Row::default();
        line.cells.push(Cell::right(row.to_string()));
        for (number, texts) in &columns {
            let text = texts.get(i).cloned().flatten();
            line.cells.push(match text {
                Some(text) if *number => Cell::right(text),
                Some(text) => Cell::plain(text),
                None => Cell::new(paint::DIM, "null"),
            });
        }
        out.row(&mut session.out, line)?;
    }
    out.flush(&mut session.out)?;
    if batch.rows.len() > limit {
        session.warn(&format!(
            "more than {} of {} rows; --limit shows more",
            count(limit, "row", "rows"),
            table.nrows()
        ));
    }
    Ok(())
}

/// The values of a column as text; `None` for missing ones.
pub fn shown(column: &Column, values: &Values) -> Result<Vec<Option<String>>, Trouble> {
    let scalar = match column {
        Column::Scalar(scalar) => scalar,
        Column::List(list) => {
            let entries = Entries::of(list)?;
            // Each element is a character at least.
            return Ok((0..values.len()).map(|row| short(&entries.beginning(values, row, WIDEST))).collect());
        }
    };
    // Codes are shown as what they stand for.
    let labels = scalar.labels()?;
    let values = &scalar.decoded(values.clone())?;
    let datatype = labels.as_ref().map_or(scalar.dataset(), |labels| labels.dataset()).datatype();
    let writer = Writer::new(scalar.dataset().file(), datatype);
    let text = |row: usize| match &values.data {
        _ if values.is_missing(row) => None,
        Data::Float(floats) => floats.get(row).map(|x| scalar::float(*x, datatype)),
        data => short(&writer.row(data, row)),
    };
    Ok((0..values.len()).map(text).collect())
}

/// A value on one line, not too long; `None` for null.
fn short(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        // Quotes tell text that would look like something else.
        Value::String(text) if text.is_empty() || text == "null" || text.starts_with(['"', '[', '{']) => {
            value.to_string()
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(paint::cut(&paint::clean(&text), WIDEST).into_owned())
}
