//! Exports of rows in memory: the cuts of shards, and exports that fail on the way.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use export::{Existing, ExportError, Format, Part, Report, Request, Rows, Source, export};
use futures::StreamExt;
use tables::{DateRange, Location};

const FORMATS: [Format; 6] = [
    Format::JsonLines,
    Format::JsonLinesZstd,
    Format::JsonLinesGzip,
    Format::Parquet,
    Format::FineWeb,
    Format::Wet,
];

/// Documents of three dates, of which the second has none, in batches of a size.
struct Documents {
    parts: Vec<Part>,
    batch: usize,
    /// Fails after so many rows of a part.
    fails_after: Option<usize>,
}

fn day(text: &str) -> DateRange {
    text.parse().expect("a date")
}

impl Documents {
    fn of(batch: usize) -> Self {
        let days = ["2011-10-24", "2011-10-25", "2011-10-26"];
        Self {
            parts: days.into_iter().map(|of| Part::Dates(day(of))).collect(),
            batch,
            fails_after: None,
        }
    }

    fn rows_of(&self, part: Part) -> RecordBatch {
        let rows: Vec<i64> = match part {
            Part::Dates(dates) if dates == day("2011-10-24") => (0..700).collect(),
            Part::Dates(dates) if dates == day("2011-10-26") => (700..1000).collect(),
            _ => Vec::new(),
        };
        let texts = |of: &dyn Fn(i64) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(
                rows.iter().map(|row| of(*row)),
            ))
        };
        // Texts that compress to a third.
        let words = |row: i64| {
            let word = |number: i64| {
                let mixed = (number + 1).wrapping_mul(0x2545_f491_4f6c_dd1d);
                format!("{:x} ", (mixed ^ mixed >> 29).unsigned_abs() >> 47)
            };
            (0..60 + row % 40)
                .map(|number| word(row * 31 + number))
                .collect()
        };
        let times = rows.iter().map(|row| 1_319_414_400_000_000 + row);
        let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
        let columns: [(&str, ArrayRef); 5] = [
            ("url", texts(&|row| format!("http://a.example/{row}"))),
            ("row", Arc::new(Int64Array::from(rows.clone()))),
            ("id", texts(&|row| format!("{row:032x}"))),
            ("date", Arc::new(times)),
            ("text", texts(&words)),
        ];
        RecordBatch::try_from_iter(columns).expect("columns of one length")
    }
}

impl Source for Documents {
    type Error = io::Error;

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    async fn rows(&self, part: Part) -> Result<Rows<io::Error>, io::Error> {
        let rows = self.rows_of(part);
        let end = self
            .fails_after
            .map_or(rows.num_rows(), |end| end.min(rows.num_rows()));
        let starts = (0..end).step_by(self.batch);
        let batch = |start: usize| Ok(rows.slice(start, self.batch.min(end - start)));
        let mut batches: Vec<Result<RecordBatch, io::Error>> = starts.map(batch).collect();
        if self.fails_after.is_some_and(|end| end < rows.num_rows()) {
            batches.push(Err(io::Error::from(io::ErrorKind::ConnectionReset)));
        }
        Ok(Rows {
            schema: rows.schema(),
            batches: futures::stream::iter(batches).boxed(),
        })
    }
}

async fn run(source: &Documents, folder: &Path, format: Format) -> Result<Report, ExportError> {
    let request = Request {
        format,
        documents_of: BTreeMap::new(),
        source: "test".to_owned(),
        shard_bytes: 40_000,
        tables: BTreeMap::new(),
        written_by: "test".to_owned(),
    };
    let output = Location::parse(&folder.display().to_string()).expect("a path");
    export(source, &output, &request, Existing::Keep).await
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for below in ["", "documents"] {
        for entry in std::fs::read_dir(folder.join(below)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let name = path.file_name().expect("a name").to_string_lossy();
                let bytes = std::fs::read(&path).expect("a file");
                found.insert(name.into_owned(), bytes);
            }
        }
    }
    found
}

#[tokio::test]
async fn shards_do_not_depend_on_the_batches_of_a_query() {
    for format in FORMATS {
        let folder = tempfile::tempdir().expect("a folder");
        let mut expected = None;
        for batch in [1000, 1, 7, 300] {
            let output = folder.path().join(batch.to_string());
            let report = run(&Documents::of(batch), &output, format)
                .await
                .expect("an export");
            assert_eq!(report.manifest.documents, 1000);
            assert!(
                report.manifest.shards.len() > 2,
                "{format}: {:?}",
                report.manifest
            );
            for shard in &report.manifest.shards {
                // One document, or group of Parquet, or block of a compressor more.
                assert!(shard.bytes < 3 * 40_000 + 40_000, "{format}: {shard:?}");
            }
            let found = files(&output);
            let expected = expected.get_or_insert_with(|| found.clone());
            assert!(found == *expected, "{format}, batches of {batch}");
        }
    }
}

#[tokio::test]
async fn an_export_that_fails_continues_with_the_same_bytes() {
    for format in FORMATS {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = folder.path().join("whole");
        run(&Documents::of(100), &whole, format)
            .await
            .expect("an export");
        let output = folder.path().join("failed");
        for fails_after in [0, 299, 650] {
            let failing = Documents {
                fails_after: Some(fails_after),
                ..Documents::of(50)
            };
            let error = run(&failing, &output, format).await.expect_err("a failure");
            assert!(matches!(error, ExportError::Source(_)), "{error}");
        }
        let report = run(&Documents::of(130), &output, format)
            .await
            .expect("an export");
        assert!(report.kept_shards > 0, "{format}");
        assert!(files(&output) == files(&whole), "{format}");
    }
}

#[tokio::test]
async fn a_shard_that_is_damaged_or_gone_is_written_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    run(&Documents::of(100), &whole, Format::JsonLines)
        .await
        .expect("an export");
    for damage in [0, 1] {
        let output = folder.path().join(damage.to_string());
        let failing = Documents {
            fails_after: Some(650),
            ..Documents::of(50)
        };
        run(&failing, &output, Format::JsonLines)
            .await
            .expect_err("a failure");
        let shard = output.join("documents/part-00001.jsonl");
        match damage {
            0 => std::fs::remove_file(&shard).expect("a shard"),
            _ => std::fs::write(&shard, "cut").expect("a shard"),
        }
        // Left by a process that was killed, and by no export.
        std::fs::write(output.join("documents/part-00009.jsonl#1"), "cut").expect("a file");
        let report = run(&Documents::of(100), &output, Format::JsonLines).await;
        assert_eq!(report.expect("an export").kept_shards, 1);
        assert!(files(&output) == files(&whole));
    }
}
