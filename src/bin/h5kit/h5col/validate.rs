//! `h5kit h5col validate`: the rules that are broken.

use crate::args::Source;
use crate::session::{Done, Session};

/// The arguments of `h5col validate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Source,
}

pub fn run(_: &Args, _: &mut Session) -> Done {
    Ok(())
}
pub fn check() {}
