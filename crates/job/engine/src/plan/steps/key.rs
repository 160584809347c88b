//! Step 1: computes the URL key of every row [P 3].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{Date32Type, SchemaRef};
use boundary::guarded;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use tables::Reason;
use url_key::{PageUrl, UrlError, UrlKey};

use crate::archive::ArchiveSource;
use crate::job::Job;
use crate::plan::columns::base::{Base, base_columns};
use crate::plan::columns::column::column;
use crate::plan::columns::schemas::{
    KEYED, ROW_GROUP, RecordBatchExt, project_to, urls, value_opt,
};
use crate::plan::columns::status::Status;
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{Step, spawn_stream, to_bytes};
use crate::plan::html_reader::PageStream;
use crate::plan::prior::learned::Learned;
use crate::settings::Settings;

/// The `generation` of rows of this run. Rows of the prior state have 0, so that they sort first.
pub(crate) const THIS_RUN: i32 = 1;

/// Computes the domain and URL key of each row, and the base that other pages may share with it. Quarantines rows
/// whose URL has no key.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) archive: ArchiveSource,
    pub(crate) settings: Arc<Settings>,
    pub(crate) learned: Arc<Learned>,
}

/// The code of the reason why a row is quarantined, and a detail.
type Problem<'a> = (&'a str, Option<Cow<'a, str>>);

/// The parsed URL of a row.
type RowUrl<'a> = std::result::Result<PageUrl, Problem<'a>>;

/// The key of a row, and its base.
type Keyed<'a> = std::result::Result<(UrlKey, Base), Problem<'a>>;

impl Key {
    pub(crate) fn new(job: &Job, learned: Arc<Learned>) -> Self {
        Self {
            archive: job.archive.clone(),
            settings: Arc::clone(&job.settings),
            learned,
        }
    }
}

impl Step for Key {
    fn name(&self) -> &'static str {
        "Key"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&KEYED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(self.learned.as_ref())
    }

    fn run(
        &self,
        mut input: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
        timer: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let step = self.clone();
        Ok(spawn_stream(self.schema(), 2, timer, |out| async move {
            while let Some(batch) = input.next().await {
                let keyed = step.batch(&batch?).await?;
                if out.send(Ok(keyed)).await.is_err() {
                    break;
                }
            }
            Ok(())
        }))
    }
}

