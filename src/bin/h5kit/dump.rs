//! `h5kit dump`: values.

use std::io::{BufWriter, Write};

use h5kit::element::{Array, Value};
use h5kit::{Attribute, Dataset, Datatype, ErrorKind, File, Hyperslab, Object};

use crate::args::Source;
use crate::blocks::{Elements, InMemory, Part, Stored, elements, in_order};
use crate::brackets::{Brackets, LINE, Look, Shown};
use crate::json::{self, Nested};
use crate::paint::width;
use crate::pick::{self, Axis, Slice};
use crate::references::References;
use crate::session::{Done, Session, Trouble};
use crate::value::{self, Format, Most};

mod head;

/// The arguments of `dump`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of more than 1000 elements the first and last are shown, with … between them, unless --all is \
given. Of a group its attributes are shown, and the first values of its datasets.

A selection has an index or a range for each dimension; those left out are whole:
  3            one element; its dimension is not shown
  0..10        elements 0 to 9; also 5.., ..5, ..=5 and ..
  0..100:10    every tenth of them

Examples:
  h5kit dump data.h5 /X                        values, as nested brackets
  h5kit dump data.h5 /X -s '0..10, 3'          rows 0 to 9 of column 3
  h5kit dump data.h5 /X@unit                   an attribute
  h5kit dump data.h5 /obs                      a group at a glance
  h5kit dump data.h5 /X --json > x.json        for other programs
  h5kit dump data.h5 /X --raw > x.bin          the bytes of the file's datatype
  h5kit dump data.h5 /X --start 0,0 --stride 5,5 --count 2,2 --block 2,2")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// A dataset, a group, or an attribute as PATH@NAME
    #[arg(value_name = "PATH", default_value = "/")]
    pub path: String,

    /// What to select: `0..10, 3, ..`
    #[arg(short, long, value_name = "SELECTION", allow_hyphen_values = true)]
    pub select: Option<String>,

    /// First element of a hyperslab, in each dimension
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', conflicts_with = "select")]
    pub start: Option<Vec<u64>>,

    /// Elements from one block of the hyperslab to the next (default: those of a block)
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', requires = "count")]
    pub stride: Option<Vec<u64>>,

    /// Blocks of the hyperslab
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', conflicts_with = "select")]
    pub count: Option<Vec<u64>>,

    /// Elements of a block (default 1)
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', requires = "count")]
    pub block: Option<Vec<u64>>,

    /// Show every element, and all of it
    #[arg(short, long)]
    pub all: bool,

    /// Print one JSON value, of every element
    #[arg(long, conflicts_with = "raw")]
    pub json: bool,

    /// Write the bytes of the elements as they are in the file, filters undone
    #[arg(long)]
    pub raw: bool,
}

/// Dumps.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open(&args.source)?;
    let references = References::of(&file);
    let dump = Dump { args, references: &references };
    match find(&file, &args.path)? {
        Found::Attribute(attribute) => dump.attribute(&attribute, session),
        Found::Object(Object::Dataset(dataset)) => dump.dataset(&dataset, session),
        Found::Object(object) if args.raw => {
            Err(Trouble::Usage(format!("--raw is for datasets and attributes only, not for this: {}", object.kind())))
        }
        Found::Object(object) => {
            dump.no_selection(object.kind())?;
            head::show(&object, args.json, &references, session)
        }
    }
}

enum Found {
    Object(Object),
    Attribute(Attribute),
}

/// An object, or an attribute after the last `@`; a name may have one too.
fn find(file: &File, path: &str) -> h5kit::Result<Found> {
    let error = match file.object(path) {
        Ok(object) => return Ok(Found::Object(object)),
        Err(e) => e,
    };
    if error.kind() != ErrorKind::NotFound || !path.contains('@') {
        return Err(error);
    }
    let mut error = error;
    for (at, _) in path.match_indices('@') {
        match file.object(&path[..at]) {
            Ok(object) => match object.attribute(&path[at + 1..]) {
                Ok(attribute) => return Ok(Found::Attribute(attribute)),
                Err(e) => error = e,
            },
            // What stands before the first `@` is most likely meant to be the object.
            Err(e) if Some(at) == path.find('@') => error = e,
            Err(_) => {}
        }
    }
    Err(error)
}

