//! A file without a superblock: where its addresses count from, and how wide they are.

use std::sync::Arc;

use super::effort::Effort;
use super::objects::{Found, is_extension};
use super::scan::Marks;
use crate::bytes::{Addr, Widths};
use crate::error::Result;
use crate::limits::Limits;
use crate::source::Source;
use crate::walk::Frame;
use crate::walk::object::ObjectHeader;

/// Sizes of offsets and of lengths, those first that nearly all files have.
const WIDTHS: [(u8, u8); 10] = [(8, 8), (4, 4), (4, 8), (8, 4), (2, 2), (2, 4), (2, 8), (4, 2), (8, 2), (16, 16)];

/// Bases that are tried where the superblock's signature is lost too.
const BASES: [u64; 8] = [0, 512, 1024, 2048, 4096, 8192, 16384, 32768];

/// What the superblock may have said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    base: u64,
    widths: Widths,
    /// The header that describes the file.
    extension: Option<Addr>,
}

impl Guess {
    /// The guess with which most is found.
    ///
    /// # Errors
    /// What the source lacks.
    pub(super) fn best(source: &Arc<dyn Source>, limits: &Limits, marks: &Marks) -> Result<Self> {
        let effort: Arc<dyn Source> = Arc::new(Effort::new(source.clone(), limits));
        let mut best = (0, Self { base: marks.superblock.unwrap_or(0), widths: Widths::default(), extension: None });
        let bases = match &marks.superblock {
            Some(base) => std::slice::from_ref(base),
            None => &BASES[..],
        };
        for &base in bases.iter().filter(|base| **base < source.len()) {
            for (offsets, lengths) in WIDTHS {
                let mut guess = Self { base, widths: Widths { offsets, lengths }, extension: None };
                guess.extension = guess.find_extension(effort.clone(), limits, marks)?;
                let found = Found::of(&guess.frame(effort.clone(), limits), marks)?;
                let (leading, links) = found.links();
                // Read the wrong way, much leads nowhere.
                let score = (found.objects.len() + leading).saturating_sub(found.damage.len());
                if score > best.0 {
                    best = (score, guess);
                }
                if links > 0 && leading == links && found.damage.is_empty() {
                    return Ok(guess);
                }
            }
        }
        Ok(best.1)
    }

    /// The file as it is read by this guess.
    pub(super) fn frame(&self, source: Arc<dyn Source>, limits: &Limits) -> Frame {
        let mut frame = Frame::without_superblock(source, limits.clone(), self.base, self.widths);
        frame.storage.forgiving = true;
        if let Some(address) = self.extension {
            // Whatever of it can be read.
            let _ = frame.apply_extension(address);
        }
        frame
    }

    fn find_extension(&self, source: Arc<dyn Source>, limits: &Limits, marks: &Marks) -> Result<Option<Addr>> {
        let frame = self.frame(source, limits);
        for address in frame.addresses(&marks.headers) {
            match ObjectHeader::read(&frame.storage, address) {
                Ok(header) if is_extension(&header) => return Ok(Some(address)),
                Err(e) if e.is_missing() => return Err(e),
                _ => {}
            }
        }
        Ok(None)
    }
}