impl Key {
    async fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let urls = urls(batch)?;
        let parsed = self.parsed(batch, &urls)?;
        let page_titles = self.page_titles(batch, &parsed).await?;
        let titles = batch.text("title")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let site = &self.settings.site;
        let keyed = parsed.into_iter().enumerate().map(|(row, url)| {
            let page = url?;
            let title = match page_titles.get(&row) {
                Some(title) => title.as_deref(),
                None => site.title.feed_title(value_opt(titles, row)),
            };
            let date = dates.value(row);
            let key = self.learned.key(site, &page, title, date);
            let of = (urls[row].unwrap_or_default(), &page);
            let base = self.learned.base(site, of, &key.text, date);
            Ok((key, base))
        });
        let keyed: Vec<Keyed<'_>> = keyed.collect();
        with_keys(batch, urls, &keyed)
    }

    /// Parses the URLs of rows.
    fn parsed<'a>(
        &self,
        batch: &'a RecordBatch,
        urls: &[Option<&'a str>],
    ) -> Result<Vec<RowUrl<'a>>> {
        let (reasons, details) = (batch.text("reason")?, batch.text("detail")?);
        let parsed = |(row, url): (usize, &Option<&str>)| match (value_opt(reasons, row), url) {
            (Some(reason), _) => Err((reason, value_opt(details, row).map(Cow::Borrowed))),
            (None, Some(url)) => self.parse(url),
            (None, None) => Err(problem(
                Reason::MissingUrl,
                "neither a response nor a request URL",
            )),
        };
        Ok(urls.iter().enumerate().map(parsed).collect())
    }

    fn parse(&self, url: &str) -> RowUrl<'static> {
        let keyer = &self.settings.site.keyer;
        match guarded("URLs", url.as_bytes(), || keyer.parse(url)) {
            Ok(parsed) => parsed.map_err(|error| problem(reason(&error), error)),
            Err(panic) => Err(problem(Reason::Parser, panic)),
        }
    }

    /// Reads the HTML titles of pages whose key depends on them, by row of the batch. No other page
    /// is read.
    async fn page_titles(
        &self,
        batch: &RecordBatch,
        urls: &[RowUrl<'_>],
    ) -> Result<BTreeMap<usize, Option<String>>> {
        let site = &self.settings.site;
        let titles = batch.text("title")?;
        let needs_html = |row: &usize| {
            let page = urls[*row].as_ref();
            let title = value_opt(titles, *row);
            page.is_ok_and(|page| site.title.needs_html(&site.keyer, page, title))
        };
        let wanted: Vec<usize> = (0..urls.len()).filter(needs_html).collect();
        let mut found = BTreeMap::new();
        if wanted.is_empty() {
            return Ok(found);
        }
        let rows: UInt32Array = wanted.iter().map(|row| *row as u32).collect();
        let pages = take_record_batch(batch, &rows)?;
        for run in pages.runs(&ROW_GROUP)? {
            let mut rest = wanted[run.clone()].iter();
            let of_group = pages.slice(run.start, run.len());
            let mut read = PageStream::of(&self.archive, &of_group).await?;
            while let Some(Ok(read_pages)) = read.next()? {
                for (page, row) in read_pages.iter().zip(rest.by_ref()) {
                    let title = page
                        .html
                        .and_then(|html| html_blocks::title(html, page.charset, &site.blocks));
                    found.insert(*row, title);
                }
            }
            // Block quarantines the pages that cannot be read.
            found.extend(rest.map(|row| (*row, None)));
        }
        Ok(found)
    }
}

fn problem(reason: Reason, detail: impl ToString) -> Problem<'static> {
    (reason.code(), Some(detail.to_string().into()))
}

fn reason(error: &UrlError) -> Reason {
    match error {
        UrlError::TooLong { .. } | UrlError::TooDeep { .. } => Reason::UrlLimit,
        UrlError::NoDomain { .. } => Reason::NoDomain,
        _ => Reason::InvalidUrl,
    }
}

/// Adds the columns of Key to rows.
fn with_keys(
    batch: &RecordBatch,
    urls: Vec<Option<&str>>,
    keyed: &[Keyed<'_>],
) -> Result<RecordBatch> {
    let responses = batch.text("url")?;
    let status = |row: &Keyed<'_>| match row {
        Ok((key, _)) if key.blocklisted => Status::Blocklisted,
        Ok(_) => Status::Unique,
        Err(_) => Status::Quarantined,
    };
    let from_request: BooleanArray = (keyed.iter().enumerate())
        .map(|(row, keyed)| keyed.is_ok().then(|| responses.is_null(row)))
        .collect();
    let text = |name, of: fn(&UrlKey) -> Option<&str>| {
        column(name, keyed, move |row| of(&row.as_ref().ok()?.0))
    };
    let bases: Vec<_> = keyed.iter().map(|row| Some(row.as_ref().ok()?.1)).collect();
    let mut given: Vec<(&str, ArrayRef)> = vec![
        ("url", Arc::new(StringArray::from(urls))),
        column("reason", keyed, |row| Some(row.as_ref().err()?.0)),
        column("detail", keyed, |row| row.as_ref().err()?.1.as_deref()),
        text("domain", |key| Some(key.domain.as_str())),
        column("generation", keyed, |_| Some(THIS_RUN)),
        column("status", keyed, |row| Some(status(row) as i32)),
        ("url_from_request", Arc::new(from_request)),
        text("url_key", |key| Some(&key.text)),
        text("content_id", |key| key.content_id.as_deref()),
        text("rule", |key| key.rule.as_deref()),
    ];
    given.extend(base_columns(&bases));
    project_to(batch, &KEYED, given)
}
