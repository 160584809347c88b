//! Plans that are serialised and made again write the same rows.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::datatypes::Schema;
use arrow::util::pretty::pretty_format_batches;
use datafusion::config::ConfigOptions;
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::{
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use tables::{DateRange, Partitioning, Table};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::driver::backfill::{Accepted, backfill};
use crate::plan::session::session;
use crate::plan::test_support::{ArchiveRow, TestJob};
use crate::progress::Unwatched;
use crate::session_extension::SessionExtension;
use crate::tables_state::delta_scan;

/// Serialises each plan when it is finished, and runs what was made of the bytes.
struct Travel {
    there: SessionContext,
    plans: AtomicUsize,
    /// Bytes of the largest plan.
    bytes: AtomicUsize,
}

impl Travel {
    /// Serialises a plan, and makes it again, with a stack that suffices for a debug build.
    fn travelled(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let travel = || {
            let bytes = physical_plan_to_bytes_with_extension_codec(Arc::clone(plan), &StepCodec)?;
            self.bytes.fetch_max(bytes.len(), Ordering::Relaxed);
            let context = self.there.task_ctx();
            physical_plan_from_bytes_with_extension_codec(&bytes, &context, &StepCodec)
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(64 << 20);
            thread.spawn_scoped(scope, travel).unwrap().join().unwrap()
        })
    }
}

impl fmt::Debug for Travel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Travel({:?})", self.plans)
    }
}

/// The names of the operators of a plan. A union that is made again casts its inputs to nullable
/// columns, so projections do not count.
fn operators(plan: &Arc<dyn ExecutionPlan>) -> Vec<String> {
    let text = displayable(plan.as_ref()).indent(false).to_string();
    let names = text
        .lines()
        .filter_map(|line| line.trim().split([':', ' ']).next());
    let names = names.filter(|name| *name != "ProjectionExec");
    names.map(str::to_owned).collect()
}

#[derive(Debug)]
struct TravelRule(Arc<Travel>);

