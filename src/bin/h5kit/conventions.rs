//! The rules of conventions on top of HDF5, for `h5kit check`.

use h5kit::encoding::anndata::{AnnData, Error, Fault, Rule};
use h5kit::{ErrorKind, File, Group, Object};

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
    let root = file.root();
    let mut broken = Vec::new();
    if is_anndata(&root) {
        of_group(&root, "", &mut broken);
    } else if let Ok(modalities) = root.group("mod") {
        for link in modalities.links().into_iter().flatten().flatten() {
            if let Ok(Object::Group(group)) = link.open()
                && is_anndata(&group)
            {
                of_group(&group, &format!("mod/{}/", link.name()), &mut broken);
            }
        }
    }
    broken
}

/// Whether a group means to be an AnnData: it says so, or has what one needs.
pub fn is_anndata(group: &Group) -> bool {
    let said = group.attribute("encoding-type").and_then(|attribute| attribute.read::<String>());
    if said.is_ok_and(|said| said.eq_ignore_ascii_case("anndata")) {
        return true;
    }
    let has = |name: &str| group.exists(name).unwrap_or(false);
    has("obs") && has("var") || has("X") && (has("obs") || has("var"))
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
