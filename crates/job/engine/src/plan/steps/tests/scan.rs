use super::steps;
use crate::plan::columns::schemas::ROW_GROUPS;
use crate::plan::test_support::{ArchiveRow, TestJob, TestRow, batch, days, numbers, run, texts};

fn page(time: &str) -> ArchiveRow {
    ArchiveRow::page(time, "http://www.a.example/", "<p>Text")
}

/// A job whose archive has one object with these rows, two to a row group.
fn job(rows: &[ArchiveRow]) -> TestJob {
    let job = TestJob::new(&[]);
    job.write_object("a.parquet", rows, 2);
    job
}

#[tokio::test]
async fn rows_have_their_position_in_the_object() {
    let times = [
        "2011-10-01T00:00:00",
        "2011-10-02T00:00:00",
        "2011-10-03T00:00:00",
    ];
    let job = job(&times.map(page));
    let row_groups = [job.row_group("a.parquet", 1), job.row_group("a.parquet", 0)];
    let rows = run(&steps(&job).scan, vec![batch(&ROW_GROUPS, &row_groups)])
        .await
        .unwrap();
    assert_eq!(numbers(&rows, "row"), [Some(2), Some(0), Some(1)]);
    assert_eq!(texts(&rows, "source"), ["a.parquet"; 3]);
    assert_eq!(texts(&rows, "reason"), ["-"; 3]);
}

#[tokio::test]
async fn rows_of_other_dates_are_left_out() {
    let job = job(&["2011-09-30T23:59:59", "2011-10-01T00:00:00"].map(page));
    let row_groups = [job.row_group("a.parquet", 0)];
    let rows = run(&steps(&job).scan, vec![batch(&ROW_GROUPS, &row_groups)])
        .await
        .unwrap();
    assert_eq!(numbers(&rows, "row"), [Some(1)]);
}

#[tokio::test]
async fn a_row_without_a_time_is_quarantined_on_the_fallback_date() {
    let job = job(&[ArchiveRow {
        fetched_at: None,
        ..page("2011-10-01T00:00:00")
    }]);
    let row_group = job
        .row_group("a.parquet", 0)
        .with("fallback_date", days("2011-10-07"));
    let rows = run(&steps(&job).scan, vec![batch(&ROW_GROUPS, &[row_group])])
        .await
        .unwrap();
    assert_eq!(texts(&rows, "reason"), ["missing_time"]);
    let dates = arrow::compute::cast(
        rows.column_by_name("date").unwrap(),
        &arrow::datatypes::DataType::Utf8,
    );
    assert_eq!(
        arrow::array::AsArray::as_string::<i32>(&dates.unwrap()).value(0),
        "2011-10-07"
    );
}

#[tokio::test]
async fn a_response_that_is_not_a_page_is_quarantined() {
    let ok = page("2011-10-01T00:00:00");
    let missing = ArchiveRow {
        http_status: Some(404),
        ..ok.clone()
    };
    let image = ArchiveRow {
        content_type: Some("image/png".to_owned()),
        ..ok.clone()
    };
    let html = ArchiveRow {
        http_status: Some(200),
        content_type: Some("Text/HTML; charset=utf-8".to_owned()),
        ..ok
    };
    let job = job(&[missing, image, html]);
    let row_groups = [job.row_group("a.parquet", 0), job.row_group("a.parquet", 1)];
    let rows = run(&steps(&job).scan, vec![batch(&ROW_GROUPS, &row_groups)])
        .await
        .unwrap();
    assert_eq!(texts(&rows, "reason"), ["http_status", "content_type", "-"]);
    assert_eq!(
        texts(&rows, "detail"),
        ["the response was 404", "the response was `image/png`", "-"]
    );
}

#[tokio::test]
async fn an_object_that_cannot_be_opened_is_one_quarantined_row() {
    let job = TestJob::new(&[]);
    let object = TestRow::default()
        .with("source", "a.parquet")
        .with("object_bytes", 17)
        .with("fallback_date", days("2011-10-07"))
        .with("read_error", "not a Parquet file");
    let rows = run(&steps(&job).scan, vec![batch(&ROW_GROUPS, &[object])])
        .await
        .unwrap();
    assert_eq!(texts(&rows, "reason"), ["unreadable_object"]);
    assert_eq!(texts(&rows, "detail"), ["not a Parquet file"]);
    assert_eq!(numbers(&rows, "bytes"), [Some(17)]);
    assert_eq!(numbers(&rows, "row"), [None]);
}

#[tokio::test]
async fn the_rows_of_a_row_group_with_unreadable_times_are_quarantined() {
    let job = job(&["2011-10-01T00:00:00", "2011-10-02T00:00:00"].map(page));
    let row_group = job
        .row_group("a.parquet", 0)
        .with("read_error", "bad page header");
    let rows = run(&steps(&job).scan, vec![batch(&ROW_GROUPS, &[row_group])])
        .await
        .unwrap();
    assert_eq!(texts(&rows, "reason"), ["unreadable_row"; 2]);
    assert_eq!(
        texts(&rows, "detail"),
        ["row group 0, from row 0: bad page header"; 2]
    );
}

#[tokio::test]
async fn an_object_that_changed_since_the_census_is_an_error() {
    let job = job(&["2011-10-01T00:00:00"].map(page));
    let row_group = job.row_group("a.parquet", 0).with("object_bytes", 100);
    let error = run(&steps(&job).scan, vec![batch(&ROW_GROUPS, &[row_group])])
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("a.parquet was changed"),
        "{error}"
    );
}

#[tokio::test]
async fn a_row_group_that_does_not_exist_is_an_error() {
    let job = job(&["2011-10-01T00:00:00"].map(page));
    for row_group in [-1, 1] {
        let unit = job.row_group("a.parquet", row_group);
        let rows = run(&steps(&job).scan, vec![batch(&ROW_GROUPS, &[unit])]).await;
        let error = rows.unwrap_err().to_string();
        let expected = format!("a.parquet: it has no row group {row_group}, only 1");
        assert!(error.contains(&expected), "{error}");
    }
}
