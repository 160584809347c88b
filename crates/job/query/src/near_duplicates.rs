//! Clusters of near duplicates among all documents of a job.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use engine::{EngineError, Job};
use futures::StreamExt;
use tables::Table;
use text::near_duplicates::{BANDS, Clusters, ROWS};

use crate::query_rows::QueryRows;
use crate::rows::Rows;
use crate::session::{open, session};

/// Hexadecimal digits of a band.
const BAND_DIGITS: usize = ROWS * 4 * 2;

/// Returns the documents that are near duplicates of others, with the columns `cluster_id`,
/// `document_id`, `domain`, `url` and `fetched_at`, sorted by the first two. Two documents are in one
/// cluster if they have a band of their signatures in common, or if other documents of the cluster
/// connect them. The least `document_id` of a cluster is its `cluster_id`.
///
/// The rows are equal with any number of threads. The bands are sorted with the memory of a run's plan,
/// and spill above that. Some 50 bytes per near duplicate are in memory beside it, and none for other
/// documents.
///
/// # Errors
/// [`EngineError::Query`], [`EngineError::QueryMemory`] or [`EngineError::QuerySpill`] if a query fails,
/// for example because the job has no table `documents`.
pub async fn near_duplicates(job: &Job) -> Result<QueryRows, EngineError> {
    let context = session(job)?;
    if open(&context, job, Table::Documents).await?.is_some() {
        let documents = context.table(Table::Documents.name()).await?;
        if !documents
            .schema()
            .has_column_with_unqualified_name("minhash")
        {
            let problem = "the table documents has no column minhash, so no run has written signatures; run \
                 its dates with minhash in output.write";
            return Err(DataFusionError::Plan(problem.to_owned()).into());
        }
    }
    let clusters = found(&context).await?.rows()?;
    context.register_batch("clusters", clusters)?;
    let documents = "SELECT clusters.cluster_id, documents.document_id, domain, url, fetched_at \
         FROM documents JOIN clusters ON documents.document_id = clusters.document_id \
         ORDER BY cluster_id, document_id, url";
    QueryRows::start(context.sql(documents).await?).await
}

/// Joins the documents that have a band in common. Bands come in order, so documents with one band
/// are neighbours.
async fn found(context: &SessionContext) -> Result<Found, DataFusionError> {
    let numbers: Vec<String> = (0..BANDS).map(|band| format!("({band})")).collect();
    let bands = format!(
        "SELECT band, substr(encode(minhash, 'hex'), band * {BAND_DIGITS} + 1, {BAND_DIGITS}) AS hash, \
           document_id \
         FROM documents CROSS JOIN (VALUES {}) AS bands (band) \
         WHERE minhash IS NOT NULL AND document_id IS NOT NULL \
         ORDER BY band, hash, document_id",
        numbers.join(", ")
    );
    let mut rows = context.sql(&bands).await?.execute_stream().await?;
    let mut found = Found::default();
    let mut before: Option<(Option<i64>, String, u128)> = None;
    while let Some(batch) = rows.next().await {
        for row in Rows::of(&batch?)?.iter() {
            let (band, hash) = (row.number("band"), row.text("hash"));
            let id = id(row.text("document_id"))?;
            match &mut before {
                Some((last_band, last_hash, last)) if *last_band == band && last_hash == hash => {
                    found.join(*last, id)?;
                    *last = id;
                }
                before => *before = Some((band, hash.to_owned(), id)),
            }
        }
    }
    Ok(found)
}

/// Reads a `document_id`, which is 32 hexadecimal digits.
fn id(text: &str) -> Result<u128, DataFusionError> {
    u128::from_str_radix(text, 16)
        .map_err(|_| DataFusionError::Execution(format!("document_id `{text}` is not hexadecimal")))
}

/// Documents that are joined with others.
#[derive(Default)]
struct Found {
    numbers: HashMap<u128, u32>,
    ids: Vec<u128>,
    clusters: Clusters,
}

impl Found {
    fn join(&mut self, one: u128, other: u128) -> Result<(), DataFusionError> {
        if one == other {
            return Ok(());
        }
        let (one, other) = (self.number(one)?, self.number(other)?);
        self.clusters.join(one, other);
        Ok(())
    }

    fn number(&mut self, id: u128) -> Result<u32, DataFusionError> {
        if let Some(number) = self.numbers.get(&id) {
            return Ok(*number);
        }
        let number = self.clusters.add().ok_or_else(|| {
            DataFusionError::Execution("there are more than 2^32 near duplicates".to_owned())
        })?;
        self.numbers.insert(id, number);
        self.ids.push(id);
        Ok(number)
    }

    /// Returns the pairs of `cluster_id` and `document_id`.
    fn rows(mut self) -> Result<RecordBatch, DataFusionError> {
        // The numbers are in the order of bands, and the least id need not have the least number.
        let mut least = self.ids.clone();
        let firsts: Vec<u32> = (0..self.ids.len() as u32)
            .map(|number| self.clusters.first(number))
            .collect();
        for (first, id) in firsts.iter().zip(&self.ids) {
            let least = &mut least[*first as usize];
            *least = (*least).min(*id);
        }
        let hex = |id: u128| format!("{id:032x}");
        let clusters = firsts.iter().map(|first| hex(least[*first as usize]));
        let clusters: ArrayRef = Arc::new(StringArray::from_iter_values(clusters));
        let ids = self.ids.iter().map(|id| hex(*id));
        let ids: ArrayRef = Arc::new(StringArray::from_iter_values(ids));
        Ok(RecordBatch::try_from_iter([
            ("cluster_id", clusters),
            ("document_id", ids),
        ])?)
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;

    use super::*;

    #[test]
    fn the_least_id_names_a_cluster_in_any_order_of_joins() {
        let joins = [(9, 4), (7, 9), (5, 6), (4, 2)];
        let pairs = |joins: &mut dyn Iterator<Item = &(u128, u128)>| {
            let mut found = Found::default();
            for (one, other) in joins {
                found.join(*one, *other).unwrap();
            }
            let rows = found.rows().unwrap();
            let text = |column: usize| rows.column(column).as_string::<i32>().clone();
            let number = |text: &str| id(text).unwrap();
            let (clusters, ids) = (text(0), text(1));
            let mut pairs: Vec<(u128, u128)> = (clusters.iter().flatten().map(number))
                .zip(ids.iter().flatten().map(number))
                .collect();
            pairs.sort_unstable();
            pairs
        };
        let expected = [(2, 2), (2, 4), (2, 7), (2, 9), (5, 5), (5, 6)];
        assert_eq!(pairs(&mut joins.iter()), expected);
        assert_eq!(pairs(&mut joins.iter().rev()), expected);
    }
}
