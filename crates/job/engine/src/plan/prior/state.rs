//! The prior state of a chunk: rows of earlier dates with its URL keys, and the windows of its
//! domains.

use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::logical_expr::{LogicalPlan, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use futures::try_join;
use site_replay::Lookback;
use tables::{Bucket, Location, Table, TableError, date_from_days, days_from_date};
use url_tree::{DAY_MICROS, WindowOptions};

use crate::job::Job;
use crate::plan::columns::schemas::{BLOCKED, KEYED};
use crate::plan::columns::select::select_columns;
use crate::plan::columns::status::{Phase, Status};
use crate::plan::exec::step::apply;
use crate::plan::prior::chunk_keys::semi_join_domains;
use crate::plan::prior::known_rows::KnownRows;
use crate::plan::prior::learned::Learned;
use crate::plan::prior::prior_table::PriorTable;
use crate::plan::prior::shared_keys::SharedKeys;

/// The `batch` of the window entry with ordinal 0. Window entries sort by ordinal, before all
/// batches of the run.
const FIRST_WINDOW_BATCH: i64 = i64::MIN / 2;

/// Rows of `url_parameters` that are read for all domains: some 20 MB. With more, a pass over the URLs of the
/// chunk finds its domains first.
const FEW_ROWS: usize = 100_000;

/// The SQL condition for rows of `url_keys` that are the first of their key: pages, and rows with
/// the content of a page with another key.
pub(crate) const IS_FIRST_PAGE: &str = "(merged_by = 'same_content' OR \
     (duplicate_of IS NULL AND status IN ('unique', 'quarantined')))";

/// The part of [`IS_FIRST_PAGE`] for a lookback that rejects pages without text.
const IS_FIRST_PAGE_WITH_TEXT: &str = "(merged_by = 'same_content' OR \
     (duplicate_of IS NULL AND status = 'unique' AND signature <> X''))";

/// The tables before the chunk is committed. `None` means that a table does not exist or has no
/// rows.
#[derive(Debug, Default)]
pub(crate) struct PriorState {
    url_keys: Option<PriorTable>,
    window_entries: Option<PriorTable>,
    url_parameters: Option<PriorTable>,
}

impl PriorState {
    pub(crate) async fn open(job: &Job) -> Result<Self, TableError> {
        let open = |table| PriorTable::open(&job.output, table, job.settings.site.window);
        let url_parameters = async {
            match job.settings.writes(Table::UrlParameters) {
                true => open(Table::UrlParameters).await,
                false => Ok(None),
            }
        };
        // One after the other, the tables would take nine answers of the store.
        let (url_keys, window_entries, url_parameters) = try_join!(
            open(Table::UrlKeys),
            open(Table::WindowEntries),
            url_parameters,
        )?;
        Ok(Self {
            url_keys,
            window_entries,
            url_parameters,
        })
    }

    /// The tables that have rows.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &PriorTable> {
        [&self.url_keys, &self.window_entries, &self.url_parameters]
            .into_iter()
            .flatten()
    }

    /// Registers the rows of the tables before `end` in `context`, without files that have no sites of `bucket`.
    pub(crate) async fn register(
        &self,
        context: &SessionContext,
        location: &Location,
        end: NaiveDate,
        bucket: Bucket,
    ) -> Result<()> {
        for table in self.tables() {
            table.register(context, location, end, bucket).await?;
        }
        Ok(())
    }

    /// Returns `true` if both tables are empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.url_keys.is_none() && self.window_entries.is_none()
    }

    /// Whether `url_parameters` has few rows, so that [`learned`](Self::learned) needs no domains.
    pub(crate) async fn has_few_parameters(&self, context: &SessionContext) -> Result<bool> {
        if self.url_parameters.is_none() {
            return Ok(true);
        }
        // The footers of the files answer it.
        let rows = context.sql("SELECT 1 FROM url_parameters").await?;
        Ok(rows.count().await? <= FEW_ROWS)
    }

    /// Returns what earlier dates showed: about the domains in the table `chunk_domains`, or about all domains.
    pub(crate) async fn learned(
        &self,
        context: &SessionContext,
        of_chunk_domains: bool,
    ) -> Result<Learned> {
        match self.url_parameters {
            Some(_) => Learned::read(context, of_chunk_domains).await,
            None => Ok(Learned::default()),
        }
    }

    /// Returns the plan of the first pages on earlier dates that a page of the chunk, which begins on `first`, may
    /// repeat, as rows of [`KEYED`]. The rows include rare false positives: keys are matched by 64-bit hash.
    pub(crate) async fn known_rows(
        &self,
        context: &SessionContext,
        job: &Job,
        first: NaiveDate,
        keys: SharedKeys,
        learned: &Arc<Learned>,
    ) -> Result<Option<LogicalPlan>> {
        if self.url_keys.is_none() {
            return Ok(None);
        }
        let lookback = job.settings.site.lookback;
        let found = first_pages(context, lookback, first).await?;
        let given = vec![
            ("generation", lit(0)),
            ("status", lit(Status::Known as i32)),
            ("stored_key", ident("url_key")),
            ("same_content", ident("duplicate_of")),
        ];
        let found = select_columns(found, &KEYED, given)?;
        // A window ends after a number of keys, so it needs all keys of a domain.
        if lookback.spans_keys() {
            return Ok(Some(found));
        }
        let date = days_from_date(first);
        apply(KnownRows::new(job, keys, Arc::clone(learned), date), found).map(Some)
    }

    /// Returns the plan of the windows of the chunk's domains at the end of the last prior date, as
    /// rows of [`BLOCKED`].
    pub(crate) async fn windows(
        &self,
        context: &SessionContext,
        window: WindowOptions,
    ) -> Result<Option<LogicalPlan>> {
        if self.window_entries.is_none() {
            return Ok(None);
        }
        let query = windows_query(
            &semi_join_domains("window_entries"),
            "window_entries",
            window,
        );
        let found = context.sql(&query).await?;
        let given = vec![
            ("batch", ident("ordinal") + lit(FIRST_WINDOW_BATCH)),
            ("phase", lit(Phase::WindowEntry as i32)),
            ("row", ident("ordinal")),
            (
                "status",
                datafusion::prelude::when(
                    ident("entry").eq(lit("revision")),
                    lit(Status::Revision as i32),
                )
                .otherwise(lit(Status::Unique as i32))?,
            ),
        ];
        select_columns(found, &BLOCKED, given).map(Some)
    }
}

