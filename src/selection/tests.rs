use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;

fn elements(selection: impl Into<Selection>, dims: &[u64]) -> Vec<u64> {
    let resolved = selection.into().resolve(dims).expect("it fits");
    let elements: Vec<u64> = resolved.runs(dims).flat_map(|run| run.start..run.start + run.length).collect();
    assert_eq!(elements.len() as u64, resolved.elements());
    assert_eq!(resolved.shape().iter().product::<u64>(), resolved.elements());
    elements
}

#[test]
fn ranges_indices_and_steps() {
    let dims = [4, 5];
    assert_eq!(elements(.., &dims), (0..20).collect::<Vec<_>>());
    assert_eq!(elements(1..3, &dims), (5..15).collect::<Vec<_>>());
    assert_eq!(elements((3, ..), &dims), (15..20).collect::<Vec<_>>());
    assert_eq!(elements((.., 2), &dims), [2, 7, 12, 17]);
    assert_eq!(elements((1..=2, 3..), &dims), [8, 9, 13, 14]);
    assert_eq!(elements((..2, Slice::from(..).step(2)), &dims), [0, 2, 4, 5, 7, 9]);
    assert_eq!(elements(2..2, &dims), [0u64; 0]);
    assert_eq!(Selection::from((1, 2..4)).resolve(&dims).expect("it fits").shape(), [2]);
    assert_eq!(elements(.., &[]), [0]);
}

#[test]
fn points_masks_and_blocks() {
    let dims = [3, 4];
    assert_eq!(elements(Points(vec![vec![2, 1], vec![0, 0], vec![0, 1]]), &dims), [9, 0, 1]);
    let mask = (0..12).map(|n| n % 5 == 0).collect();
    assert_eq!(elements(Mask(mask), &dims), [0, 5, 10]);
    let overlapping = Blocks(vec![(vec![1, 1], vec![2, 2]), (vec![0, 0], vec![1, 1])]);
    assert_eq!(elements(overlapping, &dims), [0, 1, 4, 5, 6, 9, 10]);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let fails = |selection: Selection| selection.resolve(&[4, 5]).expect_err("it does not fit").kind();
    for selection in [
        Selection::from(0..5),
        (.., 5).into(),
        (-1).into(),
        (0, 0, 0).into(),
        Hyperslab::new([0], [1]).into(),
        Hyperslab::new([0, 0], [2, 2]).stride([2, 1]).block([1, 2]).into(),
        Hyperslab::new([0, 0], [2, u64::MAX]).stride([2, 3]).into(),
        Points(vec![vec![4, 0]]).into(),
        Mask(vec![true; 19]).into(),
        Blocks(vec![(vec![0, 0], vec![4, 4])]).into(),
    ] {
        assert_eq!(fails(selection), ErrorKind::Selection);
    }
}

proptest! {
    /// Runs without the first elements are the runs of the others.
    #[test]
    fn skipping_leaves_out_the_first(
        dims in prop::array::uniform3(1u64..6),
        gap in prop::array::uniform3(0u64..2),
        count in prop::array::uniform3(1u64..4),
        block in prop::array::uniform3(1u64..3),
        skip in 0u64..60,
        start in 0u64..8,
    ) {
        let stride: Vec<u64> = (0..3).map(|d| block[d] + gap[d]).collect();
        let slab = Hyperslab::new([0, 0, 0], count).stride(stride).block(block);
        let Ok(resolved) = Selection::from(slab).resolve(&dims) else { return Ok(()) };
        let all: Vec<u64> = resolved.runs(&dims).flat_map(|r| r.start..r.start + r.length).collect();
        let rest: Vec<u64> = resolved.runs_from(&dims, skip).flat_map(|r| r.start..r.start + r.length).collect();
        prop_assert_eq!(&rest[..], &all[(skip as usize).min(all.len())..]);
        let before = all.iter().filter(|n| **n / (dims[1] * dims[2]) < start).count() as u64;
        prop_assert_eq!(resolved.before(start, &dims), before);
        let runs = Resolved::Runs { runs: resolved.runs(&dims).collect(), elements: resolved.elements() };
        prop_assert_eq!(runs.before(start, &dims), before);
        let rest_of_runs: Vec<u64> = runs.runs_from(&dims, skip).flat_map(|r| r.start..r.start + r.length).collect();
        prop_assert_eq!(rest_of_runs, rest);
        prop_assert_eq!(resolved.end(&dims), all.iter().max().map_or(0, |n| n + 1));
    }

    /// Cut into blocks, a selection is the same elements in the same order.
    #[test]
    fn blocks_make_the_whole(
        dims in prop::array::uniform3(1u64..9),
        start in 0u64..4,
        chunk in prop::array::uniform3(1u64..5),
        elements in 1u64..40,
        points: bool,
    ) {
        prop_assume!(start < dims[0]);
        let selection: Selection = if points {
            Points(vec![vec![dims[0] - 1, 0, 0], vec![0, 0, 0], vec![0, 0, dims[2] - 1]]).into()
        } else {
            (start.., ..).into()
        };
        let whole = selection.resolve(&dims).expect("it fits");
        let runs = |r: &Resolved| r.runs(&dims).flat_map(|r| r.start..r.start + r.length).collect::<Vec<_>>();
        let blocks = whole.blocks(elements, Some(&chunk));
        let parts: Vec<u64> = blocks.iter().flat_map(runs).collect();
        prop_assert_eq!(parts, runs(&whole));
        prop_assert!(blocks.iter().all(|b| b.elements() > 0));
    }

    /// A hyperslab selects what four nested loops select.
    #[test]
    fn hyperslabs_are_what_loops_give(
        dims in prop::array::uniform3(1u64..7),
        start in prop::array::uniform3(0u64..4),
        gap in prop::array::uniform3(0u64..3),
        count in prop::array::uniform3(0u64..4),
        block in prop::array::uniform3(1u64..4),
    ) {
        let stride: Vec<u64> = (0..3).map(|d| block[d] + gap[d]).collect();
        let along = |d: usize| -> Vec<u64> {
            (0..count[d]).flat_map(|c| (0..block[d]).map(move |b| (c, b))).map(|(c, b)| start[d] + c * stride[d] + b).collect()
        };
        let slab = Hyperslab::new(start, count).stride(stride.clone()).block(block);
        let mut expected = Vec::new();
        for a in along(0) {
            for b in along(1) {
                for c in along(2) {
                    expected.push(((a * dims[1]) + b) * dims[2] + c);
                }
            }
        }
        let outside = (0..3).any(|d| along(d).iter().any(|n| *n >= dims[d]));
        match Selection::from(slab).resolve(&dims) {
            Err(_) => prop_assert!(outside),
            Ok(resolved) => {
                prop_assert!(!outside || expected.is_empty());
                let found: Vec<u64> = resolved.runs(&dims).flat_map(|r| r.start..r.start + r.length).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
