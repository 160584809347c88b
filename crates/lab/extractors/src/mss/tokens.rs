//! A page as a sequence of tokens.

use std::ops::Range;

use crate::dom::{Dom, NodeId, NodeKind};

/// Letters of a word that are compared.
const STEM: usize = 5;

/// Tokens of a page; the rest of the page is ignored. An article has some thousand. A token and
/// its scores take about 100 bytes.
const TOKENS: usize = 1_000_000;

/// A token: a tag, a word or another character of the text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// A hash of the normalised token.
    hash: u64,
    /// The innermost element around the token. For a tag, the element itself.
    pub(super) element: NodeId,
    /// The text node of a word or character, and its bytes there.
    pub(super) text: Option<(NodeId, Range<usize>)>,
}

/// Returns the tokens of the body: start tags, end tags, words and other characters.
pub(super) fn tokens(dom: &Dom) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    let body = dom.subtree(dom.body());
    let name = |id: NodeId| dom.element(id).map_or("", |element| &*element.name);
    for id in body {
        if tokens.len() >= TOKENS {
            break;
        }
        while let Some(last) = open.pop_if(|last| dom.node(*last).end <= id) {
            tokens.push(Token::tag("end", name(last), last));
        }
        match &dom.node(id).kind {
            NodeKind::Element(element) => {
                tokens.push(Token::tag("start", &element.name, id));
                open.push(id);
            }
            NodeKind::Text(text) => push_text(&mut tokens, dom.node(id).parent, id, text),
        }
    }
    while let Some(last) = open.pop() {
        tokens.push(Token::tag("end", name(last), last));
    }
    tokens.truncate(TOKENS);
    tokens
}

impl Token {
    fn tag(kind: &str, name: &str, element: NodeId) -> Self {
        Self {
            hash: hash(&[kind, name]),
            element,
            text: None,
        }
    }

    fn text(word: &str, element: NodeId, node: NodeId, start: usize) -> Self {
        Self {
            hash: hash(&["text", &normalised(word)]),
            element,
            text: Some((node, start..start + word.len())),
        }
    }
}

fn push_text(tokens: &mut Vec<Token>, element: NodeId, node: NodeId, text: &str) {
    let mut word = None;
    for (at, character) in text.char_indices() {
        if tokens.len() >= TOKENS {
            return;
        }
        if character.is_alphanumeric() {
            word.get_or_insert(at);
            continue;
        }
        if let Some(start) = word.take() {
            tokens.push(Token::text(&text[start..at], element, node, start));
        }
        if !character.is_whitespace() {
            let end = at + character.len_utf8();
            tokens.push(Token::text(&text[at..end], element, node, at));
        }
    }
    if let Some(start) = word {
        tokens.push(Token::text(&text[start..], element, node, start));
    }
}

/// Returns the stem of a word: its first letters in lower case. A number becomes `1`.
fn normalised(word: &str) -> String {
    if word.chars().all(char::is_numeric) {
        return "1".to_owned();
    }
    word.chars()
        .flat_map(char::to_lowercase)
        .take(STEM)
        .collect()
}

/// Returns for each token a hash of it and of the two tokens after it, in the 24 bits that a
/// model has room for.
pub(super) fn trigrams(tokens: &[Token]) -> Vec<u32> {
    let at = |at: usize| tokens.get(at).map_or(0, |token| token.hash);
    (0..tokens.len())
        .map(|first| {
            let bytes = [at(first), at(first + 1), at(first + 2)].map(u64::to_le_bytes);
            (fnv(FNV_START, bytes.as_flattened()) >> 40) as u32
        })
        .collect()
}

/// Returns a hash of some texts. Models have hashes in them, so they are those of FNV-1a
/// (Fowler, Noll, Vo), which never change, and not those of the standard library.
fn hash(texts: &[&str]) -> u64 {
    let hash = |hash, text: &&str| fnv(fnv(hash, text.as_bytes()), &[0]);
    texts.iter().fold(FNV_START, hash)
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

fn fnv(start: u64, bytes: &[u8]) -> u64 {
    let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(start, add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn tags_words_and_marks_are_tokens() {
        let dom = parse("<p>Tea, please <b>now</b></p><br>");
        let tokens = tokens(&dom);
        let text = |token: &Token| {
            let (node, range) = token.text.clone()?;
            let NodeKind::Text(text) = &dom.node(node).kind else {
                return None;
            };
            Some(text[range].to_owned())
        };
        let shown: Vec<String> = tokens
            .iter()
            .map(|token| text(token).unwrap_or_else(|| "<>".to_owned()))
            .collect();
        // body, p, three words and a comma, b with a word, and their ends; br has an end too.
        assert_eq!(
            shown,
            [
                "<>", "<>", "Tea", ",", "please", "<>", "now", "<>", "<>", "<>", "<>", "<>"
            ]
        );
        assert!(dom.is(tokens[6].element, "b"));
    }

    #[test]
    fn a_page_has_a_limited_number_of_tokens() {
        let long = "a b. ".repeat(TOKENS / 3 + 10);
        assert_eq!(tokens(&parse(&long)).len(), TOKENS);
    }

    #[test]
    fn words_are_compared_by_their_stems() {
        assert_eq!(normalised("Extraction"), normalised("extracts"));
        assert_eq!(normalised("2013"), normalised("7"));
        assert_ne!(normalised("a1"), normalised("1"));
        let hashes = |html: &str| trigrams(&tokens(&parse(html)));
        assert_eq!(hashes("<p>Extraction 12"), hashes("<p>extracted 7"));
        assert_ne!(hashes("<p>Extraction"), hashes("<div>Extraction"));
    }
}
