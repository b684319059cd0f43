//! `h5kit h5col validate`: the rules that are broken.

use std::io::Write;

use h5kit::File;
use h5kit::encoding::h5col::{self, Depth, Fault, Findings, Rule, Verdict, Violation};
use serde_json::{Value, json};

use super::json;
use crate::args::Source;
use crate::paint::{self, clean, count, styled};
use crate::session::{Done, Session, Trouble};

/// The arguments of `h5col validate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Holds every table of the file, or one of them, to the rules of the convention, and compares what its search indexes \
say with the columns. Each broken rule is a line: the path, the column, the fault, the rule, what a reader does about \
it, and what is wrong.

Examples:
  h5kit h5col validate data.h5
  h5kit h5col validate data.h5 /stations --json")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    source: Source,

    /// Path of a table
    #[arg(value_name = "TABLE")]
    table: Option<String>,

    /// Look at attributes, datatypes and shapes only
    #[arg(short, long)]
    metadata: bool,

    /// Print a list as JSON
    #[arg(long)]
    json: bool,
}

/// Validates.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open(&args.source)?;
    let depth = if args.metadata { Depth::Metadata } else { Depth::Values };
    let groups = super::asked(&file, args.table.as_deref())?;
    let mut found = Findings::default();
    {
        let _busy = session.busy("validating");
        for group in &groups {
            let of = h5col::validate(group, depth)?;
            found.violations.extend(of.violations);
            found.unread.extend(of.unread);
        }
    }
    for _ in &found.violations {
        session.found();
    }
    for error in &found.unread {
        session.report(error);
    }
    if groups.is_empty() {
        session.found();
    }
    if args.json {
        let mut list: Vec<Value> = found.violations.iter().map(described).collect();
        if groups.is_empty() {
            list.push(no_table());
        }
        return json::print(&list.into());
    }
    for violation in &found.violations {
        writeln!(session.out, "{}", line(violation))?;
    }
    let name = session.name();
    let tables = count(groups.len() as u64, "table", "tables");
    let broken = match found.violations.len() as u64 {
        _ if groups.is_empty() => format!("{}: no group says that it is a table", Fault::NotATable),
        0 => format!("no broken rule in {tables}"),
        n => format!("{} in {tables}", count(n, "broken rule", "broken rules")),
    };
    writeln!(session.out, "{name}: {broken}")?;
    Ok(())
}

/// A violation on one line.
fn line(violation: &Violation) -> String {
    let text = violation.to_string();
    let rest = text.strip_prefix(&violation.path).unwrap_or(&text);
    let style = if violation.verdict == Verdict::Tolerate { paint::WARNING } else { paint::BAD };
    format!("{}{}", styled(style, &clean(&violation.path)), clean(rest))
}

fn described(violation: &Violation) -> Value {
    json!({
        "error": violation.fault.to_string(),
        "rule": violation.rule.to_string(),
        "verdict": violation.verdict.to_string(),
        "table": violation.table,
        "column": violation.column,
        "path": violation.path,
        "detail": violation.detail,
    })
}

/// A file without a table breaks the first rule.
fn no_table() -> Value {
    json!({
        "error": Fault::NotATable.to_string(),
        "rule": Rule::T1.to_string(),
        "verdict": Verdict::Reject.to_string(),
        "table": null,
        "column": null,
        "path": "/",
        "detail": "no group says that it is a table",
    })
}

/// What `h5kit check` says about a file's tables: path, what is wrong, and whether that may be so.
pub fn check(file: &File, metadata: bool) -> Result<Vec<(String, String, bool)>, Trouble> {
    let depth = if metadata { Depth::Metadata } else { Depth::Values };
    let mut lines = Vec::new();
    // A group that cannot be listed is told already, and what is below it is not found.
    for group in h5col::tables(file).unwrap_or_default() {
        // What cannot be read is told already.
        for violation in h5col::validate(&group, depth)?.violations {
            let text = violation.to_string();
            let rest = text.strip_prefix(&violation.path).unwrap_or(&text);
            let rest = rest.strip_prefix(": ").unwrap_or(rest).trim_start().to_owned();
            lines.push((violation.path, rest, violation.verdict == Verdict::Tolerate));
        }
    }
    Ok(lines)
}
