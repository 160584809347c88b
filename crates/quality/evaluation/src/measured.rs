//! What was measured of the pages of some gold sets.

use std::collections::BTreeSet;
use std::path::Path;

use crate::gold_set::stem;
use crate::{GoldSet, InputError, Measure, PageResult};

/// Gold sets whose pages are measured together, such as the streams of many sites.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Collection {
    /// That of the file or folder, without the extension.
    pub name: String,
    /// By name.
    pub sets: Vec<GoldSet>,
}

impl Collection {
    /// The sets at `path`: a file is one; in a folder every `.parquet` file is one; a
    /// folder that has such files only in folders below it (`date=2011-10-24/…`) is
    /// one.
    ///
    /// # Errors
    /// [`InputError`], also where there is no such file.
    pub fn at(path: &Path) -> Result<Self, InputError> {
        Ok(Self {
            name: stem(path),
            sets: GoldSet::at(path)?,
        })
    }
}

/// What came of the pages of a [`Collection`].
#[derive(Clone, Debug)]
pub struct Measured {
    /// Name of the collection.
    pub name: String,
    /// How texts were compared.
    pub measure: Measure,
    /// The gold sets.
    pub sets: Vec<MeasuredSet>,
    /// What was asked for and could not be run, with the reasons.
    pub left_out: BTreeSet<String>,
    /// A result per page and extractor.
    pub results: Vec<PageResult>,
}

/// A gold set that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredSet {
    /// Its name.
    pub name: String,
    /// Its pages, those that were not compared too.
    pub pages: usize,
    /// [`GoldSet::digest`] of it.
    pub digest: String,
}
