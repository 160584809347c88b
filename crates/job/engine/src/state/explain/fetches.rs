//! The rows of the tables with one URL: each fetch of a page, and what the run has decided about it.

use arrow::array::{Array, Int64Array};
use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, cast, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use tables::{Table, date_from_days};

use crate::settings::Settings;
use crate::state::explain::rows::{Rows, owned};

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
}

/// The statuses of pages with labels.
const LABELLED: [&str; 2] = ["unique", "revision"];

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

const QUARANTINED: [&str; 8] = [
    "date",
    "domain",
    "fetched_at",
    "url",
    "source",
    "row",
    "reason",
    "detail",
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
        let of_domain = ident("domain").eq(lit(parsed.domain().as_str()));
        let has_request_url = ident("request_url").eq(lit(url));
        let has_url = ident("url").eq(lit(url)).or(has_request_url.clone());
        let key = settings.site.unlearned_key(&parsed, None);
        let keys = [url, key.text.as_str()].map(lit).to_vec();
        let has_key = ident("url_key").in_list(keys, false);
        // A redirect may end on another domain, and its row is there.
        for condition in [
            of_domain.clone().and(has_url),
            of_domain.and(has_key),
            has_request_url,
        ] {
            if fetches.is_empty() {
                fetches = keyed(context, condition).await?;
            }
        }
    }
    for row in quarantined(context, ident("url").eq(lit(url))).await? {
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
    let Some((source, row)) = place.rsplit_once('#') else {
        return Ok(None);
    };
    let Ok(row) = row.parse::<i64>() else {
        return Ok(None);
    };
    let is_there = ident("source")
        .eq(lit(source))
        .and(ident("row").eq(lit(row)));
    // Statistics of domains leave out files; those of rows do not.
    let is_there = ident("domain").eq(lit(domain)).and(is_there);
    Ok(keyed(context, is_there).await?.pop())
}

/// Returns the revisions of a domain within dates, in the order in which they were labelled.
pub(super) async fn revisions(
    context: &SessionContext,
    domain: &str,
    dates: Expr,
) -> Result<Vec<Fetch>> {
    let is_revision = ident("status").eq(lit("revision"));
    let condition = ident("domain").eq(lit(domain)).and(is_revision).and(dates);
    let mut fetches = keyed(context, condition).await?;
    sort(&mut fetches);
    Ok(fetches)
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
    let condition = ident("domain").eq(lit(domain)).and(is_labelled);
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

/// The order of pages in a replay.
pub(super) fn sort(fetches: &mut [Fetch]) {
    fetches.sort_by(|one, other| order(one).cmp(&order(other)));
}

/// The order of the pages of a batch.
pub(super) fn order(fetch: &Fetch) -> (Option<i64>, Option<&str>, &str, Option<i64>) {
    let url = fetch.url.as_deref();
    (fetch.fetched_at, url, &fetch.source, fetch.row)
}

async fn keyed(context: &SessionContext, condition: Expr) -> Result<Vec<Fetch>> {
    let table = context.table(Table::UrlKeys.name()).await?;
    fetches(table.filter(condition)?).await
}

/// Reads rows of `url_keys`.
async fn fetches(frame: DataFrame) -> Result<Vec<Fetch>> {
    let rows = Rows::collect(frame.select_columns(&KEYED)?).await?;
    let (dates, times) = (rows.numbers("date")?, rows.numbers("fetched_at")?);
    let positions = rows.numbers("row")?;
    let [
        domains,
        urls,
        request_urls,
        keys,
        statuses,
        merged_by,
        duplicate_of,
        sources,
    ] = [
        rows.texts("domain")?,
        rows.texts("url")?,
        rows.texts("request_url")?,
        rows.texts("url_key")?,
        rows.texts("status")?,
        rows.texts("merged_by")?,
        rows.texts("duplicate_of")?,
        rows.texts("source")?,
    ];
    let fetch = |row: usize| Fetch {
        url: owned(&urls, row),
        request_url: owned(&request_urls, row),
        url_key: owned(&keys, row),
        domain: owned(&domains, row),
        date: date(&dates, row),
        fetched_at: number(&times, row),
        status: statuses.value(row).to_owned(),
        merged_by: owned(&merged_by, row),
        duplicate_of: owned(&duplicate_of, row),
        source: sources.value(row).to_owned(),
        row: number(&positions, row),
        quarantine: None,
    };
    Ok((0..rows.count()).map(fetch).collect())
}

async fn quarantined(context: &SessionContext, condition: Expr) -> Result<Vec<Fetch>> {
    if !context.table_exist(Table::Quarantine.name())? {
        return Ok(Vec::new());
    }
    let table = context.table(Table::Quarantine.name()).await?;
    let frame = table.filter(condition)?.select_columns(&QUARANTINED)?;
    let rows = Rows::collect(frame).await?;
    let (dates, times) = (rows.numbers("date")?, rows.numbers("fetched_at")?);
    let positions = rows.numbers("row")?;
    let [domains, urls, sources, reasons, details] = [
        rows.texts("domain")?,
        rows.texts("url")?,
        rows.texts("source")?,
        rows.texts("reason")?,
        rows.texts("detail")?,
    ];
    let fetch = |row: usize| Fetch {
        url: owned(&urls, row),
        request_url: None,
        url_key: None,
        domain: owned(&domains, row),
        date: date(&dates, row),
        fetched_at: number(&times, row),
        status: "quarantined".to_owned(),
        merged_by: None,
        duplicate_of: None,
        source: sources.value(row).to_owned(),
        row: number(&positions, row),
        quarantine: Some((reasons.value(row).to_owned(), details.value(row).to_owned())),
    };
    Ok((0..rows.count()).map(fetch).collect())
}

/// The condition for the rows of a page in a table without archive positions.
pub(super) fn is_row_of(fetch: &Fetch, domain: &str, key: &str) -> Expr {
    let time = cast(ident("fetched_at"), arrow::datatypes::DataType::Int64);
    ident("domain")
        .eq(lit(domain))
        .and(ident("url_key").eq(lit(key)))
        .and(time.eq(lit(fetch.fetched_at.unwrap_or_default())))
}

fn date(days: &Int64Array, row: usize) -> NaiveDate {
    date_from_days(i32::try_from(days.value(row)).unwrap_or_default())
}

fn number(numbers: &Int64Array, row: usize) -> Option<i64> {
    numbers.is_valid(row).then(|| numbers.value(row))
}
