//! Files that the tests write: whole ones, broken ones, and ones that lie.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use warc::{Capture, Limits, Reason, RecordError, RecordType, Records};

const PAGE: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Trees fell.</p>";

/// A record with more headers, each with its line end.
fn record(kind: &str, url: &str, headers: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2011-10-24T12:00:00Z\r\nWARC-Record-ID: <{url}>\r\n{headers}\
         Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn page(number: usize) -> Vec<u8> {
    let url = format!("http://a.example/{number}");
    record("response", &url, "", PAGE.as_bytes())
}

fn record_of(block: &str) -> Vec<u8> {
    record("response", "http://a.example/0", "", block.as_bytes())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn read(file: impl Read) -> (Vec<Capture>, Vec<RecordError>) {
    let (mut captures, mut errors) = (Vec::new(), Vec::new());
    for record in Records::new(file, Limits::default()) {
        match record {
            Ok(entry) => captures.extend(entry.capture),
            Err(error) => errors.push(error),
        }
    }
    (captures, errors)
}

fn urls(captures: &[Capture]) -> Vec<&str> {
    captures
        .iter()
        .map(|capture| capture.url.as_str())
        .collect()
}

#[test]
fn every_compression_gives_the_same_captures() {
    let plain = [page(1), page(2), page(3)];
    let all = plain.concat();
    let per_record: Vec<u8> = plain.iter().flat_map(|record| gzip(record)).collect();
    let frames = plain
        .iter()
        .flat_map(|record| zstd::encode_all(record.as_slice(), 3).unwrap());
    let frames: Vec<u8> = frames.collect();
    // A frame that decoders skip, as WARC files with a dictionary begin.
    let skipped = [&[0x5d, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &frames].concat();
    let (expected, errors) = read(all.as_slice());
    assert_eq!((expected.len(), errors.len()), (3, 0));
    assert_eq!(expected[0].body, b"<p>Trees fell.</p>");
    assert_eq!(expected[0].charset.as_deref(), Some("utf-8"));
    for file in [
        per_record,
        gzip(&all),
        frames,
        skipped,
        zstd::encode_all(all.as_slice(), 3).unwrap(),
    ] {
        assert_eq!(read(file.as_slice()), (expected.clone(), vec![]));
    }
}

#[test]
fn offsets_are_those_of_members_or_records() {
    let plain = [page(1), page(2)];
    let members = [gzip(&plain[0]), gzip(&plain[1])];
    for (file, second) in [
        (plain.concat(), plain[0].len()),
        (members.concat(), members[0].len()),
    ] {
        let entries = Records::new(file.as_slice(), Limits::default());
        let offsets: Vec<u64> = entries.map(|entry| entry.unwrap().origin.offset).collect();
        assert_eq!(offsets, [0, second as u64]);
    }
}

#[test]
fn a_truncated_file_gives_all_records_before_its_end() {
    let plain = [page(1), page(2)].concat();
    let (captures, errors) = read(&plain[..plain.len() - 10]);
    assert_eq!(urls(&captures), ["http://a.example/1"]);
    assert!(
        matches!(errors[0].reason, Reason::Truncated(_)),
        "{errors:?}"
    );
    assert_eq!(errors[0].origin.url.as_deref(), Some("http://a.example/2"));

    let members = [gzip(&page(1)), gzip(&page(2))].concat();
    let (captures, errors) = read(&members[..members.len() - 30]);
    assert_eq!(urls(&captures), ["http://a.example/1"]);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        matches!(errors[0].reason, Reason::Truncated(_)),
        "{errors:?}"
    );
}

#[test]
fn a_broken_member_does_not_hide_the_next() {
    let mut broken = gzip(&page(2));
    let middle = broken.len() / 2;
    broken[middle..middle + 8].fill(0xff);
    let file = [gzip(&page(1)), broken, gzip(&page(3))].concat();
    let (captures, errors) = read(file.as_slice());
    assert_eq!(
        urls(&captures),
        ["http://a.example/1", "http://a.example/3"]
    );
    assert!(!errors.is_empty());
}

#[test]
fn a_member_that_is_shorter_than_its_record_says_does_not_swallow_the_next() {
    let text = String::from_utf8(page(2)).unwrap();
    let lie = text.replace("Content-Length: ", "Content-Length: 9");
    assert_ne!(lie, text);
    let file = [gzip(&page(1)), gzip(lie.as_bytes()), gzip(&page(3))].concat();
    let (captures, errors) = read(file.as_slice());
    assert_eq!(
        urls(&captures),
        ["http://a.example/1", "http://a.example/3"]
    );
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        matches!(errors[0].reason, Reason::Truncated(_)),
        "{errors:?}"
    );
}

#[test]
fn a_record_that_is_longer_than_it_says_is_one_error() {
    let length = format!("Content-Length: {}", PAGE.len());
    let text = String::from_utf8(page(2)).unwrap();
    let lie = text.replace(&length, &format!("Content-Length: {}", PAGE.len() - 5));
    assert_ne!(lie, text);
    let file = [page(1), lie.into_bytes(), page(3)].concat();
    let (captures, errors) = read(file.as_slice());
    assert_eq!(
        urls(&captures),
        ["http://a.example/1", "http://a.example/3"]
    );
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].reason, Reason::Length(PAGE.len() as u64 - 5));
}

