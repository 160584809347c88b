//! The command `explain`: a page of a job, block by block.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use chrono::DateTime;
use clap::Args;
use engine::Job;
use query::{ExplainedPage, Explainer, Fetch};
use report::{Block, BlocksPage, Facts, Fetched, Site, visible};
use serde_json::{Value, json};

use crate::args::{JobArgs, ReportFormat};
use crate::marks::MarkArgs;
use crate::marks::answer::MarkContext;
use crate::print::print;
use crate::runtime::{Interrupted, until_interrupted};
use crate::usage::{NotFound, Usage};

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// URL of the page, as in the archive, or its URL key.
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Explain the fetch at this time, if there are several: the beginning of a time as it is printed,
    /// such as 2011-10-24 or "2011-10-24 12:00:00".
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Write a page of HTML, to be opened in a browser. It is one file and sends no request.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Format of the answer on standard output.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    pub(crate) marks: MarkArgs,
}

/// The answer to a question about a URL.
struct Answer {
    url: String,
    /// All fetches with the URL, in time order.
    fetches: Vec<Fetch>,
    /// Says whose blocks these are, or why there are none.
    note: String,
    page: Option<ExplainedPage>,
}

/// Explains the page, and prints the answer.
pub(crate) fn explain(args: &ExplainArgs) -> Result<()> {
    let job = args.job.open()?;
    let explained = explained(args, &job);
    print(&until_interrupted(&job, Interrupted::Query, explained)?)
}

async fn explained(args: &ExplainArgs, job: &Job) -> Result<String> {
    let question = args.marks.question()?;
    let explainer = Explainer::open(job).await?;
    let mut answer = answer(&explainer, &args.url, args.at.as_deref()).await?;
    let marked = match &question {
        Some(question) => {
            let page = answer.page.take();
            let page = page.ok_or_else(|| NotFound::of(format!("--mark: {}", answer.note)))?;
            let context = MarkContext {
                explainer: &explainer,
                job,
                args: &args.job,
            };
            let marked = context.answer(question, &page).await?;
            answer.note = format!("{} {}", marked.note, answer.note);
            answer.page = Some(page.with_marks(Some(&marked.marks)));
            Some(marked)
        }
        None => None,
    };
    let page = blocks_page(&answer, &explainer);
    if let Some(path) = &args.html {
        std::fs::write(path, page.to_html(Site::Files)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(match (args.format, &args.html, marked) {
        (ReportFormat::Json, _, marked) => {
            let mut json = as_json(&answer, &page);
            if let Some(marked) = marked {
                json["marks"] = marked.json;
            }
            json.to_string()
        }
        (ReportFormat::Text, Some(path), None) => format!("written: {}", path.display()),
        (ReportFormat::Text, Some(path), Some(marked)) => {
            format!("{}written: {}", marked.text(), path.display())
        }
        (ReportFormat::Text, None, Some(marked)) => marked.text(),
        (ReportFormat::Text, None, None) => as_text(&page),
    })
}

/// Returns the page of HTML of the fetch of `url` at a time in microseconds since 1970.
pub(crate) async fn html_of_page(
    explainer: &Explainer<'_>,
    url: &str,
    fetched_at: i64,
) -> Result<String> {
    let page = page_at(explainer, url, Some(&time(Some(fetched_at)))).await?;
    Ok(page.to_html(Site::Files)?)
}

/// Returns the page with the URL, of the fetch at a time that begins with `at`.
pub(crate) async fn page_at(
    explainer: &Explainer<'_>,
    url: &str,
    at: Option<&str>,
) -> Result<BlocksPage> {
    let answer = answer(explainer, url, at).await?;
    Ok(blocks_page(&answer, explainer))
}

/// Returns the HTML of the page with the URL, of the fetch at a time that begins with `at`.
pub(crate) async fn original_at(
    explainer: &Explainer<'_>,
    url: &str,
    at: Option<&str>,
) -> Result<String> {
    let fetches = explainer.find(url).await?;
    let none = || NotFound::of(format!("the job has no original of {url}"));
    if fetches.is_empty() {
        return Err(none().into());
    }
    let shown = explainer.page_of(asked(&fetches, at)?).await?;
    let original = explainer.original(&shown.ok_or_else(none)?).await?;
    Ok(original.ok_or_else(none)?)
}

/// Returns the page with the URL and its labels, of the fetch at a time that begins with `at`.
pub(crate) async fn labelled_page(
    explainer: &Explainer<'_>,
    url: &str,
    at: Option<&str>,
) -> Result<ExplainedPage> {
    let answer = answer(explainer, url, at).await?;
    (answer.page).ok_or_else(|| NotFound::of(answer.note).into())
}

async fn answer(explainer: &Explainer<'_>, url: &str, at: Option<&str>) -> Result<Answer> {
    let url = url.to_owned();
    let fetches = explainer.find(&url).await?;
    if fetches.is_empty() {
        let dates = explainer.dates();
        let dates = dates.map_or_else(|| "none".to_owned(), |dates| dates.to_string());
        return Err(NotFound::of(format!(
            "no page of the job has the URL or the URL key {url}; dates that were run: {dates}. Give the URL \
             as the archive has it, or run the date of the page"
        ))
        .into());
    }
    let asked = asked(&fetches, at)?;
    let Some(shown) = explainer.page_of(asked).await? else {
        return Ok(Answer {
            note: why_unlabelled(asked),
            url,
            fetches,
            page: None,
        });
    };
    let mut note = note(asked, &shown, &fetches);
    let page = explainer.explain(&shown).await?;
    if page.has_other_marks {
        let date = shown.date;
        note = format!(
            "The marks of DOM paths have changed since {date} was run. These are the labels with the marks of now; \
             the tables get them when {date} is run again with --change-settings. {note}"
        );
    }
    Ok(Answer {
        url,
        fetches,
        note,
        page: Some(page),
    })
}

/// The fetch that is meant: at the time that was given, else the last that has labels, else the last.
fn asked<'a>(fetches: &'a [Fetch], at: Option<&str>) -> Result<&'a Fetch> {
    let times = |fetch: &&Fetch| at.is_none_or(|at| time(fetch.fetched_at).starts_with(at.trim()));
    let mut found = fetches.iter().rev().filter(times);
    let labelled = found.clone().find(|fetch| fetch.is_labelled());
    if let Some(fetch) = labelled.or_else(|| found.next()) {
        return Ok(fetch);
    }
    let times: Vec<_> = fetches.iter().map(|fetch| time(fetch.fetched_at)).collect();
    let at = at.unwrap_or_default();
    Err(Usage::of(format!(
        "--at {at}: the page was fetched at {}",
        times.join(", ")
    ))
    .into())
}

