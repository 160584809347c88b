//! The feeds of three real sites, version by version, as polls.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use chrono::{DateTime, NaiveDateTime, Utc};
use feeds::{FeedList, ItemDigest};
use fetch::{Clock, Options};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use servers::{Scripted, respond};
use tables::Location;
use url::Url;

use crate::fetch::{html, missing, rows};
use crate::support::{Job, shared};

/// A time that stands still during a poll.
struct Fixed(DateTime<Utc>);

impl Clock for Fixed {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// Time and bytes of a version.
type Version = (DateTime<Utc>, Vec<u8>);

/// The versions of each site's feed, in time order.
fn history(path: &Path) -> BTreeMap<String, Vec<Version>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file"));
    let reader = reader.expect("Parquet").build().expect("a reader");
    let mut sites: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for batch in reader {
        let batch = batch.expect("rows");
        let column = |name: &str| batch.column_by_name(name).expect("a column");
        let to = |name: &str, data_type: &DataType| cast(column(name), data_type).expect("a type");
        let names = to("site", &DataType::Utf8);
        let times = to("fetched_at", &DataType::Utf8);
        let bytes = to("xml", &DataType::Binary);
        for row in 0..batch.num_rows() {
            let site = names.as_string::<i32>().value(row).to_owned();
            let time = times.as_string::<i32>().value(row);
            let time = NaiveDateTime::parse_from_str(time, "%Y%m%dT%H%M%SZ").expect("a time");
            let time = time.and_utc();
            // The server of the test has no TLS.
            let xml = String::from_utf8_lossy(bytes.as_binary::<i32>().value(row));
            let xml = xml.replace("https://", "http://").into_bytes();
            sites.entry(site).or_default().push((time, xml));
        }
    }
    sites.values_mut().for_each(|versions| versions.sort());
    sites
}

#[test]
fn every_version_of_real_feeds_gives_each_new_item_once() {
    let Some(path) = shared("data/feeds/history.parquet") else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let mut polls = 0;
    for (site, versions) in history(&path) {
        let url: Url = "http://feeds.example/rss".parse().expect("a URL");
        let present = Arc::new(Mutex::new(Vec::new()));
        let served = Arc::clone(&present);
        let server =
            Scripted::start(
                move |get, stream| match (get.host.as_str(), get.path.as_str()) {
                    ("feeds.example", "/rss") => {
                        respond(stream, 200, &[], &served.lock().expect("a feed"))
                    }
                    (_, "/robots.txt") => missing(stream),
                    (_, path) => html(stream, &format!("<p>{path}</p>")),
                },
            );
        let server = server.expect("a server");
        // The first version in which an item is, with its link, and the hosts of all links.
        let mut first: HashMap<ItemDigest, DateTime<Utc>> = HashMap::new();
        let mut addresses: BTreeMap<String, SocketAddr> = BTreeMap::new();
        addresses.insert("feeds.example".to_owned(), server.address());
        let mut links = BTreeSet::new();
        for (time, xml) in &versions {
            for item in feeds::parse(xml, None, &url)
                .map(|feed| feed.items)
                .unwrap_or_default()
            {
                let link: Url = item.link.expect("a link").parse().expect("a URL");
                let host = link.host_str().expect("a host").to_owned();
                addresses.insert(host, server.address());
                // The link is not part of the digest: one post was moved with its title and date.
                first.entry(item.digest).or_insert_with(|| {
                    links.insert(link.to_string());
                    *time
                });
            }
        }
        let job = Job::new();
        let list = FeedList::parse(&format!("{site}\t{url}")).expect("a list");
        let output =
            Location::parse(&job.path("archive").display().to_string()).expect("a location");
        let mut options = Options::new("a@b.example").expect("a contact");
        options.addresses = addresses;
        options.delay = Duration::ZERO;
        options.schedule.interval = Duration::ZERO;
        options.limits.pages_per_poll = usize::MAX;
        let (mut new_items, mut pages, mut failed) = (0, 0, 0);
        for (time, xml) in &versions {
            present.lock().expect("a feed").clone_from(xml);
            let clock = Fixed(*time);
            let report = runtime.block_on(fetch::fetch(&list, &output, &options, &clock));
            let report = report.expect("a fetch");
            assert_eq!(report.polled, 1, "{site} {time}");
            new_items += report.new_items;
            pages += report.pages;
            failed += report
                .failures
                .get("not_a_feed")
                .copied()
                .unwrap_or_default();
            polls += 1;
        }
        assert_eq!(new_items as usize, first.len(), "{site}");
        // Fifteen versions are a feed inside a broken page of HTML.
        assert_eq!(failed, if site == "hamasyou" { 15 } else { 0 }, "{site}");

        // Each item has a row with the time of the version in which it was new, or another item of that
        // version has its page.
        let rows = rows(&job, "date=");
        assert_eq!(rows.len() as u64, pages, "{site}");
        let mut found = BTreeSet::new();
        for row in &rows {
            let field = |name: &str| row.get(name).map(String::as_str);
            let published = field("published_at").and_then(|micros| micros.parse().ok());
            let published = published.and_then(DateTime::from_timestamp_micros);
            let digest = ItemDigest::of(field("title"), field("description"), published);
            assert!(found.insert(digest), "{site}: twice: {row:?}");
            let time = first[&digest].timestamp_micros().to_string();
            assert_eq!(row["fetched_at"], time, "{site}: {row:?}");
        }
        let urls: BTreeSet<&str> = rows.iter().map(|row| row["url"].as_str()).collect();
        assert_eq!(urls.len(), links.len(), "{site}");
        assert_eq!(found.len(), first.len(), "{site}: rows and items");
    }
    assert!(polls >= 400, "{polls}");
}
