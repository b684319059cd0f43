//! The clock: what C and h5kit do with the same bytes, in turns.

use std::borrow::Cow;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use h5kit::element::Element;
use h5kit::error::FilterFault;
use h5kit::filter::{self, Failed, Step};
use h5kit::{Dataset, File, Limits};

use crate::c::{Hdf5, Result};

/// Rounds of a row: as many as fit into `TIME`, within these bounds.
const MOST_ROUNDS: usize = 51;
const TIME: Duration = Duration::from_millis(600);

/// What one row is measured on.
pub struct Case<'a> {
    pub path: &'a Path,
    /// The bytes of the file.
    pub file: &'a [u8],
    pub dataset: &'a Dataset,
    pub steps: &'a [Step],
    /// Fewest rounds.
    pub rounds: usize,
}

/// Times of the rounds of one row.
#[derive(Default)]
pub struct Times {
    /// None where there is nothing to compare with.
    pub c: Vec<Duration>,
    /// None where h5kit says that it does not support the filter.
    pub h5kit: Vec<Duration>,
    pub unsupported: Option<String>,
}

/// Undoes a single filter chunk by chunk.
pub fn filter_calls(case: &Case<'_>, hdf5: &Hdf5) -> Result<Times> {
    let [Step { id, values, .. }] = case.steps else { return Err("not a single filter".into()) };
    let chunks = chunks(case)?;
    let expected = chunk_bytes(case.dataset)?;
    let limits = Limits::default();
    let mut times = Times::default();

    // The round before the clock runs: the same bytes must come out.
    let theirs = hdf5.has(*id);
    for chunk in &chunks {
        let ours = match decode(case.steps, chunk, expected, &limits) {
            Ok(bytes) => bytes,
            Err(failed) => {
                times.unsupported = Some(unsupported(&failed.fault).ok_or_else(|| format!("h5kit: {failed}"))?);
                break;
            }
        };
        if theirs && *hdf5.decode(*id, values, chunk)?.0.bytes() != *ours {
            return Err("the bytes differ".into());
        }
    }

    // Both get their input as a fresh copy, which is as warm for the one as for the other.
    let mut copy = Vec::new();
    let mut c = || {
        let mut sum = Duration::ZERO;
        for chunk in &chunks {
            let (bytes, time) = hdf5.decode(*id, values, chunk)?;
            black_box(bytes.bytes());
            sum += time;
        }
        Ok(sum)
    };
    let mut h5kit = || {
        let mut sum = Duration::ZERO;
        for chunk in &chunks {
            copy.clear();
            copy.extend_from_slice(chunk);
            let begin = Instant::now();
            let bytes = decode(case.steps, &copy, expected, &limits);
            sum += begin.elapsed();
            black_box(bytes).map_err(|failed| format!("h5kit: {failed}"))?;
        }
        Ok(sum)
    };
    let supported = times.unsupported.is_none();
    in_turns(case.rounds, &mut times, theirs.then_some(&mut c), supported.then_some(&mut h5kit))?;
    Ok(times)
}

/// Reads the whole dataset into memory that is there already.
pub fn whole_reads(case: &Case<'_>, hdf5: &Hdf5, element: &str) -> Result<Times> {
    match element {
        "float32" => whole::<f32, 4>(case, hdf5, f32::to_ne_bytes),
        "float64" => whole::<f64, 8>(case, hdf5, f64::to_ne_bytes),
        "int32" => whole::<i32, 4>(case, hdf5, i32::to_ne_bytes),
        "uint16" => whole::<u16, 2>(case, hdf5, u16::to_ne_bytes),
        "uint8" => whole::<u8, 1>(case, hdf5, u8::to_ne_bytes),
        // Elements of another width in the file than in memory: h5kit gives their bytes in new memory.
        "bytes" => whole_with(case, hdf5, |dataset| {
            let begin = Instant::now();
            let bytes = dataset.read_bytes(..)?;
            let time = begin.elapsed();
            Ok((time, black_box(bytes)))
        }),
        _ => Err(format!("elements of {element}")),
    }
}

