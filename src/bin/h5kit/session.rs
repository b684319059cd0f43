//! One run of the command: its output, its errors, and how many of them there were.

use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::AutoStream;
use clap::ColorChoice;
use h5kit::{Condition, Error, File, Limits, Options, Salvage, Survey, SurveyData};

use crate::args::Source;
use crate::paint::{self, clean};
use crate::progress::{Busy, Progress};
use crate::remote;

/// Why a verb stops.
#[derive(Debug)]
pub enum Trouble {
    /// The output cannot be written.
    Output(io::Error),
    /// The file, or the place in it that was asked for.
    Library(Error),
    /// What breaks the rules of a convention, so that nothing can be shown of it.
    Convention(String),
    /// The arguments.
    Usage(String),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

/// What a verb gives.
pub type Done = Result<(), Trouble>;

/// Bytes of output that are kept before they are written.
const BUFFER: usize = 64 << 10;

/// Bytes of the chunk cache: a verb goes through large chunks in parts, and would decode them for each.
const CHUNK_CACHE: u64 = 256 << 20;

/// Where output and errors go.
pub struct Session {
    /// The output; colours are taken out where they are not wanted.
    pub out: BufWriter<AutoStream<StdoutLock<'static>>>,
    err: AutoStream<io::Stderr>,
    /// The file's name, for errors.
    name: String,
    open: bool,
    findings: u64,
    left_out: bool,
    progress: Progress,
}

impl Session {
    /// A session that has done nothing.
    pub fn new(color: ColorChoice) -> Self {
        let choice = match color {
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
            ColorChoice::Auto => anstream::ColorChoice::Auto,
        };
        Self {
            out: BufWriter::with_capacity(BUFFER, AutoStream::new(io::stdout().lock(), choice)),
            err: AutoStream::new(io::stderr(), choice),
            name: String::new(),
            open: false,
            findings: 0,
            left_out: false,
            progress: Progress::default(),
        }
    }

    /// Opens the file and says what is unusual about it.
    pub fn open(&mut self, source: &Source) -> Result<File, Trouble> {
        let file = self.open_quietly(source)?;
        if let Some(warning) = unusual(&file) {
            self.say(paint::WARNING, "warning: ", &warning);
        }
        Ok(file)
    }

    /// Opens the file.
    pub fn open_quietly(&mut self, source: &Source) -> Result<File, Trouble> {
        self.name = source.file.display().to_string();
        let file = match remote::address(source) {
            Some(address) => remote::open(address, options(source))?,
            None => options(source).open(&source.file)?,
        };
        self.open = true;
        Ok(file)
    }

    /// Finds what is still there of the file.
    pub fn salvage(&mut self, source: &Source) -> Result<Salvage, Trouble> {
        self.name = source.file.display().to_string();
        match remote::address(source) {
            Some(address) => Ok(options(source).salvage_source(remote::source(address)?)?),
            None => Ok(options(source).salvage(&source.file)?),
        }
    }

    /// Visits everything in a file whose root group may be damaged.
    pub fn survey(&self, source: &Source, data: SurveyData) -> Result<Survey, Trouble> {
        match remote::address(source) {
            Some(address) => Ok(options(source).survey_source(remote::source(address)?, data)?),
            None => Ok(options(source).survey(&source.file, data)?),
        }
    }

    /// The file's name.
    pub fn name(&self) -> String {
        clean(&self.name).into_owned()
    }

    /// True once the file is open.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Says an error that does not end the run, and counts it.
    pub fn report(&mut self, error: &dyn std::fmt::Display) {
        self.findings += 1;
        self.say(paint::BAD, "", &error.to_string());
    }

    /// The same for what breaks a convention.
    pub fn report_text(&mut self, text: &str) {
        self.findings += 1;
        self.say(paint::BAD, "", text);
    }

    /// The sound ones of some things; what is wrong with the others is said.
    pub fn sound<T>(&mut self, things: impl Iterator<Item = h5kit::Result<T>>) -> Vec<T> {
        let mut sound = Vec::new();
        for thing in things {
            match thing {
                Ok(thing) => sound.push(thing),
                Err(e) => self.report(&e),
            }
        }
        sound
    }

