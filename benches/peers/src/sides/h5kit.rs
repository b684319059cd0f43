//! h5kit.

use std::num::NonZero;
use std::path::Path;

use h5kit::element::Strings;
use h5kit::{File, Group, Limits, Object, Options};

use super::{Result, Side, Window, encodings};
use crate::tally::{Tally, word};

pub struct H5kit {
    pub threads: usize,
    /// Whether the indexes of a table are used.
    pub indexes: bool,
}

/// The one place that says how many threads h5kit reads with.
fn options(threads: usize) -> Options {
    Options::new().threads(NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN))
}

/// Maps a file.
#[allow(unsafe_code)]
fn open_mapped(options: Options, file: &Path) -> Result<File> {
    // SAFETY: nobody changes the files of a benchmark while it runs.
    Ok(unsafe { options.open_mapped(file) }?)
}

impl H5kit {
    fn open(&self, file: &Path) -> Result<File> {
        Ok(options(self.threads).open(file)?)
    }
}

impl Side for H5kit {
    fn by_path(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        let file = self.open(file)?;
        let mut values = Vec::new();
        for path in paths {
            values.extend(file.dataset(path)?.read::<Vec<f64>>(..)?);
        }
        tally.floats(&values);
        Ok(())
    }

    fn by_group(&mut self, file: &Path, groups: &[(String, Vec<String>)], tally: &mut Tally) -> Result<()> {
        // The fastest way there is: from a map, and a group is looked up once for all its members.
        let file = open_mapped(options(self.threads), file)?;
        let mut values = Vec::new();
        for (group, datasets) in groups {
            let group = file.group(group)?;
            for dataset in datasets {
                values.extend(group.dataset(dataset)?.read::<Vec<f64>>(..)?);
            }
        }
        tally.floats(&values);
        Ok(())
    }

    fn list(&mut self, file: &Path, shapes: bool, tally: &mut Tally) -> Result<()> {
        let mut names = Vec::new();
        list(&self.open(file)?.root(), shapes, &mut names)?;
        tally.named(names.iter().map(|(name, shape)| (name.trim_start_matches('/'), *shape)));
        Ok(())
    }

    fn find(&mut self, file: &Path, paths: &[String], tally: &mut Tally) -> Result<()> {
        for path in paths {
            tally.floats(&self.open(file)?.dataset(path)?.read::<Vec<f64>>(..)?);
        }
        Ok(())
    }

    fn floats(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        tally.floats(&self.open(file)?.dataset(dataset)?.read::<Vec<f64>>(..)?);
        Ok(())
    }

    fn floats_into(&mut self, file: &Path, dataset: &str, buffer: &mut [f64], tally: &mut Tally) -> Result<()> {
        self.open(file)?.dataset(dataset)?.read_into(buffer, ..)?;
        tally.floats(buffer);
        Ok(())
    }

    fn borrowed(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        let dataset = open_mapped(options(self.threads), file)?.dataset(dataset)?;
        tally.floats(dataset.as_slice()?.ok_or("the values cannot be borrowed")?);
        Ok(())
    }

    fn integers(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        tally.integers(&self.open(file)?.dataset(dataset)?.read::<Vec<i32>>(..)?);
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
        let mut limits = Limits::default();
        if large_cache {
            limits.chunk_cache_bytes = 64 << 20;
        }
        let dataset = options(self.threads).limits(limits).open(file)?.dataset(dataset)?;
        for (rows, columns) in windows {
            tally.floats(&dataset.read::<Vec<f64>>((rows.clone(), columns.clone()))?);
        }
        Ok(())
    }

    fn strings(&mut self, file: &Path, dataset: &str, packed: bool, tally: &mut Tally) -> Result<()> {
        let dataset = self.open(file)?.dataset(dataset)?;
        if packed {
            let texts: Strings = dataset.read(..)?;
            tally.texts(texts.iter().map(str::as_bytes));
        } else {
            let texts: Vec<String> = dataset.read(..)?;
            tally.texts(texts.iter().map(String::as_bytes));
        }
        Ok(())
    }

    fn records(&mut self, file: &Path, dataset: &str, tally: &mut Tally) -> Result<()> {
        let records: Vec<Record> = self.open(file)?.dataset(dataset)?.read(..)?;
        tally.records(records.iter().map(|record| (record.time, record.channel, record.value)));
        Ok(())
    }

    fn observations(&mut self, file: &Path, tally: &mut Tally) -> Result<()> {
        encodings::observations(&self.open(file)?, tally)
    }

    fn matrix_lines(&mut self, file: &Path, lines: &[u64], tally: &mut Tally) -> Result<()> {
        encodings::matrix_lines(&self.open(file)?, lines, tally)
    }

    fn matrix_stream(&mut self, file: &Path, tally: &mut Tally) -> Result<()> {
        encodings::matrix_stream(&self.open(file)?, tally)
    }

    fn query(&mut self, file: &Path, condition: &str, tally: &mut Tally) -> Result<()> {
        encodings::query(&open_mapped(options(self.threads), file)?, condition, self.indexes, tally)
    }

    fn lists(&mut self, file: &Path, table: &str, column: &str, tally: &mut Tally) -> Result<()> {
        encodings::lists(&open_mapped(options(self.threads), file)?, table, column, tally)
    }

    fn attributes(&mut self, file: &Path, group: &str, tally: &mut Tally) -> Result<()> {
        let mut values = Vec::new();
        for attribute in self.open(file)?.group(group)?.attributes()? {
            let attribute = attribute?;
            values.push((attribute.name().to_string(), attribute.read::<f64>()?));
        }
        tally.named(values.iter().map(|(name, value)| (name.as_str(), value.to_bits())));
        Ok(())
    }
}

h5kit::compound! {
    /// One of the records.
    #[derive(Clone)]
    struct Record {
        time: f64,
        channel: i32,
        value: f32,
    }
}

fn list(group: &Group, shapes: bool, names: &mut Vec<(String, u64)>) -> Result<()> {
    for link in group.links()? {
        let link = link?;
        match link.open()? {
            Object::Group(group) => {
                names.push((link.path(), 0));
                list(&group, shapes, names)?;
            }
            Object::Dataset(dataset) => names.push((link.path(), if shapes { word(dataset.shape()) } else { 0 })),
            Object::NamedDatatype(_) => names.push((link.path(), 0)),
        }
    }
    Ok(())
}
