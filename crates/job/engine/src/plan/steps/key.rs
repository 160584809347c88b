//! Step 1: computes the URL key of every row [P 3].

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanBuilder, Int32Array, Int32Builder, RecordBatch, StringBuilder,
};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef};
use boundary::guarded;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use site_replay::SiteSettings;
use tables::Reason;
use url_key::{PageUrl, UrlError, UrlKey};

use crate::archive::ArchiveSource;
use crate::job::Job;
use crate::plan::columns::base::{Base, BaseColumns};
use crate::plan::columns::schemas::{KEYED, RecordBatchExt, object_of, project_to, value_opt};
use crate::plan::columns::status::Status;
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{Step, spawn_stream, to_bytes};
use crate::plan::html_reader::{PageStream, page_request};
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

/// The parsed URL of a row. `None` for a row without a URL, and for a quarantined row.
type RowUrl = Option<std::result::Result<PageUrl, (Reason, String)>>;

/// The result for one row.
enum Keyed {
    Page(Box<UrlKey>, Base),
    Problem(Reason, String),
}

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
                let batch = batch?;
                let urls = step.urls(&batch)?;
                let titles = step.page_titles(&batch, &urls).await?;
                let keyed = step.batch(&batch, urls, &titles)?;
                if out.send(Ok(keyed)).await.is_err() {
                    break;
                }
            }
            Ok(())
        }))
    }
}

impl Key {
    fn urls(&self, batch: &RecordBatch) -> Result<Vec<RowUrl>> {
        let (urls, request_urls) = (batch.text("url")?, batch.text("request_url")?);
        let reasons = batch.text("reason")?;
        let url = |row| {
            let url = value_opt(urls, row).or_else(|| value_opt(request_urls, row));
            url.filter(|_| reasons.is_null(row))
        };
        Ok((0..batch.num_rows())
            .map(|row| url(row).map(|url| self.parse(url)))
            .collect())
    }

    /// Parses a URL. The error is the reason to quarantine the row, with a detail.
    fn parse(&self, url: &str) -> std::result::Result<PageUrl, (Reason, String)> {
        let keyer = &self.settings.site.keyer;
        match guarded("URLs", url.as_bytes(), || keyer.parse(url)) {
            Ok(parsed) => parsed.map_err(|error| (reason(&error), error.to_string())),
            Err(panic) => Err((Reason::Parser, panic.to_string())),
        }
    }

    fn batch(
        &self,
        batch: &RecordBatch,
        parsed: Vec<RowUrl>,
        page_titles: &BTreeMap<usize, Option<String>>,
    ) -> Result<RecordBatch> {
        let (urls, request_urls) = (batch.text("url")?, batch.text("request_url")?);
        let (titles, reasons) = (batch.text("title")?, batch.text("reason")?);
        let details = batch.text("detail")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let mut columns = KeyColumns::default();
        for (row, parsed) in parsed.into_iter().enumerate() {
            let response = value_opt(urls, row);
            let url = response.or_else(|| value_opt(request_urls, row));
            let keyed = match (value_opt(reasons, row), parsed) {
                (Some(reason), _) => {
                    columns.append_quarantined(url, reason, value_opt(details, row));
                    continue;
                }
                (None, None) => Keyed::Problem(
                    Reason::MissingUrl,
                    "neither a response nor a request URL".to_owned(),
                ),
                (None, Some(Ok(page))) => {
                    let title = match page_titles.get(&row) {
                        Some(title) => title.as_deref(),
                        None => self.settings.site.title.feed_title(value_opt(titles, row)),
                    };
                    let (site, date) = (&self.settings.site, dates.value(row));
                    let key = self.learned.key(site, &page, title, date);
                    let of = (url.unwrap_or_default(), &page);
                    let base = self.learned.base(site, of, &key.text, date);
                    Keyed::Page(Box::new(key), base)
                }
                (None, Some(Err((reason, detail)))) => Keyed::Problem(reason, detail),
            };
            columns.append(url, response.is_none(), keyed);
        }
        columns.finish(batch)
    }