fn whole<T: Element + Copy + Default, const N: usize>(
    case: &Case<'_>,
    hdf5: &Hdf5,
    bytes: fn(T) -> [u8; N],
) -> Result<Times> {
    let elements = usize::try_from(case.dataset.len()).map_err(|e| e.to_string())?;
    let mut values = vec![T::default(); elements];
    case.dataset.read_into(&mut values, ..).map_err(|e| format!("h5kit: {e}"))?;
    let first: Vec<u8> = values.iter().flat_map(|value| bytes(*value)).collect();
    let raw = case.dataset.read_bytes(..).map_err(|e| format!("h5kit: {e}"))?;
    if first != raw {
        return Err("the bytes of h5kit's values are not those that it reads as bytes".into());
    }
    whole_with(case, hdf5, |dataset| {
        let begin = Instant::now();
        dataset.read_into(&mut values, ..)?;
        let time = begin.elapsed();
        black_box(&values);
        Ok((time, Vec::new()))
    })
}

/// `read` gives the time and the bytes, or no bytes where they are compared already.
fn whole_with(
    case: &Case<'_>,
    hdf5: &Hdf5,
    mut read: impl FnMut(&Dataset) -> h5kit::Result<(Duration, Vec<u8>)>,
) -> Result<Times> {
    let path = case.dataset.path();
    let ours = case.dataset.read_bytes(..).map_err(|e| format!("h5kit: {e}"))?;
    let mut buffer = vec![0; ours.len()];
    let theirs = case.steps.iter().try_fold(true, |all, step| hdf5.reads(step.id).map(|one| all && one))?;
    if theirs {
        let open = hdf5.open(case.path, path)?;
        if open.bytes() != ours.len() {
            return Err("the lengths differ".into());
        }
        open.read(&mut buffer)?;
        if buffer != ours {
            return Err("the bytes differ".into());
        }
    }
    drop(ours);

    // The file is opened for every round: libhdf5 keeps decoded chunks of an open dataset, h5kit keeps metadata.
    let mut c = || {
        let open = hdf5.open(case.path, path)?;
        open.read(black_box(&mut buffer))
    };
    let mut h5kit = || {
        let open = |path| File::open(case.path)?.dataset(path);
        let dataset: Dataset = open(path).map_err(|e: h5kit::Error| e.to_string())?;
        read(&dataset).map(|(time, _)| time).map_err(|e| format!("h5kit: {e}"))
    };
    let mut times = Times::default();
    in_turns(case.rounds, &mut times, theirs.then_some(&mut c), Some(&mut h5kit))?;
    Ok(times)
}

/// Runs both sides in turns, each as often as the other, the order reversed in every other round.
fn in_turns(
    rounds: usize,
    times: &mut Times,
    mut c: Option<&mut impl FnMut() -> Result<Duration>>,
    mut h5kit: Option<&mut impl FnMut() -> Result<Duration>>,
) -> Result<()> {
    let begin = Instant::now();
    for round in 0..MOST_ROUNDS.max(rounds) {
        if round >= rounds && begin.elapsed() > TIME {
            break;
        }
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                if let Some(c) = &mut c {
                    times.c.push(c()?);
                }
            } else if let Some(h5kit) = &mut h5kit {
                times.h5kit.push(h5kit()?);
            }
        }
    }
    Ok(())
}

fn decode<'b>(
    steps: &[Step],
    chunk: &'b [u8],
    expected: usize,
    limits: &Limits,
) -> std::result::Result<Cow<'b, [u8]>, Failed> {
    filter::decode(steps, 0, Cow::Borrowed(chunk), expected, limits)
}

/// The chunks as they are stored.
fn chunks<'a>(case: &Case<'a>) -> Result<Vec<&'a [u8]>> {
    let chunks = case.dataset.chunks().map_err(|e| e.to_string())?;
    let bytes = |position: u64, size: u64| {
        let (position, size) = (usize::try_from(position).ok()?, usize::try_from(size).ok()?);
        case.file.get(position..position.checked_add(size)?)
    };
    chunks
        .iter()
        .map(|chunk| match chunk.filter_mask {
            0 => bytes(chunk.position, chunk.size).ok_or_else(|| "a chunk is not in the file".into()),
            _ => Err("a chunk is stored without the filter".into()),
        })
        .collect()
}

fn chunk_bytes(dataset: &Dataset) -> Result<usize> {
    let shape = dataset.chunk_shape().ok_or("the dataset has no chunks")?;
    let bytes = shape.iter().product::<u64>() * u64::from(dataset.datatype().size);
    usize::try_from(bytes).map_err(|e| e.to_string())
}

/// What is not supported, where that is the fault.
fn unsupported(fault: &FilterFault) -> Option<String> {
    match fault {
        FilterFault::Unsupported(what) => Some(what.to_string()),
        _ => None,
    }
}
