//! The ways to read: selections, results, structs, members, buffers, borrowed slices, threads, and what is
//! read from the file on the way. Expected values are those that h5py gives.

mod common;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use common::testdata;
use h5kit::element::{Array, Lossy, Reference, Strings, Value};
use h5kit::selection::{Blocks, Mask};
use h5kit::source::{Extents, FileSource, Memory, Source, Traced};
use h5kit::{Dataset, ErrorKind, File, Hyperslab, Layout, Object, Points, Slice, Target};

fn open(name: &str) -> File {
    File::open(testdata().join(name)).expect(name)
}

fn dataset(name: &str, path: &str) -> Dataset {
    open(name).dataset(path).expect(path)
}

#[test]
fn selections_into_everything() {
    let pca = dataset("pbmc_small.h5ad", "/obsm/X_pca");
    assert_eq!((pca.shape(), pca.max_shape()), (&[200, 10][..], vec![Some(200), Some(10)]));
    let all: Vec<f32> = pca.read(..).expect("all");
    assert_eq!(all[..2], [0.143_031_98, 0.862_101_5]);
    let at = |row: usize, column: usize| all[row * 10 + column];

    let corner: ndarray::Array2<f32> = pca.read((0..3, ..2)).expect("a corner");
    assert_eq!(corner.dim(), (3, 2));
    assert_eq!(corner[[1, 0]], -0.871_688_25);
    let row: ndarray::Array1<f64> = pca.read((2, ..)).expect("a row, widened");
    assert_eq!(row[1], 0.588_676_929_473_877);
    let one: f32 = pca.read((2, 1)).expect("one value");
    assert_eq!(one, at(2, 1));
    let strided: Vec<f32> = pca.read((Slice::from(0..200).step(50), Slice::from(1..).step(4))).expect("strided");
    assert_eq!(
        strided,
        [
            at(0, 1),
            at(0, 5),
            at(0, 9),
            at(50, 1),
            at(50, 5),
            at(50, 9),
            at(100, 1),
            at(100, 5),
            at(100, 9),
            at(150, 1),
            at(150, 5),
            at(150, 9)
        ]
    );
    let blocks: Vec<f32> = pca.read(Hyperslab::new([1, 0], [2, 1]).stride([10, 1]).block([2, 2])).expect("blocks");
    assert_eq!(blocks, [at(1, 0), at(1, 1), at(2, 0), at(2, 1), at(11, 0), at(11, 1), at(12, 0), at(12, 1)]);
    let points: Vec<f32> = pca.read(Points(vec![vec![199, 9], vec![0, 0], vec![7, 3]])).expect("points");
    assert_eq!(points, [at(199, 9), at(0, 0), at(7, 3)]);
    let mut mask = vec![false; 2000];
    (mask[3], mask[1999]) = (true, true);
    assert_eq!(pca.read::<Vec<f32>>(Mask(mask)).expect("a mask"), [at(0, 3), at(199, 9)]);
    let heights = dataset("files/contiguous.h5", "one");
    let whole: Vec<f64> = heights.read(..).expect("all");
    let again = Points(vec![vec![0], vec![1], vec![2], vec![0]]);
    assert_eq!(heights.read::<Vec<f64>>(again).expect("one twice"), [whole[0], whole[1], whole[2], whole[0]]);
    let union = Blocks(vec![(vec![5, 5], vec![5, 6]), (vec![5, 6], vec![6, 6])]);
    assert_eq!(pca.read::<Vec<f32>>(union).expect("a union"), [at(5, 5), at(5, 6), at(6, 6)]);

    let mut buffer = vec![0f32; 20];
    pca.read_into(&mut buffer, 198..).expect("two rows");
    assert_eq!(buffer, all[1980..]);
    let short = pca.read_into(&mut buffer, 197..).expect_err("three rows");
    assert_eq!(short.kind(), ErrorKind::Selection);
    assert_eq!(pca.read::<Vec<f32>>(0..201).expect_err("past the end").kind(), ErrorKind::Selection);
    assert_eq!(pca.read::<f32>(0..1).expect_err("ten values").kind(), ErrorKind::Usage);
    let flat = pca.read::<ndarray::Array1<f32>>(..).expect_err("two dimensions");
    assert_eq!(flat.kind(), ErrorKind::Selection);
}

