//! The command `h5kit`: looks into HDF5 files. One module for each verb.

mod anndata;
mod args;
mod blocks;
mod bounded;
mod brackets;
mod check;
mod conventions;
mod describe;
mod digest;
mod dump;
mod export;
mod h5col;
mod json;
mod ls;
mod paint;
mod pick;
mod progress;
mod references;
mod remote;
mod salvage;
mod scalar;
mod session;
mod stat;
mod table;
mod value;
mod view;
mod walk;

use std::io;
use std::process::ExitCode;

use clap::Parser;
use h5kit::ErrorKind;

use args::{Cli, Verb};
use session::{Session, Trouble};

/// Something damaged or missing was met, and the rest was shown.
const FINDINGS: u8 = 1;
/// Nothing could be shown.
const TROUBLE: u8 = 2;
/// Nothing damaged was met, but something was left out.
const INCOMPLETE: u8 = 3;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut session = Session::new(cli.color);
    let done = match &cli.verb {
        Verb::Ls(args) => ls::run(args, &mut session),
        Verb::Dump(args) => dump::run(args, &mut session),
        Verb::Stat(args) => stat::run(args, &mut session),
        Verb::Check(args) => check::run(args, &mut session),
        Verb::Digest(args) => digest::run(args, &mut session),
        Verb::View(args) => view::run(args, &mut session),
        Verb::Anndata(args) => anndata::run(args, &mut session),
        Verb::Export(args) => export::run(args, &mut session),
        Verb::Salvage(args) => salvage::run(args, &mut session),
        Verb::H5col(args) => h5col::run(args, &mut session),
    };
    let done = done.and_then(|()| session.finish().map_err(Trouble::from));
    match done {
        Ok(()) if session.findings() == 0 && session.is_incomplete() => ExitCode::from(INCOMPLETE),
        Ok(()) if session.findings() == 0 => ExitCode::SUCCESS,
        Ok(()) => ExitCode::from(FINDINGS),
        // Whoever reads the output has seen enough.
        Err(Trouble::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(trouble) => {
            session.say_trouble(&trouble);
            // The file is open, and what was asked for is damaged.
            let damaged = match &trouble {
                Trouble::Library(e) => session.is_open() && e.kind() == ErrorKind::Corrupt,
                Trouble::Convention(_) => true,
                Trouble::Output(_) | Trouble::Usage(_) => false,
            };
            ExitCode::from(if damaged { FINDINGS } else { TROUBLE })
        }
    }
}
