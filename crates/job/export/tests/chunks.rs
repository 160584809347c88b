//! Parquet exports of documents of which few have changed: what a store of content-defined chunks must take.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use bytes::Bytes;
use export::{Existing, Format, Part, Report, Request, Rows, Source, export};
use futures::StreamExt;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use tables::{DateRange, Location};

const DAYS: [&str; 3] = ["2011-10-24", "2011-10-25", "2011-10-26"];
/// Documents of a day, of some 6 kB each.
const A_DAY: u64 = 700;

/// Numbers of the documents of each day.
struct Days(BTreeMap<&'static str, Vec<u64>>, Vec<Part>);

impl Days {
    fn first(days: usize) -> Self {
        let numbers = |(day, name)| (name, (A_DAY * day..A_DAY * (day + 1)).collect());
        let parts = DAYS.iter().take(days).map(|day| Part::Dates(range(day)));
        Self((0..).zip(DAYS).map(numbers).collect(), parts.collect())
    }
}

fn range(day: &str) -> DateRange {
    day.parse().expect("a date")
}

/// Words that differ from document to document.
fn words(number: u64) -> String {
    let word = |position: u64| {
        let mixed = (number * 1_000 + position + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("{:x} ", (mixed ^ mixed >> 31) >> 40)
    };
    (0..900).map(word).collect()
}

impl Source for Days {
    type Error = io::Error;

    fn parts(&self) -> &[Part] {
        &self.1
    }

    async fn rows(&self, part: Part) -> Result<Rows<io::Error>, io::Error> {
        let numbers = self
            .0
            .iter()
            .find(|(day, _)| part == Part::Dates(range(day)));
        let numbers = numbers
            .map(|(_, numbers)| numbers.as_slice())
            .unwrap_or_default();
        let texts = |of: &dyn Fn(u64) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(
                numbers.iter().map(|number| of(*number)),
            ))
        };
        let batch = RecordBatch::try_from_iter([
            ("id", texts(&|number| format!("{number:032x}"))),
            ("text", texts(&words)),
            ("url", texts(&|number| format!("http://a.example/{number}"))),
            ("date", texts(&|_| part.to_string())),
            (
                "language",
                texts(&|number| if number % 7 == 0 { "fr" } else { "en" }.to_owned()),
            ),
        ]);
        let batch = batch.expect("columns of one length");
        Ok(Rows {
            schema: batch.schema(),
            batches: futures::stream::iter([Ok(batch)]).boxed(),
        })
    }
}

async fn run(source: &Days, folder: &Path, format: Format, shard_bytes: u64) -> Report {
    let request = Request {
        format,
        documents_of: BTreeMap::new(),
        source: "tea".to_owned(),
        shard_bytes,
        tables: BTreeMap::new(),
        written_by: "test".to_owned(),
    };
    let output = Location::parse(&folder.display().to_string()).expect("a path");
    let report = export(source, &output, &request, Existing::Keep).await;
    report.expect("an export")
}

fn shard(folder: &Path, name: &str) -> (Bytes, ParquetMetaData) {
    let bytes = Bytes::from(std::fs::read(folder.join(name)).expect("a shard"));
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    let metadata = reader
        .parse_and_finish(&bytes)
        .expect("a footer with a page index");
    (bytes, metadata)
}

/// The data pages of a shard, by the index of pages.
fn pages(folder: &Path, name: &str) -> Vec<Bytes> {
    let (bytes, metadata) = shard(folder, name);
    let index = metadata.offset_index().expect("an index of pages");
    let columns = index.iter().flatten();
    let pages = columns.flat_map(|column| column.page_locations());
    pages
        .map(|page| {
            let start = page.offset as usize;
            bytes.slice(start..start + page.compressed_page_size as usize)
        })
        .collect()
}

#[tokio::test]
async fn dates_that_are_added_leave_earlier_shards_as_they_were() {
    for format in [Format::Parquet, Format::FineWeb] {
        let folder = tempfile::tempdir().expect("a folder");
        let (before, after) = (folder.path().join("before"), folder.path().join("after"));
        let first = run(&Days::first(2), &before, format, 1_500_000)
            .await
            .manifest;
        let second = run(&Days::first(3), &after, format, 1_500_000)
            .await
            .manifest;
        let kept = first.shards.len() - 1;
        assert!(kept >= 2, "{format}: {first:?}");
        assert_eq!(first.shards[..kept], second.shards[..kept], "{format}");
        assert!(second.shards.len() > first.shards.len(), "{format}");
        for shard in &first.shards[..kept] {
            let read = |folder: &Path| std::fs::read(folder.join(&shard.path)).expect("a shard");
            assert!(read(&before) == read(&after), "{format}: {}", shard.path);
        }
    }
}

#[tokio::test]
async fn a_shard_in_which_few_documents_changed_keeps_most_of_its_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    run(&Days::first(3), &before, Format::FineWeb, 1 << 30).await;
    let mut changed = Days::first(3);
    let numbers = changed.0.get_mut(DAYS[1]).expect("a day");
    numbers[100] = 9_000;
    numbers.remove(300);
    numbers.insert(301, 9_001);
    numbers.insert(302, 9_002);
    run(&changed, &after, Format::FineWeb, 1 << 30).await;

    let name = "documents/part-00000.parquet";
    let known: BTreeSet<Bytes> = pages(&before, name).into_iter().collect();
    let found = pages(&after, name);
    assert!(found.len() > 15, "{} pages", found.len());
    let bytes = |pages: &[&Bytes]| pages.iter().map(|page| page.len()).sum::<usize>();
    let kept: Vec<&Bytes> = found.iter().filter(|page| known.contains(*page)).collect();
    let (kept, all) = (bytes(&kept), bytes(&found.iter().collect::<Vec<_>>()));
    assert!(kept < all && kept * 10 > all * 7, "{kept} of {all} bytes");
}

#[tokio::test]
async fn a_shard_has_an_index_of_pages_with_their_least_and_greatest_values() {
    let folder = tempfile::tempdir().expect("a folder");
    run(&Days::first(1), folder.path(), Format::FineWeb, 1 << 30).await;
    let (_, metadata) = shard(folder.path(), "documents/part-00000.parquet");
    let columns = metadata.file_metadata().schema_descr().columns();
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    assert_eq!(names, ["text", "id", "dump", "url", "date", "language"]);
    let index = metadata.column_index().expect("an index of columns");
    let ColumnIndexMetaData::BYTE_ARRAY(dates) = &index[0][4] else {
        panic!("{:?}", index[0][4]);
    };
    assert_eq!(dates.min_value(0), Some(DAYS[0].as_bytes()));
    assert_eq!(dates.max_value(0), Some(DAYS[0].as_bytes()));
}

#[tokio::test]
async fn the_card_counts_the_documents_of_each_language() {
    let folder = tempfile::tempdir().expect("a folder");
    run(&Days::first(3), folder.path(), Format::FineWeb, 1_500_000).await;
    let card = std::fs::read_to_string(folder.path().join("README.md")).expect("a card");
    assert!(
        card.starts_with("---\nlanguage:\n- \"en\"\n- \"fr\"\nsize_categories:\n- 1K<n<10K\n"),
        "{card}"
    );
    assert!(card.contains("| en | 1800 |\n| fr | 300 |\n"), "{card}");
}
