//! Rules for list columns.

use super::Check;
use crate::encoding::h5col::attribute::is_u64;
use crate::encoding::h5col::error::{Result, Rule, Violation};
use crate::encoding::h5col::kind::{Held, is_boolean};
use crate::encoding::h5col::list::{Entries, Level, ListColumn, ListLevel, StringLevel};
use crate::encoding::h5col::rows::Rows;
use crate::encoding::h5col::values::{self, Room};
use crate::object::{Dataset, FillInfo, Group};

use crate::format::message::datatype::Class;

/// Entries that are read at once.
const BLOCK: u64 = 1 << 18;

impl Check<'_> {
    pub(super) fn list(&mut self, column: &ListColumn) -> Result<()> {
        let name = column.name().as_str();
        if column.group().info().has_attribute("SEARCH_INDEX_LIST")? {
            let violation = Violation::new(Rule::L12, column.group().path(), "SEARCH_INDEX_LIST on a list column");
            self.add(name, violation);
        }
        let Some(level) = self.take(name, column.level())? else { return Ok(()) };
        self.list_level(&level, column.group(), name)?;
        if self.reads_values() {
            let entries = self.table.nrows();
            self.list_values(&level, entries, name)?;
        }
        Ok(())
    }

    fn list_level(&mut self, level: &ListLevel, group: &Group, name: Option<&str>) -> Result<()> {
        self.entries(&level.entries, name);
        self.members(group, &["OFFSETS", "VALUES", "MASK"], name)?;
        match &*level.values {
            Level::Lists(inner) => self.list_level(inner, &group.group("VALUES")?, name),
            Level::Strings(strings) => {
                self.entries(&strings.entries, name);
                let chars = &strings.chars;
                if !matches!(&chars.datatype().class, Class::FixedPoint(n) if !n.signed && chars.datatype().size == 1) {
                    let detail = format!("bytes are {}, not uint8", chars.datatype());
                    self.add(name, Violation::new(Rule::L9, chars.path(), detail));
                }
                self.members(&group.group("VALUES")?, &["OFFSETS", "CHARS", "MASK"], name)
            }
            Level::Leaf(leaf) => {
                if leaf.datatype().has_heap_data() {
                    self.add(name, Violation::new(Rule::L8, leaf.path(), leaf.datatype().to_string()));
                }
                if is_boolean(leaf.datatype()) && leaf.fill() == FillInfo::Value {
                    self.add(name, Violation::new(Rule::B1, leaf.path(), "booleans with a fill value"));
                }
                Ok(())
            }
        }
    }

    fn entries(&mut self, entries: &Entries, name: Option<&str>) {
        let offsets = &entries.offsets;
        if !is_u64(offsets.datatype()) {
            let detail = format!("offsets are {}, not uint64", offsets.datatype());
            self.add(name, Violation::new(Rule::L3, offsets.path(), detail));
        }
        if let Some(mask) = entries.mask.as_ref().filter(|mask| !is_boolean(mask.datatype())) {
            let detail = format!("the mask is {}, not boolean", mask.datatype());
            self.add(name, Violation::new(Rule::L4, mask.path(), detail));
        }
    }

    fn members(&mut self, group: &Group, allowed: &[&str], name: Option<&str>) -> Result<()> {
        for link in group.links()? {
            match link {
                Ok(link) if allowed.iter().any(|allowed| *link.name() == **allowed) => {}
                Ok(link) => self.add(name, Violation::new(Rule::L6, &link.path(), "no member of a list column")),
                Err(e) => {
                    self.take(name, Err::<(), _>(e.into()))?;
                }
            }
        }
        Ok(())
    }

    fn list_values(&mut self, level: &ListLevel, entries: u64, name: Option<&str>) -> Result<()> {
        let Some(below) = self.offsets(&level.entries, entries, name)? else { return Ok(()) };
        match &*level.values {
            Level::Lists(inner) => self.list_values(inner, below, name),
            Level::Strings(strings) => self.strings(strings, below, name),
            Level::Leaf(leaf) => self.leaf(leaf, below, name),
        }
    }

    /// Reads all offsets of a level; how many entries they count, or `None` where they do not say.
    fn offsets(&mut self, level: &Entries, entries: u64, name: Option<&str>) -> Result<Option<u64>> {
        let path = level.offsets.path();
        if self.take(name, values::possible(level.offsets.file(), entries, 1))?.is_none() {
            return Ok(None);
        }
        let mut last = 0;
        let mut start = 0;
        while start < entries {
            let end = start.saturating_add(BLOCK).min(entries);
            let Some((offsets, nulls)) =
                self.take(name, level.read(start, end, &mut Room::of(level.offsets.file())))?
            else {
                return Ok(None);
            };
            if let (0, Some(first @ 1..)) = (start, offsets.first()) {
                self.add(name, Violation::new(Rule::L1, path, format!("the first offset is {first}, not 0")));
            }
            let spans = (start..).zip(offsets.windows(2)).zip(&nulls);
            let full = spans.into_iter().find(|((_, pair), null)| **null && pair.first() != pair.last());
            if let Some(((entry, pair), _)) = full {
                let detail = format!("entry {entry} is null and has elements: {pair:?}");
                self.add(name, Violation::new(Rule::L5, path, detail));
            }
            last = offsets.last().copied().unwrap_or(last);
            start = end;
        }
        Ok(Some(last))
    }

    fn strings(&mut self, level: &StringLevel, entries: u64, name: Option<&str>) -> Result<()> {
        if self.offsets(&level.entries, entries, name)?.is_none() {
            return Ok(());
        }
        let mut start = 0;
        while start < entries {
            let end = start.saturating_add(BLOCK).min(entries);
            let read = level.read(start, end, &mut Room::of(level.chars.file()));
            let Some(values) = self.take(name, read)? else { break };
            if let values::Data::Text(texts) = &values.data
                && let Some((entry, text)) = (start..).zip(texts).find(|(_, text)| text.as_str().is_none())
            {
                let detail = format!("string {entry} is \"{text}\"");
                self.add(name, Violation::new(Rule::L10, level.chars.path(), detail));
                break;
            }
            start = end;
        }
        Ok(())
    }

    fn leaf(&mut self, leaf: &Dataset, elements: u64, name: Option<&str>) -> Result<()> {
        if leaf.len() < elements {
            let detail = format!("{} elements where lists need {elements}", leaf.len());
            self.add(name, Violation::new(Rule::L2, leaf.path(), detail));
            return Ok(());
        }
        if self.take(name, values::possible(leaf.file(), elements, leaf.datatype().size))?.is_none() {
            return Ok(());
        }
        let mut start = 0;
        while start < elements {
            let end = start.saturating_add(BLOCK).min(elements);
            let rows = Rows::range(start..end);
            let data = values::read(leaf, Held::of(leaf.datatype()), &rows);
            let Some(data) = self.take(name, data)? else { break };
            let missing = vec![false; data.len()];
            if self.utf8(&values::Values { data, missing }, leaf, name, start) {
                break;
            }
            start = end;
        }
        Ok(())
    }
}