/// Returns the first pages on dates before `first` with a domain of the chunk.
async fn first_pages(
    context: &SessionContext,
    lookback: Lookback,
    first: NaiveDate,
) -> Result<DataFrame> {
    let since = match lookback {
        Lookback::Micros(reach) => {
            let micros = i64::from(days_from_date(first)) * DAY_MICROS - reach;
            // The days of an i64 of microseconds are at most 1.1e8, so this never saturates.
            let days = i32::try_from(micros.div_euclid(DAY_MICROS)).unwrap_or(i32::MIN);
            format!(
                "AND CAST(fetched_at AS BIGINT) >= {micros} AND date >= DATE '{}'",
                date_from_days(days)
            )
        }
        Lookback::All | Lookback::Window(_) => String::new(),
    };
    let is_first_page = if lookback.rejects_pages_without_text() {
        IS_FIRST_PAGE_WITH_TEXT
    } else {
        IS_FIRST_PAGE
    };
    let query = format!(
        "SELECT url_keys.* FROM {} WHERE {is_first_page} {since}",
        semi_join_domains("url_keys")
    );
    context.sql(&query).await
}

/// Returns the query for the rows of `table` that are in the window of their domain. `table` has the columns of
/// `window_entries`, and `entries` selects the domains: `table`, or a subset of its rows.
///
/// A window is a suffix of the entries of a domain in ordinal order. It starts at the first entry
/// that is among the newest `min_pages`, or that is among the newest `max_pages` and not
/// older than `max_age_micros` [O F1, F2].
pub fn windows_query(entries: &str, table: &str, window: WindowOptions) -> String {
    format!(
        "WITH entries AS ( \
           SELECT domain, ordinal, CAST(fetched_at AS BIGINT) AS micros, \
             row_number() OVER (PARTITION BY domain ORDER BY ordinal DESC) AS recency, \
             max(CAST(fetched_at AS BIGINT)) OVER (PARTITION BY domain) AS newest \
           FROM {entries}), \
         starts AS ( \
           SELECT domain AS start_domain, min(ordinal) AS start FROM entries \
           WHERE recency <= {min} OR (recency <= {max} AND newest - micros <= {age}) \
           GROUP BY domain) \
         SELECT {table}.* FROM starts JOIN {table} ON domain = start_domain WHERE ordinal >= start",
        min = window.min_pages,
        max = window.max_pages,
        age = window.max_age_micros,
    )
}