#[test]
fn chunk_by_chunk_gives_the_whole() {
    for path in ["/deflated", "/missing", "/three", "/never", "/one chunk", "/line"] {
        let dataset = dataset("files/chunks_btree1.h5", path);
        let all: Vec<i64> = dataset.read(..).expect("all");
        let shape: Vec<u64> = dataset.shape().to_vec();
        let inner: u64 = shape[1..].iter().product();
        for row in 0..shape[0] {
            let part: Vec<i64> = dataset.read(row).expect("a row");
            assert_eq!(part, all[(row * inner) as usize..((row + 1) * inner) as usize]);
        }
    }
}

h5kit::compound! {
    #[derive(Debug, PartialEq)]
    struct Packed {
        a: i16,
        eighth: u32 = "an eight",
        bb: Lossy<f32>,
    }
}

h5kit::compound! {
    #[derive(Debug, PartialEq)]
    struct Nested {
        n: i64,
        again: Inner,
    }
}

h5kit::compound! {
    #[derive(Debug, PartialEq)]
    struct Inner {
        a: i32,
    }
}

h5kit::compound! {
    #[derive(Debug, PartialEq)]
    struct Other {
        x: f64,
    }
}

#[test]
fn structs_and_members() {
    let file = open("files/compound_earliest.h5");
    let packed = file.dataset("packed").expect("packed");
    let structs: Vec<Packed> = packed.read(..).expect("structs");
    assert_eq!(structs.iter().map(|p| (p.a, p.eighth)).collect::<Vec<_>>(), [(2563, 45), (15156, 94), (27749, 143)]);
    assert_eq!(structs[1].bb.0, 50.328_457);
    let a: Vec<i64> = packed.member("a").expect("a").read(1..).expect("a member");
    assert_eq!(a, [15156, 27749]);
    let one: Packed = packed.read(1).expect("one struct");
    assert_eq!((one.a, one.eighth), (15156, 94));
    let nested: Vec<Nested> = file.dataset("nested").expect("nested").read(0..2).expect("structs");
    assert_eq!(nested[0], Nested { n: -2_004_780_429, again: Inner { a: 18754 } });
    let arrays: Vec<[i32; 4]> =
        file.dataset("compound of array").expect("it").member("m").expect("m").read(..).expect("it");
    assert_eq!(arrays[0], [403_769_859, 875_374_111, 1_346_978_363, 1_818_582_615]);

    let missing = packed.member("c").expect_err("no such member");
    assert_eq!((missing.kind(), missing.to_string().contains("`bb`")), (ErrorKind::NotFound, true));
    assert_eq!(packed.read::<Vec<Other>>(..).expect_err("no x").kind(), ErrorKind::NotFound);
    assert_eq!(packed.read::<Vec<f64>>(..).expect_err("a compound").kind(), ErrorKind::Type);
}

#[test]
fn enumerations() {
    let file = open("files/enums.h5");
    let read = |path: &str| file.dataset(path).expect("a dataset");
    assert_eq!(read("bool").read::<Vec<bool>>(..).expect("bool"), [true, false, true]);
    assert_eq!(read("unsorted").read::<Vec<i32>>(..).expect("numbers"), [5, -2, 0, 9]);
    assert_eq!(read("unsorted").read::<Vec<String>>(0..3).expect("names"), ["b", "a", "c"]);
    let stray = read("unsorted").read::<Vec<String>>(..).expect_err("9 has no name");
    assert_eq!(stray.kind(), ErrorKind::Type);
    assert!(stray.to_string().contains("element 3"), "{stray}");
}

