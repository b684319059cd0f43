//! How fast objects, links and attributes are found: `cargo bench --bench metadata`.
//!
//! Each is measured in a file that is opened anew, by positioned reads and in memory, so that nothing is known yet.
#![allow(missing_docs)]

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use h5kit::{File, Group, Object, Result};

fn path(name: &str) -> String {
    format!("{}/testdata/files/{name}.h5", env!("CARGO_MANIFEST_DIR"))
}

/// Measures what is done with a file that was just opened.
fn opened(c: &mut Criterion, what: &str, name: &str, work: impl Fn(&File) -> Result<usize>) {
    let path = path(name);
    let bytes = std::fs::read(&path).expect("a file of the test data");
    let mut group = c.benchmark_group(what);
    group.bench_function("file", |b| {
        b.iter(|| work(&File::open(Path::new(&path)).expect("it opens")).expect("it is sound"));
    });
    group.bench_function("memory", |b| {
        let opened = || File::from_bytes(bytes.clone()).expect("it opens");
        b.iter_batched(opened, |file| work(&file).expect("it is sound"), criterion::BatchSize::SmallInput);
    });
}

/// Links below a group, and what they lead to.
fn list(group: &Group) -> Result<usize> {
    let mut found = 0;
    for link in group.links()? {
        found += match link?.open() {
            Ok(Object::Group(group)) if group.path().len() < 100 => 1 + list(&group)?,
            Ok(_) => 1,
            Err(_) => 0,
        };
    }
    Ok(found)
}

/// Every link of a group by its name.
fn look_up(file: &File) -> Result<usize> {
    let group = file.group("/g")?;
    let names: Vec<String> = group.links()?.flatten().map(|link| link.name().to_string()).collect();
    for name in &names {
        black_box(group.link(name)?);
    }
    Ok(names.len())
}

fn objects(c: &mut Criterion) {
    opened(c, "open and read 88 datasets", "integers_odd", |file| {
        let mut bytes = 0;
        for link in file.root().links()? {
            if let Object::Dataset(dataset) = link?.open()? {
                bytes += dataset.read_bytes(..)?.len();
            }
        }
        Ok(bytes)
    });
    opened(c, "list nested groups", "groups_nested", |file| list(&file.root()));
    opened(c, "look up 900 links of a dense group", "links_dense_deep", look_up);
    opened(c, "look up 80 links of a symbol table", "symbols_deep", look_up);
}

fn attributes(c: &mut Criterion) {
    for (what, name, object) in [
        ("101 attributes by name, dense", "attributes_dense", "/g"),
        ("120 attributes by name, in the header", "header_1_chain", "/x"),
    ] {
        opened(c, what, name, |file| {
            let object = file.object(object)?;
            let names: Vec<String> = object.attributes()?.flatten().map(|a| a.name().to_string()).collect();
            names.iter().map(|name| Ok(object.attribute(name)?.read_bytes()?.len())).sum()
        });
    }
}

criterion_group!(benches, objects, attributes);
criterion_main!(benches);
