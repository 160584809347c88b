use std::collections::BTreeMap;

use futures::future::try_join_all;

use crate::tables::Tables;

/// Returns `before`, tables that were opened before the lease was acquired, at their latest versions. Call it under
/// the lease: then no version of these tables is ever outdated.
///
/// Every table is looked at, not `runs` alone: the tables were opened at different moments, and an earlier
/// owner may have committed one of them after it was opened, and `runs` before it was opened.
///
/// # Errors
/// The error of a table that cannot be opened.
pub async fn refresh<T: Tables>(
    tables: &T,
    before: BTreeMap<T::Table, Option<T::Version>>,
) -> Result<BTreeMap<T::Table, Option<T::Version>>, T::Error> {
    let latest = before.into_iter().map(async |(table, opened)| {
        if let Some(opened) = &opened
            && tables.is_latest(table, opened).await
        {
            return Ok((table, Some(opened.clone())));
        }
        Ok((table, tables.open_latest(table).await?))
    });
    // One after the other, each would wait for an answer of the store.
    Ok(try_join_all(latest).await?.into_iter().collect())
}
