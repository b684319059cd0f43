//! The table: one row of Markdown for each measurement.

use std::time::Duration;

use crate::measure::Times;

pub const HEAD: &str = "\
| filter | data | chunk | ratio | timed | C MB/s | h5kit MB/s | h5kit ÷ C | |
|---|---|---|---:|---|---:|---:|---:|---|";

pub const NOTES: &str = "\
*ratio*: bytes of the data by bytes of the stored chunks. *timed*: `filter`, the call that undoes the filter of one \
chunk, for all chunks; `read`, the whole dataset from the file into memory. *MB/s*: millions of bytes of the data in a \
second, by the median of the rounds. **slow**: less than half as fast as C. noisy: half of the rounds of one side \
spread over more than a tenth of its median. JPEG (32019) and LZO (305) have no C plugin in hdf5plugin and are not \
measured.";

/// Less than this part of the speed of C is marked.
const SLOW: f64 = 0.5;
/// The middle half of the rounds should not spread wider than this part of their median.
const NOISY: f64 = 0.1;

/// What is written before the numbers of a row.
pub struct Row {
    pub filter: String,
    pub data: String,
    pub chunk: String,
    pub how: &'static str,
    /// Bytes of the data.
    pub raw: u64,
    /// Bytes of the chunks.
    pub stored: u64,
}

impl Row {
    pub fn line(&self, times: &Times) -> String {
        let (c, h5kit) = (median(&times.c), median(&times.h5kit));
        let compared = c.zip(h5kit).map(|(c, h5kit)| c.as_secs_f64() / h5kit.as_secs_f64());
        let mut marks = Vec::new();
        if compared.is_some_and(|compared| compared < SLOW) {
            marks.push("**slow**".to_owned());
        }
        if [&times.c, &times.h5kit].into_iter().any(|times| spread(times) > NOISY) {
            marks.push("noisy".to_owned());
        }
        if times.c.is_empty() {
            marks.push("no C side".to_owned());
        }
        if let Some(what) = &times.unsupported {
            marks.push(format!("h5kit does not support {what}"));
        }
        self.cells(&self.speed(c), &self.speed(h5kit), &or_dash(compared, |n| format!("{n:.2}")), &marks.join(", "))
    }

    pub fn failed(&self, error: &str) -> String {
        self.cells("", "", "", &format!("**failed**: {error}"))
    }

    fn speed(&self, time: Option<Duration>) -> String {
        or_dash(time, |time| format!("{:.0}", self.raw as f64 / time.as_secs_f64() / 1e6))
    }

    fn cells(&self, c: &str, h5kit: &str, compared: &str, marks: &str) -> String {
        let Self { filter, data, chunk, how, .. } = self;
        let ratio = self.raw as f64 / self.stored as f64;
        format!("| {filter} | {data} | {chunk} | {ratio:.2} | {how} | {c} | {h5kit} | {compared} | {marks} |")
    }
}

/// What was measured with, in a sentence.
pub fn setting(hdf5: &str) -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = information.lines().find(|line| line.starts_with("model name"));
    let processor =
        line.and_then(|line| line.split_once(':')).map_or("a processor without a name", |(_, name)| name.trim());
    format!("libhdf5 {hdf5}, one thread of {processor} ({}).", std::env::consts::ARCH)
}

fn or_dash<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), text)
}

/// The time at a part of the sorted times; `None` without times.
fn quantile(times: &[Duration], part: f64) -> Option<Duration> {
    let mut sorted = times.to_vec();
    sorted.sort();
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * part).round() as usize).copied()
}

fn median(times: &[Duration]) -> Option<Duration> {
    quantile(times, 0.5)
}

/// Width of the middle half of the times as a part of their median; 0 without times.
fn spread(times: &[Duration]) -> f64 {
    let quartiles = quantile(times, 0.25).zip(quantile(times, 0.75)).zip(median(times));
    quartiles.map_or(0.0, |((low, high), middle)| (high - low).as_secs_f64() / middle.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(milliseconds: &[u64]) -> Vec<Duration> {
        milliseconds.iter().map(|n| Duration::from_millis(*n)).collect()
    }

    fn line(c: &[u64], h5kit: &[u64]) -> String {
        let text = |text: &str| text.to_owned();
        let (filter, data, chunk) = (text("f"), text("d"), text("c"));
        Row { filter, data, chunk, how: "read", raw: 8_000_000, stored: 2_000_000 }.line(&Times {
            c: times(c),
            h5kit: times(h5kit),
            unsupported: None,
        })
    }

    #[test]
    fn medians_and_marks() {
        assert_eq!(line(&[9, 4, 4], &[2, 2, 30]), "| f | d | c | 4.00 | read | 2000 | 4000 | 2.00 | noisy |");
        assert_eq!(
            line(&[4, 4, 4, 4], &[10, 10, 10, 10]),
            "| f | d | c | 4.00 | read | 2000 | 800 | 0.40 | **slow** |"
        );
        assert_eq!(line(&[4, 4], &[8, 8]), "| f | d | c | 4.00 | read | 2000 | 1000 | 0.50 |  |");
        assert_eq!(line(&[], &[8, 8]), "| f | d | c | 4.00 | read | – | 1000 | – | no C side |");
    }
}
