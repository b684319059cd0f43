//! What is common to the verbs on the command line.

use std::path::PathBuf;

use clap::{ColorChoice, Parser, Subcommand};

use crate::{anndata, check, digest, dump, export, h5col, ls, salvage, stat, view};

/// Looks into HDF5 files, whole or damaged, without libhdf5
#[derive(Debug, Parser)]
#[command(
    name = "h5kit",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  h5kit ls data.h5                    what is at the top
  h5kit ls --tree data.h5             all of it
  h5kit dump data.h5 /images -s 0     the first image
  h5kit dump data.h5 /images@unit     an attribute
  h5kit check data.h5                 is the file whole?

A file in parts is named by its pattern (part%05d.h5) or, if split, by what its parts begin with.

Exit status: 0 all is well; 1 something damaged or missing was met, and the rest was shown; 2 the file \
cannot be opened, the path leads nowhere, or the arguments are wrong."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List what is in a file
    #[command(visible_alias = "list")]
    Ls(ls::Args),
    /// Show values
    Dump(dump::Args),
    /// Say what a file is made of
    Stat(stat::Args),
    /// Look for damage
    Check(check::Args),
    /// Print the canonical digest
    Digest(digest::Args),
    /// Show what is in an AnnData (.h5ad)
    View(view::Args),
    /// Print the elements of an AnnData (.h5ad)
    Anndata(anndata::Args),
    /// Write a data frame of an AnnData as CSV, Parquet or JSON
    Export(export::Args),
    /// Write out what is still there of a damaged file
    Salvage(salvage::Args),
    /// Tables of columns (H5Col): show, validate, query
    H5col(h5col::Args),
}

/// The file, and how it is opened.
#[derive(Debug, clap::Args)]
pub struct Source {
    /// The HDF5 file, or its address (https://…, s3://…, gs://…, az://…, file://…)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Let the file name other files anywhere, not only in its own folder: external links and data,
    /// sources of virtual datasets. Only for files that you trust
    #[arg(long)]
    pub anywhere: bool,
}
