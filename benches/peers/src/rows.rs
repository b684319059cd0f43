//! The rows of the table: what is read, of which file, and how fast h5kit ought to be.

/// What a row reads.
#[derive(Clone, Copy)]
pub enum Task {
    /// Every dataset of a file with many small ones, each by its path or each group and then its members.
    Small { by_group: bool },
    /// The names of all links, and the shapes of the datasets.
    List { shapes: bool },
    /// Datasets by path in a group of very many links; the file is opened for each.
    Find,
    /// All of a dataset, as float64.
    Floats { dataset: &'static str, into: Into },
    /// All of a dataset of int32.
    Integers,
    /// One column of a matrix.
    Column,
    /// Random windows of a matrix in an open file, with the usual chunk cache or one of 64 MiB.
    Windows { large_cache: bool },
    /// All strings, each on its own or as offsets and bytes.
    Strings { packed: bool },
    /// All records, each as a struct.
    Records,
    /// The values of all attributes of an object.
    Attributes,
    /// What Python reads as well.
    Python(PythonTask),
}

/// What is read of an AnnData or a table of H5Col; `python_side.py` knows it by its text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PythonTask {
    /// All columns of `obs`, each as what it holds.
    Observations,
    /// Random rows of a matrix that is stored by rows.
    MatrixRows,
    /// A matrix from the first row to the last, in blocks.
    MatrixStream,
    /// So many random columns of a matrix that is stored by columns.
    MatrixColumns(usize),
    /// The rows of a table that a condition on two columns is true of.
    Scan,
    /// The rows whose value of a column that has an order is within a range, few or many.
    Range { wide: bool },
    /// The rows whose value of a column that has bitmaps is one.
    Equal,
    /// All of a column of lists.
    Lists,
}

impl PythonTask {
    pub fn text(self) -> String {
        match self {
            Self::Observations => "observations".to_owned(),
            Self::MatrixRows => "matrix_rows".to_owned(),
            Self::MatrixStream => "matrix_stream".to_owned(),
            Self::MatrixColumns(n) => format!("matrix_columns:{n}"),
            Self::Scan => "scan".to_owned(),
            Self::Range { wide: false } => "range:500:502".to_owned(),
            Self::Range { wide: true } => "range:-300:300".to_owned(),
            Self::Equal => "equal".to_owned(),
            Self::Lists => "lists".to_owned(),
        }
    }
}

/// Where values go.
#[derive(Clone, Copy)]
pub enum Into {
    New,
    Used,
    /// Nowhere: they are looked at where they are.
    Borrowed,
}

/// What h5kit is to reach.
#[derive(Clone, Copy)]
pub enum Target {
    /// Times the speed of libhdf5.
    Libhdf5(f64),
    /// Times the speed of the fastest of these sides.
    Fastest(&'static [SideName], f64),
    /// Times its own speed on one thread.
    OneThread(f64),
    None,
}

/// The sides; each is a process of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideName {
    H5kit,
    Libhdf5,
    Pure,
    Reader,
    /// The package anndata of Python.
    AnnData,
    /// h5py and NumPy: the rows that are wanted, by indexes where there are some.
    H5py,
    /// h5py and NumPy: whole columns, and nothing but arrays.
    H5pyWhole,
    /// h5kit without the indexes of a table.
    H5kitScan,
    /// The bytes copied from memory.
    Memcpy,
    /// The bytes read into a buffer.
    Pread,
    /// The chunks read, inflated, un-shuffled and copied to their places, and nothing else.
    Pipeline,
}

impl SideName {
    pub const ALL: [Self; 8] = [
        Self::H5kit,
        Self::Libhdf5,
        Self::Pure,
        Self::Reader,
        Self::H5kitScan,
        Self::Memcpy,
        Self::Pread,
        Self::Pipeline,
    ];
    pub const READERS: [Self; 4] = [Self::H5kit, Self::Libhdf5, Self::Pure, Self::Reader];
    pub const PYTHON_READERS: [Self; 4] = [Self::H5kit, Self::AnnData, Self::H5py, Self::H5pyWhole];

    pub fn text(self) -> &'static str {
        match self {
            Self::H5kit => "h5kit",
            Self::Libhdf5 => "libhdf5",
            Self::Pure => "hdf5-pure",
            Self::Reader => "hdf5-reader",
            Self::AnnData => "anndata",
            Self::H5py => "h5py",
            Self::H5pyWhole => "h5py, whole",
            Self::H5kitScan => "without index",
            Self::Memcpy => "memcpy",
            Self::Pread => "pread",
            Self::Pipeline => "pipeline",
        }
    }

    /// A reader that may not know all there is; what h5kit and libhdf5 do not read is a fault of the benchmark.
    pub fn is_peer(self) -> bool {
        matches!(self, Self::Pure | Self::Reader | Self::AnnData)
    }

    /// A side that is a script.
    pub fn is_python(self) -> bool {
        matches!(self, Self::AnnData | Self::H5py | Self::H5pyWhole)
    }

    /// The most threads that it can read with.
    pub fn threads(self) -> usize {
        match self {
            Self::H5kit | Self::H5kitScan | Self::Reader => usize::MAX,
            _ => 1,
        }
    }
}