impl PhysicalOptimizerRule for TravelRule {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let made = self.0.travelled(&plan)?;
        assert_eq!(operators(&made), operators(&plan));
        self.0.plans.fetch_add(1, Ordering::Relaxed);
        Ok(made)
    }

    fn name(&self) -> &str {
        "travel"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct TravelExtension(Arc<Travel>);

impl SessionExtension for TravelExtension {
    fn extend(&self, session: SessionStateBuilder) -> Result<SessionStateBuilder> {
        let rule = Arc::new(TravelRule(Arc::clone(&self.0)));
        Ok(session.with_physical_optimizer_rule(rule))
    }
}

/// Pages of two sites on each date: one has articles, and old ones again; in the
/// other, the parameter `mark` is noise.
fn write_dates(job: &TestJob, dates: &[&str]) {
    for (day, date) in dates.iter().enumerate() {
        let mut rows = Vec::new();
        for number in 0..12 {
            let article = format!("<body><p>Menu</p><p>Article {number} of {date}, at length</p>");
            let url = format!("http://a.example/{date}/{number}");
            let time = format!("{date}T01:00:{number:02}");
            rows.push(ArchiveRow::page(&time, &url, &article));
            let subject = ["tea", "rain", "trains", "maps", "stones", "bees"][number % 6];
            let place = ["Rome", "Ghent"][number / 6];
            let said = format!("What everybody has to say about {subject} in {place}. ");
            let thread = format!(
                "<title>{subject} in {place}</title><body><p>Menu</p><h1>{subject}</h1><p>{}</p>\
                 <p>More of {subject} in {place}</p><p>The end of {subject}</p>",
                said.repeat(6)
            );
            let url = format!("http://b.example/t/{number}-x?mark={day}{number}");
            rows.push(ArchiveRow::page(&time, &url, &thread));
        }
        let again = format!("http://a.example/{}/3", dates[0]);
        rows.push(ArchiveRow::page(
            &format!("{date}T02:00:00"),
            &again,
            "<p>Late</p>",
        ));
        rows.push(ArchiveRow::page(
            &format!("{date}T03:00:00"),
            "no url",
            "<p>Lost</p>",
        ));
        job.write_object(&format!("{date}.parquet"), &rows, 5);
    }
}

/// Runs each of `runs`. Returns the rows of all tables, sorted, and the number of plans that
/// travelled.
async fn tables(settings: &[&str], runs: &[&str], travels: bool) -> (Vec<String>, usize) {
    let test = TestJob::new(settings);
    let dates = [
        "2011-09-29",
        "2011-09-30",
        "2011-10-01",
        "2011-10-02",
        "2011-10-03",
        "2011-10-04",
        "2011-10-05",
        "2011-10-06",
    ];
    write_dates(&test, &dates);
    let mut job = test.job();
    // Where a plan arrives, the partitions that the driver has found or chosen are not known.
    let there = Job {
        output: job.output.clone().partitioned_by(Partitioning::Day),
        ..job.clone()
    };
    let travel = Arc::new(Travel {
        there: session(&there).unwrap(),
        plans: AtomicUsize::new(0),
        bytes: AtomicUsize::new(0),
    });
    if travels {
        let extension = TravelExtension(Arc::clone(&travel));
        job = job.with_session_extension(Arc::new(extension));
    }
    for dates in runs {
        let (unwatched, stop) = (Arc::new(Unwatched), CancellationToken::new());
        let dates = dates.parse().unwrap();
        backfill(&job, dates, Accepted::default(), unwatched, &stop)
            .await
            .unwrap();
    }
    let mut tables = Vec::new();
    let dates = DateRange::between(dates[0].parse().unwrap(), dates[7].parse().unwrap());
    for table in [
        Table::UrlKeys,
        Table::Documents,
        Table::Quarantine,
        Table::WindowEntries,
        Table::UrlParameters,
    ] {
        let rows = match job.output.open(table).await.unwrap() {
            Some(opened) => {
                let ranges = [dates];
                let rows = delta_scan::rows(&job.output, &opened, table, &ranges);
                rows.await.unwrap()
            }
            None => Vec::new(),
        };
        let rows = pretty_format_batches(&rows).unwrap().to_string();
        let mut rows: Vec<&str> = rows.lines().collect();
        rows.sort_unstable();
        tables.push(rows.join("\n"));
    }
    (tables, travel.plans.load(Ordering::Relaxed))
}

async fn assert_same_tables(settings: &[&str], runs: &[&str]) -> Vec<String> {
    let (here, _) = tables(settings, runs, false).await;
    let (there, plans) = tables(settings, runs, true).await;
    assert_eq!(there, here);
    assert!(plans >= runs.len(), "{plans} plans travelled");
    here
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_of_plans_that_travel_writes_the_same_rows() {
    let tables = assert_same_tables(&[], &["2011-09-29..2011-10-06"]).await;
    assert!(tables[0].contains("learned_parameter"), "{}", tables[4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_that_travel_write_the_partitions_of_their_tables() {
    assert_same_tables(&["output.partition=year"], &["2011-01-01..2011-12-31"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nights_of_plans_that_travel_write_the_same_rows() {
    let nights = [
        "2011-09-29",
        "2011-09-30",
        "2011-10-01",
        "2011-10-02",
        "2011-10-03",
        "2011-10-04",
        "2011-10-05",
        "2011-10-06",
    ];
    let tables = assert_same_tables(&["output.write=blocks"], &nights).await;
    assert!(tables[0].contains("learned_parameter"), "{}", tables[4]);
    let tables = assert_same_tables(&["paper.lookback=window"], &nights);
    let tables = tables.await;
    assert!(tables[0].contains("duplicate"), "{}", tables[0]);
}

#[test]
fn an_operator_of_another_crate_is_refused() {
    let mut bytes = Vec::new();
    let empty = datafusion::physical_plan::empty::EmptyExec::new(Arc::new(Schema::empty()));
    let plan: Arc<dyn ExecutionPlan> = Arc::new(empty);
    let converter = datafusion_proto::physical_plan::DefaultPhysicalProtoConverter {};
    let refused = StepCodec.try_encode(plan, &mut bytes, &converter);
    assert!(refused.unwrap_err().to_string().contains("EmptyExec"));
}

/// Runs two dates of one site, the second of which has `pages` pages. Returns the bytes of the largest plan.
async fn plan_bytes(pages: usize) -> usize {
    let test = TestJob::new(&[]);
    for (date, pages) in [("2011-10-01", 5), ("2011-10-02", pages)] {
        let page = |number: usize| {
            let time = format!("{date}T01:{:02}:{:02}", number / 60, number % 60);
            let url = format!("http://a.example/{date}/{number}");
            ArchiveRow::page(&time, &url, "<p>Menu</p><p>An article</p>")
        };
        let rows: Vec<ArchiveRow> = (0..pages).map(page).collect();
        test.write_object(&format!("{date}.parquet"), &rows, pages);
    }
    let mut job = test.job();
    let travel = Arc::new(Travel {
        there: session(&job).unwrap(),
        plans: AtomicUsize::new(0),
        bytes: AtomicUsize::new(0),
    });
    job = job.with_session_extension(Arc::new(TravelExtension(Arc::clone(&travel))));
    for date in ["2011-10-01", "2011-10-02"] {
        let (unwatched, stop) = (Arc::new(Unwatched), CancellationToken::new());
        let dates = date.parse().unwrap();
        backfill(&job, dates, Accepted::default(), unwatched, &stop)
            .await
            .unwrap();
    }
    let keys = std::path::Path::new(&test.path()).join("tables/_keys");
    let left = keys.read_dir().unwrap().count();
    assert_eq!(left, 0, "an object with keys is left");
    travel.bytes.load(Ordering::Relaxed)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bytes_of_a_plan_do_not_depend_on_its_rows() {
    let (few, many) = (plan_bytes(10).await, plan_bytes(2000).await);
    assert!(many < few + 100, "{few} and {many} bytes");
}
