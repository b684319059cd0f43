//! The table: lines of Markdown for each row.

use std::time::Duration;

use crate::rows::{Row, SideName, Target, Task};
use crate::turns::Measured;

pub const PYTHON_HEAD: &str = "\
| row | threads | h5kit | anndata | h5py | h5py, whole | limit | Python ÷ h5kit | to reach | | peak MB |
|---|---:|---:|---:|---:|---:|---|---:|---:|---|---|";

pub const HEAD: &str = "\
| row | threads | h5kit | libhdf5 | hdf5-pure | hdf5-reader | limit | libhdf5 ÷ h5kit | to reach | | peak MB |
|---|---:|---:|---:|---:|---:|---|---:|---:|---|---|";

pub const NOTES: &str = "\
Seconds are those of the median round. libhdf5 and hdf5-pure have one thread, and stand in all lines with what they \
took on it. *limit*: the same bytes copied from memory, read, or (*pipeline*) read by chunks, inflated, un-shuffled and \
put in their places, and nothing else, on one thread. *peak MB*: of h5kit, libhdf5, hdf5-pure and hdf5-reader. noisy: \
half of the rounds of h5kit or libhdf5 spread over more than a tenth of their median.";

/// The middle half of the rounds should not spread wider than this part of their median.
const NOISY: f64 = 0.1;

/// An index may take so many times what the scan takes before it counts as slower.
const SAME: f64 = 1.05;

/// The lines of a row.
pub fn lines(row: &Row, measured: &[Measured]) -> Vec<String> {
    row.targets.iter().map(|(threads, target)| line(row, *threads, *target, measured)).collect()
}

/// What a row says below the table, where there is something.
pub fn remarks(row: &Row, measured: &[Measured]) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Task::Find = row.task {
        let read = |side: &Measured| {
            side.missing.is_none().then(|| format!("{} {}", side.side.text(), side.read / u64::from(row.times())))
        };
        let read: Vec<_> = measured.iter().filter_map(read).collect();
        remarks.push(format!("{}: bytes read by calls of the system: {}.", row.name, read.join(", ")));
    }
    for side in measured.iter().filter(|side| side.threads == 1) {
        if let Some(why) = side.missing.as_ref().filter(|why| !why.is_empty()) {
            remarks.push(format!("{}: {}: {why}.", row.name, side.side.text()));
        }
        if side.slow {
            remarks.push(format!("{}: {}: a single round.", row.name, side.side.text()));
        }
    }
    remarks
}

fn line(row: &Row, threads: usize, target: Target, measured: &[Measured]) -> String {
    let of = |side: SideName, threads: usize| {
        measured.iter().find(|m| m.side == side && m.threads == threads.min(side.threads()))
    };
    let seconds = |side, threads| {
        let time = of(side, threads).and_then(|m| quantile(&m.times, 0.5))?;
        Some(time.as_secs_f64() / f64::from(row.times()))
    };
    let limit_threads = |limit| if limit == SideName::H5kitScan { threads } else { 1 };
    let limits = row.limits.iter().filter_map(|limit| {
        let text = digits(seconds(*limit, limit_threads(*limit))?);
        Some(format!("{text} {}", limit.text()))
    });
    let h5kit = seconds(SideName::H5kit, threads);
    let ratio = |time: Option<f64>| Some(time? / h5kit?);
    // What h5kit is held against: libhdf5, or the fastest that Python has.
    let others: &[SideName] = match target {
        Target::Fastest(sides, _) => sides,
        _ => &[SideName::Libhdf5],
    };
    let fastest = others.iter().filter_map(|side| seconds(*side, 1)).min_by(f64::total_cmp);
    let ratio_of_others = ratio(fastest);
    let (to_reach, reached) = match target {
        Target::Libhdf5(times) | Target::Fastest(_, times) => {
            (format!("{times}"), ratio_of_others.map(|found| (found, times)))
        }
        Target::OneThread(times) => {
            (format!("{times} × one thread"), ratio(seconds(SideName::H5kit, 1)).map(|found| (found, times)))
        }
        Target::None => ("–".to_owned(), None),
    };
    let mut marks = Vec::new();
    if let Some((found, times)) = reached {
        let own = if let Target::OneThread(_) = target { format!("{found:.2}: ") } else { String::new() };
        marks.push(format!("{own}{}", if found >= times { "reached" } else { "**missed**" }));
    }
    let noisy = |side| of(side, threads).is_some_and(|m| spread(&m.times) > NOISY);
    if let Some(scan) = seconds(SideName::H5kitScan, threads).zip(h5kit) {
        marks.push(
            if scan.1 <= scan.0 * SAME { "not slower than without" } else { "**slower than without**" }.to_owned(),
        );
    }
    if noisy(SideName::H5kit) || others.iter().any(|side| noisy(*side)) {
        marks.push("noisy".to_owned());
    }
    let times =
        row.readers().iter().map(|side| or_dash(seconds(*side, threads), digits)).collect::<Vec<_>>().join(" | ");
    let peaks = row.readers().iter().map(|side| {
        let measured = of(*side, threads).filter(|m| m.missing.is_none());
        or_dash(measured.and_then(|m| m.peak), |kib| format!("{}", kib * 1024 / 1_000_000))
    });
    let limits: Vec<_> = limits.collect();
    format!(
        "| {} | {threads} | {times} | {} | {} | {to_reach} | {} | {} |",
        row.name,
        limits.join(", "),
        or_dash(ratio_of_others, |ratio| format!("{ratio:.2}")),
        marks.join(", "),
        peaks.collect::<Vec<_>>().join(" / "),
    )
}

