//! The token classifier.

use std::collections::{BTreeMap, HashMap};

use super::tokens::{Token, tokens, trigrams};
use crate::Page;
use crate::dom::Dom;
use crate::text::line_numbers;

/// Units of a logit in a model.
const LOGIT: f64 = 16.0;

/// The greatest logit of a feature in a model: with it, the character of every logit can be
/// printed.
const MOST: f64 = 2.8;

/// A naive Bayes classifier over the trigram of tokens that begins with a token, and the
/// element around it. A model has their logits, in 1/16.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenModel {
    trigrams: HashMap<u32, i8>,
    elements: BTreeMap<String, i8>,
}

impl TokenModel {
    /// Reads a model: lines `tag NAME LOGIT`, and lines of trigrams, each of four characters
    /// for its hash and one for its logit. Lines that begin with `# ` are comments. Returns
    /// `None` for other text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut model = Self::default();
        for line in text.lines().filter(|line| !line.starts_with("# ")) {
            if let Some(element) = line.strip_prefix("tag ") {
                let (name, logit) = element.split_once(' ')?;
                model.elements.insert(name.to_owned(), logit.parse().ok()?);
                continue;
            }
            let (trigrams, rest) = line.as_bytes().as_chunks::<5>();
            if !rest.is_empty() {
                return None;
            }
            for [a, b, c, d, logit] in trigrams {
                let mut hash = 0;
                for digit in [a, b, c, d] {
                    hash = hash << 6 | digit_value(*digit)?;
                }
                let logit = i8::try_from(i16::from(*logit) - i16::from(ZERO)).ok()?;
                model.trigrams.insert(hash, logit);
            }
        }
        Some(model)
    }

    /// Returns the model as text for [`parse`](Self::parse), after a comment of lines that
    /// begin with `# `.
    #[must_use]
    pub fn to_text(&self, comment: &str) -> String {
        let mut text = format!("{}\n", comment.trim_end());
        for (name, logit) in &self.elements {
            text.push_str(&format!("tag {name} {logit}\n"));
        }
        let mut trigrams: Vec<(u32, i8)> = self.trigrams.iter().map(|(h, l)| (*h, *l)).collect();
        trigrams.sort_unstable();
        for line in trigrams.chunks(20) {
            for (hash, logit) in line {
                for shift in [18, 12, 6, 0] {
                    text.push(char::from(DIGITS[(hash >> shift) as usize % 64]));
                }
                let logit = i16::from(*logit) + i16::from(ZERO);
                text.push(char::from(u8::try_from(logit).unwrap_or(ZERO)));
            }
            text.push('\n');
        }
        text
    }

    /// Returns the score of each token: the probability that it is content, less one half, in
    /// 1/65,536. Both classes are equally likely beforehand.
    pub(super) fn scores(&self, dom: &Dom, tokens: &[Token]) -> Vec<i32> {
        let of_element = |token: &Token| {
            let name = dom.element(token.element).map(|element| &*element.name);
            name.and_then(|name| self.elements.get(name)).copied()
        };
        (tokens.iter().zip(trigrams(tokens)))
            .map(|(token, trigram)| {
                let trigram = self.trigrams.get(&trigram).copied().unwrap_or(0);
                let element = of_element(token).unwrap_or(0);
                let logit = f64::from(i16::from(trigram) + i16::from(element)) / LOGIT;
                ((1.0 / (1.0 + (-logit).exp()) - 0.5) * 65_536.0).round() as i32
            })
            .collect()
    }
}

/// The character of the logit 0 in a model.
const ZERO: u8 = b'P';

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn digit_value(digit: u8) -> Option<u32> {
    let at = DIGITS.iter().position(|other| *other == digit)?;
    u32::try_from(at).ok()
}

/// Counts from which a [`TokenModel`] is made.
#[derive(Debug, Default)]
pub struct TokenCounts {
    trigrams: HashMap<u32, Count>,
    elements: BTreeMap<String, Count>,
    pages: u32,
}

/// The tokens inside and outside of content, and the pages, that have a feature.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    inside: f64,
    outside: f64,
    pages: u32,
    last_page: u32,
}

impl TokenCounts {
    /// Counts the features of a page. `is_content` says of each of its segments
    /// ([`segments`](crate::training::segments)) whether it is content. As in the paper's
    /// examples, content is one range of the page: the one in which the words of content
    /// most outnumber the others.
    pub fn add(&mut self, page: &Page<'_>, is_content: &[bool]) {
        let dom = page.dom();
        let tokens = tokens(dom);
        let lines = line_numbers(dom);
        let vote = |token: &Token| match &token.text {
            Some((node, _)) => match is_content.get(lines[*node]) {
                Some(true) => 1,
                Some(false) => -1,
                None => 0,
            },
            None => 0,
        };
        let votes: Vec<i32> = tokens.iter().map(vote).collect();
        let ranges = super::subsequence::maximum_subsequences(&votes, 1);
        let is_inside = |at: usize| ranges.iter().any(|range| range.contains(&at));
        self.pages += 1;
        for (at, (token, trigram)) in tokens.iter().zip(trigrams(&tokens)).enumerate() {
            let page = self.pages;
            let trigram = self.trigrams.entry(trigram).or_default();
            trigram.add(is_inside(at), page);
            if let Some(element) = dom.element(token.element) {
                let element = self.elements.entry(element.name.to_string()).or_default();
                element.add(is_inside(at), page);
            }
        }
    }

