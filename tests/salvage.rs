//! Files that have lost their superblock, root or groups give back what is left, with the values of the sound file.

mod common;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{corpus, files_below, testdata};
use h5kit::bytes::{Block, Emit};
use h5kit::digest::Lines;
use h5kit::format::object_header::Prefix;
use h5kit::source::Memory;
use h5kit::{ErrorKind, File, Folder, Lost, Object, Options, Salvage, Salvaged, SalvagedRoot, Target};

/// No file here is large; one that takes longer than this hangs.
const SOON: Duration = Duration::from_secs(10);

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(testdata().join(name)).expect("a file")
}

fn salvage(bytes: Vec<u8>) -> Salvage {
    let options = Options::new().neighbours(Folder::new(testdata().join("files")));
    options.salvage_source(Arc::new(Memory::new(bytes))).expect("bytes in memory lack nothing")
}

fn sound(bytes: Vec<u8>) -> File {
    Options::new().neighbours(Folder::new(testdata().join("files"))).from_bytes(bytes).expect("a sound file")
}

/// Overwrites the superblock with zeros.
fn without_superblock(bytes: &[u8]) -> Vec<u8> {
    let file = sound(bytes.to_vec());
    let superblock = file.superblock();
    let length = Emit::encode(superblock.widths, |to| superblock.encode(to)).expect("it fits").len();
    let mut bytes = bytes.to_vec();
    let at = file.user_block_size() as usize;
    bytes[at..at + length].fill(0);
    bytes
}

/// Overwrites the header of the object at a path.
fn without_header(bytes: &[u8], path: &str) -> Vec<u8> {
    let at = sound(bytes.to_vec()).object(path).expect(path).info().position() as usize;
    let mut bytes = bytes.to_vec();
    bytes[at..at + 16].fill(0xa5);
    bytes
}

/// The bytes of the elements of a dataset, as far as they can be read.
type Bytes = Option<Vec<u8>>;

/// All datasets of a sound file: address, path, and the bytes of their elements.
fn datasets(file: &File) -> BTreeMap<u64, (String, Bytes)> {
    let mut found = BTreeMap::new();
    let mut seen = HashSet::from([file.root().info().address()]);
    let mut groups = VecDeque::from([file.root()]);
    while let Some(group) = groups.pop_front() {
        for link in group.links().expect("links") {
            let link = link.expect("a link");
            let Target::Hard(address) = link.target() else { continue };
            if !seen.insert(address) {
                continue;
            }
            match link.open() {
                Ok(Object::Group(below)) => groups.push_back(below),
                Ok(Object::Dataset(dataset)) => {
                    found.insert(address, (link.path(), dataset.read_bytes(..).ok()));
                }
                _ => {}
            }
        }
    }
    found
}

/// The same of what was salvaged.
fn salvaged(salvage: &Salvage) -> BTreeMap<u64, (String, Bytes)> {
    let datasets = salvage.objects().iter().filter_map(|object| match salvage.open(object) {
        Ok(Object::Dataset(dataset)) => Some((object.address, (object.path.clone(), dataset.read_bytes(..).ok()))),
        _ => None,
    });
    datasets.collect()
}

/// The files of the test data that one file each is, with their bytes.
fn single_files() -> Vec<(String, Vec<u8>)> {
    let files = files_below(&testdata().join("files")).into_iter();
    let single = files.filter(|path| path.with_extension("h5.digest").exists());
    let named = |path: PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("text").to_owned();
        (name, std::fs::read(path).expect("a file"))
    };
    single.map(named).collect()
}

