//! Forms of records that the standards do not have, as crawlers wrote them.

use warc::{Capture, Entry, Limits, Reason, RecordError, Records, Warning};

const HTML: &str = "<html><p>Trees fell.</p></html>";
const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

/// A record with the lines of its header, each with its line end.
fn record(lines: &str, block: &[u8]) -> Vec<u8> {
    let head = format!("WARC/1.0\r\n{lines}Content-Length: {}\r\n\r\n", block.len());
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// The lines of a record of a type.
fn lines(kind: &str, url: &str, more: &str) -> String {
    format!(
        "WARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2011-10-24T12:00:00Z\r\n\
         WARC-Record-ID: <urn:test:{url}>\r\n{more}"
    )
}

fn response(url: &str, block: &[u8]) -> Vec<u8> {
    record(
        &lines("response", url, "Content-Type: application/http\r\n"),
        block,
    )
}

fn page(url: &str) -> Vec<u8> {
    response(url, format!("{HEAD}{HTML}").as_bytes())
}

fn arc(url: &str, date: &str, block: &str) -> Vec<u8> {
    format!(
        "{url} 192.0.2.1 {date} text/html {}\n{block}\n",
        block.len()
    )
    .into_bytes()
}

fn read(file: &[u8]) -> Vec<Result<Entry, RecordError>> {
    Records::new(file, Limits::default()).html_only().collect()
}

/// The only record of a file, which is a capture, and its warnings.
fn only(file: &[u8]) -> (Capture, Vec<Warning>) {
    let mut records = read(file);
    assert_eq!(records.len(), 1, "{records:?}");
    let entry = records.remove(0).expect("a record");
    (entry.capture.expect("a capture"), entry.warnings)
}

#[test]
fn pages_without_the_head_of_a_new_server_are_pages() {
    let typed = format!("Content-Type: text/html\r\n\r\n{HTML}");
    for (block, status) in [
        (format!("HTTP 200 Document follows\r\n{typed}"), Some(200)),
        (format!("http/1.0 200 ok\r\n{typed}"), Some(200)),
        (format!("\r\nHTTP/1.0 200 OK\r\n{typed}"), Some(200)),
        (format!("ICY 200 OK\r\n{typed}"), Some(200)),
        (typed.clone(), None),
        (HTML.to_owned(), None),
    ] {
        for file in [
            response("http://a.example/", block.as_bytes()),
            arc("http://a.example/", "20111024120000", &block),
        ] {
            let (page, warnings) = only(&file);
            assert_eq!(page.body, HTML.as_bytes(), "{block}");
            assert_eq!((page.status, page.is_html), (status, true), "{block}");
            assert_eq!(warnings, [Warning::StatusLine], "{block}");
        }
    }
    let other = read(&response("http://a.example/", b"Trees fell."));
    assert_eq!(other[0].as_ref().unwrap_err().reason, Reason::Http);
}

#[test]
fn html_is_a_page_whatever_the_record_and_the_type_say() {
    let http = format!("{HEAD}{HTML}");
    let octets = format!("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n{HTML}");
    let url = "http://a.example/";
    for (kind, content_type, block, warnings) in [
        ("response", "", &*http, &[Warning::ContentType][..]),
        ("response", "message/http", &http, &[]),
        ("response", "text/html", HTML, &[Warning::StatusLine]),
        ("response", "application/http", &octets, &[]),
        ("resource", "text/html", HTML, &[]),
        ("resource", "", HTML, &[]),
        ("resource", "text/plain", HTML, &[]),
        ("resource", "application/http", &http, &[]),
        ("conversion", "text/html; charset=utf-8", HTML, &[]),
    ] {
        let more = match content_type {
            "" => String::new(),
            value => format!("Content-Type: {value}\r\n"),
        };
        let (page, found) = only(&record(&lines(kind, url, &more), block.as_bytes()));
        assert!(page.is_html, "{kind} {content_type}");
        assert_eq!(page.body, HTML.as_bytes(), "{kind} {content_type}");
        assert_eq!(found, warnings, "{kind} {content_type}");
    }
    let untyped = "WARC-Target-URI: http://a.example/\r\nWARC-Date: 2011-10-24T12:00:00Z\r\n";
    let (page, warnings) = only(&record(untyped, http.as_bytes()));
    assert_eq!(page.body, HTML.as_bytes());
    assert_eq!(warnings, [Warning::RecordType, Warning::ContentType]);
}

/// The reader of the capture decides about its address.
#[test]
fn a_response_of_http_may_have_a_broken_address() {
    let (capture, _) = only(&page("http//a.example/"));
    assert_eq!(capture.url, "http//a.example/");
}

#[test]
fn records_that_are_no_pages_are_entries_with_their_type() {
    let png = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG";
    let (image, _) = only(&response("http://a.example/a.png", png));
    assert_eq!((image.is_html, image.body.len()), (false, 0));
    assert_eq!(image.content_type.as_deref(), Some("image/png"));
    for (kind, url) in [
        ("resource", "file:///a.html"),
        ("resource", "urn:view:http://a.example/"),
        ("response", "dns:a.example"),
        ("metadata", "http://a.example/"),
        ("request", "http://a.example/"),
    ] {
        let more = "Content-Type: text/html\r\n";
        let records = read(&record(&lines(kind, url, more), HTML.as_bytes()));
        let entry = records[0].as_ref().expect("a record");
        assert_eq!(
            (entry.record_type.name(), &entry.capture),
            (kind, &None),
            "{url}"
        );
        assert_eq!(entry.content_type.as_deref(), Some("text/html"), "{url}");
    }
}

#[test]
fn other_bytes_than_utf_8_stay_in_the_address() {
    let replace = |text: Vec<u8>| {
        let at = text
            .windows(4)
            .position(|bytes| bytes == b"/\x3f\x3f?")
            .expect("the address");
        [&text[..at + 1], b"\xe9\xc4", &text[at + 3..]].concat()
    };
    let (capture, warnings) = only(&replace(record(
        "WARC-Type: response\r\nWARC-Target-URI: <http://a.example/???a b>\r\n\
         WARC-Date: 2011-10-24\r\nContent-Type: application/http\r\n",
        format!("{HEAD}{HTML}").as_bytes(),
    )));
    assert_eq!(capture.url, "http://a.example/%E9%C4?a%20b");
    assert_eq!(warnings, [Warning::Bytes, Warning::Address]);
    let line = arc(
        "http://a.example/???a b",
        "20111024120000",
        &format!("{HEAD}{HTML}"),
    );
    let (capture, warnings) = only(&replace(line));
    assert_eq!(capture.url, "http://a.example/%E9%C4?a%20b");
    assert_eq!(warnings, [Warning::Bytes, Warning::Address]);
}

#[test]
fn bodies_without_their_encodings_are_read_as_they_are() {
    for (header, warning) in [
        ("Content-Encoding: br", Warning::NotEncoded),
        ("Content-Encoding: zstd", Warning::NotEncoded),
        ("Content-Encoding: gzip", Warning::NotEncoded),
        ("Transfer-Encoding: chunked", Warning::NotChunked),
        ("Content-Type: text/plain", Warning::SeveralTypes),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\n{header}\r\nContent-Type: text/html\r\n\r\n");
        let block = format!("{head}{HTML}");
        let (page, warnings) = only(&response("http://a.example/", block.as_bytes()));
        assert_eq!(page.body, HTML.as_bytes(), "{header}");
        assert_eq!(warnings, [warning], "{header}");
    }
}

#[test]
fn digests_of_any_form_are_compared_and_others_are_not() {
    let base64 = "sha1:oqdqf6tyjxCBv9hKfxpCWxJwbvA=";
    for (digest, warnings) in [
        (base64, None),
        ("blake3:AAAA", Some(Warning::UnknownDigest)),
    ] {
        let more = format!("Content-Type: text/html\r\nWARC-Payload-Digest: {digest}\r\n");
        let file = record(
            &lines("resource", "http://a.example/", &more),
            HTML.as_bytes(),
        );
        let found = read(&file);
        match (&found[0], warnings) {
            (Ok(entry), Some(warning)) => assert_eq!(entry.warnings, [warning]),
            (found, _) => {
                let reason = &found.as_ref().expect_err("it is of another page").reason;
                assert_eq!(*reason, Reason::Digest("WARC-Payload-Digest"));
            }
        }
    }
    let hello = "sha1:qvTGHdzF6KLavt4PO0gs2a6pQ00=";
    let more = format!("Content-Type: text/plain\r\nWARC-Payload-Digest: {hello}\r\n");
    let file = record(&lines("resource", "http://a.example/", &more), b"hello");
    assert_eq!(only(&file).1, []);
}

#[test]
fn a_revisit_repeats_the_capture_that_any_of_its_names_means() {
    let url = "http://a.example/1";
    let not_modified = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n";
    let place = format!(
        "WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: 2011-10-24T12:00:00Z\r\n"
    );
    let id = format!("WARC-Refers-To: <urn:test:{url}>\r\n");
    let digest = format!(
        "WARC-Payload-Digest: {}\r\n",
        warc::payload_digest(HTML.as_bytes()).to_lowercase()
    );
    for (names, expected) in [
        (place.as_str(), Some(0)),
        ("WARC-Refers-To-Date: 2011-10-24T12:00:00Z\r\n", Some(0)),
        (&id, Some(0)),
        (&digest, Some(0)),
        ("WARC-Refers-To-Date: 2011-10-23T12:00:00Z\r\n", None),
        ("", None),
    ] {
        let again = record(&lines("revisit", url, names), not_modified);
        let records = read(&[page(url), again].concat());
        let entry = records[1].as_ref().expect("a record");
        let repeats = entry.capture.as_ref().and_then(|capture| capture.repeats);
        assert_eq!(
            (repeats, entry.revisit.is_none()),
            (expected, expected.is_some()),
            "{names}"
        );
    }
}

#[test]
fn each_lost_record_is_an_error_with_its_address() {
    let broken = |url: &str| {
        let text = String::from_utf8(page(url)).expect("ASCII");
        text.replace("WARC/1.0", "WARK/1.0").into_bytes()
    };
    let line = |url: &str| arc(url, "20111024120000", HEAD);
    let no_length = |url: &str| {
        let text = String::from_utf8(line(url)).expect("ASCII");
        text.replace("text/html 4", "text/html x4").into_bytes()
    };
    let (one, two, three) = (
        "http://a.example/1",
        "http://a.example/2",
        "http://a.example/3",
    );
    for file in [
        [broken(one), broken(two), page(three)].concat(),
        [no_length(one), no_length(two), line(three)].concat(),
    ] {
        let records = read(&file);
        let lost: Vec<Option<&str>> = (records.iter())
            .filter_map(|record| record.as_ref().err())
            .map(|error| error.origin.url.as_deref())
            .collect();
        assert_eq!(lost, [Some(one), Some(two)], "{records:?}");
        let found = records[2].as_ref().expect("a record").origin.url.as_deref();
        assert_eq!(found, Some(three));
    }
    let cut = record(
        "WARC-Type: response\r\nWARC-Target-URI: http://a.example/1\r\nContent-Length: x\r\n",
        b"text",
    );
    let records = read(&[cut, page(two)].concat());
    assert_eq!(records.len(), 2, "{records:?}");
    let origin = &records[0].as_ref().expect_err("a header").origin;
    assert_eq!(origin.url.as_deref(), Some(one));
}

/// A frame that decoders skip.
fn skippable(number: u32, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).expect("a small frame");
    [&number.to_le_bytes()[..], &length.to_le_bytes(), content].concat()
}

