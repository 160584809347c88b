//! Chosen sites and pages.

use std::collections::BTreeMap;

use crawl_index::{
    Content, LeftOut, Record, Selected, Selection, ServerQuery, Target, TargetError,
};
use proptest::prelude::*;
use url::Url;
use url_key::{Keyer, Surt};

use crate::common::{NOON, page};

fn domain(name: &str) -> Target {
    Target::domain(name, &Keyer::default()).expect("a domain")
}

fn selection(targets: impl IntoIterator<Item = Target>) -> Selection {
    Selection::new(Keyer::default(), targets)
}

/// The URLs that a target chooses.
fn chosen<'a>(target: Target, urls: &[&'a str]) -> Vec<&'a str> {
    let selection = selection([target]);
    let is_chosen = |url: &&&str| selection.left_out(&page(url)).is_none();
    urls.iter().filter(is_chosen).copied().collect()
}

const URLS: [&str; 10] = [
    "http://gazette.co.uk/",
    "https://www.Gazette.co.uk:443/News",
    "http://gazette.co.uk:8080/news",
    "http://gazette.co.uk./news/1",
    "http://gazette.co.uk/newsletter?b=1&a=2",
    "http://other.co.uk/gazette.co.uk/",
    "http://gazette.com/news",
    "http://user@notgazette.co.uk/news",
    "https://gazette.co.uk/a/../news",
    "ftp://gazette.co.uk/news",
];

#[test]
fn a_domain_has_its_hosts_and_ports() {
    let of_domain = [0, 1, 2, 3, 4, 8].map(|index| URLS[index]);
    assert_eq!(chosen(domain("Gazette.co.uk"), &URLS), of_domain);
}

#[test]
fn a_host_has_its_ports_and_no_other_host() {
    let host = Target::host("www.gazette.co.uk").expect("a host");
    assert_eq!(chosen(host, &URLS), [URLS[1]]);
    let host = Target::host("gazette.co.uk.").expect("a host");
    let of_host = [0, 2, 3, 4, 8].map(|index| URLS[index]);
    assert_eq!(chosen(host, &URLS), of_host);
}

#[test]
fn a_prefix_has_both_schemes_and_one_port() {
    for prefix in [
        "gazette.co.uk/news",
        "https://GAZETTE.co.uk/news#top",
        "http://gazette.co.uk:80/x/../news",
    ] {
        let prefix = Target::prefix(prefix).expect("a prefix");
        let of_prefix = [3, 4, 8].map(|index| URLS[index]);
        assert_eq!(chosen(prefix, &URLS), of_prefix);
    }
    let port = Target::prefix("gazette.co.uk:8080/").expect("a prefix");
    assert_eq!(chosen(port, &URLS), [URLS[2]]);
    let query = Target::prefix("gazette.co.uk/newsletter?b").expect("a prefix");
    assert_eq!(chosen(query, &URLS), [URLS[4]]);
}

#[test]
fn a_line_of_a_list_is_a_domain_a_host_or_a_prefix() {
    let keyer = Keyer::default();
    let listed = |text: &str| Target::listed(text, &keyer);
    let host = |name: &str| Target::host(name);
    assert_eq!(listed("gazette.co.uk"), Ok(domain("gazette.co.uk")));
    assert_eq!(listed("www.gazette.co.uk"), host("www.gazette.co.uk"));
    assert_eq!(listed("127.0.0.1"), Ok(domain("127.0.0.1")));
    assert_eq!(
        listed("gazette.co.uk/"),
        Target::prefix("http://gazette.co.uk/")
    );
    assert_eq!(
        listed("Bücher.example"),
        Ok(domain("xn--bcher-kva.example"))
    );
    for text in ["", "a b", "http://", "/news", "exa mple.com/"] {
        assert!(
            matches!(listed(text), Err(TargetError::NotAUrl { .. })),
            "{text}"
        );
    }
    assert!(matches!(
        listed("ftp://a.example/"),
        Err(TargetError::Scheme { .. })
    ));
    for text in ["www.gazette.co.uk", "co.uk"] {
        let error = Target::domain(text, &keyer);
        assert!(
            matches!(error, Err(TargetError::NotADomain { .. })),
            "{text}"
        );
    }
}

