//! All extractors, by name.

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

/// All extractors, in the order of the table at the head of this crate.
#[must_use]
pub fn extractors() -> &'static [&'static dyn Extractor] {
    &ALL
}

/// The extractor of this name.
///
/// # Errors
/// [`UnknownExtractor`] lists the names there are.
pub fn by_name(name: &str) -> Result<&'static dyn Extractor, UnknownExtractor> {
    (extractors().iter().copied())
        .find(|extractor| extractor.name() == name)
        .ok_or_else(|| UnknownExtractor {
            name: name.to_owned(),
        })
}

/// There is no extractor of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no extractor is called {name:?}; there are {}", ALL.map(|e| e.name()).join(", "))]
pub struct UnknownExtractor {
    /// As it was asked for.
    pub name: String,
}