/// The records inside a block of a wrong length are read, wherever the block ends.
#[test]
fn a_record_that_is_shorter_than_it_says_does_not_swallow_the_next() {
    let length = format!("Content-Length: {}", PAGE.len());
    let text = String::from_utf8(page(2)).unwrap();
    for more in [15, 60, 300, 1_000_000] {
        let longer = format!("Content-Length: {}", PAGE.len() + more);
        let lie = text.replace(&length, &longer);
        assert_ne!(lie, text);
        let plain = [page(1), lie.into_bytes(), page(3), page(4)].concat();
        for file in [plain.clone(), gzip(&plain)] {
            let (captures, errors) = read(file.as_slice());
            let expected = [1, 3, 4].map(|number| format!("http://a.example/{number}"));
            assert_eq!(urls(&captures), expected, "{more}");
            assert_eq!(errors.len(), 1, "{errors:?}");
            let reason = Reason::Length((PAGE.len() + more) as u64);
            assert_eq!(errors[0].reason, reason);
            assert_eq!(errors[0].origin.url.as_deref(), Some("http://a.example/2"));
        }
        let mut records = Records::new(plain.as_slice(), Limits::default());
        let offset = records.nth(2).unwrap().unwrap().origin.offset as usize;
        assert!(plain[offset..].starts_with(
            b"WARC/1.1\r\nWARC-Type: response\r\n\
            WARC-Target-URI: http://a.example/3\r\n"
        ));
    }
}

#[test]
fn a_page_about_warc_files_is_one_capture() {
    let record = String::from_utf8(page(1)).unwrap();
    let block = format!("{PAGE}<pre>\r\n\r\n{record}</pre>");
    let file = [record_of(&block), page(2)].concat();
    let (captures, errors) = read(file.as_slice());
    assert_eq!((captures.len(), errors.len()), (2, 0));
    assert!(captures[0].body.ends_with(b"</pre>"));
}

/// Every record claims all bytes behind it. Without a bound, this takes hours.
#[test]
fn records_that_all_claim_the_rest_of_the_file_are_read_in_linear_time() {
    let text = String::from_utf8(page(1)).unwrap();
    let length = format!("Content-Length: {}", PAGE.len());
    let lie = text.replace(&length, "Content-Length: 999999999");
    let file = lie.repeat(100_000);
    let errors = Records::new(file.as_bytes(), Limits::default()).filter(Result::is_err);
    assert!(errors.count() > 3);
}

