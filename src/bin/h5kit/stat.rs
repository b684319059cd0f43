//! `h5kit stat`: what a file is made of.

use std::collections::BTreeMap;
use std::io::Write;

use h5kit::error::Structure;
use h5kit::format::message::datatype::{Class, Datatype, ReferenceKind};
use h5kit::{Dataset, File, Layout, Object, Survey, SurveyData};

use crate::args::Source;
use crate::describe;
use crate::paint::{self, count, size, styled};
use crate::session::{Done, Session, unusual};
use crate::table::{Cell, Row, Table};
use crate::walk::{Met, Walk};

/// The arguments of `stat`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Says what each byte of the file is for: structures by kind, raw data, bytes that nothing uses; how many objects \
there are; and how much filters save.

Examples:
  h5kit stat data.h5
  h5kit stat --json data.h5")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Tells what the file is made of.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open(&args.source)?;
    let storages = Storages::of(&file, session);
    // Collections of the global heap are found by reading what leads to them.
    let data = if storages.heap { SurveyData::Read } else { SurveyData::Locate };
    let survey = {
        let _busy = session.busy("counting");
        file.survey(data)?
    };
    let stat = Stat { file: &file, bytes: Bytes::of(&survey), survey: &survey, storages: &storages };
    if args.json {
        stat.json(session)?;
    } else {
        stat.text(session)?;
    }
    let faults = survey.findings.len() as u64 + survey.more_findings;
    if faults > 0 {
        session.found();
        session.warn(&format!("{} met: `h5kit check` lists them", count(faults, "fault was", "faults were")));
    }
    Ok(())
}

/// What the bytes of the file are for.
struct Bytes {
    metadata: u64,
    raw: u64,
    heap: u64,
    unused: u64,
    user_block: u64,
    trailing: u64,
    /// Bytes that were allocated for a structure which does not use them; part of the others.
    spare: u64,
    kinds: BTreeMap<Structure, Kind>,
}

#[derive(Default)]
struct Kind {
    count: u64,
    bytes: u64,
    spare: u64,
}

impl Bytes {
    fn of(survey: &Survey) -> Self {
        let unused = survey.unused.iter().map(|range| range.end - range.start).sum();
        let mut bytes = Self {
            metadata: 0,
            raw: 0,
            heap: 0,
            unused,
            user_block: survey.user_block,
            trailing: survey.trailing,
            spare: 0,
            kinds: BTreeMap::new(),
        };
        for extent in &survey.extents {
            let kind = bytes.kinds.entry(extent.structure).or_default();
            let spare = extent.length.saturating_sub(extent.used);
            kind.count += 1;
            kind.bytes = kind.bytes.saturating_add(extent.length);
            kind.spare = kind.spare.saturating_add(spare);
            bytes.spare = bytes.spare.saturating_add(spare);
            let sum = match extent.structure {
                Structure::RawData | Structure::Chunk => &mut bytes.raw,
                Structure::GlobalHeap => &mut bytes.heap,
                _ => &mut bytes.metadata,
            };
            *sum = sum.saturating_add(extent.length);
        }
        bytes
    }

    fn parts(&self) -> [(&'static str, &'static str, u64); 6] {
        [
            ("metadata", "metadata", self.metadata),
            ("raw data", "raw_data", self.raw),
            ("global heap", "global_heap", self.heap),
            ("unused", "unused", self.unused),
            ("user block", "user_block", self.user_block),
            ("after the end", "after_the_end", self.trailing),
        ]
    }
}

/// How datasets are stored.
#[derive(Default)]
struct Storages {
    layouts: BTreeMap<&'static str, Storage>,
    /// Of chunked datasets, by their filters.
    filters: BTreeMap<String, Storage>,
    /// Some elements lead to the global heap.
    heap: bool,
}

#[derive(Default)]
struct Storage {
    datasets: u64,
    chunks: u64,
    stored: u64,
    logical: u64,
}

impl Storage {
    fn add(&mut self, chunks: u64, stored: u64, logical: u64) {
        self.datasets += 1;
        self.chunks += chunks;
        self.stored = self.stored.saturating_add(stored);
        self.logical = self.logical.saturating_add(logical);
    }
}

