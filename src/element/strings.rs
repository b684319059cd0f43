use std::ops::Range;

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
        let (strings, part) = (Self::default(), Pieces::default());
        Ok(Some(Box::new(Gathered { datatype: datatype.clone(), strings, part, expected: 0 })))
    }
}

/// Strings, as far as they have been read.
struct Gathered {
    datatype: Datatype,
    strings: Strings,
    part: Pieces,
    /// How many there will be.
    expected: usize,
}

/// How much room is made for what is not there yet, as a multiple of what is.
const AHEAD: usize = 8;

impl Gathered {
    /// Makes room for a text more: for all that is to come, if it is as what has been read, so that what is there need not be
    /// moved again and again.
    fn reserve(&mut self, more: usize) {
        let Strings { text, offsets, .. } = &mut self.strings;
        let n = offsets.len() - 1 + self.part.ends.len();
        if offsets.capacity() < n + 1 {
            let _ = offsets.try_reserve_exact(self.expected.min(n.saturating_mul(AHEAD)).max(n) + 1 - offsets.len());
        }
        let length = text.len() + more;
        if text.capacity() < length {
            let each = length.div_ceil(n.max(1));
            let all = self.expected.saturating_mul(each).min(length.saturating_mul(AHEAD));
            // A little more, since they are not all the same. Where there is no room, there may be for what is needed.
            let _ = text.try_reserve_exact((all.max(length) - text.len()).saturating_add(all / 32));
        }
    }
}

impl Gather<Strings> for Gathered {
    fn announce(&mut self, n: u64) {
        self.expected = usize::try_from(n).unwrap_or(usize::MAX);
    }

    fn add(&mut self, bytes: &[u8], n: usize, heap: &dyn Heap) -> Result<()> {
        let Self { datatype, strings, part, .. } = self;
        let (before, first) = (strings.text.len() as u64, strings.len() as u64);
        part.fill(datatype, bytes, n, heap, |i| strings.missing.push(first + i as u64))?;
        self.reserve(self.part.bytes.len());
        let Self { strings, part, .. } = self;
        strings.text.push_str(part.text()?);
        strings.offsets.extend(part.ends.iter().map(|end| before + *end as u64));
        Ok(())
    }

    fn finish(self: Box<Self>, _: &[u64]) -> Result<Strings> {
        let mut strings = self.strings;
        if strings.text.capacity() / 2 > strings.text.len() {
            strings.text.shrink_to_fit();
        }
        Ok(strings)
    }
}

/// The bytes of some strings, one after the other.
#[derive(Default)]
pub(super) struct Pieces {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Pieces {
    /// Takes in `n` strings in place of those before; `missing` is told the numbers of those that are nowhere.
    pub(super) fn fill(
        &mut self,
        datatype: &Datatype,
        elements: &[u8],
        n: usize,
        heap: &dyn Heap,
        mut missing: impl FnMut(usize),
    ) -> Result<()> {
        let Self { bytes, ends } = self;
        bytes.clear();
        ends.clear();
        let mut keep = |string: &[u8]| {
            bytes.extend_from_slice(string);
            ends.push(bytes.len());
        };
        let size = elements.len().checked_div(n).unwrap_or(0);
        let element = |i: usize| &elements[i * size..(i + 1) * size];
        match &datatype.class {
            Class::String { padding, .. } => (0..n).for_each(|i| keep(trimmed(element(i), *padding))),
            Class::Enumeration { members, .. } => {
                for i in 0..n {
                    keep(name_of::<String>(members, i, element(i))?.as_bytes());
                }
            }
            _ => {
                each_object(elements, n, 1, heap, |i, length, string| {
                    let place = || VariableLengthElement::decode(Block::new(element(i), 0, heap.widths()));
                    if length == 0 && place().is_ok_and(|element| element.place.is_none()) {
                        missing(i);
                    }
                    keep(string);
                    Ok(())
                })?;
                // Few have a NUL, and to look for one in all of them at once costs less.
                if self.bytes.contains(&0) {
                    self.end_at_nul();
                }
            }
        }
        Ok(())
    }

