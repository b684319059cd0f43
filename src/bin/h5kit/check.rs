//! `h5kit check`: what is wrong with a file.

use std::io::Write;

use h5kit::{Condition, Dataset, Error, ErrorKind, File, Object, Survey, SurveyData};

use crate::args::Source;
use crate::blocks::in_order;
use crate::conventions;
use crate::describe;
use crate::h5col;
use crate::paint::{self, clean, count, styled};
use crate::pick::{Axis, hyperslab};
use crate::session::{Done, Session, Trouble};
use crate::walk::{Met, Walk};

/// The arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Follows every address, verifies every checksum, undoes the filters of every chunk, and holds together \
what the file says twice. Each fault is a line: the path of the object, the structure and its position in \
the file, and what is wrong. One fault does not hide the others.

Links that lead nowhere, and filters that are not supported, are noted and are no faults. An AnnData (.h5ad), and \
tables of columns (H5Col), are held to the rules of their conventions, each with its code.

Examples:
  h5kit check data.h5
  h5kit check --quiet data.h5 || echo damaged
  h5kit check --metadata big.h5     structures only: no chunk is read")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// Print nothing; the exit status says it
    #[arg(short, long)]
    pub quiet: bool,

    /// Look at structures only and leave raw data unread
    #[arg(short, long)]
    pub metadata: bool,

    /// Print a line of JSON for each fault and note: path, severity, code where a convention is broken, what is wrong
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
}

/// Damaged datasets that are named at the end.
const NAMED: usize = 20;

/// Checks.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let mut check = Check { quiet: args.quiet, json: args.json, faults: 0, notes: 0, session };
    let opened = check.session.open_quietly(&args.source);
    let file = match opened {
        Ok(file) => Some(file),
        // A survey goes on where no root group can be read.
        Err(Trouble::Library(e)) if e.kind() == ErrorKind::Corrupt => None,
        Err(trouble) => return Err(trouble),
    };
    if let Some(file) = &file {
        check.condition(file)?;
    }
    let data = if args.metadata { SurveyData::Locate } else { SurveyData::Read };
    let survey = {
        let _busy = check.session.busy("checking");
        match &file {
            Some(file) => file.survey(data)?,
            None => check.session.survey(&args.source, data)?,
        }
    };
    for finding in &survey.findings {
        let path = survey.path_of_finding(finding);
        check.fault(path.as_deref().unwrap_or("(file)"), &finding.error)?;
    }
    if let Some(file) = &file {
        check.beyond(file, args.metadata)?;
        if !args.metadata {
            check.conventions(file)?;
        }
        check.tables(file, args.metadata)?;
    }
    check.summary(&survey)
}

struct Check<'s> {
    quiet: bool,
    json: bool,
    faults: u64,
    notes: u64,
    session: &'s mut Session,
}