#[test]
fn strings_and_sequences() {
    let file = open("files/vlen_earliest.h5");
    let ints: Vec<Vec<i32>> = file.dataset("ints").expect("ints").read(0..3).expect("sequences");
    assert_eq!(ints, [vec![1, 2, 3], vec![], vec![4]]);
    let strings: Vec<Vec<String>> = file.dataset("of strings").expect("it").read(..).expect("strings");
    assert_eq!(strings, [vec!["one".to_owned(), String::new()], vec![]]);
    let nested: Vec<Vec<Vec<u8>>> = file.dataset("of vlen").expect("it").read(..).expect("sequences");
    assert_eq!(nested, [vec![vec![1], vec![2, 3]], vec![], vec![vec![]]]);
    let null: Vec<Option<String>> = dataset("files/strings_variable.h5", "/never").read(..).expect("strings");
    assert_eq!(null, [None, None]);
    let one: String = dataset("files/strings_variable.h5", "/scalar").read(..).expect("one string");
    assert_eq!(one, "Ü");
    let wrong = dataset("files/strings_variable.h5", "/not utf8").read::<Vec<String>>(..).expect_err("no UTF-8");
    assert_eq!(wrong.kind(), ErrorKind::Type);
}

#[test]
fn arrays_and_complex_numbers() {
    let arrays: Vec<Vec<i16>> = dataset("files/compound_earliest.h5", "/array").read(..).expect("arrays");
    assert_eq!(arrays[0], [778, 4376, 7974, 11572, 15170, 18768]);
    let fixed: Vec<[i64; 6]> = dataset("files/compound_earliest.h5", "/array").read(2).expect("an array");
    assert_eq!(fixed, [[-21582, -17984, -14386, -10788, -7190, -3592]]);
    let wrong = dataset("files/compound_earliest.h5", "/array").read::<Vec<[i64; 5]>>(..).expect_err("six");
    assert_eq!(wrong.kind(), ErrorKind::Type);
    let complex: Vec<[f64; 2]> = dataset("files/complex.h5", "/f16be").read(..).expect("complex numbers");
    assert_eq!(complex[0], [1.0, 2.0]);
}

#[test]
fn a_null_dataspace_holds_nothing() {
    let null = dataset("files/dataspaces.h5", "/null");
    assert!(null.dataspace().is_null());
    assert!(null.read::<Vec<i32>>(..).expect("no elements").is_empty());
    assert_eq!(null.read::<Array>(..).expect("no elements").values, []);
    assert_eq!(null.read::<Option<i32>>(..).expect("no element"), None);
    assert_eq!(null.read::<i32>(..).expect_err("not one").kind(), ErrorKind::Usage);
    assert_eq!(null.read::<ndarray::Array1<i32>>(..).expect_err("no shape").kind(), ErrorKind::Usage);
}

#[test]
fn anything_as_a_value() {
    let array: Array = dataset("files/compound_earliest.h5", "/unordered").read(0..1).expect("values");
    assert_eq!(array.shape, [1]);
    assert_eq!(array.to_string(), "[{late: 1346978363, early: 403769859, middle: 522595636}]");
    let Value::Compound(members) = &array.values[0] else { panic!("a compound") };
    assert_eq!(members[0].1, Value::Integer(1_346_978_363));
}