pub struct Row {
    pub name: &'static str,
    pub file: &'static str,
    pub task: Task,
    /// What is to be reached with one thread and with more.
    pub targets: &'static [(usize, Target)],
    /// What sets the limit.
    pub limits: &'static [SideName],
}

impl Row {
    /// Things done in one round, where the time of one of them is wanted.
    pub fn times(&self) -> u32 {
        if let Task::Find = self.task { FINDS } else { 1 }
    }

    /// The sides that have a column of the table.
    pub fn readers(&self) -> &'static [SideName] {
        if let Task::Python(_) = self.task { &SideName::PYTHON_READERS } else { &SideName::READERS }
    }
}

/// How many datasets are looked for in a round of [`Task::Find`].
pub const FINDS: u32 = 10;

use Target::{Fastest, Libhdf5, OneThread};

const fn row(name: &'static str, file: &'static str, task: Task, targets: &'static [(usize, Target)]) -> Row {
    Row { name, file, task, targets, limits: &[] }
}

const fn limited(row: Row, limits: &'static [SideName]) -> Row {
    Row { limits, ..row }
}

const fn floats(into: Into) -> Task {
    Task::Floats { dataset: "x", into }
}

const PIPELINE: &[SideName] = &[SideName::Pipeline];
/// Codecs that C has as well: no slower, and the second thread well used.
const CODEC: &[(usize, Target)] = &[(1, Libhdf5(1.0)), (2, OneThread(1.8))];

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    row("small datasets by path, old format", "small_earliest.h5", Task::Small { by_group: false }, &[(1, Libhdf5(10.0))]),
    row("small datasets by path, new format", "small_latest.h5", Task::Small { by_group: false }, &[(1, Libhdf5(10.0))]),
    row("small datasets by group, old format", "small_earliest.h5", Task::Small { by_group: true }, &[(1, Libhdf5(10.0))]),
    row("small datasets by group, new format", "small_latest.h5", Task::Small { by_group: true }, &[(1, Libhdf5(10.0))]),
    row("list names, old format", "small_earliest.h5", Task::List { shapes: false }, &[(1, Libhdf5(3.0))]),
    row("list names, new format", "small_latest.h5", Task::List { shapes: false }, &[(1, Libhdf5(3.0))]),
    row("list shapes, old format", "small_earliest.h5", Task::List { shapes: true }, &[(1, Libhdf5(3.0))]),
    row("list shapes, new format", "small_latest.h5", Task::List { shapes: true }, &[(1, Libhdf5(3.0))]),
    row("one of a million links, symbol table", "links_symbols.h5", Task::Find, &[(1, Libhdf5(5.0))]),
    row("one of a million links, dense", "links_dense.h5", Task::Find, &[(1, Libhdf5(5.0))]),
    limited(row("contiguous, new vector", "contiguous.h5", floats(Into::New), &[(1, Libhdf5(1.0)), (2, Target::None)]), &[SideName::Memcpy]),
    limited(row("contiguous, used buffer", "contiguous.h5", floats(Into::Used), &[(1, Libhdf5(1.5)), (2, Target::None)]), &[SideName::Memcpy, SideName::Pread]),
    row("contiguous, borrowed", "contiguous.h5", floats(Into::Borrowed), &[(1, Target::None)]),
    limited(row("chunked, whole", "chunked.h5", floats(Into::New), &[(1, Libhdf5(1.0)), (2, OneThread(1.7))]), PIPELINE),
    limited(row("chunked, whole, used buffer", "chunked.h5", floats(Into::Used), &[(1, Libhdf5(1.0)), (2, OneThread(1.7))]), PIPELINE),
    row("chunked, a column", "chunked.h5", Task::Column, &[(1, Libhdf5(2.0)), (2, Target::None)]),
    row("chunked, windows", "chunked.h5", Task::Windows { large_cache: false }, &[(1, Libhdf5(3.0)), (2, Target::None)]),
    limited(row("shuffle + gzip, whole", "gzip.h5", floats(Into::New), &[(1, Libhdf5(2.5)), (2, Libhdf5(3.5))]), PIPELINE),
    limited(row("shuffle + gzip, random mantissas", "gzip_noise.h5", floats(Into::New), &[(1, Libhdf5(2.5)), (2, Libhdf5(3.5))]), PIPELINE),
    row("shuffle + Zstandard", "zstd.h5", floats(Into::New), CODEC),
    row("shuffle + LZ4", "lz4.h5", floats(Into::New), CODEC),
    row("Blosc lz4", "blosc_lz4.h5", floats(Into::New), CODEC),
    row("Blosc zstd", "blosc_zstd.h5", floats(Into::New), CODEC),
    row("bitshuffle lz4", "bitshuffle_lz4.h5", floats(Into::New), CODEC),
    row("bitshuffle zstd", "bitshuffle_zstd.h5", floats(Into::New), CODEC),
    limited(row("integers, B-tree", "integers_btree.h5", Task::Integers, &[(1, Libhdf5(2.0)), (2, Libhdf5(3.5))]), PIPELINE),
    limited(row("integers, extensible array", "integers_array.h5", Task::Integers, &[(1, Libhdf5(2.0)), (2, Libhdf5(3.5))]), PIPELINE),
    row("strings, offsets and bytes", "strings.h5", Task::Strings { packed: true }, &[(1, Libhdf5(4.0)), (2, Target::None)]),
    row("strings, Vec<String>", "strings.h5", Task::Strings { packed: false }, &[(1, Libhdf5(2.0)), (2, Target::None)]),
    row("gzip windows", "gzip.h5", Task::Windows { large_cache: false }, &[(1, Libhdf5(5.0)), (2, Libhdf5(5.0))]),
    row("gzip windows, cache of 64 MiB", "gzip.h5", Task::Windows { large_cache: true }, &[(1, Libhdf5(5.0)), (2, Libhdf5(5.0))]),
    row("records to structs", "conversions.h5", Task::Records, &[(1, Libhdf5(2.0)), (2, Target::None)]),
    row("big-endian to native", "conversions.h5", Task::Floats { dataset: "big_endian", into: Into::New }, &[(1, Libhdf5(2.0)), (2, Target::None)]),
    row("int16 to float64", "conversions.h5", Task::Floats { dataset: "short", into: Into::New }, &[(1, Libhdf5(2.0)), (2, Target::None)]),
    row("attributes, in the header", "attributes_compact.h5", Task::Attributes, &[(1, Libhdf5(5.0))]),
    row("attributes, dense", "attributes_dense.h5", Task::Attributes, &[(1, Libhdf5(5.0))]),
];