struct Dump<'a> {
    args: &'a Args,
    references: &'a References,
}

/// Most elements that are shown whole.
const WHOLE: u64 = 1000;

impl Dump<'_> {
    fn no_selection(&self, kind: &str) -> Done {
        if self.args.select.is_some() || self.args.start.is_some() || self.args.count.is_some() {
            return Err(Trouble::Usage(format!("a selection is for datasets only, not for this: {kind}")));
        }
        Ok(())
    }

    fn attribute(&self, attribute: &Attribute, session: &mut Session) -> Done {
        self.no_selection("attribute")?;
        if self.args.raw {
            return raw(&attribute.read_bytes()?);
        }
        let datatype = attribute.datatype()?;
        if attribute.dataspace()?.is_null() {
            return nothing(session);
        }
        let array: Array = attribute.read()?;
        self.show(&mut InMemory::new(array), &datatype, attribute.owner().path(), session)
    }

    fn dataset(&self, dataset: &Dataset, session: &mut Session) -> Done {
        if dataset.dataspace().is_null() {
            return if self.args.raw { Ok(()) } else { nothing(session) };
        }
        let axes = self.axes(dataset)?;
        if self.args.raw {
            return self.raw(dataset, &axes, session);
        }
        let datatype = dataset.datatype().clone();
        self.show(&mut Stored::new(dataset, axes), &datatype, dataset.path(), session)
    }

    /// What is selected.
    fn axes(&self, dataset: &Dataset) -> Result<Vec<Axis>, Trouble> {
        let shape = dataset.shape();
        let fitted = match (&self.args.select, &self.args.start, &self.args.count) {
            (Some(text), ..) => {
                let slices: Vec<Slice> = pick::slices(text).map_err(Trouble::Usage)?;
                pick::fit_slices(&slices, shape)
            }
            (None, None, None) => Ok(shape.iter().map(|n| Axis::whole(*n)).collect()),
            (None, start, count) => {
                let start = start.clone().unwrap_or_else(|| vec![0; shape.len()]);
                // Without a count, up to the end.
                let rest = || shape.iter().zip(&start).map(|(n, start)| n.saturating_sub(*start)).collect();
                let mut slab = Hyperslab::new(start.clone(), count.clone().unwrap_or_else(rest));
                let ones = vec![1; shape.len()];
                slab.block = self.args.block.clone().unwrap_or_else(|| ones.clone());
                slab.stride = self.args.stride.clone().unwrap_or_else(|| slab.block.clone());
                pick::fit_hyperslab(&slab, shape)
            }
        };
        Ok(fitted.map_err(|e| e.in_object(dataset.path()))?)
    }

    fn raw(&self, dataset: &Dataset, axes: &[Axis], session: &mut Session) -> Done {
        let mut out = BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
        if axes.is_empty() {
            return raw(&dataset.read_bytes(..)?);
        }
        let total = axes.iter().fold(1u64, |n, axis| n.saturating_mul(axis.len()));
        let mut done = 0;
        for part in in_order(axes, dataset.chunk_shape()) {
            out.write_all(&dataset.read_bytes(pick::hyperslab(axes, &part))?)?;
            done += elements(&part);
            session.progress(done, Some(total), dataset.path());
        }
        out.flush()?;
        Ok(())
    }

    fn show(&self, source: &mut dyn Elements, datatype: &Datatype, path: &str, session: &mut Session) -> Done {
        let axes = source.axes().to_vec();
        let total = axes.iter().fold(1u64, |n, axis| n.saturating_mul(axis.len()));
        let visible: Vec<usize> = (0..axes.len()).filter(|d| !axes[*d].index).collect();
        let lengths: Vec<u64> = visible.iter().map(|d| axes[*d].len()).collect();
        if self.args.json {
            return self.json(source, &lengths, datatype, path, session);
        }
        if total == 0 {
            writeln!(session.out, "{}", json::no_elements(&lengths))?;
            return Ok(());
        }
        let most = match total {
            _ if self.args.all => Most::ALL,
            1 => Most::SINGLE,
            _ => Most::USUAL,
        };
        let format = Format::with(most, self.references);
        if self.args.all && total > WHOLE {
            return self.stream(source, &visible, format, datatype, path, session);
        }
        let mut shown: Vec<Shown> =
            axes.iter().enumerate().map(|(d, axis)| self.shown(d, axis, &axes, total, datatype)).collect();
        let values = ends(source, &shown, session)?;
        let mut cells: Vec<String> = values.iter().map(|value| cell(value.as_ref(), format, datatype)).collect();
        if let (true, &[.., last]) = (total > WHOLE && visible.len() > 1, visible.as_slice()) {
            fewer_columns(&mut shown[last], &mut cells);
        }
        if visible.is_empty() {
            writeln!(session.out, "{}", cells.concat())?;
            return Ok(());
        }
        let brackets: Vec<(Axis, Shown)> = visible.iter().map(|d| (axes[*d], shown[*d])).collect();
        let mut brackets = Brackets::new(brackets.clone(), look(&cells, &brackets, datatype));
        for cell in cells {
            brackets.push(&mut session.out, &cell)?;
        }
        Ok(())
    }

    /// How much of an axis is shown.
    fn shown(&self, d: usize, axis: &Axis, axes: &[Axis], total: u64, datatype: &Datatype) -> Shown {
        let length = axis.len();
        if self.args.all || total <= WHOLE {
            return Shown::all(length);
        }
        let wide = !value::is_number(datatype);
        let longer = axes.iter().skip(d + 1).filter(|axis| axis.len() > 1).count();
        let before = axes.iter().take(d).any(|axis| axis.len() > 1);
        match (longer, before) {
            // One dimension: a few lines.
            (0, false) if wide => Shown::ends(length, 30, 20, 5),
            (0, false) => Shown::ends(length, 120, 80, 20),
            // Columns.
            (0, true) if wide => Shown::ends(length, 6, 3, 2),
            (0, true) => Shown::ends(length, 10, 5, 3),
            // Rows.
            (1, false) => Shown::ends(length, 30, 15, 5),
            (1, true) => Shown::ends(length, 8, 4, 2),
            (2, _) => Shown::ends(length, 5, 2, 1),
            _ => Shown::ends(length, 2, 1, 0),
        }
    }

    /// Shows every element, a part at a time.
    fn stream(
        &self,
        source: &mut dyn Elements,
        visible: &[usize],
        format: Format<'_>,
        datatype: &Datatype,
        path: &str,
        session: &mut Session,
    ) -> Done {
        let axes = source.axes().to_vec();
        let shown: Vec<(Axis, Shown)> = visible.iter().map(|d| (axes[*d], Shown::all(axes[*d].len()))).collect();
        let total = axes.iter().fold(1u64, |n, axis| n.saturating_mul(axis.len()));
        let mut brackets = None;
        let mut done = 0;
        for part in in_order(&axes, source.grain()) {
            let values = source.read(&part, session)?;
            if brackets.is_none() {
                let first: Vec<String> =
                    values.iter().take(WHOLE as usize).map(|value| cell(value.as_ref(), format, datatype)).collect();
                let look = Look { gutter: true, ..look(&first, &shown, datatype) };
                brackets = Some(Brackets::new(shown.clone(), look));
            }
            let Some(brackets) = &mut brackets else { break };
            for value in &values {
                brackets.push(&mut session.out, &cell(value.as_ref(), format, datatype))?;
            }
            done += elements(&part);
            session.progress(done, Some(total), path);
        }
        Ok(())
    }

    fn json(
        &self,
        source: &mut dyn Elements,
        lengths: &[u64],
        datatype: &Datatype,
        path: &str,
        session: &mut Session,
    ) -> Done {
        if lengths.contains(&0) {
            writeln!(session.out, "{}", json::no_elements(lengths))?;
            return Ok(());
        }
        let axes = source.axes().to_vec();
        let total = axes.iter().fold(1u64, |n, axis| n.saturating_mul(axis.len()));
        let mut nested = Nested::new(lengths.to_vec());
        let (mut text, mut done) = (String::new(), 0);
        for part in in_order(&axes, source.grain()) {
            for value in source.read(&part, session)? {
                text.clear();
                match value {
                    Some(value) => json::element(&mut text, &value, datatype, self.references),
                    None => text.push_str("null"),
                }
                nested.push(&mut session.out, &text)?;
            }
            done += elements(&part);
            session.progress(done, Some(total), path);
        }
        writeln!(session.out)?;
        Ok(())
    }
}

