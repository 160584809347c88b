//! # Boilerplate of a small site
//!
//! Labels the text blocks of eight pages of a made-up site, and prints the pages of one section:
//!
//! ```text
//! cargo run --package urltree-url-tree --example clean_a_site
//! ```
//!
//! A line is one block: `+` for content or `-` for boilerplate, the counts that decided, and the
//! text.

use std::io::{self, Write};

use md5::{Digest, Md5};
// ---
// `DomainReplay` is the state of one domain. The other types are its input and its output.
use url_tree::{BlockHash, DomainReplay, Entry, Heuristic, Verdict, WindowOptions};

/// A page: its branch, and its text blocks in page order.
///
/// The branch has the host labels from the right to the left, then the path segments without the
/// last one. These pages are `http://www.news.example/trees/1.html` and so on. The crates
/// `html-blocks` and `url-key` get blocks and branches from HTML and URLs.
struct Page {
    branch: [&'static str; 4],
    texts: [&'static str; 4],
}

const fn page(section: &'static str, texts: [&'static str; 4]) -> Page {
    Page {
        branch: ["example", "news", "www", section],
        texts,
    }
}

const MENU: &str = "Home | Trees | Weather";
const FOOTER: &str = "Printed on recycled leaves";

const PAGES: [Page; 8] = [
    page("weather", [MENU, "Wind from the west", "Forecast", FOOTER]),
    page("weather", [MENU, "Rain until Friday", "Forecast", FOOTER]),
    page(
        "trees",
        [MENU, "An oak is 900 years old", "More on trees", FOOTER],
    ),
    page(
        "trees",
        [MENU, "Ash trees recover", "More on trees", FOOTER],
    ),
    page("trees", [MENU, "The elm is back", "More on trees", FOOTER]),
    page("trees", [MENU, "Forecast", "More on trees", FOOTER]),
    page("trees", [MENU, "Birches in bloom", "More on trees", FOOTER]),
    page("weather", [MENU, "Sunshine", "Forecast", FOOTER]),
];

/// Labels the pages and prints those of the section "trees".
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub fn run(out: &mut impl Write) -> io::Result<()> {
    // # State
    //
    // The domain node of "news.example" has two labels. `Strict` is the default heuristic of the
    // paper: the section decides once it has five pages, before that the host or the domain.
    let mut replay = DomainReplay::new(2, Heuristic::Strict, WindowOptions::default());

    // # Insertion
    //
    // All pages of a batch are inserted before the first is labelled.
    for (minute, page) in (0..).zip(&PAGES) {
        replay.insert(Entry {
            time_micros: minute * 60_000_000,
            branch: &page.branch,
            hashes: &page.texts.map(hash),
        });
    }

    // # Labels
    //
    // `counts` is "pages of the node that contain the block / pages of the node". The text
    // "Forecast" repeats in the section "weather", but it is content in the section "trees".
    for page in PAGES.iter().filter(|page| page.branch[3] == "trees") {
        let labels = replay.label(&page.branch, &page.texts.map(hash));
        for (text, label) in page.texts.iter().zip(&labels.blocks) {
            let mark = match label.verdict {
                Verdict::Content => '+',
                Verdict::Boilerplate => '-',
            };
            writeln!(out, "{mark} {}/{} {text}", label.count, label.support)?;
        }
        writeln!(out)?;
    }

    // # Eviction
    //
    // The end of a batch evicts entries that have left the window. The window of this site is
    // far from full.
    let evicted = replay.end_batch(7 * 60_000_000);
    writeln!(
        out,
        "{evicted} evicted, {} in the window",
        replay.window_len()
    )
}

/// Hashes a text. A real caller normalises case, spaces and punctuation before.
fn hash(text: &str) -> BlockHash {
    Md5::digest(text).into()
}

fn main() -> io::Result<()> {
    run(&mut io::stdout().lock())
}
