//! Values that several tests use.

use crawl_index::Record;
use proptest::prelude::*;

/// 2011-10-24, 12:00.
pub(crate) const NOON: i64 = 1_319_457_600;

/// A page of a site.
pub(crate) fn page(url: &str) -> Record {
    Record {
        url: Some(url.to_owned()),
        time: Some(NOON),
        mime: Some("text/html".to_owned()),
        status: Some(200),
        digest: None,
        file: Some("a.warc.gz".to_owned()),
        offset: Some(0),
        length: Some(100),
    }
}

/// A record at a place.
pub(crate) fn at(file: &str, offset: u64, length: u64) -> Record {
    Record {
        file: Some(file.to_owned()),
        offset: Some(offset),
        length: Some(length),
        ..page(&format!("http://example.com/{offset}"))
    }
}

/// Records of three files: some overlap, are empty, have no place, or end beyond the largest file.
pub(crate) fn records() -> impl Strategy<Value = Vec<Record>> {
    let offset = prop_oneof![8 => 0..4000_u64, 1 => (i64::MAX as u64 - 50)..=u64::MAX];
    let record = (
        0..3_u8,
        prop::option::weighted(0.95, offset),
        0..120_u64,
        0..2_u8,
    );
    let record = record.prop_map(|(file, offset, length, url)| Record {
        offset,
        file: Some(format!("{file}.warc.gz")),
        length: Some(length),
        ..page(&format!("http://example.com/{url}"))
    });
    prop::collection::vec(record, 0..80)
}
