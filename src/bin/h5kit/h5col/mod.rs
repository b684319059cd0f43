//! `h5kit h5col`: tables of columns. One module for each verb below it.

mod datatype;
mod dump;
mod element;
mod json;
mod lists;
mod query;
mod query_list;
mod rows;
mod search_index;
mod validate;
pub mod view;

use clap::Subcommand;
use h5kit::encoding::h5col::{self, Table};
use h5kit::{File, Group};

use crate::session::{Done, Session, Trouble};

pub use validate::check;

/// The arguments of `h5col`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Print tables as JSON
    Dump(dump::Args),
    /// List the rules of the convention that are broken
    Validate(validate::Args),
    /// Find rows
    Query(query::Args),
}

/// Does what is asked for.
pub fn run(args: &Args, session: &mut Session) -> Done {
    match &args.verb {
        Verb::Dump(args) => dump::run(args, session),
        Verb::Validate(args) => validate::run(args, session),
        Verb::Query(args) => query::run(args, session),
    }
}

impl From<h5col::Error> for Trouble {
    fn from(error: h5col::Error) -> Self {
        match error {
            h5col::Error::File(error) => Self::Library(error),
            h5col::Error::Rule(violation) => Self::Convention(violation.to_string()),
            other => Self::Usage(other.to_string()),
        }
    }
}

/// The table that was asked for, or all of a file.
fn asked(file: &File, path: Option<&str>) -> Result<Vec<Group>, Trouble> {
    match path {
        Some(path) => Ok(vec![file.group(path)?]),
        None => Ok(h5col::tables(file)?),
    }
}

/// The table at a path.
fn table(file: &File, path: &str) -> Result<Table, h5col::Error> {
    Table::open(&file.group(path)?)
}
