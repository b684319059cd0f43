//! Mappings without an end as mappings that have one.

use super::piece::bounds;
use super::{Sources, Window};
use crate::element::selection;
use crate::error::{Result, SelectionFault};
use crate::format::dataspace_selection::{RegularDim, StoredSelection};
use crate::format::virtual_mapping::Mapping;
use crate::object::dataset::Dataset;
use crate::selection::{Hyperslab, Selection};

/// A mapping from a source that is there, with an end.
pub(super) struct Expanded {
    pub(super) dataset: Dataset,
    pub(super) source: Selection,
    pub(super) target: Selection,
}

/// How far a mapping reaches in the virtual dataset.
pub(super) enum Extent {
    /// To these (exclusive) coordinates.
    Fixed(Vec<u64>),
    /// In one dimension as far as its sources do: to here by now.
    Grows { dimension: usize, end: u64 },
}

impl Mapping {
    /// True where the mapping ends where its sources do.
    pub(super) fn is_endless(&self) -> bool {
        endless(&self.target).is_some()
    }

    /// Rank of the virtual selection, where it has one.
    pub(super) fn target_rank(&self) -> Option<usize> {
        rank(&self.target)
    }
}

fn rank(selection: &StoredSelection) -> Option<usize> {
    match selection {
        StoredSelection::None(_) | StoredSelection::All(_) => None,
        StoredSelection::Points { rank, .. } | StoredSelection::Irregular { rank, .. } => Some(*rank),
        StoredSelection::Regular { dims, .. } => Some(dims.len()),
    }
}

/// The dimension in which a selection has no end.
fn endless(selection: &StoredSelection) -> Option<(usize, &[RegularDim])> {
    let StoredSelection::Regular { dims, .. } = selection else { return None };
    dims.iter().position(|d| d.count.is_none() || d.block.is_none()).map(|d| (d, dims.as_slice()))
}

/// The mapping, or the mappings that it stands for, in a virtual dataset of these dimensions. Sources are opened
/// only where the target meets the window.
pub(super) fn expand(mapping: &Mapping, dims: &[u64], sources: &Sources<'_>, window: &Window) -> Result<Vec<Expanded>> {
    if let Some(given) = rank(&mapping.target).filter(|rank| *rank != dims.len()) {
        return Err(SelectionFault::Rank { given, rank: dims.len() }.into());
    }
    let (file, dataset) = (mapping.file.display(), mapping.dataset.display());
    let Some((dimension, target)) = endless(&mapping.target) else {
        // Of many mappings few are wanted: those that are not cost no memory.
        if !window.may_meet(&mapping.target) {
            return Ok(Vec::new());
        }
        let (source, target) = (selection(&mapping.source), selection(&mapping.target));
        if !window.meets(&target, dims) {
            return Ok(Vec::new());
        }
        let opened = sources.open(&plain(&file), &plain(&dataset))?;
        return Ok(opened.map(|dataset| Expanded { dataset, source, target }).into_iter().collect());
    };
    if let Some((source_dimension, source)) = endless(&mapping.source) {
        let Some(dataset) = sources.open(&plain(&file), &plain(&dataset))? else { return Ok(Vec::new()) };
        if dataset.shape().len() != source.len() {
            return Err(SelectionFault::Rank { given: source.len(), rank: dataset.shape().len() }.into());
        }
        let slices = slices_before(&source[source_dimension], dataset.shape()[source_dimension]);
        let slices = slices.min(slices_before(&target[dimension], dims[dimension]));
        let mut parts = clip(source, source_dimension, slices);
        let targets = clip(target, dimension, slices);
        // Whole blocks and the last, partial one are cut apart alike on both sides only where they agree;
        // a single piece on either side is the common case, otherwise element order keeps them in step.
        let dataset = || dataset.clone();
        if parts.len() == 1 && targets.len() == 1 {
            let (source, target) = (parts.remove(0), targets.into_iter().next().unwrap_or(Selection::None));
            return Ok(vec![Expanded { dataset: dataset(), source, target }]);
        }
        return Ok(vec![Expanded { dataset: dataset(), source: union(parts), target: union(targets) }]);
    }
    // One source for each block, numbered.
    if !is_numbered(&file) && !is_numbered(&dataset) {
        return Err(sources.corrupt("source filename"));
    }
    let mut expanded = Vec::new();
    let along = target[dimension];
    let wanted = window.start[dimension]..window.start[dimension] + window.count[dimension];
    let before = wanted.start.saturating_sub(along.start).saturating_sub(along.block.unwrap_or(1).saturating_sub(1));
    for number in before.div_ceil(along.stride.max(1)).. {
        let start = along.start.saturating_add(along.stride.saturating_mul(number));
        if start >= wanted.end || (number > 0 && along.stride == 0) {
            break;
        }
        let target = block(target, dimension, start);
        if !window.meets(&target, dims) {
            break;
        }
        if let Some(dataset) = sources.open(&numbered(&file, number), &numbered(&dataset, number))? {
            expanded.push(Expanded { dataset, source: selection(&mapping.source), target });
        }
    }
    Ok(expanded)
}

