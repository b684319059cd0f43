//! How fast elements become values: `cargo bench --bench elements`.
//!
//! Datatypes are those of datasets of the test data; elements are made for them, a megabyte each, so that no file is read.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use h5kit::bytes::{Block, Widths};
use h5kit::element::{Element, Heap, Lossy, Output, Strings};
use h5kit::format::reference::HeapPlace;
use h5kit::{Datatype, File, Result};

const BYTES: usize = 1 << 20;

/// A heap in which every object is the same string.
struct OneString;

impl Heap for OneString {
    fn widths(&self) -> Widths {
        Widths::default()
    }

    fn becomes(&self, _: u64) -> Result<()> {
        Ok(())
    }

    fn prefetch(&self, places: &mut dyn Iterator<Item = HeapPlace>) -> Result<()> {
        places.for_each(drop);
        Ok(())
    }

    fn object(&self, _: HeapPlace, with: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        with(Block::new("seventeen bytés!".as_bytes(), 0, Widths::default()))
    }
}

fn datatype(file: &str, dataset: &str) -> Datatype {
    let path = format!("{}/testdata/files/{file}.h5", env!("CARGO_MANIFEST_DIR"));
    let dataset = File::open(path).and_then(|file| file.dataset(dataset)).expect("a dataset of the test data");
    dataset.datatype().clone()
}

/// The elements of a datatype, over and over.
fn elements(datatype: &Datatype, element: &[u8]) -> Vec<u8> {
    assert_eq!(element.len(), datatype.size as usize);
    element.repeat(BYTES / element.len())
}

fn decode<T: Element>(c: &mut Criterion, what: &str, datatype: &Datatype, element: &[u8]) {
    let bytes = elements(datatype, element);
    let n = bytes.len() / element.len();
    let decoder = T::decoder(datatype).expect("the elements convert");
    let mut values = T::empty_vec(n).expect("memory");
    let mut group = c.benchmark_group("decode");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function(what, |b| b.iter(|| decoder(&bytes, &OneString, &mut values).expect("they fit")));
}

fn gather(c: &mut Criterion, what: &str, datatype: &Datatype, element: &[u8]) {
    let bytes = elements(datatype, element);
    let n = bytes.len() / element.len();
    let mut group = c.benchmark_group("gather");
    group.throughput(Throughput::Elements(n as u64));
    group.bench_function(what, |b| {
        b.iter(|| {
            let mut gather = Strings::gather(datatype).expect("strings").expect("strings are gathered");
            gather.add(&bytes, n, &OneString).expect("UTF-8");
            gather.finish(&[n as u64]).expect("strings")
        });
    });
}

fn numbers(c: &mut Criterion) {
    let (i16le, i32le) = (datatype("integers", "/i16le"), datatype("integers", "/i32le"));
    let (f64be, f64le) = (datatype("floats", "/f64be"), datatype("floats", "/f64le"));
    decode::<f64>(c, "i16 as f64", &i16le, &(-7i16).to_le_bytes());
    decode::<f32>(c, "i16 as f32", &i16le, &(-7i16).to_le_bytes());
    decode::<i16>(c, "i32 as i16", &i32le, &(-7i32).to_le_bytes());
    decode::<f64>(c, "f64 of the other order", &f64be, &0.1f64.to_be_bytes());
    decode::<Lossy<f32>>(c, "f64 rounded to f32", &f64le, &0.1f64.to_le_bytes());
}

h5kit::compound! {
    /// Two members of three.
    #[derive(Clone)]
    pub struct Holes {
        /// The first.
        pub x: i16,
        /// The second.
        pub y: f64,
    }
}

fn compounds(c: &mut Criterion) {
    let holes = datatype("compound_earliest", "/holes");
    decode::<Holes>(c, "compound as struct", &holes, &vec![0; holes.size as usize]);
}

fn strings(c: &mut Criterion) {
    let variable = datatype("strings_variable", "/utf8 nullterm");
    let element = [&17u32.to_le_bytes()[..], &4096u64.to_le_bytes(), &1u32.to_le_bytes()].concat();
    decode::<String>(c, "variable-length strings", &variable, &element);
    gather(c, "variable-length strings", &variable, &element);
}

criterion_group!(benches, numbers, compounds, strings);
criterion_main!(benches);
