//! `h5kit salvage`: what is still there of a damaged file.

mod folder;
mod npy;
mod report;
mod table;
mod write;

use std::collections::HashSet;
use std::path::PathBuf;

use h5kit::{Object, Salvage, Salvaged, SalvagedRoot};

use self::folder::Folder;
use self::report::{Report, Status};
use self::write::Output;
use crate::args::Source;
use crate::bounded::Room;
use crate::describe;
use crate::paint::{self, clean, count};
use crate::session::{Done, Session, Trouble};
use crate::table::{Cell, Row, Table};

/// The arguments of `salvage`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Searches the whole file for groups and datasets, also where its superblock, its root or other groups are lost, and gives \
them their paths as far as they can be found out; what no path leads to is below unlinked/.

Numbers are written as PATH.npy (NumPy), everything else as PATH.csv, attributes to attributes.jsonl. Elements that \
cannot be read have the fill value, or NaN; they are listed, and in report.jsonl. Nothing that is there already is \
overwritten.

Exit status: 0 all of it was read; 1 something is lost; 2 nothing was found; 3 nothing is known to be lost, but not all was \
exported: a limit was met, which is named, or a filter is not supported.

Examples:
  h5kit salvage broken.h5 rescued
  h5kit salvage --list broken.h5")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// The folder to write to, which is made; it must be empty if it is there
    #[arg(value_name = "OUT-DIR", required_unless_present = "list")]
    pub folder: Option<PathBuf>,

    /// Only list what is there, and what of it can be read
    #[arg(short, long, conflicts_with_all = ["folder", "force"])]
    pub list: bool,

    /// Write to a folder that is not empty
    #[arg(long)]
    pub force: bool,
}

/// What is lost of an object, as far as it is shown; `report.jsonl` has all of it.
const SHOWN: usize = 20;

/// Writes out what is there.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let salvage = session.salvage(&args.source)?;
    if salvage.objects().is_empty() {
        return Err(Trouble::Usage("no group and no dataset was found in it".into()));
    }
    let output = match &args.folder {
        Some(path) => Output::Folder(Folder::open(path, args.force)?),
        None => Output::None,
    };
    let mut run = Run {
        report: Report::new(&output),
        output,
        room: Room::of(salvage.file()),
        table: Table::default(),
        touched: salvage.lost().iter().filter_map(|lost| lost.path.clone()).collect(),
        whole: 0,
    };
    run.how(&salvage, session)?;
    for object in salvage.objects() {
        run.object(&salvage, object, session)?;
    }
    run.table.flush(&mut session.out)?;
    run.lost(&salvage, session)?;
    run.report.finish(&mut run.output)?;
    let all = salvage.objects().len() as u64;
    let line = format!("{}: {} of {} whole", session.name(), run.whole, count(all, "object", "objects"));
    session.line(&line)?;
    Ok(())
}

struct Run {
    output: Output,
    report: Report,
    room: Room,
    table: Table,
    /// Paths of the objects of which something is known to be lost.
    touched: HashSet<String>,
    /// Objects of which nothing is lost.
    whole: u64,
}

impl Run {
    /// Says what was found out that the file does not tell.
    fn how(&mut self, salvage: &Salvage, session: &mut Session) -> Done {
        if !salvage.has_superblock() {
            let widths = salvage.file().superblock().widths;
            session.line(&format!(
                "no superblock: read with addresses of {} bytes and lengths of {}, from {:#x} on",
                widths.offsets,
                widths.lengths,
                salvage.file().user_block_size(),
            ))?;
        }
        match salvage.root() {
            SalvagedRoot::Guessed(address) => {
                session.line(&format!("the group at {address:#x} is taken for the root"))?;
            }
            SalvagedRoot::Lost => session.line("the root is lost")?,
            _ => {}
        }
        Ok(())
    }

    fn object(&mut self, salvage: &Salvage, found: &Salvaged, session: &mut Session) -> Done {
        let before = self.report.len();
        let opened = if found.kind.is_some() { salvage.open(found).map(Some) } else { Ok(None) };
        let (mut shape, mut datatype) = (String::new(), String::new());
        let style = match &opened {
            Ok(Some(Object::Dataset(dataset))) => {
                shape = describe::shape(dataset.dataspace());
                datatype = describe::short_type(dataset.datatype());
                write::dataset(dataset, &mut self.output, &mut self.report, &mut self.room)?;
                paint::DATASET
            }
            Ok(Some(Object::NamedDatatype(named))) => {
                datatype = describe::short_type(named.datatype());
                paint::DATATYPE
            }
            Ok(_) => paint::GROUP,
            Err(e) => {
                self.report.lost(&found.path, Some(found.address), e);
                paint::BAD
            }
        };
        if let Ok(Some(object)) = &opened {
            self.report.attributes(object);
        }
        // What is known to be lost of it, such as links, is told at the end.
        let touched = self.touched.contains(&found.path);
        let lines = self.report.lines_from(before);
        let lost = touched || found.kind.is_none() || lines.iter().any(|(status, _)| *status == Status::Lost);
        let whole = !lost && lines.is_empty();
        self.whole += u64::from(whole);
        let cells = vec![
            Cell::new(style, clean(&found.path)),
            Cell::plain(found.kind.unwrap_or("group")),
            Cell::plain(shape),
            Cell::plain(datatype),
            match (lost, whole) {
                (true, _) => Cell::new(paint::BAD, "damaged"),
                (false, true) => Cell::plain("whole"),
                (false, false) => Cell::new(paint::WARNING, "not exported"),
            },
        ];
        let mut below: Vec<String> = lines.iter().take(SHOWN).map(|(_, line)| format!("  {}", clean(line))).collect();
        if lines.len() > SHOWN {
            below.push(format!("  … {} more", lines.len() - SHOWN));
        }
        count_lines(lines, session);
        self.table.row(&mut session.out, Row { cells, rest: Cell::default(), below })?;
        session.progress(0, None, &found.path);
        Ok(())
    }

    fn lost(&mut self, salvage: &Salvage, session: &mut Session) -> Done {
        for lost in salvage.lost() {
            let path = match (&lost.path, lost.address) {
                (Some(path), _) => path.clone(),
                (None, Some(address)) => format!("object at {address:#x}"),
                (None, None) => "(file)".to_owned(),
            };
            let before = self.report.len();
            self.report.lost(&path, lost.address, &lost.error);
            let lines = self.report.lines_from(before);
            count_lines(lines, session);
            for (_, line) in lines {
                session.line(&format!("{}: {}", clean(&path), clean(line)))?;
            }
        }
        Ok(())
    }
}

/// Counts what is lost and what is not exported, for the exit status.
fn count_lines(lines: &[(Status, String)], session: &mut Session) {
    for (status, _) in lines {
        match status {
            Status::Lost => session.found(),
            Status::NotExported => session.left_out(),
        }
    }
}
