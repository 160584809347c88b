//! Lines of indexes.

use chrono::DateTime;
use crawl_index::{Line, LineError, LineReason, Pointer, Reader, Record, read};
use proptest::prelude::*;

use crate::common::{NOON, page};

fn all(index: &str) -> Vec<Result<Line, LineError>> {
    read(index.as_bytes()).collect()
}

/// The only line of an index that describes something.
fn one(index: &str) -> Record {
    match all(index).as_slice() {
        [Ok(Line::Record(record))] => record.clone(),
        other => panic!("{index}: {other:?}"),
    }
}

fn digits(time: i64) -> String {
    let time = DateTime::from_timestamp(time, 0).expect("a time");
    time.format("%Y%m%d%H%M%S").to_string()
}

#[test]
fn cdx_without_header_has_eleven_nine_or_seven_fields() {
    let expected = Record {
        digest: Some("AAAA".to_owned()),
        offset: Some(500),
        ..page("http://www.gazette.example/")
    };
    let start = "example,gazette)/ 20111024120000 http://www.gazette.example/ text/html 200 AAAA";
    assert_eq!(one(&format!("{start} - - 100 500 a.warc.gz")), expected);
    let without_length = Record {
        length: None,
        ..expected.clone()
    };
    assert_eq!(one(&format!("{start} - 500 a.warc.gz\r\n")), without_length);
    let without_place = Record {
        file: None,
        offset: None,
        ..expected
    };
    assert_eq!(one(&format!("{start} 100")), without_place);
}