    /// Makes a model of the `most` trigrams on most pages, and of the elements on at least
    /// `least_pages`. The logit of a feature is that of its shares of all tokens inside and
    /// outside, with add-one smoothing.
    #[must_use]
    pub fn model(&self, most: usize, least_pages: u32) -> TokenModel {
        let mut trigrams: Vec<(u32, &Count)> = (self.trigrams.iter())
            .filter(|(_, count)| count.pages >= least_pages)
            .map(|(hash, count)| (*hash, count))
            .collect();
        let totals = totals(self.trigrams.values());
        trigrams.retain(|(_, count)| count.logit(totals) != 0);
        trigrams.sort_unstable_by_key(|(hash, count)| (std::cmp::Reverse(count.pages), *hash));
        trigrams.truncate(most);
        let of_elements = self::totals(self.elements.values());
        TokenModel {
            trigrams: (trigrams.iter())
                .map(|(hash, count)| (*hash, count.logit(totals)))
                .collect(),
            elements: (self.elements.iter())
                .filter(|(_, count)| count.pages >= least_pages)
                .map(|(name, count)| (name.clone(), count.logit(of_elements)))
                .collect(),
        }
    }
}

/// The tokens inside and outside, and the number of features.
fn totals<'c>(counts: impl Iterator<Item = &'c Count>) -> [f64; 3] {
    counts.fold([0.0; 3], |[inside, outside, features], count| {
        [
            inside + count.inside,
            outside + count.outside,
            features + 1.0,
        ]
    })
}

impl Count {
    fn add(&mut self, is_inside: bool, page: u32) {
        if is_inside {
            self.inside += 1.0;
        } else {
            self.outside += 1.0;
        }
        self.pages += u32::from(self.last_page != page);
        self.last_page = page;
    }

    fn logit(&self, [inside, outside, features]: [f64; 3]) -> i8 {
        let share_inside = (self.inside + 1.0) / (inside + features);
        let share_outside = (self.outside + 1.0) / (outside + features);
        let logit = (share_inside / share_outside).ln().clamp(-MOST, MOST);
        (logit * LOGIT).round() as i8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn logits_follow_bayes() {
        let count = Count {
            inside: 9.0,
            outside: 0.0,
            ..Count::default()
        };
        // (9 + 1) / (90 + 10) inside, (0 + 1) / (40 + 10) outside: ln 5.
        let logit = f64::from(count.logit([90.0, 40.0, 10.0])) / LOGIT;
        assert!((logit - 5.0_f64.ln()).abs() < 0.05, "{logit}");
    }

    #[test]
    fn a_score_is_a_probability_less_one_half() {
        let mut model = TokenModel::default();
        let dom = parse("<p>tea");
        let tokens = tokens(&dom);
        assert_eq!(model.scores(&dom, &tokens), [0; 5]);
        // Tokens: body, p, the word, and two ends. Logits of 1 and of 2 - 1.
        model.elements.insert("p".to_owned(), -16);
        model.trigrams.insert(trigrams(&tokens)[2], 48);
        let probability = |logit: f64| 65_536.0 * (1.0 / (1.0 + (-logit).exp()) - 0.5);
        let expected = [0.0, -1.0, 2.0, -1.0, 0.0].map(|l| probability(l).round() as i32);
        assert_eq!(model.scores(&dom, &tokens), expected);
    }

    #[test]
    fn a_model_is_written_and_read() {
        let pages = [
            "<ul><li>Home<li>About</ul><p>Tea is a drink.",
            "<ul><li>Home<li>About</ul><p>Tea is a leaf.",
        ];
        let mut counts = TokenCounts::default();
        for html in pages {
            counts.add(&Page::new("", html), &[false, false, true]);
        }
        let model = counts.model(100, 2);
        assert!(model.elements["p"] > 0 && model.elements["li"] < 0);
        assert!(!model.trigrams.is_empty());
        let text = model.to_text("# A comment.\n");
        assert_eq!(TokenModel::parse(&text), Some(model));
        for broken in ["AAA", "AAAA\u{e9}", "AA-AP", "tag p", "tag p much"] {
            assert_eq!(TokenModel::parse(broken), None, "{broken:?}");
        }
    }
}