#[test]
fn a_record_is_left_out_for_the_first_reason_and_counted() {
    let mut selection = selection([domain("gazette.example")]);
    selection.from = Some(NOON);
    selection.before = Some(NOON + 60);
    let of = |change: &dyn Fn(&mut Record)| {
        let mut record = page("http://gazette.example/");
        change(&mut record);
        record
    };
    let url = |url: &str| Some(url.to_owned());
    let mut counts = Selected::default();
    for (record, expected) in [
        (of(&|_| {}), None),
        (of(&|it| it.time = Some(NOON + 59)), None),
        (
            of(&|it| it.mime = url("application/xhtml+xml; charset=x")),
            None,
        ),
        (of(&|it| (it.file, it.offset) = (None, None)), None),
        (of(&|it| it.url = None), Some(LeftOut::NoUrl)),
        (
            of(&|it| it.url = url("dns:gazette.example")),
            Some(LeftOut::NotWeb),
        ),
        (
            of(&|it| it.url = url("gazette.example")),
            Some(LeftOut::NotWeb),
        ),
        (
            of(&|it| it.url = url("http://other.example/")),
            Some(LeftOut::OtherSite),
        ),
        (
            of(&|it| it.url = url("http://co.uk/")),
            Some(LeftOut::OtherSite),
        ),
        (of(&|it| it.time = None), Some(LeftOut::NoTime)),
        (of(&|it| it.time = Some(NOON - 1)), Some(LeftOut::OtherTime)),
        (
            of(&|it| it.time = Some(NOON + 60)),
            Some(LeftOut::OtherTime),
        ),
        (
            of(&|it| it.mime = url("warc/revisit")),
            Some(LeftOut::Revisit),
        ),
        (of(&|it| it.status = Some(301)), Some(LeftOut::OtherStatus)),
        (of(&|it| it.status = None), Some(LeftOut::OtherStatus)),
        (of(&|it| it.mime = url("image/png")), Some(LeftOut::NotHtml)),
        (of(&|it| it.mime = None), Some(LeftOut::NotHtml)),
    ] {
        let reason = selection.left_out(&record);
        assert_eq!(reason, expected, "{record:?}");
        counts.count(reason);
        selection.content = Content::Any;
        let is_content = expected > Some(LeftOut::OtherTime);
        let expected = expected.filter(|_| !is_content);
        assert_eq!(selection.left_out(&record), expected, "{record:?}");
        selection.content = Content::Pages;
    }
    assert_eq!(counts.chosen, 4);
    assert_eq!(counts.left_out.values().sum::<u64>(), 13);
    let other_times = BTreeMap::from([(LeftOut::NoTime, 1), (LeftOut::OtherTime, 2)]);
    assert!(
        other_times
            .iter()
            .all(|(reason, count)| counts.left_out[reason] == *count)
    );
    assert_eq!(LeftOut::OtherTime.to_string(), "other_time");
}

#[test]
fn without_targets_nothing_is_chosen() {
    let nothing = selection([]);
    assert_eq!(
        nothing.left_out(&page("http://a.example/")),
        Some(LeftOut::OtherSite)
    );
    assert_eq!(nothing.ranges(), []);
}

#[test]
fn a_server_is_asked_by_match_type() {
    let targets = [
        domain("gazette.example"),
        Target::host("www.gazette.example").expect("a host"),
        Target::prefix("https://gazette.example:8080/a?b=").expect("a prefix"),
    ];
    let query = |url: &str, match_type| ServerQuery {
        url: url.to_owned(),
        match_type,
    };
    let expected = [
        query("gazette.example", "domain"),
        query("www.gazette.example", "host"),
        query("gazette.example:8080/a?b=", "prefix"),
    ];
    assert_eq!(selection(targets).queries(), Some(expected.to_vec()));
}

#[test]
fn every_site_of_the_web_is_chosen_and_no_server_is_asked_for_it() {
    assert_eq!(chosen(Target::all(), &URLS), URLS[..9]);
    let all = selection([Target::all(), domain("gazette.example")]);
    assert_eq!(all.queries(), None);
    let ranges = all.ranges();
    assert_eq!(ranges.len(), 1);
    for key in ["", "com,gazette)/", "\u{10fffe}"] {
        assert!(ranges[0].contains(key), "{key}");
    }
}

