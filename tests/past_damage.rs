//! Reading past damaged chunks: the sound file's values but for the chunks that are lost, which have the fill value and are
//! told.

mod common;

use std::collections::BTreeSet;
use std::num::NonZero;

use common::testdata;
use h5kit::error::{Fault, Structure};
use h5kit::source::Extents;
use h5kit::{Dataset, ErrorKind, File, Hyperslab, Limits, Options, Past, Points, Selection, SurveyData};

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(testdata().join(name)).expect(name)
}

fn open(bytes: &[u8]) -> File {
    File::from_bytes(bytes).expect("it opens")
}

/// The coordinates of all elements, row-major.
fn places(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![Vec::new()], |places, n| {
        places.iter().flat_map(|place| (0..*n).map(move |i| [&place[..], &[i]].concat())).collect()
    })
}

/// The offset of the chunk that an element is in.
fn chunk_of(dataset: &Dataset, place: &[u64]) -> Vec<u64> {
    let chunk = dataset.chunk_shape().expect("chunks");
    place.iter().zip(chunk).map(|(p, n)| p - p % n).collect()
}

/// The offsets of the chunks that were lost.
fn lost<O>(past: &Past<O>) -> BTreeSet<Vec<u64>> {
    assert!(past.damaged.is_sorted_by(|a, b| a.offset < b.offset), "in order, and each once");
    past.damaged.iter().map(|chunk| chunk.offset.clone()).collect()
}

/// What the elements at these places are when some chunks are lost.
fn expected(sound: &Dataset, places: &[Vec<u64>], lost: &BTreeSet<Vec<u64>>) -> Vec<i64> {
    let all: Vec<i64> = sound.read(..).expect("sound");
    let fill = sound.fill_value::<i64>().expect("a fill value").unwrap_or(0);
    let value = |place: &Vec<u64>| {
        let number = place.iter().zip(sound.shape()).fold(0, |n, (p, dim)| n * dim + p);
        if lost.contains(&chunk_of(sound, place)) { fill } else { all[number as usize] }
    };
    places.iter().map(value).collect()
}

#[cfg(feature = "deflate")]
#[test]
fn chunks_that_do_not_inflate_are_filled() {
    let sound_bytes = bytes("files/chunks_for_threads.h5");
    let sound = open(&sound_bytes);
    for name in ["plane", "stack", "line", "holes"] {
        let dataset = sound.dataset(name).expect(name);
        let mut damaged = sound_bytes.clone();
        let mut gone = BTreeSet::new();
        for chunk in dataset.chunks().expect("chunks").iter().step_by(5) {
            damaged[chunk.position as usize..][..4].fill(0xff);
            gone.insert(chunk.offset.clone());
        }
        let rank = dataset.shape().len();
        let all = places(dataset.shape());
        let some: Vec<Vec<u64>> = all.iter().step_by(1009).cloned().collect();
        let inner: Vec<u64> = dataset.shape().iter().map(|n| n / 3 + 1).collect();
        let inside: Vec<Vec<u64>> =
            places(&inner).into_iter().map(|place| place.iter().map(|p| p + 1).collect()).collect();
        let slab = Hyperslab::new(vec![1; rank], inner);
        let selections: [(Selection, &[Vec<u64>]); 3] =
            [((..).into(), &all), (slab.into(), &inside), (Points(some.clone()).into(), &some)];
        for (selection, places) in selections {
            let met: BTreeSet<Vec<u64>> = places.iter().map(|place| chunk_of(&dataset, place)).collect();
            let gone: BTreeSet<Vec<u64>> = gone.intersection(&met).cloned().collect();
            assert!(!gone.is_empty(), "{name}");
            let expected = expected(&dataset, places, &gone);
            for threads in [1, 2, 7] {
                let options = Options::new().threads(NonZero::new(threads).expect("a thread"));
                let file = options.from_bytes(damaged.clone()).expect("it opens");
                let dataset = file.dataset(name).expect(name);
                // Twice: the second read finds some chunks that the first one kept.
                for _ in 0..2 {
                    let past = dataset.read_past_damage::<Vec<i64>>(selection.clone()).expect("past damage");
                    assert!(past.value == expected, "{name} by {threads} threads");
                    assert_eq!(lost(&past), gone, "{name} by {threads} threads");
                    assert!(past.damaged.iter().all(|chunk| chunk.error.kind() == ErrorKind::Corrupt));
                    assert!(past.damaged.iter().all(|chunk| chunk.error.path() == Some(dataset.path())));
                }
                let native = dataset.read_past_damage::<Vec<i32>>(selection.clone()).expect("past damage");
                assert!(native.value.iter().zip(&expected).all(|(a, b)| i64::from(*a) == *b), "{name} as it is stored");
                assert_eq!(lost(&native), gone);
            }
        }
    }
}

