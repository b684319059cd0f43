//! `mend FILE`: makes the checksums of a damaged file fit its bytes, so that what is wrong behind them is met.

use std::collections::HashSet;
use std::fs;
use std::io;

use h5kit::error::Fault;
use h5kit::{Error, Options, SurveyData};

fn main() -> io::Result<()> {
    let Some(path) = std::env::args_os().nth(1) else { return Err(io::Error::other("mend FILE")) };
    let mut bytes = fs::read(&path)?;
    let mut mended = HashSet::new();
    // Behind a checksum that fits there may be others that do not.
    while let Some((at, checksum)) = wrong(&path, &mended) {
        let Some(place) = bytes.get_mut(at as usize..at as usize + 4) else { break };
        place.copy_from_slice(&checksum.to_le_bytes());
        mended.insert(at);
        fs::write(&path, &bytes)?;
    }
    println!("{} checksums mended", mended.len());
    Ok(())
}

/// The first checksum that does not fit and was not mended before: where it stands, and what it should be.
fn wrong(path: &std::ffi::OsStr, mended: &HashSet<u64>) -> Option<(u64, u32)> {
    let checksum = |error: &Error| match error.corrupt() {
        Some(corrupt) => match corrupt.fault() {
            Fault::Checksum { computed, .. } => Some((corrupt.at(), *computed)).filter(|(at, _)| !mended.contains(at)),
            _ => None,
        },
        None => None,
    };
    match Options::new().survey(path, SurveyData::Read) {
        Ok(survey) => survey.findings.iter().find_map(|finding| checksum(&finding.error)),
        Err(e) => checksum(&e),
    }
}