/// Why a fetch has no labels.
fn why_unlabelled(fetch: &Fetch) -> String {
    let place = fetch.place();
    match (fetch.status.as_str(), &fetch.quarantine) {
        ("quarantined", Some((reason, detail))) => {
            format!("Quarantined, so it has no blocks: {reason}, {detail} ({place}).")
        }
        ("blocklisted", _) => {
            "The blocklist of the job covers the URL (url_key.blocklist), so the page was not processed."
                .to_owned()
        }
        ("duplicate", _) => format!(
            "A duplicate of {}, which has no labels.",
            fetch.duplicate_of.as_deref().unwrap_or("another page")
        ),
        (status, _) => format!("The page is {status}, and has no blocks."),
    }
}

/// Says whose blocks are shown, unless it is the only fetch.
fn note(asked: &Fetch, shown: &Fetch, fetches: &[Fetch]) -> String {
    if asked != shown {
        let step = asked.merged_by.as_deref().unwrap_or("its URL key");
        return format!(
            "A duplicate by {step}, so it has no text of its own. These are the blocks of the page that it \
             duplicates: {}, fetched at {}.",
            shown.url.as_deref().unwrap_or_default(),
            time(shown.fetched_at)
        );
    }
    let labelled = fetches.iter().filter(|fetch| fetch.is_labelled()).count();
    if labelled > 1 {
        return format!(
            "The URL has {labelled} versions with text. These are the blocks of the one that was fetched at \
             {}; --at names another.",
            time(shown.fetched_at)
        );
    }
    String::new()
}

/// Makes the page of an answer.
fn blocks_page(answer: &Answer, explainer: &Explainer<'_>) -> BlocksPage {
    let explained = answer.page.as_ref();
    let shown = explained.map(|page| &page.fetch);
    let fetches = answer.fetches.iter().map(|fetch| fetched(fetch, shown));
    let mut fetches: Vec<Fetched> = fetches.collect();
    if let Some(shown) = shown.filter(|shown| !answer.fetches.contains(shown)) {
        fetches.push(fetched(shown, Some(shown)));
    }
    let blocks: Vec<Block> = (explained.into_iter().flat_map(|page| &page.blocks))
        .map(|block| Block {
            text: block.text.clone(),
            is_content: block.is_content,
            reason: block.reason.as_str(),
            meaning: block.reason.meaning(),
            count: block.count,
            support: block.support,
            node: block.node.clone(),
            dom_path: block.dom_path.clone(),
            link_chars: block.link_chars,
        })
        .collect();
    let mut facts = Facts {
        note: answer.note.clone(),
        ..Facts::default()
    };
    if let Some(page) = explained {
        facts.title.clone_from(&page.title);
        facts.node.clone_from(&page.node);
        facts.support = page.support;
        facts.heuristic.clone_from(&page.heuristic);
        facts.charset = format!("{} ({})", page.charset, page.charset_source);
        facts.warnings.clone_from(&page.warnings);
        facts.domain.clone_from(&page.fetch.domain);
    }
    BlocksPage {
        url: answer.url.clone(),
        facts,
        fetches,
        blocks,
        text: explained.map(ExplainedPage::text).unwrap_or_default(),
        markdown: explained.and_then(|page| explainer.markdown(page)),
        original: explained.and_then(|page| page.html.clone()),
    }
}

