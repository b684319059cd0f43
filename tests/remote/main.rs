//! Files over HTTP: the same lines, values and errors as from here, in few rounds.

#[path = "../common/mod.rs"]
mod common;
mod http;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::testdata;
use h5kit::digest::Lines;
use h5kit::remote::{RemoteFile, RemoteOptions};
use h5kit::source::Fetching;
use h5kit::{ErrorKind, File, Object, Result};
use http::{Manners, Server};
use tokio::runtime::Runtime;

/// The files of a folder by their names.
fn folder(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.filter(|path| path.is_file()).map(|path| (name(&path), std::fs::read(&path).expect("a file"))).collect()
}

/// A large file that is kept small.
fn unpacked(name: &str) -> Vec<u8> {
    let packed = std::fs::read(testdata().join("far").join(format!("{name}.gz"))).expect("a file");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).expect("gzip");
    bytes
}

/// A server of one file.
fn serving(name: &str, bytes: Vec<u8>, manners: Manners) -> Server {
    Server::of([(name.to_owned(), bytes)], manners)
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

fn open(url: &str) -> Result<RemoteFile> {
    runtime().block_on(RemoteFile::open(url))
}

fn names(file: &File) -> Result<Vec<String>> {
    file.root().links()?.map(|link| Ok(link?.name().display().into_owned())).collect()
}

#[test]
fn opening_and_listing_the_root_takes_two_rounds() {
    let files = folder(&testdata().join("files"));
    let server = Server::of(files.clone(), Manners::default());
    let runtime = runtime();
    let mut listed = 0;
    for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".h5")) {
        let Ok(here) = File::from_bytes(bytes.clone()).and_then(|file| names(&file)) else { continue };
        // Little comes with the first request, and nothing that was not asked for after it.
        let options = RemoteOptions::new().first_bytes(2048);
        let options = options.fetching(Fetching { page: 1, gap: 0, ahead: 0, small: 0, ..Fetching::default() });
        let far = runtime.block_on(options.open(&server.url(name))).unwrap_or_else(|e| panic!("{name}: {e}"));
        let there = runtime.block_on(far.run(names)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(there, here, "{name}");
        let first = runtime.block_on(RemoteFile::open(&server.url(name))).unwrap_or_else(|e| panic!("{name}: {e}"));
        runtime.block_on(first.run(names)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(first.traffic().rounds <= 2, "{name}: {:?}", first.traffic());
        listed += 1;
    }
    assert!(listed > 150, "{listed}");
}

#[test]
fn a_window_takes_a_round_for_each_level_of_its_index_and_one_for_its_chunks() {
    let runtime = runtime();
    // Levels: three of nodes; header, blocks, pages.
    for (name, path, levels) in [
        ("windows_earliest.h5", "steps", 3),
        ("windows_earliest.h5", "fixed", 3),
        ("windows_latest.h5", "steps", 5),
        ("windows_latest.h5", "fixed", 3),
    ] {
        let bytes = unpacked(name);
        let expected: Vec<i32> = File::from_bytes(bytes.clone())
            .and_then(|file| file.dataset(path)?.read(123_456..123_556))
            .expect("a window");
        assert_eq!(expected, (123_456..123_556).map(|i| i / 1000).collect::<Vec<i32>>());
        let server = serving(name, bytes, Manners::default());
        // Nothing comes that was not asked for.
        let exact = Fetching { page: 64, gap: 0, ahead: 0, small: 0, ..Fetching::default() };
        let options = RemoteOptions::new().first_bytes(512).fetching(exact);
        let far = runtime.block_on(options.open(&server.url(name))).expect("it opens");
        let dataset = runtime.block_on(far.run(|file| file.dataset(path))).expect("a dataset");
        let before = far.traffic();
        server.take_ranges();
        let window: Vec<i32> = runtime.block_on(far.run(|_| dataset.read(123_456..123_556))).expect("a window");
        assert_eq!(window, expected, "{name} {path}");
        let rounds = far.traffic().rounds - before.rounds;
        assert!(rounds <= levels + 1, "{name} {path}: {rounds} rounds, {:?}", server.take_ranges());
        let bytes = far.traffic().bytes - before.bytes;
        assert!(bytes < 16_000, "{name} {path}: {bytes} bytes");
        // The index is kept.
        let before = far.traffic();
        let next: Vec<i32> = runtime.block_on(far.run(|_| dataset.read(123_560..123_580))).expect("a window");
        assert_eq!((next, far.traffic().rounds - before.rounds), (vec![123; 20], 1), "{name} {path}");
    }
}

#[test]
fn a_thousand_datasets_far_apart_are_listed_in_six_rounds() {
    for name in ["scattered.h5", "scattered_latest.h5"] {
        thousand(name);
    }
}

/// Lists the datasets of a file, 30 ms away by six connections.
fn thousand(name: &str) {
    let manners = Manners { latency: Duration::from_millis(30), ..Manners::default() };
    let server = serving(name, unpacked(name), manners);
    let runtime = runtime();
    let begun = Instant::now();
    let far = runtime.block_on(RemoteFile::open(&server.url(name))).expect("it opens");
    let shapes = |file: &File| -> Result<Vec<(String, Vec<u64>)>> {
        file.root().fetch_children(|_| Ok(()))?;
        file.root()
            .links()?
            .map(|link| {
                let Object::Dataset(dataset) = link?.open()? else { panic!("all are datasets") };
                Ok((dataset.path().to_owned(), dataset.shape().to_vec()))
            })
            .collect()
    };
    let shapes = runtime.block_on(far.run(shapes)).expect("all of them");
    let took = begun.elapsed();
    let expected: Vec<_> = (0..1000).map(|i| (format!("/d{i:04}"), vec![12_800 - i, 2])).collect();
    assert_eq!(shapes, expected);
    let traffic = far.traffic();
    println!("{name}: {traffic:?}, {took:?}");
    assert!(traffic.rounds <= 6 && traffic.bytes <= 1_500_000, "{name}: {traffic:?}");
    // Each round waits for as many answers, one after the other, as six connections need for it. What is left of 1.5 seconds is
    // for computing.
    let waits = traffic.requests.div_ceil(6) + traffic.rounds;
    assert!(waits * 30 <= 1200, "{name}: {traffic:?}");
    // By the clock it takes longer where others compute as well.
    assert!(took < Duration::from_secs(15), "{name}: {took:?}");
    assert_eq!(server.requests(), traffic.requests);
    assert!(server.most_at_once() <= 6, "{}", server.most_at_once());
}

/// What a digest says of every file is what it says of the file from here, also where others belong to it.
#[test]
fn digests_are_the_same() {
    let files = folder(&testdata().join("files"));
    let server = Server::of(files.clone(), Manners::default());
    for (name, _) in files.iter().filter(|(name, _)| name.ends_with(".h5") || name.ends_with(".h5ad")) {
        // Those that are parts of one file are no files of their own.
        let Ok(here) = File::open(testdata().join("files").join(name)) else { continue };
        if here.superblock().version() < 2 && name.contains("-m")
            || name.starts_with("family")
            || name.starts_with("multi")
        {
            continue;
        }
        let here: Result<Vec<String>> = Lines::of(&here).collect();
        let there = RemoteOptions::new().open_waiting(&server.url(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let there: Result<Vec<String>> = Lines::of(&there).collect();
        assert_eq!(there.expect(name), here.expect(name), "{name}");
    }
}

#[test]
fn commands_take_addresses() {
    let files = folder(&testdata().join("files"));
    let server = Server::of(files, Manners::default());
    let output = |args: &[&str], file: &str| {
        let run = Command::new(env!("CARGO_BIN_EXE_h5kit")).args(args).arg(file).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(file, "FILE");
        (run.status.code(), text(&run.stdout), text(&run.stderr))
    };
    for (args, name) in [
        (&["ls", "-r"][..], "links_all.h5"),
        (&["ls", "--tree", "-l"], "anndata_now.h5ad"),
        (&["dump"], "chunks_all_v4.h5"),
        (&["stat"], "chunks_all_v5.h5"),
        (&["check"], "virtual.h5"),
        (&["digest"], "vlen_v200.h5"),
        (&["view"], "anndata_now.h5ad"),
        (&["anndata", "--json"], "anndata_frame.h5ad"),
        (&["salvage", "--list"], "groups_nested.h5"),
    ] {
        let path = testdata().join("files").join(name);
        let here = output(args, path.to_str().expect("text"));
        let there = output(args, &server.url(name));
        assert_eq!(there, here, "{args:?} {name}");
        assert_ne!(here.0, Some(2), "{args:?} {name}: {here:?}");
    }
    let (status, _, error) = output(&["ls"], &server.url("absent.h5"));
    assert_eq!(status, Some(2));
    assert!(error.contains("no file"), "{error}");
}

#[test]
fn servers_that_send_whole_files_only() {
    let bytes = std::fs::read(testdata().join("pbmc_small.h5ad")).expect("a file");
    let server = serving("x.h5", bytes.clone(), Manners { whole: true, ..Manners::default() });
    let far = open(&server.url("x.h5")).expect("it is small");
    assert_eq!(far.traffic().bytes, bytes.len() as u64);
    assert!(!runtime().block_on(far.run(names)).expect("names").is_empty());
    let small = RemoteOptions::new().whole_bytes(1000);
    let error = runtime().block_on(small.open(&server.url("x.h5"))).expect_err("it is too large");
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("sends no parts of files"), "{error}");
}

/// A file that becomes another one is not read as a mixture of both.
#[test]
fn files_that_change_are_told() {
    for untagged in [false, true] {
        let manners = Manners { changes_after: Some(1), untagged, ..Manners::default() };
        let server = serving("windows.h5", unpacked("windows_latest.h5"), manners);
        let far = open(&server.url("windows.h5")).expect("it opens");
        let all = far.run(|file| file.dataset("steps")?.read::<Vec<i32>>(..));
        let error = runtime().block_on(all).map(drop).expect_err("it has changed");
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains("the file has changed"), "{error}");
    }
}

#[test]
fn errors_of_servers() {
    let bytes = unpacked("windows_latest.h5");
    let read = |manners| {
        let server = serving("windows.h5", bytes.clone(), manners);
        let far = open(&server.url("windows.h5"))?;
        runtime().block_on(far.run(|file| file.dataset("fixed")?.read::<Vec<i32>>(..)))
    };
    let fails = |manners| read(manners).map(drop).expect_err("no answer").kind();
    let expected: Vec<i32> = (0..200_000).map(|i| i / 1000).collect();
    let slow = Manners { latency: Duration::from_millis(100), ..Manners::default() };
    assert_eq!(read(slow).expect("slow"), expected);
    // What fails for a moment is asked for again.
    let moment = Manners { fails: Some((1, 2)), ..Manners::default() };
    assert_eq!(read(moment).expect("a moment"), expected);
    let for_ever = Manners { fails: Some((1, 1000)), ..Manners::default() };
    assert_eq!(fails(for_ever), ErrorKind::Io);
    let broken = Manners { breaks_off: Some((1, 100)), ..Manners::default() };
    assert_eq!(fails(broken), ErrorKind::Io);
    assert_eq!(open("http://127.0.0.1:9/x.h5").expect_err("nobody is there").kind(), ErrorKind::Io);
    let server = serving("x.h5", vec![7; 5000], Manners::default());
    assert_eq!(open(&server.url("y.h5")).expect_err("no such file").kind(), ErrorKind::NotFound);
    assert_eq!(open(&server.url("x.h5")).expect_err("no HDF5").kind(), ErrorKind::NotHdf5);
}

/// A signature is sent with every request, and shown to nobody.
#[test]
fn signed_addresses() {
    let server = serving("x.h5", unpacked("windows_latest.h5"), Manners::default());
    let signed = format!("{}?signature=secret", server.url("x.h5"));
    let far = open(&signed).expect("it opens");
    assert_eq!(runtime().block_on(far.run(names)).expect("names"), ["fixed", "steps"]);
    let error = open(&format!("{}?signature=secret", server.url("y.h5"))).expect_err("no such file");
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn a_file_of_this_machine_has_an_address_too() {
    let path = testdata().join("pbmc_small.h5ad").canonicalize().expect("a path");
    let far = open(&format!("file://{}", path.display())).expect("it opens");
    let there = runtime().block_on(far.run(names)).expect("names");
    assert_eq!(there, names(&File::open(path).expect("a file")).expect("names"));
}

/// What is kept stays within its budget, and what is needed again is fetched again.
#[test]
fn the_cache_has_a_budget() {
    let server = serving("windows.h5", unpacked("windows_earliest.h5"), Manners::default());
    let options = RemoteOptions::new().cache_bytes(100_000);
    let far = runtime().block_on(options.open(&server.url("windows.h5"))).expect("it opens");
    let dataset = runtime().block_on(far.run(|file| file.dataset("steps"))).expect("a dataset");
    let expected: Vec<i32> = (0..200_000).map(|i| i / 1000).collect();
    for _ in 0..2 {
        let before = far.traffic().bytes;
        let all: Vec<i32> = runtime().block_on(far.run(|_| dataset.read(..))).expect("all of it");
        assert_eq!(all, expected);
        assert!(far.traffic().bytes - before > 700_000);
    }
}

/// What S3 answers to requests for objects, and so do others that speak its language.
#[test]
fn objects_of_stores() {
    let bytes = unpacked("windows_latest.h5");
    let expected: Vec<i32> = (0..200_000).map(|i| i / 1000).collect();
    let read = |options: RemoteOptions, url: &str| -> Result<Vec<i32>> {
        let runtime = runtime();
        let far = runtime.block_on(options.open(url))?;
        runtime.block_on(far.run(|file| file.dataset("steps")?.read(..)))
    };
    let open = serving("x.h5", bytes.clone(), Manners::default());
    let s3 = |server: &Server| {
        let options = RemoteOptions::new().setting("aws_endpoint", server.endpoint()).setting("aws_region", "here");
        options.setting("aws_allow_http", "true")
    };
    let unsigned = |server: &Server| s3(server).setting("aws_skip_signature", "true");
    assert_eq!(read(unsigned(&open), "s3://data/x.h5").expect("for everybody"), expected);
    assert!(!open.take_ranges().is_empty());
    let gs = RemoteOptions::new().setting("google_base_url", open.endpoint()).setting("google_skip_signature", "true");
    let gs = gs.setting("google_allow_http", "true");
    assert_eq!(read(gs, "gs://data/x.h5").expect("Google"), expected);
    let az = RemoteOptions::new().setting("azure_endpoint", open.endpoint()).setting("azure_skip_signature", "true");
    let az = az.setting("azure_storage_account_name", "somebody").setting("azure_allow_http", "true");
    assert_eq!(read(az, "az://data/x.h5").expect("Azure"), expected);

    let absent = read(unsigned(&open), "s3://data/y.h5").expect_err("no such object");
    assert_eq!(absent.kind(), ErrorKind::NotFound);
    assert!(absent.to_string().contains("s3://data/y.h5"), "{absent}");
    let unknown = read(unsigned(&open).setting("aws_endpiont", ""), "s3://data/x.h5").expect_err("no such setting");
    assert!(unknown.to_string().contains("aws_endpiont"), "{unknown}");

    // Signed by whom the server knows, by somebody else, and by nobody.
    let manners = Manners { requires: Some("AWS4-HMAC-SHA256 Credential=somebody/"), ..Manners::default() };
    let closed = serving("x.h5", bytes.clone(), manners);
    let signed = |who: &str| s3(&closed).setting("aws_access_key_id", who).setting("aws_secret_access_key", "secret");
    assert_eq!(read(signed("somebody"), "s3://data/x.h5").expect("signed"), expected);
    for options in [signed("nobody"), unsigned(&closed)] {
        assert!(!format!("{options:?}").contains("secret\""), "{options:?}");
        let refused = read(options, "s3://data/x.h5").expect_err("not allowed");
        assert_eq!(refused.kind(), ErrorKind::Io);
        let text = refused.to_string();
        assert!(text.contains("s3://data/x.h5") && text.contains("403"), "{text}");
        assert!(!text.contains('\n') && text.len() < 300, "{text}");
    }

    let nobody = s3(&closed).setting("aws_metadata_endpoint", closed.endpoint());
    let text = read(nobody, "s3://data/x.h5").expect_err("no credentials").to_string();
    assert!(text.contains("there are no credentials"), "{text}");

    let changing = serving("x.h5", bytes, Manners { changes_after: Some(1), ..Manners::default() });
    let changed = read(unsigned(&changing), "s3://data/x.h5").expect_err("it has changed");
    assert!(changed.to_string().contains("the file has changed"), "{changed}");

    // The command takes all that from the environment.
    let listed = |address: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_h5kit"));
        command.args(["ls", address]).env("AWS_ENDPOINT", open.endpoint()).env("AWS_ALLOW_HTTP", "true");
        let run = command.env("AWS_SKIP_SIGNATURE", "true").output().expect("it runs");
        (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
    };
    let (status, lines) = listed("s3://data/x.h5");
    assert_eq!(status, Some(0));
    assert!(lines.starts_with("fixed"), "{lines}");
    assert_eq!(lines, listed(&open.url("x.h5")).1);
}
