//! A generated crawl archive of forty-four fictitious sites.
//!
//! The pages are as difficult as real ones. Sites differ in language, charset, markup,
//! URLs and size. Thirty-seven are news sites. Their pages have navigation, boxes with headlines
//! of other pages, teasers, adverts, readers' comments, scripts, and mismatched tags. Feeds list
//! one page under several URLs, pages are fetched again, templates change in the middle of the
//! stream, and some rows are not pages. Seven sites are of other kinds: a forum, a shop and so on.
//! The main text is known ([`Page::gold`]). The heuristics of the URL Tree paper score about as
//! well on the general sites as on real blogs, and on the other kinds about as well as on a real
//! site of the kind; tests check this.
//!
//! ```
//! use chrono::NaiveDate;
//! use sample::{SampleOptions, pages};
//!
//! let first = NaiveDate::from_ymd_opt(2011, 10, 24).ok_or("no date")?;
//! let last = NaiveDate::from_ymd_opt(2011, 10, 25).ok_or("no date")?;
//! let options = SampleOptions { first, last, pages: 100, seed: 1 };
//!
//! let archive: Vec<_> = pages(&options).collect();
//! assert!((90..140).contains(&archive.len()));
//! assert!(archive.is_sorted_by_key(|page| page.fetched_at));
//! # Ok::<(), &'static str>(())
//! ```
//!
//! **Sites.** Thirty general sites share the pages of [`SampleOptions::pages`]. Seven more
//! news sites add about a sixth as many rows. No rule of `jobs/rules/url-keys.tsv` knows their
//! parameters, and they have no tracking parameters:
//!
//! | domain | URL of an article | identifies | without effect |
//! |---|---|---|---|
//! | gazette-marlieu.example | `/lecture.cgi?texte117` | the nameless parameter | |
//! | brunnthaler-anzeiger.example | `/reader?doc=117` | `doc` | |
//! | crossbeck-ledger.example | `/read?desk=sport&pos=7` | `desk` and `pos` together | order |
//! | tarn-observer.example | `/sport/2011/slug.html` | path | `pos`, `skin`: three values each |
//! | tribuna-arenal.example | `/2011/10/24/slug.html` | path | `via`: one value per fetch |
//! | zareski-dnevnik.example | `/reader?doc=117` | `doc` | `visit`: one value per fetch; order |
//! | wendholm-journal.example | `/sport/slug-117`, `/culture/slug-117/` | path | twins |
//!
//! The twins of `/sport/slug-117` are `/sport/slug-117/amp`, `/sport/slug-117/print`,
//! `/sport/slug-117;jsessionid=ABC`, and the path on the host `m.wendholm-journal.example`.
//! The twin of `/culture/slug-117/` is `/culture/slug-117/index.html`. The pages of a twin have
//! the same article. Their date line and boxes differ, and the templates for mobile phones
//! and for printing differ from the template of the site.
//!
//! **Kinds.** Seven sites of other kinds add about a fifth as many rows as the general sites:
//!
//! | kind | domain | the gold text has | and does not have |
//! |---|---|---|---|
//! | forum | werkbank-forum.example | title, bodies of all posts, quotations | names, ranks, dates, signatures, buttons, other threads |
//! | documentation | sluicegate.example | title, text, headings, code, notes, tables with their labels | contents, neighbours, requests for opinions |
//! | tickets | millrace.example | summary, description, comments | properties and their changes, names, dates, attachments, votes |
//! | shop | comptoir-valmorel.example | title, description, specification with its labels | prices, stock, reviews, other products |
//! | glossary | glosario-molino.example | term, definition, related terms | letters, neighbours |
//! | ministry | wasserwege-ministerium.example | title, text, the office's own address, its forms | press office, other offices, date of the last change, legal notes, menus |
//! | endless scroll | rechnye-vesti.example | title and text of the first article | captions, share rows, other articles below |
//!
//! These are the rules of gold texts of real sites. Each kind is hard for the reasons that real sites
//! are hard: labels recur beside unique values, the date and number of a post are on no other
//! page, each page of the manual exists in two versions, an address is the text of one page and
//! boilerplate on others, and whole articles of other pages follow an article. F1 of the default and
//! of `strict`, of this archive with its default options and of one real site of each kind:
//!
//! | kind | default, here | real | `strict`, here | real |
//! |---|--:|--:|--:|--:|
//! | forum | .915 | .940 | .906 | .924 |
//! | documentation | .969 | .989 | .626 | .600 |
//! | tickets | .913 | .891 | .920 | .935 |
//! | shop | .784 | .801 | .689 | .694 |
//! | glossary | .997 | .970 | .954 | .968 |
//! | ministry | .904 | .931 | .755 | .722 |
//! | endless scroll | .959 | .932 | .622 | .649 |
//!
//! We have no pages of one real shop. Its figures are the middle between product pages of
//! many shops (.611, .443) and a museum's pages of its collection (.992, .944). A test holds each figure
//! within .04 of the real one, with another seed within .06.
//!
//! **Determinism.** The archive is a function of its options, byte for byte. A test
//! compares the digest of one archive with a constant.
//!
//! **Ranges.** Each page is drawn from the seed, its site, its day and its number on that
//! day, and from the number of pages per day: `pages` divided by the days of the range,
//! rounded down, and at least 1. Two archives with the same seed and the same number of
//! pages per day have the same pages on common days. Redesigns and launches of sites
//! happen on calendar days, independent of the range.
//!
//! **Gold.** Every row with a whole text has a gold text. Duplicates, twins and refetched
//! pages have the gold text of the page that they repeat, except for threads and tickets, which
//! grow: the text of a later fetch begins with that of an earlier one. Lists of articles and broken
//! rows have none; a truncated page is a broken row. On the seven news sites with other URLs, two
//! rows with gold texts are the same page exactly if these texts and the site are equal; a test
//! checks this.
//!
//! **Memory.** The iterator keeps the pages of one day in memory, and the stories (not the
//! pages) of the week before it.
//!
//! **Files.** With the feature `archive`, `write_sample` writes the pages as Parquet
//! files that a job reads, and the gold texts beside them, and `write_sample_warc` as WARC
//! files that an import reads. Without this feature the crate depends neither on Arrow nor on
//! object stores.
//!
//! **Limits.** The archive resembles real archives only in the properties that the tests
//! measure. It has no third-party text: its sentences are grammatical and meaningless. All
//! hosts are under `.example`, which cannot be registered. A site has at most 90,000
//! stories a day.

mod address;
#[cfg(feature = "archive")]
mod archive;
mod boxes;
mod broken;
mod days;
mod dice;
mod html;
mod kind;
mod kinds;
mod language;
mod moment;
mod options;
mod page;
mod row;
mod site;
mod sites;
mod sites_of_kinds;
mod story;
mod template;
mod titles;

use chrono::NaiveDate;

#[cfg(feature = "archive")]
pub use archive::{SampleCounts, SampleError, write_sample, write_sample_warc};
pub use options::SampleOptions;
pub use row::{Gold, Page};

/// Returns the days of the archive, each with its pages in time order. One day at a time
/// is in memory.
pub fn days(options: &SampleOptions) -> impl Iterator<Item = (NaiveDate, Vec<Page>)> + use<> {
    days::Days::new(options)
}

/// Returns the pages of an archive in time order. It is empty if `last` is before `first`.
pub fn pages(options: &SampleOptions) -> impl Iterator<Item = Page> + use<> {
    days(options).flat_map(|(_, pages)| pages)
}
