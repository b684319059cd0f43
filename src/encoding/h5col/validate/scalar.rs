//! Rules for columns of single values.

use std::cmp::Ordering;

use super::Check;
use super::table::is_reserved;
use crate::bytes::Text;
use crate::element::Value;
use crate::encoding::h5col::attribute;
use crate::encoding::h5col::column::{KNOWN, Labels, ScalarColumn};
use crate::encoding::h5col::error::{Result, Rule, Violation};
use crate::encoding::h5col::kind::{Kind, is_boolean};
use crate::encoding::h5col::list::member;
use crate::encoding::h5col::values::{Data, Values, possible};
use crate::format::message::datatype::Class;
use crate::object::{Dataset, FillInfo, Object, Target};

/// Rows that are read at once.
const BLOCK: u64 = 1 << 18;

/// Reserved names that AnnData gives to attributes of columns, for what they are reserved for.
const ANNDATA: [&str; 4] = ["encoding-type", "encoding-version", "ordered", "_index"];

impl Check<'_> {
    pub(super) fn scalar(&mut self, column: &ScalarColumn) -> Result<()> {
        let (dataset, name) = (column.dataset(), column.name().as_str());
        let path = dataset.path();
        self.fill(dataset, name)?;
        if dataset.info().has_attribute("MASK")? {
            let detail = "a MASK attribute: a later revision may say which rows are missing";
            self.add(name, Violation::new(Rule::C3, path, detail));
        }
        for attribute in attribute::sound(dataset.attributes()?)? {
            let known = KNOWN.iter().chain(&ANNDATA).any(|known| *attribute.name() == **known);
            if !known && is_reserved(attribute.name()) {
                let detail = format!("an attribute of the reserved name {}", attribute.name());
                self.add(name, Violation::new(Rule::T9, path, detail));
            }
        }
        if column.kind() == Kind::Categorical {
            self.categorical(column)?;
        }
        if self.reads_values() {
            self.values(column)?;
        }
        Ok(())
    }

    /// A fill value where there must be one, outside the valid range; none where there must be none.
    fn fill(&mut self, dataset: &Dataset, name: Option<&str>) -> Result<()> {
        let (path, given) = (dataset.path(), dataset.fill() == FillInfo::Value);
        match (is_boolean(dataset.datatype()), given) {
            (true, true) => self.add(name, Violation::new(Rule::B1, path, "a boolean column with a fill value")),
            (false, false) => self.add(name, Violation::new(Rule::C1, path, "no fill value of its own")),
            _ => {}
        }
        if !given {
            return Ok(());
        }
        let Some(Some(fill)) = self.take(name, dataset.fill_value::<Value>().map_err(Into::into))? else {
            return Ok(());
        };
        let mut bounds = Vec::new();
        for bound in ["valid_min", "valid_max"] {
            bounds.push(match attribute::find(dataset.info(), bound)? {
                Some(attribute) => self.take(name, attribute.read::<Value>().map_err(Into::into))?,
                None => None,
            });
        }
        let [min, max] = bounds.as_slice() else { return Ok(()) };
        let above = |bound: &Value| order(&fill, bound).is_some_and(Ordering::is_ge);
        let below = |bound: &Value| order(&fill, bound).is_some_and(Ordering::is_le);
        let inside = match (min, max) {
            (Some(min), Some(max)) => above(min) && below(max),
            (Some(min), None) => above(min),
            (None, Some(max)) => below(max),
            (None, None) => false,
        };
        if inside {
            let shown = |bound: &Option<Value>| bound.as_ref().map_or("…".to_owned(), Value::to_string);
            let detail = format!("the fill value {fill} is in the valid range, {} to {}", shown(min), shown(max));
            self.add(name, Violation::new(Rule::C2, path, detail));
        }
        Ok(())
    }

    fn categorical(&mut self, column: &ScalarColumn) -> Result<()> {
        let (dataset, name) = (column.dataset(), column.name().as_str());
        if !matches!(dataset.datatype().class, Class::FixedPoint(_)) {
            let detail = format!("codes are {}, not integers", dataset.datatype());
            self.add(name, Violation::new(Rule::K5, dataset.path(), detail));
        }
        let Some(Some(labels)) = self.take(name, column.labels())? else { return Ok(()) };
        if !self.is_labels(&labels)? {
            let detail = "CATEGORIES leads to a dataset that is not in the table's group of that name";
            self.add(name, Violation::new(Rule::K3, dataset.path(), detail));
        }
        if dataset.fill() == FillInfo::Value
            && let Some(Some(fill)) = self.take(name, dataset.fill_value::<i128>().map_err(Into::into))?
            && (0..i128::from(labels.len())).contains(&fill)
        {
            let detail = format!("the fill value {fill} is the code of one of {} labels", labels.len());
            self.add(name, Violation::new(Rule::K2, dataset.path(), detail));
        }
        if self.reads_values()
            && let Some(values) = self.take(name, labels.read())?
        {
            self.utf8(&values, labels.dataset(), name, 0);
        }
        Ok(())
    }

    /// True for a dataset in the table's group of labels.
    fn is_labels(&self, labels: &Labels) -> Result<bool> {
        let Some(Object::Group(group)) = member(self.table.group(), "CATEGORIES")? else { return Ok(false) };
        for link in attribute::sound(group.links()?)? {
            if link.target() == Target::Hard(labels.dataset().info().address()) {
                return Ok(labels.dataset().file().is(group.file()));
            }
        }
        Ok(false)
    }

    fn values(&mut self, column: &ScalarColumn) -> Result<()> {
        let (file, size) = (column.dataset().file(), column.dataset().datatype().size);
        if self.take(column.name().as_str(), possible(file, self.table.nrows(), size))?.is_none() {
            return Ok(());
        }
        let mut start = 0;
        while start < self.table.nrows() {
            let end = start.saturating_add(BLOCK).min(self.table.nrows());
            // One fault of a kind is enough.
            let Some(values) = self.take(column.name().as_str(), column.read(start..end))? else { break };
            if self.utf8(&values, column.dataset(), column.name().as_str(), start) {
                break;
            }
            start = end;
        }
        Ok(())
    }

    /// Reports the first string that is not UTF-8, if there is one.
    pub(super) fn utf8(&mut self, values: &Values, dataset: &Dataset, name: Option<&str>, first: u64) -> bool {
        let Data::Text(texts) = &values.data else { return false };
        let wrong = |(_, text): &(u64, &Text)| text.as_str().is_none();
        let Some((row, text)) = (first..).zip(texts).find(wrong) else { return false };
        self.add(name, Violation::new(Rule::C4, dataset.path(), format!("element {row} is \"{text}\"")));
        true
    }
}

/// The order of two values of a column; `None` where they have none.
fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Integer(a) | Value::Enumeration(_, a), Value::Integer(b) | Value::Enumeration(_, b)) => Some(a.cmp(b)),
        (Value::Bits(a), Value::Bits(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Opaque(a), Value::Opaque(b)) => Some(a.cmp(b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}
