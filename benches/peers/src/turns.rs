//! The sides of a row, each in a process of its own, in turns.
//!
//! A side is a program that runs one round for each line it is given, and answers each with a line: `round` with
//! nanoseconds, the sum of what was read and the bytes read by calls of the system; `cannot`; or `failed` with a reason.
//! At the end of its input it says `peak` with its most memory in KiB. This program is most of the sides, as
//! `peers one ROW SIDE THREADS FILE`; those of Python are `python_side.py TASK SIDE FILE`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::round::{self, Round, Rounds};
use crate::rows::{Row, SideName, Task};
use crate::sides::{self, Cannot, Result};

/// What one side did with so many threads.
pub struct Measured {
    pub side: SideName,
    pub threads: usize,
    pub times: Vec<Duration>,
    /// Bytes that the last round read by calls of the system.
    pub read: u64,
    /// KiB.
    pub peak: Option<u64>,
    /// Why there are no times; empty where the side has no way to do it.
    pub missing: Option<String>,
    /// It is so slow that it had one round only.
    pub slow: bool,
}

/// A peer whose first round takes longer is not asked for others; h5kit and libhdf5 always are.
const SLOW: Duration = Duration::from_secs(5);

/// Runs all the sides of a row: one round that is not counted, and `rounds` in turns, the order reversed in every other.
pub fn measure(row: &Row, folder: &Path, rounds: usize) -> Result<Vec<Measured>> {
    let file = folder.join(row.file);
    let mut runners = Vec::new();
    for (threads, _) in row.targets {
        for side in row.readers().iter().chain(row.limits).copied() {
            if *threads <= side.threads() {
                runners.push(Runner::start(row, side, *threads, &file)?);
            }
        }
    }
    for round in 0..=rounds {
        let mut sums = Vec::new();
        let mut turn = |runner: &mut Runner| -> Result<()> {
            if let Some(taken) = runner.round()? {
                let measured = &mut runner.measured;
                sums.push((measured.side, taken.sum));
                measured.read = taken.read;
                measured.slow = measured.side.is_peer() && taken.time > SLOW;
                if round > 0 || measured.slow {
                    measured.times.push(taken.time);
                }
            }
            Ok(())
        };
        if round % 2 == 0 {
            runners.iter_mut().try_for_each(&mut turn)?;
        } else {
            runners.iter_mut().rev().try_for_each(&mut turn)?;
        }
        if let Some((side, _)) = sums.iter().find(|(_, sum)| *sum != sums[0].1) {
            return Err(format!("{} and {} read different values", sums[0].0.text(), side.text()).into());
        }
    }
    runners.into_iter().map(Runner::end).collect()
}

/// What is started for a side.
fn command(row: &Row, side: SideName, threads: usize, file: &Path) -> Result<Command> {
    if let (Task::Python(task), true) = (row.task, side.is_python()) {
        let mut command = Command::new(std::env::var_os("PEERS_PYTHON").unwrap_or_else(|| "python3".into()));
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python_side.py"));
        command.args([&task.text(), side.text()]).arg(file);
        return Ok(command);
    }
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["one", row.name, side.text(), &threads.to_string()]).arg(file);
    Ok(command)
}

/// A process, and what it has done so far.
struct Runner {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    measured: Measured,
}

impl Runner {
    fn start(row: &Row, side: SideName, threads: usize, file: &Path) -> Result<Self> {
        let mut process = command(row, side, threads, file)?.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (input, output) = input.zip(output).ok_or("a process without input and output")?;
        let measured = Measured { side, threads, times: Vec::new(), read: 0, peak: None, missing: None, slow: false };
        Ok(Self { process, input, output: BufReader::new(output), measured })
    }

    /// One round; `None` where the side cannot do the row, or is too slow.
    fn round(&mut self) -> Result<Option<Round>> {
        if self.measured.missing.is_some() || self.measured.slow {
            return Ok(None);
        }
        let text = self.measured.side.text();
        writeln!(self.input).map_err(|e| format!("{text}: {e}"))?;
        let line = self.line()?;
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "round" => parse(rest).map(Some).ok_or_else(|| format!("{text}: says {line}").into()),
            "cannot" => {
                self.measured.missing = Some(String::new());
                Ok(None)
            }
            "failed" if self.measured.side.is_peer() => {
                self.measured.missing = Some(rest.to_owned());
                Ok(None)
            }
            "failed" => Err(format!("{text}: {rest}").into()),
            _ => Err(format!("{text}: ended without an answer").into()),
        }
    }

    fn end(self) -> Result<Measured> {
        let Self { mut process, input, mut output, mut measured } = self;
        drop(input);
        let mut line = String::new();
        output.read_line(&mut line)?;
        process.wait()?;
        measured.peak = line.trim().strip_prefix("peak ").and_then(|text| text.parse().ok());
        Ok(measured)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

fn parse(words: &str) -> Option<Round> {
    let mut numbers = words.split(' ').map(|word| word.parse().ok());
    let mut next = || numbers.next().flatten();
    Some(Round { time: Duration::from_nanos(next()?), sum: next()?, read: next()? })
}

/// The other end: runs a round for each line of the input.
pub fn one(row: &Row, side: SideName, threads: usize, file: &Path) -> Result<()> {
    let mut rounds = Rounds::new(row.task, file)?;
    let mut side = sides::side(side, threads)?;
    for line in std::io::stdin().lines() {
        line?;
        let answer = match rounds.run(&mut *side, file) {
            Ok(Round { time, sum, read }) => format!("round {} {sum} {read}", time.as_nanos()),
            Err(error) if error.is::<Cannot>() => error.to_string(),
            Err(error) => format!("failed {}", error.to_string().replace('\n', " ")),
        };
        println!("{answer}");
    }
    println!("peak {}", round::peak().map_or_else(String::new, |peak| peak.to_string()));
    Ok(())
}
