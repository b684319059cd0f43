//! `h5kit anndata`: the elements of an AnnData, a line of JSON each.

mod line;
pub mod place;
mod stream;

use std::io::{BufWriter, Write};

use h5kit::encoding::anndata::{AnnData, Error, Found};

use crate::args::Source;
use crate::session::{Done, Session, Trouble};

/// The arguments of `anndata`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
One line of JSON for each element: its encoding, shape and type, how an old form was recognised, and a hash of its \
values, whatever way they are stored. Two files hold the same AnnData where their lines are the same. What keeps an \
element from being read is said on standard error, and does not hide the others; which rules are broken beside that, \
h5kit check tells.

Examples:
  h5kit anndata cells.h5ad --json > cells.jsonl
  diff <(h5kit anndata old.h5ad --json) <(h5kit anndata new.h5ad --json)")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// Print lines of JSON, which is what there is
    #[arg(long, required = true)]
    pub json: bool,
}

/// Prints the lines.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open_quietly(&args.source)?;
    let data = AnnData::open(&file).map_err(trouble)?;
    let mut out = BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
    for Found { element, .. } in data.elements() {
        let line = element.and_then(|element| {
            let shape = element.path.is_empty().then(|| [data.n_obs(), data.n_var()]);
            line::of(&element, shape)
        });
        match line {
            Ok(line) => writeln!(out, "{line}")?,
            Err(error) => {
                out.flush()?;
                session.report_text(&error.to_string());
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// An error that ends the run.
pub fn trouble(error: Error) -> Trouble {
    match error {
        Error::File(error) => Trouble::Library(error),
        Error::Fault(fault) => Trouble::Convention(fault.to_string()),
    }
}
