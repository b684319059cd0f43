//! What each side does for a row. All of a method is timed, but for what the tally does.

mod encodings;
mod h5kit;
pub mod libhdf5;
mod limit;
mod pure;
mod reader;

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use crate::rows::SideName;
use crate::tally::Tally;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The side has no way to do it.
#[derive(Debug)]
pub struct Cannot;

impl fmt::Display for Cannot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot")
    }
}

impl Error for Cannot {}

/// Rows and columns of a matrix.
pub type Window = (Range<usize>, Range<usize>);

/// One side. Each method opens the file, reads, and gives the tally what it read; what is not there the side cannot do.
#[expect(unused_variables, reason = "they are for the sides")]
pub trait Side {
    /// Reads datasets of float64 by their paths.
    fn by_path(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads datasets of float64, group by group: the group's name and those of its datasets.
    fn by_group(&mut self, file: &Path, groups: &[(String, Vec<String>)], tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// The path of every object below the root, without `/` at its beginning, and with `shapes` the shape of each
    /// dataset, [`crate::tally::word`] of it; 0 otherwise.
    fn list(&mut self, file: &Path, shapes: bool, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Opens the file and reads the dataset, for each of the paths.
    fn find(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads a dataset into new memory.
    fn floats(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads a dataset into memory that was written to before.
    fn floats_into(&mut self, file: &Path, dataset: &str, buffer: &mut [f64], tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Looks at the values of a dataset where they are.
    fn borrowed(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    fn integers(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads windows of a matrix of float64 one after the other, the file and the dataset opened once.
    fn windows(
        &mut self,
        file: &Path,
        dataset: &str,
        windows: &[Window],
        large_cache: bool,
        tally: &mut Tally,
    ) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads strings into one `String` each, or all bytes into one vector, with the offsets of their ends.
    fn strings(&mut self, file: &Path, dataset: &str, packed: bool, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads records of `time` (float64), `channel` (int32) and `value` (float32) into structs.
    fn records(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads the index and every column of `obs` of an AnnData, each as what it holds: texts, categories with codes,
    /// numbers. The tally gets the index and then each column in its order: categories, then codes; values, then what is
    /// missing.
    fn observations(&mut self, file: &Path, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads some lines of the matrix of an AnnData along which it is stored, the file opened once.
    fn matrix_lines(&mut self, file: &Path, lines: &[u64], tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Goes through all rows of the matrix of an AnnData in blocks.
    fn matrix_stream(&mut self, file: &Path, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// The numbers of the rows of the table `table` of H5Col that a condition is true of.
    fn query(&mut self, file: &Path, condition: &str, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads a column of lists of float64 of a table of H5Col.
    fn lists(&mut self, file: &Path, table: &str, column: &str, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }

    /// Reads the name and the value, a float64, of every attribute of a group.
    fn attributes(&mut self, file: &Path, group: &str, tally: &mut Tally) -> Result<()> {
        Err(Cannot.into())
    }
}

/// A side that reads with so many threads.
pub fn side(name: SideName, threads: usize) -> Result<Box<dyn Side>> {
    Ok(match name {
        SideName::H5kit => Box::new(h5kit::H5kit { threads, indexes: true }),
        SideName::H5kitScan => Box::new(h5kit::H5kit { threads, indexes: false }),
        SideName::AnnData | SideName::H5py | SideName::H5pyWhole => return Err("a side that is a script".into()),
        SideName::Libhdf5 => Box::new(libhdf5::Libhdf5),
        SideName::Pure => Box::new(pure::Pure),
        SideName::Reader => Box::new(reader::Reader::new(threads)?),
        SideName::Memcpy => Box::new(limit::Memcpy::default()),
        SideName::Pread => Box::new(limit::Pread),
        SideName::Pipeline => Box::new(limit::Pipeline::default()),
    })
}

/// Strings as offsets and bytes, as columnar formats have them.
#[derive(Default)]
pub struct Packed {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Packed {
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u64);
    }

    /// Each of the strings.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start as usize..*end as usize])
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for Packed {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut this = Self::default();
        texts.into_iter().for_each(|text| this.push(text.as_ref()));
        this
    }
}

/// `usize` of numbers that come from this program's own files.
pub fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
