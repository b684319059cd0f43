//! Decode speed of every filter of h5kit beside that of the C code that libhdf5 uses, on one thread.
//!
//! `filters FOLDER [--rounds N] [TEXT…]` measures the files that `make_files.py` made, or only the rows whose filter
//! has one of the texts in its name, and prints a Markdown table. `FOLDER/env.sh` sets what has to be in the environment.
//! Exit status: 0 all went well, 1 a row failed (the bytes differ, for one), 2 trouble.

mod c;
mod measure;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use h5kit::filter::{Step, available};
use h5kit::{Dataset, File};

use c::{Hdf5, Result};
use measure::{Case, Times};
use table::Row;

const FEWEST_ROUNDS: usize = 7;
/// The built-in filters, and LZF, which h5py registers.
const NO_PLUGIN: [u16; 7] = [1, 2, 3, 4, 5, 6, 32000];

struct Arguments {
    folder: PathBuf,
    texts: Vec<String>,
    rounds: usize,
}

fn main() -> ExitCode {
    c::ask_for_one_thread();
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("{failed} rows failed");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("filters: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints the table; the number of rows that failed.
fn run() -> Result<usize> {
    let arguments = arguments()?;
    let mut hdf5 = Hdf5::load(&variable("LIBHDF5")?, &variable("HDF5_PLUGIN_PATH")?)?;
    if let (Ok(python), Ok(module)) = (variable("LIBPYTHON"), variable("LZF_LIBRARY")) {
        hdf5.load_lzf(&python, &module)?;
    }
    keep_memory();

    println!("{}\n\n{}", table::setting(&hdf5.version()?), table::HEAD);
    let mut failed = 0;
    for path in files(&arguments.folder)? {
        failed += measure_file(&path, &arguments, &hdf5)?;
    }
    println!("\n{}", table::NOTES);
    match threads() {
        None | Some(1) => Ok(failed),
        Some(n) => Err(format!("there are {n} threads: the times are not those of one")),
    }
}

/// Prints the rows of one file; the number of those that failed.
fn measure_file(path: &Path, arguments: &Arguments, hdf5: &Hdf5) -> Result<usize> {
    let in_file = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|e| in_file(&e))?;
    let file = File::open(path).map_err(|e| in_file(&e))?;
    let mut failed = 0;
    for link in file.root().links().map_err(|e| in_file(&e))? {
        let link = link.map_err(|e| in_file(&e))?;
        let dataset = file.dataset(link.path()).map_err(|e| in_file(&e))?;
        let label = |name| text_attribute(&dataset, name).map_err(|e| in_file(&e));
        let filter = label("filter")?;
        if !arguments.texts.is_empty() && !arguments.texts.iter().any(|text| filter.contains(text.as_str())) {
            continue;
        }
        let steps: Vec<_> = dataset
            .filters()
            .into_iter()
            .map(|filter| Step { id: filter.id, optional: filter.optional, values: filter.values })
            .collect();
        let case = Case { path, file: &bytes, dataset: &dataset, steps: &steps, rounds: arguments.rounds };
        let stored = dataset.stored_size().map_err(|e| in_file(&e))?;
        let mut row =
            Row { filter, data: label("data")?, chunk: label("chunk")?, how: "", raw: dataset.logical_size(), stored };
        let element = label("element")?;
        let mut report = |how, times: Result<Times>| {
            row.how = how;
            match &times {
                Ok(times) => println!("{}", row.line(times)),
                Err(error) => {
                    println!("{}", row.failed(error));
                    failed += 1;
                }
            }
        };
        if let [_] = steps[..] {
            report("filter", measure::filter_calls(&case, hdf5));
        }
        // Those that need no plugin are also measured as most programs meet them.
        if steps.iter().all(|step| NO_PLUGIN.contains(&step.id) && available(step.id).is_ok()) {
            report("read", measure::whole_reads(&case, hdf5, &element));
        }
    }
    Ok(failed)
}

fn arguments() -> Result<Arguments> {
    let usage = || "usage: filters FOLDER [--rounds N] [TEXT…]".to_owned();
    let mut words = std::env::args().skip(1);
    let mut rest = Vec::new();
    let mut rounds = FEWEST_ROUNDS;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => rounds = words.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0).ok_or_else(usage)?,
            _ if word.starts_with('-') => return Err(usage()),
            _ => rest.push(word),
        }
    }
    if rest.is_empty() {
        return Err(usage());
    }
    let folder = PathBuf::from(rest.remove(0));
    Ok(Arguments { folder, texts: rest, rounds })
}

fn variable(name: &str) -> Result<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("{name} is not set: source FOLDER/env.sh"))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "h5"));
    files.sort();
    if files.is_empty() { Err(format!("{}: no files, run make_files.py", folder.display())) } else { Ok(files) }
}

fn text_attribute(dataset: &Dataset, name: &str) -> h5kit::Result<String> {
    dataset.attribute(name)?.read()
}

/// Makes malloc keep what it has. It would map a large block anew for each call, or not, depending on what was freed
/// before; the faults of its pages would be in the times. Freeing one block of this size makes glibc take all that are
/// smaller from its heap, and keep twice as much of it when it is free.
fn keep_memory() {
    const LARGE: usize = 31 << 20;
    drop(std::hint::black_box(vec![1_u8; LARGE]));
}

/// Threads of this process, where the system tells.
fn threads() -> Option<usize> {
    std::fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}
