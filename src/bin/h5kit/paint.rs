//! How things look: colours, sizes, and text that comes from a file.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use h5kit::bytes::Text;

/// Groups.
pub const GROUP: Style = AnsiColor::Blue.on_default().bold();
/// Datasets.
pub const DATASET: Style = Style::new().bold();
/// Committed datatypes.
pub const DATATYPE: Style = AnsiColor::Magenta.on_default();
/// Links.
pub const LINK: Style = AnsiColor::Cyan.on_default();
/// Names of attributes.
pub const ATTRIBUTE: Style = AnsiColor::Green.on_default();
/// What is damaged or missing.
pub const BAD: Style = AnsiColor::Red.on_default();
/// What is unusual.
pub const WARNING: Style = AnsiColor::Yellow.on_default();
/// What is there to guide the eye.
pub const DIM: Style = Style::new().dimmed();
/// Nothing in particular.
pub const PLAIN: Style = Style::new();

/// `text` in a style.
pub fn styled(style: Style, text: &str) -> String {
    if style == PLAIN || text.is_empty() { text.to_owned() } else { format!("{style}{text}{style:#}") }
}

/// True for a character that would do something to a terminal instead of being seen.
fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(c: char, to: &mut String) {
    match c {
        '\n' => to.push_str("\\n"),
        '\r' => to.push_str("\\r"),
        '\t' => to.push_str("\\t"),
        c if c.is_ascii() => {
            let _ = write!(to, "\\x{:02x}", u32::from(c));
        }
        c => {
            let _ = write!(to, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// Text from a file that may do nothing to a terminal.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::new();
    for c in text.chars() {
        if acts(c) { escape(c, &mut cleaned) } else { cleaned.push(c) }
    }
    Cow::Owned(cleaned)
}

/// The name of something in a file.
pub fn name(text: &Text) -> String {
    clean(&text.display()).into_owned()
}

/// A string in quotes, cut after so many characters.
pub fn quoted(text: &Text, most: usize) -> String {
    let mut to = String::from("\"");
    let mut left = most;
    for chunk in text.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if left == 0 {
                to.push_str("…\"");
                return to;
            }
            left -= 1;
            match c {
                '"' | '\\' => to.extend(['\\', c]),
                c if acts(c) => escape(c, &mut to),
                c => to.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(to, "\\x{byte:02x}");
        }
    }
    to.push('"');
    to
}

/// A text no longer than so many characters, its end left out where it is.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let end = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
            Cow::Owned(format!("{}…", text[..end].trim_end()))
        }
    }
}

/// Bytes as people count them.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let (mut value, mut unit) = (bytes as f64 / 1024.0, 0);
    // 1023.95 would be shown as 1024.0.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A number with its noun.
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Seconds since 1970 as a date and a time of day.
pub fn time(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years that begin in March, in eras of 400 of them.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Characters that a text takes on a line.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
#[test]
fn what_people_read() {
    assert_eq!((size(0).as_str(), size(1023).as_str(), size(1536).as_str()), ("0 B", "1023 B", "1.5 KiB"));
    assert_eq!((size(1_048_575).as_str(), size(u64::MAX).as_str()), ("1.0 MiB", "16.0 EiB"));
    assert_eq!(time(0), "1970-01-01 00:00:00 UTC");
    assert_eq!(time(951_782_399), "2000-02-28 23:59:59 UTC");
    assert_eq!(time(-1), "1969-12-31 23:59:59 UTC");
    assert_eq!(quoted(&Text::from(&b"a\"\n\xffz"[..]), 10), r#""a\"\n\xffz""#);
    assert_eq!(quoted(&Text::from("abcdef"), 3), "\"abc…\"");
    assert_eq!(clean("\u{1b}[31m"), "\\x1b[31m");
    assert_eq!((cut("abcdef", 6).as_ref(), cut("abcdefg", 6).as_ref()), ("abcdef", "abcde…"));
}