    /// Reads the HTML titles of pages whose key depends on them, by row of the batch. No other page
    /// is read.
    async fn page_titles(
        &self,
        batch: &RecordBatch,
        urls: &[RowUrl],
    ) -> Result<BTreeMap<usize, Option<String>>> {
        let wanted: Vec<usize> = self.rows_without_title(batch, urls)?;
        let sources = batch.text("source")?;
        let groups = batch.numbers::<Int32Type>("row_group")?;
        let positions = batch.numbers::<Int64Type>("row")?;
        let mut titles = BTreeMap::new();
        for rows in wanted.chunk_by(|a, b| {
            sources.value(*a) == sources.value(*b) && groups.value(*a) == groups.value(*b)
        }) {
            let first = rows[0];
            let found: Vec<i64> = rows.iter().map(|row| positions.value(*row)).collect();
            let request = page_request(
                &self.archive,
                object_of(batch, first)?,
                groups.value(first),
                found,
            );
            let mut read = PageStream::new(request.read(&self.archive).await?);
            let mut rest = rows.iter();
            while let Some(Ok(read_pages)) = read.next()? {
                for (page, row) in read_pages.iter().zip(rest.by_ref()) {
                    let title = page.html.and_then(|html| {
                        html_blocks::title(html, page.charset, &self.settings.site.blocks)
                    });
                    titles.insert(*row, title);
                }
            }
            // Block quarantines the pages that cannot be read.
            titles.extend(rest.map(|row| (*row, None)));
        }
        Ok(titles)
    }

    fn rows_without_title(&self, batch: &RecordBatch, urls: &[RowUrl]) -> Result<Vec<usize>> {
        let titles = batch.text("title")?;
        let SiteSettings { title, keyer, .. } = &self.settings.site;
        let needs_html = |row: usize, url: &RowUrl| match url {
            Some(Ok(page)) => title.needs_html(keyer, page, value_opt(titles, row)),
            _ => false,
        };
        Ok(urls
            .iter()
            .enumerate()
            .filter(|(row, url)| needs_html(*row, url))
            .map(|(row, _)| row)
            .collect())
    }
}

fn reason(error: &UrlError) -> Reason {
    match error {
        UrlError::TooLong { .. } | UrlError::TooDeep { .. } => Reason::UrlLimit,
        UrlError::NoDomain { .. } => Reason::NoDomain,
        _ => Reason::InvalidUrl,
    }
}

#[derive(Default)]
struct KeyColumns {
    url: StringBuilder,
    reason: StringBuilder,
    detail: StringBuilder,
    domain: StringBuilder,
    status: Int32Builder,
    url_from_request: BooleanBuilder,
    url_key: StringBuilder,
    content_id: StringBuilder,
    rule: StringBuilder,
    bases: BaseColumns,
}

impl KeyColumns {
    fn append(&mut self, url: Option<&str>, from_request: bool, keyed: Keyed) {
        let (key, base) = match keyed {
            Keyed::Problem(reason, detail) => {
                return self.append_quarantined(url, reason.code(), Some(&detail));
            }
            Keyed::Page(key, base) => (key, base),
        };
        let status = if key.blocklisted {
            Status::Blocklisted
        } else {
            Status::Unique
        };
        self.url.append_option(url);
        self.reason.append_null();
        self.detail.append_null();
        self.domain.append_value(key.domain.as_str());
        self.status.append_value(status as i32);
        self.url_from_request.append_value(from_request);
        self.url_key.append_value(&key.text);
        self.content_id.append_option(key.content_id.as_deref());
        self.rule.append_option(key.rule.as_deref());
        self.bases.append(Some(base));
    }

    fn append_quarantined(&mut self, url: Option<&str>, reason: &str, detail: Option<&str>) {
        self.url.append_option(url);
        self.reason.append_value(reason);
        self.detail.append_option(detail);
        self.domain.append_null();
        self.status.append_value(Status::Quarantined as i32);
        self.url_from_request.append_null();
        self.url_key.append_null();
        self.content_id.append_null();
        self.rule.append_null();
        self.bases.append(None);
    }

    fn finish(mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let mut given: Vec<(&str, ArrayRef)> = vec![
            ("url", Arc::new(self.url.finish())),
            ("reason", Arc::new(self.reason.finish())),
            ("detail", Arc::new(self.detail.finish())),
            ("domain", Arc::new(self.domain.finish())),
            (
                "generation",
                Arc::new(Int32Array::from_value(THIS_RUN, rows)),
            ),
            ("status", Arc::new(self.status.finish())),
            ("url_from_request", Arc::new(self.url_from_request.finish())),
            ("url_key", Arc::new(self.url_key.finish())),
            ("content_id", Arc::new(self.content_id.finish())),
            ("rule", Arc::new(self.rule.finish())),
        ];
        given.extend(self.bases.finish());
        project_to(batch, &KEYED, given)
    }
}
