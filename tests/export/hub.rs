//! Exports for Hugging Face: the flat columns of FineWeb, and a card with counts.

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float64Type};

use super::{expected, exported, job, parquet_rows, shards};
use crate::support::text;

const COLUMNS: [&str; 8] = [
    "text",
    "id",
    "dump",
    "url",
    "date",
    "file_path",
    "language",
    "language_score",
];

fn names(batch: &arrow::array::RecordBatch) -> Vec<String> {
    let schema = batch.schema();
    schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect()
}

#[test]
fn documents_have_the_columns_of_fineweb_that_can_be_filled() {
    let job = job();
    let words = ["--source", "my-crawl", "--shard-size", "60KB"];
    let folder = exported(&job, "fineweb", "out", &words);
    assert!(shards(&folder).len() > 2);
    let mut found = Vec::new();
    for batch in parquet_rows(&folder) {
        assert_eq!(names(&batch), COLUMNS);
        for name in &COLUMNS[..7] {
            assert_eq!(batch[name].data_type(), &DataType::Utf8, "{name}");
        }
        let column = |name: &str| batch[name].as_string::<i32>().clone();
        let (ids, texts) = (column("id"), column("text"));
        let pairs = ids.iter().flatten().zip(texts.iter().flatten());
        found.extend(pairs.map(|(id, text)| (id.to_owned(), text.to_owned())));
        assert!(column("dump").iter().all(|dump| dump == Some("my-crawl")));
        assert!(
            column("date")
                .iter()
                .flatten()
                .all(|date| date.starts_with("2011-10-"))
        );
        // The archive has no column `warc_file`.
        assert_eq!(column("file_path").null_count(), batch.num_rows());
        let scores = batch["language_score"].as_primitive::<Float64Type>();
        assert_eq!(scores.null_count(), column("language").null_count());
    }
    assert_eq!(found, expected(&job, "text"));
}

#[test]
fn a_query_fills_other_columns_and_adds_its_own() {
    let job = job();
    let query = "SELECT document_id AS id, text, url, fetched_at AS date, 'crawl-7' AS dump, title, \
                 CAST(content_chars AS BIGINT) AS token_count FROM documents WHERE text <> ''";
    let folder = exported(&job, "fineweb", "out", &["--query", query]);
    let batches = parquet_rows(&folder);
    let expected = ["text", "id", "dump", "url", "date", "token_count", "title"];
    assert_eq!(names(&batches[0]), expected);
    assert_eq!(batches[0]["dump"].as_string::<i32>().value(0), "crawl-7");
    let card = std::fs::read_to_string(folder.join("README.md")).expect("a card");
    assert!(!card.contains("No tokenizer"), "{card}");
}

#[test]
fn the_card_has_the_counts_of_the_documents() {
    let job = job();
    let rows = job.rows(
        "SELECT language, count(*) AS documents FROM documents \
         WHERE status = 'unique' AND text <> '' AND language IS NOT NULL GROUP BY language ORDER BY language",
    );
    for format in ["fineweb", "jsonl.zst", "parquet"] {
        let folder = exported(&job, format, format, &["--shard-size", "60KB"]);
        let card = std::fs::read_to_string(folder.join("README.md")).expect("a card");
        assert!(
            card.contains("size_categories:\n- n<1K\n"),
            "{format}: {card}"
        );
        assert!(card.contains(": 25 documents in "), "{format}: {card}");
        for row in &rows {
            let language = text(row, "language");
            assert!(
                card.contains(&format!("- \"{language}\"\n")),
                "{format}: {card}"
            );
            let count = format!("| {language} | {} |\n", row["documents"]);
            assert!(card.contains(&count), "{format}: {card}");
        }
        assert!(!rows.is_empty());
    }
}
