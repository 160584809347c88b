//! The rows of the tables with one URL: each fetch of a page, and what the run has decided about it.

use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, cast, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use engine::{EngineError, PagePosition, Settings};
use tables::Table;

use crate::conditions::of_domain;
use crate::rows::{Row, Rows};

/// An archive row, and the decision about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetch {
    /// Response URL; the request URL where that is unknown.
    pub url: Option<String>,
    /// Request URL, if the archive has one.
    pub request_url: Option<String>,
    /// Normalised URL that identifies the page.
    pub url_key: Option<String>,
    /// Public suffix and one label.
    pub domain: Option<String>,
    /// UTC day of the fetch.
    pub date: NaiveDate,
    /// Microseconds since 1970, UTC.
    pub fetched_at: Option<i64>,
    /// `unique`, `duplicate`, `revision`, `blocklisted` or `quarantined`.
    pub status: String,
    /// The first step at which a duplicate equals its page.
    pub merged_by: Option<String>,
    /// `source#row` of the page that a duplicate equals.
    pub duplicate_of: Option<String>,
    /// Object in the archive, relative to its location.
    pub source: String,
    /// Row in the object, from 0. `None` if the whole object could not be opened.
    pub row: Option<i64>,
    /// Code and words of the reason, if the row is quarantined.
    pub quarantine: Option<(String, String)>,
}

impl Fetch {
    /// Whether the page has labels.
    pub fn is_labelled(&self) -> bool {
        LABELLED.contains(&self.status.as_str())
    }

    /// Returns the place of the row in the archive.
    pub fn place(&self) -> String {
        match self.row {
            Some(row) => format!("{}#{row}", self.source),
            None => self.source.clone(),
        }
    }

    /// Returns its domain and its URL key.
    pub(super) fn names(&self) -> Result<(&str, &str), EngineError> {
        let names = self.domain.as_deref().zip(self.url_key.as_deref());
        names.ok_or_else(|| self.differs("it has no URL key"))
    }

    /// Returns the condition for its rows in a table without archive positions.
    pub(super) fn is_row(&self) -> Result<Expr, EngineError> {
        let (domain, key) = self.names()?;
        let time = cast(ident("fetched_at"), arrow::datatypes::DataType::Int64);
        let is_time = time.eq(lit(self.fetched_at.unwrap_or_default()));
        Ok((of_domain(domain).and(ident("url_key").eq(lit(key)))).and(is_time))
    }

    /// Makes the error of a page that differs from that of its run.
    pub(super) fn differs(&self, difference: &str) -> EngineError {
        EngineError::Relabelled {
            url: self.url.clone().unwrap_or_default(),
            difference: difference.to_owned(),
        }
    }

    /// The position of its page.
    pub(super) fn position(&self) -> PagePosition<'_> {
        PagePosition {
            source: &self.source,
            row: self.row,
            url: self.url.as_deref().unwrap_or_default(),
            date: self.date,
        }
    }
}

/// The statuses of pages with labels.
const LABELLED: [&str; 2] = ["unique", "revision"];

/// Columns of `url_keys`.
pub(super) const KEYED: [&str; 11] = [
    "date",
    "domain",
    "fetched_at",
    "url",
    "request_url",
    "url_key",
    "status",
    "merged_by",
    "duplicate_of",
    "source",
    "row",
];

/// Returns the fetches of `url`, in time order: those with this response or request URL, and if there
/// are none, those whose URL key is that of `url`.
pub(super) async fn of_url(
    context: &SessionContext,
    settings: &Settings,
    url: &str,
) -> Result<Vec<Fetch>> {
    let mut fetches = Vec::new();
    if let Ok(parsed) = settings.site.keyer.parse(url) {
        let is_in_domain = of_domain(parsed.domain().as_str());
        let has_request_url = ident("request_url").eq(lit(url));
        let has_url = ident("url").eq(lit(url)).or(has_request_url.clone());
        let key = settings.site.unlearned_key(&parsed, None);
        let keys = [url, key.text.as_str()].map(lit).to_vec();
        let has_key = ident("url_key").in_list(keys, false);
        // A redirect may end on another domain, and its row is there.
        for condition in [
            is_in_domain.clone().and(has_url),
            is_in_domain.and(has_key),
            has_request_url,
        ] {
            if fetches.is_empty() {
                fetches = rows_of(context, Table::UrlKeys, condition).await?;
            }
        }
    }
    for row in rows_of(context, Table::Quarantine, ident("url").eq(lit(url))).await? {
        let is_same = |other: &&mut Fetch| other.source == row.source && other.row == row.row;
        match fetches.iter_mut().find(is_same) {
            Some(keyed) => keyed.quarantine = row.quarantine,
            None => fetches.push(row),
        }
    }
    sort(&mut fetches);
    Ok(fetches)
}

