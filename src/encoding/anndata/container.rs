//! The whole: what an AnnData is made of, and what must fit.

use crate::File;
use crate::object::{Group, Object};

use super::element::{Element, Kind, Legacy, member};
use super::fault::{Error, Fault, Result, Rule, broken};
use super::frame::DataFrame;
use super::members::Members;
use super::record_file;
use super::tags::optional_text;

/// What an AnnData may have at the top.
pub(super) const MEMBERS: [&str; 10] = ["X", "layers", "obs", "obsm", "obsp", "raw", "uns", "var", "varm", "varp"];

/// Mappings whose elements must fit the observations or variables.
pub(super) const ALIGNED: [&str; 5] = ["obsm", "varm", "obsp", "varp", "layers"];

/// An AnnData, opened but not read.
#[derive(Clone, Debug)]
pub struct AnnData {
    element: Element,
    members: Members,
    obs: DataFrame,
    var: DataFrame,
}

/// Unfiltered values: a matrix with the same rows, and columns of its own.
#[derive(Clone, Debug)]
pub struct Raw {
    element: Element,
    members: Members,
}

impl AnnData {
    /// The AnnData of a file.
    ///
    /// # Errors
    /// `MissingMember` without `obs` or `var`, `WrongKind` where these are no data frames, `UnknownEncoding` where the
    /// root says it is something else.
    pub fn open(file: &File) -> Result<Self> {
        Self::at(&file.root())
    }

