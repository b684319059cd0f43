//! Reads that go on past damaged chunks.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use super::dataset::Dataset;
use crate::element::Output;
use crate::error::{Error, ErrorKind, Result};
use crate::selection::Selection;

/// What could be read of a damaged dataset.
#[derive(Debug)]
pub struct Past<O> {
    /// The selected elements; those of damaged chunks have the dataset's fill value.
    pub value: O,
    /// The chunks that could not be read, by their offsets in row-major order; none where all is sound.
    pub damaged: Vec<DamagedChunk>,
}

/// A chunk that could not be read.
#[derive(Debug)]
pub struct DamagedChunk {
    /// Coordinates of its first element.
    pub offset: Vec<u64>,
    /// What is wrong with it, or with the index on the way to it.
    pub error: Error,
}

/// The damaged chunks that a read came by, by their offsets.
#[derive(Debug, Default)]
pub(super) struct Damage(Mutex<BTreeMap<Vec<u64>, Error>>);

/// Chunks that are noted at most.
const MOST: usize = 1 << 20;

/// True where an error says that the file is damaged, or that a chunk asks for more than a sound one would.
fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Limit)
}

impl Damage {
    /// Notes a damaged chunk, once.
    ///
    /// # Errors
    /// What is no damage is given back, and so is one chunk too many.
    pub(super) fn note(&self, offset: Vec<u64>, error: Error) -> Result<()> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_damage(&error) || noted.len() >= MOST {
            return Err(error);
        }
        noted.entry(offset).or_insert(error);
        Ok(())
    }

    /// The chunks noted so far, of the dataset at a path.
    fn take(&self, path: &str) -> Vec<DamagedChunk> {
        let noted = mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        noted.into_iter().map(|(offset, error)| DamagedChunk { offset, error: error.in_object(path) }).collect()
    }
}

impl Dataset {
    /// Reads the selected elements as [`read`](Self::read) does, past chunks that are damaged: one whose filters cannot be
    /// undone, whose checksum does not hold, that is not all in the file, or that cannot be looked up because a part of the
    /// index is damaged. Their elements have the dataset's fill value, and the result says which chunks they are.
    ///
    /// ```
    /// # fn main() -> h5kit::Result<()> {
    /// let dataset = h5kit::File::open("testdata/files/filter_fletcher_wrong.h5")?.dataset("/d")?;
    /// let past = dataset.read_past_damage::<Vec<i32>>(..)?;
    /// for chunk in &past.damaged {
    ///     println!("the chunk from {:?} on is lost: {}", chunk.offset, chunk.error);
    /// }
    /// # assert_eq!(past.damaged.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), also for damage of anything but chunks: a dataset in one piece, the header, the heap that
    /// strings and sequences are in, the sources of a virtual dataset. More than a million damaged chunks are too many.
    pub fn read_past_damage<O: Output>(&self, selection: impl Into<Selection>) -> Result<Past<O>> {
        let selection = selection.into();
        self.past(|dataset| dataset.read(selection.clone()))
    }

    /// The same for the bytes of the elements, as [`read_bytes`](Self::read_bytes) gives them.
    ///
    /// # Errors
    /// As [`read_past_damage`](Self::read_past_damage).
    pub fn read_bytes_past_damage(&self, selection: impl Into<Selection>) -> Result<Past<Vec<u8>>> {
        let selection = selection.into();
        self.past(|dataset| dataset.read_bytes(selection.clone()))
    }

    fn past<O>(&self, read: impl Fn(&Self) -> Result<O>) -> Result<Past<O>> {
        match read(self) {
            Err(e) if is_damage(&e) => {}
            read => return read.map(|value| Past { value, damaged: Vec::new() }),
        }
        let damage = Arc::new(Damage::default());
        let value = read(&self.noting(damage.clone()))?;
        Ok(Past { value, damaged: damage.take(self.path()) })
    }
}