    /// Says how much of a digest stands for what could not be read.
    pub fn unread(&mut self, errors: u64) {
        self.findings += errors;
        self.say(paint::BAD, "", &format!("{} could not be read", paint::count(errors, "thing", "things")));
    }

    /// Counts something damaged or missing that the output itself shows.
    pub fn found(&mut self) {
        self.findings += 1;
    }

    /// Notes that something was left out that may be sound.
    pub fn left_out(&mut self) {
        self.left_out = true;
    }

    /// True where something was left out that may be sound.
    pub fn is_incomplete(&self) -> bool {
        self.left_out
    }

    /// How much that is damaged or missing was met.
    pub fn findings(&self) -> u64 {
        self.findings
    }

    /// Says something on standard error that is no finding.
    pub fn warn(&mut self, text: &str) {
        self.say(paint::WARNING, "warning: ", text);
    }

    /// Says why the run ends.
    pub fn say_trouble(&mut self, trouble: &Trouble) {
        let text = self.text_of(trouble);
        self.say(paint::BAD, "", &text);
    }

    /// Trouble in words.
    pub fn text_of(&self, trouble: &Trouble) -> String {
        match trouble {
            Trouble::Output(e) => format!("cannot write: {e}"),
            Trouble::Library(e) => without_name(&e.to_string(), &self.name).to_owned(),
            Trouble::Convention(text) | Trouble::Usage(text) => text.clone(),
        }
    }

    fn say(&mut self, style: anstyle::Style, before: &str, text: &str) {
        self.progress.clear();
        // So that on a terminal both come in their order.
        let _ = self.out.flush();
        let name = if self.name.is_empty() { String::new() } else { format!("{}: ", clean(&self.name)) };
        let _ = writeln!(self.err, "h5kit: {name}{style}{before}{style:#}{}", clean(text));
    }

    /// Shows on standard error how far a long run is.
    pub fn progress(&mut self, done: u64, of: Option<u64>, what: &str) {
        self.progress.show(done, of, what);
    }

    /// Shows for how long something has been going on, as long as what this gives lives.
    pub fn busy(&mut self, what: &'static str) -> Busy {
        self.progress.busy(what)
    }

    /// Takes the line of progress away, before output that goes to a terminal.
    pub fn clear_progress(&mut self) {
        self.progress.clear();
    }

    /// Writes a line.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// Writes what is left.
    pub fn finish(&mut self) -> io::Result<()> {
        self.progress.clear();
        self.out.flush()
    }
}

fn options(source: &Source) -> Options {
    // Nothing is read often.
    let limits = Limits { heap_total: 1024, read_total: 4096, chunk_cache_bytes: CHUNK_CACHE, ..Limits::default() };
    let options = Options::new().limits(limits);
    if source.anywhere { options.files_anywhere() } else { options }
}

/// Errors of the system begin with the file's name, which stands there already.
fn without_name<'t>(text: &'t str, name: &str) -> &'t str {
    text.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(text)
}

/// What is unusual about a file, in one line.
pub fn unusual(file: &File) -> Option<String> {
    let Condition { truncated, open_for_writing, open_for_swmr, moved, cache_image, .. } = file.condition();
    let mut parts = Vec::new();
    if let Some(length) = truncated {
        let lacks = length.saturating_sub(file.source().len());
        parts.push(format!("truncated: {lacks} of its {length} bytes are missing"));
    }
    if *open_for_swmr {
        parts.push("left open by a writer that let others read (SWMR)".to_owned());
    } else if *open_for_writing {
        parts.push("left open by a writer: what it wrote last may be missing".to_owned());
    }
    if *moved {
        parts.push(format!("the superblock is at {:#x}, not where it says", file.user_block_size()));
    }
    if *cache_image {
        parts.push("metadata comes from a cache image".to_owned());
    }
    if parts.is_empty() { None } else { Some(parts.join("; ")) }
}