    /// The AnnData in a group, as MuData has them in `mod/*`. Paths are from there.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn at(group: &Group) -> Result<Self> {
        for name in ["obs", "var"] {
            if !group.exists(name)? {
                return broken(Rule::MissingMember, name, format!("the whole has no {name}"));
            }
        }
        if let Object::Dataset(obs) = group.object("obs")?
            && !obs.datatype().members().is_empty()
            && optional_text(obs.info(), "encoding-type", "obs")?.is_none()
        {
            return record_file::open(group).map(|(element, members, obs, var)| Self { element, members, obs, var });
        }
        let (encoding, version) =
            (optional_text(group.info(), "encoding-type", "")?, optional_text(group.info(), "encoding-version", "")?);
        match encoding.as_deref() {
            None | Some("anndata") => {}
            Some(other) => return broken(Rule::UnknownEncoding, "", format!("the whole says it is {other:?}")),
        }
        let members = Members::of_group(group, "");
        let mut element = Element::new("", Kind::AnnData(members.clone()));
        element.legacy = encoding.is_none().then_some(Legacy::Untagged);
        element.version = version;
        let (obs, var) = (frame(group, "obs")?, frame(group, "var")?);
        Ok(Self { element, members, obs, var })
    }

    /// The whole as an element.
    #[must_use]
    pub fn element(&self) -> &Element {
        &self.element
    }

    /// Everything at the top.
    #[must_use]
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The element at a path: `obs/cell_type`, `uns/neighbors/params`. The empty path is the whole.
    ///
    /// # Errors
    /// `MissingMember`, and what is wrong with the element.
    pub fn get(&self, path: &str) -> Result<Element> {
        let mut element = self.element.clone();
        let mut rest = path.trim_matches('/');
        while !rest.is_empty() {
            let (key, below) = rest.split_once('/').unwrap_or((rest, ""));
            (element, rest) = match &element.kind {
                // A column's name may have slashes.
                Kind::DataFrame(frame) if rest == frame.index_name() => (frame.index()?, ""),
                Kind::DataFrame(frame) => (frame.column(rest)?, ""),
                Kind::AnnData(members) | Kind::Raw(members) | Kind::Dict(members) => (members.get(key)?, below),
                _ => return broken(Rule::MissingMember, path, "it is not there"),
            };
        }
        Ok(element)
    }

    /// Number of observations (cells): rows of `X`.
    #[must_use]
    pub fn n_obs(&self) -> u64 {
        self.obs.rows()
    }

    /// Number of variables (genes): columns of `X`.
    #[must_use]
    pub fn n_var(&self) -> u64 {
        self.var.rows()
    }

    /// What is known of each observation.
    #[must_use]
    pub fn obs(&self) -> &DataFrame {
        &self.obs
    }

    /// What is known of each variable.
    #[must_use]
    pub fn var(&self) -> &DataFrame {
        &self.var
    }

    /// The matrix, dense or sparse, checked to have a row for each observation and a column for each variable; `None`
    /// where there is none.
    ///
    /// # Errors
    /// `ShapeMismatch`, and what is wrong with it.
    pub fn x(&self) -> Result<Option<Element>> {
        let Some(x) = self.optional("X")? else { return Ok(None) };
        self.fits(&x, "")?;
        Ok(Some(x))
    }

    /// `layers`: matrices of the shape of `X`.
    ///
    /// # Errors
    /// What is wrong with the mapping; `None` where there is none.
    pub fn layers(&self) -> Result<Option<Aligned>> {
        self.aligned("layers")
    }

    /// `obsm`: arrays with a row for each observation.
    ///
    /// # Errors
    /// What is wrong with the mapping; `None` where there is none.
    pub fn obsm(&self) -> Result<Option<Aligned>> {
        self.aligned("obsm")
    }

    /// `varm`: arrays with a row for each variable.
    ///
    /// # Errors
    /// What is wrong with the mapping; `None` where there is none.
    pub fn varm(&self) -> Result<Option<Aligned>> {
        self.aligned("varm")
    }

    /// `obsp`: square matrices of observations.
    ///
    /// # Errors
    /// What is wrong with the mapping; `None` where there is none.
    pub fn obsp(&self) -> Result<Option<Aligned>> {
        self.aligned("obsp")
    }

    /// `varp`: square matrices of variables.
    ///
    /// # Errors
    /// What is wrong with the mapping; `None` where there is none.
    pub fn varp(&self) -> Result<Option<Aligned>> {
        self.aligned("varp")
    }

    /// `uns`: whatever else.
    ///
    /// # Errors
    /// What is wrong with the mapping; `None` where there is none.
    pub fn uns(&self) -> Result<Option<Members>> {
        self.mapping("uns")
    }

    /// `raw`: unfiltered values; `None` where there are none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn raw(&self) -> Result<Option<Raw>> {
        match self.optional("raw")? {
            Some(element) => match element.kind.clone() {
                Kind::Raw(members) | Kind::Dict(members) => Ok(Some(Raw { element, members })),
                _ => broken(Rule::WrongKind, "raw", format!("raw that is a {}", element.encoding())),
            },
            None => Ok(None),
        }
    }

    /// A member of the top; `None` where it is absent or nothing.
    fn optional(&self, name: &str) -> Result<Option<Element>> {
        if !self.members.contains(name)? {
            return Ok(None);
        }
        let element = self.members.get(name)?;
        Ok(if matches!(element.kind, Kind::Null) { None } else { Some(element) })
    }

    fn aligned(&self, name: &str) -> Result<Option<Aligned>> {
        Ok(self.mapping(name)?.map(|members| Aligned { data: self.clone(), members }))
    }

    fn mapping(&self, name: &str) -> Result<Option<Members>> {
        match self.optional(name)?.map(|element| (element.kind.clone(), element)) {
            Some((Kind::Dict(members), _)) => Ok(Some(members)),
            Some((_, element)) => broken(Rule::WrongKind, name, format!("{name} that is a {}", element.encoding())),
            None => Ok(None),
        }
    }

    /// Holds a top-level matrix, or an element of an aligned mapping, against the observations and variables. `parent` is
    /// the mapping, empty for `X`.
    ///
    /// # Errors
    /// `ShapeMismatch` naming both shapes, `IndexMismatch` for labels that are not those of the observations,
    /// `UnreadableKey` for a mapping where a matrix should be.
    fn fits(&self, element: &Element, parent: &str) -> Result<()> {
        let (n_obs, n_var) = (self.n_obs(), self.n_var());
        let Some(shape) = element.shape() else {
            return match element.kind {
                Kind::Dict(_) if !parent.is_empty() => {
                    broken(Rule::UnreadableKey, &element.path, "a mapping where an array should be: a key with a slash")
                }
                Kind::Unknown(_) => Ok(()),
                _ => broken(Rule::WrongKind, &element.path, format!("a {}", element.encoding())),
            };
        };
        let wanted: &[u64] = match parent {
            "" if shape.len() == 1 && self.is_record_file() && n_obs.checked_mul(n_var) == Some(shape[0]) => {
                let text = format!("{n_obs} × {n_var} values that are stored as a vector");
                return Err(Fault::warning(Rule::FlatMatrix, &element.path, text).into());
            }
            "" | "layers" => &[n_obs, n_var],
            "obsm" => &[n_obs],
            "varm" => &[n_var],
            "obsp" => &[n_obs, n_obs],
            "varp" => &[n_var, n_var],
            _ => return Ok(()),
        };
        if !shape.starts_with(wanted) {
            let text = format!("a shape of {shape:?}, and there are {n_obs} observations and {n_var} variables");
            return broken(Rule::ShapeMismatch, &element.path, text);
        }
        let labels = match parent {
            "obsm" => &self.obs,
            "varm" => &self.var,
            _ => return Ok(()),
        };
        match &element.kind {
            Kind::DataFrame(frame) if frame.labels()? != labels.labels()? => broken(
                Rule::IndexMismatch,
                &element.path,
                format!("labels of rows that are not those of {}", labels.path()),
            ),
            _ => Ok(()),
        }
    }

    /// Holds an element against the observations and variables where it is `X` or in an aligned mapping; others always
    /// fit.
    ///
    /// # Errors
    /// As [`Aligned::get`].
    pub fn fit(&self, element: &Element) -> Result<()> {
        match element.path.split_once('/') {
            None if element.path == "X" && !matches!(element.kind, Kind::Null) => self.fits(element, ""),
            Some((parent, key)) if ALIGNED.contains(&parent) && !key.contains('/') => self.fits(element, parent),
            _ => Ok(()),
        }
    }

    fn is_record_file(&self) -> bool {
        self.element.legacy == Some(Legacy::RecordFile)
    }
}

