//! Forms of indexes: CDX, gzip, Parquet, WACZ, servers.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int16Array, Int32Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use flate2::write::DeflateEncoder;
use import::{ImportError, plan_index};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::common::{Captured, crawl, gzip, options, pages, run, write_index};
use crate::server::{Reply, Server};

/// A line of CDX with eleven fields.
fn cdx(record: &Captured) -> String {
    format!(
        "key {} {} {} 200 {} - - {} {} {}\n",
        record.time,
        record.url,
        record.mime,
        record.digest,
        record.length,
        record.offset,
        record.file
    )
}

/// The rows by URL, whatever the file is called.
fn urls(archive: &Path) -> Vec<String> {
    let url = |row: String| {
        let row = row.split(" url=").nth(1).expect("a URL").to_owned();
        row.split(' ').next().expect("a URL").to_owned()
    };
    pages(archive).into_iter().map(url).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_with_and_without_gzip_in_a_folder_are_one_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let crawl_folder = folder.path().join("crawl");
    let captured = crawl(&crawl_folder, 3, 4);
    let index = write_index(&crawl_folder, &captured);
    run(
        &index.display().to_string(),
        &folder.path().join("expected"),
        &options(4),
    )
    .await;
    std::fs::remove_file(index).expect("a file");
    // Two members, and a broken line.
    let (first, second) = captured.split_at(5);
    let lines = |records: &[Captured]| records.iter().map(Captured::line).collect::<String>();
    let bytes = [gzip(lines(first).as_bytes()), gzip(b"no record\n")].concat();
    std::fs::write(crawl_folder.join("a.cdxj.gz"), bytes).expect("a file");
    let lines: String = second.iter().map(cdx).collect();
    std::fs::write(
        crawl_folder.join("b.cdx"),
        format!(" CDX N b a m s k r M S V g\n{lines}"),
    )
    .expect("a file");
    let index = crawl_folder.display().to_string();
    let planned = plan_index(std::slice::from_ref(&index), &options(4))
        .await
        .expect("a plan");
    assert_eq!((planned.indexes, planned.unreadable.lines), (2, 1));
    assert!(
        planned.unreadable.examples[0].contains("a.cdxj.gz: line 6"),
        "{:?}",
        planned.unreadable
    );
    run(&index, &folder.path().join("archive"), &options(4)).await;
    assert_eq!(
        pages(&folder.path().join("archive")),
        pages(&folder.path().join("expected"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_blocks_of_chosen_sites_are_read_by_the_index_of_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = crawl(folder.path(), 10, 9);
    let index = write_index(folder.path(), &captured);
    run(
        &index.display().to_string(),
        &folder.path().join("expected"),
        &options(3),
    )
    .await;
    std::fs::create_dir(folder.path().join("zipnum")).expect("a folder");
    let mut lines: Vec<String> = captured.iter().map(Captured::line).collect();
    lines.sort();
    // Blocks of other sites are broken, so that reading them would fail.
    let is_other = |line: &&String| (3..9).any(|site| line.contains(&format!("site{site},")));
    let (mut parts, mut pointers) = (vec![Vec::new(), Vec::new()], String::new());
    let mut broken = 0;
    for (number, block) in lines.chunks(4).enumerate() {
        let part = number / 12;
        let mut bytes = gzip(block.concat().as_bytes());
        if block.iter().all(|line| is_other(&line)) && is_other(&&lines[number * 4 - 1]) {
            bytes.fill(0xff);
            broken += 1;
        }
        let key: Vec<&str> = block[0].split(' ').take(2).collect();
        let key = key.join(" ");
        let offset = parts[part].len();
        pointers += &format!(
            "{key}\tcdx-0000{part}.gz\t{offset}\t{}\t{number}\n",
            bytes.len()
        );
        parts[part].extend(bytes);
    }
    assert!(broken > 10, "{broken}");
    for (part, bytes) in parts.iter().enumerate() {
        let name = format!("zipnum/cdx-0000{part}.gz");
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let index = folder.path().join("zipnum/cluster.idx");
    std::fs::write(&index, pointers).expect("a file");
    let index = index.display().to_string();
    let mut options = options(3);
    options.base = Some(folder.path().display().to_string());
    run(&index, &folder.path().join("archive"), &options).await;
    assert_eq!(
        pages(&folder.path().join("archive")),
        pages(&folder.path().join("expected"))
    );

    // Parts by their names, which another file places.
    let named = std::fs::read_to_string(&index).expect("an index");
    std::fs::write(
        &index,
        named.replace("cdx-0000", "part-0").replace(".gz\t", "\t"),
    )
    .expect("a file");
    let places = "part-00\tcdx-00000.gz\npart-01\tcdx-00001.gz\tcopies/cdx-00001.gz\n";
    std::fs::write(folder.path().join("zipnum/cluster.loc"), places).expect("a file");
    run(&index, &folder.path().join("by-parts"), &options).await;
    assert_eq!(
        pages(&folder.path().join("by-parts")),
        pages(&folder.path().join("expected"))
    );

    std::fs::write(&index, "com,site0)/ 2011\t../cdx-00000.gz\t0\t100\t1\n").expect("a file");
    let failed = plan_index(&[index], &options).await;
    let error = failed.expect_err("a file elsewhere").to_string();
    assert!(
        error.contains("cluster.idx") && error.contains("../cdx-00000.gz"),
        "{error}"
    );
}

/// Writes the columns of Common Crawl's index, with ten rows in a row group.
fn write_columns(path: &Path, captured: &[Captured]) {
    let texts = |of: fn(&Captured) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(captured.iter().map(of)))
    };
    let millis = captured.iter().map(|record| {
        let time = chrono::NaiveDateTime::parse_from_str(&record.time, "%Y%m%d%H%M%S");
        time.expect("a time").and_utc().timestamp_millis()
    });
    let number = |number: u64| i32::try_from(number).expect("a small number");
    let offsets = captured.iter().map(|record| number(record.offset));
    let lengths = captured.iter().map(|record| number(record.length));
    let key = |record: &Captured| {
        let host = record.url.split('/').nth(2).expect("a host");
        let mut parts: Vec<&str> = host.trim_start_matches("www.").split('.').collect();
        parts.reverse();
        format!("{})/", parts.join(","))
    };
    let batch = RecordBatch::try_from_iter([
        ("url_surtkey", texts(key)),
        ("url", texts(|record| record.url.clone())),
        (
            "fetch_time",
            Arc::new(TimestampMillisecondArray::from_iter_values(millis).with_timezone("UTC")),
        ),
        (
            "fetch_status",
            Arc::new(Int16Array::from(vec![200; captured.len()])),
        ),
        ("content_digest", texts(|record| record.digest.clone())),
        (
            "content_mime_type",
            texts(|_| "application/octet-stream".to_owned()),
        ),
        ("content_mime_detected", texts(|record| record.mime.clone())),
        ("warc_filename", texts(|record| record.file.clone())),
        (
            "warc_record_offset",
            Arc::new(Int32Array::from_iter_values(offsets)),
        ),
        (
            "warc_record_length",
            Arc::new(Int32Array::from_iter_values(lengths)),
        ),
    ] as [(&str, ArrayRef); 10]);
    let batch = batch.expect("rows");
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(10))
        .build();
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("Parquet");
    writer.write(&batch).expect("Parquet");
    writer.close().expect("Parquet");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_columnar_index_is_read_by_the_row_groups_of_the_chosen_sites() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut captured = crawl(folder.path(), 10, 9);
    let index = write_index(folder.path(), &captured);
    run(
        &index.display().to_string(),
        &folder.path().join("expected"),
        &options(2),
    )
    .await;
    captured.sort_by(|one, other| one.url.cmp(&other.url));
    let path = folder.path().join("part-0.parquet");
    write_columns(&path, &captured);
    // Row groups of other sites are broken, so that reading them would fail.
    let metadata = SerializedFileReader::new(File::open(&path).expect("a file")).expect("Parquet");
    let mut bytes = std::fs::read(&path).expect("a file");
    let groups = metadata.metadata().row_groups();
    assert_eq!(groups.len(), 9);
    for group in &groups[2..] {
        for column in group.columns() {
            let (start, length) = column.byte_range();
            bytes[start as usize..(start + length) as usize].fill(0xff);
        }
    }
    std::fs::write(&path, bytes).expect("a file");
    let index = path.display().to_string();
    run(&index, &folder.path().join("archive"), &options(2)).await;
    assert_eq!(
        pages(&folder.path().join("archive")),
        pages(&folder.path().join("expected"))
    );
    let failed = plan_index(&[index], &options(9)).await;
    assert!(matches!(failed, Err(ImportError::Index { .. })));
}

/// A zip file, whose files are compressed by zip if their name ends with `.cdx`.
fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let method: u16 = if name.ends_with(".cdx") { 8 } else { 0 };
        let stored = if method == 8 {
            let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(content).expect("memory");
            encoder.finish().expect("memory")
        } else {
            content.clone()
        };
        let numbers = |header: &mut Vec<u8>| {
            header.extend([0; 2]);
            header.extend(method.to_le_bytes());
            header.extend([0; 8]);
            header.extend((stored.len() as u32).to_le_bytes());
            header.extend((content.len() as u32).to_le_bytes());
            header.extend((name.len() as u16).to_le_bytes());
            header.extend([0; 2]);
        };
        let offset = bytes.len() as u32;
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        numbers(&mut directory);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
        bytes.extend(b"PK\x03\x04\x14\0");
        numbers(&mut bytes);
        bytes.extend(name.as_bytes());
        bytes.extend(stored);
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([(files.len() as u16).to_le_bytes(); 2].concat());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wacz_file_is_an_index_of_the_files_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut captured = crawl(folder.path(), 2, 6);
    let files: Vec<Vec<u8>> = [0, 1]
        .map(|file| captured[file * 6].file.clone())
        .map(|file| std::fs::read(folder.path().join(file)).expect("a file"))
        .into();
    for (number, record) in captured.iter_mut().enumerate() {
        record.file = format!("{}.warc.gz", number / 6);
    }
    let (first, second) = captured.split_at(6);
    let mut second = second.to_vec();
    second[1].file = "none.warc.gz".to_owned();
    let first: String = first.iter().map(cdx).collect();
    let second: String = second.iter().map(Captured::line).collect();
    let wacz = zip(&[
        ("archive/0.warc.gz", files[0].clone()),
        ("indexes/first.cdx", first.into_bytes()),
        ("archive/1.warc.gz", files[1].clone()),
        ("indexes/second.cdxj.gz", gzip(second.as_bytes())),
        ("indexes/second.idx", b"com,site0)/ 2011 {}".to_vec()),
    ]);
    std::fs::create_dir(folder.path().join("web")).expect("a folder");
    let path = folder.path().join("web/a.wacz");
    std::fs::write(&path, wacz).expect("a file");
    let server = Server::start(folder.path().join("web"), |_| Reply::File);
    for (index, archive) in [
        (path.display().to_string(), "local"),
        (format!("{}/a.wacz", server.url()), "web"),
    ] {
        let report = run(&index, &folder.path().join(archive), &options(6)).await;
        assert_eq!(report.missing["no such file"], 1, "{report:?}");
        crate::common::import_whole(&[index], &folder.path().join(format!("whole-{archive}")))
            .await;
        let mut expected = pages(&folder.path().join(format!("whole-{archive}")));
        expected.retain(|row| !row.contains("http://www.site1.com/1 "));
        assert_eq!(pages(&folder.path().join(archive)), expected);
        assert_eq!(report.got, expected.len() as u64);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_an_index_is_asked_for_each_site_and_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = crawl(folder.path(), 4, 3);
    let index = write_index(folder.path(), &captured);
    run(
        &index.display().to_string(),
        &folder.path().join("expected"),
        &options(2),
    )
    .await;
    let answers = captured.clone();
    let server = Server::start(folder.path().to_owned(), move |asked| {
        if !asked.path.starts_with("/crawl-index") {
            return Reply::File;
        }
        let url = url::Url::parse(&format!("http://host{}", asked.path)).expect("a URL");
        let value = |name: &str| {
            let found = url.query_pairs().find(|(found, _)| found == name);
            found.map(|(_, value)| value.into_owned())
        };
        assert_eq!(
            (value("output").as_deref(), value("matchType").as_deref()),
            (Some("json"), Some("domain"))
        );
        let domain = value("url").expect("a domain");
        if value("showNumPages").is_some() {
            return Reply::Text(
                200,
                "{\"pages\": 3, \"pageSize\": 2, \"blocks\": 5}".to_owned(),
            );
        }
        let found: Vec<&Captured> = answers
            .iter()
            .filter(|record| record.url.contains(&domain))
            .collect();
        let page: usize = value("page").expect("a page").parse().expect("a number");
        let Some(found) = found.chunks(2).nth(page) else {
            return Reply::Text(404, "{\"message\": \"No Captures found\"}".to_owned());
        };
        let object = |record: &&Captured| {
            let (_, object) = record
                .line()
                .split_once('{')
                .map(|(_, object)| ((), object.to_owned()))
                .expect("an object");
            format!("{{\"timestamp\": \"{}\", {object}", record.time)
        };
        Reply::Text(200, found.iter().map(object).collect())
    });
    let endpoint = format!("{}/crawl-index", server.url());
    let failed = plan_index(std::slice::from_ref(&endpoint), &options(2)).await;
    assert!(
        matches!(failed, Err(ImportError::NoBase { .. })),
        "{failed:?}"
    );
    let mut options = options(2);
    options.base = Some(server.url());
    let report = run(&endpoint, &folder.path().join("archive"), &options).await;
    assert_eq!(report.got, report.asked);
    assert_eq!(
        urls(&folder.path().join("archive")),
        urls(&folder.path().join("expected"))
    );
}
