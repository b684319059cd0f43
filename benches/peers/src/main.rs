//! h5kit beside libhdf5 and other readers of HDF5, on the same files in one run.
//!
//! `peers FOLDER [--rounds N] [TEXT…]` measures the files that `make_files.py --peers` made, or only the rows that have
//! one of the texts in their names, and prints a Markdown table. `FOLDER/env.sh` sets what has to be in the environment.
//! Exit status: 0 all went well, 1 a row failed (the values differ, for one), 2 trouble.
//!
//! `peers one ROW SIDE THREADS FILE` is one side of one row: see `turns.rs`.

mod round;
mod rows;
mod sides;
mod table;
mod tally;
mod turns;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rows::{PYTHON_ROWS, ROWS, Row, SideName, Task};
use sides::Result;

const FEWEST_ROUNDS: usize = 5;

struct Arguments {
    folder: PathBuf,
    texts: Vec<String>,
    rounds: usize,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ended = match &words[..] {
        [one, row, side, threads, file] if one == "one" => one_side(row, side, threads, file).map(|()| 0),
        _ => run(words),
    };
    match ended {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("{failed} rows failed");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints the table; the number of rows that failed.
fn run(words: Vec<String>) -> Result<usize> {
    let arguments = arguments(words)?;
    println!("{}", table::setting(&sides::libhdf5::version()));
    let mut failed = 0;
    let mut remarks = Vec::new();
    let wanted =
        |row: &Row| arguments.texts.is_empty() || arguments.texts.iter().any(|text| row.name.contains(text.as_str()));
    let mut last = None;
    for row in ROWS.iter().chain(PYTHON_ROWS).filter(|row| wanted(row)) {
        let python = matches!(row.task, Task::Python(_));
        if last.replace(python) != Some(python) {
            println!("\n{}", if python { table::PYTHON_HEAD } else { table::HEAD });
        }
        if python && !arguments.folder.join(row.file).exists() {
            remarks.push(format!("{}: left out, since {} was not made.", row.name, row.file));
            continue;
        }
        match turns::measure(row, &arguments.folder, arguments.rounds) {
            Ok(measured) => {
                table::lines(row, &measured).iter().for_each(|line| println!("{line}"));
                remarks.extend(table::remarks(row, &measured));
            }
            Err(error) => {
                println!("| {} | | | | | | | | | **failed**: {error} | |", row.name);
                failed += 1;
            }
        }
    }
    println!("\n{}\n", table::NOTES);
    remarks.iter().for_each(|remark| println!("- {remark}"));
    Ok(failed)
}

fn one_side(row: &str, side: &str, threads: &str, file: &str) -> Result<()> {
    let row = ROWS
        .iter()
        .chain(PYTHON_ROWS)
        .find(|known| known.name == row)
        .ok_or_else(|| format!("no row is named {row}"))?;
    let side = SideName::ALL.into_iter().find(|known| known.text() == side).ok_or_else(|| format!("no side {side}"))?;
    turns::one(row, side, threads.parse()?, Path::new(file))
}

fn arguments(words: Vec<String>) -> Result<Arguments> {
    let usage = || "usage: peers FOLDER [--rounds N] [TEXT…]";
    let mut words = words.into_iter();
    let mut rest = Vec::new();
    let mut rounds = FEWEST_ROUNDS;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => rounds = words.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0).ok_or_else(usage)?,
            _ if word.starts_with('-') => return Err(usage().into()),
            _ => rest.push(word),
        }
    }
    if rest.is_empty() {
        return Err(usage().into());
    }
    let folder = PathBuf::from(rest.remove(0));
    Ok(Arguments { folder, texts: rest, rounds })
}
