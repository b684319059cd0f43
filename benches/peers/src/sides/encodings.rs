//! h5kit's AnnData and H5Col.

use h5kit::File;
use h5kit::encoding::anndata::{AnnData, Kind, Part, Sparse, Values};
use h5kit::encoding::h5col::{self, Data, IndexUse, Predicate, Table};

use super::Result;
use crate::tally::Tally;

/// Bytes of a block of rows, as the blocks of the other sides have.
const BLOCK: u64 = 32 << 20;

/// A column as its user has it.
enum Read {
    Values(Values),
    Missing(Values, Vec<bool>),
    Categories(Values, Vec<Option<u64>>),
}

pub fn observations(file: &File, tally: &mut Tally) -> Result<()> {
    let data = AnnData::open(file)?;
    let obs = data.obs();
    let labels = obs.labels()?;
    let mut columns = Vec::new();
    for name in obs.columns() {
        columns.push(match obs.column(name)?.kind {
            Kind::Categorical(column) => Read::Categories(column.categories().values(..)?, column.codes(..)?),
            Kind::NullableInteger(column) | Kind::NullableBoolean(column) | Kind::NullableStrings(column) => {
                let (values, missing) = column.read(..)?;
                Read::Missing(values, missing)
            }
            Kind::Array(column) | Kind::StringArray(column) => Read::Values(column.values(..)?),
            _ => return Err("a column of another kind".into()),
        });
    }
    tally.placed_texts(labels.iter().map(String::as_bytes));
    for column in &columns {
        match column {
            Read::Values(of) => values(of, tally)?,
            Read::Missing(of, missing) => {
                values(of, tally)?;
                tally.placed(0, missing.iter().map(|missing| u64::from(*missing)));
            }
            Read::Categories(of, codes) => {
                values(of, tally)?;
                tally.placed(0, codes.iter().map(|code| code.unwrap_or(u64::MAX)));
            }
        }
    }
    Ok(())
}

fn values(values: &Values, tally: &mut Tally) -> Result<()> {
    match values {
        Values::String(texts) => tally.placed_texts(texts.iter().map(String::as_bytes)),
        Values::Bool(values) => tally.placed(0, values.iter().map(|value| u64::from(*value))),
        Values::I32(values) => tally.placed(0, values.iter().map(|value| i64::from(*value).cast_unsigned())),
        Values::I64(values) => tally.placed(0, values.iter().map(|value| value.cast_unsigned())),
        Values::F32(values) => tally.placed(0, values.iter().map(|value| u64::from(value.to_bits()))),
        Values::F64(values) => tally.placed(0, values.iter().map(|value| value.to_bits())),
        _ => return Err("values of another type".into()),
    }
    Ok(())
}

fn matrix(file: &File) -> Result<Sparse> {
    match AnnData::open(file)?.x()?.ok_or("there is no X")?.kind {
        Kind::Sparse(matrix) => Ok(matrix),
        _ => Err("the matrix is not sparse".into()),
    }
}

pub fn matrix_lines(file: &File, lines: &[u64], tally: &mut Tally) -> Result<()> {
    part(&matrix(file)?.select(lines)?, tally)
}

pub fn matrix_stream(file: &File, tally: &mut Tally) -> Result<()> {
    for block in matrix(file)?.parts(BLOCK) {
        part(&block?.1, tally)?;
    }
    Ok(())
}

fn part(read: &Part, tally: &mut Tally) -> Result<()> {
    let Values::F32(values) = &read.values else { return Err("values of another type".into()) };
    tally.placed(1, read.starts.windows(2).map(|pair| (pair[1] - pair[0]) as u64));
    tally.placed(2, read.indices.iter().zip(values).map(|(index, value)| index << 32 | u64::from(value.to_bits())));
    Ok(())
}

pub fn query(file: &File, condition: &str, indexes: bool, tally: &mut Tally) -> Result<()> {
    let condition: Predicate = condition.parse()?;
    let which = if indexes { IndexUse::default() } else { IndexUse::Never };
    let rows = Table::open(&file.group("table")?)?.select(condition).indexes(which).rows()?;
    // The numbers of all rows, as the others have them.
    let rows = rows.to_vec();
    tally.placed(0, rows.iter().copied());
    Ok(())
}

pub fn lists(file: &File, table: &str, column: &str, tally: &mut Tally) -> Result<()> {
    let table = Table::open(&file.group(table)?)?;
    let read: h5col::Values = table.column(column).ok_or("there is no such column")?.read(..)?;
    let Data::List(lists) = &read.data else { return Err("no lists".into()) };
    let Data::Float(values) = &lists.values.data else { return Err("no lists of floats".into()) };
    tally.placed(0, lists.offsets.iter().copied());
    tally.placed(1, values.iter().map(|value| value.to_bits()));
    tally.placed(2, read.missing.iter().map(|missing| u64::from(*missing)));
    Ok(())
}
