//! The table of all extractors.

use crate::options::{OptionProblem, Options};
use crate::{
    Alarte, Cetd, CetdDensitySum, Cetr, CetrClusters, ContentCodeBlurring, Extractor, Iwptd, Mss,
    NCleaner, Nce, NceParameters, RbmTd, RtdmTd, Sst, TemEx, VWrapper,
};

/// An extractor, and the function that creates it with options if it has any.
struct Method {
    extractor: &'static dyn Extractor,
    configure: Option<Configure>,
}

type Configure = fn(&mut Options<'_>) -> Result<Box<dyn Extractor>, OptionProblem>;

static NCE: Nce = Nce::new(NceParameters::FITTED);

static METHODS: [Method; 16] = [
    with_options(&NCE, |options| Ok(Box::new(Nce::from_options(options)?))),
    with_options(&NCleaner::LEXICAL, |options| {
        Ok(Box::new(NCleaner::LEXICAL.with_options(options)?))
    }),
    with_options(&NCleaner::NON_LEXICAL, |options| {
        Ok(Box::new(NCleaner::NON_LEXICAL.with_options(options)?))
    }),
    with_options(&Mss::DEFAULT, |options| {
        Ok(Box::new(Mss::from_options(options)?))
    }),
    plain(&VWrapper),
    with_options(&Alarte::PUBLISHED, |options| {
        Ok(Box::new(Alarte::from_options(options)?))
    }),
    with_options(&TemEx::DEFAULT, |options| {
        Ok(Box::new(TemEx::from_options(options)?))
    }),
    plain(&Iwptd),
    with_options(&RtdmTd::DEFAULT, |options| {
        Ok(Box::new(RtdmTd::from_options(options)?))
    }),
    with_options(&RbmTd::DEFAULT, |options| {
        Ok(Box::new(RbmTd::from_options(options)?))
    }),
    with_options(&Sst::DEFAULT, |options| {
        Ok(Box::new(Sst::from_options(options)?))
    }),
    plain(&Cetr),
    plain(&CetrClusters),
    plain(&ContentCodeBlurring),
    plain(&Cetd),
    plain(&CetdDensitySum),
];

const fn plain(extractor: &'static dyn Extractor) -> Method {
    Method {
        extractor,
        configure: None,
    }
}

const fn with_options(extractor: &'static dyn Extractor, configure: Configure) -> Method {
    Method {
        extractor,
        configure: Some(configure),
    }
}

static ALL: [&dyn Extractor; METHODS.len()] = {
    let mut all: [&dyn Extractor; METHODS.len()] = [&NCE; METHODS.len()];
    let mut at = 0;
    while at < METHODS.len() {
        all[at] = METHODS[at].extractor;
        at += 1;
    }
    all
};

/// Returns all extractors, in the order of the table in the crate documentation.
#[must_use]
pub fn extractors() -> &'static [&'static dyn Extractor] {
    &ALL
}

/// Returns the extractor with a name, without options.
///
/// # Errors
/// [`UnknownExtractor`] lists the known names.
pub fn by_name(name: &str) -> Result<&'static dyn Extractor, UnknownExtractor> {
    Ok(method(name)?.extractor)
}

/// Returns a new extractor with options. Every given option is used.
pub(crate) fn configured(
    name: &str,
    options: &mut Options<'_>,
) -> Result<Result<Box<dyn Extractor>, OptionProblem>, UnknownExtractor> {
    let method = method(name)?;
    let Some(configure) = method.configure else {
        return Ok(Err(options.unknown()));
    };
    Ok(configure(options).and_then(|extractor| options.finish().map(|()| extractor)))
}

fn method(name: &str) -> Result<&'static Method, UnknownExtractor> {
    METHODS
        .iter()
        .find(|method| method.extractor.name() == name)
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
