//! Every limit ends in an error that names it, and lets through what is below it.

mod common;

use common::testdata;
use h5kit::digest::Lines;
use h5kit::element::{Strings, Value};
use h5kit::{Error, ErrorKind, File, Limits, Options, Result, SurveyData};

/// Opens a file with these limits and does something with it.
fn under(limits: Limits, name: &str, what: impl Fn(&File) -> Result<()>) -> Result<()> {
    what(&Options::new().limits(limits).open(testdata().join("files").join(name))?)
}

/// The work is done under the defaults, and refused under `low`, by the name of the limit.
fn names(limit: &str, low: Limits, name: &str, what: impl Fn(&File) -> Result<()>) {
    under(Limits::default(), name, &what).unwrap_or_else(|e| panic!("{name}: {e}"));
    let error = under(low, name, &what).expect_err(limit);
    assert!(error.to_string().contains(&format!("limit `{limit}`")), "{limit}: {error}");
    assert!(matches!(error.kind(), ErrorKind::Limit | ErrorKind::Usage), "{limit}: {error}");
}

fn all_values(path: &'static str) -> impl Fn(&File) -> Result<()> {
    move |file| file.dataset(path)?.read::<Vec<Value>>(..).map(drop)
}

fn all_links(path: &'static str) -> impl Fn(&File) -> Result<()> {
    move |file| file.group(path)?.links()?.try_for_each(|link| link.map(drop))
}

#[test]
fn each_limit_names_itself() {
    let sane = Limits::default;
    // A limit that is added is to be tested here.
    let Limits {
        datatype_depth: _,
        link_traversals: _,
        path_parts: _,
        header_chunks: _,
        tree_depth: _,
        virtual_sources: _,
        virtual_overlap: _,
        index_nodes: _,
        siblings: _,
        metadata_bytes: _,
        chunk_bytes: _,
        expansion: _,
        heap_expansion: _,
        heap_total: _,
        read_total: _,
        // Tested where it is counted.
        salvage_expansion: _,
        read_bytes: _,
        // These two bound what is kept; nothing is refused.
        cache_bytes: _,
        chunk_cache_bytes: _,
    } = sane();
    let first_dataset = |file: &File| file.dataset("/nested").map(drop);
    names("datatype_depth", Limits { datatype_depth: 1, ..sane() }, "compound_v200.h5", first_dataset);
    names("link_traversals", Limits { link_traversals: 1, ..sane() }, "links_all.h5", |file| {
        file.object("/chain").map(drop)
    });
    names("path_parts", Limits { path_parts: 1, ..sane() }, "links_all.h5", |file| file.object("/chain").map(drop));
    names("header_chunks", Limits { header_chunks: 2, ..sane() }, "header_1_chain.h5", |file| {
        let attributes = file.dataset("/x")?.attributes()?;
        attributes.into_iter().try_for_each(|attribute| attribute.map(drop))
    });
    names("tree_depth", Limits { tree_depth: 1, ..sane() }, "btree2_depth_3.h5", all_links("/"));
    names("index_nodes", Limits { index_nodes: 2, ..sane() }, "btree2_depth_3.h5", all_links("/"));
    names("siblings", Limits { siblings: 10, ..sane() }, "links_dense.h5", all_links("/g"));
    names("metadata_bytes", Limits { metadata_bytes: 100, ..sane() }, "symbols_deep.h5", all_links("/g"));
    names("chunk_bytes", Limits { chunk_bytes: 16, ..sane() }, "chunks_all_v4.h5", all_values("/fixed"));
    names("read_bytes", Limits { read_bytes: 100, ..sane() }, "chunks_all_v4.h5", all_values("/fixed"));
    names("virtual_sources", Limits { virtual_sources: 1, ..sane() }, "virtual.h5", all_values("/rows"));
}

#[test]
fn little_that_is_stored_does_not_become_much() {
    // Terabytes of which two chunks were ever written.
    let low = Limits { expansion: 1, ..Limits::default() };
    for limits in [Limits::default(), low] {
        let file =
            Options::new().limits(limits).open(testdata().join("files/chunks_large_sparse.h5")).expect("it opens");
        for link in file.root().links().expect("links") {
            let Ok(dataset) = file.dataset(link.expect("a link").name().as_bytes()) else { continue };
            let error = dataset.read_bytes(..).expect_err("more than any memory");
            assert!(error.to_string().contains("limit `expansion`"), "{error}");
            // By selections it is read all the same.
            let few: Vec<(u64, u64)> = dataset.shape().iter().map(|n| (n - 1, 1)).collect();
            let (start, count): (Vec<u64>, Vec<u64>) = few.into_iter().unzip();
            assert!(dataset.read_bytes(h5kit::Hyperslab::new(start, count)).is_ok());
        }
    }
}

#[test]
fn strings_of_a_small_file_are_not_endless() {
    let path = testdata().join("corrupt/sequences_of_themselves.h5");
    let file = File::open(&path).expect("it opens");
    let error = file.dataset("/x").and_then(|x| x.read::<Vec<Value>>(..)).expect_err("endless");
    assert!(error.to_string().contains("limit `heap_expansion`"), "{error}");
    let low = Limits { heap_expansion: 0, ..Limits::default() };
    let file = Options::new().limits(low).open(testdata().join("files/strings_variable.h5")).expect("it opens");
    let links = file.root().links().expect("links").flatten();
    let read = links.filter_map(|link| file.dataset(link.name().as_bytes()).ok()?.read::<Strings>(..).ok());
    assert!(read.count() > 0, "what any file may have is not refused");
}

