//! What is still there of a file whose superblock, root, or groups are lost.
//!
//! Headers and groups are looked for by their signatures (`scan`), whatever of them decodes is taken (`objects`), groups
//! whose headers are lost are put together again from their trees and heaps (`old_groups`, `dense_groups`), and all of it
//! is given names (`names`). A file without a superblock is tried with all sizes that addresses can have (`guess`).

mod dense_groups;
mod effort;
mod guess;
mod names;
mod objects;
mod old_groups;
mod scan;

pub(crate) use names::{Named, Root};
pub(crate) use objects::Kind;

use std::num::NonZero;
use std::sync::Arc;

use self::effort::Effort;
use self::guess::Guess;
use self::names::Names;
use self::objects::Found;
use self::scan::Marks;
use super::Frame;
use crate::bytes::Addr;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::source::Source;

/// A damaged file is not being written: what is wrong with it stays so.
const ONCE: Option<NonZero<u32>> = Some(NonZero::<u32>::MIN);

/// What was found of a file.
#[derive(Debug)]
pub(crate) struct Salvaged {
    pub(crate) frame: Frame,
    /// True where the superblock was read.
    pub(crate) superblock: bool,
    pub(crate) root: Root,
    /// Objects whose headers decode, and groups that were put together again.
    pub(crate) objects: Vec<Named>,
    pub(crate) damage: Vec<Damage>,
}

/// Something that is lost.
#[derive(Debug)]
pub(crate) struct Damage {
    /// The path of the object, where it is known.
    pub(crate) path: Option<String>,
    /// The address of its header; `None` where it concerns the whole file.
    pub(crate) address: Option<Addr>,
    pub(crate) error: Error,
}

/// Finds what is there.
///
/// # Errors
/// Only what the source lacks, and errors of the system.
pub(crate) fn salvage(source: &Arc<dyn Source>, limits: &Limits) -> Result<Salvaged> {
    let marks = Marks::of(source.as_ref())?;
    let mut damage = Vec::new();
    let known = known(source, limits, &marks, &mut damage)?;
    let superblock = known.is_some();
    let (frame, found, effort) = match known {
        Some(known) => known,
        None => {
            let guess = Guess::best(source, limits, &marks)?;
            let effort = Arc::new(Effort::new(source.clone(), limits));
            let found = Found::of(&guess.frame(effort.clone(), limits), &marks)?;
            (guess.frame(source.clone(), limits), found, effort)
        }
    };
    let stored = if superblock { frame.superblock.root() } else { None };
    let Names { root, objects, paths } = Names::of(&found, stored);
    let whole_file = |error| Damage { path: None, address: None, error };
    damage.extend(effort.exhausted().map(whole_file));
    damage.extend(found.damage.into_iter().map(|(address, error)| Damage {
        path: paths.get(&address).cloned(),
        address: Some(address),
        error,
    }));
    Ok(Salvaged { frame, superblock, root, objects, damage })
}

/// The file by its superblock, and what is found with it; `None` where there is no superblock, or nothing can be read
/// the way it says.
fn known(
    source: &Arc<dyn Source>,
    limits: &Limits,
    marks: &Marks,
    damage: &mut Vec<Damage>,
) -> Result<Option<(Frame, Found, Arc<Effort>)>> {
    let mut note = |error: Error| {
        if error.is_missing() {
            return Err(error);
        }
        damage.push(Damage { path: None, address: None, error });
        Ok(())
    };
    let frame = match Frame::begin(source.clone(), limits.clone(), ONCE) {
        Ok(mut frame) => {
            frame.storage.forgiving = true;
            frame.read_extension().or_else(&mut note)?;
            frame
        }
        Err(e) => return note(e).map(|()| None),
    };
    let effort = Arc::new(Effort::new(source.clone(), limits));
    let mut searched = Frame::begin(effort.clone(), limits.clone(), ONCE)?;
    searched.storage.forgiving = true;
    // What is wrong with it is told already.
    let _ = searched.read_extension();
    let found = Found::of(&searched, marks)?;
    Ok((!found.objects.is_empty()).then_some((frame, found, effort)))
}