/// Bytes come one at a time, so every look ahead ends within them.
#[test]
fn records_are_the_same_wherever_the_bytes_are_divided() {
    struct Single<'a>(&'a [u8]);
    impl Read for Single<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let one = out.len().min(1);
            self.0.read(&mut out[..one])
        }
    }
    let arc = format!(
        "http://a.example/9 1.2.3.4 20111024120000 text/html {}\n",
        PAGE.len()
    );
    let first = page(1);
    let plain = [
        &first[..first.len() - 4],
        &page(2),
        arc.as_bytes(),
        PAGE.as_bytes(),
    ]
    .concat();
    let zstd = zstd::encode_all(plain.as_slice(), 3).unwrap();
    for file in [plain.clone(), gzip(&plain), zstd] {
        let expected = read(file.as_slice());
        assert_eq!(
            (expected.0.len(), expected.1.len()),
            (3, 0),
            "{:?}",
            expected.1
        );
        assert_eq!(read(Single(&file)), expected);
    }
}

#[test]
fn a_missing_newline_between_records_is_no_error() {
    let first = page(1);
    let file = [&first[..first.len() - 4], &page(2)].concat();
    let (captures, errors) = read(file.as_slice());
    assert_eq!((captures.len(), errors.len()), (2, 0));
}

#[test]
fn a_wrong_digest_is_an_error() {
    for name in ["WARC-Payload-Digest", "WARC-Block-Digest"] {
        let header = format!("{name}: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n");
        let file = record("response", "http://a.example/", &header, PAGE.as_bytes());
        let (captures, errors) = read(file.as_slice());
        assert_eq!(captures, []);
        assert_eq!(errors[0].reason, Reason::Digest(name), "{name}");
    }
}

#[test]
fn a_chunked_and_compressed_body_is_decoded() {
    let body = gzip(b"<p>Trees fell.</p>");
    let mut block = b"HTTP/2 200\r\n:status: 200\r\nContent-Type: text/html\r\n\
        Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
        .to_vec();
    for part in body.chunks(7) {
        block.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
        block.extend_from_slice(part);
        block.extend_from_slice(b"\r\n");
    }
    block.extend_from_slice(b"0\r\n\r\n");
    let file = record("response", "http://a.example/", "", &block);
    let (captures, errors) = read(file.as_slice());
    assert_eq!(errors, []);
    assert_eq!(captures[0].body, b"<p>Trees fell.</p>");
    assert_eq!(captures[0].status, Some(200));
}

#[test]
fn a_compressed_transfer_is_decoded_before_the_content() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd\r\n\
        Transfer-Encoding: gzip\r\n\r\n";
    let content = zstd::encode_all(&b"<p>Trees fell.</p>"[..], 3).unwrap();
    let block = [head.as_bytes(), &gzip(&content)].concat();
    let (captures, errors) = read(record("response", "http://a.example/", "", &block).as_slice());
    assert_eq!(errors, []);
    assert_eq!(captures[0].body, b"<p>Trees fell.</p>");
}

#[test]
fn a_body_over_the_limit_is_an_error_and_the_next_record_is_read() {
    let bomb = zstd::encode_all(vec![0; 40 << 20].as_slice(), 3).unwrap();
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd\r\n\r\n";
    let block = [&head[..], &bomb].concat();
    let large = vec![b' '; 33 << 20];
    let file = [
        record("response", "http://a.example/bomb", "", &block),
        record("response", "http://a.example/large", "", &large),
        page(3),
    ];
    let (captures, errors) = read(file.concat().as_slice());
    assert_eq!(urls(&captures), ["http://a.example/3"]);
    let reasons: Vec<&Reason> = errors.iter().map(|error| &error.reason).collect();
    let expected = Reason::TooLarge(32 << 20);
    assert_eq!(reasons, [&expected, &expected]);
}

