//! Damage that leaves a file readable, each a few bytes of a sound file: it is told where it can be known.

mod common;

use common::testdata;
use h5kit::error::{Fault, Structure};
use h5kit::{ErrorKind, File, Object, SurveyData};

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(testdata().join(name)).expect(name)
}

/// What a survey finds: the path of the object, and the structure and the field at fault.
fn findings(bytes: &[u8]) -> Vec<(String, Structure, &'static str)> {
    let survey = File::from_bytes(bytes).expect("it opens").survey(SurveyData::Read).expect("a survey");
    let finding = |finding: &h5kit::Finding| {
        let corrupt = finding.error.corrupt().expect("damage");
        (survey.path_of_finding(finding).unwrap_or_default(), corrupt.structure(), corrupt.field())
    };
    survey.findings.iter().map(finding).collect()
}

/// Where a structure of an object stands.
fn place(bytes: &[u8], path: &str, structure: Structure) -> usize {
    let survey = File::from_bytes(bytes).expect("it opens").survey(SurveyData::Locate).expect("a survey");
    let extents = survey.extents.iter().chain(&survey.parts);
    let mut own = extents.filter(|e| e.structure == structure && survey.path_of(e).as_deref() == Some(path));
    own.next().expect("a structure").at as usize
}

const CHUNKS: &str = "files/chunks_btree1.h5";

#[test]
fn a_dataset_without_its_layout_is_no_datatype() {
    let mut damaged = bytes(CHUNKS);
    assert_eq!(findings(&damaged), []);
    let message = place(&damaged, "/line", Structure::DataLayout);
    // The head of a message of version 1 has 8 bytes, the type first.
    assert_eq!(damaged[message - 8..message - 6], [8, 0]);
    damaged[message - 8] = 0;
    let error = File::from_bytes(&damaged[..]).expect("it opens").object("/line").expect_err("no layout");
    let corrupt = error.corrupt().expect("damage");
    assert_eq!((corrupt.structure(), corrupt.fault()), (Structure::DataLayout, &Fault::Absent));
    assert_eq!(findings(&damaged), [("/line".to_owned(), Structure::DataLayout, "message")]);
}

/// Readers go by the elements; that the layout says otherwise is told.
#[test]
fn a_contiguous_dataset_with_another_size() {
    let sound = bytes("files/layout_versions.h5");
    let file = File::from_bytes(&sound[..]).expect("it opens");
    let mut told = 0;
    for link in file.root().links().expect("links") {
        let Ok(Object::Dataset(dataset)) = link.expect("a link").open() else { continue };
        let (Some(position), size) = (dataset.position(), dataset.logical_size()) else { continue };
        let message = [&[3, 1][..], &position.to_le_bytes(), &size.to_le_bytes()].concat();
        let Some(at) = sound.windows(message.len()).position(|window| window == message) else { continue };
        for wrong in [0, 1, size - 1] {
            let mut damaged = sound.clone();
            damaged[at + 10..at + 18].copy_from_slice(&wrong.to_le_bytes());
            let found = findings(&damaged);
            // Some datasets of this file share their data.
            let is_told =
                found.iter().any(|(_, structure, field)| (*structure, *field) == (Structure::DataLayout, "size"));
            assert!(is_told, "{wrong} of {size}: {found:?}");
            told += 1;
        }
    }
    assert!(told > 0);
}

#[test]
fn a_symbol_table_node_that_has_more_links_than_it_says() {
    let sound = bytes(CHUNKS);
    let node = place(&sound, "/", Structure::SymbolTableNode);
    let links = sound[node + 6];
    assert!(links > 1);
    for fewer in 0..links {
        let mut damaged = sound.clone();
        damaged[node + 6] = fewer;
        let told = ("/".to_owned(), Structure::SymbolTableNode, "number of symbols");
        assert!(findings(&damaged).contains(&told), "{fewer} of {links}: {:?}", findings(&damaged));
    }
    // Nothing is left of the entries either.
    let mut damaged = sound.clone();
    damaged[node + 6..node + 8 + 40 * usize::from(links)].fill(0);
    assert!(!findings(&damaged).is_empty());
}

#[test]
fn data_is_not_read_from_the_superblock() {
    let sound = bytes(CHUNKS);
    let file = File::from_bytes(&sound[..]).expect("it opens");
    let chunk = file.dataset("/line").expect("a dataset").chunks().expect("chunks")[2].position;
    let at = (0..sound.len() - 8).find(|at| sound[*at..at + 8] == chunk.to_le_bytes()).expect("its address");
    for address in [0u64, 8, 95] {
        let mut damaged = sound.clone();
        damaged[at..at + 8].copy_from_slice(&address.to_le_bytes());
        let dataset = File::from_bytes(damaged).expect("it opens").dataset("/line").expect("a dataset");
        let error = dataset.read::<Vec<u8>>(..).expect_err("no chunk stands there");
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        let fault = error.corrupt().expect("damage").fault();
        assert!(matches!(fault, Fault::Overlap { other: Structure::Superblock, at: 0 }), "{fault}");
        let past = dataset.read_past_damage::<Vec<u8>>(..).expect("past damage");
        assert_eq!(past.damaged.iter().map(|chunk| chunk.offset[0]).collect::<Vec<_>>(), [14]);
    }
}