    /// Ends each string before its first NUL.
    fn end_at_nul(&mut self) {
        let (mut start, mut kept) = (0, 0);
        for end in &mut self.ends {
            let length = until_nul(&self.bytes[start..*end]).len();
            self.bytes.copy_within(start..start + length, kept);
            kept += length;
            start = std::mem::replace(end, kept);
        }
        self.bytes.truncate(kept);
    }

    /// All strings as one text.
    ///
    /// # Errors
    /// The first that is not UTF-8.
    fn text(&self) -> Result<&str> {
        // Text that is UTF-8 as a whole is so in its parts where no character is in two of them.
        let text = simdutf8::basic::from_utf8(&self.bytes).ok();
        if let Some(text) = text.filter(|text| self.ends.iter().all(|end| text.is_char_boundary(*end))) {
            return Ok(text);
        }
        let mut strings = self.ranges().map(|range| &self.bytes[range]).enumerate();
        let wrong = strings.find(|(_, string)| std::str::from_utf8(string).is_err()).unwrap_or_default();
        Err(unfit::<String>(wrong.0, Text::from(wrong.1)))
    }

    /// Each string.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub(super) fn strings(&self) -> Result<impl Iterator<Item = &str>> {
        let text = self.text()?;
        Ok(self.ranges().map(move |range| &text[range]))
    }

    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::testing::NoHeap;
    use crate::format::message::datatype::{Charset, Padding};

    fn gather(size: u32, parts: &[&[u8]]) -> Result<Strings> {
        let class = Class::String { padding: Padding::NullPadded, charset: Charset::Utf8 };
        let datatype = Datatype { version: 1, size, class, reserved_bits: 0 };
        let mut gather = Strings::gather(&datatype)?.expect("strings are gathered");
        for part in parts {
            gather.add(part, part.len() / size as usize, &NoHeap)?;
        }
        gather.finish(&[])
    }

    #[test]
    fn parts_follow_one_another() {
        let strings = gather(4, &["ab\0\0\0\0\0\0é\0\0".as_bytes(), b"", b"last"]).expect("UTF-8");
        assert_eq!(strings.iter().collect::<Vec<_>>(), ["ab", "", "é", "last"]);
        assert_eq!((strings.get(2), strings.get(3), strings.get(4)), (Some("é"), Some("last"), None));
        assert_eq!((strings.len(), strings.missing(), strings.as_str()), (4, &[][..], "abélast"));
        assert_eq!(strings.into_parts().1, [0, 2, 2, 4, 8]);
        assert!(gather(4, &[]).expect("nothing").is_empty());
    }

    #[test]
    fn no_character_is_in_two_strings() {
        // Two halves of é are UTF-8 only together.
        let error = gather(1, &[b"a\xc3\xa9"]).expect_err("halves");
        assert_eq!(error.to_string(), r"element 1: \xc3 does not fit String");
        let error = gather(2, &[b"ab", b"cdx\xff"]).expect_err("no UTF-8");
        assert_eq!(error.to_string(), r"element 1: x\xff does not fit String");
    }

    #[test]
    fn strings_end_at_their_nul() {
        let mut pieces = Pieces { bytes: b"ab\0cde\0fg".to_vec(), ends: vec![2, 5, 5, 7, 9] };
        pieces.end_at_nul();
        assert_eq!(pieces.strings().expect("UTF-8").collect::<Vec<_>>(), ["ab", "", "", "e", "fg"]);
    }

    #[test]
    fn missing_ones_are_known() {
        let strings = [Some("a".to_owned()), None, Some(String::new())];
        let strings = Strings::from_elements(strings.to_vec(), &[3]).expect("strings");
        assert_eq!((strings.missing(), strings.get(1), strings.get(2)), (&[1][..], Some(""), Some("")));
    }
}