impl Storages {
    fn of(file: &File, session: &mut Session) -> Self {
        let mut storages = Self::default();
        for met in Walk::of(file) {
            match met {
                Met::Object(Object::Dataset(dataset)) => {
                    if let Err(e) = storages.dataset(&dataset) {
                        session.report(&e);
                    }
                }
                Met::Object(_) | Met::Link(_) => {}
                Met::Damaged(e) => session.report(&e),
            }
        }
        storages
    }

    fn dataset(&mut self, dataset: &Dataset) -> h5kit::Result<()> {
        self.heap |= leads_to_heap(dataset.datatype());
        let chunks = dataset.chunks()?;
        let stored = match dataset.layout() {
            Layout::Chunked { .. } => chunks.iter().map(|chunk| chunk.size).sum(),
            _ => dataset.stored_size()?,
        };
        let (n, logical) = (chunks.len() as u64, dataset.logical_size());
        self.layouts.entry(dataset.layout().name()).or_default().add(n, stored, logical);
        if let Layout::Chunked { .. } = dataset.layout() {
            let filters: Vec<String> = dataset.filters().iter().map(describe::filter).collect();
            let filters = if filters.is_empty() { "none".to_owned() } else { filters.join(" + ") };
            self.filters.entry(filters).or_default().add(n, stored, logical);
        }
        Ok(())
    }
}

/// True where elements lead to the global heap.
fn leads_to_heap(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::VariableLength { .. } => true,
        Class::Reference { kind, .. } => *kind != ReferenceKind::Object,
        Class::Compound { members } => members.iter().any(|member| leads_to_heap(&member.datatype)),
        Class::Array { base, .. } => leads_to_heap(base),
        _ => false,
    }
}

struct Stat<'a> {
    file: &'a File,
    survey: &'a Survey,
    bytes: Bytes,
    storages: &'a Storages,
}

