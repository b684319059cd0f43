//! What cannot be beaten: the same bytes copied, read or inflated, and nothing else. h5kit says where they are, before
//! the first round.

use std::borrow::Cow;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use fdeflate::Decompressor;
use h5kit::filter::{self, Step};

use super::{Result, Side, size};
use crate::tally::Tally;

/// Values of a contiguous dataset copied from memory.
#[derive(Default)]
pub struct Memcpy {
    values: Vec<f64>,
}

impl Memcpy {
    /// Reads the values in the first round, and has them in the others.
    fn values(&mut self, file: &Path, dataset: &str) -> Result<&[f64]> {
        if self.values.is_empty() {
            self.values = h5kit::File::open(file)?.dataset(dataset)?.read(..)?;
        }
        Ok(&self.values)
    }
}

impl Side for Memcpy {
    fn floats(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        let copy = self.values(file, dataset)?.to_vec();
        tally.floats(&copy);
        Ok(())
    }

    fn floats_into(&mut self, file: &Path, dataset: &str, buffer: &mut [f64], tally: &mut Tally) -> Result<()> {
        buffer.copy_from_slice(self.values(file, dataset)?);
        tally.floats(buffer);
        Ok(())
    }
}

/// Values of a contiguous dataset read by one call after another.
pub struct Pread;

impl Side for Pread {
    fn floats_into(&mut self, file: &Path, dataset: &str, buffer: &mut [f64], tally: &mut Tally) -> Result<()> {
        let start = h5kit::File::open(file)?.dataset(dataset)?.position().ok_or("the values are not in one piece")?;
        File::open(file)?.read_exact_at(bytes_of(buffer), start)?;
        tally.floats(buffer);
        Ok(())
    }
}

/// Chunks read, inflated and un-shuffled where they have been deflated and shuffled, and put in their places.
#[derive(Default)]
pub struct Pipeline {
    plan: Option<Plan>,
    stored: Vec<u8>,
    inflated: Vec<u8>,
}

/// Where chunks are and belong, in bytes. One dimension is a matrix with one row.
struct Plan {
    chunks: Vec<Piece>,
    rows: usize,
    row: usize,
    chunk_rows: usize,
    chunk_row: usize,
    filtered: bool,
    shuffle: [Step; 1],
}

struct Piece {
    at: u64,
    bytes: usize,
    top: usize,
    left: usize,
}

impl Plan {
    fn new(file: &Path, dataset: &str) -> Result<Self> {
        let dataset = h5kit::File::open(file)?.dataset(dataset)?;
        let element = dataset.datatype().size as usize;
        // The last dimension, and the one before it.
        let matrix = |numbers: &[u64], one: u64| match *numbers {
            [columns] => Ok((size(one), size(columns) * element)),
            [rows, columns] => Ok((size(rows), size(columns) * element)),
            _ => Err("neither one dimension nor two"),
        };
        let (rows, row) = matrix(dataset.shape(), 1)?;
        let (chunk_rows, chunk_row) = matrix(dataset.chunk_shape().ok_or("no chunks")?, 1)?;
        let piece = |chunk: &h5kit::StoredChunk| {
            let (top, left) = matrix(&chunk.offset, 0)?;
            Ok(Piece { at: chunk.position, bytes: size(chunk.size), top, left })
        };
        let chunks = dataset.chunks()?.iter().map(piece).collect::<Result<_>>()?;
        let filtered = match dataset.filters().iter().map(|filter| filter.id).collect::<Vec<_>>()[..] {
            [] => false,
            [2, 1] => true,
            _ => return Err("other filters than shuffle and deflate".into()),
        };
        let shuffle = [Step { id: 2, optional: false, values: vec![dataset.datatype().size] }];
        Ok(Self { chunks, rows, row, chunk_rows, chunk_row, filtered, shuffle })
    }
}

impl Pipeline {
    fn read(&mut self, file: &Path, dataset: &str, out: &mut [u8]) -> Result<()> {
        if self.plan.is_none() {
            self.plan = Some(Plan::new(file, dataset)?);
        }
        let Self { plan: Some(plan), stored, inflated } = self else { return Err("no plan".into()) };
        let raw = plan.chunk_rows * plan.chunk_row;
        inflated.resize(raw, 0);
        let limits = h5kit::Limits::default();
        let file = File::open(file)?;
        for piece in &plan.chunks {
            stored.resize(piece.bytes, 0);
            file.read_exact_at(stored, piece.at)?;
            let unshuffled;
            let values = if plan.filtered {
                let (_, made) = Decompressor::new().read(stored, inflated, 0, true).map_err(|e| format!("{e:?}"))?;
                if made != raw {
                    return Err("a chunk has another length".into());
                }
                // Fast ways to do this are long; h5kit's is taken.
                unshuffled = filter::decode(&plan.shuffle, 0, Cow::Borrowed(inflated), raw, &limits)?;
                &*unshuffled
            } else {
                &*stored
            };
            let width = plan.chunk_row.min(plan.row - piece.left);
            for (n, row) in values.chunks_exact(plan.chunk_row).enumerate().take(plan.rows - piece.top) {
                let start = (piece.top + n) * plan.row + piece.left;
                out[start..start + width].copy_from_slice(&row[..width]);
            }
        }
        Ok(())
    }
}

impl Side for Pipeline {
    fn floats(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        let mut values = vec![0f64; len(file, dataset)?];
        self.floats_into(file, dataset, &mut values, tally)
    }

    fn floats_into(&mut self, file: &Path, dataset: &str, buffer: &mut [f64], tally: &mut Tally) -> Result<()> {
        self.read(file, dataset, bytes_of(buffer))?;
        tally.floats(buffer);
        Ok(())
    }

    fn integers(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        let mut values = vec![0i32; len(file, dataset)?];
        self.read(file, dataset, bytes_of(&mut values))?;
        tally.integers(&values);
        Ok(())
    }
}

fn len(file: &Path, dataset: &str) -> Result<usize> {
    Ok(size(h5kit::File::open(file)?.dataset(dataset)?.len()))
}

/// The bytes of numbers.
fn bytes_of<T: bytemuck::Pod>(values: &mut [T]) -> &mut [u8] {
    bytemuck::cast_slice_mut(values)
}