fn fetched(fetch: &Fetch, shown: Option<&Fetch>) -> Fetched {
    let detail = match (&fetch.quarantine, &fetch.merged_by, &fetch.duplicate_of) {
        (Some((reason, detail)), ..) => format!("{reason}: {detail}"),
        (None, Some(step), Some(page)) => format!("{step}; of {page}"),
        (None, Some(step), None) => step.clone(),
        (None, None, Some(page)) => format!("of {page}"),
        (None, None, None) => String::new(),
    };
    Fetched {
        fetched_at: fetch.fetched_at,
        url: fetch.url.clone().unwrap_or_default(),
        status: fetch.status.clone(),
        detail,
        place: fetch.place(),
        is_shown: shown == Some(fetch),
    }
}

/// Returns a time as [`ExplainArgs::at`] names it.
pub(crate) fn time(micros: Option<i64>) -> String {
    let time = micros.and_then(DateTime::from_timestamp_micros);
    time.map_or_else(
        || "an unknown time".to_owned(),
        |time| time.format("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// The page for a terminal. Texts are of crawled pages, so control characters are replaced.
fn as_text(page: &BlocksPage) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |words: String| {
        let _ = writeln!(text, "{}", words.trim_end());
    };
    let facts = &page.facts;
    line(visible(&page.url).into_owned());
    if let Some(title) = &facts.title {
        line(visible(title).into_owned());
    }
    for fetch in &page.fetches {
        let mark = if fetch.is_shown { "*" } else { " " };
        line(format!(
            "{mark} {}  {}  {}  {}",
            time(fetch.fetched_at),
            fetch.status,
            visible(&fetch.place),
            visible(&fetch.detail)
        ));
    }
    if !facts.note.is_empty() {
        line(visible(&facts.note).into_owned());
    }
    if page.blocks.is_empty() {
        return text;
    }
    line(String::new());
    let kept = page.blocks.iter().filter(|block| block.is_content).count();
    line(format!("{kept} of {} blocks kept", page.blocks.len()));
    line(format!(
        "heuristic {}, {} pages of {}, charset {}",
        facts.heuristic,
        facts.support,
        visible(&facts.node),
        facts.charset
    ));
    for warning in &facts.warnings {
        line(format!("warning: {}", visible(warning)));
    }
    for (at, block) in page.blocks.iter().enumerate() {
        let mark = if block.is_content { '+' } else { '-' };
        line(String::new());
        line(format!(
            "{mark} {} {}  {} of {} pages of {}  {}",
            at + 1,
            block.reason,
            block.count,
            block.support,
            visible(&block.node),
            visible(&block.dom_path)
        ));
        line(format!("    {}", visible(&block.text)));
    }
    text
}

fn as_json(answer: &Answer, page: &BlocksPage) -> Value {
    let fetch = |fetch: &Fetched| {
        json!({
            "fetched_at": fetch.fetched_at.and_then(DateTime::from_timestamp_micros).map(|time| time.to_rfc3339()),
            "url": fetch.url,
            "status": fetch.status,
            "detail": fetch.detail,
            "place": fetch.place,
            "explained": fetch.is_shown,
        })
    };
    let block = |(at, block): (usize, &Block)| {
        json!({
            "ordinal": at,
            "text": block.text,
            "label": if block.is_content { "content" } else { "boilerplate" },
            "reason": block.reason,
            "count": block.count,
            "support": block.support,
            "node": block.node,
            "slot": block.dom_path,
            "link_chars": block.link_chars,
        })
    };
    let facts = &page.facts;
    json!({
        "url": answer.url,
        "note": answer.note,
        "title": facts.title,
        "node": answer.page.as_ref().map(|page| &page.node),
        "support": answer.page.as_ref().map(|page| page.support),
        "heuristic": answer.page.as_ref().map(|page| &page.heuristic),
        "warnings": facts.warnings,
        "fetches": page.fetches.iter().map(fetch).collect::<Vec<_>>(),
        "text": page.text,
        "markdown": page.markdown,
        "blocks": page.blocks.iter().enumerate().map(block).collect::<Vec<_>>(),
    })
}
