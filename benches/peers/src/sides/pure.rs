//! hdf5-pure. It has one thread, and no selections but of rows.

use std::path::Path;

use hdf5_pure::{AttrValue, CompoundField, CompoundType, Dataset, Datatype, File, FormatError, Group};

use super::{Cannot, Packed, Result, Side};
use crate::tally::{Tally, word};

pub struct Pure;

/// Opens a file to be read piece by piece, which has no symbol tables and no attributes, or all of it at once.
fn open(file: &Path, streaming: bool) -> Result<File> {
    Ok(if streaming { File::open_streaming(file)? } else { File::open(file)? })
}

/// The dataset of a file that may be large.
fn dataset(file: &Path, dataset: &str) -> Result<Dataset> {
    open(file, true)?.dataset(dataset).or_else(|_| Ok(open(file, false)?.dataset(dataset)?))
}

impl Side for Pure {
    fn by_path(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        let file = open(file, false)?;
        let mut values = Vec::new();
        for path in paths {
            values.extend(file.dataset(path)?.read_f64()?);
        }
        tally.floats(&values);
        Ok(())
    }

    fn by_group(&mut self, file: &Path, groups: &[(String, Vec<String>)], tally: &mut Tally) -> Result<()> {
        let file = open(file, false)?;
        let mut values = Vec::new();
        for (group, _) in groups {
            let mut datasets: Vec<_> = file.group(group)?.iter_datasets()?.collect();
            datasets.sort_by(|a, b| a.0.cmp(&b.0));
            for (_, dataset) in datasets {
                values.extend(dataset.read_f64()?);
            }
        }
        tally.floats(&values);
        Ok(())
    }

    fn list(&mut self, file: &Path, shapes: bool, tally: &mut Tally) -> Result<()> {
        let mut names = Vec::new();
        list(&open(file, false)?.root(), "", shapes, &mut names)?;
        tally.named(names.iter().map(|(name, shape)| (name.as_str(), *shape)));
        Ok(())
    }

    fn find(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        for path in paths {
            tally.floats(&dataset(file, path)?.read_f64()?);
        }
        Ok(())
    }

    fn floats(&mut self, file: &Path, name: &str, tally: &mut Tally) -> Result<()> {
        tally.floats(&dataset(file, name)?.read_f64()?);
        Ok(())
    }

    fn integers(&mut self, file: &Path, name: &str, tally: &mut Tally) -> Result<()> {
        tally.integers(&dataset(file, name)?.read_i32()?);
        Ok(())
    }

    fn strings(&mut self, file: &Path, name: &str, packed: bool, tally: &mut Tally) -> Result<()> {
        let dataset = dataset(file, name)?;
        if packed {
            let mut packed = Packed::default();
            dataset.visit_vlen_strings(Default::default(), |text| packed.push(text.as_bytes()))?;
            tally.texts(packed.texts());
        } else {
            tally.texts(dataset.read_string()?.iter().map(String::as_bytes));
        }
        Ok(())
    }

    fn records(&mut self, file: &Path, name: &str, tally: &mut Tally) -> Result<()> {
        let records: Vec<Record> = dataset(file, name)?.read_compound()?;
        tally.records(records.iter().map(|record| (record.time, record.channel, record.value)));
        Ok(())
    }

    fn attributes(&mut self, file: &Path, group: &str, tally: &mut Tally) -> Result<()> {
        let mut values = Vec::new();
        for (name, value) in open(file, false)?.group(group)?.attrs()? {
            let AttrValue::F64(value) = value else { return Err(Cannot.into()) };
            values.push((name, value));
        }
        tally.named(values.iter().map(|(name, value)| (name.as_str(), value.to_bits())));
        Ok(())
    }
}

struct Record {
    time: f64,
    channel: i32,
    value: f32,
}

impl CompoundType for Record {
    fn datatype() -> std::result::Result<Datatype, FormatError> {
        unreachable!("it is only read")
    }

    fn encode(&self, _output: &mut Vec<u8>) {
        unreachable!("it is only read")
    }

    fn decode(datatype: &Datatype, bytes: &[u8]) -> std::result::Result<Self, FormatError> {
        let mut record = Self { time: 0.0, channel: 0, value: 0.0 };
        let Datatype::Compound { members, .. } = datatype else { return Ok(record) };
        for member in members {
            let start = member.byte_offset as usize;
            let bytes = &bytes[start..start + member.datatype.type_size() as usize];
            match member.name.as_str() {
                "time" => record.time = CompoundField::decode_field(&member.datatype, bytes)?,
                "channel" => record.channel = CompoundField::decode_field(&member.datatype, bytes)?,
                "value" => record.value = CompoundField::decode_field(&member.datatype, bytes)?,
                _ => (),
            }
        }
        Ok(record)
    }
}

fn list(group: &Group, path: &str, shapes: bool, names: &mut Vec<(String, u64)>) -> Result<()> {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
    if shapes {
        for (name, dataset) in group.iter_datasets()? {
            names.push((below(&name), word(&dataset.shape()?)));
        }
    } else {
        names.extend(group.datasets()?.iter().map(|name| (below(name), 0)));
    }
    for (name, group) in group.iter_groups()? {
        let path = below(&name);
        list(&group, &path, shapes, names)?;
        names.push((path, 0));
    }
    Ok(())
}