/// What was measured with, in a sentence.
pub fn setting(libhdf5: &str) -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = information.lines().find(|line| line.starts_with("model name"));
    let processor =
        line.and_then(|line| line.split_once(':')).map_or("a processor without a name", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("libhdf5 {libhdf5}, {cores} cores of {processor} ({}).", std::env::consts::ARCH)
}

fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), text)
}

/// Seconds with three digits that count.
fn digits(seconds: f64) -> String {
    let before = seconds.log10().floor();
    let decimals = if before.is_finite() { (2.0 - before).clamp(0.0, 9.0) } else { 0.0 };
    format!("{seconds:.*}", decimals as usize)
}

/// The time at a part of the sorted times; `None` without times.
fn quantile(times: &[Duration], part: f64) -> Option<Duration> {
    let mut sorted = times.to_vec();
    sorted.sort();
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * part).round() as usize).copied()
}

/// Width of the middle half of the times as a part of their median; 0 without times.
fn spread(times: &[Duration]) -> f64 {
    let quartiles = quantile(times, 0.25).zip(quantile(times, 0.75)).zip(quantile(times, 0.5));
    quartiles.map_or(0.0, |((low, high), middle)| (high - low).as_secs_f64() / middle.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Into, SideName::*};

    fn measured(side: SideName, threads: usize, milliseconds: &[u64]) -> Measured {
        let times = milliseconds.iter().map(|n| Duration::from_millis(*n)).collect();
        Measured { side, threads, times, read: 0, peak: Some(2_000), missing: None, slow: false }
    }

    #[test]
    fn medians_targets_and_marks() {
        let task = Task::Floats { dataset: "x", into: Into::New };
        let targets = &[(1, Target::Libhdf5(2.0)), (2, Target::OneThread(1.5))];
        let row = Row { name: "r", file: "f", task, targets, limits: &[Memcpy] };
        let missing = Measured { missing: Some("why".to_owned()), ..measured(Pure, 1, &[]) };
        let sides = [
            measured(H5kit, 1, &[20, 10, 10]),
            measured(Libhdf5, 1, &[40, 40, 40]),
            missing,
            measured(Memcpy, 1, &[5]),
            measured(H5kit, 2, &[8, 8, 8]),
        ];
        assert_eq!(
            lines(&row, &sides),
            [
                "| r | 1 | 0.0100 | 0.0400 | – | – | 0.00500 memcpy | 4.00 | 2 | reached, noisy | 2 / 2 / – / – |",
                "| r | 2 | 0.00800 | 0.0400 | – | – | 0.00500 memcpy | 5.00 | 1.5 × one thread | \
                 1.25: **missed** | 2 / 2 / – / – |",
            ]
        );
        assert_eq!(remarks(&row, &sides), ["r: hdf5-pure: why."]);
        assert_eq!(digits(12.345), "12.3");
        assert_eq!(digits(0.000_001_234), "0.00000123");
    }
}
