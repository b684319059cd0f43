//! hdf5-reader, with threads of rayon.

use std::path::Path;

use hdf5_reader::group::Group;
use hdf5_reader::messages::datatype::Datatype as Stored;
use hdf5_reader::{Dataset, H5Type, Hdf5File, SliceInfo, SliceInfoElem};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Packed, Result, Side, Window};
use crate::tally::{Tally, word};

pub struct Reader {
    /// Where there is more than one thread.
    pool: Option<ThreadPool>,
}

impl Reader {
    pub fn new(threads: usize) -> Result<Self> {
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self { pool: (threads > 1).then(pool).transpose()? })
    }

    fn array<T: H5Type>(&self, dataset: &Dataset) -> Result<Vec<T>> {
        let array = match &self.pool {
            None => dataset.read_array()?,
            Some(pool) => dataset.read_array_in_pool(pool)?,
        };
        Ok(array.into_raw_vec_and_offset().0)
    }
}

fn open(file: &Path, dataset: &str) -> Result<Dataset> {
    Ok(Hdf5File::open(file)?.dataset(dataset)?)
}

impl Side for Reader {
    fn by_path(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        let file = Hdf5File::open(file)?;
        let mut values = Vec::new();
        for path in paths {
            values.extend(file.dataset(path)?.read_array::<f64>()?);
        }
        tally.floats(&values);
        Ok(())
    }

    fn by_group(&mut self, file: &Path, groups: &[(String, Vec<String>)], tally: &mut Tally) -> Result<()> {
        let file = Hdf5File::open(file)?;
        let mut values = Vec::new();
        for (group, datasets) in groups {
            let group = file.group(group)?;
            for dataset in datasets {
                values.extend(group.dataset(dataset)?.read_array::<f64>()?);
            }
        }
        tally.floats(&values);
        Ok(())
    }

    fn list(&mut self, file: &Path, shapes: bool, tally: &mut Tally) -> Result<()> {
        let mut names = Vec::new();
        list(&Hdf5File::open(file)?.root_group()?, "", shapes, &mut names)?;
        tally.named(names.iter().map(|(name, shape)| (name.as_str(), *shape)));
        Ok(())
    }

    fn find(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        for path in paths {
            tally.floats(&self.array(&open(file, path)?)?);
        }
        Ok(())
    }

    fn floats(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        tally.floats(&self.array(&open(file, dataset)?)?);
        Ok(())
    }

    fn floats_into(&mut self, file: &Path, dataset: &str, buffer: &mut [f64], tally: &mut Tally) -> Result<()> {
        if self.pool.is_some() {
            return Err(super::Cannot.into());
        }
        open(file, dataset)?.read_into(buffer)?;
        tally.floats(buffer);
        Ok(())
    }

    fn integers(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        tally.integers(&self.array(&open(file, dataset)?)?);
        Ok(())
    }

    fn windows(
        &mut self,
        file: &Path,
        dataset: &str,
        windows: &[Window],
        _large_cache: bool,
        tally: &mut Tally,
    ) -> Result<()> {
        let dataset = open(file, dataset)?;
        for (rows, columns) in windows {
            let range = |range: &std::ops::Range<usize>| SliceInfoElem::Slice {
                start: range.start as u64,
                end: range.end as u64,
                step: 1,
            };
            let window = SliceInfo { selections: vec![range(rows), range(columns)] };
            let values = match &self.pool {
                None => dataset.read_slice::<f64>(&window)?,
                Some(pool) => pool.install(|| dataset.read_slice_parallel::<f64>(&window))?,
            };
            tally.floats(values.as_slice().ok_or("the window is not in one piece")?);
        }
        Ok(())
    }

    fn strings(&mut self, file: &Path, dataset: &str, packed: bool, tally: &mut Tally) -> Result<()> {
        let texts = open(file, dataset)?.read_strings()?;
        if packed {
            let packed: Packed = texts.iter().collect();
            drop(texts);
            tally.texts(packed.texts());
        } else {
            tally.texts(texts.iter().map(String::as_bytes));
        }
        Ok(())
    }

    fn records(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        let records: Vec<Record> = self.array(&open(file, dataset)?)?;
        tally.records(records.iter().map(|record| (record.time, record.channel, record.value)));
        Ok(())
    }

    fn attributes(&mut self, file: &Path, group: &str, tally: &mut Tally) -> Result<()> {
        let mut values = Vec::new();
        for attribute in Hdf5File::open(file)?.group(group)?.attributes()? {
            let value: f64 = attribute.read_scalar()?;
            values.push((attribute.name, value));
        }
        tally.named(values.iter().map(|(name, value)| (name.as_str(), value.to_bits())));
        Ok(())
    }
}

#[derive(Clone)]
struct Record {
    time: f64,
    channel: i32,
    value: f32,
}

impl H5Type for Record {
    fn hdf5_type() -> Stored {
        unreachable!("it is only read")
    }

    fn from_bytes(bytes: &[u8], stored: &Stored) -> hdf5_reader::error::Result<Self> {
        let Stored::Compound { fields, .. } = stored else {
            return Err(hdf5_reader::error::Error::InvalidData("no compound".to_owned()));
        };
        let mut record = Self { time: 0.0, channel: 0, value: 0.0 };
        for field in fields {
            let bytes = &bytes[field.byte_offset as usize..];
            match field.name.as_str() {
                "time" => record.time = f64::from_bytes(bytes, &field.datatype)?,
                "channel" => record.channel = i32::from_bytes(bytes, &field.datatype)?,
                "value" => record.value = f32::from_bytes(bytes, &field.datatype)?,
                _ => (),
            }
        }
        Ok(record)
    }

    fn element_size(stored: &Stored) -> usize {
        if let Stored::Compound { size, .. } = stored { *size as usize } else { 0 }
    }
}

fn list(group: &Group, path: &str, shapes: bool, names: &mut Vec<(String, u64)>) -> Result<()> {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
    let groups = if shapes {
        let (groups, datasets) = group.members()?;
        names.extend(datasets.iter().map(|dataset| (below(dataset.name()), word(dataset.shape()))));
        groups
    } else {
        let (groups, datasets) = group.member_names()?;
        names.extend(datasets.iter().map(|name| (below(name), 0)));
        groups.iter().map(|name| group.group(name)).collect::<hdf5_reader::error::Result<_>>()?
    };
    for group in groups {
        let path = below(group.name());
        list(&group, &path, shapes, names)?;
        names.push((path, 0));
    }
    Ok(())
}
