//! # Keys of URLs
//!
//! Prints the key of each URL, from the arguments or else from the lines of standard input:
//!
//! ```text
//! cargo run -p urltree-url-key --example url_keys -- 'https://example.com/a/?id=7&utm_source=x'
//! ```
//!
//! A line of the output is a URL, its domain and its key, or the reason why it has no key.

use std::error::Error;
use std::io::Write;

// ---
// Import the keyer and its three inputs: options, rules and blocklist.
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};

/// Prints the keys of URLs.
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub fn run(
    urls: impl IntoIterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    // # Rules
    //
    // A URL without a matching rule loses its query. This rule keeps the parameter `id` on all
    // URLs that have it. Expression and parameters are separated by tabs.
    let rules = RuleSet::parse("^http://\tid")?;

    // # The keyer
    //
    // Build it once. By default `http` and `https` are one page, and pages are grouped by
    // registrable domain. `KeyOptions` is non-exhaustive, so set fields on the default value.
    let mut options = KeyOptions::default();
    options.max_url_bytes = 2_000;
    let keyer = Keyer::new(options, rules, Blocklist::default())?;

    for url in urls {
        // # Parsing
        //
        // `parse` finds the rule that applies. `needs_title` would say that the key depends on
        // the page's title: only with a rule that keeps `_cid_`.
        match keyer.parse(&url) {
            Ok(page) => {
                // # The key
                //
                // URLs with equal keys are one page.
                let key = keyer.key(&page, None);
                writeln!(out, "{url}\t{}\t{}", key.domain, key.text)?;
            }
            Err(error) => writeln!(out, "{url}\t{error}")?,
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        let lines: Vec<String> = std::io::stdin().lines().collect::<Result<_, _>>()?;
        run(lines, &mut out)
    } else {
        run(arguments, &mut out)
    }
}