#[test]
fn checksums_that_do_not_hold_are_told() {
    let file = open(&bytes("files/filter_fletcher_wrong.h5"));
    let wrong = file.dataset("d").expect("d");
    let past = wrong.read_past_damage::<Vec<i32>>(..).expect("past damage");
    let first: Vec<i32> = wrong.read(..4).expect("the first chunk is sound");
    assert_eq!(past.value, [&first[..], &[0; 4]].concat());
    assert_eq!(lost(&past), BTreeSet::from([vec![4]]));
    let fault = past.damaged[0].error.corrupt().expect("damage").fault();
    assert!(matches!(fault, Fault::Filter { id: 3, .. }), "{fault}");

    // Where all is sound it is as any other read.
    let good = file.dataset("good").expect("good");
    let past = good.read_past_damage::<Vec<i32>>(2..7).expect("all is sound");
    assert!(past.damaged.is_empty());
    assert_eq!(past.value, good.read::<Vec<i32>>(2..7).expect("all is sound"));
    let error = good.read_past_damage::<Vec<i32>>(2..9).expect_err("there are eight");
    assert_eq!(error.kind(), ErrorKind::Selection);
}

#[cfg(feature = "deflate")]
#[test]
fn noise_in_a_chunk_is_told() {
    let file = open(&bytes("corrupt/deflate_noise.h5"));
    let mut noisy = 0;
    for link in file.root().links().expect("links") {
        let name = link.expect("a link").name().to_string();
        let dataset = file.dataset(&name).expect("a dataset");
        if dataset.chunk_shape().is_none() {
            continue;
        }
        let past = dataset.read_past_damage::<Vec<f64>>(..).expect("past damage");
        assert_eq!(past.value.len() as u64, dataset.len());
        noisy += past.damaged.len();
        for chunk in &past.damaged {
            assert_eq!(chunk.error.to_string(), dataset.read::<Vec<f64>>(..).expect_err("noise").to_string());
        }
    }
    assert_eq!(noisy, 1);
}

#[cfg(feature = "deflate")]
#[test]
fn what_is_no_damage_ends_the_read() {
    let whole = bytes("files/chunks_for_threads.h5");
    let mut damaged = whole.clone();
    let chunks = open(&whole).dataset("line").expect("line").chunks().expect("chunks");
    damaged[chunks[0].position as usize..][..4].fill(0xff);

    let limits = Limits { read_bytes: 1000, ..Default::default() };
    let small = Options::new().limits(limits).from_bytes(damaged.clone()).expect("it opens");
    let error = small.dataset("line").expect("line").read_past_damage::<Vec<i32>>(..).expect_err("too much");
    assert_eq!(error.kind(), ErrorKind::Limit);
    let text = open(&damaged).dataset("line").expect("line").read_past_damage::<Vec<String>>(..);
    assert_eq!(text.expect_err("numbers").kind(), ErrorKind::Type);

    // Bytes that have not been fetched yet are no damage either, and once they are there the same is read as at once.
    let expected = open(&damaged).dataset("line").expect("line").read_past_damage::<Vec<i32>>(..).expect("at once");
    let extents = std::sync::Arc::new(Extents::new(damaged.len() as u64));
    let read = || File::from_source(extents.clone())?.dataset("line")?.read_past_damage::<Vec<i32>>(..);
    assert!(read().expect_err("nothing is there").is_missing());
    let fetch = |range: std::ops::Range<u64>| Ok(damaged[range.start as usize..range.end as usize].to_vec());
    let past = extents.run(read, fetch).expect("range by range");
    assert!(past.value == expected.value);
    assert_eq!((lost(&past), past.damaged.len()), (lost(&expected), 1));
}

