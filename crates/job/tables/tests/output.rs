//! Commits to tables: each replaces whole partitions, once and atomically.

use crate::common;

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::Schema;
use deltalake::kernel::engine::arrow_conversion::TryIntoKernel;
use deltalake::kernel::schema::StructType;
use deltalake::operations::create::CreateBuilder;
use lease::{fence, fencing_token};
use tables::{
    MemorySpill, Output, Partitioning, Replacement, SinkSize, Table, TableError, days_from_date,
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
    change_with_token(1, output, dates, reason, transaction).await
}

async fn change_with_token(
    fencing_token: i64,
    output: &Output,
    dates: &[&str],
    reason: &str,
    transaction: (&str, i64),
) -> Result<Option<u64>, TableError> {
    let spill = Arc::new(MemorySpill::default());
    let mut sink = output.sink(Table::Quarantine, SinkSize::default(), spill);
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
        fencing_token,
    };
    output.replace(Table::Quarantine, replacement).await
}

async fn partitions(output: &Output) -> Vec<String> {
    let found = output.partitions(Table::Quarantine).await;
    found.expect("a table").into_iter().collect()
}

/// Returns the files of the current version.
async fn files(output: &Output) -> BTreeSet<String> {
    let table = output.open(Table::Quarantine).await.expect("a table");
    let table = table.expect("it was written");
    table.get_file_uris().expect("a version").collect()
}

#[tokio::test]
async fn a_change_replaces_only_its_partitions() {
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
        fencing_token: 1,
    };
    output.replace(Table::Quarantine, nothing).await.unwrap();
    assert_eq!(partitions(&output).await, ["2011-11"]);
}

#[tokio::test]
async fn a_committed_change_is_not_committed_again() {
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
async fn of_two_concurrent_changes_one_set_of_files_remains() {
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
    // If the second change read the first's version, it replaced the files of the first.
    // In either case one set of files remains.
    assert!(refused <= 1, "{first:?} {second:?}");
    assert_eq!(files(&output).await.len(), 1);
}

#[tokio::test]
async fn a_table_with_another_partitioning_is_read_and_not_written() {
    let folder = tempfile::tempdir().unwrap();
    change(
        &output(folder.path(), Partitioning::Day),
        &["2011-10-24"],
        "x",
        ("a", 1),
    )
    .await
    .unwrap();
    let by_year = output(folder.path(), Partitioning::Year);
    let opened = by_year.open(Table::Quarantine).await.unwrap().unwrap();
    let found = by_year.partitioning_of_opened(Table::Quarantine, &opened);
    assert_eq!(found.unwrap(), Partitioning::Day);
    let error = by_year.open_or_create(Table::Quarantine).await.unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, TableError::Layout { .. }) && text.contains("quarantine"),
        "{text}"
    );
}

/// The partition column of such a table is behind the others, and new columns are behind it.
#[tokio::test]
async fn a_table_of_an_earlier_version_gets_the_columns_that_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(folder.path(), Partitioning::Month);
    let schema = Table::Documents.schema(Partitioning::Month);
    let old = schema
        .fields()
        .iter()
        .filter(|field| field.name() != "markdown");
    let old = Schema::new(old.cloned().collect::<Vec<_>>());
    let old: StructType = (&old).try_into_kernel().unwrap();
    let path = folder.path().join("documents");
    std::fs::create_dir(&path).unwrap();
    let created = CreateBuilder::new().with_location(path.to_str().unwrap());
    let created = created.with_columns(old.fields().cloned());
    created.with_partition_columns(["month"]).await.unwrap();
    let opened = output.open(Table::Documents).await.unwrap().unwrap();
    let lacking = output.lacking_columns(Table::Documents, &opened).unwrap();
    assert_eq!(lacking, ["markdown"]);
    let opened = output.open_or_create(Table::Documents).await.unwrap();
    let lacking = output.lacking_columns(Table::Documents, &opened).unwrap();
    assert!(lacking.is_empty());
    let opened = output.open(Table::Documents).await.unwrap().unwrap();
    let found = opened.snapshot().unwrap().schema().num_fields();
    assert_eq!(found, schema.fields().len());
}

#[tokio::test]
async fn a_change_with_an_earlier_fencing_token_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(folder.path(), Partitioning::Day);
    let dates = ["2011-10-24"];
    fence(&output, Table::Quarantine, 4).await.unwrap();
    assert_eq!(
        fencing_token(&output, Table::Quarantine).await.unwrap(),
        None
    );
    change_with_token(4, &output, &dates, "old", ("a", 1))
        .await
        .unwrap();
    assert_eq!(
        fencing_token(&output, Table::Quarantine).await.unwrap(),
        Some(4)
    );
    let before = files(&output).await;

    fence(&output, Table::Quarantine, 6).await.unwrap();
    fence(&output, Table::Quarantine, 6).await.unwrap();
    let earlier = change_with_token(5, &output, &dates, "new", ("b", 1)).await;
    let text = earlier.unwrap_err().to_string();
    assert!(
        text.contains("token 6") && text.contains("token 5"),
        "{text}"
    );
    assert!(fence(&output, Table::Quarantine, 5).await.is_err());
    assert_eq!(files(&output).await, before);
    change_with_token(6, &output, &dates, "new", ("b", 1))
        .await
        .unwrap();
    assert_ne!(files(&output).await, before);
}

#[tokio::test]
async fn an_owner_sees_its_own_commits_and_loses_to_its_successor() {
    let folder = tempfile::tempdir().unwrap();
    let output = output(folder.path(), Partitioning::Day);
    let dates = ["2011-10-24"];
    let owned = output.owned([(Table::Quarantine, None)]);
    for transaction in ["a", "b"] {
        let made = change_with_token(4, &owned, &dates, transaction, (transaction, 1)).await;
        assert!(made.unwrap().is_some());
        let again = change_with_token(4, &owned, &dates, transaction, (transaction, 1)).await;
        assert_eq!(again.unwrap(), None, "it has this change");
        assert_eq!(files(&owned).await, files(&output).await);
    }
    change_with_token(5, &output, &dates, "new", ("c", 1))
        .await
        .unwrap();
    let before = files(&output).await;
    // It does not know the version of its successor, then it does.
    for _ in 0..2 {
        let late = change_with_token(4, &owned, &dates, "late", ("d", 1)).await;
        assert!(late.is_err());
        assert_eq!(files(&output).await, before);
    }
}
