//! `method` and `[paper]`: the default method makes its choices itself, and the method of the paper has a
//! key for each, for experiments and for comparison with the authors' code.

use serde::{Deserialize, Serialize};
use site_replay::{Batching, Queries, TitleSource};

/// `method`: how text blocks are labelled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The template of a site is learned.
    #[default]
    Template,
    /// The URL Tree of Sluban and Grčar, CIKM 2013, with the choices of `[paper]`.
    Paper,
}

/// `[paper]`: choices that the default method makes itself. The defaults are those of the paper; where it is
/// silent, those of the authors' code.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct PaperSpec {
    /// Name of the labelling heuristic.
    pub heuristic: String,
    /// Pages that a node needs to decide, with `strict`, `relaxed-strict-N` or a vote.
    pub n_min: u32,
    /// Pages of the deciding node in which a block of content may be.
    pub c_max: u32,
    /// Pages that are inserted before the first of them is labelled.
    pub batching: Batching,
    /// Tags that end a text block.
    pub split: SplitSpec,
    /// White space between the pieces of a text block.
    pub joining: JoiningSpec,
    /// Parameters and other parts of URLs that no rule knows.
    pub queries: Queries,
    /// Limits the search for duplicates to `all` dates, the `window` of the tree, or a time
    /// such as `30d`.
    pub lookback: String,
    /// Whether `http` and `https` are one page.
    pub scheme: SchemeSpec,
    /// The source of the title that `_cid_` rules hash.
    pub title: TitleSource,
    /// Whether a rule applies only to a URL that has all its parameters. `false`: a rule applies if
    /// its expression matches.
    pub rules_need_parameters: bool,
}

impl Default for PaperSpec {
    /// Returns the choices of the paper.
    fn default() -> Self {
        Self {
            heuristic: "strict".to_owned(),
            n_min: url_tree::N_MIN,
            c_max: url_tree::C_MAX,
            batching: Batching::Page,
            split: SplitSpec::Original,
            joining: JoiningSpec::Spaced,
            queries: Queries::Drop,
            lookback: "all".to_owned(),
            scheme: SchemeSpec::Separate,
            title: TitleSource::Feed,
            rules_need_parameters: false,
        }
    }
}

impl PaperSpec {
    /// Returns the choices of the default method, whose heuristic is `template`.
    pub(super) fn of_template() -> Self {
        Self {
            heuristic: "template".to_owned(),
            batching: Batching::Date,
            split: SplitSpec::Html,
            joining: JoiningSpec::Tight,
            queries: Queries::Learn,
            scheme: SchemeSpec::Merge,
            title: TitleSource::Auto,
            rules_need_parameters: true,
            ..Self::default()
        }
    }

    /// Returns overrides for experiments that try one choice at a time: if any is of `[paper]` and none names
    /// the method, all others choose as the default method does, but for the heuristic.
    pub fn beside_template(overrides: Vec<String>) -> Vec<String> {
        let has = |start: &str| overrides.iter().any(|one| one.starts_with(start));
        if !has("paper.") || has("method=") {
            return overrides;
        }
        let choices = Self {
            heuristic: Self::default().heuristic,
            ..Self::of_template()
        };
        let choices = toml::Table::try_from(choices).unwrap_or_default();
        let choices = (choices.iter()).map(|(key, value)| format!("paper.{key}={value}"));
        std::iter::once("method=paper".to_owned())
            .chain(choices)
            .chain(overrides)
            .collect()
    }
}

/// `paper.scheme`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemeSpec {
    /// One URL key for both schemes, written `http`.
    #[default]
    Merge,
    /// One URL key per scheme.
    Separate,
}

/// `paper.split`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitSpec {
    /// All tags that HTML does not display inline.
    #[default]
    Html,
    /// The list of the authors' code.
    Original,
}

/// `paper.joining`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JoiningSpec {
    /// Only the white space of the page: a word with inline tags inside stays one word.
    #[default]
    Tight,
    /// One space, as in the authors' code.
    Spaced,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::JobSpec;

    #[test]
    fn overrides_like_the_template_choose_as_it_does_but_for_the_heuristic() {
        let tried = PaperSpec::beside_template(vec!["paper.heuristic=strict".to_owned()]);
        let spec = JobSpec::defaults(&tried).unwrap();
        assert_eq!(spec.choices().heuristic, "strict");
        let alike = PaperSpec {
            heuristic: "template".to_owned(),
            ..spec.choices().into_owned()
        };
        let text = |choices: &PaperSpec| toml::to_string(choices).unwrap();
        assert_eq!(text(&alike), text(&JobSpec::new("in", "out").choices()));
    }
}