#[test]
fn elements_are_borrowed_where_they_can_be() {
    let bytes = std::fs::read(testdata().join("files/contiguous.h5")).expect("a file");
    let in_memory = File::from_source(Arc::new(Memory::new(bytes))).expect("it opens");
    let on_disk = open("files/contiguous.h5");
    let all: Vec<f64> = on_disk.dataset("one").expect("one").read(..).expect("all");
    let dataset = in_memory.dataset("one").expect("one");
    // The allocation may stand where eight bytes are not aligned; then there is nothing to borrow.
    if let Some(slice) = dataset.as_slice::<f64>().expect("in the file") {
        assert_eq!(slice, all);
    }
    #[allow(unsafe_code)]
    // SAFETY: test data does not change while tests run.
    let mapped = unsafe { File::open_mapped(testdata().join("files/contiguous.h5")) }.expect("mapped");
    let dataset = mapped.dataset("one").expect("one");
    assert_eq!(dataset.as_slice::<f64>().expect("in the file").expect("a map is aligned"), all);
    assert!(dataset.as_slice::<f32>().expect("in the file").is_none());
    assert!(mapped.dataset("three").expect("three").as_slice::<i32>().expect("in the file").is_none());
    assert!(on_disk.dataset("one").expect("one").as_slice::<f64>().expect("in the file").is_none());
}

#[test]
fn links_and_paths() {
    let file = open("files/links_all.h5");
    let names: Vec<String> = file.root().links().expect("links").map(|l| l.expect("sound").to_string()).collect();
    assert!(names.iter().any(|n| n.starts_with("latin \\xe9")), "{names:?}");
    assert!(file.exists("g").expect("sound") && !file.exists("dangling").expect("sound"));
    assert!(!file.exists("nothing/at/all").expect("sound"));
    let round = file.object("itself").expect_err("a circle");
    assert_eq!(round.kind(), ErrorKind::Usage);
    assert!(matches!(file.link("absolute").expect("a link").target(), Target::Soft(_)));
    assert!(file.object("external").is_ok());
    assert_eq!(file.object("external missing").expect_err("no file").kind(), ErrorKind::NotFound);
    assert_eq!(file.object("user defined").expect_err("user defined").kind(), ErrorKind::Unsupported);
    assert_eq!(file.root().info().address(), file.group("root again").expect("a cycle").info().address());
    let near = file.group("G").expect_err("another name");
    assert!(near.to_string().contains("there is `g`"), "{near}");
    assert_eq!(file.dataset("/").expect_err("the root").kind(), ErrorKind::Usage);
}

#[test]
fn references_lead_to_objects() {
    let file = open("files/references_earliest.h5");
    let mut seen = 0;
    for link in file.root().links().expect("links") {
        let Ok(Object::Dataset(dataset)) = link.and_then(|link| link.open()) else { continue };
        let Ok(references) = dataset.read::<Vec<Reference>>(..) else { continue };
        for reference in references {
            if reference.is_null() {
                assert_eq!(file.dereference(&reference).expect_err("null").kind(), ErrorKind::Usage);
            } else {
                seen += 1;
                assert_eq!(
                    Some(file.dereference(&reference).expect("an object").info().address()),
                    reference.address()
                );
                let path = file.path_of(&reference).expect("sound").expect("a hard link leads there");
                assert_eq!(Some(file.object(path).expect("an object").info().address()), reference.address());
            }
        }
    }
    assert!(seen > 3);
}

#[test]
fn a_decoder_of_the_callers_reads_what_was_refused() {
    let unknown = dataset("files/filter_unknown.h5", "/mandatory");
    assert_eq!(unknown.read::<Vec<i32>>(..).unwrap_err().kind(), ErrorKind::Unsupported);
    // The number is nobody's; what it stands for in this file is fletcher32.
    h5kit::filter::register(32767, |bytes, values, bound| {
        h5kit::filter::fletcher32::decode(bytes.into(), values, bound).map(Cow::into_owned)
    });
    assert_eq!(unknown.read::<Vec<i32>>(..).unwrap(), [0, 1, 2, 3]);
    assert!(unknown.filters().iter().all(|filter| filter.available));
    assert!(h5kit::filter::unregister(32767));
    assert!(unknown.read::<Vec<i32>>(..).is_err());
}

