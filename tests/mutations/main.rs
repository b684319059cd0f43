//! Sound files with one thing made wrong: bits, addresses, fields, the end. Whatever comes of it are values and errors, soon,
//! and never a panic.
//!
//! Checksums are made to fit what was changed, so that it is met by what lies behind them.

#[path = "../common/mod.rs"]
mod common;
mod extremes;

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use common::{files_below, testdata};
use h5kit::bytes::Widths;
use h5kit::bytes::checksum::lookup3;
use h5kit::digest::Lines;
use h5kit::error::Structure;
use h5kit::{File, Limits, Options, SurveyData};

/// No file here is large; one that takes longer than this hangs.
const SOON: Duration = Duration::from_secs(20);

/// Bytes of the largest file that is changed.
const LARGEST: u64 = 64 << 10;

/// Changes of each kind that are made to one file.
const CHANGES: usize = 40;

/// A sound file, and where its structures are.
struct Sound {
    name: String,
    bytes: Vec<u8>,
    widths: Widths,
    base: u64,
    structures: Vec<(Structure, Range<usize>)>,
    /// Structures whose last four bytes are the checksum of the others.
    checksummed: Vec<Range<usize>>,
}

impl Sound {
    fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let bytes = std::fs::read(path).ok()?;
        let survey = file.survey(SurveyData::Read).ok()?;
        let all = survey.extents.iter().chain(&survey.parts);
        let structures = all.map(|extent| (extent.structure, extent.at as usize..(extent.at + extent.used) as usize));
        // Of a file in parts only the first one is changed.
        let structures: Vec<_> = structures.filter(|(_, place)| place.end <= bytes.len()).collect();
        let holds = |place: &Range<usize>| {
            bytes[place.clone()]
                .split_last_chunk()
                .is_some_and(|(body, stored)| lookup3(body) == u32::from_le_bytes(*stored))
        };
        let mut checksummed: Vec<_> = structures.iter().map(|(_, place)| place.clone()).filter(holds).collect();
        checksummed.sort_by_key(|place| place.start);
        let name = path.file_name()?.to_string_lossy().into_owned();
        let (widths, base) = (file.superblock().widths, file.user_block_size());
        Some(Self { name, bytes, widths, base, structures, checksummed })
    }

    /// The file with other bytes from a position on, and checksums that fit.
    fn with(&self, at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut changed = self.bytes.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        for place in self.checksummed.iter().filter(|place| place.start < at + bytes.len() && at < place.end) {
            let body = place.start..place.end - 4;
            let checksum = lookup3(&changed[body.clone()]).to_le_bytes();
            changed[body.end..place.end].copy_from_slice(&checksum);
        }
        changed
    }

    /// Reads everything in a changed file.
    fn read(&self, what: &str, changed: Vec<u8>) {
        let start = Instant::now();
        let limits = Limits { read_bytes: 8 << 20, chunk_bytes: 16 << 20, ..Limits::default() };
        let options = Options::new().limits(limits).threads(NonZero::<usize>::MIN);
        if let Ok(file) = options.from_bytes(changed) {
            Lines::of(&file).for_each(drop);
            let _ = file.survey(SurveyData::Read);
        }
        assert!(start.elapsed() < SOON, "{}, {what}: it took {:?}", self.name, start.elapsed());
    }
}

/// The small files of the test data, sound and damaged.
fn files() -> Vec<PathBuf> {
    let small = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|m| (1..=LARGEST).contains(&m.len()));
    let is_file = |path: &PathBuf| {
        path.extension().and_then(|e| e.to_str()).is_some_and(|e| ["h5", "h5ad", "h5mu", "mat"].contains(&e))
    };
    files_below(&testdata()).into_iter().filter(|path| is_file(path) && small(path)).collect()
}

/// Calls `change` with every file that opens, on as many threads as there are processors; it gives the number of changes.
fn each_file(change: impl Fn(&Sound) -> usize + Sync) -> usize {
    let files = Mutex::new(files().into_iter());
    let next = || files.lock().expect("no panic").next();
    let work = || {
        let mut changes = 0;
        while let Some(path) = next() {
            changes += Sound::open(&path).map_or(0, |sound| change(&sound));
        }
        changes
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..std::thread::available_parallelism().map_or(1, NonZero::get)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    })
}

/// The same pseudo-random numbers in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 16) as usize % n.max(1)
    }
}

