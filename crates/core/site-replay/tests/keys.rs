//! The keys of a domain do not depend on where its pages are cut into runs.

use html_blocks::BlockOptions;
use proptest::prelude::*;
use site_replay::{Content, FoundBy, KeyedPage, PageKeys, Role, SiteSettings, StoredPage};
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};
use url_parameters::{Signature, SlotChange, Verdict, is_audited};

/// Values of the parameter. Pages with those of the second half are audited, whatever their story.
const VALUES: u16 = 40;

/// A page of a site: its date, its story, the value of its tracking parameter, and whether it has text.
#[derive(Clone, Debug)]
struct Page {
    date: i32,
    story: u8,
    via: Option<u16>,
    has_text: bool,
}

impl Page {
    /// With `via`, the pages of a story are one page. From date 6 on it names another page each time.
    fn address(&self) -> String {
        let address =
            |via: String| format!("http://www.gazette.example/show?story={}{via}", self.story);
        match self.via {
            None => address(String::new()),
            Some(via) if via < VALUES / 2 => address(format!("&via={via}")),
            Some(via) => {
                let mut audited = (0..).map(|more| address(format!("&via={via}x{more}")));
                audited
                    .find(|address| is_audited(address))
                    .expect("an address")
            }
        }
    }

    fn signature(&self) -> Signature {
        if !self.has_text {
            return Signature::default();
        }
        const STORIES: [&str; 8] = [
            "ferries",
            "fishermen",
            "harbours",
            "islands",
            "lighthouses",
            "sailors",
            "storms",
            "tides",
        ];
        let other = (self.via.filter(|_| self.date >= 6)).map_or(String::new(), |via| {
            let letter = char::from(b'a' + (via % 26) as u8);
            format!(
                "Another tale of a {0}{letter}{0} follows.",
                letter.to_string().repeat(9)
            )
        });
        let story = STORIES[usize::from(self.story)];
        let html = format!(
            "<title>The {story}{other}</title><p>{other} {}</p>",
            format!("All {story} of the harbour are in the news today. ").repeat(4)
        );
        let parsed = html_blocks::page(html.as_bytes(), None, &BlockOptions::default());
        Signature::new(&parsed.expect("a page"))
    }
}

/// Counts how often the content of a page is asked for.
struct Read<'a>(&'a Page, usize);

impl Content for Read<'_> {
    fn has_text(&mut self) -> bool {
        self.1 += 1;
        self.0.has_text
    }

    fn signature(&mut self) -> Signature {
        self.1 += 1;
        self.0.signature()
    }
}

/// What runs store of the pages of a site.
#[derive(Default)]
struct Stored {
    /// The key of each page, and what it is.
    pages: Vec<(String, Role<usize>)>,
    changes: Vec<SlotChange>,
}

fn settings() -> SiteSettings {
    let keyer = Keyer::new(
        KeyOptions::default(),
        RuleSet::empty(),
        Blocklist::default(),
    );
    SiteSettings::new(keyer.expect("no extra suffixes"))
}

/// Decides about the pages after those that are stored.
fn run(pages: &[Page], stored: &mut Stored) {
    let settings = settings();
    let keyer = &settings.keyer;
    let mut keys = PageKeys::new(&settings);
    for change in &stored.changes {
        keys.restore_slot(change.slot.clone(), change.evidence.clone());
    }
    for (id, page) in pages.iter().enumerate() {
        let address = page.address();
        let url = keyer.parse(&address).expect("a URL");
        let (date, time_micros) = (page.date, id as i64);
        let known = stored.pages.get(id).cloned();
        let parts = keys.parts(keyer, &url);
        if known.is_none() {
            keys.begin(keyer, date, |id: &usize| pages[*id].address());
            parts.iter().for_each(|parts| keys.see(parts, date));
        }
        let mut key = keys.key(&settings, &url, None, date);
        if let Some((known, _)) = &known {
            key.text.clone_from(known);
        }
        let keyed = KeyedPage {
            address: &address,
            parts: parts.as_ref(),
            key: &key,
            date,
            time_micros,
            id: &id,
        };
        let owner = match known {
            None => {
                let asks = keys.asks(&keyed);
                let mut content = Read(page, 0);
                let role = keys.classify(&keyed, &mut content);
                assert_eq!(asks, content.1 > 0, "{page:?}");
                stored.pages.push((key.text, role));
                continue;
            }
            Some((_, Role::First)) if page.has_text => None,
            Some((
                _,
                Role::Duplicate {
                    original,
                    found: FoundBy::Content,
                    ..
                },
            )) => Some(original),
            Some(_) => continue,
        };
        let signature = page.signature();
        keys.restore(StoredPage {
            page: keyed,
            owner,
            signature,
        });
    }
    stored.changes.extend(keys.finish());
}