#[test]
fn all_of_a_file_without_superblock() {
    let files = single_files();
    assert!(files.len() > 150, "{}", files.len());
    let mut wrong = Vec::new();
    for (name, bytes) in files {
        let start = Instant::now();
        let lines = |file: &File| Lines::of(file).collect::<h5kit::Result<Vec<_>>>().expect("lines");
        let expected = lines(&sound(bytes.clone()));
        // Once with its signature, and once without.
        let mut version = bytes.clone();
        version[sound(bytes.clone()).user_block_size() as usize + 8] = 0xff;
        for damaged in [without_superblock(&bytes), version] {
            let salvage = salvage(damaged);
            assert!(!salvage.has_superblock(), "{name}");
            if lines(salvage.file()) != expected {
                wrong.push(format!("{name}: {:?} {:?}", salvage.root(), salvage.lost()));
            }
        }
        assert!(start.elapsed() < SOON, "{name} took {:?}", start.elapsed());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_lost_of_a_sound_file() {
    for (name, bytes) in single_files() {
        let file = sound(bytes.clone());
        let salvage = salvage(bytes);
        assert_eq!(salvage.root(), SalvagedRoot::Stored(file.root().info().address()), "{name}");
        // Some files hold what must be understood and is not.
        let supported = |lost: &&Lost| lost.error.kind() != ErrorKind::Unsupported;
        assert_eq!(salvage.lost().iter().filter(supported).count(), 0, "{name}: {:?}", salvage.lost());
        let named = salvage.objects().iter().filter(|object| object.from_root);
        let (found, expected) = (salvaged(&salvage), datasets(&file));
        assert!(named.clone().count() > 0, "{name}");
        for (address, expected) in expected {
            assert_eq!(found.get(&address), Some(&expected), "{name}");
        }
    }
}

/// Groups of a file other than the root, with the version of their headers.
fn groups(file: &File) -> Vec<(String, u8)> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([file.root().info().address()]);
    let mut next = VecDeque::from([file.root()]);
    while let Some(group) = next.pop_front() {
        for link in group.links().expect("links").map(|link| link.expect("a link")) {
            if let (Target::Hard(address), Ok(Object::Group(below))) = (link.target(), link.open())
                && seen.insert(address)
            {
                found.push((link.path(), below.info().header_version()));
                next.push_back(below);
            }
        }
    }
    found
}

const FILES: [&str; 10] = [
    "files/superblock_0.h5",
    "files/superblock_1.h5",
    "files/superblock_3_newest.h5",
    "files/links_dense.h5",
    "files/links_dense_deep.h5",
    "files/symbols_deep.h5",
    "files/groups_nested.h5",
    "files/groups_cycles_earliest.h5",
    "files/chunks_all_v4.h5",
    "pbmc_small.h5ad",
];

/// Whatever of the datasets is there has the values of the sound file.
fn compare(name: &str, expected: &BTreeMap<u64, (String, Bytes)>, found: &BTreeMap<u64, (String, Bytes)>) {
    for (address, (path, bytes)) in expected {
        assert_eq!(found.get(address).map(|(_, bytes)| bytes), Some(bytes), "{name}: {path}");
    }
}

#[test]
fn a_lost_root_takes_nothing_with_it() {
    for name in FILES {
        let bytes = bytes_of(name);
        let file = sound(bytes.clone());
        let (old, expected) = (file.root().info().header_version() == 1, datasets(&file));
        let salvage = salvage(without_header(&bytes, "/"));
        let found = salvaged(&salvage);
        compare(name, &expected, &found);
        if old {
            // The superblock itself says where its links are.
            assert_eq!(salvage.root(), SalvagedRoot::Stored(file.root().info().address()), "{name}");
            assert_eq!(found, expected, "{name}");
        }
        let lost = salvage.lost().iter().filter(|lost| lost.address == Some(file.root().info().address()));
        assert_eq!(lost.count(), 1, "{name}: {:?}", salvage.lost());
    }
}

#[test]
fn a_lost_group_takes_nothing_with_it() {
    let mut seen = [0, 0];
    for name in FILES {
        let bytes = bytes_of(name);
        let file = sound(bytes.clone());
        let expected = datasets(&file);
        for (path, version) in groups(&file) {
            let salvage = salvage(without_header(&bytes, &path));
            let found = salvaged(&salvage);
            compare(&format!("{name} without {path}"), &expected, &found);
            let lost: Vec<&str> = salvage.lost().iter().filter_map(|lost| lost.path.as_deref()).collect();
            assert!(lost.contains(&path.as_str()), "{name} without {path}: {lost:?}");
            seen[usize::from(version) - 1] += 1;
            if version == 1 {
                assert_eq!(found, expected, "{name} without {path}");
            }
        }
    }
    assert!(seen.iter().all(|seen| *seen > 5), "{seen:?}");
}

/// The hard links of a group: names and what they lead to.
fn hard_links(file: &File, path: &str) -> Vec<(String, u64)> {
    let links = file.group(path).expect("a group").links().expect("links").flatten();
    let hard = links.filter_map(|link| match link.target() {
        Target::Hard(address) => Some((link.name().to_string(), address)),
        _ => None,
    });
    hard.collect()
}

/// A group with its links in a fractal heap keeps their names.
#[test]
fn names_of_a_dense_group_without_header() {
    let (mut kept, mut roots) = (0, 0);
    for (name, bytes) in single_files() {
        let file = sound(bytes.clone());
        let all: Vec<String> = groups(&file).into_iter().map(|(path, _)| path).chain(["/".to_owned()]).collect();
        let links: Vec<(String, u64)> = all.iter().flat_map(|path| hard_links(&file, path)).collect();
        let new = file.root().info().header_version() == 2;
        for path in all.iter().filter(|path| new && hard_links(&file, path).len() > 8) {
            let salvage = salvage(without_header(&bytes, path));
            for (_, address) in hard_links(&file, path) {
                let Some(found) = salvage.objects().iter().find(|object| object.address == address) else { continue };
                let last = found.path.rsplit('/').next().unwrap_or_default();
                let by_address = found.path == format!("unlinked/{address:#x}");
                if !by_address {
                    assert!(links.contains(&(last.to_owned(), address)), "{name} without {path}: {found:?}");
                    kept += usize::from(path == "/" || !found.from_root);
                }
            }
            roots += usize::from(path == "/" && matches!(salvage.root(), SalvagedRoot::Guessed(_)));
        }
    }
    assert!(kept > 10 && roots > 2, "{kept} {roots}");
}

/// A group whose tree is lost is put together from the nodes below it.
#[test]
fn a_lost_tree_takes_nothing_with_it() {
    for name in ["files/superblock_0.h5", "files/symbols_deep.h5", "files/groups_cycles_earliest.h5"] {
        let bytes = bytes_of(name);
        let expected = datasets(&sound(bytes.clone()));
        let trees = bytes.windows(5).enumerate().filter(|(_, window)| window == b"TREE\0").map(|(at, _)| at);
        let mut seen = 0;
        for tree in trees {
            let mut damaged = bytes.clone();
            damaged[tree..tree + 4].fill(0);
            let salvage = salvage(damaged);
            let found = salvaged(&salvage);
            compare(&format!("{name} without the tree at {tree:#x}"), &expected, &found);
            let named = |datasets: &BTreeMap<u64, (String, Bytes)>| -> BTreeSet<String> {
                datasets.values().map(|(path, _)| path.clone()).collect()
            };
            assert_eq!(named(&found), named(&expected), "{name} without the tree at {tree:#x}");
            seen += 1;
        }
        assert!(seen > 0, "{name}");
    }
}

/// A header whose checksum is wrong is read where a link leads to it, and the fault is told.
#[test]
fn a_wrong_checksum_is_told_and_forgiven() {
    let mut seen = 0;
    for name in FILES {
        let bytes = bytes_of(name);
        let file = sound(bytes.clone());
        let expected = datasets(&file);
        for (address, (path, _)) in &expected {
            let info = file.object(path).expect("an object").info().clone();
            if info.header_version() == 1 {
                continue;
            }
            // The checksum itself is what is wrong.
            let at = info.position() as usize;
            let prefix = Prefix::decode(Block::new(&bytes[at..], 0, file.superblock().widths)).expect("a prefix");
            let head = bytes.len() - at - prefix.1.bytes().len();
            let mut damaged = bytes.clone();
            damaged[at + head + prefix.0.chunk_size() as usize] ^= 1;
            assert!(sound(damaged.clone()).object(path).is_err(), "{name}: {path}");
            let salvage = salvage(damaged);
            assert_eq!(salvaged(&salvage).get(address), expected.get(address), "{name}: {path}");
            let told = salvage.lost().iter().filter(|lost| lost.path.as_ref() == Some(path));
            assert!(told.map(|lost| lost.error.to_string()).any(|told| told.contains("checksum")), "{name}: {path}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

/// A group that has lost a part of its header keeps the links in the rest of it, and no dataset is read without its own.
#[test]
fn a_lost_continuation() {
    let (mut groups, mut named) = (0, 0);
    for (name, bytes) in single_files() {
        let parts = bytes.windows(4).enumerate().filter(|(_, window)| window == b"OCHK").map(|(at, _)| at);
        let parts: Vec<usize> = parts.take(20).collect();
        if parts.is_empty() {
            continue;
        }
        let file = sound(bytes.clone());
        let expected = datasets(&file);
        for part in parts {
            let mut damaged = bytes.clone();
            damaged[part..part + 4].fill(0);
            let salvage = salvage(damaged);
            let kept = |lost: &Lost| {
                let of_group =
                    |object: &&Salvaged| Some(object.address) == lost.address && object.kind == Some("group");
                lost.error.to_string().contains("continuation") && salvage.objects().iter().any(|o| of_group(&o))
            };
            groups += salvage.lost().iter().filter(|lost| kept(lost)).count();
            for (address, (path, bytes)) in salvaged(&salvage) {
                let Some((_, whole)) = expected.get(&address) else { continue };
                assert_eq!(&bytes, whole, "{name} without {part:#x}: {path}");
                if path.starts_with('/') {
                    let there = file.object(&path).expect("a path of the sound file");
                    assert_eq!(there.info().address(), address, "{name} without {part:#x}: {path}");
                    named += 1;
                }
            }
        }
    }
    assert!(groups > 2 && named > 20, "{groups} {named}");
}

/// What is read of a file that was cut has the values of the whole one.
#[test]
fn a_file_that_was_cut() {
    let mut read = 0;
    for name in FILES {
        let bytes = bytes_of(name);
        let expected = datasets(&sound(bytes.clone()));
        for eighths in 1..8 {
            let salvage = salvage(bytes[..bytes.len() * eighths / 8].to_vec());
            for (address, (path, bytes)) in salvaged(&salvage) {
                let (known, whole) = expected.get(&address).unwrap_or_else(|| panic!("{name}: {path} is not in it"));
                if bytes.is_some() {
                    assert_eq!(&bytes, whole, "{name}: {path}");
                    read += 1;
                }
                assert!(path == *known || path.starts_with("unlinked/"), "{name}: {path} is {known}");
            }
        }
    }
    assert!(read > 100, "{read}");
}

fn survives(path: &Path) {
    let start = Instant::now();
    let limits = h5kit::Limits { read_bytes: 256 << 20, ..Default::default() };
    let salvage = Options::new().limits(limits).salvage(path).expect("a file on disk lacks nothing");
    let _ = salvaged(&salvage);
    assert!(start.elapsed() < SOON, "{} took {:?}", path.display(), start.elapsed());
}

#[test]
fn damage_is_survived() {
    let files = files_below(&testdata().join("corrupt"));
    assert!(files.len() > 80);
    files.iter().for_each(|path| survives(path));
}

#[test]
fn the_malformed_corpus_is_survived() {
    let Some(corpus) = corpus() else { return };
    let files = files_below(&corpus.join("malformed"));
    assert!(files.len() > 300);
    files.iter().for_each(|path| survives(path));
}

/// Bytes that all look like headers end the search soon.
#[test]
fn what_only_looks_like_headers() {
    let old = [1, 0, 3, 0, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for pattern in
        [&old[..], b"OHDR\x02\x02\0\0\x10\0", b"TREE\0\x01\xff\x7f", b"SNOD\x01\0\xff\x7f", b"FRHP\0BTHD\0\x05"]
    {
        let start = Instant::now();
        let salvage = salvage(pattern.repeat((1 << 20) / pattern.len()));
        assert!(salvage.objects().is_empty() && !salvage.lost().is_empty());
        assert!(start.elapsed() < SOON, "{pattern:?} took {:?}", start.elapsed());
    }
}

/// An object header of version 1 with one message, of this type.
fn old_header(kind: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![1, 0, 1, 0, 1, 0, 0, 0];
    bytes.extend((8 + body.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(kind.to_le_bytes());
    bytes.extend((body.len() as u16).to_le_bytes());
    bytes.extend([0; 4]);
    [&bytes, body].concat()
}

fn is_limit(lost: &Lost) -> bool {
    lost.error.kind() == ErrorKind::Limit
}

/// Headers that cost much to read do not hide what links lead to.
#[test]
fn the_search_begins_with_what_links_lead_to() {
    let mut bytes = bytes_of("files/chunks_btree1.h5");
    let expected = datasets(&sound(bytes.clone()));
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let (many, length) = (200, 1 << 20);
    let block = bytes.len() as u64 + many * 40;
    let body = [block.to_le_bytes(), u64::to_le_bytes(length)].concat();
    (0..many).for_each(|_| bytes.extend(old_header(0x10, &body)));
    // A message that nothing is done with.
    let message = [0u16.to_le_bytes(), 0xfff8u16.to_le_bytes(), [0; 2], [0; 2]].concat();
    (0..length / 65_536).for_each(|_| bytes.extend([&message[..], &[0; 0xfff8]].concat()));
    let found = salvage(bytes);
    assert!(matches!(found.root(), SalvagedRoot::Stored(_)));
    assert_eq!(salvaged(&found), expected);
    // Headers that share a block are none.
    assert!(found.lost().is_empty(), "{:?}", found.lost());
}

/// The names of many nodes that lost their tree stand in one heap, which is read once for all of them.
#[test]
fn a_heap_is_read_once_for_all_nodes() {
    let mut bytes = bytes_of("files/chunks_btree1.h5");
    let target = sound(bytes.clone()).dataset("/line").expect("a dataset").info().address();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let many = 40_000u64;
    let names: Vec<u8> = (0..many).flat_map(|i| format!("{i:07x}\0").into_bytes()).collect();
    let data = bytes.len() as u64 + 32;
    bytes.extend(b"HEAP\0\0\0\0");
    for field in [8 + names.len() as u64, 1, data] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend([0; 8]);
    bytes.extend(names);
    for first in (0..many).step_by(8) {
        bytes.extend(b"SNOD\x01\0\x08\0");
        for i in first..first + 8 {
            bytes.extend([(8 + 8 * i).to_le_bytes(), target.to_le_bytes(), [0; 8], [0; 8], [0; 8]].concat());
        }
    }
    let begin = Instant::now();
    let found = salvage(bytes);
    assert!(!found.lost().iter().any(is_limit), "{:?}", found.lost());
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
}
