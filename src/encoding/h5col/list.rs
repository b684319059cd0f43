//! List columns: groups of offsets and what they count.

use std::ops::RangeBounds;
use std::sync::Arc;

use super::attribute;
use super::column::{checked, within};
use super::error::{Fault, InColumn, Result, Rule, Verdict, Violation};
use super::kind::{Held, Kind};
use super::missing::Missing;
use super::rows::Rows;
use super::values::{self, Data, Lists, Room, Values};
use crate::bytes::Text;
use crate::error::ErrorKind;
use crate::object::{Dataset, Group, Object};

/// Lists in lists that are followed. A group can be below itself.
const DEEPEST: usize = 64;

/// Rows that are read together where some of them are wanted.
const NEAR: u64 = 64;

/// Rows that are read at once.
const BLOCK: u64 = 1 << 18;

/// A column of a list for each row: a group.
#[derive(Clone, Debug)]
pub struct ListColumn {
    table: Arc<str>,
    name: Text,
    group: Group,
    kind: Option<Text>,
    nrows: u64,
}

/// What lists are of, or lists of lists.
#[derive(Clone, Debug)]
pub enum Level {
    /// Lists.
    Lists(ListLevel),
    /// Strings, byte by byte.
    Strings(StringLevel),
    /// Single values.
    Leaf(Dataset),
}

/// One level of lists.
#[derive(Clone, Debug)]
pub struct ListLevel {
    pub(super) entries: Entries,
    /// What the lists are of.
    pub values: Box<Level>,
}

/// Strings.
#[derive(Clone, Debug)]
pub struct StringLevel {
    pub(super) entries: Entries,
    pub(super) chars: Dataset,
}

/// Where each entry of a level begins, and which of them are there.
#[derive(Clone, Debug)]
pub(super) struct Entries {
    pub(super) offsets: Dataset,
    pub(super) mask: Option<Dataset>,
}

impl ListColumn {
    pub(super) fn new(table: Arc<str>, name: Text, group: Group, nrows: u64) -> crate::Result<Self> {
        let kind = attribute::text(group.info(), "KIND")?;
        Ok(Self { table, name, group, kind, nrows })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// The group.
    #[must_use]
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Text of its KIND attribute.
    #[must_use]
    pub fn list_kind(&self) -> Option<&Text> {
        self.kind.as_ref()
    }

    /// Lists, or lists of a kind that is not known here.
    #[must_use]
    pub fn kind(&self) -> Kind {
        if self.is_known() { Kind::List } else { Kind::UnknownList }
    }

    pub(super) fn nrows(&self) -> u64 {
        self.nrows
    }

    fn is_known(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| *kind == *"OFFSETS")
    }

    /// Of what the lists are. No value is read.
    ///
    /// # Errors
    /// `Rule` for a kind that is not known, and where a member lacks.
    pub fn level(&self) -> Result<ListLevel> {
        ListLevel::open(&self.group, 0).in_column(&self.table, self.name.as_str())
    }

    /// Reads the lists of some rows.
    ///
    /// # Errors
    /// `File` also for rows that the table does not have; `Rule` where the members do not fit together.
    pub fn read(&self, rows: impl RangeBounds<u64>) -> Result<Values> {
        self.read_rows(&checked(rows, self.nrows)?)
    }

    /// Reads the lists of a set of rows, in ascending order.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_rows(&self, rows: &Rows) -> Result<Values> {
        within(rows, self.nrows)?;
        let read = || {
            let level = self.level()?;
            let mut room = Room::of(self.group.file());
            // Rows that follow one another are read where they are to stay.
            let mut runs = rows.runs();
            let (first, next) = (runs.next().unwrap_or(0..0), runs.next());
            if next.is_none() {
                return level.read(first.start, first.end, &mut room);
            }
            let mut values = level.read(0, 0, &mut room)?;
            // Rows that are near each other are read together, and those between them left out then.
            for block in rows.aligned(NEAR, self.nrows, BLOCK) {
                let wanted = rows.within(&block);
                let read = level.read(block.start, block.end, &mut room)?;
                if wanted.len() == block.end - block.start {
                    values.append(read);
                } else {
                    let places: Vec<usize> = wanted.iter().map(|row| (row - block.start) as usize).collect();
                    values.append(read.take(&places));
                }
            }
            Ok(values)
        };
        read().in_column(&self.table, self.name.as_str())
    }
}

