//! One round of a row by one side, and what it needs to know beforehand.

use std::path::Path;
use std::time::{Duration, Instant};

use h5kit::Object;

use crate::rows::{FINDS, Into, PythonTask, Task};
use crate::sides::{Result, Side, Window, size};
use crate::tally::Tally;

const WINDOWS: usize = 1_000;
const WINDOW: usize = 100;
const MATRIX_ROWS: usize = 1_000;
/// Where the data are, in files that have them in one dataset, or the attributes.
const X: &str = "x";

/// What the rounds have in common.
pub struct Rounds {
    task: Task,
    paths: Vec<String>,
    groups: Vec<(String, Vec<String>)>,
    windows: Vec<Window>,
    buffer: Vec<f64>,
    /// Rows or columns of a sparse matrix.
    lines: Vec<u64>,
    rounds: u64,
}

/// What one round took, and the sum of what it read.
pub struct Round {
    pub time: Duration,
    pub sum: u64,
    /// Bytes that it read by calls of the system, where that is known.
    pub read: u64,
}

impl Rounds {
    pub fn new(task: Task, path: &Path) -> Result<Self> {
        let mut this = Self {
            task,
            paths: Vec::new(),
            groups: Vec::new(),
            windows: Vec::new(),
            buffer: Vec::new(),
            lines: Vec::new(),
            rounds: 0,
        };
        let file = h5kit::File::open(path)?;
        match task {
            Task::Small { .. } => this.groups = groups(&file)?,
            Task::Windows { .. } => this.windows = windows(file.dataset(X)?.shape())?,
            Task::Column => this.windows = vec![column(file.dataset(X)?.shape())?],
            Task::Floats { dataset, into: Into::Used } => {
                this.buffer = vec![1.0; size(file.dataset(dataset)?.len())];
            }
            Task::Python(PythonTask::MatrixRows) => this.lines = lines(&file, MATRIX_ROWS)?,
            Task::Python(PythonTask::MatrixColumns(n)) => this.lines = lines(&file, n)?,
            _ => (),
        }
        if let Task::Small { by_group: false } = task {
            let of_group = |(group, names): (String, Vec<String>)| {
                names.into_iter().map(|name| format!("{group}/{name}")).collect::<Vec<_>>()
            };
            this.paths = std::mem::take(&mut this.groups).into_iter().flat_map(of_group).collect();
        }
        Ok(this)
    }

    /// Runs one round.
    pub fn run(&mut self, side: &mut dyn Side, file: &Path) -> Result<Round> {
        self.rounds += 1;
        if let Task::Find = self.task {
            self.paths = some_links(file, self.rounds)?;
        }
        let mut tally = Tally::new();
        let read = bytes_read();
        let begin = Instant::now();
        self.read(side, file, &mut tally)?;
        let time = begin.elapsed().saturating_sub(tally.stopped());
        Ok(Round { time, sum: tally.sum(), read: bytes_read().saturating_sub(read) })
    }

    fn read(&mut self, side: &mut dyn Side, file: &Path, tally: &mut Tally) -> Result<()> {
        match self.task {
            Task::Small { by_group: false } => side.by_path(file, &self.paths, tally),
            Task::Small { by_group: true } => side.by_group(file, &self.groups, tally),
            Task::List { shapes } => side.list(file, shapes, tally),
            Task::Find => side.find(file, &self.paths, tally),
            Task::Floats { dataset, into: Into::New } => side.floats(file, dataset, tally),
            Task::Floats { dataset, into: Into::Used } => side.floats_into(file, dataset, &mut self.buffer, tally),
            Task::Floats { dataset, into: Into::Borrowed } => side.borrowed(file, dataset, tally),
            Task::Integers => side.integers(file, X, tally),
            Task::Column => side.windows(file, X, &self.windows, false, tally),
            Task::Windows { large_cache } => side.windows(file, X, &self.windows, large_cache, tally),
            Task::Strings { packed } => side.strings(file, X, packed, tally),
            Task::Records => side.records(file, "records", tally),
            Task::Attributes => side.attributes(file, X, tally),
            Task::Python(PythonTask::Observations) => side.observations(file, tally),
            Task::Python(PythonTask::MatrixRows | PythonTask::MatrixColumns(_)) => {
                side.matrix_lines(file, &self.lines, tally)
            }
            Task::Python(PythonTask::MatrixStream) => side.matrix_stream(file, tally),
            Task::Python(PythonTask::Scan) => side.query(file, "signal > 1.5 and count < 15", tally),
            Task::Python(PythonTask::Range { wide: false }) => side.query(file, "level between 500 and 502", tally),
            Task::Python(PythonTask::Range { wide: true }) => side.query(file, "level between -300 and 300", tally),
            Task::Python(PythonTask::Equal) => side.query(file, "station == 7", tally),
            Task::Python(PythonTask::Lists) => side.lists(file, "lists", "readings", tally),
        }
    }
}

/// The groups of a file and the names of what is in them.
fn groups(file: &h5kit::File) -> Result<Vec<(String, Vec<String>)>> {
    let mut groups = Vec::new();
    for link in file.root().links()? {
        let link = link?;
        if let Object::Group(group) = link.open()? {
            let names: h5kit::Result<_> = group.links()?.map(|link| Ok(link?.name().to_string())).collect();
            groups.push((link.name().to_string(), names?));
        }
    }
    Ok(groups)
}

/// Paths of links, others in each round and the same for each side.
fn some_links(path: &Path, round: u64) -> Result<Vec<String>> {
    let links: u64 = h5kit::File::open(path)?.attribute("/", "links")?.read()?;
    let mut random = Random(round);
    Ok((0..FINDS).map(|_| format!("links/l{:07}", random.below(links))).collect())
}

fn windows(shape: &[u64]) -> Result<Vec<Window>> {
    let &[rows, columns] = shape else { return Err("not a matrix".into()) };
    // Fewer where the matrix is too small to be worth it.
    let windows = WINDOWS.min(size(rows * columns) / (WINDOW * WINDOW));
    let mut random = Random(1);
    let mut range = |length: u64| {
        let start = size(random.below(length - WINDOW as u64));
        start..start + WINDOW
    };
    Ok((0..windows).map(|_| (range(rows), range(columns))).collect())
}

/// A column that is not the first of a chunk.
fn column(shape: &[u64]) -> Result<Window> {
    let &[rows, columns] = shape else { return Err("not a matrix".into()) };
    let column = size(columns / 2 + 100);
    Ok((0..size(rows), column..column + 1))
}

/// Random lines of a sparse matrix along which it is stored; `python_side.py` has the same.
fn lines(file: &h5kit::File, count: usize) -> Result<Vec<u64>> {
    let pointers = file.dataset("X/indptr")?.len() - 1;
    let mut random = Random(1);
    Ok((0..count).map(|_| random.below(pointers)).collect())
}

/// Numbers that look random (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// What this process has read by calls of the system; 0 where the system does not tell.
fn bytes_read() -> u64 {
    proc_number("/proc/self/io", "rchar:").unwrap_or(0)
}

/// The most memory that this process has had, in KiB, where the system tells.
pub fn peak() -> Option<u64> {
    proc_number("/proc/self/status", "VmHWM:")
}

fn proc_number(path: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}