#[test]
fn a_header_names_the_fields_and_their_delimiter() {
    let expected = page("http://a.example/a b");
    for index in [
        "\tCDX\tg\tV\tS\ta\tb\tc\ts\tm\na.warc.gz\t0\t100\thttp://a.example/a b\t20111024120000\t-\t200\ttext/html",
        "\tCDX\tg\tV\tS\ta\tb\ts\tm\tr\na.warc.gz\t0\t100\thttp://a.example/a b\t20111024120000\t200\ttext/html\t\n",
    ] {
        assert_eq!(one(index), expected, "{index}");
    }
    let index = "CDX N b a m s\na) 20111024120000 http://a.example/ - -\n\
        \u{20}CDX a b\nhttp://b.example/ 20111024120000";
    let urls = all(index).into_iter().map(|line| match line {
        Ok(Line::Record(record)) => record.url.expect("a URL"),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        urls.collect::<Vec<_>>(),
        ["http://a.example/", "http://b.example/"]
    );
}

#[test]
fn a_dash_and_a_field_that_is_left_out_are_missing() {
    assert_eq!(one("- - - - - - - - - - -"), Record::default());
    assert_eq!(one("- - - - - - -"), Record::default());
    assert_eq!(one("com,example)/ - {}"), Record::default());
    let index = r#"{"url": "-", "status": "", "length": null, "languages": ["eng"]}"#;
    assert_eq!(one(index), Record::default());
}

#[test]
fn cdxj_has_numbers_as_numbers_or_texts() {
    let expected = Record {
        digest: Some("sha-256:00".to_owned()),
        ..page("http://a.example/")
    };
    for index in [
        r#"example,a)/ 20111024120000 {"url":"http://a.example/","digest":"sha-256:00","mime":"text/html","offset":0,"length":100,"recordDigest":"sha256:11","status":200,"filename":"a.warc.gz"}"#,
        r#"example,a)/ 20111024120000123 {"url": "http://a.example/", "mime": "text/html", "status": "200", "digest": "sha-256:00", "length": "100", "offset": "0", "filename": "a.warc.gz"}"#,
        r#"{"urlkey": "example,a)/", "timestamp": "20111024120000", "url": "http://a.example/", "mime": "text/html", "mime-detected": "text/plain", "status": "200", "digest": "sha-256:00", "length": "100", "offset": "0", "filename": "a.warc.gz"}"#,
    ] {
        assert_eq!(one(index), expected, "{index}");
    }
}

#[test]
fn html_that_common_crawl_has_detected_is_html() {
    for (said, detected, expected) in [
        (
            r#""text/plain""#,
            "application/xhtml+xml",
            "application/xhtml+xml",
        ),
        ("null", "image/png", "image/png"),
        (r#""text/html""#, "text/plain", "text/html"),
    ] {
        let line = format!(r#"{{"mime": {said}, "mime-detected": "{detected}"}}"#);
        assert_eq!(one(&line).mime.as_deref(), Some(expected), "{line}");
    }
}

#[test]
fn rows_of_an_array_have_the_fields_of_its_first_row() {
    let header = r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;
    let row =
        r#"["example,a)/","20111024120000","http://a.example/","text/html","200","AAAA","100"]"#;
    let expected = Record {
        digest: Some("AAAA".to_owned()),
        file: None,
        offset: None,
        ..page("http://a.example/")
    };
    let expected = Line::Record(expected);
    for index in [
        format!("[{header},\n{row},\n{row}]\n"),
        format!("[\n{header},\n{row},\n{row}\n]"),
        format!("[{header},\n{row}]\n[{header},\n{row}]\n"),
    ] {
        let both = [Ok(expected.clone()), Ok(expected.clone())];
        assert_eq!(all(&index), both, "{index}");
    }
    assert_eq!(all(&format!("[{header}]")), []);
    assert_eq!(all("[]"), []);
    let reason = |index: &str| match all(index).pop() {
        Some(Err(error)) => error.reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(row), LineReason::NoHeader);
    assert_eq!(reason(&format!("[{header},{row}]")), LineReason::ManyRows);
    let (seen, named) = (1, 7);
    let short = format!("[{header},\n[\"com%2Cexample\"]]");
    assert_eq!(reason(&short), LineReason::OtherThanHeader { seen, named });
}

#[test]
fn lines_of_an_index_of_an_index_are_pointers() {
    let pointer = |key: &str, file: Option<&str>, offset, length| {
        let file = file.map(str::to_owned);
        let key = key.to_owned();
        Ok(Line::Pointer(Pointer {
            key,
            file,
            offset,
            length,
        }))
    };
    let zipnum = "com,example)/ 20111024120000\tcdx-00000.gz\t0\t275\t1\n\
        com,example)/trees 20111024120000\tcdx-00000.gz\t275\t300\n";
    let expected = [
        pointer("com,example)/ 20111024120000", Some("cdx-00000.gz"), 0, 275),
        pointer(
            "com,example)/trees 20111024120000",
            Some("cdx-00000.gz"),
            275,
            300,
        ),
    ];
    assert_eq!(all(zipnum), expected);
    let wacz = "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n\
        com,example)/ 20111024120000 {\"offset\": 0, \"length\": 819, \"digest\": \"sha256:00\"}\n\
        com,example)/b 20111024120000 {\"offset\": 819, \"length\": 20, \"filename\": \"b.cdx.gz\"}\n\
        - 20111024120000 {\"offset\": 0, \"length\": 9}\n";
    let read = all(wacz);
    let expected = [
        pointer("com,example)/ 20111024120000", Some("index.cdx.gz"), 0, 819),
        pointer("com,example)/b 20111024120000", Some("b.cdx.gz"), 819, 20),
    ];
    assert_eq!(read[..2], expected);
    // The header of a WARC file, which has no key.
    assert!(matches!(
        &read[2],
        Ok(Line::Record(Record { url: None, .. }))
    ));
}

#[test]
fn a_line_that_cannot_be_read_is_an_error_with_its_number_and_the_next_is_read() {
    let value = |field, value: &str| LineReason::Value {
        field,
        value: value.to_owned(),
    };
    let start = "a) 20111024120000 http://a.example/ text/html 200 - - -";
    for (line, reason) in [
        ("a b c".to_owned(), LineReason::Fields { seen: 3 }),
        ("xCDX a b".to_owned(), LineReason::Fields { seen: 3 }),
        (
            format!("{start} 100 500 two words.warc.gz"),
            LineReason::Fields { seen: 12 },
        ),
        (format!("{start} 100 -1 a.warc.gz"), value("offset", "-1")),
        (
            format!("{start} 18446744073709551616 0 a.warc.gz"),
            value("length", "18446744073709551616"),
        ),
        (
            "a) 2011102412 - - - - -".to_owned(),
            value("timestamp", "2011102412"),
        ),
        (
            "a) 20111324120000 - - - - -".to_owned(),
            value("timestamp", "20111324120000"),
        ),
        ("a) - - - 70000 - -".to_owned(), value("status", "70000")),
        (r#"a) - {"offset": 1.5}"#.to_owned(), value("offset", "1.5")),
        (r#"a) - {"length": [1]}"#.to_owned(), value("length", "[1]")),
        (
            r#"{"message": "No captures"}"#.to_owned(),
            LineReason::Answer("No captures".to_owned()),
        ),
        (
            "a) 20111024120000\tpart\t1".to_owned(),
            LineReason::PointerFields { seen: 3 },
        ),
        (
            "a) 20111024120000\tpart\tx\t1".to_owned(),
            value("offset", "x"),
        ),
    ] {
        let index = format!("# An index\n\n{line}\n{start} 100 0 a.warc.gz\n");
        let read = all(&index);
        assert_eq!(read[0], Err(LineError { line: 3, reason }), "{line}");
        let next = Line::Record(page("http://a.example/"));
        assert_eq!(read[1..], [Ok(next)], "{line}");
    }
    for line in [
        "{\"url\": ",
        "a) - {\"url\": \"a\"",
        "[\"a\"",
        "{} {}",
        "[[[[",
    ] {
        let read = all(line);
        let is_json =
            matches!(&read[..], [Err(error)] if matches!(error.reason, LineReason::Json(_)));
        assert!(is_json, "{line}: {read:?}");
    }
    let mut reader = Reader::default();
    let error = reader
        .line(b"\xff")
        .expect("an error")
        .expect_err("an error");
    assert_eq!(
        error.to_string(),
        "line 1 of the index is left out: it is not UTF-8"
    );
}

fn text() -> impl Strategy<Value = Option<String>> {
    let letters = "[!-~]{2,20}".prop_filter("begins no JSON", |text| !text.starts_with('{'));
    prop::option::of(letters)
}

prop_compose! {
    fn record()(
        url in text(), mime in text(), digest in text(), file in text(),
        time in prop::option::of(NOON - 1_000_000_000..NOON * 5),
        status in prop::option::of(0..1000_u16),
        offset in prop::option::of(any::<u64>()), length in prop::option::of(any::<u64>()),
    ) -> Record {
        Record { url, time, mime, status, digest, file, offset, length }
    }
}

/// The values of a record, in the order of CDX with eleven fields.
fn values(record: &Record) -> [String; 11] {
    let text = |text: &Option<String>| text.clone().unwrap_or("-".to_owned());
    let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
    [
        "com,example)/".to_owned(),
        record.time.map_or("-".to_owned(), digits),
        text(&record.url),
        text(&record.mime),
        number(record.status.map(u64::from)),
        text(&record.digest),
        "-".to_owned(),
        "-".to_owned(),
        number(record.length),
        number(record.offset),
        text(&record.file),
    ]
}

proptest! {
    #[test]
    fn a_record_is_read_from_each_form_as_it_was_written(record in record()) {
        let values = values(&record);
        let [key, time, url, mime, status, digest, _, _, length, offset, file] = &values;
        let object = serde_json::json!({
            "url": url, "mime": mime, "status": status, "digest": digest, "length": length,
            "offset": offset, "filename": file,
        });
        let mut answer = object.clone();
        answer["timestamp"] = time.as_str().into();
        let row = serde_json::json!([time, url, mime, status, digest, length, offset, file]);
        let header = r#"["timestamp","original","mimetype","statuscode","digest","length","offset","filename"]"#;
        let forms = [
            values.join(" "),
            format!(" CDX N b a m s k r M S V g\n{}\n", values.join(" ")),
            format!("\tCDX\tN\tb\ta\tm\ts\tk\tr\tM\tS\tV\tg\n{}\n", values.join("\t")),
            answer.to_string(),
            format!("[{header},\n{row}]"),
        ];
        for form in &forms {
            prop_assert_eq!(&one(form), &record, "{}", form);
        }
        // Without URL and type, a line with a place is a pointer.
        prop_assume!(record.url.is_some() || record.mime.is_some());
        let line = format!("{key} {time} {object}");
        prop_assert_eq!(&one(&line), &record, "{}", line);
    }

    #[test]
    fn any_bytes_are_records_or_errors(index in prop::collection::vec(any::<u8>(), 0..300)) {
        let lines = index.split(|&byte| byte == b'\n').count();
        prop_assert!(read(&index).count() <= lines);
    }

    #[test]
    fn any_parts_of_lines_are_records_or_errors(parts in prop::collection::vec(prop_oneof![
        Just(" "), Just("\t"), Just("\n"), Just("CDX"), Just("N b a"), Just("{"), Just("}"), Just("["),
        Just("]"), Just("[["), Just("]]"), Just(","), Just(":"), Just("\"url\""), Just("\"timestamp\""),
        Just("\"offset\""), Just("1"), Just("-"), Just("!meta 0 {"), Just("20111024120000"), Just("é"),
    ], 0..40)) {
        let index = parts.concat();
        prop_assert!(all(&index).len() <= index.split('\n').count());
    }
}
