//! The mappings of a virtual dataset (III.F), in the global heap.

use super::dataspace_selection::StoredSelection;
use super::verified;
use crate::bytes::parse::{Parsed, fail, field, length, nul_terminated, rest, u8};
use crate::bytes::{Block, Emit, Text};
use crate::error::{Corrupt, Fault, Structure};

/// All mappings of a virtual dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualMappings {
    /// 0 or 1.
    pub version: u8,
    /// The mappings.
    pub entries: Vec<Mapping>,
}

/// One mapping: a part of another dataset that shows as a part of this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Name of the source file; `.` for the file itself.
    pub file: Text,
    /// Path of the source dataset.
    pub dataset: Text,
    /// Version 1: how the names are stored: flags, and the entries that have the same file and dataset.
    pub names: (u8, Option<u64>, Option<u64>),
    /// The part of the source.
    pub source: StoredSelection,
    /// The part of the virtual dataset.
    pub target: StoredSelection,
}

const SHARED_FILE: u8 = 1;
const SHARED_DATASET: u8 = 2;
const SAME_FILE: u8 = 4;

impl VirtualMappings {
    /// Decodes the heap object.
    ///
    /// # Errors
    /// An unknown version or flags, a name shared with an entry that does not come before, a wrong checksum.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        const S: Structure = Structure::VirtualMapping;
        let w = block.widths();
        let body = verified(block, S)?;
        let ((version, n), mut body) = body.run_rest(S, |i| {
            let (after, version) = field("version", u8)(i)?;
            if version > 1 {
                return field("version", |i| fail(i, Fault::Version(version)))(i);
            }
            let (i, n) = field("num entries", length(w))(after)?;
            Ok((i, (version, n)))
        })?;
        let mut entries: Vec<Mapping> = Vec::new();
        for _ in 0..n {
            let ((file, dataset, names), after) = body.run_rest(S, |i| names(i, version, &entries, w.lengths))?;
            let (source, after) = StoredSelection::decode(after)?;
            let (target, after) = StoredSelection::decode(after)?;
            entries.push(Mapping { file, dataset, names, source, target });
            body = after;
        }
        body.run(S, rest)?;
        Ok(Self { version, entries })
    }

    /// Encodes the heap object.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.u8(self.version);
            to.length(self.entries.len() as u64);
            for entry in &self.entries {
                let (flags, file, dataset) = entry.names;
                if self.version > 0 {
                    to.u8(flags);
                }
                match file {
                    Some(index) => to.length(index),
                    None if flags & SAME_FILE != 0 => {}
                    None => to.nul_terminated(entry.file.as_bytes()),
                }
                match dataset {
                    Some(index) => to.length(index),
                    None => to.nul_terminated(entry.dataset.as_bytes()),
                }
                entry.source.encode(to);
                entry.target.encode(to);
            }
        });
    }
}

type Names = (Text, Text, (u8, Option<u64>, Option<u64>));

fn names<'a>(i: &'a [u8], version: u8, before: &[Mapping], lengths: u8) -> Parsed<'a, Names> {
    let (i, flags) = if version == 0 { (i, 0) } else { field("flags", u8)(i)? };
    let shared = |name: &'static str| {
        move |i: &'a [u8]| {
            let (after, index) = field(name, crate::bytes::parse::uint(lengths))(i)?;
            match usize::try_from(index).ok().and_then(|n| before.get(n)) {
                Some(entry) => Ok((after, (index, entry))),
                None => field(name, |i| fail(i, Fault::Value(index)))(i),
            }
        }
    };
    let (i, file, file_index) = if flags & SAME_FILE != 0 {
        (i, ".".into(), None)
    } else if flags & SHARED_FILE != 0 {
        let (i, (index, entry)) = shared("source filename")(i)?;
        (i, entry.file.clone(), Some(index))
    } else {
        let (i, name) = field("source filename", nul_terminated)(i)?;
        (i, name.into(), None)
    };
    let (i, dataset, dataset_index) = if flags & SHARED_DATASET != 0 {
        let (i, (index, entry)) = shared("source dataset")(i)?;
        (i, entry.dataset.clone(), Some(index))
    } else {
        let (i, name) = field("source dataset", nul_terminated)(i)?;
        (i, name.into(), None)
    };
    Ok((i, (file, dataset, (flags, file_index, dataset_index))))
}

#[cfg(test)]
#[test]
fn names_are_shared_in_version_1() {
    use super::dataspace_selection::Frame;
    use super::testing::both_ways;
    let all = || StoredSelection::All(Frame::default());
    let entry =
        |file: &str, names| Mapping { file: file.into(), dataset: "/x".into(), names, source: all(), target: all() };
    for (version, entries) in [
        (0, vec![entry("a.h5", (0, None, None)), entry(".", (0, None, None))]),
        (1, vec![entry("a.h5", (0, None, None)), entry("a.h5", (3, Some(0), Some(0))), entry(".", (6, None, Some(1)))]),
    ] {
        let mappings = VirtualMappings { version, entries };
        let bytes = Emit::encode(Default::default(), |to| mappings.encode(to)).expect("it fits");
        assert_eq!(both_ways(&bytes, 8, VirtualMappings::decode, VirtualMappings::encode), mappings);
    }
}
