//! Sites whose URLs have parameters, page by page.

use html_blocks::BlockOptions;
use proptest::prelude::*;
use url_key::{Blocklist, KeyOptions, Keyer, PartKind, RuleSet};
use url_parameters::{
    ComparedPage, Evidence, Learner, Openness, Signature, Slot, SlotChange, Verdict, Verdicts,
};

fn keyer() -> Keyer {
    Keyer::new(
        KeyOptions::default(),
        RuleSet::empty(),
        Blocklist::default(),
    )
    .expect("no suffix is wrong")
}

/// A page whose text is a function of `article`. An article without a number has no text.
fn page(date: i32, url: &str, article: Option<u32>) -> ComparedPage<String> {
    let keyer = keyer();
    let words = |article: u32| {
        let word = |at: u32| {
            let letters = [
                article / 676 % 26,
                article / 26 % 26,
                article % 26,
                at % 26,
                at / 26,
                7,
            ];
            letters
                .map(|letter| char::from(b'a' + letter as u8))
                .iter()
                .collect::<String>()
        };
        (0..60).map(word).collect::<Vec<_>>().join(" ")
    };
    let text = article.map(words).unwrap_or_default();
    let html = format!("<title>The site</title><p>{text}</p>");
    let parsed = html_blocks::page(html.as_bytes(), None, &BlockOptions::default());
    let parsed = parsed.expect("a page");
    let address = keyer.parse(url).expect("a URL");
    ComparedPage {
        date,
        url: url.to_owned(),
        parts: keyer.parts(&address).expect("no rule applies"),
        signature: Signature::new(&parsed),
        page: url.to_owned(),
    }
}

/// What changed on any date.
fn changes(mut learner: Learner<String>) -> Vec<SlotChange> {
    learner.changes_before(i32::MAX)
}

/// The last verdict about a parameter.
fn verdict(changes: &[SlotChange], parameter: &str) -> Option<Verdict> {
    let of_parameter = |change: &&SlotChange| change.slot.parameter == parameter;
    let last = changes.iter().rev().find(of_parameter);
    last.map(|change| change.evidence.verdict)
}

#[test]
fn a_session_id_is_noise_and_an_id_is_not() {
    let mut learner = Learner::default();
    for article in 0..8 {
        let url = |visit: u32| format!("http://a.example/s?id={article}&sid={visit}");
        let first = page(1, &url(2 * article), Some(article));
        assert_eq!(learner.page(first), None);
        let second = page(1, &url(2 * article + 1), Some(article));
        assert_eq!(learner.page(second), Some(url(2 * article)));
    }
    // The next date: by its key alone, though its text is another.
    let later = page(2, "http://a.example/s?id=3&sid=99", Some(40));
    let first = "http://a.example/s?id=3&sid=6".to_owned();
    assert_eq!(learner.page(later), Some(first));
    let other = page(2, "http://a.example/s?id=50&sid=99", Some(50));
    assert_eq!(learner.page(other), None);
    let changes = changes(learner);
    assert_eq!(verdict(&changes, "sid"), Some(Verdict::Noise));
    assert_ne!(verdict(&changes, "id"), Some(Verdict::Noise));
}

#[test]
fn an_error_page_for_every_value_is_no_evidence() {
    let mut learner = Learner::default();
    for id in 0..50 {
        let url = format!("http://a.example/s?id={id}");
        learner.page(page(1, &url, Some(7)));
    }
    assert_eq!(verdict(&changes(learner), "id"), Some(Verdict::Undecided));
}

#[test]
fn a_page_without_text_is_never_a_copy() {
    let mut learner = Learner::default();
    for id in 0..9 {
        let url = format!("http://a.example/s?id={id}");
        assert_eq!(learner.page(page(1, &url, None)), None);
    }
    assert_eq!(changes(learner), []);
}

#[test]
fn a_site_that_invents_names_is_learned_up_to_a_limit() {
    let mut learner: Learner<String> = Learner::default();
    for number in 0..10_000 {
        let slot = Slot {
            host: "a.example".to_owned(),
            shape: "/s".to_owned(),
            parameter: format!("p{number}"),
        };
        learner.see(1, slot);
    }
    assert_eq!(changes(learner).len(), 4096);
}

#[test]
fn a_trap_keeps_few_pages_in_memory() {
    let mut learner = Learner::default();
    for day in 0..6_000 {
        let url = format!("http://a.example/calendar?day={day}");
        learner.page(page(1, &url, Some(day)));
    }
    assert_eq!(learner.pages(), 4096);
}

