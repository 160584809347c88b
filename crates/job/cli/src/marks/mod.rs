//! Marks of DOM paths: `--mark` and `--unmark` of `urltree explain`.
//!
//! [`effect`](effect::effect) finds the changes on pages, and [`save`](file::save) writes the changes into the file
//! of the job. Both take and return values, for other commands that let a reader mark paths.

pub(crate) mod answer;
pub(crate) mod effect;
pub(crate) mod file;
pub(crate) mod report;

use std::fmt;

use clap::Args;
use template::marks::{Label, MarkedPath, SiteMarks};

use crate::usage::Usage;

/// Pages of the site on which the effect of marks is shown.
pub(crate) const PAGES: usize = 100;

#[derive(Debug, Args)]
pub(crate) struct MarkArgs {
    /// Show the effect of marking a DOM path of the site as content or boilerplate, with all blocks below it.
    /// Nothing is written without --save.
    #[arg(long, value_name = "PATH=LABEL", value_parser = parse_mark)]
    mark: Vec<(MarkedPath, Label)>,
    /// Show the effect of removing the mark of a DOM path.
    #[arg(long, value_name = "PATH", value_parser = MarkedPath::parse)]
    unmark: Vec<MarkedPath>,
    /// Newest pages of the site on which the effect is shown [default: 100].
    #[arg(long, value_name = "N")]
    pages: Option<usize>,
    /// Write the changes into the file of the job's marks (tree.paths).
    #[arg(long)]
    save: bool,
    /// Note for the lines of --save: who marks the path, and why.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

fn parse_mark(text: &str) -> Result<(MarkedPath, Label), String> {
    let (path, label) = text
        .rsplit_once('=')
        .ok_or_else(|| "expected PATH=content or PATH=boilerplate".to_owned())?;
    let label = label.trim().parse().map_err(|error| format!("{error}"))?;
    let path = MarkedPath::parse(path).map_err(|error| error.to_string())?;
    Ok((path, label))
}

/// A question about the effect of changed marks.
#[derive(Debug)]
pub(crate) struct MarkQuestion {
    pub(crate) changes: MarkChanges,
    /// Newest pages of the site to look at.
    pub(crate) pages: usize,
    /// The note of the lines to be written, if they are.
    pub(crate) save: Option<String>,
}

/// Whether changes were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SavedAs {
    /// Writing was not asked.
    NotAsked,
    /// The file has changed.
    Changed,
    /// The file had the marks already.
    Unchanged,
}

/// Changes of the marks of one domain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MarkChanges {
    pub(crate) set: Vec<(MarkedPath, Label)>,
    pub(crate) removed: Vec<MarkedPath>,
}

impl MarkArgs {
    /// Returns the question of these options; `None` if they ask nothing.
    pub(crate) fn question(&self) -> Result<Option<MarkQuestion>, Usage> {
        if self.mark.is_empty() && self.unmark.is_empty() {
            let option = match (self.save, self.pages, &self.note) {
                (true, ..) => "--save",
                (_, Some(_), _) => "--pages",
                (.., Some(_)) => "--note",
                _ => return Ok(None),
            };
            return Err(Usage::of(format!(
                "{option}: expected --mark or --unmark with it"
            )));
        }
        if self.note.is_some() && !self.save {
            return Err(Usage::of("--note: expected --save with it"));
        }
        Ok(Some(MarkQuestion {
            changes: MarkChanges::new(self.mark.clone(), self.unmark.clone())?,
            pages: self.pages.unwrap_or(PAGES),
            save: (self.save).then(|| self.note.clone().unwrap_or_default()),
        }))
    }
}

impl MarkChanges {
    /// Collects changes, of which each is for another path.
    pub(crate) fn new(
        set: Vec<(MarkedPath, Label)>,
        removed: Vec<MarkedPath>,
    ) -> Result<Self, Usage> {
        let mut paths: Vec<&MarkedPath> = set.iter().map(|(path, _)| path).collect();
        paths.extend(&removed);
        paths.sort_unstable();
        if let Some(twice) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Usage::of(format!("{}: the path is given twice", twice[0])));
        }
        Ok(Self { set, removed })
    }

    /// Returns the marks of a domain after the changes.
    ///
    /// # Errors
    /// [`Usage`] if a path that is to be removed has no mark.
    pub(crate) fn applied(&self, marks: Option<&SiteMarks>) -> Result<SiteMarks, Usage> {
        let mut changed = marks.cloned().unwrap_or_default();
        for (path, label) in &self.set {
            changed.set(path.clone(), *label);
        }
        for path in &self.removed {
            if !changed.remove(path) {
                let known: Vec<String> = changed.iter().map(|(path, _)| path.to_string()).collect();
                let known = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                return Err(Usage::of(format!(
                    "--unmark {path}: the path is not marked; marked paths of the site: {known}"
                )));
            }
        }
        Ok(changed)
    }
}

impl fmt::Display for MarkChanges {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = self
            .set
            .iter()
            .map(|(path, label)| format!("{path}={label}"));
        let removed = self
            .removed
            .iter()
            .map(|path| format!("{path} without a mark"));
        out.write_str(&set.chain(removed).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_a_path_and_a_label_after_the_last_equals_sign() {
        let (path, label) = parse_mark("div.a=b.wide > p=boilerplate").unwrap();
        assert_eq!(
            (path.to_string().as_str(), label),
            ("div.a=b>p", Label::Boilerplate)
        );
        for (text, word) in [
            ("div.a", "PATH=content"),
            ("div.a=keep", "`keep`"),
            ("=content", "empty"),
            ("#a=content", "`#a`"),
        ] {
            let error = parse_mark(text).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn changes_apply_to_the_marks_of_a_site() {
        let path = |text| MarkedPath::parse(text).unwrap();
        let mut marks = SiteMarks::default();
        marks.set(path("div.a"), Label::Content);
        let set = vec![
            (path("div.a"), Label::Boilerplate),
            (path("p"), Label::Content),
        ];
        let changes = MarkChanges::new(set, vec![]).unwrap();
        let changed = changes.applied(Some(&marks)).unwrap();
        assert_eq!(changed.label("div.a>b"), Some(Label::Boilerplate));
        let back = MarkChanges::new(vec![(path("div.a"), Label::Content)], vec![path("p")]);
        assert_eq!(back.unwrap().applied(Some(&changed)).unwrap(), marks);
        let unknown = MarkChanges::new(vec![], vec![path("ul")]).unwrap();
        let error = unknown.applied(Some(&marks)).unwrap_err().to_string();
        assert!(
            error.contains("--unmark ul") && error.contains("div.a"),
            "{error}"
        );
        let twice = MarkChanges::new(vec![(path("p.a.b"), Label::Content)], vec![path("p.a.c")]);
        assert!(twice.unwrap_err().to_string().contains("p.a"));
    }
}