#[test]
fn everything_about_storage_is_known_before_reading() {
    let data = dataset("pbmc_small.h5ad", "/X/data");
    assert_eq!(data.layout(), Layout::Chunked { chunk: vec![1652], index: "version 1 B-tree" });
    assert_eq!(data.filters().iter().map(|f| (f.id, f.available)).collect::<Vec<_>>(), [(1, true)]);
    let chunks = data.chunks().expect("chunks");
    assert_eq!(chunks.iter().map(|c| c.offset[0]).collect::<Vec<_>>(), [0, 1652]);
    assert_eq!(data.stored_size().expect("sizes"), chunks.iter().map(|c| c.size).sum::<u64>());
    assert_eq!(data.logical_size(), 3304 * 4);
    let bytes = data.read_chunk(&chunks[1]).expect("a chunk");
    assert_eq!(bytes, data.read_bytes(1652..).expect("its elements"));
    let pca = dataset("pbmc_small.h5ad", "/obsm/X_pca");
    assert_eq!(pca.chunk_shape(), Some(&[200, 10][..]));
}

#[test]
fn a_file_is_used_by_many_threads() {
    let file = open("pbmc_small.h5ad");
    let expected: Vec<i32> = file.dataset("/X/indices").expect("indices").read(..).expect("all");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (file, expected) = (file.clone(), &expected);
            scope.spawn(move || {
                for _ in 0..20 {
                    let found: Vec<i32> = file.dataset("/X/indices").expect("indices").read(..).expect("all");
                    assert_eq!(&found, expected);
                }
            });
        }
    });
}

#[test]
fn a_part_reads_only_its_chunks() {
    let path = testdata().join("files/chunks_btree1.h5");
    let traced = Arc::new(Traced::new(Arc::new(FileSource::open(&path).expect("a file"))));
    let file = File::from_source(traced.clone()).expect("it opens");
    let dataset = file.dataset("line").expect("line");
    let chunks = dataset.chunks().expect("chunks");
    assert_eq!(chunks.len(), 8);
    let _ = traced.take_log();
    let part: Vec<u8> = dataset.read(14..22).expect("a part");
    assert_eq!(part.len(), 8);
    // Chunks have 7 elements of one byte and no filters: all of the third, and the first of the fourth.
    let wanted = [chunks[2].position..chunks[2].position + 7, chunks[3].position..chunks[3].position + 1];
    let in_chunks = |r: &Range<u64>| chunks.iter().any(|c| c.position <= r.start && r.start < c.position + c.size);
    let raw: Vec<_> = traced.take_log().into_iter().filter(in_chunks).collect();
    assert_eq!(raw, wanted);
}

#[test]
fn a_part_is_asked_for_at_once_and_no_more_than_it() {
    let bytes = std::fs::read(testdata().join("files/chunks_btree1.h5")).expect("a file");
    let extents = Arc::new(Extents::new(bytes.len() as u64));
    let fetch = |range: Range<u64>| Ok(bytes[range.start as usize..range.end as usize].to_vec());
    let open = || File::from_source(extents.clone())?.dataset("line");
    let line = extents.run(open, fetch).expect("it opens");
    let chunks = extents.run(|| line.chunks(), fetch).expect("chunks");
    let places = |read: &dyn Fn() -> h5kit::Result<Vec<u8>>| -> Vec<(u64, u64)> {
        assert!(read().expect_err("nothing of it is there").is_missing());
        let missing = extents.take_missing();
        let chunk = |at: u64| chunks.iter().find(|c| (c.position..c.position + c.size).contains(&at)).expect("a chunk");
        missing
            .iter()
            .map(|r| (chunk(r.start).offset[0] + r.start - chunk(r.start).position, r.end - r.start))
            .collect()
    };
    // Chunks have 7 elements of one byte and no filters, and stand one after the other.
    assert_eq!(places(&|| line.read(5..16)), [(5, 11)]);
    assert_eq!(places(&|| line.read(Hyperslab::new([15], [3]).stride([2]))), [(15, 5)]);
    let points = [3, 45, 1, 20];
    assert_eq!(places(&|| line.read(Points(points.map(|n| vec![n]).to_vec()))), [(1, 3), (20, 1), (45, 1)]);
}

