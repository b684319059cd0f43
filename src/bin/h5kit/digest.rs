//! `h5kit digest`: the canonical digest of a file.

use std::io::{BufWriter, Write};

use h5kit::digest::Lines;

use crate::args::Source;
use crate::session::{Done, Session};

/// The arguments of `digest`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
One line of JSON for each object and link: what it is, its type and shape, its attributes, and a hash of its \
elements, whatever way they are stored. Two files hold the same where their digests are the same and no line \
says \"error\": what could not be read is not compared. A file that claims far more elements than it can hold is one \
such error.

Examples:
  h5kit digest data.h5 > data.digest
  diff <(h5kit digest old.h5) <(h5kit digest new.h5)")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,
}

/// Prints the digest.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open_quietly(&args.source)?;
    // Not through the output that takes colours out: these bytes are as they are.
    let mut out = BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
    let mut errors = 0u64;
    for (n, line) in Lines::of(&file).enumerate() {
        let line = line?;
        // A quote inside a text is escaped, and what an attribute's name leads to is no text: this is an error.
        errors += line.matches(r#""error":""#).count() as u64;
        writeln!(out, "{line}")?;
        session.progress(0, None, &format!("{} objects", n + 1));
    }
    out.flush()?;
    if errors > 0 {
        session.unread(errors);
    }
    Ok(())
}
