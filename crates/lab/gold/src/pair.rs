//! Pairing of pages and gold files by name.

use std::collections::HashMap;

use thiserror::Error;

/// Suffixes of file names in the published sets.
const SUFFIXES: [&str; 7] = [
    ".html",
    ".htm",
    ".xhtml",
    "-cleaned",
    ".corrected",
    ".txt",
    ".gz",
];

/// Returns the id of a page in its set: the name of the page or of its gold file, without
/// the suffixes that the set appends.
///
/// ```
/// for name in ["R2.html", "R2.HTML.gz", "R2.html.corrected.txt", "R2-cleaned.txt", "R2"] {
///     assert_eq!(gold::page_id(name), "R2");
/// }
/// assert_eq!(gold::page_id("bbc.co.uk_news_01.html"), "bbc.co.uk_news_01");
/// ```
pub fn page_id(name: &str) -> &str {
    let mut id = name;
    while let Some(shorter) = SUFFIXES.iter().find_map(|suffix| strip_suffix(id, suffix)) {
        id = shorter;
    }
    id
}

fn strip_suffix<'n>(name: &'n str, suffix: &str) -> Option<&'n str> {
    let middle = name.len().checked_sub(suffix.len()).filter(|at| *at > 0)?;
    let (start, last) = name.split_at_checked(middle)?;
    last.eq_ignore_ascii_case(suffix).then_some(start)
}

/// Pages paired with gold files. Every given name is in exactly one of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing<'n> {
    /// Pages with their gold file, in the order of the pages.
    pub pairs: Vec<(&'n str, &'n str)>,
    /// Pages without gold, in the order given: 59 in the final CleanEval set.
    pub pages_without_gold: Vec<&'n str>,
    /// Gold files without page, in the order given.
    pub gold_without_page: Vec<&'n str>,
}

/// Two names with the same [`page_id`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PairError {
    /// Two gold files for one page.
    #[error("page {id} has two gold files, {first} and {second}; remove one of them")]
    TwoGoldFiles {
        /// The id of the page.
        id: String,
        /// The first gold file.
        first: String,
        /// The second gold file.
        second: String,
    },
    /// Two pages with one id.
    #[error("two pages have the id {id}: {first} and {second}; rename or remove one of them")]
    TwoPages {
        /// The id of the pages.
        id: String,
        /// The first page.
        first: String,
        /// The second page.
        second: String,
    },
}

/// Pairs the names of pages with those of gold files by [`page_id`].
///
/// A name is that of a file, or an id from JSON. Folders in a name are part of it.
///
/// # Errors
///
/// If two pages or two gold files have the same id.
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
    let gold_of = by_id(&golds, |id, first, second| PairError::TwoGoldFiles {
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
    pairing.gold_without_page = golds.into_iter().filter(alone).collect();
    Ok(pairing)
}

/// Maps ids to names. Returns the error of `twice` if two names have the same id.
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
    fn names_of_all_sets_are_paired() {
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
        // A suffix alone is a name.
        assert_eq!(page_id(".txt"), ".txt");
        assert_eq!(page_id(""), "");
    }

    #[test]
    fn every_name_is_paired_or_listed() {
        let pages = ["2.html", "1.html", ".DS_Store", "3.html"];
        let golds = ["9.txt", "1.txt", "3.txt", "8.txt"];
        let pairing = pair(pages, golds).expect("one gold for a page");
        assert_eq!(pairing.pairs, [("1.html", "1.txt"), ("3.html", "3.txt")]);
        assert_eq!(pairing.pages_without_gold, ["2.html", ".DS_Store"]);
        assert_eq!(pairing.gold_without_page, ["9.txt", "8.txt"]);
        assert_eq!(pair([], []), Ok(Pairing::default()));
    }

    #[test]
    fn an_error_names_both_files_with_the_same_id() {
        let error = pair(["1.html"], ["1.txt", "1-cleaned.txt"]).expect_err("two gold files");
        assert_eq!(
            error.to_string(),
            "page 1 has two gold files, 1.txt and 1-cleaned.txt; remove one of them"
        );
        let error = pair(["1.html", "1.htm"], ["1.txt"]).expect_err("two pages");
        assert_eq!(
            error.to_string(),
            "two pages have the id 1: 1.html and 1.htm; rename or remove one of them"
        );
    }
}