#[test]
fn a_zstd_file_may_begin_with_its_dictionary() {
    let pages: Vec<Vec<u8>> = (0..50)
        .map(|number| page(&format!("http://a.example/{number}")))
        .collect();
    let dictionary = pages[..20].concat();
    let with = |dictionary: &[u8], page: &Vec<u8>| {
        let mut encoder =
            zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
        std::io::Write::write_all(&mut encoder, page).unwrap();
        encoder.finish().unwrap()
    };
    let frames: Vec<u8> = pages
        .iter()
        .flat_map(|page| with(&dictionary, page))
        .collect();
    let packed = zstd::encode_all(dictionary.as_slice(), 3).unwrap();
    for content in [&dictionary, &packed] {
        let file = [
            skippable(0x184d_2a5d, content),
            skippable(0x184d_2a50, b"more"),
            frames.clone(),
        ]
        .concat();
        let records = read(&file);
        assert_eq!(records.len(), 50);
        for (number, record) in records.iter().enumerate() {
            let url = format!("http://a.example/{number}");
            assert_eq!(record.as_ref().expect("a record").origin.url, Some(url));
        }
        let mut broken = file.clone();
        let middle = broken.len() - frames.len() / 2;
        broken[middle..middle + 4].fill(0xff);
        let read_again = read(&broken).iter().filter(|record| record.is_ok()).count();
        assert!((40..50).contains(&read_again), "{read_again}");
    }
    let without = read(&frames);
    assert!(without.iter().all(Result::is_err), "{without:?}");
    let bomb = zstd::encode_all(vec![0; 40 << 20].as_slice(), 3).unwrap();
    let plain = zstd::encode_all(pages[0].as_slice(), 3).unwrap();
    let records = read(&[skippable(0x184d_2a5d, &bomb), plain].concat());
    assert_eq!(
        records.iter().filter(|record| record.is_ok()).count(),
        1,
        "{records:?}"
    );
    assert!(matches!(
        records[0].as_ref().unwrap_err().reason,
        Reason::Compression(_)
    ));
}

/// Crawlers disagree about the bytes of a digest. A record that one reading finds whole is whole.
#[test]
fn a_digest_may_be_of_other_bytes_of_the_record() {
    let block = format!("{HEAD}{HTML}");
    let of_block = warc::payload_digest(block.as_bytes());
    let of_payload = warc::payload_digest(HTML.as_bytes());
    for (name, digest, warnings) in [
        ("WARC-Payload-Digest", &of_payload, &[][..]),
        ("WARC-Payload-Digest", &of_block, &[Warning::OtherDigest]),
        ("WARC-Block-Digest", &of_block, &[]),
        ("WARC-Block-Digest", &of_payload, &[Warning::OtherDigest]),
    ] {
        let more = format!("Content-Type: application/http\r\n{name}: {digest}\r\n");
        let file = record(
            &lines("response", "http://a.example/", &more),
            block.as_bytes(),
        );
        assert_eq!(only(&file).1, warnings, "{name}: {digest}");
    }
}