/// Two of four chunks have more bytes in the file than they have without their filters.
#[cfg(feature = "deflate")]
#[test]
fn chunks_that_ask_for_too_much_are_told() {
    let whole = bytes("files/chunks_masks.h5");
    let sound = open(&whole).dataset("btree1").expect("btree1");
    let limits = Limits { chunk_bytes: 16, ..Default::default() };
    let file = Options::new().limits(limits).from_bytes(whole).expect("it opens");
    let past = file.dataset("btree1").expect("btree1").read_past_damage::<Vec<i64>>(..).expect("past damage");
    assert_eq!(lost(&past), BTreeSet::from([vec![0], vec![12]]));
    assert!(past.damaged.iter().all(|chunk| chunk.error.kind() == ErrorKind::Limit));
    assert_eq!(past.value, expected(&sound, &places(sound.shape()), &lost(&past)));
    // Where any chunk would be too much there is nothing to go past.
    let limits = Limits { chunk_bytes: 15, ..Default::default() };
    let file = Options::new().limits(limits).from_bytes(bytes("files/chunks_masks.h5")).expect("it opens");
    let error = file.dataset("btree1").expect("btree1").read_past_damage::<Vec<i64>>(..).expect_err("too much");
    assert_eq!(error.kind(), ErrorKind::Limit);
}

/// Where the nodes of a kind stand that belong to a dataset.
fn nodes(file: &File, path: &str, structure: Structure) -> Vec<u64> {
    let survey = file.survey(SurveyData::Locate).expect("a survey");
    let own = survey.extents.iter().filter(|extent| {
        extent.structure == structure && survey.path_of(extent).is_some_and(|of| of.trim_start_matches('/') == path)
    });
    own.map(|extent| extent.at).collect()
}

/// Destroys the node of an index and reads all past the damage; the chunks that are lost with it.
fn without_node(name: &str, path: &str, at: u64) -> BTreeSet<Vec<u64>> {
    let whole = bytes(name);
    let sound = open(&whole).dataset(path).expect(path);
    let mut damaged = whole;
    damaged[at as usize..][..8].fill(0xee);
    let mut all = Vec::new();
    for threads in [1, 3] {
        let options = Options::new().threads(NonZero::new(threads).expect("a thread"));
        let dataset = options.from_bytes(damaged.clone()).expect("it opens").dataset(path).expect(path);
        let past = dataset.read_past_damage::<Vec<i64>>(..).expect("past damage");
        let lost = lost(&past);
        let expected = expected(&sound, &places(sound.shape()), &lost);
        assert!(past.value == expected, "{name} {path} without {at:#x}: {lost:?}\n{:?}\n{expected:?}", past.value);
        assert!(past.damaged.iter().all(|chunk| chunk.error.corrupt().is_some()));
        all.push(lost);
    }
    assert_eq!(all[0], all[1]);
    all.swap_remove(0)
}

/// The chunks that are lost with each of the nodes of a kind, where some are.
fn each_node(name: &str, path: &str, structure: Structure) -> Vec<BTreeSet<Vec<u64>>> {
    let nodes = nodes(&open(&bytes(name)), path, structure);
    nodes.into_iter().map(|at| without_node(name, path, at)).filter(|lost| !lost.is_empty()).collect()
}

