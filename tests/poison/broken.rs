//! Text columns whose bytes are not UTF-8. Arrow does not write such files, but other
//! writers do.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::SITE;
use crate::support::{Job, micros, text};

const SCHEMA: &str = "message archive {
    required int64 fetched_at (TIMESTAMP(MICROS, true));
    required binary url (STRING);
    required binary title (UTF8);
    required binary html;
}";

/// Half of a surrogate pair, and bytes that never occur in UTF-8.
const BROKEN: &[u8] = b"\xed\xa0\x80\xff\xfe";

struct Written {
    url: Vec<u8>,
    title: Vec<u8>,
}

fn write(path: &Path, rows: &[Written]) {
    let schema = Arc::new(parse_message_type(SCHEMA).expect("a schema"));
    let file = File::create(path).expect("the file can be made");
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(file, schema, properties).expect("a writer");
    let mut group = writer.next_row_group().expect("a row group");
    let mut column = group.next_column().expect("fetched_at").expect("a column");
    let times = vec![micros("2011-10-01T12:00:00"); rows.len()];
    let written = column.typed::<Int64Type>().write_batch(&times, None, None);
    assert_eq!(written.expect("times"), rows.len());
    column.close().expect("a column");
    let bytes = |of: fn(u64, &Written) -> Vec<u8>| -> Vec<ByteArray> {
        ((0..).zip(rows))
            .map(|(number, row)| of(number, row).into())
            .collect()
    };
    for values in [
        bytes(|_, row| row.url.clone()),
        bytes(|_, row| row.title.clone()),
        bytes(|number, _| SITE.html(number).into_bytes()),
    ] {
        let mut column = group.next_column().expect("text").expect("a column");
        let written = column
            .typed::<ByteArrayType>()
            .write_batch(&values, None, None);
        assert_eq!(written.expect("values"), rows.len());
        column.close().expect("a column");
    }
    group.close().expect("a row group");
    writer.close().expect("the footer can be written");
}

#[test]
fn invalid_utf_8_affects_only_its_own_row() {
    let mut rows: Vec<Written> = (0..40)
        .map(|number| Written {
            url: SITE.url(number).into_bytes(),
            title: b"title".to_vec(),
        })
        .collect();
    rows[20].url.extend_from_slice(BROKEN);
    rows[30].title.extend_from_slice(BROKEN);
    let job = Job::new().with("paper.title=feed");
    write(&job.archive("pages.parquet"), &rows);
    job.backfill("2011-10-01");

    let bad = job.row("SELECT row, reason, detail, url FROM quarantine");
    assert_eq!(bad["row"], 20, "{bad}");
    assert_eq!(bad["reason"], "invalid_url", "{bad}");
    assert!(text(&bad, "detail").contains("UTF-8"), "{bad}");
    assert_eq!(text(&bad, "url"), String::from_utf8_lossy(&rows[20].url));
    assert_eq!(job.rows("SELECT url FROM documents").len(), 39);
}
