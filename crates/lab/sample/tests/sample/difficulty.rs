//! The sample is as difficult as real sites.
//!
//! On 17 real blogs the published heuristics reach an F1 of .916 (`strict`, page by page),
//! .917 (by date), .920 (`relaxed-at-domain-500`) and .923 (`vote-slow`), with a precision
//! of about .88 and a recall of .96. The F1 of single sites is from .70 to 1.00.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use chrono::NaiveDate;
use sample::{Page, SampleOptions, pages};
use site_replay::Labelling;
use url_tree::Heuristic;

use crate::kinds;
use crate::queries::is_general;
use crate::scoring::{self, Batch, Document};

/// The unique pages of general sites in the default archive of `urltree-sample`.
static DOCUMENTS: LazyLock<Vec<Document>> = LazyLock::new(|| documents(1, is_general));

fn documents(seed: u64, of: fn(&Page) -> bool) -> Vec<Document> {
    let first = NaiveDate::from_ymd_opt(2011, 10, 24).expect("a date");
    let last = NaiveDate::from_ymd_opt(2011, 12, 19).expect("a date");
    let archive: Vec<_> = pages(&SampleOptions {
        first,
        last,
        pages: 6_000,
        seed,
    })
    .filter(of)
    .collect();
    let rows = archive
        .iter()
        .filter(|page| page.http_status == Some(200))
        .filter_map(|page| {
            let content_type = page.content_type.as_deref().unwrap_or_default();
            let parameter = content_type
                .split_once("charset=")
                .map(|(_, charset)| charset);
            Some((
                page.fetched_at,
                page.url.as_deref()?,
                page.html.as_slice(),
                page.http_charset.as_deref().or(parameter),
                page.gold.as_ref().map(|gold| gold.text.as_str()),
            ))
        });
    scoring::documents(include_str!("../../../../../jobs/rules/url-keys.tsv"), rows)
}

/// Asserts that a value is within a range of thousandths.
fn assert_within(found: f64, band: RangeInclusive<u32>, what: &str) {
    let thousandths = (found * 1000.0).round() as u32;
    assert!(band.contains(&thousandths), "{what}: {found:.3}");
}

#[test]
fn the_published_heuristics_score_as_on_real_sites() {
    let strict = Heuristic::Strict;
    // On the 17 real sites: strict .900 .869 .959, relaxed .903 .877 .955, vote-slow .904 .868 .968. The sample's
    // lines of names and dates are more often sentences, which costs precision.
    for (heuristic, batch, f1, precision, recall) in [
        (strict, Batch::Page, 885..=915, 830..=890, 940..=980),
        (strict, Batch::Date, 885..=915, 830..=890, 940..=980),
        (
            Heuristic::RelaxedAtDomain(500),
            Batch::Date,
            885..=920,
            835..=895,
            935..=975,
        ),
        (
            Heuristic::VoteSlow,
            Batch::Date,
            885..=920,
            830..=890,
            945..=985,
        ),
    ] {
        let labelling = Labelling::Tree(heuristic);
        let score = scoring::macro_score(&scoring::scores(&DOCUMENTS, labelling, batch));
        let what = format!("{heuristic} by {batch:?}");
        assert_within(score.f1, f1, &format!("{what}, F1"));
        assert_within(score.precision, precision, &format!("{what}, precision"));
        assert_within(score.recall, recall, &format!("{what}, recall"));
    }
}

#[test]
fn some_sites_are_easy_and_some_are_hard() {
    let sites = scoring::scores(&DOCUMENTS, Labelling::Tree(Heuristic::Strict), Batch::Page);
    assert_eq!(sites.len(), 30);
    let mut f1: Vec<f64> = sites.values().map(|score| score.f1).collect();
    f1.sort_by(f64::total_cmp);
    assert_within(f1[0], 650..=850, "the hardest site");
    assert_within(f1[29], 960..=1000, "the easiest site");
    assert_within(f1[25] - f1[4], 50..=200, "spread");
}

#[test]
fn pages_have_realistic_sizes() {
    let mean = |value: &dyn Fn(&Document) -> f64| {
        DOCUMENTS.iter().map(value).sum::<f64>() / DOCUMENTS.len() as f64
    };
    let bytes = mean(&|document| document.html_bytes as f64);
    assert!((15_000.0..40_000.0).contains(&bytes), "{bytes} bytes");
    let distinct = mean(&|document| document.distinct as f64);
    assert!(
        (40.0..90.0).contains(&distinct),
        "{distinct} distinct blocks"
    );
    let text = mean(&|document| {
        let text: usize = document.blocks.iter().map(|block| block.text.len()).sum();
        text as f64 / document.html_bytes as f64
    });
    assert!((0.05..0.25).contains(&text), "{text} of the page is text");
}

#[test]
fn another_seed_is_as_difficult() {
    let sites = scoring::scores(
        &documents(2, is_general),
        Labelling::Tree(Heuristic::Strict),
        Batch::Date,
    );
    let score = scoring::macro_score(&sites);
    assert_within(score.f1, 880..=950, "F1");
}

/// A kind of site with the F1 of a site of the field: of the default, and of `strict`.
struct Field {
    kind: &'static str,
    default: f64,
    strict: f64,
}

/// The figures are those of `docs/evaluation.md`, of one real site of each kind. We have no real
/// shop with history. The figures of the shop are the middle between product pages of which no
/// other page is known (WCXB, .611 and .443) and a museum with history, whose pages have a title,
/// a description and properties too (.992 and .944; a site with recipes .990 and .930).
const FIELD: [Field; 7] = [
    field("forum", 0.940, 0.924),
    field("documentation", 0.989, 0.600),
    field("tickets", 0.891, 0.935),
    field("shop", 0.801, 0.694),
    field("glossary", 0.970, 0.968),
    field("ministry", 0.931, 0.722),
    field("endless scroll", 0.942, 0.649),
];

const fn field(kind: &'static str, default: f64, strict: f64) -> Field {
    Field {
        kind,
        default,
        strict,
    }
}

/// Asserts that both figures of each kind are at most `off` above or below those of the field.
fn assert_as_in_the_field(seed: u64, off: f64) {
    let documents = documents(seed, |page| kinds::kind(page).is_some());
    let strict = Labelling::Tree(Heuristic::Strict);
    let [default, strict] = [Labelling::Template, strict]
        .map(|labelling| scoring::scores(&documents, labelling, Batch::Date));
    let far: Vec<String> = FIELD
        .iter()
        .flat_map(|field| {
            let domain = kinds::domain(field.kind);
            [
                (field.kind, "default", default[domain].f1, field.default),
                (field.kind, "strict", strict[domain].f1, field.strict),
            ]
        })
        .filter(|(_, _, found, of_field)| (found - of_field).abs() > off)
        .map(|(kind, method, found, of_field)| {
            format!("{kind}, {method}: {found:.3}, in the field {of_field:.3}")
        })
        .collect();
    assert!(far.is_empty(), "{far:#?}");
}

/// The figures of this seed are in the documentation of the crate.
#[test]
fn each_kind_of_site_is_as_hard_as_in_the_field() {
    assert_as_in_the_field(1, 0.04);
}

#[test]
fn kinds_of_sites_of_another_seed_are_about_as_hard() {
    assert_as_in_the_field(2, 0.06);
}
