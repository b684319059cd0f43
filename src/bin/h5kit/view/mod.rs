//! `h5kit view`: what is in an AnnData, or in tables of columns, as the people who made them think of it.

mod head;
mod summary;
mod text;

use h5kit::File;
use h5kit::encoding::anndata::{AnnData, Error, Rule};
use h5kit::encoding::h5col::{Table, tables};

use crate::anndata::{place, trouble};
use crate::args::Source;
use crate::h5col;
use crate::session::{Done, Session, Trouble};

/// The arguments of `view`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without an element, the summary: the shape, the members, each column's kind with a few values or categories, how dense \
sparse matrices are, and how elements of older versions were recognised. Of a MuData, that of each modality; of tables \
(H5Col), the columns of each, and which have indexes.

Examples:
  h5kit view cells.h5ad                   the summary
  h5kit view cells.h5ad obs --head 20     the first 20 rows of obs
  h5kit view cells.h5ad uns/neighbors     what is in a mapping
  h5kit view cells.h5ad X                 the first rows of the matrix; columns if it is stored by columns
  h5kit view cells.h5mu mod/rna/var       an element of a modality
  h5kit view data.h5 /stations            the first rows of a table")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// The element (obs, var, X, layers/counts, uns/…), or the table
    #[arg(value_name = "ELEMENT")]
    pub element: Option<String>,

    /// Rows that are shown of the element
    #[arg(long, value_name = "ROWS", default_value_t = 10)]
    pub head: u64,
}

/// Shows the summary, or the beginning of an element.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open(&args.source)?;
    let found = place::all(&file)?;
    match &args.element {
        Some(path) if found.is_empty() => h5col::view::head(&Table::open(&file.group(path)?)?, args.head, session),
        Some(path) => {
            let (group, prefix, path) = place::of_path(&file, path);
            if let (true, Some((first, _))) = (prefix.is_empty(), found.first())
                && !first.is_empty()
            {
                let all: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
                let text = format!("{path}: the AnnData of this file are {}", all.join(", "));
                return Err(Trouble::Usage(text));
            }
            let data = AnnData::at(&group).map_err(trouble)?;
            let element = data.get(path).map_err(|error| match error {
                Error::Fault(fault) if fault.rule == Rule::MissingMember => Trouble::Usage(fault.to_string()),
                error => trouble(error),
            })?;
            head::show(&data, &element, args.head, session)
        }
        None if found.is_empty() => all_tables(&file, session),
        None => {
            for (at, (name, group)) in found.into_iter().enumerate() {
                if at > 0 {
                    session.line("")?;
                }
                summary::show(&AnnData::at(&group).map_err(trouble)?, &name, session)?;
            }
            Ok(())
        }
    }
}

fn all_tables(file: &File, session: &mut Session) -> Done {
    let tables = tables(file)?;
    if tables.is_empty() {
        let text = "there is no AnnData and no table in this file; h5kit ls shows what there is";
        return Err(Trouble::Usage(text.into()));
    }
    for (at, group) in tables.iter().enumerate() {
        if at > 0 {
            session.line("")?;
        }
        match Table::open(group) {
            Ok(table) => h5col::view::summary(&table, session)?,
            Err(error) => session.report_text(&error.to_string()),
        }
    }
    Ok(())
}