/// What comes of reading again and again, until it fails.
fn again(mut read: impl FnMut() -> Result<()>) -> Error {
    (0..1000).find_map(|_| read().err()).expect("a limit")
}

#[test]
fn all_reads_together_are_bounded_where_that_is_asked_for() {
    let open = |path: &str, limits| Options::new().limits(limits).open(testdata().join(path)).expect("it opens");
    // Chunks that were never written.
    let read = |limits| {
        let file = open("files/chunks_large_sparse.h5", limits);
        let links = file.root().links().expect("links").map(|link| link.expect("a link"));
        let dataset = links.filter_map(|link| file.dataset(link.name().as_bytes()).ok()).find(|d| d.shape().len() == 1);
        let dataset = dataset.expect("a dataset of one dimension");
        let n = (32 << 20) / u64::from(dataset.datatype().size);
        (0..40).try_for_each(|_| dataset.read_bytes(0..n).map(drop))
    };
    assert!(read(Limits::default()).is_ok());
    let error = read(Limits { read_total: 0, ..Limits::default() }).expect_err("more than 1 GiB");
    assert!(error.to_string().contains("limit `read_total`"), "{error}");
    // Sequences of a few bytes, which become 16 MiB each time.
    let file = open("corrupt/sequences_of_themselves.h5", Limits { heap_total: 0, ..Limits::default() });
    let dataset = file.dataset("/x").expect("a dataset");
    let error = again(|| match dataset.read::<Vec<Value>>(..) {
        Err(e) if e.to_string().contains("heap_expansion") => Ok(()),
        read => read.map(drop),
    });
    assert!(error.to_string().contains("limit `heap_total`"), "{error}");
}

#[test]
fn what_many_attributes_have_in_common_is_not_said_without_end() {
    // 60 attributes of one committed datatype, of which a digest says 4 kB each.
    let path = testdata().join("files/committed_by_many.h5");
    let attributes = |limits| {
        let lines = lines(&Options::new().limits(limits).open(&path).expect("it opens"));
        lines.into_iter().find(|line| line.starts_with(r#"{"path":"/g""#)).expect("the group")
    };
    let whole = attributes(Limits::default());
    assert!(whole.contains(r#""n59":{"type""#) && !whole.contains("error"), "{whole}");
    let cut = attributes(Limits { metadata_bytes: 100_000, ..Limits::default() });
    assert!(cut.len() < 55_000 && cut.ends_with(r#""error":"unsupported"}}"#), "{cut}");
}

#[test]
fn a_datatype_that_many_datasets_have_is_kept_once() {
    let file = File::open(testdata().join("files/committed_by_many.h5")).expect("it opens");
    let datasets = ["/d00", "/d11"].map(|path| file.dataset(path).expect("a dataset"));
    assert!(std::ptr::eq(datasets[0].datatype(), datasets[1].datatype()));
    let none = Options::new().limits(Limits { cache_bytes: 0, ..Limits::default() });
    let file = none.open(testdata().join("files/committed_by_many.h5")).expect("it opens");
    assert_eq!(file.dataset("/d00").expect("a dataset").datatype(), datasets[0].datatype());
}

/// The lines of a digest.
fn lines(file: &File) -> Vec<String> {
    Lines::of(file).collect::<Result<_>>().expect("lines")
}

#[test]
fn what_objects_share_is_not_met_by_all_of_them() {
    // 41 objects or more, each of which would have 60 links, 200 chunks or 450 attributes.
    for name in [
        "attributes_dense_shared",
        "continuation_shared",
        "headers_overlap",
        "symbol_nodes_shared",
        "chunk_index_shared",
        "virtual_mappings_shared",
    ] {
        let file = File::open(testdata().join(format!("corrupt/{name}.h5"))).expect("it opens");
        let lines = lines(&file);
        let damaged = lines.iter().filter(|line| line.contains("\"unreadable\"")).count();
        assert!(damaged >= 25, "{name}: {damaged} of {} lines", lines.len());
        assert!(lines.len() < 1000, "{name}: {} lines", lines.len());
        let survey = file.survey(SurveyData::Read).expect("a survey");
        // An attribute has three parts.
        assert!(survey.parts.len() + survey.extents.len() < 2000, "{name}: {} parts", survey.parts.len());
    }
}

#[test]
fn chunks_that_are_one_are_not_decoded_again_and_again() {
    // 40 kB that become 100 bytes.
    let file = File::open(testdata().join("corrupt/chunks_futile.h5")).expect("it opens");
    let x = file.dataset("/x").expect("a dataset");
    assert_eq!(x.read::<Vec<i8>>(0..100).expect("the first chunk"), (0..100).collect::<Vec<i8>>());
    let error = x.read::<Vec<i8>>(..).expect_err("40 times as many bytes as the file has");
    assert!(error.to_string().contains("what was met before"), "{error}");
}

#[test]
fn what_is_met_again_is_the_same() {
    for name in ["symbols_deep.h5", "links_dense.h5", "attributes_dense.h5", "header_1_chain.h5", "chunks_all_v4.h5"] {
        let file = File::open(testdata().join("files").join(name)).expect("it opens");
        let first = lines(&file);
        assert!((0..5).all(|_| lines(&file) == first), "{name}");
    }
}
