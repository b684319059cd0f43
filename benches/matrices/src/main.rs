//! Streams the matrix of an AnnData in a process of its own, beside anndata's backed mode in another.
//!
//! `matrices FOLDER PYTHON` runs every task in turn with h5kit and with Python and prints a table; `matrices FILE TASK`
//! does one with h5kit and prints "checksum seconds peak-kilobytes", as `backed.py` does.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use h5kit::File;
use h5kit::encoding::anndata::{AnnData, Kind, Values};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Bytes of a block.
const BUDGET: u64 = 32 << 20;
const TASKS: [(&str, &str); 4] =
    [("sparse.h5ad", "blocks"), ("sparse.h5ad", "rows"), ("sparse.h5ad", "columns"), ("dense.h5ad", "blocks")];
/// Runs of each side; the fastest of each counts.
const RUNS: usize = 3;
/// Resident memory that no task may take, in bytes.
const MOST: f64 = 300e6;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match &args[..] {
        [file, task] if !Path::new(file).is_dir() => one(file, task),
        [folder, python] => table(Path::new(folder), python),
        _ => Err("usage: matrices FOLDER PYTHON".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("matrices: {error}");
            ExitCode::FAILURE
        }
    }
}

fn one(file: &str, task: &str) -> Result<()> {
    let start = Instant::now();
    let data = AnnData::open(&File::open(file)?)?;
    let mut total = 0.0;
    match (data.x()?.ok_or("there is no X")?.kind, task) {
        (Kind::Sparse(x), "blocks") => {
            for block in x.parts(BUDGET) {
                total += sum(&block?.1.values);
            }
        }
        (Kind::Array(x), "blocks") => {
            for block in x.blocks(BUDGET) {
                total += sum(&block?.1);
            }
        }
        (Kind::Sparse(x), "rows") => {
            let rows: Vec<u64> = (0..data.n_obs()).step_by(500).collect();
            total += sum(&x.select(&rows)?.values);
        }
        (Kind::Sparse(x), "columns") => {
            let columns: Vec<u64> = (0..data.n_var()).step_by(2000).collect();
            total += sum(&x.select_minor(&columns)?.values);
        }
        _ => return Err("no such task".into()),
    }
    println!("{total} {} {}", start.elapsed().as_secs_f64(), peak()?);
    Ok(())
}

fn sum(values: &Values) -> f64 {
    match values {
        Values::F32(values) => values.iter().map(|n| f64::from(*n)).sum(),
        _ => f64::NAN,
    }
}

/// The most memory that was resident, in kilobytes.
fn peak() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

/// Checksum, seconds and bytes of a run.
fn run(command: &mut Command) -> Result<[f64; 3]> {
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<std::result::Result<_, _>>()?;
    match numbers[..] {
        [total, seconds, kilobytes] => Ok([total, seconds, kilobytes * 1024.0]),
        _ => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

fn table(folder: &Path, python: &str) -> Result<()> {
    println!("| matrix | task | anndata s | h5kit s | anndata ÷ h5kit | anndata MB | h5kit MB |");
    println!("|---|---|---|---|---|---|---|");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("backed.py");
    for (file, task) in TASKS {
        let path = folder.join(file);
        let mut best = [[f64::INFINITY; 3]; 2];
        for _ in 0..RUNS {
            let theirs = run(Command::new(python).arg(&script).arg(&path).arg(task))?;
            let ours = run(Command::new(std::env::current_exe()?).arg(&path).arg(task))?;
            if (theirs[0] - ours[0]).abs() > theirs[0].abs() * 1e-9 {
                return Err(format!("{file} {task}: the sums are {} and {}", theirs[0], ours[0]).into());
            }
            for (best, run) in best.iter_mut().zip([theirs, ours]) {
                *best = [run[0], best[1].min(run[1]), best[2].min(run[2])];
            }
        }
        let [theirs, ours] = best;
        println!(
            "| {file} | {task} | {:.1} | {:.1} | {:.1} | {:.0} | {:.0} |",
            theirs[1],
            ours[1],
            theirs[1] / ours[1],
            theirs[2] / 1e6,
            ours[2] / 1e6
        );
        if ours[2] > MOST {
            return Err(format!("{file} {task}: {:.0} MB are resident", ours[2] / 1e6).into());
        }
    }
    Ok(())
}