/// A mapping whose elements must fit the observations or variables: `layers`, `obsm`, `varm`, `obsp`, `varp`.
#[derive(Clone, Debug)]
pub struct Aligned {
    data: AnnData,
    members: Members,
}

impl Aligned {
    /// The same without the demand that elements fit.
    #[must_use]
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The keys, sorted by their bytes.
    ///
    /// # Errors
    /// What the file below cannot give.
    pub fn keys(&self) -> Result<Vec<String>> {
        self.members.keys()
    }

    /// The element of a key, held against the observations and variables.
    ///
    /// # Errors
    /// `ShapeMismatch` naming both shapes, `IndexMismatch` for a data frame whose labels are not those of the whole;
    /// `MissingMember`, and what is wrong with the element.
    pub fn get(&self, key: &str) -> Result<Element> {
        let element = self.members.get(key)?;
        self.data.fits(&element, self.members.path())?;
        Ok(element)
    }
}

impl Raw {
    /// All of it as an element.
    #[must_use]
    pub fn element(&self) -> &Element {
        &self.element
    }

    /// What is known of each of its variables.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn var(&self) -> Result<DataFrame> {
        match self.members.get("var")? {
            Element { kind: Kind::DataFrame(frame), .. } => Ok(frame),
            other => broken(Rule::WrongKind, &other.path, format!("a {} instead of a data frame", other.encoding())),
        }
    }

    /// The matrix, checked to have so many rows and a column for each of its variables.
    ///
    /// # Errors
    /// `MissingMember`, `ShapeMismatch`, what else is wrong with it.
    pub fn x(&self, n_obs: u64) -> Result<Element> {
        let (x, columns) = (self.members.get("X")?, self.var()?.rows());
        if x.shape().as_deref() != Some(&[n_obs, columns]) {
            let text =
                format!("a shape of {:?}, and there are {n_obs} observations and {columns} variables", x.shape());
            return broken(Rule::ShapeMismatch, &x.path, text);
        }
        Ok(x)
    }

    /// Arrays with a row for each of its variables; `None` where there are none.
    ///
    /// # Errors
    /// What is wrong with the mapping.
    pub fn varm(&self) -> Result<Option<Members>> {
        if !self.members.contains("varm")? {
            return Ok(None);
        }
        match self.members.get("varm")? {
            Element { kind: Kind::Dict(members), .. } => Ok(Some(members)),
            other => broken(Rule::WrongKind, &other.path, format!("a {} instead of a mapping", other.encoding())),
        }
    }
}

/// `obs` or `var` of a group.
fn frame(group: &Group, name: &str) -> Result<DataFrame> {
    let element = Element::open(&member(group, name, name)?, name)?;
    match element.kind {
        Kind::DataFrame(frame) => Ok(frame),
        Kind::Unknown(encoding) => {
            broken(Rule::UnknownEncoding, name, format!("the encoding {encoding:?} is not known"))
        }
        _ => Err(Error::Fault(Fault::new(Rule::WrongKind, name, format!("{name} that is a {}", element.encoding())))),
    }
}
