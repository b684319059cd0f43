//! From references to paths.

use h5kit::element::{Reference, ReferenceTarget};
use h5kit::{File, Selection};

/// The references of a file.
pub struct References {
    file: File,
}

impl References {
    /// The references of a file.
    pub fn of(file: &File) -> Self {
        Self { file: file.clone() }
    }

    /// The path of what a reference leads to, from the root of its file. `None` where no path is known.
    pub fn path(&self, reference: &Reference) -> Option<String> {
        if reference.file().is_none() {
            return self.file.path_of(reference).ok()?.map(str::to_owned);
        }
        let object = self.file.dereference(reference).ok()?;
        object.info().file().path_at(object.info().address()).ok()?.map(str::to_owned)
    }

    /// A reference as text: the path, and what part is meant.
    pub fn text(&self, reference: &Reference) -> String {
        let (Some(address), Some(part)) = (reference.address(), reference.part()) else { return "null".into() };
        let path = self.path(reference).unwrap_or_else(|| format!("object at {address:#x}"));
        let file = reference.file().map(|file| format!("{}:", file.display())).unwrap_or_default();
        let text = match part {
            ReferenceTarget::Object => format!("→ {file}{path}"),
            ReferenceTarget::Region(selection) => format!("→ {file}{path}[{}]", region(&selection)),
            ReferenceTarget::Attribute(name) => format!("→ {file}{path}@{name}"),
        };
        crate::paint::clean(&text).into_owned()
    }
}

/// Points or boxes that are shown of a region.
const SHOWN: usize = 8;

/// A region as the ranges of each dimension.
fn region(selection: &Selection) -> String {
    match selection {
        Selection::All => "..".into(),
        Selection::None => "nothing".into(),
        Selection::Points(points) => list(&points.0, |point| format!("({})", numbers(point))),
        Selection::Blocks(blocks) => list(&blocks.0, |(first, last)| {
            let ranges: Vec<String> = first.iter().zip(last).map(|(a, b)| format!("{a}..={b}")).collect();
            format!("({})", ranges.join(", "))
        }),
        Selection::Hyperslab(slab) => {
            let dims = slab.start.iter().zip(&slab.stride).zip(slab.count.iter().zip(&slab.block));
            let dims: Vec<String> =
                dims.map(|((start, stride), (count, block))| axis(*start, *stride, *count, *block)).collect();
            dims.join(", ")
        }
        other => format!("{other:?}"),
    }
}

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    let mut shown: Vec<String> = items.iter().take(SHOWN).map(show).collect();
    if items.len() > SHOWN {
        shown.push(format!("… {} more", items.len() - SHOWN));
    }
    shown.join(", ")
}

fn numbers(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    numbers.join(", ")
}

/// One dimension of a hyperslab.
fn axis(start: u64, stride: u64, count: u64, block: u64) -> String {
    match (count, block) {
        (0, _) | (_, 0) => "nothing".to_owned(),
        (1, u64::MAX) => format!("{start}.."),
        (1, 1) => start.to_string(),
        (1, block) => format!("{start}..{}", start.saturating_add(block)),
        (u64::MAX, 1) => format!("{start}..:{stride}"),
        (u64::MAX, block) => format!("{start}..:{stride} in blocks of {block}"),
        (count, 1) if stride == 1 => format!("{start}..{}", start.saturating_add(count)),
        (count, block) => {
            let end = (count - 1).saturating_mul(stride).saturating_add(start).saturating_add(block);
            let blocks = if block == 1 { String::new() } else { format!(" in blocks of {block}") };
            format!("{start}..{end}:{stride}{blocks}")
        }
    }
}

#[cfg(test)]
#[test]
fn one_dimension_as_people_read_it() {
    assert_eq!(axis(2, 3, 4, 1), "2..12:3");
    assert_eq!(axis(0, 1, 0, 5), "nothing");
    assert_eq!(axis(0, 0, 7, 0), "nothing");
}
