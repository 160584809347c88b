//! Step 2 with learned parameters: adds the keys that pages get after their own was decided.

use std::sync::Arc;

use arrow::array::{RecordBatch, StringArray, StringBuilder, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use site_replay::AliasDates;
use tables::DateRange;

use crate::job::Job;
use crate::plan::columns::schemas::{KEYED, RecordBatchExt, Status, project_to, value_opt};
use crate::plan::exec::step::{BatchStep, to_bytes};
use crate::plan::learn::learned::Learned;
use crate::plan::steps::key::THIS_RUN;
use crate::settings::Settings;

/// Adds a row for each key that a page has on later dates of the chunk, because a part of its URL
/// became noise, or was noise by mistake.
#[derive(Debug, Clone)]
pub(crate) struct Alias {
    pub(crate) settings: Arc<Settings>,
    pub(crate) learned: Arc<Learned>,
    pub(crate) chunk: DateRange,
}

impl Alias {
    pub(crate) fn new(job: &Job, learned: Arc<Learned>, chunk: DateRange) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            learned,
            chunk,
        }
    }
}

impl BatchStep for Alias {
    const NAME: &'static str = "Alias";

    fn output_columns() -> SchemaRef {
        Arc::clone(&KEYED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&(self.learned.as_ref(), self.chunk))
    }

    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, keys) = (batch.text("url")?, batch.text("url_key")?);
        let statuses = batch.text("status")?;
        let generations = batch.numbers::<Int32Type>("generation")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let (sources, positions) = (batch.text("source")?, batch.numbers::<Int64Type>("row")?);
        let mut rows = Vec::new();
        let (mut alias_keys, mut alias_dates) = (StringBuilder::new(), StringBuilder::new());
        for row in 0..batch.num_rows() {
            let is_page = match Status::from_name(statuses.value(row))? {
                Status::Known => true,
                Status::Unique => {
                    let position = (sources.value(row).to_owned(), positions.value(row));
                    !self.learned.without_text.contains(&position)
                }
                _ => false,
            };
            let Some(url) = value_opt(urls, row).filter(|_| is_page) else {
                continue;
            };
            let first = match generations.value(row) {
                THIS_RUN => dates.value(row).saturating_add(1),
                _ => i32::MIN,
            };
            let page = (url, keys.value(row), dates.value(row));
            for (dates, key) in self.learned.keys(&self.settings, page, first, self.chunk) {
                if key != keys.value(row) {
                    rows.push(row as u32);
                    alias_keys.append_value(key);
                    alias_dates.append_value(to_text(AliasDates {
                        from: dates.from,
                        until: dates.until,
                        since: dates.since,
                    }));
                }
            }
        }
        if rows.is_empty() {
            return Ok(batch.clone());
        }
        let status =
            StringArray::from_iter_values(std::iter::repeat_n(Status::Alias.as_str(), rows.len()));
        let aliases = take_record_batch(batch, &UInt32Array::from(rows))?;
        let aliases = project_to(
            &aliases,
            &KEYED,
            vec![
                ("status", Arc::new(status)),
                ("url_key", Arc::new(alias_keys.finish())),
                ("alias_dates", Arc::new(alias_dates.finish())),
            ],
        )?;
        Ok(concat_batches(&KEYED, [batch, &aliases])?)
    }
}

/// The value of `alias_dates`.
fn to_text(dates: AliasDates) -> String {
    format!("{} {} {}", dates.from, dates.until, dates.since)
}

/// Parses `alias_dates`.
pub(crate) fn alias_dates(text: &str) -> Result<AliasDates> {
    let mut numbers = text.split(' ').map(str::parse);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(from)), Some(Ok(until)), Some(Ok(since))) => Ok(AliasDates { from, until, since }),
        _ => Err(DataFusionError::Internal(format!(
            "`{text}` are not the dates of an alias"
        ))),
    }
}
