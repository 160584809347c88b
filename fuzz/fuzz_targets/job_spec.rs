//! Parsing of job files, their overrides, and ranges of dates.
//!
//! The input is a line with a range of dates, overrides, one per line, an empty line, and
//! the job file. The modules under test are compiled from their sources, without their
//! crates. These depend on a query engine, which the target does not need and which would
//! take most of an hour to build with the flags of a sanitizer.

#![no_main]

#[allow(dead_code, reason = "the target does not use the whole module")]
#[path = "../../crates/job/tables/src/error_class.rs"]
mod error_class;
#[allow(dead_code, reason = "the target does not use the whole module")]
#[path = "../../crates/job/tables/src/partition.rs"]
mod partition;
#[path = "../../crates/job/engine/src/spec/mod.rs"]
mod spec;

use std::cell::RefCell;
use std::io::{Seek, Write};

use bytesize::ByteSize;
use error_class::{Classified, ErrorClass};
use libfuzzer_sys::fuzz_target;
use partition::{DateRange, Partitioning, date_from_days, days_from_date};
use spec::{JobSpec, SpecError};
use tempfile::NamedTempFile;

thread_local! {
    static FILE: RefCell<NamedTempFile> =
        RefCell::new(NamedTempFile::new().expect("a temporary file"));
}

fuzz_target!(|input: &str| {
    let (head, job) = input.split_once("\n\n").unwrap_or((input, ""));
    let mut lines = head.lines();
    if let Ok(range) = lines.next().unwrap_or_default().parse() {
        reads_back(range);
    }
    let overrides: Vec<_> = lines.map(str::to_owned).collect();
    FILE.with_borrow_mut(|file| {
        write(file, job).expect("the temporary file takes the job");
        match JobSpec::read(file.path(), &overrides) {
            Ok(spec) => reads_back_as_toml(file, &spec),
            Err(error @ SpecError::Unreadable { .. }) => panic!("{error}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
});

fn write(file: &mut NamedTempFile, text: &str) -> std::io::Result<()> {
    let file = file.as_file_mut();
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

/// Asserts that a printed range parses to the same range, that whole partitions cover it,
/// and that the name of a partition gives its dates.
fn reads_back(range: DateRange) {
    assert!(range.first() <= range.last());
    assert_eq!(range.to_string().parse(), Ok(range));
    for date in [range.first(), range.last()] {
        assert_eq!(date_from_days(days_from_date(date)), date);
    }
    for partitioning in [Partitioning::Day, Partitioning::Month, Partitioning::Year] {
        let covering = partitioning.covering(range);
        assert!(covering.contains(range.first()) && covering.contains(range.last()));
        assert_eq!(partitioning.covering(covering), covering);
        for date in [range.first(), range.last()] {
            let value = partitioning.value(date);
            let folder = format!("{}={value}", partitioning.column());
            assert!(!folder.contains('/'), "{folder} is one folder");
            let dates = Some(partitioning.dates(date));
            assert_eq!(partitioning.parse_value(&value), dates, "{value}");
        }
        let years = i64::from(days_from_date(range.last()) - days_from_date(range.first())) / 365;
        if years < 100 {
            let dates = covering.first().iter_days();
            let partitions =
                partitioning.containing(dates.take_while(|date| covering.contains(*date)));
            assert_eq!(
                partitions[0].through(partitions[partitions.len() - 1]),
                covering
            );
            assert!(partitions.is_sorted_by(|a, b| a.last() < b.first()));
        }
    }
}

/// Asserts that a spec that is written as TOML and read again is the same, once its paths are those of files beside it.
fn reads_back_as_toml(file: &mut NamedTempFile, spec: &JobSpec) {
    // TOML has no integers above 2^63 - 1.
    let Ok(text) = toml::to_string(spec) else {
        return;
    };
    let read = |file: &mut NamedTempFile, text: &str| {
        write(file, text).expect("the temporary file takes the job");
        JobSpec::read(file.path(), &[]).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let again = read(file, &text);
    assert_eq!(bytes(&again), bytes(spec), "{text}");
    let text = toml::to_string(&again).expect("what was read as TOML");
    assert_eq!(toml::to_string(&read(file, &text)).as_ref(), Ok(&text));
}

fn bytes(spec: &JobSpec) -> [Option<ByteSize>; 5] {
    [
        Some(spec.output.file_bytes),
        Some(spec.run.memory_limit),
        Some(spec.run.spill_limit),
        Some(spec.run.chunk_bytes),
        spec.limits.page_bytes,
    ]
}