/// Returns the fetch of `domain` at `place`, which is `source#row`.
pub(super) async fn at_place(
    context: &SessionContext,
    domain: &str,
    place: &str,
) -> Result<Option<Fetch>> {
    let place = place.rsplit_once('#');
    let Some((source, Ok(row))) = place.map(|(source, row)| (source, row.parse::<i64>())) else {
        return Ok(None);
    };
    let has_place = (ident("source").eq(lit(source))).and(ident("row").eq(lit(row)));
    // Statistics of domains leave out files; those of rows do not.
    let is_there = of_domain(domain).and(has_place);
    Ok(rows_of(context, Table::UrlKeys, is_there).await?.pop())
}

/// Returns the number of revisions among the rows that are meant that were labelled before a page.
pub(super) async fn revisions_before(
    context: &SessionContext,
    fetch: &Fetch,
    are_meant: Expr,
) -> Result<usize> {
    let are_revisions = are_meant.and(ident("status").eq(lit("revision")));
    let revisions = rows_of(context, Table::UrlKeys, are_revisions).await?;
    let are_before = revisions.iter().filter(|other| order(other) < order(fetch));
    Ok(are_before.count())
}

/// Returns the number of the labelled pages of a domain on dates that `are_asked`, and the newest of them, in time
/// order.
pub(super) async fn newest(
    context: &SessionContext,
    domain: &str,
    are_asked: Expr,
    most: usize,
) -> Result<(usize, Vec<Fetch>)> {
    let is_labelled = ident("status").in_list(LABELLED.map(lit).to_vec(), false);
    let condition = of_domain(domain).and(is_labelled);
    let table = context.table(Table::UrlKeys.name()).await?;
    let pages = table.filter(condition.and(are_asked))?;
    let count = pages.clone().count().await?;
    let newest_first = ["fetched_at", "url", "source", "row"];
    let newest_first = newest_first.map(|column| ident(column).sort(false, false));
    let newest = pages.sort(newest_first.to_vec())?.limit(0, Some(most))?;
    let mut fetches = fetches(newest).await?;
    sort(&mut fetches);
    Ok((count, fetches))
}

fn sort(fetches: &mut [Fetch]) {
    fetches.sort_by(|one, other| order(one).cmp(&order(other)));
}

/// The order of pages in a replay.
fn order(fetch: &Fetch) -> (Option<i64>, Option<&str>, &str, Option<i64>) {
    let url = fetch.url.as_deref();
    (fetch.fetched_at, url, &fetch.source, fetch.row)
}

/// Reads rows of `url_keys` or `quarantine`. A table that does not exist has none.
async fn rows_of(context: &SessionContext, table: Table, condition: Expr) -> Result<Vec<Fetch>> {
    if !context.table_exist(table.name())? {
        return Ok(Vec::new());
    }
    let table = context.table(table.name()).await?;
    fetches(table.filter(condition)?).await
}

/// Reads rows of `url_keys` or `quarantine`, with the columns that the table has.
async fn fetches(frame: DataFrame) -> Result<Vec<Fetch>> {
    let has = |name: &&str| frame.schema().has_column_with_unqualified_name(name);
    let columns = KEYED.into_iter().chain(["reason", "detail"]);
    let columns: Vec<&str> = columns.filter(has).collect();
    let fetch = |row: Row<'_>| Fetch {
        url: row.owned("url"),
        request_url: row.owned("request_url"),
        url_key: row.owned("url_key"),
        domain: row.owned("domain"),
        date: row.date("date").unwrap_or_default(),
        fetched_at: row.number("fetched_at"),
        status: (row.owned("status")).unwrap_or_else(|| "quarantined".to_owned()),
        merged_by: row.owned("merged_by"),
        duplicate_of: row.owned("duplicate_of"),
        source: row.text("source").to_owned(),
        row: row.number("row"),
        quarantine: row.owned("reason").zip(row.owned("detail")),
    };
    let rows = Rows::collect(frame.select_columns(&columns)?).await?;
    Ok(rows.iter().map(fetch).collect())
}