#[test]
fn a_name_among_many_is_found_without_listing_them() {
    for name in ["files/symbols_deep.h5", "files/links_dense_deep.h5"] {
        let source = Arc::new(FileSource::open(&testdata().join(name)).expect("a file"));
        let length = source.len();
        let traced = Arc::new(Traced::new(source));
        let file = File::from_source(traced.clone()).expect("it opens");
        // The largest group of the file, and one of its names.
        let mut groups = vec![file.root()];
        groups.extend(file.root().links().expect("links").filter_map(|link| match link.and_then(|l| l.open()) {
            Ok(Object::Group(group)) => Some(group),
            _ => None,
        }));
        let largest = groups.iter().max_by_key(|group| group.links().map_or(0, |links| links.len())).expect("a group");
        let links: Vec<_> = largest.links().expect("links").collect::<Result<_, _>>().expect("sound");
        let wanted = links[links.len() / 2].path();
        let fresh = File::from_source(traced.clone()).expect("it opens");
        let _ = traced.take_log();
        assert!(fresh.link(&wanted).is_ok());
        let read: u64 = traced.take_log().iter().map(|range| range.end - range.start).sum();
        assert!(read < length / 2, "{name}: {read} of {length} bytes for one of {} names", links.len());
    }
}

#[test]
fn a_file_in_parts_is_opened_by_name_or_by_its_first_member() {
    let lines = |name: &str| common::lines_by_name(&testdata().join("files").join(name)).expect(name);
    assert_eq!(lines("family_00000.h5"), lines("family_%05d.h5"));
    assert_eq!(lines("multi-s.h5"), lines("multi"));
    assert_eq!(lines("split-m.h5"), lines("split"));
}

#[test]
fn of_a_truncated_dataset_the_part_that_is_there_is_read() {
    let dataset = dataset("files/truncated.h5", "/y");
    assert_eq!(dataset.read::<Vec<f64>>(..).expect_err("cut short").kind(), ErrorKind::Corrupt);
    let first: Vec<f64> = dataset.read(0..3).expect("they are there");
    assert_eq!(first.len(), 3);
}

#[test]
fn a_damaged_link_does_not_hide_the_others() {
    let group = open("corrupt/link_to_nowhere.h5").root();
    let links: Vec<_> = group.links().expect("an index that is sound").collect();
    assert!(links.iter().any(Result::is_err) || links.iter().flatten().any(|link| link.open().is_err()));
    assert!(links.iter().flatten().count() > 1);
}

#[test]
fn strings_in_one_piece() {
    let read = |file, path| dataset(file, path).read::<Strings>(..);
    for path in ["/utf8 nullterm", "/utf8 nullpad", "/chunked"] {
        let strings = read("files/strings_variable.h5", path).expect("UTF-8");
        assert_eq!((strings.len(), strings.missing()), (5, &[][..]));
        let all: Vec<&str> = strings.iter().collect();
        assert_eq!([all[0], all[1], all[2], all[4]], ["one", "", "größe €", "trailing blanks  "]);
        assert!(all[3].len() == 700 && all[3].bytes().all(|b| b == b'x'));
    }
    let some = dataset("files/strings_variable.h5", "/utf8 nullterm").read::<Strings>(2..3).expect("one of five");
    assert_eq!(some.into_parts(), ("größe €".to_owned(), vec![0, 11]));
    let null = read("files/strings_variable.h5", "/null").expect("UTF-8");
    assert_eq!((null.iter().collect::<Vec<_>>(), null.missing()), (vec!["", "after", ""], &[0, 2][..]));
    let fixed = read("files/strings_fixed.h5", "/two dimensions").expect("ASCII");
    assert_eq!(fixed.iter().collect::<Vec<_>>(), ["aa", "bb", "cc", "dd"]);

    let error = read("files/strings_fixed.h5", "/spacepad utf8").expect_err("no UTF-8");
    let same = dataset("files/strings_fixed.h5", "/spacepad utf8").read::<Vec<String>>(..).expect_err("no UTF-8");
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::Type, same.to_string()));
    assert!(error.to_string().contains(r"element 8: bad \xff\xfe"), "{error}");
    assert_eq!(read("files/integers.h5", "/i32le").expect_err("numbers").kind(), ErrorKind::Type);
    assert!(read("files/dataspaces.h5", "/null").expect("no elements").is_empty());
}

