//! The states of all feeds as a Parquet file.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Int32Array, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Int32Type, Schema, TimestampMicrosecondType};
use bytes::Bytes;
use chrono::DateTime;
use feeds::{FeedState, ItemDigest, Validators};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::rows::{text, texts, time, times};

/// The key of the metadata that names the staged rows of a state.
const STAGED: &str = "urltree.staged";
/// Bytes of a digest.
const DIGEST: usize = 16;

/// The states of feeds after a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct States {
    /// Number of the commit. 0 is none.
    pub(crate) version: u64,
    /// The folder of its staged rows.
    pub(crate) staged: Option<String>,
    /// By the URL of the list. Feeds that left the list keep theirs.
    pub(crate) feeds: BTreeMap<String, FeedState>,
}

fn schema() -> Arc<Schema> {
    Arc::new(Schema::new(vec![
        text("feed_url", false),
        time("next_poll", true),
        Field::new("failures", DataType::Int32, false),
        Field::new("is_gone", DataType::Boolean, false),
        text("moved_to", true),
        text("etag", true),
        text("last_modified", true),
        // Digests of 16 bytes, the oldest first.
        Field::new("seen", DataType::Binary, false),
        // Digests of 16 bytes, each with a byte for its failures.
        Field::new("tries", DataType::Binary, false),
    ]))
}

/// Encodes the states as a Parquet file.
pub(crate) fn encode(states: &States) -> Result<Vec<u8>, ParquetError> {
    let feeds = || states.feeds.values();
    let of = |column: fn(&FeedState) -> Option<&str>| texts(feeds().map(column));
    let failures = feeds().map(|feed| i32::try_from(feed.failures).unwrap_or(i32::MAX));
    let seen =
        feeds().map(|feed| -> Vec<u8> { feed.seen.iter().flat_map(|digest| digest.0).collect() });
    let tries = feeds().map(|feed| -> Vec<u8> {
        let tries = feed.tries.iter();
        let tries =
            tries.map(|(digest, tries)| (digest.0, u8::try_from(*tries).unwrap_or(u8::MAX)));
        tries
            .flat_map(|(digest, tries)| digest.into_iter().chain([tries]))
            .collect()
    });
    let columns: Vec<ArrayRef> = vec![
        texts(states.feeds.keys().map(|url| Some(url.as_str()))),
        times(feeds().map(|feed| feed.next_poll)),
        Arc::new(Int32Array::from_iter_values(failures)),
        Arc::new(BooleanArray::from_iter(
            feeds().map(|feed| Some(feed.is_gone)),
        )),
        of(|feed| feed.moved_to.as_deref()),
        of(|feed| feed.validators.etag.as_deref()),
        of(|feed| feed.validators.last_modified.as_deref()),
        Arc::new(BinaryArray::from_iter_values(seen)),
        Arc::new(BinaryArray::from_iter_values(tries)),
    ];
    let schema = schema();
    let rows = RecordBatch::try_new(Arc::clone(&schema), columns)?;
    let staged = KeyValue::new(STAGED.to_owned(), states.staged.clone());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_key_value_metadata(Some(vec![staged]))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties))?;
    writer.write(&rows)?;
    writer.close()?;
    Ok(bytes)
}

/// Decodes the states of `version`.
pub(crate) fn decode(version: u64, bytes: Bytes) -> Result<States, ParquetError> {
    let file = ParquetRecordBatchReaderBuilder::try_new(bytes)?;
    let metadata = file.metadata().file_metadata().key_value_metadata();
    let staged = (metadata.into_iter().flatten())
        .find(|entry| entry.key == STAGED)
        .and_then(|entry| entry.value.clone());
    if file.schema().fields() != schema().fields() {
        return Err(ParquetError::General("it has other columns".to_owned()));
    }
    let batches: Vec<RecordBatch> = file.build()?.collect::<Result<_, _>>()?;
    let rows = concat_batches(&schema(), &batches)?;
    let mut states = States {
        version,
        staged,
        ..States::default()
    };
    let texts = |column: usize, row: usize| {
        let column = rows.column(column).as_string::<i32>();
        column.is_valid(row).then(|| column.value(row).to_owned())
    };
    let next = rows.column(1).as_primitive::<TimestampMicrosecondType>();
    let failures = rows.column(2).as_primitive::<Int32Type>();
    let gone = rows.column(3).as_boolean();
    let (seen, tries) = (
        rows.column(7).as_binary::<i32>(),
        rows.column(8).as_binary::<i32>(),
    );
    for row in 0..rows.num_rows() {
        let next_poll = next.is_valid(row).then(|| next.value(row));
        let (digests, _) = seen.value(row).as_chunks::<DIGEST>();
        let (tried, _) = tries.value(row).as_chunks::<{ DIGEST + 1 }>();
        let state = FeedState {
            validators: Validators {
                etag: texts(5, row),
                last_modified: texts(6, row),
            },
            next_poll: next_poll.and_then(DateTime::from_timestamp_micros),
            failures: u32::try_from(failures.value(row)).unwrap_or_default(),
            moved_to: texts(4, row),
            is_gone: gone.value(row),
            seen: digests.iter().copied().map(ItemDigest).collect(),
            tries: (tried.iter())
                .filter_map(|tried| {
                    let (tries, digest) = tried.split_last()?;
                    Some((ItemDigest(digest.try_into().ok()?), u32::from(*tries)))
                })
                .collect(),
        };
        states
            .feeds
            .insert(texts(0, row).unwrap_or_default(), state);
    }
    Ok(states)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_they_were_written() {
        let digest = |byte| ItemDigest([byte; DIGEST]);
        let full = FeedState {
            validators: Validators {
                etag: Some("W/\"1\"".to_owned()),
                last_modified: Some("Mon, 24 Oct 2011 08:00:00 GMT".to_owned()),
            },
            next_poll: DateTime::from_timestamp_micros(1_319_443_200_000_001),
            failures: 3,
            moved_to: Some("http://new.example/".to_owned()),
            is_gone: true,
            seen: [digest(2), digest(1)].into_iter().collect(),
            tries: [(digest(3), 2), (digest(4), 1)].into(),
        };
        let feeds = [
            ("http://a.example/".to_owned(), FeedState::default()),
            ("http://b.example/".to_owned(), full),
        ];
        for (staged, feeds) in [
            (None, [].into()),
            (Some("7-x".to_owned()), BTreeMap::from(feeds)),
        ] {
            let states = States {
                version: 7,
                staged,
                feeds,
            };
            let bytes = encode(&states).unwrap();
            assert_eq!(decode(7, bytes.into()).unwrap(), states);
        }
        assert!(decode(1, Bytes::from_static(b"no Parquet")).is_err());
    }
}