impl Stat<'_> {
    fn text(&self, session: &mut Session) -> Done {
        let total = self.bytes.parts().iter().fold(0u64, |n, (.., bytes)| n.saturating_add(*bytes));
        let superblock = self.file.superblock();
        let widths = superblock.widths;
        let facts = [
            format!("superblock version {}", superblock.version()),
            format!("addresses of {} bytes, lengths of {}", widths.offsets, widths.lengths),
        ];
        writeln!(session.out, "{}, {}", size(total), facts.join(", "))?;
        if let Some(unusual) = unusual(self.file) {
            writeln!(session.out, "{}", styled(paint::WARNING, &unusual))?;
        }
        let mut rows = Vec::new();
        for (name, _, bytes) in self.bytes.parts() {
            // A part that few files have is told where there is one.
            if bytes > 0 || name == "metadata" || name == "raw data" || name == "unused" {
                let part = if total > 0 { 100.0 * bytes as f64 / total as f64 } else { 0.0 };
                rows.push(vec![Cell::plain(name), Cell::right(size(bytes)), Cell::right(format!("{part:.1} %"))]);
            }
        }
        section(session, "Bytes", rows)?;
        let kinds = self.bytes.kinds.iter().map(|(structure, kind)| {
            let spare = if kind.spare > 0 { format!("{} not in use", size(kind.spare)) } else { String::new() };
            let numbers = [Cell::right(kind.count.to_string()), Cell::right(size(kind.bytes))];
            [Cell::plain(structure.name())].into_iter().chain(numbers).chain([Cell::plain(spare)]).collect()
        });
        section(session, "Structures", kinds.collect())?;
        let counts =
            self.counts().into_iter().filter(|(name, _, n)| *n > 0 || *name == "groups" || *name == "datasets");
        let counts = counts.map(|(name, _, n)| vec![Cell::plain(name), Cell::right(n.to_string())]);
        section(session, "Objects", counts.collect())?;
        let layouts = self.storages.layouts.iter().map(|(name, storage)| storage_row(name, storage));
        section(session, "Layouts", layouts.collect())?;
        let filters = self.storages.filters.iter().map(|(name, storage)| storage_row(name, storage));
        section(session, "Filters", filters.collect())
    }

    fn counts(&self) -> [(&'static str, &'static str, u64); 9] {
        let counts = &self.survey.counts;
        [
            ("groups", "groups", counts.groups),
            ("datasets", "datasets", counts.datasets),
            ("committed datatypes", "datatypes", counts.datatypes),
            ("attributes", "attributes", counts.attributes),
            ("hard links", "hard_links", counts.hard_links),
            ("soft links", "soft_links", counts.soft_links),
            ("external links", "external_links", counts.external_links),
            ("user-defined links", "user_links", counts.user_links),
            ("chunks", "chunks", counts.chunks),
        ]
    }

    fn json(&self, session: &mut Session) -> Done {
        use serde_json::{Map, Value, json};
        let object = |pairs: Vec<(String, Value)>| Value::Object(pairs.into_iter().collect::<Map<_, _>>());
        let condition = self.file.condition();
        let superblock = self.file.superblock();
        let storage = |storage: &Storage| {
            json!({
                "datasets": storage.datasets, "chunks": storage.chunks,
                "stored": storage.stored, "logical": storage.logical,
            })
        };
        let storages = |of: Vec<(String, &Storage)>| object(of.into_iter().map(|(k, s)| (k, storage(s))).collect());
        let kind = |kind: &Kind| json!({ "count": kind.count, "bytes": kind.bytes, "not_in_use": kind.spare });
        let whole = json!({
            "superblock": {
                "version": superblock.version(),
                "position": self.file.user_block_size(),
                "size_of_offsets": superblock.widths.offsets,
                "size_of_lengths": superblock.widths.lengths,
            },
            "condition": {
                "truncated": condition.truncated,
                "open_for_writing": condition.open_for_writing,
                "open_for_swmr": condition.open_for_swmr,
                "moved": condition.moved,
                "cache_image": condition.cache_image,
            },
            "bytes": object(self.bytes.parts().iter().map(|(_, key, n)| ((*key).to_owned(), json!(n))).collect()),
            "structures": object(
                self.bytes.kinds.iter().map(|(s, k)| (s.name().to_owned(), kind(k))).collect()
            ),
            "counts": object(self.counts().iter().map(|(_, key, n)| ((*key).to_owned(), json!(n))).collect()),
            "layouts": storages(self.storages.layouts.iter().map(|(k, s)| ((*k).to_owned(), s)).collect()),
            "filters": storages(self.storages.filters.iter().map(|(k, s)| (k.clone(), s)).collect()),
            "faults": self.survey.findings.len() as u64 + self.survey.more_findings,
        });
        writeln!(session.out, "{whole:#}")?;
        Ok(())
    }
}

fn storage_row(name: &str, storage: &Storage) -> Vec<Cell> {
    let ratio = match (storage.stored, storage.logical) {
        (0, _) | (_, 0) => String::new(),
        (stored, logical) if stored == logical => String::new(),
        (stored, logical) => format!("{:.2} : 1", logical as f64 / stored as f64),
    };
    let chunks = if storage.chunks > 0 { count(storage.chunks, "chunk", "chunks") } else { String::new() };
    vec![
        Cell::plain(name),
        Cell::right(count(storage.datasets, "dataset", "datasets")),
        Cell::right(chunks),
        Cell::right(format!("{} of", size(storage.stored))),
        Cell::right(size(storage.logical)),
        Cell::right(ratio),
    ]
}

/// A heading and rows below it.
fn section(session: &mut Session, heading: &str, rows: Vec<Vec<Cell>>) -> Done {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(session.out, "\n{}", styled(paint::DATASET, heading))?;
    let mut table = Table::default();
    for cells in rows {
        let mut cells = cells;
        let first = std::mem::take(&mut cells[0]);
        cells[0] = first.after("  ");
        table.row(&mut session.out, Row { cells, ..Row::default() })?;
    }
    table.flush(&mut session.out)?;
    Ok(())
}
