//! libhdf5, through the crate hdf5-metno.

use std::path::Path;

use hdf5_metno::types::VarLenUnicode;
use hdf5_metno::{File, Group, H5Type, LocationType};

use super::{Packed, Result, Side, Window};
use crate::tally::{Tally, word};

pub struct Libhdf5;

/// The version of libhdf5.
pub fn version() -> String {
    let (major, minor, release) = hdf5_metno::library_version();
    format!("{major}.{minor}.{release}")
}

/// As many slots as chunks of 512 KiB can need, a prime.
const CACHE_SLOTS: usize = 10_007;
const CACHE_BYTES: usize = 64 << 20;
/// What libhdf5 has where nothing is set.
const CACHE_PREEMPTION: f64 = 0.75;

#[derive(Clone, H5Type)]
#[repr(C)]
struct Record {
    time: f64,
    channel: i32,
    value: f32,
}

impl Side for Libhdf5 {
    fn by_path(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        let file = File::open(file)?;
        let mut values = Vec::new();
        for path in paths {
            values.extend(file.dataset(path)?.read_raw::<f64>()?);
        }
        tally.floats(&values);
        Ok(())
    }

    fn by_group(&mut self, file: &Path, groups: &[(String, Vec<String>)], tally: &mut Tally) -> Result<()> {
        let file = File::open(file)?;
        let mut values = Vec::new();
        for (group, datasets) in groups {
            let group = file.group(group)?;
            for dataset in datasets {
                values.extend(group.dataset(dataset)?.read_raw::<f64>()?);
            }
        }
        tally.floats(&values);
        Ok(())
    }

    fn list(&mut self, file: &Path, shapes: bool, tally: &mut Tally) -> Result<()> {
        let mut names = Vec::new();
        list(&*File::open(file)?, "", shapes, &mut names)?;
        tally.named(names.iter().map(|(name, shape)| (name.as_str(), *shape)));
        Ok(())
    }

    fn find(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        for path in paths {
            tally.floats(&File::open(file)?.dataset(path)?.read_raw::<f64>()?);
        }
        Ok(())
    }

    fn floats(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        tally.floats(&File::open(file)?.dataset(dataset)?.read_raw::<f64>()?);
        Ok(())
    }

    fn floats_into(&mut self, file: &Path, dataset: &str, buffer: &mut [f64], tally: &mut Tally) -> Result<()> {
        File::open(file)?.dataset(dataset)?.read_into_raw(buffer)?;
        tally.floats(buffer);
        Ok(())
    }

    fn integers(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        tally.integers(&File::open(file)?.dataset(dataset)?.read_raw::<i32>()?);
        Ok(())
    }

    fn windows(
        &mut self,
        file: &Path,
        dataset: &str,
        windows: &[Window],
        large_cache: bool,
        tally: &mut Tally,
    ) -> Result<()> {
        let file = if large_cache {
            let mut options = File::with_options();
            options.with_fapl(|list| list.chunk_cache(CACHE_SLOTS, CACHE_BYTES, CACHE_PREEMPTION)).open(file)?
        } else {
            File::open(file)?
        };
        let dataset = file.dataset(dataset)?;
        for (rows, columns) in windows {
            let window = dataset.read_slice_2d::<f64, _>((rows.clone(), columns.clone()))?;
            tally.floats(window.as_slice().ok_or("the window is not in one piece")?);
        }
        Ok(())
    }

    fn strings(&mut self, file: &Path, dataset: &str, packed: bool, tally: &mut Tally) -> Result<()> {
        let texts = File::open(file)?.dataset(dataset)?.read_raw::<VarLenUnicode>()?;
        if packed {
            let packed: Packed = texts.iter().collect();
            drop(texts);
            tally.texts(packed.texts());
        } else {
            let texts: Vec<String> = texts.into_iter().map(|text| text.as_str().to_owned()).collect();
            tally.texts(texts.iter().map(String::as_bytes));
        }
        Ok(())
    }

    fn records(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        let records = File::open(file)?.dataset(dataset)?.read_raw::<Record>()?;
        tally.records(records.iter().map(|record| (record.time, record.channel, record.value)));
        Ok(())
    }

    fn attributes(&mut self, file: &Path, group: &str, tally: &mut Tally) -> Result<()> {
        let group = File::open(file)?.group(group)?;
        let mut values = Vec::new();
        for name in group.attr_names()? {
            let value: f64 = group.attr(&name)?.read_scalar()?;
            values.push((name, value));
        }
        tally.named(values.iter().map(|(name, value)| (name.as_str(), value.to_bits())));
        Ok(())
    }
}

fn list(group: &Group, path: &str, shapes: bool, names: &mut Vec<(String, u64)>) -> Result<()> {
    for name in group.member_names()? {
        let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        match group.loc_type_by_name(&name)? {
            LocationType::Group => {
                list(&group.group(&name)?, &path, shapes, names)?;
                names.push((path, 0));
            }
            LocationType::Dataset if shapes => {
                let shape = group.dataset(&name)?.get_shape()?;
                let shape: Vec<u64> = shape.iter().map(|length| *length as u64).collect();
                names.push((path, word(&shape)));
            }
            _ => names.push((path, 0)),
        }
    }
    Ok(())
}
