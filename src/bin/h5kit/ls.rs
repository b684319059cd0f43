//! `h5kit ls`: what is in a file, one line for each object.

use std::collections::HashMap;

use h5kit::{Dataset, FillInfo, Group, Layout, Link, Object, ObjectInfo, ObjectPath, Target};

use crate::args::Source;
use crate::describe;
use crate::paint::{self, clean, count, size};
use crate::session::{Done, Session};
use crate::table::{Cell, Row, Table};
use crate::value::{Format, Most};

/// The arguments of `ls`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For datasets: shape, type, layout and filters, and the size of the elements (`4.0 KiB of 1.0 MiB`: stored \
in 4.0 KiB, filters applied). Hard links to an object that was listed before say so.

Examples:
  h5kit ls data.h5                members of the root group
  h5kit ls data.h5 /obs           members of a group; of a dataset, its line
  h5kit ls -r data.h5             everything, by paths
  h5kit ls --tree data.h5         everything, as a tree
  h5kit ls -l data.h5 /X          chunks, index, fill value, times, attributes
  h5kit ls 'part%05d.h5'          a file in several parts")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// A group, whose members are listed, or another object
    #[arg(value_name = "PATH", default_value = "/")]
    pub path: String,

    /// Say more: addresses, attributes, chunks, fill values, times
    #[arg(short, long)]
    pub long: bool,

    /// List the members of groups, and theirs
    #[arg(short, long)]
    pub recursive: bool,

    /// The same, drawn as a tree
    #[arg(long, conflicts_with = "recursive")]
    pub tree: bool,
}

/// Lists.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open(&args.source)?;
    let object = file.object(&args.path)?;
    let mut list = List { args, table: Table::default(), seen: HashMap::new() };
    match &object {
        Object::Group(group) => list.members(group, session)?,
        other => {
            let row = list.object(other, other.path(), Indent::default(), session);
            list.table.row(&mut session.out, row)?;
        }
    }
    list.table.flush(&mut session.out)?;
    Ok(())
}

/// What stands before a name, and before the lines below it.
#[derive(Clone, Debug, Default)]
struct Indent {
    branch: String,
    below: String,
}

struct List<'a> {
    args: &'a Args,
    table: Table,
    /// Paths of the objects listed so far, by the addresses of their headers.
    seen: HashMap<u64, ObjectPath>,
}

/// A link that waits to be listed.
struct Job {
    link: Link,
    /// Groups that it is in, below the one that is listed.
    depth: usize,
    /// It is the last of its group.
    last: bool,
}

