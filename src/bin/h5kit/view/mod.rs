//! `h5kit view`: what is in an AnnData, as the people who made it think of it.

mod head;
mod summary;
mod text;

use h5kit::encoding::anndata::{AnnData, Error, Rule};
use h5kit::{File, Group, Object};

use crate::anndata::trouble;
use crate::args::Source;
use crate::conventions::is_anndata;
use crate::session::{Done, Session, Trouble};

/// The arguments of `view`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without an element, the summary: the shape, the members, each column's kind with a few values or categories, how dense \
sparse matrices are, and how elements of older versions were recognised. Of a MuData, that of each modality.

Examples:
  h5kit view cells.h5ad                   the summary
  h5kit view cells.h5ad obs --head 20     the first 20 rows of obs
  h5kit view cells.h5ad uns/neighbors     what is in a mapping
  h5kit view cells.h5ad X                 the first rows of the matrix
  h5kit view cells.h5mu mod/rna/var       an element of a modality")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    pub source: Source,

    /// The element: obs, var, X, layers/counts, uns/…
    #[arg(value_name = "ELEMENT")]
    pub element: Option<String>,

    /// Rows that are shown of the element
    #[arg(long, value_name = "ROWS", default_value_t = 10)]
    pub head: u64,
}

/// Shows the summary, or the beginning of an element.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open(&args.source)?;
    match &args.element {
        Some(path) => {
            let (data, path) = locate(&file, path)?;
            let element = data.get(path).map_err(|error| match error {
                Error::Fault(fault) if fault.rule == Rule::MissingMember => Trouble::Usage(fault.to_string()),
                error => trouble(error),
            })?;
            head::show(&data, &element, args.head, session)
        }
        None => {
            let found = all(&file)?;
            if found.is_empty() {
                return Err(Trouble::Usage("there is no AnnData in this file; h5kit ls shows what there is".into()));
            }
            for (at, (name, group)) in found.into_iter().enumerate() {
                if at > 0 {
                    session.line("")?;
                }
                summary::show(&AnnData::at(&group).map_err(trouble)?, &name, session)?;
            }
            Ok(())
        }
    }
}

/// The AnnData of a file: the root, or the modalities of a MuData, each with where it is.
fn all(file: &File) -> Result<Vec<(String, Group)>, Trouble> {
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

/// The AnnData that an element is in, and its path from there.
pub fn locate<'p>(file: &File, path: &'p str) -> Result<(AnnData, &'p str), Trouble> {
    let path = path.trim_matches('/');
    for (name, group) in all(file)? {
        if let Some(rest) = if name.is_empty() { Some(path) } else { path.strip_prefix(&name) } {
            return Ok((AnnData::at(&group).map_err(trouble)?, rest.trim_start_matches('/')));
        }
    }
    let data = AnnData::open(file).map_err(trouble)?;
    Ok((data, path))
}