const ANNDATA: &[SideName] = &[SideName::AnnData];
const H5PY: &[SideName] = &[SideName::H5py];
const PYTHON: &[SideName] = &[SideName::AnnData, SideName::H5py, SideName::H5pyWhole];
const FIVE: &[(usize, Target)] = &[(1, Fastest(PYTHON, 5.0)), (2, Fastest(PYTHON, 5.0))];
const SCAN: &[SideName] = &[SideName::H5kitScan];

const fn cells(name: &'static str, task: PythonTask, targets: &'static [(usize, Target)]) -> Row {
    row(name, "cells_csr.h5ad", Task::Python(task), targets)
}

const fn table(name: &'static str, task: PythonTask, targets: &'static [(usize, Target)]) -> Row {
    row(name, "table.h5", Task::Python(task), targets)
}

/// Rows whose peers are of Python.
#[rustfmt::skip]
pub const PYTHON_ROWS: &[Row] = &[
    cells("AnnData, open and obs", PythonTask::Observations, &[(1, Fastest(ANNDATA, 10.0)), (2, Fastest(ANNDATA, 10.0))]),
    cells("CSR, 1,000 random rows", PythonTask::MatrixRows, FIVE),
    cells("CSR, all rows in blocks", PythonTask::MatrixStream, &[(1, Fastest(PYTHON, 3.0)), (2, Fastest(PYTHON, 3.0))]),
    row("CSC, a random column", "cells_csc.h5ad", Task::Python(PythonTask::MatrixColumns(1)), FIVE),
    row("CSC, 20 random columns", "cells_csc.h5ad", Task::Python(PythonTask::MatrixColumns(20)), FIVE),
    table("H5Col, scan of two columns", PythonTask::Scan, FIVE),
    limited(table("H5Col, narrow range, SORTED_ROWS", PythonTask::Range { wide: false }, FIVE), SCAN),
    limited(table("H5Col, wide range, SORTED_ROWS", PythonTask::Range { wide: true }, FIVE), SCAN),
    limited(table("H5Col, one value, BITMAP", PythonTask::Equal, FIVE), SCAN),
    table("H5Col, 200,000 lists", PythonTask::Lists, &[(1, Fastest(H5PY, 5.0)), (2, Fastest(H5PY, 5.0))]),
];
