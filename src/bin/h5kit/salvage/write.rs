//! The elements of a dataset, whatever of them can be read.

use std::io::{self, BufWriter, Write};

use h5kit::Dataset;
use h5kit::element::Value;

use super::folder::Folder;
use super::npy::Numbers;
use super::report::Report;
use super::table::{Lines, cells};
use crate::blocks::{Halves, Part, Takes, damaged_parts, elements, in_order_of, place, selection, values};
use crate::bounded::{Bounded, Room};
use crate::pick::Axis;
use crate::session::{Done, Trouble};

/// Where datasets are written to.
#[derive(Debug)]
pub enum Output {
    /// A file for each in a folder.
    Folder(Folder),
    /// Nowhere; they are read all the same.
    None,
}

/// Bytes of elements that are read at once.
const BLOCK: u64 = 8 << 20;
/// The same of elements that become text: they take many times that in memory.
const TEXT_BLOCK: u64 = 256 << 10;
/// Bytes that a cell of text counts for at least: it takes a while to make one.
const CELL: u64 = 16;
/// Writes a dataset.
pub fn dataset(dataset: &Dataset, output: &mut Output, report: &mut Report, room: &mut Room) -> Done {
    if dataset.dataspace().is_null() {
        return Ok(());
    }
    let numbers = Numbers::of(dataset.datatype());
    let text = if numbers.is_some() { 0 } else { cells(dataset).saturating_mul(CELL) };
    let (claimed, left) = (dataset.logical_size().max(text), room.left);
    if claimed > left {
        let why = format!("limit of what is written: {claimed} bytes are claimed, {left} at most are written");
        report.not_exported(dataset.path(), why);
        return Ok(());
    }
    let extension = if numbers.is_some() { ".npy" } else { ".csv" };
    let (made, file): (_, Box<dyn Write>) = match output {
        Output::Folder(folder) => {
            let (path, file) = folder.create(dataset.path(), dataset.info().address(), extension)?;
            (Some(path), Box::new(BufWriter::with_capacity(1 << 20, file)))
        }
        Output::None => (None, Box::new(io::sink())),
    };
    let axes: Vec<Axis> = dataset.shape().iter().map(|n| Axis::whole(*n)).collect();
    let halves = Halves::new(dataset, axes);
    let out = Bounded { out: file, room };
    let written = match numbers {
        Some(numbers) => as_numbers(halves, &numbers, out, report),
        None => as_text(halves, out, report),
    };
    report.end(dataset.path());
    match written {
        Err(Trouble::Output(_)) if room.full => {
            room.full = false;
            let why = format!("limit of what is written: more than the {left} bytes that may still be written");
            report.not_exported(dataset.path(), why);
            if let (Output::Folder(folder), Some(path)) = (output, made) {
                folder.remove(&path)?;
            }
            Ok(())
        }
        // What holds for every element: a filter that is not supported, a limit.
        Err(Trouble::Library(e)) => {
            report.lost(dataset.path(), None, &e);
            if let (Output::Folder(folder), Some(path)) = (output, made) {
                folder.remove(&path)?;
            }
            Ok(())
        }
        done => done,
    }
}

/// The parts of a dataset, of so many bytes, in order.
fn parts(halves: &Halves<'_>, bytes: u64) -> impl Iterator<Item = Part> + use<> {
    let size = u64::from(halves.dataset().datatype().size.max(1));
    in_order_of(halves.axes(), halves.dataset().chunk_shape(), (bytes / size).max(1))
}

fn as_numbers(mut halves: Halves<'_>, numbers: &Numbers, mut out: impl Write, report: &mut Report) -> Done {
    let dataset = halves.dataset();
    out.write_all(&numbers.head(dataset.shape()))?;
    let size = dataset.datatype().size as usize;
    let filler = dataset.fill_bytes().map_or_else(|| numbers.nothing(size), <[u8]>::to_vec);
    for part in parts(&halves, BLOCK) {
        out.write_all(&bytes(&mut halves, &part, &filler, report)?)?;
    }
    out.flush()?;
    Ok(())
}

/// The bytes of a part, with the filler where they cannot be read.
fn bytes(halves: &mut Halves<'_>, part: &Part, filler: &[u8], report: &mut Report) -> h5kit::Result<Vec<u8>> {
    let (dataset, axes) = (halves.dataset(), halves.axes().to_vec());
    if report.is_full() {
        return dataset.read_bytes(selection(&axes, part));
    }
    let mut bytes = filler.repeat(elements(part) as usize);
    let mut read = |piece: &Part| {
        let past = dataset.read_bytes_past_damage(selection(&axes, piece))?;
        place(past.value, filler.len(), piece, part, &mut bytes);
        let damaged = damaged_parts(dataset, &axes, piece, past.damaged);
        for (lost, _) in &damaged {
            place(filler.repeat(elements(lost) as usize), filler.len(), lost, part, &mut bytes);
        }
        Ok(damaged)
    };
    let mut damaged = |piece: &Part, e| report.elements(dataset.path(), piece, &e);
    halves.each(part, &mut Takes { read: &mut read, damaged: &mut damaged })?;
    Ok(bytes)
}

fn as_text(mut halves: Halves<'_>, out: impl Write, report: &mut Report) -> Done {
    let dataset = halves.dataset();
    let mut lines = Lines::begin(dataset, out)?;
    for part in parts(&halves, TEXT_BLOCK) {
        let found = if report.is_full() {
            let found = dataset.read::<Vec<Value>>(selection(halves.axes(), &part))?;
            found.into_iter().map(Some).collect()
        } else {
            values(&mut halves, &part, &mut |piece, e| report.elements(dataset.path(), piece, &e))?
        };
        found.iter().try_for_each(|value| lines.push(value.as_ref()))?;
    }
    lines.finish()?;
    Ok(())
}
