//! Tables in `h5kit view`.

use h5kit::encoding::h5col::{Batch, Column, Rows, Table as Columns};

use super::query::{self, shown};
use crate::paint::{self, count};
use crate::session::{Done, Session, Trouble};
use crate::table::{Cell, Row, Table};

/// Values that are shown of a column.
const FEW: u64 = 4;

/// A line for each column of a table: its kind and a few values.
pub fn summary(table: &Columns, session: &mut Session) -> Done {
    let rows = count(table.nrows(), "row", "rows");
    let columns = count(table.columns().len() as u64, "column", "columns");
    let heading = format!("{}: table of {rows}, {columns}", paint::clean(table.path()));
    session.line(&paint::styled(paint::GROUP, &heading))?;
    let indexes = table.search_indexes()?;
    let mut lines = Table::default();
    for column in table.columns() {
        let few = few(column, table.nrows());
        let name = Cell::plain(paint::name(column.name()));
        let of_column = indexes.iter().filter(|index| index.columns().contains(column.name()));
        let indexed: Vec<_> = of_column.map(|index| index.kind().name()).collect();
        let cells =
            vec![name, Cell::plain(column.kind().name()), Cell::new(paint::DIM, paint::clean(&indexed.join(", ")))];
        let rest = match few {
            Ok(few) => Cell::new(paint::DIM, few.join(", ")),
            Err(trouble) => {
                session.found();
                Cell::new(paint::BAD, paint::clean(&session.text_of(&trouble)))
            }
        };
        lines.row(&mut session.out, Row { cells, rest, below: Vec::new() })?;
    }
    lines.flush(&mut session.out)?;
    Ok(())
}

fn few(column: &Column, rows: u64) -> Result<Vec<String>, Trouble> {
    let values = column.read(0..rows.min(FEW))?;
    Ok(shown(column, &values)?.into_iter().map(|value| value.unwrap_or_else(|| "null".to_owned())).collect())
}

/// The first rows of a table. A column that cannot be read is said, and left out.
pub fn head(table: &Columns, rows: u64, session: &mut Session) -> Done {
    let rows = 0..rows.min(table.nrows());
    let mut batch = Batch { rows: Rows::range(rows.clone()), columns: Vec::new() };
    for column in table.columns() {
        match column.read(rows.clone()) {
            Ok(values) => batch.columns.push((column.clone(), values)),
            Err(error) => session.report(&error),
        }
    }
    query::show(table, &batch, rows.end, session)
}
