//! Feeds, and the header and the file that a crawler reads beside them.
//!
//! The input is a byte that selects a charset, and the bytes of a feed, which are read as robots.txt and
//! as a list of feeds too.

#![no_main]

use std::collections::HashSet;

use feeds::{FeedList, FeedState, ItemDigest, MAX_ITEMS, parse, retry_after};
use libfuzzer_sys::fuzz_target;
use text::robots::Robots;

const CHARSETS: [Option<&str>; 5] = [
    None,
    Some("iso-8859-1"),
    Some("utf-16le"),
    Some("shift_jis"),
    Some("no charset"),
];

fuzz_target!(|input: &[u8]| {
    let Some((charset, bytes)) = input.split_first() else {
        return;
    };
    let charset = CHARSETS[usize::from(*charset) % CHARSETS.len()];
    let url = "http://www.gazette.example/a/feed?x=1"
        .parse()
        .expect("a URL");
    let feed = parse(bytes, charset, &url);
    assert_eq!(feed, parse(bytes, charset, &url));
    if let Ok(feed) = feed {
        assert!(feed.items.len() <= MAX_ITEMS);
        for item in &feed.items {
            let (title, description) = (item.title.as_deref(), item.description.as_deref());
            let digest = ItemDigest::of(title, description, item.published);
            assert_eq!(digest, item.digest);
            if let Some(link) = &item.link {
                let link: url::Url = link.parse().expect("a link is a URL");
                assert!(!link.cannot_be_a_base() || link.scheme() != "http");
            }
        }
        let new = FeedState::default();
        let digests: HashSet<_> = new
            .new_items(&feed.items)
            .iter()
            .map(|item| item.digest)
            .collect();
        assert_eq!(digests.len(), new.new_items(&feed.items).len());
    }
    let robots = Robots::of(Some(200), bytes, "urltree");
    robots.allows(&url);
    assert!(robots.delay().is_none_or(|delay| delay.as_secs() <= 60));
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    retry_after(text, chrono::DateTime::UNIX_EPOCH);
    if let Err(error) = FeedList::parse(text) {
        assert!(error.line >= 1 && error.line <= text.lines().count());
    }
});
