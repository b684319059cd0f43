//! The rules of conventions on top of HDF5, for `h5kit check`.

use h5kit::encoding::anndata::{AnnData, Error, Fault, Rule};
use h5kit::{ErrorKind, File, Group};

use crate::anndata::place;

/// Something that breaks a convention.
pub struct Broken {
    /// The rule's code.
    pub code: &'static str,
    /// The object or element.
    pub path: String,
    /// Not a fault where it is read the safe way.
    pub warning: bool,
    /// What is wrong.
    pub text: String,
}

/// What breaks the rules of AnnData in a file that has one, or several as MuData.
pub fn anndata(file: &File) -> Vec<Broken> {
    let mut broken = Vec::new();
    // What is wrong with the file itself is told by its structures.
    for (name, group) in place::all(file).unwrap_or_default() {
        let prefix = if name.is_empty() { name } else { format!("{name}/") };
        of_group(&group, &prefix, &mut broken);
    }
    broken
}

fn of_group(group: &Group, prefix: &str, broken: &mut Vec<Broken>) {
    let faults = match AnnData::at(group) {
        Ok(data) => data.faults(),
        Err(error) => vec![error],
    };
    for error in faults {
        let fault = match error {
            Error::Fault(fault) => fault,
            // What is wrong with the file itself is told by its structures.
            Error::File(error) if matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Unsupported) => continue,
            Error::File(error) => {
                Fault { rule: Rule::Truncated, path: String::new(), warning: false, text: error.to_string() }
            }
        };
        let found = Broken {
            code: fault.rule.code(),
            path: format!("{prefix}{}", fault.path),
            warning: fault.warning,
            text: fault.text,
        };
        if !broken.iter().any(|other| other.code == found.code && other.path == found.path) {
            broken.push(found);
        }
    }
}