/// Of a dataset all of whose chunks are written: their offsets.
fn all_chunks(name: &str, path: &str) -> BTreeSet<Vec<u64>> {
    let chunks = open(&bytes(name)).dataset(path).expect(path).chunks().expect("chunks");
    chunks.into_iter().map(|chunk| chunk.offset).collect()
}

#[test]
fn each_chunk_is_lost_with_the_nodes_above_it_only() {
    // Trees of a root, inner nodes and leaves: on each level a chunk is under one node.
    for path in ["three", "line"] {
        let name = "files/chunks_btree1.h5";
        let (all, lost) = (all_chunks(name, path), each_node(name, path, Structure::BTreeV1));
        let whole = lost.iter().filter(|lost| **lost == all).count();
        assert_eq!(whole, 1, "the root");
        let times = |chunk: &Vec<u64>| lost.iter().filter(|lost| lost.contains(chunk)).count();
        let depth = times(all.first().expect("a chunk"));
        assert!(depth > 1 && all.iter().all(|chunk| times(chunk) == depth), "{path}");
        assert_eq!(lost.iter().map(BTreeSet::len).sum::<usize>(), all.len() * depth, "{path}");
    }
}

#[cfg(feature = "deflate")]
#[test]
fn records_of_sound_nodes_are_read() {
    let name = "files/chunks_btree2_many.h5";
    let (all, lost) = (all_chunks(name, "d"), each_node(name, "d", Structure::BTreeV2Leaf));
    assert!(lost.len() > 2);
    let whole: BTreeSet<Vec<u64>> = lost.iter().flatten().cloned().collect();
    assert_eq!(lost.iter().map(BTreeSet::len).sum::<usize>(), whole.len(), "under one leaf each");
    // One record between two leaves stands above them, and is lost with neither.
    assert_eq!(all.difference(&whole).count(), lost.len() - 1);
}

#[test]
fn pages_of_a_fixed_array_are_lost_one_by_one() {
    let name = "files/chunks_fixed_paged.h5";
    let page = |n: u64| (n * 1024..2500.min((n + 1) * 1024)).map(|i| vec![i]).collect::<BTreeSet<_>>();
    let lost = each_node(name, "plain", Structure::FixedArrayBlock);
    // The second page was never written; without the bitmap before them nothing is known of any.
    assert!(
        lost.contains(&page(0)) && lost.contains(&page(2)),
        "{:?}",
        lost.iter().map(BTreeSet::len).collect::<Vec<_>>()
    );
    assert!(lost.iter().any(|lost| lost.len() == 2500));
}

#[test]
fn blocks_of_an_extensible_array_are_lost_one_by_one() {
    let name = "files/chunks_extensible_many.h5";
    let lost = each_node(name, "plain", Structure::ExtensibleArrayBlock);
    assert!(lost.len() > 4);
    let mut met = BTreeSet::new();
    for block in &lost {
        let (first, last) = (block.first().expect("a chunk")[0], block.last().expect("a chunk")[0]);
        assert_eq!(last - first + 1, block.len() as u64, "chunks in a row");
        assert!(block.iter().all(|chunk| met.insert(chunk.clone())), "under no other block");
    }
    // Four elements stand in the index block.
    let expected: BTreeSet<Vec<u64>> = (4..300).map(|i| vec![i]).collect();
    assert_eq!(met, expected);
}

/// The bytes of the version 1 B-tree nodes of a dataset, as much of each as is in use.
fn tree_bytes(file: &File, path: &str) -> Vec<std::ops::Range<usize>> {
    let survey = file.survey(SurveyData::Locate).expect("a survey");
    let own = survey
        .extents
        .iter()
        .filter(|extent| extent.structure == Structure::BTreeV1 && survey.path_of(extent).as_deref() == Some(path));
    own.map(|extent| extent.at as usize..(extent.at + extent.used) as usize).collect()
}

