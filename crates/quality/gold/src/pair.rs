//! Which gold belongs to which page.

use std::collections::HashMap;

use thiserror::Error;

/// What the published sets put behind the name of a page.
const ENDS: [&str; 7] = [
    ".html",
    ".htm",
    ".xhtml",
    "-cleaned",
    ".corrected",
    ".txt",
    ".gz",
];

/// What names a page in its set: the name of its file, or of its gold, without what
/// the set puts behind it.
///
/// ```
/// for name in ["R2.html", "R2.HTML.gz", "R2.html.corrected.txt", "R2-cleaned.txt", "R2"] {
///     assert_eq!(gold::page_id(name), "R2");
/// }
/// assert_eq!(gold::page_id("bbc.co.uk_news_01.html"), "bbc.co.uk_news_01");
/// ```
pub fn page_id(name: &str) -> &str {
    let mut id = name;
    while let Some(shorter) = ENDS.iter().find_map(|end| strip_end(id, end)) {
        id = shorter;
    }
    id
}

fn strip_end<'n>(name: &'n str, end: &str) -> Option<&'n str> {
    let middle = name.len().checked_sub(end.len()).filter(|at| *at > 0)?;
    let (start, last) = name.split_at_checked(middle)?;
    last.eq_ignore_ascii_case(end).then_some(start)
}

/// Pages and their golds. Every name that came is in exactly one of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing<'n> {
    /// A page and its gold, in the order of the pages.
    pub pairs: Vec<(&'n str, &'n str)>,
    /// Pages without gold, in their order: 59 in the final CleanEval set.
    pub pages_without_gold: Vec<&'n str>,
    /// Golds without page, in their order.
    pub golds_without_page: Vec<&'n str>,
}

/// Two names of the same page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PairError {
    /// Golds that contradict each other.
    #[error("two golds for {id}: {first} and {second}")]
    TwoGolds {
        /// What names the page.
        id: String,
        /// The gold that came first.
        first: String,
        /// The other one.
        second: String,
    },
    /// One gold for several pages.
    #[error("two pages for {id}: {first} and {second}")]
    TwoPages {
        /// What names the pages.
        id: String,
        /// The page that came first.
        first: String,
        /// The other one.
        second: String,
    },
}

/// Pairs the names of pages with those of golds by [`page_id`]. Names are of files,
/// or ids of JSON; folders in them are part of the name.
///
/// # Errors
///
/// If two pages or two golds have the same id.
pub fn pair<'n>(
    pages: impl IntoIterator<Item = &'n str>,
    golds: impl IntoIterator<Item = &'n str>,
) -> Result<Pairing<'n>, PairError> {
    let pages: Vec<&str> = pages.into_iter().collect();
    let golds: Vec<&str> = golds.into_iter().collect();
    let page_of = by_id(&pages, |id, first, second| PairError::TwoPages {
        id,
        first,
        second,
    })?;
    let gold_of = by_id(&golds, |id, first, second| PairError::TwoGolds {
        id,
        first,
        second,
    })?;
    let mut pairing = Pairing::default();
    for page in pages {
        match gold_of.get(page_id(page)) {
            Some(gold) => pairing.pairs.push((page, gold)),
            None => pairing.pages_without_gold.push(page),
        }
    }
    let alone = |gold: &&str| !page_of.contains_key(page_id(gold));
    pairing.golds_without_page = golds.into_iter().filter(alone).collect();
    Ok(pairing)
}

/// Names by id; an error of an id that two of them have.
fn by_id<'n>(
    names: &[&'n str],
    twice: impl Fn(String, String, String) -> PairError,
) -> Result<HashMap<&'n str, &'n str>, PairError> {
    let mut by_id = HashMap::with_capacity(names.len());
    for name in names {
        let id = page_id(name);
        if let Some(first) = by_id.insert(id, *name) {
            return Err(twice(id.to_owned(), first.to_owned(), (*name).to_owned()));
        }
    }
    Ok(by_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_names_its_files_in_its_own_way() {
        for (page, gold) in [
            ("12.html", "12-cleaned.txt"),
            ("12.html", "12.txt"),
            ("4a3c-d9.html", "4a3c-d9.html"),
            ("R2.html", "R2.html.corrected.txt"),
            ("BBC/3.htm", "BBC/3.txt"),
            ("042bb7.html.gz", "042bb7"),
        ] {
            let pairing = pair([page], [gold]).expect("one of each");
            assert_eq!(pairing.pairs, [(page, gold)]);
            assert_eq!(page_id(page), page_id(gold));
        }
        // An end is no name.
        assert_eq!(page_id(".txt"), ".txt");
        assert_eq!(page_id(""), "");
    }

    #[test]
    fn no_name_is_lost() {
        let pages = ["2.html", "1.html", ".DS_Store", "3.html"];
        let golds = ["9.txt", "1.txt", "3.txt", "8.txt"];
        let pairing = pair(pages, golds).expect("one gold for a page");
        assert_eq!(pairing.pairs, [("1.html", "1.txt"), ("3.html", "3.txt")]);
        assert_eq!(pairing.pages_without_gold, ["2.html", ".DS_Store"]);
        assert_eq!(pairing.golds_without_page, ["9.txt", "8.txt"]);
        assert_eq!(pair([], []), Ok(Pairing::default()));
    }

    #[test]
    fn two_golds_for_a_page_are_both_named() {
        let error = pair(["1.html"], ["1.txt", "1-cleaned.txt"]).expect_err("two golds");
        assert_eq!(
            error.to_string(),
            "two golds for 1: 1.txt and 1-cleaned.txt"
        );
        let error = pair(["1.html", "1.htm"], ["1.txt"]).expect_err("two pages");
        assert_eq!(error.to_string(), "two pages for 1: 1.html and 1.htm");
    }
}