/// So many of all things, evenly.
fn some<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(most.max(1)).max(1))
}

#[test]
fn bits() {
    let changes = each_file(|sound| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ sound.bytes.len() as u64);
        for _ in 0..CHANGES {
            let Some((structure, place)) = sound.structures.get(random.below(sound.structures.len())) else { return 0 };
            let at = place.start + random.below(place.len());
            let Some(old) = sound.bytes.get(at) else { continue };
            let new =
                [old ^ (1 << random.below(8)), 0, 0xff, old.wrapping_add(1), random.next() as u8][random.below(5)];
            sound.read(&format!("{structure} with {new:#x} at {at:#x}"), sound.with(at, &[new]));
        }
        CHANGES
    });
    assert!(changes > 5000, "only {changes}");
}

#[test]
fn truncations() {
    let changes = each_file(|sound| {
        let mut ends: Vec<usize> = sound.structures.iter().flat_map(|(_, place)| [place.start, place.end]).collect();
        ends.sort_unstable();
        ends.dedup();
        let ends: Vec<usize> = some(&ends, 2 * CHANGES).flat_map(|end| [end.saturating_sub(1), *end]).collect();
        for end in &ends {
            sound.read(&format!("cut at {end:#x}"), sound.bytes[..*end].to_vec());
        }
        ends.len()
    });
    assert!(changes > 5000, "only {changes}");
}

/// Where in structures the address of another structure stands, and that address.
fn pointers(sound: &Sound) -> Vec<(usize, u64)> {
    let width = usize::from(sound.widths.offsets);
    if width > 8 {
        return Vec::new();
    }
    let addresses: HashMap<u64, ()> = sound
        .structures
        .iter()
        .filter_map(|(_, place)| Some(((place.start as u64).checked_sub(sound.base)?, ())))
        .collect();
    let mut found = Vec::new();
    for (_, place) in sound.structures.iter().filter(|(structure, _)| *structure != Structure::RawData) {
        for at in place.clone() {
            let Some(stored) = sound.bytes.get(at..at + width).filter(|_| at + width <= place.end) else { break };
            let mut number = [0; 8];
            number[..width].copy_from_slice(stored);
            let address = u64::from_le_bytes(number);
            if address > 0 && addresses.contains_key(&address) {
                found.push((at, address));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn addresses_of_something_else() {
    let changes = each_file(|sound| {
        let pointers = pointers(sound);
        let width = usize::from(sound.widths.offsets);
        let mut random = Random(0x2545_f491_4f6c_dd1d ^ sound.bytes.len() as u64);
        let mut changes = 0;
        for (at, address) in some(&pointers, CHANGES) {
            let (_, other) = pointers[random.below(pointers.len())];
            // Of itself, of what comes before, of nothing, of the end.
            let own =
                sound.structures.iter().filter(|(_, place)| place.contains(at)).map(|(_, place)| place.start as u64);
            let own = own.max().unwrap_or(0).saturating_sub(sound.base);
            for new in [other, own, 0, sound.bytes.len() as u64 - 1, u64::MAX, address + 1] {
                sound.read(&format!("address {new:#x} at {at:#x}"), sound.with(*at, &new.to_le_bytes()[..width]));
                changes += 1;
            }
        }
        changes
    });
    assert!(changes > 5000, "only {changes}");
}

#[test]
fn fields_with_extreme_values() {
    let kinds = Mutex::new(HashMap::<Structure, usize>::new());
    each_file(|sound| {
        let mut seen = HashMap::<Structure, usize>::new();
        let mut changes = 0;
        for (structure, place) in &sound.structures {
            let times = seen.entry(*structure).or_default();
            *times += 1;
            if *times > 3 {
                continue;
            }
            for changed in extremes::of(*structure, &sound.bytes[place.clone()], sound.widths) {
                // What grew does not fit its place.
                if changed.len() <= place.len() {
                    sound.read(
                        &format!("{structure} at {:#x}: {changed:02x?}", place.start),
                        sound.with(place.start, &changed),
                    );
                    changes += 1;
                    *kinds.lock().expect("no panic").entry(*structure).or_default() += 1;
                }
            }
        }
        changes
    });
    let kinds = kinds.into_inner().expect("no panic");
    for structure in extremes::STRUCTURES {
        assert!(kinds.get(&structure).is_some_and(|n| *n > 10), "{structure}: {kinds:?}");
    }
}
