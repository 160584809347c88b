//! Figures that the sources published, from a file.

use serde::{Deserialize, Deserializer};

/// A published figure, to be printed beside the result of today.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigure {
    /// Names of the [sections](crate::section_name) that print it: those of the same collection. A file
    /// has a name or a list of names.
    #[serde(default, deserialize_with = "names")]
    pub beside: Vec<String>,
    /// The source, such as `Kovačič 2012, table 5.3`.
    pub source: String,
    /// The pages that it was measured on.
    pub pages: String,
    /// The name of the extractor in the source.
    pub name: String,
    /// The extractor of today.
    pub extractor: String,
    /// Mean precision, if it was published.
    pub precision: Option<f64>,
    /// Mean recall, if it was published.
    pub recall: Option<f64>,
    /// Mean F1.
    pub f1: f64,
}

/// Reads a name, or a list of names.
fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Names::deserialize(deserializer)? {
        Names::One(name) => vec![name],
        Names::Many(names) => names,
    })
}

impl PublishedFigure {
    /// Whether the section of this name prints the figure.
    pub fn is_beside(&self, section: &str) -> bool {
        self.beside.iter().any(|beside| beside == section)
    }
}

/// Published counts of boundary cases [K tables 5.4, 5.5].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedCases {
    /// Names of the [sections](crate::section_name) of the same collection.
    #[serde(deserialize_with = "names")]
    pub beside: Vec<String>,
    /// The source, such as `Kovačič 2012, table 5.4`.
    pub source: String,
    /// The name of the extractor in the source.
    pub name: String,
    /// The extractor of today.
    pub extractor: String,
    /// Pages without gold from which a text was extracted.
    pub empty_gold: usize,
    /// Pages without gold from which nothing was extracted.
    pub both_empty: usize,
    /// Pages with gold from which nothing was extracted.
    pub empty_extraction: usize,
    /// Pages whose texts have no word in common.
    pub no_overlap: usize,
    /// Pages that the extractor failed on.
    pub failed: usize,
    /// Pages with a score.
    pub measured: usize,
}

impl PublishedCases {
    /// Whether the counts are of the collection of this section.
    pub fn is_beside(&self, section: &str) -> bool {
        self.beside.iter().any(|beside| beside == section)
    }
}

/// A file of published figures, each a `[[figure]]`, and of boundary cases, each a `[[cases]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigures {
    /// The figures, in the order of the file.
    #[serde(rename = "figure")]
    pub figures: Vec<PublishedFigure>,
    /// Boundary cases, in the order of the file.
    #[serde(default)]
    pub cases: Vec<PublishedCases>,
}