#[test]
fn a_body_that_is_not_wanted_is_not_decoded() {
    let head =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b";
    let file = [
        record("response", "http://a.example/css", "", head),
        page(1),
    ]
    .concat();
    assert_eq!(read(file.as_slice()).1.len(), 1);
    let records = Records::new(file.as_slice(), Limits::default()).html_only();
    let captures = records.map(|record| record.unwrap().capture.unwrap());
    let bodies: Vec<Vec<u8>> = captures.map(|capture| capture.body).collect();
    assert_eq!(bodies, [b"".to_vec(), b"<p>Trees fell.</p>".to_vec()]);
}

#[test]
fn redirects_give_the_request_url_and_revisits_the_capture() {
    let moved = b"HTTP/1.1 301 Moved\r\nLocation: /b\r\n\r\n";
    let digest = "WARC-Payload-Digest: sha1:TQHAVVEV2RYFG5HH5OIWGYCFUQLOCHRJ\r\n\
        WARC-Refers-To-Target-URI: http://a.example/first\r\n\
        WARC-Refers-To-Date: 2011-10-23T12:00:00Z\r\n";
    let file = [
        record("response", "http://a.example/a", "", moved),
        record("response", "http://a.example/b", "", PAGE.as_bytes()),
        record("revisit", "http://a.example/c", digest, b""),
    ];
    let (captures, _) = read(file.concat().as_slice());
    assert_eq!(
        captures[1].request_url.as_deref(),
        Some("http://a.example/a")
    );
    assert_eq!(urls(&captures).len(), 2, "the digest is of no capture");
    let entries: Vec<_> = Records::new(file.concat().as_slice(), Limits::default()).collect();
    let revisit = entries[2].as_ref().unwrap().revisit.as_ref().unwrap();
    assert_eq!(revisit.url, "http://a.example/c");
    assert_eq!(
        revisit.refers_to_url.as_deref(),
        Some("http://a.example/first")
    );
    assert_eq!(revisit.refers_to_time, Some(1_319_371_200_000_000));

    let digest = format!("WARC-Payload-Digest: {}\r\n", captures[1].payload_digest);
    let again = record(
        "revisit",
        "http://a.example/c",
        &digest,
        b"HTTP/1.1 200 OK\r\n\r\n",
    );
    let file = [file.concat(), again].concat();
    let (captures, errors) = read(file.as_slice());
    assert_eq!(errors, []);
    assert_eq!(captures[2].repeats, Some(captures[1].position));
}

#[test]
fn arc_records_are_captures() {
    let line =
        |url: &str, length: usize| format!("{url} 1.2.3.4 20111024120000 text/html {length}\n");
    let head = "1 0 Crawler\nURL IP-address Archive-date Content-type Archive-length\n";
    let text = [
        line("filedesc://a.arc", head.len()),
        head.to_owned(),
        format!("\n{}", line("http://a.example/1", PAGE.len())),
        PAGE.to_owned(),
        format!("\n{}", line("dns:a.example", 4)),
        "1234\n".to_owned(),
    ]
    .concat();
    for file in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
        let entries: Vec<_> = Records::new(file.as_slice(), Limits::default()).collect();
        let entries: Result<Vec<_>, _> = entries.into_iter().collect();
        let entries = entries.unwrap();
        assert_eq!(entries[0].record_type, RecordType::ArcHeader);
        let capture = entries[1].capture.as_ref().unwrap();
        assert_eq!(
            (capture.status, capture.body.as_slice()),
            (Some(200), &b"<p>Trees fell.</p>"[..])
        );
        assert_eq!(entries.len(), 3);
        assert_eq!(entries[2].capture, None);
    }
}

#[test]
fn bytes_that_are_no_record_end_without_a_capture() {
    for file in [
        &b"PK\x03\x04"[..],
        b"<html>\n<p>\n",
        &[0x1f, 0x8b, 8, 0, 0],
        b"WARC/1.0\r\n",
    ] {
        let (captures, errors) = read(file);
        assert_eq!(captures, []);
        assert_eq!(errors.len(), 1, "{errors:?}");
    }
    assert_eq!(read(&b""[..]), (vec![], vec![]));
}
