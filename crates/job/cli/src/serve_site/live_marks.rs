//! Marks of DOM paths in a live page.

use anyhow::Result;
use engine::Job;
use query::Explainer;
use report::MarkOutcome;
use serve::Mark;
use template::marks::MarkedPath;

use crate::args::JobArgs;
use crate::explain_page::labelled_page;
use crate::marks::answer::MarkContext;
use crate::marks::{MarkChanges, MarkQuestion, PAGES};
use crate::usage::Usage;

/// Finds the effect of a mark on its page and its site, and saves it if that is asked.
pub(super) async fn outcome(
    job: &Job,
    args: &JobArgs,
    mark: &Mark,
    is_saved: bool,
) -> Result<MarkOutcome> {
    let question = MarkQuestion {
        changes: changes(mark)?,
        pages: PAGES,
        save: is_saved.then(|| mark.note.trim().to_owned()),
    };
    let explainer = Explainer::open(job).await?;
    let at = Some(mark.at.trim()).filter(|at| !at.is_empty());
    let page = labelled_page(&explainer, mark.url.trim(), at).await?;
    let context = MarkContext {
        explainer: &explainer,
        job,
        args,
    };
    let answer = context.answer(&question, &page).await?;
    Ok(match is_saved {
        true => MarkOutcome::Saved(answer.text()),
        false => MarkOutcome::Effect(answer.effect),
    })
}

fn changes(mark: &Mark) -> Result<MarkChanges> {
    let path = MarkedPath::parse(&mark.path).map_err(Usage::of)?;
    let changes = match mark.label.as_str() {
        "none" => MarkChanges::new(Vec::new(), vec![path]),
        label => MarkChanges::new(vec![(path, label.parse().map_err(Usage::of)?)], Vec::new()),
    };
    Ok(changes?)
}
