//! The method that labels blocks.

use std::fmt;
use std::str::FromStr;

use url_tree::{Heuristic, UnknownHeuristic};

/// The method that labels the blocks of a page: `paper.heuristic` of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Labelling {
    /// `template`: the site's template, with the counts of the URL Tree.
    #[default]
    Template,
    /// A heuristic of the paper or of the authors' service.
    Tree(Heuristic),
}

/// A name that is not a [`Labelling`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; or template")]
pub struct UnknownLabelling(#[from] UnknownHeuristic);

impl fmt::Display for Labelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Labelling::Template => f.write_str("template"),
            Labelling::Tree(heuristic) => heuristic.fmt(f),
        }
    }
}

impl FromStr for Labelling {
    type Err = UnknownLabelling;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "template" => Ok(Labelling::Template),
            name => Ok(Labelling::Tree(name.parse()?)),
        }
    }
}
