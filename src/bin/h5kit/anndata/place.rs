//! Where an AnnData is in a file: at the root, or in the groups of `mod`, as MuData has them.

use h5kit::{File, Group, Object};

/// Every AnnData of a file, each with where it is; empty for the root.
pub fn all(file: &File) -> h5kit::Result<Vec<(String, Group)>> {
    let root = file.root();
    if is_anndata(&root) {
        return Ok(vec![(String::new(), root)]);
    }
    let Ok(modalities) = root.group("mod") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for link in modalities.links()? {
        let link = link?;
        if let Ok(Object::Group(group)) = link.open()
            && is_anndata(&group)
        {
            found.push((format!("mod/{}", link.name()), group));
        }
    }
    Ok(found)
}

/// The group that should hold the AnnData which a path leads into, where it is (empty for the root), and the path from
/// there.
pub fn of_path<'p>(file: &File, path: &'p str) -> (Group, &'p str, &'p str) {
    let (root, path) = (file.root(), path.trim_matches('/'));
    let modality = path.strip_prefix("mod/").map(|rest| rest.split('/').next().unwrap_or_default());
    let Some(name) = modality.filter(|_| !is_anndata(&root)) else { return (root, "", path) };
    let (prefix, rest) = path.split_at("mod/".len() + name.len());
    match root.group(prefix) {
        Ok(group) => (group, prefix, rest.trim_start_matches('/')),
        Err(_) => (root, "", path),
    }
}

/// Whether a group means to be an AnnData: it says so, or has what one needs. A MuData has an `obs` and a `var` too.
fn is_anndata(group: &Group) -> bool {
    let said = group.attribute("encoding-type").and_then(|attribute| attribute.read::<String>());
    match said {
        Ok(said) if said.eq_ignore_ascii_case("anndata") => return true,
        Ok(said) if said.eq_ignore_ascii_case("mudata") => return false,
        _ => {}
    }
    let has = |name: &str| group.exists(name).unwrap_or(false);
    has("obs") && has("var") || has("X") && (has("obs") || has("var"))
}
