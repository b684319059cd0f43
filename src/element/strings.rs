use super::output::Gather;
use super::sequence::each_object;
use super::text::{name_of, trimmed, until_nul};
use super::{Heap, Output, mismatch, unfit};
use crate::bytes::{Block, Text};
use crate::error::Result;
use crate::format::message::datatype::{Class, Datatype};
use crate::format::reference::VariableLengthElement;

/// Many strings in one piece of memory: the text of all of them, and where each begins.
///
/// What is read into `Strings` costs no allocation for each string. All are UTF-8: other bytes are an error that names the
/// element, as for `String`.
///
/// ```
/// # fn main() -> h5kit::Result<()> {
/// use h5kit::element::Strings;
/// let file = h5kit::File::open("testdata/pbmc_small.h5ad")?;
/// let genes: Strings = file.dataset("/var/_index")?.read(..)?;
/// assert_eq!(genes.iter().map(str::len).sum::<usize>(), genes.as_str().len());
/// assert_eq!(genes.get(0), genes.iter().next());
/// let (text, offsets) = genes.into_parts();
/// assert_eq!(offsets.last(), Some(&(text.len() as u64)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    text: String,
    /// Where each string begins, and where the last one ends.
    offsets: Vec<u64>,
    missing: Vec<u64>,
}

impl Default for Strings {
    fn default() -> Self {
        Self { text: String::new(), offsets: vec![0], missing: Vec::new() }
    }
}

impl Strings {
    /// Number of strings, missing ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// True without a string.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The string of a number, from 0; empty where it is missing, `None` where there are not so many.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<&str> {
        let (start, end) = (*self.offsets.get(i)?, *self.offsets.get(i.checked_add(1)?)?);
        self.text.get(start as usize..end as usize)
    }

    /// The strings in order; missing ones are empty.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.offsets.windows(2).map(|pair| match pair {
            [start, end] => &self.text[*start as usize..*end as usize],
            _ => "",
        })
    }

    /// Numbers of the elements that the file has no string for: null ones of variable length, which is how libhdf5 writes
    /// empty ones too.
    #[must_use]
    pub fn missing(&self) -> &[u64] {
        &self.missing
    }

    /// All strings, one after the other.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte of [`as_str`](Self::as_str) at which each string begins, and the one at which the last ends: one number
    /// more than there are strings.
    #[must_use]
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The text of all strings and their offsets, as [`as_str`](Self::as_str) and [`offsets`](Self::offsets) give them.
    #[must_use]
    pub fn into_parts(self) -> (String, Vec<u64>) {
        (self.text, self.offsets)
    }

    fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.offsets.push(self.text.len() as u64);
    }
}

impl<'a> FromIterator<&'a str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a str>>(strings: I) -> Self {
        let mut all = Self::default();
        strings.into_iter().for_each(|string| all.push(string));
        all
    }
}

impl Output for Strings {
    type Element = Option<String>;

    fn from_elements(elements: Vec<Option<String>>, _: &[u64]) -> Result<Self> {
        let mut strings: Self = elements.iter().map(|string| string.as_deref().unwrap_or_default()).collect();
        strings.missing = (0..).zip(&elements).filter(|(_, string)| string.is_none()).map(|(i, _)| i).collect();
        Ok(strings)
    }

    fn from_null() -> Result<Self> {
        Ok(Self::default())
    }

    fn gather(datatype: &Datatype) -> Result<Option<Box<dyn Gather<Self>>>> {
        match &datatype.class {
            Class::String { .. } | Class::Enumeration { .. } => {}
            Class::VariableLength { is_string: true, .. } => {}
            _ => return Err(mismatch::<String>(datatype)),
        }
        Ok(Some(Box::new(Gathered { datatype: datatype.clone(), strings: Self::default(), block: Vec::new() })))
    }
}

/// Strings, as far as they have been read.
struct Gathered {
    datatype: Datatype,
    strings: Strings,
    /// The bytes of the strings of one block, not yet known to be UTF-8.
    block: Vec<u8>,
}

impl Gather<Strings> for Gathered {
    fn add(&mut self, bytes: &[u8], n: usize, heap: &dyn Heap) -> Result<()> {
        let Self { datatype, strings, block } = self;
        let before = strings.text.len() as u64;
        let first = strings.len();
        let size = bytes.len().checked_div(n).unwrap_or(0).max(1);
        block.clear();
        strings.offsets.reserve(n);
        let mut keep = |string: &[u8]| {
            block.extend_from_slice(string);
            strings.offsets.push(before + block.len() as u64);
        };
        match &datatype.class {
            Class::String { padding, .. } => {
                bytes.chunks_exact(size).for_each(|element| keep(trimmed(element, *padding)));
            }
            Class::Enumeration { members, .. } => {
                for (i, element) in bytes.chunks_exact(size).enumerate() {
                    keep(name_of::<String>(members, i, element)?.as_bytes());
                }
            }
            _ => {
                let missing = |element: &[u8]| {
                    let element = VariableLengthElement::decode(Block::new(element, 0, heap.widths()));
                    element.is_ok_and(|element| element.place.is_none())
                };
                each_object(bytes, n, 1, heap, |i, n, string| {
                    if n == 0 && missing(&bytes[i * size..(i + 1) * size]) {
                        strings.missing.push((first + i) as u64);
                    }
                    keep(until_nul(string));
                    Ok(())
                })?;
            }
        }
        let ends = &strings.offsets[first + 1..];
        // Text that is UTF-8 as a whole is so in its parts where no character is in two of them.
        let text = std::str::from_utf8(block).ok();
        let text = text.filter(|text| ends.iter().all(|end| text.is_char_boundary((end - before) as usize)));
        let Some(text) = text else {
            let mut start = 0;
            for (i, end) in ends.iter().enumerate() {
                let end = (end - before) as usize;
                let string = &block[start..end];
                if std::str::from_utf8(string).is_err() {
                    return Err(unfit::<String>(i, Text::from(string)));
                }
                start = end;
            }
            return Err(mismatch::<String>(datatype));
        };
        strings.text.push_str(text);
        Ok(())
    }

    fn finish(self: Box<Self>, _: &[u64]) -> Result<Strings> {
        Ok(self.strings)
    }
}