fn pages() -> impl Strategy<Value = Vec<Page>> {
    let page = (
        0..12_i32,
        0..5_u8,
        proptest::option::of(0..VALUES),
        0..12_u8,
    );
    let page = page.prop_map(|(date, story, via, text)| Page {
        date,
        story,
        via,
        has_text: text > 0,
    });
    proptest::collection::vec(page, 0..160).prop_map(|mut pages| {
        pages.sort_by_key(|page| page.date);
        pages
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_domain_has_the_same_keys_at_once_and_in_pieces(pages in pages(), cut in 0..12_i32) {
        let (mut at_once, mut in_pieces) = (Stored::default(), Stored::default());
        run(&pages, &mut at_once);
        let first = pages.partition_point(|page| page.date < cut);
        run(&pages[..first], &mut in_pieces);
        run(&pages, &mut in_pieces);
        prop_assert_eq!(&in_pieces.pages, &at_once.pages);
        prop_assert_eq!(&in_pieces.changes, &at_once.changes);
    }
}

/// The pages of the law have verdicts: the parameter becomes noise, and is withdrawn when it names other pages.
#[test]
fn a_parameter_is_noise_until_it_names_other_pages() {
    let page = |number: u16, date: i32| Page {
        date,
        story: (number % 8) as u8,
        via: number.checked_sub(8),
        has_text: true,
    };
    let noise = (0..VALUES / 2).map(|number| page(number, 0));
    let copies = (8..VALUES / 2).map(|number| page(number + 8, 1));
    let others = (VALUES / 2..VALUES).map(|number| page(number + 8, 6));
    let after = (VALUES / 2..VALUES).map(|number| page(number + 8, 7));
    let pages: Vec<Page> = noise.chain(copies).chain(others).chain(after).collect();
    let mut stored = Stored::default();
    run(&pages, &mut stored);
    for cut in 1..8 {
        let mut in_pieces = Stored::default();
        run(
            &pages[..pages.partition_point(|page| page.date < cut)],
            &mut in_pieces,
        );
        run(&pages, &mut in_pieces);
        assert_eq!(in_pieces.pages, stored.pages, "cut at {cut}");
    }
    let verdicts: Vec<(i32, Verdict)> = (stored.changes.iter())
        .filter(|change| change.slot.parameter == "via")
        .map(|change| (change.date, change.evidence.verdict))
        .collect();
    let expected = [
        (0, Verdict::Noise),
        (1, Verdict::Noise),
        (6, Verdict::Identifies),
        (7, Verdict::Identifies),
    ];
    assert_eq!(verdicts, expected);
    for (page, (key, role)) in pages.iter().zip(&stored.pages) {
        let is_noise = (1..=6).contains(&page.date);
        assert_eq!(
            key.contains("via"),
            page.via.is_some() && !is_noise,
            "{page:?}"
        );
        // A page that was a copy of its story by mistake is a page of its own when it comes again.
        assert_eq!(
            *role == Role::First,
            page.via.is_none() || page.date == 7,
            "{page:?}: {role:?}"
        );
    }
}
