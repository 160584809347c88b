//! The results of a collection of gold sets.

use std::collections::BTreeSet;
use std::path::Path;

use crate::gold_set::stem;
use crate::{GoldSet, InputError, Measure, PageResult};

/// Gold sets whose pages are measured together, such as the streams of many sites.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Collection {
    /// Name of the file or folder, without the extension.
    pub name: String,
    /// The sets, by name.
    pub sets: Vec<GoldSet>,
}

impl Collection {
    /// Finds the sets at `path`, as [`GoldSet::at`] does.
    ///
    /// # Errors
    /// [`InputError`], also without any Parquet file.
    pub fn at(path: &Path) -> Result<Self, InputError> {
        Ok(Self {
            name: stem(path),
            sets: GoldSet::at(path)?,
        })
    }
}

/// The results of the pages of a [`Collection`].
#[derive(Clone, Debug)]
pub struct Measured {
    /// Name of the collection.
    pub name: String,
    /// The method of comparing texts.
    pub measure: Measure,
    /// The gold sets.
    pub sets: Vec<MeasuredSet>,
    /// Extractors that could not be run, with the reasons.
    pub left_out: BTreeSet<String>,
    /// One result per page and extractor.
    pub results: Vec<PageResult>,
}

/// A gold set that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredSet {
    /// The name of the set.
    pub name: String,
    /// All pages of the set, also those that were not compared.
    pub pages: usize,
    /// The set's [`GoldSet::digest`].
    pub digest: String,
}
