//! `h5kit export`: a data frame of an AnnData for other programs.

mod cell;
mod csv;
mod find;
mod lines;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use h5kit::encoding::anndata::arrow::{Column, RecordBatches};
use h5kit::encoding::anndata::{DataFrame, Result};

use crate::args::Source;
use crate::bounded::{Bounded, Room};
use crate::session::{Done, Session, Trouble};

/// The arguments of `export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A frame is exported in blocks of rows, its index first. Categories give their labels. What is wrong with a column is \
said on standard error, and the other columns are exported.

CSV: fields are quoted as RFC 4180 says, lines end with a line feed. A missing value is an empty field, and so is an empty text; numbers are in \
the fewest digits that read back as the same, nan, inf and -inf among them; Booleans are True and False, as pandas has \
them; complex numbers are as in (1.0+2.0j); bytes are hexadecimal digits.

JSON: an object for each row, on a line of its own. A missing value is null; integers are exact, whatever their size; \
NaN, Infinity and -Infinity are strings; complex numbers are {\"re\": 1.0, \"im\": 2.0}; bytes are strings of \
hexadecimal digits.

Parquet: the columns keep their types; a missing value is null. Text with categories is a dictionary of the labels that \
occur; the order of categories is not kept.

Examples:
  h5kit export cells.h5ad obs --csv > cells.csv
  h5kit export cells.h5ad raw/var --parquet -o genes.parquet
  h5kit export multi.h5mu mod/rna/obs --json | head")]
#[command(group = clap::ArgGroup::new("format").required(true))]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// The data frame: obs, var, raw/var, or wherever there is one, such as uns/table
    #[arg(value_name = "ELEMENT")]
    pub element: String,

    /// Write comma-separated values
    #[arg(long, group = "format")]
    pub csv: bool,

    /// Write Apache Parquet
    #[arg(long, group = "format")]
    pub parquet: bool,

    /// Write lines of JSON
    #[arg(long, group = "format")]
    pub json: bool,

    /// Where to write to, instead of the standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

/// Rows that are read at once of few columns.
const ROWS: usize = 1 << 16;

/// Cells that are read at once of many.
const CELLS: usize = 1 << 21;

/// Writes the frame.
pub fn run(args: &Args, session: &mut Session) -> Done {
    if args.parquet && cfg!(not(feature = "parquet")) {
        return Err(Trouble::Usage("this h5kit was built without the feature `parquet`".into()));
    }
    if args.parquet && args.output.is_none() && io::stdout().is_terminal() {
        return Err(Trouble::Usage("Parquet is not for a terminal: name a file with -o".into()));
    }
    let file = session.open(&args.source)?;
    let frame = find::frame(&file, &args.element, session)?;
    let columns = sound(&frame, session);
    if columns.is_empty() {
        return Err(Trouble::Convention(format!("{}: no column of it can be read", frame.path())));
    }
    let rows = (CELLS / columns.len()).clamp(1, ROWS);
    let batches = RecordBatches::new(columns, frame.rows(), rows);
    let mut room = Room::of(&file);
    let mut out = Bounded { out: output(args)?, room: &mut room };
    let mut rows = Rows { of: frame.rows(), done: 0, session };
    if args.csv {
        csv::write(batches, &mut out, &mut rows)?;
    } else if args.json {
        lines::write(batches, &mut out, &mut rows)?;
    } else {
        #[cfg(feature = "parquet")]
        parquet::write(batches, &mut out, &mut rows)?;
    }
    out.flush()?;
    Ok(())
}

/// Says how many rows are done.
struct Rows<'s> {
    of: u64,
    done: u64,
    session: &'s mut Session,
}

impl Rows<'_> {
    fn add(&mut self, rows: usize) {
        self.done += rows as u64;
        self.session.progress(self.done, Some(self.of), "rows");
    }
}

/// The index and the columns of which all values can be read; what is wrong with the others is said.
fn sound(frame: &DataFrame, session: &mut Session) -> Vec<Column> {
    let names = frame.columns().iter().filter(|name| *name != frame.index_name());
    let opened = std::iter::once(frame.arrow_index()).chain(names.map(|name| frame.arrow_column(name)));
    let mut sound = Vec::new();
    for column in opened {
        match column.and_then(|column| verified(column, frame.rows())) {
            Ok(column) => sound.push(column),
            Err(error) => session.report_text(&error.to_string()),
        }
    }
    sound
}

/// Reads a column once, so that nothing is found to be wrong when half of it is written.
fn verified(column: Column, rows: u64) -> Result<Column> {
    let step = ROWS as u64;
    for block in 0..rows.div_ceil(step) {
        column.read(block * step..rows.min((block + 1) * step))?;
    }
    Ok(column)
}

fn output(args: &Args) -> std::result::Result<Box<dyn Write + Send>, Trouble> {
    let Some(path) = args.output.as_ref().filter(|path| path.as_os_str() != "-") else {
        return Ok(Box::new(BufWriter::with_capacity(64 << 10, io::stdout())));
    };
    if same(path, &args.source.file) {
        return Err(Trouble::Usage(format!("{} is what is read", path.display())));
    }
    let file =
        fs::File::create(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    Ok(Box::new(BufWriter::with_capacity(64 << 10, file)))
}

/// Whether two paths lead to one file.
fn same(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}
