//! Makes the seeds of all fuzzers of the test data: `cargo run --no-default-features --bin seeds -- FOLDER` makes a folder
//! for each target in FOLDER.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use h5kit::error::Structure;
use h5kit::{Dataset, File, Group, Object, SurveyData};
use h5kit_fuzz::{chunk_input, structure_input};

/// Bytes of the largest file that is a seed: larger ones make fuzzing slow.
const LARGEST: u64 = 24 << 10;

/// Bytes of the largest chunk and structure.
const LARGEST_PART: usize = 4 << 10;

/// Structures of one kind that are seeds.
const ENOUGH: usize = 100;

/// Queries to begin with.
const QUERIES: &str = include_str!("queries.txt");

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("corpus"), PathBuf::from);
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata");
    let mut seeds = Seeds { folder, seen: HashMap::new(), parts: BTreeSet::new() };
    for below in ["files", "corrupt", "h5col"] {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(testdata.join(below))?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        for path in paths {
            seeds.file(&path)?;
        }
    }
    for (n, query) in QUERIES.lines().enumerate() {
        seeds.write("query", &n.to_string(), query.as_bytes())?;
    }
    for first in 0..=255 {
        let bytes: Vec<u8> = (0..64u8).map(|i| i.wrapping_mul(37) ^ first).collect();
        seeds.write("selection", &first.to_string(), &[&[first, first / 3][..], &bytes].concat())?;
    }
    for (target, input) in std::mem::take(&mut seeds.parts) {
        let name = format!("{:016x}", hash(&input));
        seeds.write(target, &name, &input)?;
    }
    Ok(())
}

struct Seeds {
    folder: PathBuf,
    /// How many structures of each kind were met.
    seen: HashMap<Structure, usize>,
    /// Chunks and structures, by target, each once.
    parts: BTreeSet<(&'static str, Vec<u8>)>,
}

impl Seeds {
    fn write(&self, target: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.folder.join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), bytes)
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        let is_file = path.extension().is_some_and(|e| ["h5", "h5ad", "h5mu", "mat"].iter().any(|known| e == *known));
        if !is_file {
            return Ok(());
        }
        let bytes = fs::read(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if bytes.len() as u64 <= LARGEST {
            self.write("read", &name, &bytes)?;
            self.write("differential", &name, &bytes)?;
        }
        if let Ok(file) = File::open(path) {
            self.structures(&file, &bytes);
            self.chunks(&file.root(), &bytes, &mut HashSet::new());
        }
        Ok(())
    }

    /// The structures of a file; those that need their header get the last one before them.
    fn structures(&mut self, file: &File, bytes: &[u8]) {
        let Ok(survey) = file.survey(SurveyData::Locate) else { return };
        let widths = file.superblock().widths;
        let mut heads: Vec<(Structure, &[u8])> = Vec::new();
        for extent in survey.extents.iter().chain(&survey.parts) {
            let Some(found) = bytes.get(extent.at as usize..(extent.at + extent.used) as usize) else { continue };
            heads.push((extent.structure, found));
        }
        for (structure, found) in &heads {
            let head = head_of(*structure)
                .and_then(|wanted| heads.iter().find(|(structure, _)| *structure == wanted))
                .map_or(&[][..], |(_, head)| head);
            let whole = [head, found].concat();
            let seen = self.seen.entry(*structure).or_default();
            if whole.len() <= LARGEST_PART && *seen < ENOUGH {
                *seen += 1;
                self.parts.extend(structure_input(*structure, widths, &whole).map(|input| ("structure", input)));
            }
        }
    }

    /// Chunks of datasets with one filter.
    fn chunks(&mut self, group: &Group, bytes: &[u8], seen: &mut HashSet<u64>) {
        if !seen.insert(group.info().address()) {
            return;
        }
        for link in group.links().into_iter().flatten().flatten() {
            match link.open() {
                Ok(Object::Group(below)) => self.chunks(&below, bytes, seen),
                Ok(Object::Dataset(dataset)) => self.chunks_of(&dataset, bytes),
                _ => {}
            }
        }
    }

    fn chunks_of(&mut self, dataset: &Dataset, bytes: &[u8]) {
        let (Some(shape), filters) = (dataset.chunk_shape(), dataset.filters()) else { return };
        let expected = shape.iter().product::<u64>() as usize * dataset.datatype().size as usize;
        let [filter] = filters.as_slice() else { return };
        for chunk in dataset.chunks().into_iter().flatten().take(2) {
            let stored = bytes.get(chunk.position as usize..(chunk.position + chunk.size) as usize);
            let Some(stored) = stored.filter(|stored| stored.len() <= LARGEST_PART) else { continue };
            self.parts.extend(chunk_input(filter.id, &filter.values, expected, stored).map(|input| ("codec", input)));
        }
    }
}

/// The structure without which one cannot be decoded.
fn head_of(structure: Structure) -> Option<Structure> {
    Some(match structure {
        Structure::BTreeV2Internal | Structure::BTreeV2Leaf => Structure::BTreeV2Header,
        Structure::FractalHeapDirect | Structure::FractalHeapIndirect => Structure::FractalHeap,
        Structure::FreeSpaceSections => Structure::FreeSpaceManager,
        Structure::FixedArrayBlock => Structure::FixedArray,
        Structure::ExtensibleArrayIndex | Structure::ExtensibleArraySecondary | Structure::ExtensibleArrayBlock => {
            Structure::ExtensibleArray
        }
        _ => return None,
    })
}

/// FNV-1a, for names.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
