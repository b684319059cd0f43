//! Damaged files: at least one fault is found in each, the survey goes on past it, and it ends.

use std::sync::Arc;

use super::{Data, files, open, survey, surveyed, testdata, told};
use crate::Limits;
use crate::error::ErrorKind;
use crate::source::Memory;
use crate::walk::Frame;

/// Files whose every structure is sound: what is wrong shows when elements are followed, which no survey does.
const ENDLESS: [&str; 4] =
    ["sequences_of_themselves.h5", "virtual_of_itself.h5", "virtual_overlap.h5", "symbol_nodes_repeated.h5"];

#[test]
fn damage_is_found() {
    for path in files(&testdata().join("corrupt")) {
        if ENDLESS.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        // Some are damaged where every reader begins.
        let Ok(file) = open(&path) else { continue };
        let survey = survey(&file, Data::Read).expect("the source has everything");
        let found = survey.findings.iter().any(|finding| finding.error.kind() != ErrorKind::Unsupported);
        assert!(found, "{}", path.display());
    }
}

#[test]
fn damage_is_told() {
    for (folder, name, expected) in [
        ("corrupt", "group_btree_cycle.h5", "version 1 B-tree node at 0x240, address: it leads back to itself"),
        ("corrupt", "virtual_elsewhere.h5", "global heap collection at 0x30, signature: the signature is"),
        ("corrupt", "deflate_short.h5", "data: filter 1: its output is"),
        ("corrupt", "heap_indirect_cycle.h5", "fractal heap indirect block"),
        ("corrupt", "virtual_mappings_shared.h5", "its bytes are also those of the global heap block of virtual"),
        ("files", "btree2_depth_3.h5", "object reference count: 1 where 200 must be"),
        ("files", "header_2_gaps.h5", "raw data at 0x30, address: its bytes are also those of the raw data at 0x30"),
        ("files", "truncated.h5", "/y: raw data at 0x818, address: 800 bytes are needed, the file ends at 0xb10"),
    ] {
        let told = told(&surveyed(folder, name));
        assert!(told.iter().any(|line| line.contains(expected)), "{name}: {told:#?}");
    }
}

#[test]
fn one_fault_does_not_hide_the_rest() {
    // The first of two chunks has a wrong checksum; everything else was visited.
    let survey = surveyed("files", "filter_fletcher_wrong.h5");
    assert_eq!(survey.findings.len(), 1);
    assert!(survey.counts.datasets > 1 && survey.counts.chunks > 2, "{:?}", survey.counts);
    // A wrong checksum in the data block of every fixed array: the datasets beside them were visited.
    let survey = surveyed("corrupt", "checksum_FADB.h5");
    assert_eq!((survey.findings.len(), survey.objects.iter().filter(|object| object.kind.is_none()).count()), (2, 0));
}

/// Every survey ends, without a panic, whatever the bytes say: one byte at a time is set to another value.
#[test]
fn any_byte_may_be_wrong() {
    for name in
        ["superblock_0.h5", "superblock_3_newest.h5", "links_dense_ordered.h5", "chunks_masks_newer.h5", "sohm_list.h5"]
    {
        let sound = std::fs::read(testdata().join("files").join(name)).expect("it can be read");
        let stride = (sound.len() / 400).max(1);
        for at in (0..sound.len()).step_by(stride) {
            for value in [0, 0xff, sound[at] ^ 0x10] {
                let mut bytes = sound.clone();
                bytes[at] = value;
                if let Ok(file) = Frame::open(Arc::new(Memory::new(bytes)), Limits::default(), None) {
                    let _ = survey(&file, Data::Read).expect("the source has everything");
                }
            }
        }
    }
}