/// How far a mapping reaches.
pub(super) fn extent(mapping: &Mapping, sources: &Sources<'_>) -> Result<Extent> {
    let (file, dataset) = (mapping.file.display(), mapping.dataset.display());
    let Some((dimension, target)) = endless(&mapping.target) else {
        return Ok(Extent::Fixed(bounds(&selection(&mapping.target), &[]).1));
    };
    let along = target[dimension];
    if let Some((source_dimension, source)) = endless(&mapping.source) {
        let opened = sources.open(&plain(&file), &plain(&dataset))?;
        let reach = opened.and_then(|d| d.shape().get(source_dimension).copied()).unwrap_or(0);
        let end = end_of_slices(&along, slices_before(&source[source_dimension], reach));
        return Ok(Extent::Grows { dimension, end });
    }
    let mut n = 0u64;
    while (is_numbered(&file) || is_numbered(&dataset))
        && sources.open(&numbered(&file, n), &numbered(&dataset, n))?.is_some()
    {
        n += 1;
    }
    let end = match n.checked_sub(1) {
        Some(last) => {
            along.start.saturating_add(along.stride.saturating_mul(last)).saturating_add(along.block.unwrap_or(1))
        }
        None => 0,
    };
    Ok(Extent::Grows { dimension, end })
}

/// Indices along a dimension that a pattern without an end selects before `extent`.
fn slices_before(dim: &RegularDim, extent: u64) -> u64 {
    let Some(room) = extent.checked_sub(dim.start).filter(|room| *room > 0) else { return 0 };
    let Some(block) = dim.block else { return room };
    let stride = dim.stride.max(1);
    (room / stride).saturating_mul(block).saturating_add((room % stride).min(block))
}

/// Where the first so many selected indices end.
fn end_of_slices(dim: &RegularDim, slices: u64) -> u64 {
    match (slices, dim.block) {
        (0, _) => 0,
        (_, None) => dim.start.saturating_add(slices),
        (_, Some(block)) => {
            let (whole, rest) = ((slices - 1) / block.max(1), (slices - 1) % block.max(1));
            dim.start.saturating_add(whole.saturating_mul(dim.stride)).saturating_add(rest + 1)
        }
    }
}

/// A pattern cut after so many indices of one dimension: whole blocks, and perhaps a part of one.
fn clip(dims: &[RegularDim], dimension: usize, slices: u64) -> Vec<Selection> {
    let along = dims[dimension];
    let block = along.block.unwrap_or(slices).max(1);
    let (whole, rest) = (slices / block, slices % block);
    let slab = |start: u64, count: u64, block: u64| {
        let other = |pick: fn(&RegularDim) -> u64| -> Vec<u64> { dims.iter().map(pick).collect() };
        let mut slab = Hyperslab {
            start: other(|d| d.start),
            stride: other(|d| d.stride),
            count: other(|d| d.count.unwrap_or(0)),
            block: other(|d| d.block.unwrap_or(0)),
        };
        (slab.start[dimension], slab.count[dimension], slab.block[dimension]) = (start, count, block);
        slab.stride[dimension] = along.stride.max(block);
        Selection::Hyperslab(slab)
    };
    let mut parts = Vec::new();
    if whole > 0 {
        parts.push(slab(along.start, whole, block));
    }
    if rest > 0 {
        parts.push(slab(along.start.saturating_add(whole.saturating_mul(along.stride)), 1, rest));
    }
    if parts.is_empty() {
        parts.push(Selection::None);
    }
    parts
}

