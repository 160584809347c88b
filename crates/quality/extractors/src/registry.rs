//! The table of all extractors.

use crate::{
    Alarte, Cetd, CetdDensitySum, Cetr, CetrClusters, ContentCodeBlurring, Extractor, Iwptd, Nce,
    NceParameters, TemEx,
};

static NCE: Nce = Nce::new(NceParameters::FITTED);

static ALL: [&dyn Extractor; 9] = [
    &NCE,
    &Alarte,
    &TemEx,
    &Iwptd,
    &Cetr,
    &CetrClusters,
    &ContentCodeBlurring,
    &Cetd,
    &CetdDensitySum,
];

/// Returns all extractors, in the order of the table in the crate documentation.
#[must_use]
pub fn extractors() -> &'static [&'static dyn Extractor] {
    &ALL
}

/// Returns the extractor with a name.
///
/// # Errors
/// [`UnknownExtractor`] lists the known names.
pub fn by_name(name: &str) -> Result<&'static dyn Extractor, UnknownExtractor> {
    extractors()
        .iter()
        .copied()
        .find(|extractor| extractor.name() == name)
        .ok_or_else(|| UnknownExtractor {
            name: name.to_owned(),
        })
}

/// The name of an extractor that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no extractor is called {name:?}; the names are {}", ALL.map(|e| e.name()).join(", "))]
pub struct UnknownExtractor {
    /// The unknown name.
    pub name: String,
}
