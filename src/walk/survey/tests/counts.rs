//! What a survey counts and which bytes it accounts for.

use std::sync::Arc;

use super::super::ObjectKind;
use super::{Data, survey, surveyed, testdata, told};
use crate::Limits;
use crate::error::Structure;
use crate::source::Extents;
use crate::walk::Frame;

#[test]
fn objects_and_links() {
    let survey = surveyed("files", "links_all.h5");
    let counts = &survey.counts;
    assert!(counts.soft_links > 0 && counts.external_links > 0 && counts.user_links > 0, "{counts:?}");
    let survey = surveyed("files", "groups_cycles_v200.h5");
    // As many links as there are, each object once.
    assert!(survey.counts.hard_links as usize > survey.objects.len() - 1);
    assert!(survey.objects.iter().all(|object| object.kind == Some(ObjectKind::Group)));
    assert_eq!(survey.path(0), "/");
}

#[test]
fn committed_datatypes() {
    let survey = surveyed("files", "shared_committed_v200.h5");
    assert!(survey.counts.datatypes > 0);
    assert!(survey.parts.iter().any(|part| part.structure == Structure::SharedMessage));
}

#[test]
fn bytes_around_the_file() {
    assert_eq!(surveyed("files", "user_block_512.h5").user_block, 512);
    assert_eq!(surveyed("files", "prepended_512.h5").user_block, 512);
    assert!(surveyed("files", "trailing_bytes.h5").trailing > 0);
    assert_eq!(surveyed("files", "superblock_3.h5").trailing, 0);
}

#[test]
fn every_byte_is_accounted_for() {
    for name in ["superblock_0.h5", "user_block_1024.h5", "space_persist_freed.h5", "vlen_v200.h5", "split-m.h5"] {
        let survey = surveyed("files", name);
        let unused = survey.unused.iter().map(|range| range.end - range.start).sum::<u64>();
        let mut used = 0;
        let mut end = 0;
        for extent in &survey.extents {
            let begin = extent.at.max(end);
            end = end.max(extent.at + extent.length);
            used += end.saturating_sub(begin);
        }
        let length = match name {
            "split-m.h5" => ["split-m.h5", "split-r.h5"].map(super::length).iter().sum(),
            name => super::length(name),
        };
        assert_eq!(survey.user_block + used + unused + survey.trailing, length, "{name}");
    }
}

#[test]
fn freed_space_is_unused() {
    // The free-space managers of this file list pieces; none of them is anything else.
    let survey = surveyed("files", "space_persist_freed.h5");
    assert!(survey.extents.iter().any(|extent| extent.structure == Structure::FreeSpaceSections));
    assert!(!survey.unused.is_empty() && survey.findings.is_empty());
}

#[test]
fn range_by_range_gives_the_same() {
    for (folder, name) in [("files", "vlen_v200.h5"), ("files", "sohm_btree.h5"), ("corrupt", "checksum_FADB.h5")] {
        let bytes = std::fs::read(testdata().join(folder).join(name)).expect("it can be read");
        let extents = Arc::new(Extents::new(bytes.len() as u64));
        let source = extents.clone();
        let read = || survey(&Frame::open(source.clone(), Limits::default(), None)?, Data::Read);
        let ranged = extents.run(read, |range| Ok(bytes[range.start as usize..range.end as usize].to_vec()));
        let (ranged, whole) = (ranged.expect("nothing else is wrong"), surveyed(folder, name));
        assert_eq!((&ranged.counts, &ranged.unused), (&whole.counts, &whole.unused), "{name}");
        assert_eq!(told(&ranged), told(&whole), "{name}");
    }
}