/// Refuses lists of a kind that is not known here.
fn known(group: &Group, kind: Option<&Text>) -> Result<()> {
    let path = group.path();
    let violation = match kind {
        Some(kind) if *kind == *"OFFSETS" => return Ok(()),
        Some(kind) => Violation::new(Rule::L7, path, format!("KIND is {kind:?}")),
        None => Violation::new(Rule::L7, path, "no KIND").fault(Fault::BadListColumn).verdict(Verdict::Strict),
    };
    Err(violation.into())
}

/// A member of a group; `None` where it lacks.
pub(super) fn member(group: &Group, name: &str) -> Result<Option<Object>> {
    match group.object(name) {
        Ok(object) => Ok(Some(object)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// A dataset of one dimension that a group must have.
fn dataset(group: &Group, name: &'static str) -> Result<Dataset> {
    match member(group, name)? {
        Some(Object::Dataset(dataset)) if dataset.shape().len() == 1 => Ok(dataset),
        Some(_) => Err(lacks(group, &format!("{name} is no dataset of one dimension"))),
        None => Err(lacks(group, &format!("there is no {name}"))),
    }
}

fn lacks(group: &Group, detail: &str) -> super::Error {
    Violation::new(Rule::L11, group.path(), detail).into()
}

impl Entries {
    fn open(group: &Group) -> Result<Self> {
        let offsets = dataset(group, "OFFSETS")?;
        let mask = match member(group, "MASK")? {
            Some(_) => Some(dataset(group, "MASK")?),
            None => None,
        };
        Ok(Self { offsets, mask })
    }

    /// Where the entries of a range begin and end, and which of them are null.
    pub(super) fn read(&self, start: u64, end: u64, room: &mut Room) -> Result<(Vec<u64>, Vec<bool>)> {
        if start >= end {
            return Ok((vec![0], Vec::new()));
        }
        let stored = self.offsets.len();
        if stored <= end {
            let detail = format!("{stored} offsets for {end} entries, which need one more");
            return Err(Violation::new(Rule::L2, self.offsets.path(), detail).into());
        }
        values::possible(self.offsets.file(), end - start, 1)?;
        room.values(end - start, Held::Unsigned, self.offsets.datatype().size)?;
        let offsets: Vec<u64> = match self.offsets.read(start..=end) {
            Ok(offsets) => offsets,
            Err(e) if e.kind() == ErrorKind::Type => {
                let violation = Violation::new(Rule::L3, self.offsets.path(), e.cause().to_string());
                return Err(violation.verdict(Verdict::Reject).into());
            }
            Err(e) => return Err(e.into()),
        };
        if let Some(entry) = (0..offsets.len().saturating_sub(1)).find(|entry| offsets[*entry] > offsets[entry + 1]) {
            let (a, b) = (offsets[entry], offsets[entry + 1]);
            let detail = format!("entry {} begins at {a} and ends at {b}", start + entry as u64);
            let violation = Violation::new(Rule::L1, self.offsets.path(), detail);
            return Err(violation.verdict(Verdict::Reject).into());
        }
        Ok((offsets, self.nulls(start, end)?))
    }

    fn nulls(&self, start: u64, end: u64) -> Result<Vec<bool>> {
        let Some(mask) = &self.mask else {
            return Ok(vec![false; usize::try_from(end - start).unwrap_or(usize::MAX)]);
        };
        if mask.len() < end {
            let detail = format!("{} elements for {end} entries", mask.len());
            return Err(Violation::new(Rule::L2, mask.path(), detail).into());
        }
        match mask.read::<Vec<bool>>(start..end) {
            Ok(present) => Ok(present.into_iter().map(|present| !present).collect()),
            Err(e) if e.kind() == ErrorKind::Type => {
                let violation = Violation::new(Rule::L4, mask.path(), e.cause().to_string());
                Err(violation.verdict(Verdict::Reject).into())
            }
            Err(e) => Err(e.into()),
        }
    }

    /// True where entries can be null.
    pub(super) fn nullable(&self) -> bool {
        self.mask.is_some()
    }
}

impl ListLevel {
    fn open(group: &Group, depth: usize) -> Result<Self> {
        if depth >= DEEPEST {
            return Err(lacks(group, &format!("lists in lists, more than {DEEPEST} levels")));
        }
        known(group, attribute::text(group.info(), "KIND")?.as_ref())?;
        let entries = Entries::open(group)?;
        let values = match member(group, "VALUES")? {
            None => return Err(lacks(group, "there is no VALUES")),
            Some(Object::Dataset(leaf)) if leaf.shape().len() == 1 => Level::Leaf(leaf),
            Some(Object::Group(inner)) => match attribute::text(inner.info(), "CLASS")? {
                Some(class) if class == *"STRING_VALUES" => {
                    let entries = Entries::open(&inner)?;
                    Level::Strings(StringLevel { entries, chars: dataset(&inner, "CHARS")? })
                }
                Some(class) if class == *"LIST_COLUMN" => Level::Lists(Self::open(&inner, depth + 1)?),
                Some(class) => return Err(lacks(&inner, &format!("CLASS is {class:?}"))),
                None => return Err(lacks(&inner, "no CLASS")),
            },
            Some(_) => return Err(lacks(group, "VALUES is no dataset of one dimension, and no group")),
        };
        Ok(Self { entries, values: Box::new(values) })
    }

    /// True where lists of this level can be null.
    #[must_use]
    pub fn nullable(&self) -> bool {
        self.entries.nullable()
    }

    fn read(&self, start: u64, end: u64, room: &mut Room) -> Result<Values> {
        let (mut offsets, missing) = self.entries.read(start, end, room)?;
        let (first, last) = ends(&offsets);
        let values = Box::new(self.values.read(first, last, room)?);
        offsets.iter_mut().for_each(|offset| *offset -= first);
        Ok(Values { data: Data::List(Lists { offsets, values }), missing })
    }
}

/// Where the first entry begins and the last one ends.
fn ends(offsets: &[u64]) -> (u64, u64) {
    (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0))
}

impl StringLevel {
    /// True where strings can be null.
    #[must_use]
    pub fn nullable(&self) -> bool {
        self.entries.nullable()
    }

    pub(super) fn read(&self, start: u64, end: u64, room: &mut Room) -> Result<Values> {
        let (offsets, missing) = self.entries.read(start, end, room)?;
        let (first, last) = ends(&offsets);
        if self.chars.len() < last {
            let detail = format!("{} bytes where strings need {last}", self.chars.len());
            return Err(Violation::new(Rule::L9, self.chars.path(), detail).verdict(Verdict::Reject).into());
        }
        if self.chars.datatype().size != 1 {
            let violation = Violation::new(Rule::L9, self.chars.path(), format!("bytes are {}", self.chars.datatype()));
            return Err(violation.verdict(Verdict::Reject).into());
        }
        values::possible(self.chars.file(), last - first, 1)?;
        // The strings, and the bytes of them all.
        room.take(end.saturating_sub(start), Held::Text.bytes(0))?;
        room.take(last - first, 2)?;
        let bytes = self.chars.read_bytes(first..last)?;
        let string = |pair: &[u64]| {
            let part = |at: &u64| usize::try_from(at - first).unwrap_or(usize::MAX);
            match pair {
                [a, b] => Text::from(bytes.get(part(a)..part(b)).unwrap_or_default()),
                _ => Text::default(),
            }
        };
        Ok(Values { data: Data::Text(offsets.windows(2).map(string).collect()), missing })
    }
}

impl Level {
    fn read(&self, start: u64, end: u64, room: &mut Room) -> Result<Values> {
        match self {
            Self::Lists(level) => level.read(start, end, room),
            Self::Strings(level) => level.read(start, end, room),
            Self::Leaf(leaf) => {
                if leaf.len() < end {
                    let detail = format!("{} elements where lists need {end}", leaf.len());
                    return Err(Violation::new(Rule::L2, leaf.path(), detail).into());
                }
                let rows = Rows::range(start..end);
                let (held, size) = (Held::of(leaf.datatype()), leaf.datatype().size);
                values::possible(leaf.file(), rows.len(), size)?;
                room.values(rows.len(), held, size)?;
                let data = values::read(leaf, held, &rows)?;
                let missing = Missing::of(leaf)?.among(&data, leaf, &rows)?;
                Ok(Values { data, missing })
            }
        }
    }
}