#[test]
fn ranges_are_sorted_and_joined() {
    let ranges = |targets: Vec<Target>| {
        let ranges = selection(targets).ranges();
        let range = |range: crawl_index::KeyRange| format!("{} {}", range.start, range.end);
        ranges.into_iter().map(range).collect::<Vec<_>>()
    };
    let prefix = |prefix| Target::prefix(prefix).expect("a prefix");
    let own = ["co,uk) co,uk-", "co,uk: co,uk;"];
    assert_eq!(ranges(vec![domain("uk.co")]), own);
    // A host of the domain adds nothing.
    let host = Target::host("www.uk.co").expect("a host");
    assert_eq!(ranges(vec![host, domain("uk.co")]), own);
    assert_eq!(
        ranges(vec![prefix("a.example/News/1?x=2")]),
        ["example,a)/news/1 example,a)/news/2"]
    );
    assert_eq!(
        ranges(vec![prefix("a.example/%7Eme")]),
        ["example,a) example,a*"]
    );
    assert_eq!(
        ranges(vec![prefix("127.0.0.2/a")]),
        ["127.0.0.2)/a 127.0.0.2)/b", "2,0,0,127)/a 2,0,0,127)/b"]
    );
}

/// A key as writers of indexes make it. `is_plain` is the standard of CDXJ; otherwise as most programs do.
fn key(url: &str, is_plain: bool) -> String {
    let url = Url::parse(url).expect("a URL");
    let host = url.host_str().expect("a host").to_lowercase();
    let host = match host.split_once('.') {
        Some((first, rest)) if !is_plain && first.starts_with("www") => rest.to_owned(),
        _ => host,
    };
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let host = host.rsplit('.').collect::<Vec<_>>().join(",");
    let mut path = url.path().to_lowercase();
    let mut query = url.query().map(str::to_lowercase);
    if !is_plain {
        path = path.replace("//", "/");
        path.truncate(path.trim_end_matches('/').len().max(1));
        query = query.map(|query| {
            let mut parts: Vec<_> = query.split('&').collect();
            parts.sort_unstable();
            parts.join("&")
        });
    }
    let query = query.map_or(String::new(), |query| format!("?{query}"));
    format!("{host}{port}){path}{query}")
}

proptest! {
    #[test]
    fn the_key_of_each_chosen_record_is_in_a_range(
        scheme in "https?", www in "(www2?\\.)?", sub in "([ab]\\.)?", port in "(:8080|:443)?",
        path in "(/[aB.~-]{0,2}){0,3}/?", query in "(\\?[ab]=1(&[ab]=2)?)?", cut in 0..40_usize, kind in 0..3_u8,
    ) {
        let authority = format!("{www}{sub}x.example{port}");
        let url = format!("{scheme}://{authority}{path}{query}");
        let target = match kind {
            0 => domain("x.example"),
            1 => Target::host(Url::parse(&url).expect("a URL").host_str().expect("a host")).expect("a host"),
            _ => {
                let path: String = path.chars().chain(query.chars()).take(cut).collect();
                Target::prefix(&format!("{scheme}://{authority}{path}")).expect("a prefix")
            }
        };
        let selection = selection([target]);
        // A path that is cut before `..` may be another path.
        prop_assume!(kind < 2 || selection.left_out(&page(&url)).is_none());
        prop_assert_eq!(selection.left_out(&page(&url)), None);
        for is_plain in [true, false] {
            let key = key(&url, is_plain);
            let ranges = selection.ranges();
            prop_assert!(ranges.iter().any(|range| range.contains(&key)), "{} {:?}", key, ranges);
        }
    }
}

/// An index is read in the ranges of the chosen keys, so each chosen page must be in them by its SURT.
#[test]
fn chosen_pages_are_in_the_ranges_of_their_surts() {
    for target in [
        domain("gazette.co.uk"),
        Target::host("www.gazette.co.uk").expect("a host"),
        Target::prefix("gazette.co.uk/news").expect("a prefix"),
    ] {
        let ranges = selection([target.clone()]).ranges();
        let urls = chosen(target, &URLS);
        assert!(!urls.is_empty());
        for url in urls {
            let surt = Surt::of(url).expect("a URL");
            assert!(
                ranges.iter().any(|range| range.contains(surt.as_str())),
                "{}",
                surt.as_str()
            );
        }
    }
}
