//! Selections, as JavaScript gives them: a word for the form, and numbers.

use super::failure::{Failure, Result};
use super::session::whole;
use crate::selection::{Blocks, Hyperslab, Points, Selection, Slice};

/// The selection of a dataspace of some rank.
///
/// | form | numbers |
/// |---|---|
/// | `all`, `none` | |
/// | `slices` | for each dimension: start, end, step; a step of 0 is a single index, an end that is no number that of the dimension |
/// | `points` | the coordinates of each |
/// | `blocks` | first and last corner of each |
/// | `hyperslab` | all starts, all strides, all counts, all blocks |
pub(super) fn selection(form: &str, numbers: &[f64], rank: usize) -> Result<Selection> {
    let coordinates = |numbers: &[f64]| numbers.iter().map(|n| whole(*n)).collect::<Vec<u64>>();
    let corners = |of: usize| numbers.chunks_exact(of.max(1));
    Ok(match form {
        "all" => Selection::All,
        "none" => Selection::None,
        "slices" => Selection::Slices(corners(3).map(slice).collect()),
        "points" => Points(corners(rank).map(coordinates).collect()).into(),
        "blocks" => {
            Blocks(corners(2 * rank).map(|both| (coordinates(&both[..rank]), coordinates(&both[rank..]))).collect())
                .into()
        }
        "hyperslab" if numbers.len() == 4 * rank => {
            let part = |n: usize| coordinates(&numbers[n * rank..(n + 1) * rank]);
            Hyperslab::new(part(0), part(2)).stride(part(1)).block(part(3)).into()
        }
        _ => return Err(Failure::new("Selection", &format!("no form of selection: {form} for {rank} dimensions"))),
    })
}

fn slice(numbers: &[f64]) -> Slice {
    let (start, end, step) = (whole(numbers[0]), numbers[1], whole(numbers[2]));
    match (step, end.is_nan()) {
        (0, _) => Slice::from(start),
        (_, true) => Slice::from(start..).step(step),
        (_, false) => Slice::from(start..whole(end)).step(step),
    }
}