impl Check<'_> {
    fn fault(&mut self, path: &str, error: &Error) -> Done {
        let why = describe::why(error, path);
        // What is not supported may be sound.
        if error.kind() == ErrorKind::Unsupported { self.note(path, &why) } else { self.line(path, &why) }
    }

    fn line(&mut self, path: &str, what: &str) -> Done {
        self.told(path, "error", None, what)
    }

    fn note(&mut self, path: &str, what: &str) -> Done {
        self.told(path, "note", None, what)
    }

    /// Counts and prints a fault or a note; `code` is that of a convention's rule.
    fn told(&mut self, path: &str, severity: &str, code: Option<&str>, what: &str) -> Done {
        let fault = severity == "error";
        if fault {
            self.faults += 1;
            self.session.found();
        } else {
            self.notes += 1;
        }
        if self.json {
            let mut line = serde_json::json!({"path": path, "severity": severity, "what": what});
            if let Some(code) = code {
                line["code"] = code.into();
            }
            return self.print(&line.to_string());
        }
        let code = code.map(|code| format!("{code}: ")).unwrap_or_default();
        let (style, severity) =
            if fault { (paint::BAD, String::new()) } else { (paint::WARNING, format!("{severity}: ")) };
        self.print(&format!("{}: {severity}{code}{what}", styled(style, &clean(path))))
    }

    /// What breaks a convention that the file follows.
    fn conventions(&mut self, file: &File) -> Done {
        for broken in conventions::anndata(file) {
            let severity = if broken.warning { "warning" } else { "error" };
            self.told(&format!("/{}", broken.path), severity, Some(broken.code), &broken.text)?;
        }
        Ok(())
    }

    fn print(&mut self, line: &str) -> Done {
        if !self.quiet {
            self.session.clear_progress();
            writeln!(self.session.out, "{line}")?;
        }
        Ok(())
    }

    /// What the superblock says of the file as a whole.
    fn condition(&mut self, file: &File) -> Done {
        let Condition { truncated, open_for_writing, open_for_swmr, moved, .. } = file.condition();
        let length = file.source().len();
        if let Some(end) = truncated {
            self.line("(file)", &format!("truncated: it is {length} bytes long and should have {end}"))?;
        }
        if *open_for_writing || *open_for_swmr {
            self.line("(file)", "left open by a writer: what it wrote last may be missing")?;
        }
        if *moved {
            let at = file.user_block_size();
            self.note("(file)", &format!("the superblock is at {at:#x}, not where it says"))?;
        }
        Ok(())
    }

    /// What is in other files, and where links lead.
    fn beyond(&mut self, file: &File, metadata: bool) -> Done {
        for met in Walk::of(file) {
            match met {
                Met::Object(Object::Dataset(dataset)) if !metadata && describe::is_elsewhere(&dataset) => {
                    self.elsewhere(&dataset)?;
                }
                Met::Link(link) => {
                    if let Err(e) = link.open() {
                        let target = describe::target(&link.target());
                        self.note(&link.path(), &format!("→ {target} ({})", describe::nowhere(&e)))?;
                    }
                }
                // What is damaged in this file is told already.
                Met::Object(_) | Met::Damaged(_) => {}
            }
        }
        Ok(())
    }

    /// The rules of H5Col, for the tables of the file.
    fn tables(&mut self, file: &File, metadata: bool) -> Done {
        for (path, what, tolerated) in h5col::check(file, metadata)? {
            if tolerated { self.note(&path, &what)? } else { self.line(&path, &what)? }
        }
        Ok(())
    }

    /// Reads what external files and other datasets hold of a dataset.
    fn elsewhere(&mut self, dataset: &Dataset) -> Done {
        if dataset.dataspace().is_null() {
            return Ok(());
        }
        let axes: Vec<Axis> = dataset.shape().iter().map(|n| Axis::whole(*n)).collect();
        for part in in_order(&axes, None) {
            let read =
                if axes.is_empty() { dataset.read_bytes(..) } else { dataset.read_bytes(hyperslab(&axes, &part)) };
            if let Err(e) = read {
                return self.fault(dataset.path(), &e);
            }
        }
        Ok(())
    }

    fn summary(&mut self, survey: &Survey) -> Done {
        if self.json {
            return Ok(());
        }
        let counts = &survey.counts;
        let objects = counts.groups + counts.datasets + counts.datatypes;
        let seen = format!(
            "{}, {}, {}",
            count(objects, "object", "objects"),
            count(counts.attributes, "attribute", "attributes"),
            count(counts.chunks, "chunk", "chunks"),
        );
        let more = match survey.more_findings {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let notes = if self.notes > 0 { format!(", {}", count(self.notes, "note", "notes")) } else { String::new() };
        let line = match self.faults {
            0 => format!("no faults{notes} in {seen}"),
            n => format!("{}{more}{notes} in {seen}", count(n, "fault", "faults")),
        };
        let name = self.session.name();
        if self.faults > 0 {
            self.readable(survey)?;
        }
        self.print(&format!("{name}: {line}"))
    }

    /// How many datasets are whole, and which are not.
    fn readable(&mut self, survey: &Survey) -> Done {
        let all = survey.datasets().count();
        let mut damaged = survey.datasets().filter(|(_, whole)| !whole).map(|(path, _)| clean(&path).into_owned());
        let named: Vec<String> = damaged.by_ref().take(NAMED).collect();
        let others = damaged.count();
        let more = if others > 0 { format!(", … {others} more") } else { String::new() };
        let which = if named.is_empty() { String::new() } else { format!("; damaged: {}{more}", named.join(", ")) };
        let whole = all - named.len() - others;
        self.print(&format!("whole: {whole} of {}{which}", count(all as u64, "dataset", "datasets")))
    }
}
