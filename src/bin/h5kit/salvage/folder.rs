//! The folder that is written to. Whatever names a file has, nothing is written outside of it, and nothing over what is
//! there.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::session::Trouble;

/// Bytes of one name.
const LONGEST_NAME: usize = 120;
/// Bytes of a path in the folder; objects with longer ones go by their addresses.
const LONGEST_PATH: usize = 1000;
/// Names that Windows keeps for itself.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// A folder.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// Paths that are taken, in small letters: some systems do not tell them from capital ones.
    taken: HashSet<String>,
    /// By name in small letters: the number that was given to it last.
    numbers: HashMap<String, u64>,
    /// The folder for each group, by its parent's folder and its name.
    groups: HashMap<(String, String), String>,
}

impl Folder {
    /// A folder that is made, or is there and empty unless that does not matter.
    pub fn open(path: &Path, force: bool) -> Result<Self, Trouble> {
        fs::create_dir_all(path).map_err(|e| named(e, path))?;
        if !force && fs::read_dir(path).map_err(|e| named(e, path))?.next().is_some() {
            return Err(Trouble::Usage(format!("{} is not empty; --force writes there all the same", path.display())));
        }
        Ok(Self { root: path.to_owned(), taken: HashSet::new(), numbers: HashMap::new(), groups: HashMap::new() })
    }

    /// Makes the file of an object, and gives its path in the folder.
    pub fn create(&mut self, path: &str, address: u64, extension: &str) -> io::Result<(String, File)> {
        let by_address = format!("unlinked/{address:#x}");
        let path = if path.len() > LONGEST_PATH { &by_address } else { path };
        let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let name = safe(parts.pop().unwrap_or("root"));
        let mut parent = String::new();
        for part in parts {
            parent = self.group(parent, part)?;
        }
        self.new_name(&parent, &name, extension, |path| OpenOptions::new().write(true).create_new(true).open(path))
    }

    /// The folder of a group.
    fn group(&mut self, parent: String, name: &str) -> io::Result<String> {
        let key = (parent, name.to_owned());
        if let Some(known) = self.groups.get(&key) {
            return Ok(known.clone());
        }
        let (made, ()) = self.new_name(&key.0, &safe(name), "", |path| fs::create_dir(path))?;
        self.groups.insert(key, made.clone());
        Ok(made)
    }

    /// Makes something under a name that nothing has, which may get a number for that.
    fn new_name<T>(
        &mut self,
        parent: &str,
        name: &str,
        extension: &str,
        make: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<(String, T)> {
        let slash = if parent.is_empty() { "" } else { "/" };
        let numbered = self.numbers.entry(format!("{parent}{slash}{name}{extension}").to_lowercase()).or_default();
        loop {
            *numbered += 1;
            let n = *numbered;
            let number = if n == 1 { String::new() } else { format!("-{n}") };
            let path = format!("{parent}{slash}{name}{number}{extension}");
            if !self.taken.insert(path.to_lowercase()) {
                continue;
            }
            let place = self.root.join(&path);
            match make(&place) {
                Ok(made) => return Ok((path, made)),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(io::Error::new(e.kind(), format!("{}: {e}", place.display()))),
            }
        }
    }

    /// Takes a file away that was made here.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.root.join(path))
    }
}

fn named(error: io::Error, path: &Path) -> Trouble {
    io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}

/// A name that is one name on every system.
fn safe(name: &str) -> String {
    let allowed = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    let mut text: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    while text.len() > LONGEST_NAME {
        text.pop();
    }
    text.truncate(text.trim_end_matches(['.', ' ']).len());
    let stem = text.split('.').next().unwrap_or_default().to_lowercase();
    let device = DEVICES.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit()));
    if text.is_empty() || device { format!("_{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(
            (safe(".."), safe("."), safe(""), safe("a/../b")),
            ("_".into(), "_".into(), "_".into(), "a_.._b".into())
        );
        assert_eq!((safe("x\0y\n"), safe("C:\\x"), safe("nul.txt")), ("x_y_".into(), "C__x".into(), "_nul.txt".into()));
        assert_eq!(safe(&"é".repeat(200)).len(), 120);
    }

    #[test]
    fn nothing_is_written_outside_or_over_what_is_there() {
        let home = tempfile::tempdir().expect("a folder");
        let out = home.path().join("out");
        let mut folder = Folder::open(&out, false).expect("a folder");
        let paths = ["/../../x", "/a", "/A", "/a.npy/b", "/a/b", "/a", "//", "/..\\x"];
        let made: Vec<String> = paths.iter().map(|path| folder.create(path, 7, ".npy").expect("a file").0).collect();
        let expected = ["_/_/x.npy", "a.npy", "A-2.npy", "a.npy-3/b.npy", "a/b.npy", "a-4.npy", "root.npy", ".._x.npy"];
        assert_eq!(made, expected);
        assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 1);
        assert!(matches!(Folder::open(&out, false), Err(Trouble::Usage(_))));
        let mut again = Folder::open(&out, true).expect("a folder");
        assert!(!made.contains(&again.create("/a", 7, ".npy").expect("a file").0));
        let long = format!("/{}", "x/".repeat(2000));
        assert_eq!(again.create(&long, 7, ".npy").expect("a file").0, "unlinked/0x7.npy");
    }

    /// Each name is tried once: with all numbers from 1 on tried for each, there would be hundreds of millions.
    #[test]
    fn many_names_that_become_one() {
        let home = tempfile::tempdir().expect("a folder");
        let mut folder = Folder::open(home.path(), false).expect("a folder");
        let tried = std::cell::Cell::new(0u64);
        let names: Vec<String> = (0..20_000)
            .map(|_| {
                let count = |_: &Path| {
                    tried.set(tried.get() + 1);
                    // Some are there already.
                    if tried.get().is_multiple_of(3) { Err(ErrorKind::AlreadyExists.into()) } else { Ok(()) }
                };
                folder.new_name("", "_", ".npy", count).expect("a name").0
            })
            .collect();
        assert_eq!((names[0].as_str(), names[1].as_str(), names[2].as_str()), ("_.npy", "_-2.npy", "_-4.npy"));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        assert_eq!(folder.numbers["_.npy"], tried.get());
    }
}
