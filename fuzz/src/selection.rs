use std::sync::OnceLock;

use h5kit::{Blocks, Dataset, Hyperslab, Mask, Object, Points, Selection};

use super::input::Input;
use super::options;

/// Datasets of one to four dimensions, chunked in different ways, with their values.
fn datasets() -> &'static [(Dataset, Vec<i64>)] {
    static DATASETS: OnceLock<Vec<(Dataset, Vec<i64>)>> = OnceLock::new();
    DATASETS.get_or_init(|| {
        let file = options().from_bytes(include_bytes!("../../testdata/files/chunks_all_v4.h5")).expect("a file");
        let links = file.root().links().expect("links");
        let found = links.flatten().filter_map(|link| match link.open() {
            Ok(Object::Dataset(dataset)) => Some(dataset),
            _ => None,
        });
        let read = found.filter_map(|dataset| {
            let values = dataset.read(..).ok()?;
            Some((dataset, values))
        });
        read.collect()
    })
}

/// Reads a selection, and holds it against what a naive model selects.
pub fn selection(input: &[u8]) {
    let mut input = Input(input);
    let datasets = datasets();
    let (dataset, values) = &datasets[usize::from(input.byte()) % datasets.len()];
    let shape = dataset.shape();
    let (selection, expected) = match input.byte() % 4 {
        0 => hyperslab(&mut input, shape),
        1 => points(&mut input, shape),
        2 => mask(&mut input, shape),
        _ => blocks(&mut input, shape),
    };
    let selected = expected.map(|places| {
        let number = |place: &Vec<u64>| place.iter().zip(shape).fold(0, |n, (i, extent)| n * extent + i);
        places.iter().map(|place| values[number(place) as usize]).collect::<Vec<_>>()
    });
    let coordinates = selection.coordinates(shape).ok();
    let read = dataset.read::<Vec<i64>>(selection.clone()).ok();
    // Whether nothing may be selected outside the shape is left open.
    if selected.as_ref().is_none_or(Vec::is_empty) && read.as_ref().is_none_or(Vec::is_empty) {
        return;
    }
    assert_eq!(read, selected, "{selection:?} of {shape:?}");
    assert_eq!(coordinates.map(|all| all.len()), selected.map(|all| all.len()), "{selection:?} of {shape:?}");
}

/// A selection, and the places that it selects in order; `None` where some are outside.
type Model = (Selection, Option<Vec<Vec<u64>>>);

/// All places of which each index is among those of its dimension, row-major.
fn product(indices: &[Vec<u64>]) -> Vec<Vec<u64>> {
    indices.iter().fold(vec![Vec::new()], |places, along| {
        let longer = places.iter().flat_map(|place| along.iter().map(move |i| [place.as_slice(), &[*i]].concat()));
        longer.collect()
    })
}

fn inside(places: Vec<Vec<u64>>, shape: &[u64]) -> Option<Vec<Vec<u64>>> {
    let fits = |place: &Vec<u64>| place.iter().zip(shape).all(|(i, extent)| i < extent);
    places.iter().all(fits).then_some(places)
}

fn hyperslab(input: &mut Input<'_>, shape: &[u64]) -> Model {
    let mut number = |most: u64| shape.iter().map(|_| u64::from(input.byte()) % most).collect::<Vec<_>>();
    let (start, stride, count, block) = (number(24), number(6), number(8), number(4));
    // Blocks that overlap, and a stride of nothing, are refused.
    let odd = (0..shape.len()).any(|d| stride[d] == 0 || (count[d] > 1 && stride[d] < block[d]));
    let indices: Vec<Vec<u64>> = (0..shape.len())
        .map(|d| {
            (0..count[d])
                .flat_map(|i| (0..block[d]).map(move |j| (i, j)))
                .map(|(i, j)| start[d] + i * stride[d] + j)
                .collect()
        })
        .collect();
    let places = inside(product(&indices), shape).filter(|_| !odd);
    (Selection::Hyperslab(Hyperslab::new(start, count).stride(stride).block(block)), places)
}

fn points(input: &mut Input<'_>, shape: &[u64]) -> Model {
    let points: Vec<Vec<u64>> = (0..input.byte() % 32)
        .map(|_| shape.iter().map(|extent| u64::from(input.byte()) % (extent + 1)).collect())
        .collect();
    (Selection::Points(Points(points.clone())), inside(points, shape))
}

fn mask(input: &mut Input<'_>, shape: &[u64]) -> Model {
    let all: Vec<Vec<u64>> = product(&shape.iter().map(|extent| (0..*extent).collect()).collect::<Vec<_>>());
    let one_of = u64::from(input.byte() % 16) + 1;
    let mut state = input.number(8);
    let mask: Vec<bool> = all
        .iter()
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33).is_multiple_of(one_of)
        })
        .collect();
    let places = all.into_iter().zip(&mask).filter(|(_, chosen)| **chosen).map(|(place, _)| place).collect();
    (Selection::Mask(Mask(mask)), Some(places))
}

fn blocks(input: &mut Input<'_>, shape: &[u64]) -> Model {
    let blocks: Vec<(Vec<u64>, Vec<u64>)> = (0..input.byte() % 6)
        .map(|_| {
            let first: Vec<u64> = shape.iter().map(|extent| u64::from(input.byte()) % (extent + 1)).collect();
            let last = first.iter().map(|i| i + u64::from(input.byte() % 6)).collect();
            (first, last)
        })
        .collect();
    let mut places: Vec<Vec<u64>> = Vec::new();
    for (first, last) in &blocks {
        places.extend(product(&first.iter().zip(last).map(|(a, b)| (*a..=*b).collect()).collect::<Vec<_>>()));
    }
    places.sort();
    places.dedup();
    (Selection::Blocks(Blocks(blocks)), inside(places, shape))
}