/// An element as text; `?` where it cannot be read.
fn cell(value: Option<&Value>, format: Format<'_>, datatype: &Datatype) -> String {
    value.map_or_else(|| "?".to_owned(), |value| format.value(value, datatype))
}

/// How these elements are laid out best.
fn look(cells: &[String], axes: &[(Axis, Shown)], datatype: &Datatype) -> Look {
    let widest = cells.iter().map(|cell| width(cell)).max().unwrap_or(0);
    let one_line = cells.iter().map(|cell| width(cell) + 2).sum::<usize>() <= LINE;
    let rows: u64 = axes.split_last().map_or(1, |(_, rows)| rows.iter().map(|(_, shown)| shown.count()).product());
    let gaps = axes.iter().any(|(_, shown)| shown.gap());
    let gutter = if axes.len() == 1 { gaps || !one_line } else { rows > 4 || gaps || !one_line && widest > LINE / 2 };
    let cell = if value::is_number(datatype) && (axes.len() > 1 || !one_line) { widest.min(LINE / 4) } else { 0 };
    Look { gutter, cell, one_a_line: !datatype.members().is_empty() && !one_line }
}

/// Leaves out columns until rows fit the line.
fn fewer_columns(shown: &mut Shown, cells: &mut Vec<String>) {
    let before = *shown;
    let widest = cells.iter().map(|cell| width(cell)).max().unwrap_or(0);
    // What a row has besides: indices, brackets, the sign that something is left out.
    let room = (LINE.saturating_sub(20) / (widest + 2)).max(3) as u64;
    if before.count() <= room {
        return;
    }
    let tail = room / 3;
    *shown = Shown { length: before.length, head: room - tail, tail };
    let mut column = 0..cells.len() as u64;
    cells.retain(|_| {
        let column = column.next().unwrap_or(0) % before.count();
        column < shown.head || column >= before.count() - shown.tail
    });
}

/// The beginning and the end of each axis, in one array.
fn ends(source: &mut dyn Elements, shown: &[Shown], session: &mut Session) -> Result<Vec<Option<Value>>, Trouble> {
    let whole: Part = shown.iter().map(|shown| (0, shown.count())).collect();
    let mut values = vec![None; elements(&whole) as usize];
    let mut choices: Vec<Vec<(u64, u64)>> = vec![Vec::new()];
    for shown in shown {
        let ranges = shown.ranges();
        choices =
            choices.iter().flat_map(|part| ranges.iter().map(|range| [part.as_slice(), &[*range]].concat())).collect();
    }
    for part in choices {
        // The same box among the elements that are shown.
        let place = part.iter().zip(shown).map(|((from, to), shown)| match from {
            0 => (0, *to),
            _ => (shown.count() - (to - from), shown.count()),
        });
        let place: Part = place.collect();
        let read = source.read(&part, session)?;
        crate::blocks::place(read, 1, &place, &whole, &mut values);
    }
    Ok(values)
}

fn nothing(session: &mut Session) -> Done {
    writeln!(session.out, "null")?;
    Ok(())
}

fn raw(bytes: &[u8]) -> Done {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}