#[test]
fn keys_change_where_a_verdict_changes() {
    let parts = page(1, "http://a.example/s?id=1&sid=2", Some(1)).parts;
    let mut verdicts = Verdicts::default();
    let slot = |name: &str| Slot::new(&parts, &PartKind::Parameter(name.to_owned()));
    verdicts.insert(slot("sid"), 5, Verdict::Noise);
    verdicts.insert(slot("sid"), 9, Verdict::Identifies);
    verdicts.insert(slot("id"), 7, Verdict::Identifies);
    let found = verdicts.key_dates(&parts, 3, 12);
    let dates: Vec<_> = found
        .iter()
        .map(|dates| (dates.from, dates.until))
        .collect();
    assert_eq!(dates, [(3, 5), (5, 7), (7, 9), (9, 12)]);
    assert_eq!([found[0].since, found[1].since], [i32::MIN, 5]);
    assert_eq!(found[3].since, i32::MIN);
}

#[test]
fn a_page_is_open_until_all_parts_identify_pages() {
    let url = "http://a.example/s?id=1&sid=2";
    let parts = page(1, url, Some(1)).parts;
    let bare = page(1, "http://a.example/s", Some(1)).parts;
    let slot = |name: &str| Slot::new(&parts, &PartKind::Parameter(name.to_owned()));
    let stored = |of: &[(&str, Verdict, bool)]| {
        let mut verdicts = Verdicts::default();
        for (name, verdict, revised) in of {
            let evidence = Evidence {
                verdict: *verdict,
                since: 3,
                revised: *revised,
                ..Evidence::default()
            };
            verdicts.restore(slot(name), &evidence);
        }
        let of = |url: &str, parts| verdicts.openness(url, parts, 5);
        (of(url, &parts), of("http://a.example/s", &bare))
    };
    let (identifies, noise) = (
        ("id", Verdict::Identifies, false),
        ("sid", Verdict::Noise, false),
    );
    assert_eq!(stored(&[]), (Openness::Compared, Openness::Settled));
    assert_eq!(
        stored(&[identifies]),
        (Openness::Compared, Openness::Settled)
    );
    let undecided = ("sid", Verdict::Undecided, false);
    let compared = (Openness::Compared, Openness::Compared);
    assert_eq!(stored(&[identifies, undecided]), compared);
    assert_eq!(
        stored(&[identifies, noise]),
        (Openness::Open, Openness::Open)
    );
    let settled = ("sid", Verdict::Identifies, false);
    assert_eq!(
        stored(&[identifies, settled]),
        (Openness::Settled, Openness::Settled)
    );
    let revised = ("sid", Verdict::Identifies, true);
    assert_eq!(
        stored(&[identifies, revised]),
        (Openness::Open, Openness::Open)
    );
}

/// Pages of some dates, by parameters that identify and that do not.
fn stream() -> impl Strategy<Value = Vec<(i32, u32, Option<u32>, bool)>> {
    let row = (
        0..6_i32,
        0..12_u32,
        proptest::option::of(0..3_u32),
        any::<bool>(),
    );
    proptest::collection::vec(row, 1..120).prop_map(|mut rows| {
        rows.sort_by_key(|row| row.0);
        rows
    })
}

proptest! {
    /// State is a function of the pages: a learner that is restored after any date decides like
    /// the one that got all pages.
    #[test]
    fn a_restored_learner_decides_the_same(rows in stream(), cut in 0..6_i32) {
        let pages: Vec<ComparedPage<String>> = rows
            .into_iter()
            .enumerate()
            .map(|(at, (date, article, sid, amp))| {
                let amp = if amp { "/amp" } else { "" };
                let sid = sid.map(|sid| format!("&sid={sid}{at}")).unwrap_or_default();
                let url = format!("http://a.example/s{amp}?id={article}{sid}");
                page(date, &url, Some(article))
            })
            .collect();
        let mut at_once = Learner::default();
        let mut restored = Learner::default();
        let mut slots: std::collections::BTreeMap<Slot, Evidence> = Default::default();
        let mut kept: Vec<ComparedPage<String>> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut is_cut = false;
        let mut changes = [Vec::new(), Vec::new()];
        for page in pages {
            // Of each key the first only, as the callers do.
            if !seen.insert(page.url.clone()) {
                continue;
            }
            if page.date > cut && !is_cut {
                is_cut = true;
                changes[1].extend(std::mem::take(&mut restored).changes_before(i32::MAX));
                for change in &changes[1] {
                    slots.insert(change.slot.clone(), change.evidence.clone());
                }
                for (slot, evidence) in &slots {
                    restored.restore_slot(slot.clone(), evidence.clone());
                }
                for page in &kept {
                    restored.restore_page(page.clone());
                }
            }
            let outcome = at_once.page(page.clone());
            prop_assert_eq!(&outcome, &restored.page(page.clone()));
            if outcome.is_none() {
                kept.push(page);
            }
        }
        changes[0].extend(at_once.changes_before(i32::MAX));
        changes[1].extend(restored.changes_before(i32::MAX));
        prop_assert_eq!(&changes[0], &changes[1]);
    }
}
