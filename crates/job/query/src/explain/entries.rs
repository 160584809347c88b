//! The window entries of a domain, replayed up to the moment at which a run labelled a page.

use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::functions_aggregate::expr_fn::min;
use datafusion::logical_expr::{Expr, ident};
use datafusion::prelude::{DataFrame, SessionContext};
use engine::{Settings, windows_query};
use site_replay::SiteStream;
use tables::{Table, days_from_date};
use template::PagePaths;
use url_key::{Branch, Domain};
use url_tree::Entry;

use crate::conditions::of_domain;
use crate::rows::{Row, Rows};

/// The moment at which a page was labelled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The condition for entries that may be in the window before the batch of the page.
    pub(super) are_before: Expr,
    /// The condition for entries that are inserted together with the page or before it is labelled.
    pub(super) are_together: Expr,
    /// The last date of these, in days since 1970.
    pub(super) last: i32,
    /// Revisions among these that were inserted before.
    pub(super) revisions: usize,
}

/// Returns the least ordinal of the entries that are meant; `None` if there is none.
pub(super) async fn least_ordinal(
    context: &SessionContext,
    are_meant: Expr,
) -> Result<Option<i64>> {
    let entries = context.table(Table::WindowEntries.name()).await?;
    let least = vec![min(ident("ordinal")).alias("ordinal")];
    let least = entries.filter(are_meant)?.aggregate(vec![], least)?;
    let least = Rows::collect(least).await?;
    Ok(least.iter().find_map(|row| row.number("ordinal")))
}

/// Returns the tree and the template of `domain` at `moment`.
pub(super) async fn replay(
    context: &SessionContext,
    settings: &Settings,
    domain: &str,
    moment: &Moment,
) -> Result<SiteStream> {
    const PRIOR: &str = "prior_window_entries";
    let of_site = context.table(Table::WindowEntries.name()).await?;
    let of_site = of_site.filter(of_domain(domain))?;
    let before = of_site.clone().filter(moment.are_before.clone())?;
    drop(context.deregister_table(PRIOR)?);
    context.register_table(PRIOR, before.into_view())?;
    let window = windows_query(PRIOR, PRIOR, settings.site.window);
    let window = entries(context.sql(&window).await?).await?;
    let together = entries(of_site.filter(moment.are_together.clone())?).await?;
    // A block shows its reason without marks, beside that with them.
    let mut unmarked = settings.site.clone();
    unmarked.marks = Arc::default();
    let mut replay = SiteStream::new(&Domain::from_name(domain), &unmarked, moment.last);
    for entry in window.iter() {
        restore(entry, &mut replay)?;
    }
    let mut revisions = 0;
    for entry in together.iter() {
        revisions += usize::from(is_revision(entry));
        // Pages are inserted before the first page of their batch is labelled, and a revision when
        // it is labelled itself.
        if is_revision(entry) && revisions > moment.revisions {
            continue;
        }
        replay.begin(entry.date("date").map_or(0, days_from_date));
        restore(entry, &mut replay)?;
    }
    if !replay.is_one_by_one() {
        replay.begin(moment.last);
    }
    Ok(replay)
}

/// The columns of an entry in `window_entries`.
pub(super) const ENTRY_COLUMNS: [&str; 8] = [
    "date",
    "domain",
    "fetched_at",
    "url_key",
    "ordinal",
    "entry",
    "hashes",
    "template",
];

/// Reads entries in the order of insertion.
async fn entries(frame: DataFrame) -> Result<Rows> {
    let ordered = frame.sort_by(vec![ident("ordinal")])?;
    Rows::collect(ordered.select_columns(&ENTRY_COLUMNS)?).await
}

fn is_revision(entry: Row<'_>) -> bool {
    entry.text("entry") == "revision"
}

fn restore(row: Row<'_>, replay: &mut SiteStream) -> Result<()> {
    let key = row.text("url_key");
    let branch = Branch::from_key(key);
    let entry = Entry {
        time_micros: row.number("fetched_at").unwrap_or_default(),
        branch: branch.items(),
        hashes: row.bytes("hashes").as_chunks().0,
    };
    let ordinal = row.number("ordinal").unwrap_or_default();
    if is_revision(row) {
        replay.restore_revision(entry, ordinal);
        return Ok(());
    }
    let paths = PagePaths::from_bytes(row.bytes("template"))
        .map_err(|error| DataFusionError::Execution(format!("template of {key}: {error}")))?;
    replay.restore_page(entry, &paths, ordinal);
    Ok(())
}