/// Several patterns as the boxes that they are made of.
fn union(parts: Vec<Selection>) -> Selection {
    let mut boxes = Vec::new();
    for part in parts {
        let Selection::Hyperslab(slab) = part else { continue };
        let mut place = vec![0u64; slab.start.len()];
        let ends: Vec<std::ops::Range<u64>> = slab.count.iter().map(|n| 0..*n).collect();
        if ends.iter().any(|range| range.is_empty()) {
            continue;
        }
        loop {
            let first: Vec<u64> = (0..place.len()).map(|d| slab.start[d] + place[d] * slab.stride[d]).collect();
            let last = first.iter().zip(&slab.block).map(|(f, n)| f + n.max(&1) - 1).collect();
            boxes.push((first, last));
            if !crate::walk::chunks::step(&mut place, &ends) {
                break;
            }
        }
    }
    crate::selection::Blocks(boxes).into()
}

/// One block of a pattern without an end.
fn block(dims: &[RegularDim], dimension: usize, start: u64) -> Selection {
    let mut slab = Hyperslab {
        start: dims.iter().map(|d| d.start).collect(),
        stride: dims.iter().map(|d| d.stride).collect(),
        count: dims.iter().map(|d| d.count.unwrap_or(1)).collect(),
        block: dims.iter().map(|d| d.block.unwrap_or(1)).collect(),
    };
    slab.start[dimension] = start;
    slab.count[dimension] = 1;
    slab.into()
}

/// The letters of a name, and `None` where its number goes: `%b` is the number and `%%` a percent sign.
fn letters(name: &str) -> impl Iterator<Item = Option<char>> {
    let mut letters = name.chars().peekable();
    std::iter::from_fn(move || {
        Some(match letters.next()? {
            '%' if letters.next_if_eq(&'%').is_some() => Some('%'),
            '%' if letters.next_if_eq(&'b').is_some() => None,
            letter => Some(letter),
        })
    })
}

/// A name with its number.
fn numbered(name: &str, number: u64) -> String {
    let number = number.to_string();
    letters(name).fold(String::new(), |mut whole, letter| {
        match letter {
            Some(letter) => whole.push(letter),
            None => whole.push_str(&number),
        }
        whole
    })
}

fn is_numbered(name: &str) -> bool {
    letters(name).any(|letter| letter.is_none())
}

/// A name that has no number.
fn plain(name: &str) -> String {
    letters(name).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(numbered("a-%b-%%b.h5", 12), "a-12-%b.h5");
        assert!(is_numbered("a%b") && !is_numbered("a%%b"));
        assert_eq!((numbered("%%%b%", 7), plain("%%%é%x%%b")), ("%7%".to_owned(), "%%é%x%b".to_owned()));
    }

    #[test]
    fn slices() {
        let dim = RegularDim { start: 2, stride: 5, count: None, block: Some(3) };
        // Selected: 2 3 4, 7 8 9, 12 13 14 …
        let before: Vec<u64> = (0..=10).map(|extent| slices_before(&dim, extent)).collect();
        assert_eq!(before, [0, 0, 0, 1, 2, 3, 3, 3, 4, 5, 6]);
        assert_eq!((end_of_slices(&dim, 3), end_of_slices(&dim, 4), end_of_slices(&dim, 0)), (5, 8, 0));
        let endless = RegularDim { start: 2, stride: 1, count: Some(1), block: None };
        assert_eq!((slices_before(&endless, 9), end_of_slices(&endless, 7)), (7, 9));
    }
}
