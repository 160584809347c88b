//! Changes to tables: whole partitions, once, and all or nothing.

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use tables::{
    Claim, ClaimState, Output, Partitioning, Replacement, SinkSize, Table, TableError,
    days_from_date,
};

use common::output;

fn rows(dates: &[&str], reason: &str) -> RecordBatch {
    let day = |date: &&str| days_from_date(date.parse().expect("a date"));
    let reasons: ArrayRef = Arc::new(StringArray::from(vec![reason; dates.len()]));
    common::rows(dates.iter().map(day).collect(), &reasons)
}

async fn change(
    output: &Output,
    dates: &[&str],
    reason: &str,
    transaction: (&str, i64),
) -> Result<Option<u64>, TableError> {
    change_under(1, output, dates, reason, transaction).await
}

async fn change_under(
    claim: i64,
    output: &Output,
    dates: &[&str],
    reason: &str,
    transaction: (&str, i64),
) -> Result<Option<u64>, TableError> {
    let mut sink = output.sink(Table::Quarantine, SinkSize::default());
    sink.write(&rows(dates, reason))
        .await
        .expect("a store that works");
    let replacement = Replacement {
        partitions: dates
            .iter()
            .map(|date| output.partitioning().value(date.parse().expect("a date")))
            .collect(),
        files: sink.close().await.expect("a store that works"),
        transaction: transaction.0.to_owned(),
        transaction_version: transaction.1,
        claim,
    };
    output.replace(Table::Quarantine, replacement).await
}

async fn partitions(output: &Output) -> Vec<String> {
    let found = output.partitions(Table::Quarantine).await;
    found.expect("a table").into_iter().collect()
}

/// Files that the current version names.
async fn files(output: &Output) -> BTreeSet<String> {
    let table = output.open(Table::Quarantine).await.expect("a table");
    let table = table.expect("it was written");
    table.get_file_uris().expect("a version").collect()
}

#[tokio::test]
async fn a_change_replaces_its_partitions_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(folder.path(), Partitioning::Day);
    assert!(output.open(Table::Quarantine).await.unwrap().is_none());
    change(&output, &["2011-10-24", "2011-10-25"], "old", ("a", 1))
        .await
        .unwrap();
    let before = files(&output).await;
    change(&output, &["2011-10-25"], "new", ("a", 2))
        .await
        .unwrap();
    let after = files(&output).await;
    assert_eq!(partitions(&output).await, ["2011-10-24", "2011-10-25"]);
    assert_eq!(before.len(), 2);
    assert_eq!(after.len(), 2);
    let kept: Vec<_> = before.intersection(&after).collect();
    assert!(
        kept.len() == 1 && kept[0].contains("date=2011-10-24"),
        "{kept:?}"
    );
}

#[tokio::test]
async fn a_change_without_files_empties_its_partitions() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(folder.path(), Partitioning::Month);
    change(&output, &["2011-10-24", "2011-11-02"], "old", ("a", 1))
        .await
        .unwrap();
    let nothing = Replacement {
        partitions: BTreeSet::from(["2011-10".to_owned()]),
        files: Vec::new(),
        transaction: "a".to_owned(),
        transaction_version: 2,
        claim: 1,
    };
    output.replace(Table::Quarantine, nothing).await.unwrap();
    assert_eq!(partitions(&output).await, ["2011-11"]);
}

#[tokio::test]
async fn a_change_that_is_in_the_table_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(folder.path(), Partitioning::Day);
    let first = change(&output, &["2011-10-24"], "x", ("a", 7))
        .await
        .unwrap();
    let again = change(&output, &["2011-10-24"], "x", ("a", 7))
        .await
        .unwrap();
    let next = change(&output, &["2011-10-24"], "x", ("a", 8))
        .await
        .unwrap();
    assert_eq!((first, again, next), (Some(1), None, Some(2)));
}

#[tokio::test]
async fn of_two_changes_of_one_partition_at_once_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(folder.path(), Partitioning::Day);
    change(&output, &["2011-10-24"], "old", ("a", 1))
        .await
        .unwrap();
    let (first, second) = tokio::join!(
        change(&output, &["2011-10-24"], "first", ("b", 1)),
        change(&output, &["2011-10-24"], "second", ("c", 1)),
    );
    let refused = [&first, &second]
        .iter()
        .filter(|done| done.is_err())
        .count();
    // Where the second saw the first's version, it replaced it: one set of
    // files is there either way, never both.
    assert!(refused <= 1, "{first:?} {second:?}");
    assert_eq!(files(&output).await.len(), 1);
}

#[tokio::test]
async fn tables_of_another_partitioning_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    change(
        &output(folder.path(), Partitioning::Day),
        &["2011-10-24"],
        "x",
        ("a", 1),
    )
    .await
    .unwrap();
    let error = output(folder.path(), Partitioning::Year)
        .open(Table::Quarantine)
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, TableError::Layout { .. }) && text.contains("quarantine"),
        "{text}"
    );
}

#[tokio::test]
async fn a_change_under_an_earlier_claim_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(folder.path(), Partitioning::Day);
    let dates = ["2011-10-24"];
    output.fence(Table::Quarantine, 4).await.unwrap();
    assert_eq!(output.claim_of(Table::Quarantine).await.unwrap(), None);
    change_under(4, &output, &dates, "old", ("a", 1))
        .await
        .unwrap();
    assert_eq!(output.claim_of(Table::Quarantine).await.unwrap(), Some(4));
    let before = files(&output).await;

    output.fence(Table::Quarantine, 6).await.unwrap();
    output.fence(Table::Quarantine, 6).await.unwrap();
    let earlier = change_under(5, &output, &dates, "new", ("b", 1)).await;
    let text = earlier.unwrap_err().to_string();
    assert!(
        text.contains("claim 6") && text.contains("claim 5"),
        "{text}"
    );
    assert!(output.fence(Table::Quarantine, 5).await.is_err());
    assert_eq!(files(&output).await, before);
    change_under(6, &output, &dates, "new", ("b", 1))
        .await
        .unwrap();
    assert_ne!(files(&output).await, before);
}

fn claim(id: &str) -> Claim {
    Claim {
        id: id.to_owned(),
        purpose: "a test".to_owned(),
        request: None,
        host: "here".to_owned(),
        process: 1,
        taken_at: "now".to_owned(),
        heartbeat_ms: 1,
        beat: 0,
        state: ClaimState::Running,
    }
}

#[tokio::test]
async fn a_number_is_given_to_one_claim_alone() {
    let folder = tempfile::tempdir().unwrap();
    let claims = output(folder.path(), Partitioning::Day).claims();
    assert_eq!(claims.last().await.unwrap(), None);
    let (mine, theirs) = (claim("mine"), claim("theirs"));
    let (first, second) = tokio::join!(claims.create(1, &mine), claims.create(1, &theirs));
    assert_ne!(first.unwrap(), second.unwrap());
    // As after an answer that was lost.
    let owner = claims.last().await.unwrap().unwrap().claim;
    assert!(claims.create(1, &owner).await.unwrap());
    assert!(claims.create(2, &mine).await.unwrap());
    assert!(!claims.create(2, &theirs).await.unwrap());

    let finished = Claim {
        state: ClaimState::Finished,
        ..mine
    };
    claims.write(2, &finished).await.unwrap();
    claims.remove_before(2).await.unwrap();
    let last = claims.last().await.unwrap().unwrap();
    assert_eq!((last.number, last.claim), (2, finished));
}
