//! Elements that are no numbers, as comma-separated values.

use std::io::{self, Write};

use csv::Writer;
use h5kit::element::Value;
use h5kit::format::message::datatype::Class;
use h5kit::{Dataset, Datatype};

use crate::json;
use crate::references::References;

/// Lines of a dataset on their way out: a column for each index where there are several, and one for each member of a
/// compound.
pub struct Lines<'d, W: Write> {
    out: Writer<W>,
    dataset: &'d Dataset,
    references: References,
    /// The index of the next element.
    next: Vec<u64>,
}

/// Cells that the elements of a dataset become.
pub fn cells(dataset: &Dataset) -> u64 {
    let elements = dataset.shape().iter().fold(1u64, |n, length| n.saturating_mul(*length));
    match &dataset.datatype().class {
        Class::Compound { members } => elements.saturating_mul(members.len() as u64),
        _ => elements,
    }
}

impl<'d, W: Write> Lines<'d, W> {
    /// Writes the names of the columns.
    pub fn begin(dataset: &'d Dataset, to: W) -> io::Result<Self> {
        let mut out = Writer::from_writer(to);
        let rank = dataset.shape().len();
        let indexes = (0..rank).filter(|_| rank > 1).map(|d| format!("[{d}]"));
        let members: Vec<String> = match &dataset.datatype().class {
            Class::Compound { members } => members.iter().map(|member| member.name.to_string()).collect(),
            _ => vec!["value".into()],
        };
        out.write_record(indexes.chain(members))?;
        Ok(Self { out, dataset, references: References::of(dataset.file()), next: vec![0; rank] })
    }

    /// Writes the next element; nothing where it cannot be read.
    pub fn push(&mut self, value: Option<&Value>) -> io::Result<()> {
        if self.next.len() > 1 {
            for index in &self.next {
                self.out.write_field(index.to_string())?;
            }
        }
        match &self.dataset.datatype().class {
            Class::Compound { members } => {
                let parts = match value {
                    Some(Value::Compound(parts)) => &parts[..],
                    _ => &[],
                };
                for (i, member) in members.iter().enumerate() {
                    let text = parts.get(i).map(|(_, part)| self.text(part, &member.datatype));
                    self.out.write_field(text.unwrap_or_default())?;
                }
            }
            _ => {
                let text = value.map(|value| self.text(value, self.dataset.datatype()));
                self.out.write_field(text.unwrap_or_default())?;
            }
        }
        self.out.write_record(None::<&[u8]>)?;
        for (index, length) in self.next.iter_mut().zip(self.dataset.shape()).rev() {
            *index += 1;
            if *index < *length {
                break;
            }
            *index = 0;
        }
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Text as it is, numbers by their digits, what has parts as JSON.
    fn text(&self, value: &Value, datatype: &Datatype) -> String {
        if *value == Value::Null {
            return String::new();
        }
        let mut text = String::new();
        json::element(&mut text, value, datatype, &self.references);
        let is_text = text.starts_with('"');
        if is_text { serde_json::from_str::<String>(&text).unwrap_or(text) } else { text }
    }
}
