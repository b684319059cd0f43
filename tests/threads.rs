//! Reads that several threads share: the same values and the same errors as in one thread.
//!
//! Every element of the datasets is its own number from 1 on, or -1 where its chunk was never written.

mod common;

use std::num::NonZero;

use common::testdata;
use h5kit::{Dataset, File, Hyperslab, Limits, Options, Points};

fn open(threads: usize, limits: Limits) -> File {
    let options = Options::new().limits(limits).threads(NonZero::new(threads).expect("a thread"));
    options.open(testdata().join("files/chunks_for_threads.h5")).expect("it opens")
}

/// The element at a place.
fn element(dataset: &Dataset, place: &[u64]) -> i64 {
    let number = place.iter().zip(dataset.shape()).fold(0, |n, (p, dim)| n * dim + p);
    let written = dataset.path() != "/holes" || (place[0] / 100 * 2 + place[1] / 600).is_multiple_of(3);
    if written { number as i64 + 1 } else { -1 }
}

/// The elements of a hyperslab, row-major.
fn expected(dataset: &Dataset, slab: &[[u64; 4]]) -> Vec<i64> {
    let along = |[start, stride, count, block]: [u64; 4]| -> Vec<u64> {
        (0..count).flat_map(|i| (0..block).map(move |j| start + i * stride + j)).collect()
    };
    let mut places: Vec<Vec<u64>> = vec![Vec::new()];
    for axis in slab {
        let indices = along(*axis);
        places = places.iter().flat_map(|p| indices.iter().map(|i| [&p[..], &[*i]].concat())).collect();
    }
    places.iter().map(|place| element(dataset, place)).collect()
}

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// Start, stride, count and block within an extent.
    fn axis(&mut self, extent: u64) -> [u64; 4] {
        let start = self.below(extent);
        let room = extent - start;
        match self.below(3) {
            0 => [start, 1, 1, 1 + self.below(room)],
            1 => [0, 1, 1, extent],
            _ => {
                let block = 1 + self.below(room.min(9));
                let stride = block + self.below(40);
                [start, stride, 1 + (room - block) / stride, block]
            }
        }
    }
}

#[test]
fn whole_datasets() {
    for threads in [1, 2, 3, 8] {
        let file = open(threads, Limits::default());
        for name in ["plane", "stack", "line", "holes"] {
            let dataset = file.dataset(name).expect(name);
            let whole: Vec<[u64; 4]> = dataset.shape().iter().map(|n| [0, 1, 1, *n]).collect();
            let all: Vec<i64> = dataset.read(..).expect(name);
            assert!(all == expected(&dataset, &whole), "{name} by {threads} threads");
            let mut native = vec![7i32; all.len()];
            match dataset.read_into(&mut native, ..) {
                Ok(()) => assert!(native.iter().zip(&all).all(|(a, b)| i64::from(*a) == *b), "{name} into a buffer"),
                Err(e) => panic!("{name}: {e}"),
            }
        }
    }
}

#[test]
fn selections_of_any_form() {
    let mut numbers = Numbers(5);
    // One file that keeps no chunks, and one that keeps some.
    let files = [
        open(3, Limits { chunk_cache_bytes: 0, ..Limits::default() }),
        open(2, Limits { chunk_cache_bytes: 2 << 20, ..Limits::default() }),
    ];
    for round in 0..25 {
        for file in &files {
            for name in ["plane", "stack", "line", "holes"] {
                let dataset = file.dataset(name).expect(name);
                let slab: Vec<[u64; 4]> = dataset.shape().iter().map(|extent| numbers.axis(*extent)).collect();
                let part = |i: usize| slab.iter().map(|axis| axis[i]).collect::<Vec<u64>>();
                let selection = Hyperslab::new(part(0), part(2)).stride(part(1)).block(part(3));
                let found: Vec<i32> = dataset.read(selection).expect(name);
                let expected = expected(&dataset, &slab);
                assert!(found.iter().map(|n| i64::from(*n)).eq(expected), "{name} {slab:?}, round {round}");
            }
        }
    }
}

#[test]
fn points_in_any_order() {
    let mut numbers = Numbers(9);
    let file = open(2, Limits::default());
    for name in ["plane", "stack", "line", "holes"] {
        let dataset = file.dataset(name).expect(name);
        let points: Vec<Vec<u64>> =
            (0..20_000).map(|_| dataset.shape().iter().map(|extent| numbers.below(*extent)).collect()).collect();
        let expected: Vec<i64> = points.iter().map(|place| element(&dataset, place)).collect();
        assert_eq!(dataset.read::<Vec<i64>>(Points(points)).expect(name), expected, "{name}");
    }
}

#[test]
fn the_error_is_that_of_the_first_chunk() {
    let mut bytes = std::fs::read(testdata().join("files/chunks_for_threads.h5")).expect("the file");
    let file = open(1, Limits::default());
    let mut chunks = file.dataset("plane").expect("plane").chunks().expect("chunks");
    chunks.sort_by_key(|chunk| chunk.offset.clone());
    // The last byte of the checksum at the end of the stream.
    for chunk in [&chunks[27], &chunks[11], &chunks[14]] {
        bytes[(chunk.position + chunk.size - 1) as usize] ^= 1;
    }
    let message = |threads: usize| {
        let options = Options::new().threads(NonZero::new(threads).expect("a thread"));
        let file = options.from_bytes(bytes.clone()).expect("it opens");
        file.dataset("plane").and_then(|d| d.read::<Vec<i32>>(..)).expect_err("three chunks are damaged").to_string()
    };
    let first = message(1);
    assert!(first.contains(&format!("{:#x}", chunks[11].position)), "{first}");
    for threads in [2, 3, 5] {
        for _ in 0..5 {
            assert_eq!(message(threads), first);
        }
    }
}
