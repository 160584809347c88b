//! The names of extractors and of their options.
//!
//! One grammar for every command:
//!
//! ```text
//! list      = extractor *("," extractor)
//! extractor = "all" | name | name ":" option *("," option)
//! option    = key "=" value
//! ```
//!
//! No name has a `=`, so a part of a list that has one before any `:` is an option of the
//! extractor before it: `nce:comments=keep,title_overlap=0.5,cetd` is two extractors.

use crate::Extractor;
use crate::options::{OptionProblem, Options};
use crate::registry::{UnknownExtractor, by_name, configured, extractors};

/// An extractor with the name by which a user selected it, such as `alarte:pages=6`.
pub struct Selected {
    name: String,
    extractor: Held,
}

/// An extractor of the table, or one with options.
enum Held {
    Default(&'static dyn Extractor),
    Configured(Box<dyn Extractor>),
}

impl Selected {
    /// The name with the options as they were given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The extractor.
    #[must_use]
    pub fn extractor(&self) -> &dyn Extractor {
        match &self.extractor {
            Held::Default(extractor) => *extractor,
            Held::Configured(extractor) => extractor.as_ref(),
        }
    }
}

impl std::fmt::Debug for Selected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Selected").field(&self.name).finish()
    }
}

impl From<&'static dyn Extractor> for Selected {
    fn from(extractor: &'static dyn Extractor) -> Self {
        Self {
            name: extractor.name().to_owned(),
            extractor: Held::Default(extractor),
        }
    }
}

/// Returns the extractors of a list, in its order. `all` names every extractor without
/// options.
///
/// ```
/// let selected = extractors::select("cetd,alarte:pages=6,choice=random,seed=7")?;
/// assert_eq!(selected[1].name(), "alarte:pages=6,choice=random,seed=7");
/// assert_eq!(selected.len(), 2);
///
/// let error = extractors::select("alarte:pages=0").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "extractor alarte: pages=0: expected a whole number from 1 to 50"
/// );
/// # Ok::<(), extractors::SelectionError>(())
/// ```
///
/// # Errors
/// [`SelectionError`] names the extractor, the option and the expected values.
pub fn select(list: &str) -> Result<Vec<Selected>, SelectionError> {
    let mut selected = Vec::new();
    for text in extractor_texts(list) {
        if text == "all" {
            selected.extend(extractors().iter().copied().map(Selected::from));
        } else {
            selected.push(select_one(&text)?);
        }
    }
    Ok(selected)
}

/// Returns one extractor with its options.
///
/// # Errors
/// [`SelectionError`] names the extractor, the option and the expected values.
pub fn select_one(text: &str) -> Result<Selected, SelectionError> {
    let (name, options) = match text.split_once(':') {
        Some((name, options)) => (name.trim(), Some(options)),
        None => (text.trim(), None),
    };
    let failed = |problem| SelectionError::Option {
        extractor: name.to_owned(),
        problem,
    };
    let mut options = match options {
        Some(options) => Some(Options::parse(options).map_err(failed)?),
        None => None,
    };
    let extractor = match &mut options {
        Some(options) => Held::Configured(configured(name, options)?.map_err(failed)?),
        None => Held::Default(by_name(name)?),
    };
    Ok(Selected {
        name: text.trim().to_owned(),
        extractor,
    })
}

/// Divides a list into its extractors.
fn extractor_texts(list: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for part in list.split(',') {
        let is_option = (part.split_once('=')).is_some_and(|(before, _)| !before.contains(':'));
        match texts.last_mut().filter(|_| is_option) {
            Some(extractor) => {
                extractor.push(',');
                extractor.push_str(part.trim());
            }
            None => texts.push(part.trim().to_owned()),
        }
    }
    texts
}

/// An error in the name of an extractor or in its options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// No extractor has the name.
    #[error(transparent)]
    Name(#[from] UnknownExtractor),
    /// An option cannot be used.
    #[error("extractor {extractor}: {problem}")]
    Option {
        /// The name of the extractor.
        extractor: String,
        /// The reason.
        problem: OptionProblem,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> Vec<String> {
        let selected = select(list).expect("a list of extractors");
        selected.iter().map(|one| one.name().to_owned()).collect()
    }

    fn error(list: &str) -> String {
        select(list).expect_err("an error").to_string()
    }

    #[test]
    fn options_belong_to_the_extractor_before_them() {
        assert_eq!(names("ccb, cetd"), ["ccb", "cetd"]);
        assert_eq!(
            names("nce:comments=keep,leaf_chars=80,cetd,alarte:pages=6,choice=random"),
            [
                "nce:comments=keep,leaf_chars=80",
                "cetd",
                "alarte:pages=6,choice=random"
            ]
        );
    }

    #[test]
    fn all_is_every_extractor_once() {
        let all = names("all");
        assert_eq!(all.len(), extractors().len());
        let with_options = names("all,nce:comments=keep");
        assert_eq!(with_options.len(), all.len() + 1);
    }

    #[test]
    fn an_error_says_what_is_expected() {
        assert!(error("best").starts_with("no extractor is called \"best\"; the names are nce"));
        assert!(error("best:pages=2").starts_with("no extractor is called \"best\""));
        assert_eq!(
            error("alarte:pages"),
            "extractor alarte: \"pages\" is not an option KEY=VALUE"
        );
        assert_eq!(
            error("alarte:pages=many"),
            "extractor alarte: pages=many: expected a whole number from 1 to 50"
        );
        assert_eq!(
            error("alarte:choice=any"),
            "extractor alarte: choice=any: expected links or random"
        );
        assert_eq!(
            error("alarte:page=2"),
            "extractor alarte: no option is called \"page\"; the options are pages, choice, \
             seed, repeated"
        );
        assert_eq!(
            error("alarte:pages=2,pages=3"),
            "extractor alarte: option pages is given twice"
        );
        assert_eq!(
            error("alarte:seed=2"),
            "extractor alarte: seed needs choice=random"
        );
        assert_eq!(
            error("cetd:pages=2"),
            "extractor cetd: no option is called \"pages\"; the extractor has no options"
        );
        assert_eq!(
            error("nce:kept_link_density=2"),
            "extractor nce: kept_link_density=2: expected a number from 0 to 1"
        );
    }
}
