//! The window entries of a domain, replayed up to the moment at which a run labelled a page.

use std::sync::Arc;

use arrow::array::Array;
use chrono::NaiveDate;
use datafusion::error::{DataFusionError, Result};
use datafusion::functions_aggregate::expr_fn::min;
use datafusion::logical_expr::{Expr, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use engine::{Settings, windows_query};
use site_replay::{Batching, SiteStream};
use tables::{DateRange, Table, days_from_date};
use template::PagePaths;
use url_key::{Branch, Domain};
use url_tree::{BlockHash, Entry};

use crate::conditions::{day, from, of_domain, within};
use crate::rows::{Rows, number};

/// A row of `window_entries`.
pub(super) struct StoredEntry {
    /// Days since 1970.
    date: i32,
    time_micros: i64,
    url_key: String,
    ordinal: i64,
    is_revision: bool,
    hashes: Vec<BlockHash>,
    template: Vec<u8>,
}

/// The moment at which a page was labelled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The first and the last date whose pages are inserted together with the page or before it is
    /// labelled.
    pub(super) dates: DateRange,
    /// The entry of the page itself with batches of one page, and 0 with others: their pages share a moment.
    pub(super) ordinal: i64,
    /// Revisions of the dates that were inserted before.
    pub(super) revisions: usize,
}

/// Returns the ordinal of the entry of a page; `None` if it has none.
pub(super) async fn ordinal(
    context: &SessionContext,
    is_page: Expr,
    is_revision: bool,
) -> Result<Option<i64>> {
    let kind = if is_revision { "revision" } else { "document" };
    let table = context.table(Table::WindowEntries.name()).await?;
    let frame = table
        .filter(is_page)?
        .filter(ident("entry").eq(lit(kind)))?
        .sort(vec![ident("ordinal").sort(true, false)])?
        .select_columns(&["ordinal"])?;
    let rows = Rows::collect(frame).await?;
    let ordinals = rows.numbers("ordinal")?;
    Ok((rows.count() > 0).then(|| ordinals.value(0)))
}

/// Returns the tree and the template of `domain` at `moment`.
pub(super) async fn replay(
    context: &SessionContext,
    settings: &Settings,
    domain: &str,
    moment: &Moment,
) -> Result<SiteStream> {
    let is_before = if settings.site.batching == Batching::Page {
        ident("ordinal").lt(lit(moment.ordinal))
    } else {
        ident("date").lt(day(moment.dates.first()))
    };
    let prior = window(context, settings, domain, is_before).await?;
    let together = if settings.site.batching == Batching::Page {
        ident("ordinal").eq(lit(moment.ordinal))
    } else {
        within(moment.dates)
    };
    let together = of_domain(domain).and(together);
    let together = entries(
        context
            .table(Table::WindowEntries.name())
            .await?
            .filter(together)?,
    );
    replayed(settings, domain, moment, &prior, &together.await?)
}

fn replayed(
    settings: &Settings,
    domain: &str,
    moment: &Moment,
    prior: &[StoredEntry],
    together: &[StoredEntry],
) -> Result<SiteStream> {
    let last = days_from_date(moment.dates.last());
    // A block shows its reason without marks, beside that with them.
    let mut unmarked = settings.site.clone();
    unmarked.marks = Arc::default();
    let mut replay = SiteStream::new(&Domain::from_name(domain), &unmarked, last);
    for entry in prior {
        entry.restore(&mut replay)?;
    }
    let mut revisions = 0;
    for entry in together {
        if entry.is_revision {
            revisions += 1;
            // Pages are inserted before the first page of their batch is labelled, and a revision when
            // it is labelled itself.
            if revisions > moment.revisions {
                continue;
            }
        }
        replay.begin(entry.date);
        entry.restore(&mut replay)?;
    }
    if !replay.is_one_by_one() {
        replay.begin(last);
    }
    Ok(replay)
}

/// Reads the window of a domain after the entries that are before a moment.
async fn window(
    context: &SessionContext,
    settings: &Settings,
    domain: &str,
    is_before: Expr,
) -> Result<Vec<StoredEntry>> {
    const PRIOR: &str = "prior_window_entries";
    let before = context.table(Table::WindowEntries.name()).await?;
    let before = before.filter(of_domain(domain).and(is_before))?;
    drop(context.deregister_table(PRIOR)?);
    context.register_table(PRIOR, before.into_view())?;
    entries(
        context
            .sql(&windows_query(PRIOR, PRIOR, settings.site.window))
            .await?,
    )
    .await
}

/// The columns of an entry in `window_entries`.
pub(super) const ENTRY_COLUMNS: [&str; 7] = [
    "date",
    "fetched_at",
    "url_key",
    "ordinal",
    "entry",
    "hashes",
    "template",
];

/// Reads entries in the order of insertion.
async fn entries(frame: DataFrame) -> Result<Vec<StoredEntry>> {
    let frame = frame
        .sort(vec![ident("ordinal").sort(true, false)])?
        .select_columns(&ENTRY_COLUMNS)?;
    let rows = Rows::collect(frame).await?;
    let (dates, times) = (rows.numbers("date")?, rows.numbers("fetched_at")?);
    let (keys, ordinals) = (rows.texts("url_key")?, rows.numbers("ordinal")?);
    let kinds = rows.texts("entry")?;
    let (hashes, templates) = (rows.bytes("hashes")?, rows.bytes("template")?);
    let entry = |row: usize| StoredEntry {
        date: i32::try_from(dates.value(row)).unwrap_or_default(),
        time_micros: times.value(row),
        url_key: keys.value(row).to_owned(),
        ordinal: ordinals.value(row),
        is_revision: kinds.value(row) == "revision",
        hashes: hashes.value(row).as_chunks::<16>().0.to_vec(),
        template: if templates.is_valid(row) {
            templates.value(row).to_vec()
        } else {
            Vec::new()
        },
    };
    Ok((0..rows.count()).map(entry).collect())
}

impl StoredEntry {
    fn restore(&self, replay: &mut SiteStream) -> Result<()> {
        let branch = Branch::from_key(&self.url_key);
        let entry = Entry {
            time_micros: self.time_micros,
            branch: branch.items(),
            hashes: &self.hashes,
        };
        if self.is_revision {
            replay.restore_revision(entry, self.ordinal);
            return Ok(());
        }
        let paths = PagePaths::from_bytes(&self.template).map_err(|error| {
            DataFusionError::Execution(format!("template of {}: {error}", self.url_key))
        })?;
        replay.restore_page(entry, &paths, self.ordinal);
        Ok(())
    }
}

/// Returns the least ordinal of the entries of `domain` from `first` on; `None` if there is none.
pub(super) async fn least_ordinal(
    context: &SessionContext,
    domain: &str,
    first: NaiveDate,
) -> Result<Option<i64>> {
    let table = context.table(Table::WindowEntries.name()).await?;
    let frame = table
        .filter(of_domain(domain).and(from(first)))?
        .aggregate(vec![], vec![min(ident("ordinal")).alias("ordinal")])?;
    let least = Rows::collect(frame).await?.numbers("ordinal")?;
    Ok(number(&least, 0))
}