#[test]
fn one_link_of_many_is_found_on_one_path() {
    // 900 links behind hashes, and 80 in a tree of symbol tables: what is read does not grow with them.
    for (name, link) in [("files/links_dense_deep.h5", "0777"), ("files/symbols_deep.h5", "name 066")] {
        let source = Arc::new(Traced::new(Arc::new(FileSource::open(&testdata().join(name)).expect(name))));
        let group = File::from_source(source.clone()).expect("it opens").group("/g").expect("a group");
        drop(source.take_log());
        group.link(link).expect("it is there");
        let log = source.take_log();
        let bytes: u64 = log.iter().map(|range| range.end - range.start).sum();
        assert!(
            log.len() <= 12 && bytes < source.len() / 3,
            "{name}: {} reads, {bytes} of {}",
            log.len(),
            source.len()
        );
        // What was searched is kept.
        group.link(link).expect("it is there");
        assert!(source.take_log().len() <= 2);
    }
}

#[test]
fn blocks_are_borrowed_where_they_can_be() {
    let path = testdata().join("h5col/large.h5");
    let positioned = File::open(&path).expect("a file").dataset("/large/kind").expect("a dataset");
    let whole: Vec<u8> = positioned.read(..).expect("all values");
    let memory = File::from_bytes(std::fs::read(&path).expect("a file")).expect("HDF5");
    let memory = memory.dataset("/large/kind").expect("a dataset");
    // Chunks have 100 elements: within one, across two, none, all.
    for (rows, in_one) in [(700..800, true), (710..720, true), (750..850, false), (5..5, false), (0..20_000, false)] {
        let (mut buffer, mut other) = (Vec::new(), vec![7; 3]);
        let values: &[u8] = memory.read_or_borrow(rows.clone(), &mut buffer).expect("values");
        assert_eq!(values, &whole[rows.start as usize..rows.end as usize]);
        assert_eq!(buffer.is_empty(), in_one || rows.is_empty(), "{rows:?}");
        let values: &[u8] = positioned.read_or_borrow(rows.clone(), &mut other).expect("values");
        assert_eq!(values, &whole[rows.start as usize..rows.end as usize]);
        let mut converted = Vec::new();
        let floats: &[f64] = memory.read_or_borrow(rows.clone(), &mut converted).expect("values");
        assert!(floats.iter().copied().eq(whole[rows.start as usize..rows.end as usize].iter().map(|n| f64::from(*n))));
    }
    for name in ["h5col/stations.h5", "pbmc_small.h5ad"] {
        let path = if name.ends_with("ad") { "/obsm/X_pca" } else { "/stations/warmth" };
        let dataset = dataset(name, path);
        let whole: Vec<f64> = dataset.read(..).expect("all values");
        let mut buffer = Vec::<f64>::new();
        let values = dataset.read_or_borrow(.., &mut buffer).expect("values").iter().map(|value| value.to_bits());
        assert!(values.eq(whole.iter().map(|value| value.to_bits())), "{path}");
    }
    let error = memory.read_or_borrow(19_999..20_001, &mut Vec::<u8>::new()).expect_err("not so many");
    assert_eq!(error.kind(), ErrorKind::Selection);
}
