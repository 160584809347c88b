//! The answer to `--mark` and `--unmark`.

use std::path::Path;

use anyhow::Result;
use engine::Job;
use query::{ExplainedPage, Explainer};
use serde_json::Value;
use site_replay::Labelling;
use template::marks::SiteMarks;

use crate::args::JobArgs;
use crate::marks::effect::effect;
use crate::marks::file::save;
use crate::marks::report::{as_json, as_text};
use crate::marks::{MarkQuestion, SavedAs};
use crate::usage::Usage;

/// The job whose marks are asked about.
pub(crate) struct MarkContext<'a> {
    pub(crate) explainer: &'a Explainer<'a>,
    pub(crate) job: &'a Job,
    pub(crate) args: &'a JobArgs,
}

/// The answer to a question about marks.
pub(crate) struct MarkAnswer {
    /// The marks of the site after the changes.
    pub(crate) marks: SiteMarks,
    /// Says that labels are those after the changes.
    pub(crate) note: String,
    /// The effect in words.
    pub(crate) effect: String,
    /// Says what was written, and how dates that were run get their labels.
    pub(crate) end: String,
    pub(crate) json: Value,
}

impl MarkAnswer {
    /// The answer for a terminal.
    pub(crate) fn text(&self) -> String {
        format!("{}\n{}\n", self.effect, self.end)
    }
}

impl MarkContext<'_> {
    /// Finds the effect of changed marks on `page` and its site, and writes them if that is asked.
    pub(crate) async fn answer(
        &self,
        question: &MarkQuestion,
        page: &ExplainedPage,
    ) -> Result<MarkAnswer> {
        self.refuse_trees()?;
        let file = question.save.as_ref().map(|_| self.file()).transpose()?;
        let settings = &self.job.settings;
        let domain = page.fetch.domain.as_deref().unwrap_or_default();
        let before = settings.site.marks.of(domain).map(|marks| &**marks);
        let marks = question.changes.applied(before)?;
        let site = (self.explainer)
            .newest_pages(domain, question.pages)
            .await?;
        let effect = effect(page, &site, before, &marks);
        let saved = match question.save.as_deref().zip(file) {
            None => SavedAs::NotAsked,
            Some((note, file)) => {
                let domain_of = |host: &str| settings.domain_of(host);
                match save(file, domain, &question.changes, note, domain_of)? {
                    true => SavedAs::Changed,
                    false => SavedAs::Unchanged,
                }
            }
        };
        let state = match saved {
            SavedAs::NotAsked => "not saved",
            SavedAs::Changed | SavedAs::Unchanged => "saved",
        };
        Ok(MarkAnswer {
            note: format!("With changed marks, {state}: {}.", question.changes),
            effect: as_text(&question.changes, &effect),
            end: self.end(saved),
            json: as_json(&question.changes, &effect, saved),
            marks,
        })
    }

    fn refuse_trees(&self) -> Result<(), Usage> {
        match self.job.settings.site.labelling {
            Labelling::Template => Ok(()),
            other => Err(Usage::of(format!(
                "--mark: marks are for the default method; the job has the heuristic {other}"
            ))),
        }
    }

    /// The file of the job's marks.
    fn file(&self) -> Result<&Path, Usage> {
        self.job.paths_file().ok_or_else(|| {
            Usage::of(format!(
                "--save: the job names no file of marks; create one beside it, such as paths.tsv, and add \
                 paths = \"paths.tsv\" to [tree] in {}",
                self.args.name()
            ))
        })
    }

    /// Says what was written, and how dates that were run get their labels.
    fn end(&self, saved: SavedAs) -> String {
        let path = self.job.paths_file().unwrap_or(Path::new("")).display();
        match saved {
            SavedAs::NotAsked => "not saved; --save writes the marks".to_owned(),
            SavedAs::Unchanged => format!("nothing to save: {path} has these marks"),
            SavedAs::Changed => {
                let dates = self.explainer.dates().map(|dates| dates.to_string());
                let dates = dates.unwrap_or_default();
                let options = ["--dates", &dates, "--change-settings"];
                format!(
                    "saved: {path}\ndates that were run keep their labels until they are run again:\n  {}",
                    self.args.command(&["backfill"], &options)
                )
            }
        }
    }
}
