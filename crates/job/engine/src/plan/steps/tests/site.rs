use super::steps;
use crate::plan::columns::labels::labels_of;
use crate::plan::columns::page::PageOutline;
use crate::plan::columns::schemas::BLOCKED;
use crate::plan::columns::status::Phase;
use crate::plan::exec::step::to_bytes;
use crate::plan::test_support::{
    TestJob, TestRow, batch, days, micros, nulls, numbers, run, sorted_for, statuses, texts,
};

/// A page of `domain` with these blocks.
fn page(domain: &str, time: &str, blocks: &[&str]) -> TestRow {
    let hash = |block: &&str| {
        let mut hash = [0; 16];
        hash[..block.len()].copy_from_slice(block.as_bytes());
        hash
    };
    let hashes: Vec<[u8; 16]> = blocks.iter().map(hash).collect();
    let outline = PageOutline {
        layout: None,
        lengths: Some(blocks.iter().map(|block| block.len()).collect()),
    };
    TestRow::default()
        .with("source", "a.parquet")
        .with("row", micros(time) - micros("2011-10-01T00:00:00"))
        .with("date", days(&time[..10]))
        .with("fetched_at", micros(time))
        .with("url", format!("http://{domain}/{time}").as_str())
        .with("domain", domain)
        .with("url_key", format!("{domain}/{time}").as_str())
        .with("status", "unique")
        .with("batch", days(&time[..10]))
        .with("phase", i64::from(Phase::Page as i32))
        .with("page", to_bytes(&outline).unwrap())
        .with("hashes", hashes.concat())
}

/// A row that is not a page.
fn passing(time: &str, status: &str) -> TestRow {
    TestRow::default()
        .with("source", "a.parquet")
        .with("row", 0)
        .with("date", days(&time[..10]))
        .with("status", status)
        .with("batch", 0)
        .with("phase", i64::from(Phase::PassThrough as i32))
}

/// The labels of each row: `B` for boilerplate, `C` for content.
fn labels(rows: &arrow::array::RecordBatch) -> Vec<String> {
    let is_null = nulls(rows, "labels");
    let of_row = |row: usize| match is_null[row] {
        true => "-".to_owned(),
        false => {
            let labels = labels_of(rows, &[row as u32]).unwrap();
            let labels = labels[0].is_content.iter();
            labels
                .map(|is_content| if *is_content { 'C' } else { 'B' })
                .collect()
        }
    };
    (0..rows.num_rows()).map(of_row).collect()
}

async fn replayed(settings: &[&str], rows: &[TestRow]) -> arrow::array::RecordBatch {
    let step = steps(&TestJob::new(settings)).site;
    let rows = sorted_for(&step, &batch(&BLOCKED, rows));
    run(&step, vec![rows]).await.unwrap()
}

const STRICT: &str = "paper.heuristic=strict-at-domain";

#[tokio::test]
async fn a_block_that_pages_share_is_boilerplate() {
    let rows = [
        page("a.example", "2011-10-01T00:00:00", &["menu", "one"]),
        page("a.example", "2011-10-01T01:00:00", &["menu", "two"]),
        page("b.example", "2011-10-01T00:00:00", &["menu", "other"]),
    ];
    let rows = replayed(&[STRICT], &rows).await;
    assert_eq!(
        labels(&rows),
        ["BC", "BC", "CC"],
        "domains are replayed apart"
    );
}

#[tokio::test]
async fn rows_and_ordinals_are_in_the_order_of_the_input() {
    let pages: Vec<TestRow> = (0..9)
        .map(|hour| {
            let host = ["a.example", "b.example"][hour % 2];
            page(host, &format!("2011-10-0{}T00:00:00", hour + 1), &["menu"])
        })
        .collect();
    let rows = replayed(&[STRICT], &pages).await;
    assert_eq!(
        texts(&rows, "domain"),
        [["a.example"; 5].as_slice(), &["b.example"; 4]].concat()
    );
    let ordinals: Vec<i64> = numbers(&rows, "ordinal").into_iter().flatten().collect();
    assert_eq!(ordinals, [0, 1, 2, 3, 4, 0, 1, 2, 3]);
}

#[tokio::test]
async fn a_page_is_labelled_with_its_batch_and_not_with_later_ones() {
    let rows = [
        page("a.example", "2011-10-01T00:00:00", &["menu", "one"]),
        page("a.example", "2011-10-02T00:00:00", &["menu", "two"]),
    ];
    let by_date = replayed(&[STRICT], &rows).await;
    assert_eq!(labels(&by_date), ["CC", "BC"]);
}

#[tokio::test]
async fn window_entries_count_and_are_not_emitted() {
    let entry = page("a.example", "2011-09-30T00:00:00", &["menu"])
        .with("phase", i64::from(Phase::WindowEntry as i32))
        .with("batch", i64::MIN / 2 + 41)
        .with("row", 41);
    let rows = [
        page("a.example", "2011-10-01T00:00:00", &["menu", "one"]),
        entry,
    ];
    let rows = replayed(&[STRICT], &rows).await;
    assert_eq!(labels(&rows), ["BC"]);
    assert_eq!(numbers(&rows, "ordinal"), [Some(42)], "ordinals continue");
}

#[tokio::test]
async fn quarantined_rows_and_duplicates_pass_through() {
    let rows = [
        passing("2011-10-01T00:00:00", "quarantined"),
        passing("2011-10-01T00:00:00", "duplicate").with("domain", "a.example"),
        page("a.example", "2011-10-01T00:00:00", &["one"]),
    ];
    let rows = replayed(&[STRICT], &rows).await;
    assert_eq!(rows.num_rows(), 3);
    let mut statuses = statuses(&rows);
    statuses.sort_unstable();
    assert_eq!(statuses, ["duplicate", "quarantined", "unique"]);
    assert_eq!(
        labels(&rows).iter().filter(|labels| *labels == "-").count(),
        2
    );
}

#[tokio::test]
async fn a_candidate_without_new_text_is_a_duplicate() {
    let rows = [
        page("a.example", "2011-10-01T00:00:00", &["one"]),
        page("a.example", "2011-10-01T01:00:00", &["one"]).with("status", "revision_candidate"),
    ];
    let rows = replayed(&["dedup.revisions=true"], &rows).await;
    assert_eq!(statuses(&rows), ["unique", "duplicate"]);
}

#[tokio::test]
async fn hashes_of_a_wrong_length_are_an_error() {
    let row = page("a.example", "2011-10-01T00:00:00", &["one"]).with("hashes", vec![1, 2, 3]);
    let step = steps(&TestJob::new(&[STRICT])).site;
    let error = run(&step, vec![batch(&BLOCKED, &[row])]).await.unwrap_err();
    assert!(error.to_string().contains("3 bytes"), "{error}");
}
