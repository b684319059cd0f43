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
    /// The bytes copied from memory.
    Memcpy,
    /// The bytes read into a buffer.
    Pread,
    /// The chunks read, inflated, un-shuffled and copied to their places, and nothing else.
    Pipeline,
}

impl SideName {
    pub const ALL: [Self; 7] =
        [Self::H5kit, Self::Libhdf5, Self::Pure, Self::Reader, Self::Memcpy, Self::Pread, Self::Pipeline];
    pub const READERS: [Self; 4] = [Self::H5kit, Self::Libhdf5, Self::Pure, Self::Reader];

    pub fn text(self) -> &'static str {
        match self {
            Self::H5kit => "h5kit",
            Self::Libhdf5 => "libhdf5",
            Self::Pure => "hdf5-pure",
            Self::Reader => "hdf5-reader",
            Self::Memcpy => "memcpy",
            Self::Pread => "pread",
            Self::Pipeline => "pipeline",
        }
    }

    /// A reader that may not know all there is; what h5kit and libhdf5 do not read is a fault of the benchmark.
    pub fn is_peer(self) -> bool {
        matches!(self, Self::Pure | Self::Reader)
    }

    /// The most threads that it can read with.
    pub fn threads(self) -> usize {
        match self {
            Self::H5kit | Self::Reader => usize::MAX,
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
}

/// How many datasets are looked for in a round of [`Task::Find`].
pub const FINDS: u32 = 10;

use Target::{Libhdf5, OneThread};

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