/// Elements that are neither those of the sound file nor told to be lost.
fn wrong(sound: &Dataset, values: &[u8], damaged: Vec<u8>) -> Option<String> {
    let file = File::from_bytes(damaged).ok()?;
    let dataset = file.dataset(sound.path()).ok()?;
    let past = dataset.read_bytes_past_damage(..).ok()?;
    let lost = lost(&past);
    let places = places(sound.shape());
    let size = dataset.datatype().size as usize;
    let wrong = places.iter().zip(values.chunks_exact(size).zip(past.value.chunks_exact(size)));
    let wrong = { wrong }.find(|(place, (sound, read))| sound != read && !lost.contains(&chunk_of(&dataset, place)));
    wrong.map(|(place, _)| format!("{place:?}, {} chunks are told", lost.len()))
}

/// The addresses of chunks in a leaf of a dataset of this rank; none in a node above leaves.
fn chunk_addresses(bytes: &[u8], node: &std::ops::Range<usize>, rank: usize) -> Vec<std::ops::Range<usize>> {
    let key = 8 + 8 * (rank + 1);
    let first = |at: &usize| at + 8 <= node.end && bytes[node.start + 5] == 0;
    let addresses = (node.start + 24 + key..).step_by(key + 8).take_while(first);
    addresses.map(|at| at..at + 8).collect()
}

/// True where a leaf has a chunk that lies outside of a dataset of this shape.
fn is_outside(bytes: &[u8], addresses: &[std::ops::Range<usize>], shape: &[u64]) -> bool {
    let coordinate = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    addresses.iter().any(|address| {
        let first = address.start - 8 * (shape.len() + 1);
        (0..).zip(shape).any(|(d, length)| coordinate(first + 8 * d) >= *length)
    })
}

/// Nodes of version 1 have no checksums. Whatever is changed in one, elements are those of the sound file or told to be
/// lost. Only the address of a chunk without filters can be any, a mask may leave out a filter that keeps the length, and a chunk that
/// has moved out of the dataset may have been left there when it became smaller.
#[cfg(feature = "deflate")]
#[test]
fn no_byte_of_a_tree_can_be_changed_unnoticed() {
    let whole = bytes("files/chunks_btree1.h5");
    let file = open(&whole);
    let mut unnoticed = Vec::new();
    for path in ["/three", "/line", "/deflated"] {
        let sound = file.dataset(path).expect(path);
        let values = sound.read_bytes(..).expect("sound");
        for node in tree_bytes(&file, path) {
            let addresses = chunk_addresses(&whole, &node, sound.shape().len());
            let key = 8 + 8 * (sound.shape().len() + 1);
            let masks = addresses.iter().map(|address| address.start - key + 4..address.start - key + 8).collect();
            let fixed = if sound.filters().is_empty() { addresses.clone() } else { masks };
            for at in node.clone() {
                for (length, change) in [(1, 0u8), (1, 1), (1, 4), (1, 0x80), (8, 0), (40, 0), (300, 0)] {
                    let mut damaged = whole.clone();
                    for byte in &mut damaged[at..node.end.min(at + length)] {
                        *byte = if change == 0 { 0 } else { *byte ^ change };
                    }
                    fixed.iter().for_each(|address| damaged[address.clone()].copy_from_slice(&whole[address.clone()]));
                    // Without a count and without records a tree is empty.
                    let empty = damaged[node.start + 6..node.end].iter().all(|byte| *byte == 0);
                    if empty || is_outside(&damaged, &addresses, sound.shape()) {
                        continue;
                    }
                    let wrong = wrong(&sound, &values, damaged);
                    let place = format!("{path}, node {node:?} from {} on, {length} {change}", at - node.start);
                    unnoticed.extend(wrong.map(|wrong| format!("{place}: {wrong}")));
                }
            }
        }
    }
    assert!(unnoticed.is_empty(), "{}: {:#?}", unnoticed.len(), &unnoticed[..unnoticed.len().min(40)]);
}
