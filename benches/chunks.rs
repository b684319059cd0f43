//! How fast chunks become a result: `cargo bench --bench chunks`.
#![allow(missing_docs)]

use std::num::NonZero;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use h5kit::{Dataset, Limits, Options, Points, Slice};

/// A dataset of some megabytes, shuffled and deflated.
fn dataset(name: &str, threads: usize, cache: u64) -> Dataset {
    let path = format!("{}/testdata/files/chunks_for_threads.h5", env!("CARGO_MANIFEST_DIR"));
    let limits = Limits { chunk_cache_bytes: cache, ..Limits::default() };
    let options = Options::new().limits(limits).threads(NonZero::new(threads).expect("a thread"));
    options.open(path).and_then(|file| file.dataset(name)).expect("a dataset of the test data")
}

fn whole(c: &mut Criterion) {
    let mut group = c.benchmark_group("whole");
    for name in ["plane", "stack", "line"] {
        for threads in [1, 2] {
            let dataset = dataset(name, threads, 0);
            let mut values = vec![0i32; dataset.len() as usize];
            group.throughput(Throughput::Bytes(4 * dataset.len()));
            group.bench_function(format!("{name}, {threads} threads"), |b| {
                b.iter(|| dataset.read_into(&mut values, ..).expect("they fit"));
            });
        }
    }
}

fn parts(c: &mut Criterion) {
    let mut group = c.benchmark_group("parts of a plane");
    for (cache, text) in [(0, "nothing kept"), (32 << 20, "chunks kept")] {
        let plane = dataset("plane", 1, cache);
        let window = || plane.read::<Vec<i32>>((700..800, 600..700)).expect("a window");
        group.bench_function(format!("a window, {text}"), |b| b.iter(window));
        let column = || plane.read::<Vec<i32>>((.., 500)).expect("a column");
        group.bench_function(format!("a column, {text}"), |b| b.iter(column));
        let strided = || plane.read::<Vec<i32>>((Slice::from(..).step(7), Slice::from(..).step(5))).expect("a grid");
        group.bench_function(format!("every 35th, {text}"), |b| b.iter(strided));
        let points: Vec<Vec<u64>> = (0..1000u64).map(|n| vec![n * 977 % 1500, n * 653 % 1400]).collect();
        let points = || plane.read::<Vec<i32>>(Points(points.clone())).expect("points");
        group.bench_function(format!("1,000 points, {text}"), |b| b.iter(points));
    }
}

criterion_group!(benches, whole, parts);
criterion_main!(benches);