impl List<'_> {
    /// Lists the members of a group, and theirs where that is wanted.
    fn members(&mut self, group: &Group, session: &mut Session) -> Done {
        let top = group.path().trim_end_matches('/').len() + 1;
        self.seen.insert(group.info().address(), group.info().object_path().clone());
        if self.args.tree {
            let row = self.object(&Object::Group(group.clone()), group.path(), Indent::default(), session);
            self.table.row(&mut session.out, row)?;
        }
        // The first comes last: it is taken from the end.
        let mut jobs = jobs(group, 0, session)?;
        // What stands before a line, by the groups that it is in.
        let mut bars: Vec<&str> = Vec::new();
        while let Some(Job { link, depth, last }) = jobs.pop() {
            let (branch, below) = match (self.args.tree, last) {
                (false, _) => ("", ""),
                (true, false) => ("├── ", "│   "),
                (true, true) => ("└── ", "    "),
            };
            bars.truncate(depth);
            let above = bars.concat();
            let here = Indent { branch: format!("{above}{branch}"), below: format!("{above}{below}") };
            bars.push(below);
            let path = link.path();
            let name = if self.args.tree {
                paint::name(link.name())
            } else {
                clean(&path[top.min(path.len())..]).into_owned()
            };
            let Target::Hard(address) = link.target() else {
                let row = self.link(&link, &name, &here);
                self.table.row(&mut session.out, row)?;
                continue;
            };
            if let Some(before) = self.seen.get(&address) {
                let before = before.to_string();
                let rest = Cell::new(paint::LINK, format!("= {}", clean(&before)));
                let row = self.line(Cell::plain(name), "hard link", rest, &here);
                self.table.row(&mut session.out, row)?;
                continue;
            }
            match link.open() {
                Err(e) => {
                    session.found();
                    let rest = Cell::new(paint::BAD, describe::why(&e, &path));
                    let row = self.line(Cell::new(paint::BAD, name), "damaged", rest, &here);
                    self.table.row(&mut session.out, row)?;
                }
                Ok(object) => {
                    self.seen.insert(address, link.object_path());
                    let row = self.object(&object, &name, here.clone(), session);
                    self.table.row(&mut session.out, row)?;
                    if let (Object::Group(group), true) = (&object, self.args.recursive || self.args.tree) {
                        // That it cannot be listed is in its row.
                        if let Ok(more) = self::jobs(group, depth + 1, session) {
                            jobs.extend(more);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn line(&self, name: Cell, kind: &str, rest: Cell, indent: &Indent) -> Row {
        let name = name.after(&indent.branch);
        Row { cells: vec![name, Cell::new(paint::DIM, kind)], rest, below: Vec::new() }
    }

    /// The row of a link that leads to a path.
    fn link(&self, link: &Link, name: &str, indent: &Indent) -> Row {
        let target = link.target();
        let kind = match &target {
            Target::Soft(_) => "soft link",
            Target::External { .. } => "external link",
            Target::UserDefined { .. } => "user-defined link",
            _ => "link",
        };
        let target = describe::target(&target);
        if kind == "user-defined link" {
            return self.line(Cell::new(paint::LINK, name), kind, Cell::new(paint::LINK, target), indent);
        }
        let (style, state) = match link.open() {
            Ok(object) => (paint::LINK, format!("({})", object.kind())),
            Err(e) => (paint::BAD, format!("({})", describe::nowhere(&e))),
        };
        self.line(Cell::new(style, name), kind, Cell::new(style, format!("→ {target} {state}")), indent)
    }

    /// The row of an object.
    fn object(&self, object: &Object, name: &str, indent: Indent, session: &mut Session) -> Row {
        let name = clean(name);
        let mut bad = Vec::new();
        let mut row = match object {
            Object::Group(group) => {
                let slash = if name.ends_with('/') { "" } else { "/" };
                let links = group.links();
                let members = match &links {
                    Ok(links) => count(links.len() as u64, "member", "members"),
                    Err(e) => {
                        bad.push(describe::why(e, object.path()));
                        String::new()
                    }
                };
                vec![Cell::new(paint::GROUP, format!("{name}{slash}")), Cell::plain("group"), Cell::plain(members)]
            }
            Object::Dataset(dataset) => {
                let stored = dataset.stored_size();
                let logical = dataset.logical_size();
                let stored = match stored {
                    Ok(stored) if stored != logical && !describe::is_elsewhere(dataset) => {
                        format!("{} of", size(stored))
                    }
                    Ok(_) => String::new(),
                    Err(e) => {
                        bad.push(describe::why(&e, object.path()));
                        "? of".into()
                    }
                };
                vec![
                    Cell::new(paint::DATASET, name),
                    Cell::plain("dataset"),
                    Cell::plain(describe::shape(dataset.dataspace())),
                    Cell::plain(describe::short_type(dataset.datatype())),
                    Cell::plain(describe::layout(dataset)),
                    Cell::right(stored),
                    Cell::right(size(logical)),
                ]
            }
            Object::NamedDatatype(named) => vec![
                Cell::new(paint::DATATYPE, name),
                Cell::plain("datatype"),
                Cell::default(),
                Cell::plain(describe::short_type(named.datatype())),
            ],
        };
        let first = std::mem::take(&mut row[0]);
        row[0] = first.after(&indent.branch);
        let below = if self.args.long { self.details(object, &mut bad) } else { Vec::new() };
        let below = below.into_iter().map(|line| format!("{}    {line}", indent.below)).collect();
        if !bad.is_empty() {
            session.found();
        }
        Row { cells: row, rest: Cell::new(paint::BAD, bad.join("; ")), below }
    }

    /// What `-l` adds, line by line.
    fn details(&self, object: &Object, bad: &mut Vec<String>) -> Vec<String> {
        let mut lines = vec![header(object.info(), bad)];
        match object {
            Object::Group(group) => {
                if let Ok(true) = group.creation_order_tracked() {
                    lines.push("creation order of links tracked".into());
                }
            }
            Object::Dataset(dataset) => {
                lines.push(format!("type {}", clean(&dataset.datatype().to_string())));
                lines.extend(storage(dataset, bad));
            }
            Object::NamedDatatype(named) => lines.push(format!("type {}", clean(&named.datatype().to_string()))),
        }
        match object.info().comment() {
            Ok(Some(comment)) => lines.push(format!("comment {}", paint::quoted(&comment, usize::MAX))),
            Ok(None) => {}
            Err(e) => bad.push(describe::why(&e, object.path())),
        }
        lines
    }
}

/// The members of a group as jobs, the last first. Damaged links are said and left out.
fn jobs(group: &Group, depth: usize, session: &mut Session) -> h5kit::Result<Vec<Job>> {
    // What cannot be fetched is told where it is read.
    let _ = group.fetch_children(|object| match object {
        Object::Group(group) => group.links().map(drop),
        Object::Dataset(dataset) => dataset.stored_size().map(drop),
        Object::NamedDatatype(_) => Ok(()),
    });
    let mut links = session.sound(group.links()?);
    links.reverse();
    let job = |(i, link)| Job { link, depth, last: i == 0 };
    Ok(links.into_iter().enumerate().map(job).collect())
}

/// Address, header, attributes, times.
fn header(info: &ObjectInfo, bad: &mut Vec<String>) -> String {
    let mut parts = vec![format!("at {:#x}", info.position()), format!("header version {}", info.header_version())];
    match info.attributes() {
        Ok(attributes) => {
            let n = attributes.len() as u64;
            let damaged = attributes.filter(Result::is_err).count();
            parts.push(count(n, "attribute", "attributes"));
            if damaged > 0 {
                bad.push(format!("{} damaged", count(damaged as u64, "attribute", "attributes")));
            }
        }
        Err(e) => bad.push(describe::why(&e, info.path())),
    }
    match info.reference_count() {
        Ok(n) if n != 1 => parts.push(count(n.into(), "hard link", "hard links")),
        Ok(_) => {}
        Err(e) => bad.push(describe::why(&e, info.path())),
    }
    match info.times() {
        Some(times) => {
            let named = [
                ("made", times.birth),
                ("modified", times.modification),
                ("changed", times.change),
                ("read", times.access),
            ];
            parts.extend(
                named.into_iter().filter(|(_, t)| *t != 0).map(|(what, t)| format!("{what} {}", paint::time(t.into()))),
            );
        }
        None => match info.modified() {
            Ok(Some(seconds)) if seconds != 0 => parts.push(format!("modified {}", paint::time(seconds))),
            Ok(_) => {}
            Err(e) => bad.push(describe::why(&e, info.path())),
        },
    }
    parts.join(", ")
}

/// Chunks, index, limits of the shape, fill value.
fn storage(dataset: &Dataset, bad: &mut Vec<String>) -> Vec<String> {
    let mut parts = vec![format!("layout version {}", dataset.layout_version())];
    match dataset.layout() {
        Layout::Chunked { chunk, index } => {
            parts.push(format!("chunks {}", describe::dims(&chunk)));
            parts.push(format!("index {index}"));
            // That they cannot be found is in the row already.
            if let Ok(chunks) = dataset.chunks() {
                parts.push(format!("{} stored", chunks.len()));
            }
        }
        _ => {
            if let Some(position) = dataset.position() {
                parts.push(format!("data at {position:#x}"));
            }
        }
    }
    let max = dataset.max_shape();
    if max.iter().zip(dataset.shape()).any(|(max, n)| *max != Some(*n)) {
        parts.push(format!("up to {}", describe::max_dims(&max)));
    }
    match dataset.fill() {
        FillInfo::Default => {}
        FillInfo::Undefined => parts.push("fill value undefined".into()),
        FillInfo::Value => match dataset.fill_value::<h5kit::element::Value>() {
            Ok(value) => {
                let value = value.unwrap_or_default();
                parts.push(format!("fill value {}", Format::new(Most::HEAD).value(&value, dataset.datatype())));
            }
            Err(e) => bad.push(describe::why(&e, dataset.path())),
        },
    }
    vec![parts.join(", ")]
}
