//! The tokenizer cases of html5lib-tests, the test suite that HTML parsers share.
//!
//! The blocks of a case's input must equal the blocks built from the case's tokens. The suite
//! is not part of this repository: it is read from the checkout `URLTREE_HTML5LIB_TESTS`, or
//! from `html5lib-tests` in the shared material.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use conformance::{Comparison, Row, material};
use serde_json::Value;

use super::tests::read_as_reference;
use crate::block_builder::{BlockBuilder, Content, StartTag};
use crate::dom_path::Names;
use crate::elements::Name;
use crate::sight::Sight;
use crate::{BlockOptions, Joining, TextBlock};

/// Cases in the form of the suite, so that this module is tested without a checkout.
const OWN: &str = r#"[
    {"input": "one<P class='a'>two<br/>th&eacute;&#x20AC;</p >", "output": [["Character", "one"],
        ["StartTag", "p", {"class": "a"}], ["Character", "two"], ["StartTag", "br", {}, true],
        ["Character", "thé€"], ["EndTag", "p"]]},
    {"input": "a<!-- <p> -->b<!doctype html>c<?pi?>d", "output": [["Character", "a"],
        ["Comment", " <p> "], ["Character", "b"], ["DOCTYPE", "html", null, null, true],
        ["Character", "c"], ["Comment", "?pi?"], ["Character", "d"]]},
    {"input": "1 < 2 &amp 3 &notit; &#0; a\u0000b<", "output":
        [["Character", "1 < 2 & 3 ¬it; \uFFFD a\u0000b<"]]},
    {"input": "<i>&lt;</i></TITLE >x<p>y", "initialStates": ["RCDATA state"],
        "lastStartTag": "title", "output": [["Character", "<i><</i>"], ["EndTag", "title"],
        ["Character", "x"], ["StartTag", "p", {}], ["Character", "y"]]},
    {"input": "<i>&lt;</i></xm</xmp>x", "initialStates": ["RAWTEXT state"], "lastStartTag": "xmp",
        "output": [["Character", "<i>&lt;</i></xm"], ["EndTag", "xmp"], ["Character", "x"]]},
    {"input": "<!-- <script></script> </script></script><p>x", "lastStartTag": "script",
        "initialStates": ["Script data state"], "output":
        [["Character", "<!-- <script></script> "], ["EndTag", "script"], ["EndTag", "script"],
        ["StartTag", "p", {}], ["Character", "x"]]},
    {"input": "</plaintext>&lt;", "initialStates": ["PLAINTEXT state"],
        "output": [["Character", "</plaintext>&lt;"]]},
    {"input": "a<b>&lt;]]>c<p>d", "initialStates": ["CDATA section state"], "output":
        [["Character", "a<b>&lt;c"], ["StartTag", "p", {}], ["Character", "d"]]}
]"#;

#[test]
fn own_cases_give_the_blocks_of_their_tokens() {
    let cases: Vec<Value> = serde_json::from_str(OWN).expect("the cases are JSON");
    let readings: Vec<_> = cases.iter().flat_map(readings).collect();
    assert_eq!(readings.len(), 16);
    for reading in readings {
        let reading = reading.expect("own cases can be read");
        assert_eq!(reading.outcome(), reading.expected, "{}", reading.page);
    }
}

#[test]
fn html5lib_cases_give_the_blocks_of_their_tokens() {
    let test = "html5lib_cases_give_the_blocks_of_their_tokens";
    let suite = std::env::var_os("URLTREE_HTML5LIB_TESTS").map(PathBuf::from);
    let Some(suite) = suite.or_else(|| material(test, "html5lib-tests")) else {
        return;
    };
    let cases = cases(&suite.join("tokenizer"));
    let (mut read, mut left_out) = (Vec::new(), 0);
    for reading in cases.iter().flat_map(readings) {
        match reading {
            Some(reading) => read.push(reading),
            None => left_out += 1,
        }
    }
    let mut row = Row::new(format!(
        "tokenizer cases of html5lib-tests, each joined tight and spaced ({left_out} more need a \
         tree builder, begin in a state that no page reaches, or are not Unicode text)"
    ));
    for reading in read {
        if reading.outcome() == reading.expected {
            row.identical();
        } else {
            row.unexplained(format!("{:?}: {:?}", reading.page, reading.expected));
        }
    }
    let mut comparison = Comparison::new("html5lib", &[]);
    comparison.add(row);
    comparison.finish();
}

fn cases(folder: &Path) -> Vec<Value> {
    let listing = std::fs::read_dir(folder).expect("a checkout of html5lib-tests");
    let mut paths: Vec<PathBuf> = listing.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "test"));
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a file of cases");
        let file: Value = serde_json::from_str(&text).expect("a file of cases is JSON");
        // Files without `tests` have the cases of XML conversion.
        cases.extend(file["tests"].as_array().into_iter().flatten().cloned());
    }
    assert!(cases.len() >= 5_000, "{} cases", cases.len());
    cases
}

/// A page, and the blocks and title of its tokens.
struct Reading {
    page: String,
    options: BlockOptions,
    expected: (Vec<TextBlock>, Option<String>),
}

impl Reading {
    /// Blocks and title of the page.
    fn outcome(&self) -> (Vec<TextBlock>, Option<String>) {
        let outcome = read_as_reference(&self.page, &self.options);
        (outcome.blocks, outcome.title)
    }
}

/// A case in each of its initial states and with each joining; `None` for those left out.
fn readings(case: &Value) -> Vec<Option<Reading>> {
    let data = [Value::from("Data state")];
    let states = case["initialStates"].as_array();
    let states = states.map_or(&data[..], Vec::as_slice);
    let joined = [Joining::Tight, Joining::Spaced];
    let settings = states.iter().flat_map(|state| joined.map(|j| (state, j)));
    settings
        .map(|(state, joining)| {
            let options = BlockOptions {
                joining,
                ..BlockOptions::default()
            };
            let (page, case) = begun(case, text(state))?;
            let expected = blocks_of(case, &options)?;
            Some(Reading {
                page,
                options,
                expected,
            })
        })
        .collect()
}

/// The parts of a token that blocks depend on.
enum Token {
    Start {
        name: String,
        attributes: Vec<(String, String)>,
        self_closing: bool,
    },
    End(String),
    Text(String),
    Comment,
}

/// The tokens of a page: those before the initial state of a case, and those of the case.
struct Case {
    begin: Vec<Token>,
    tokens: Vec<Token>,
}

/// A page that reaches the initial state of a case and continues with its input, and the
/// tokens of that page. `None` if no page reaches that state, or if the case has lone
/// surrogates.
fn begun(case: &Value, state: &str) -> Option<(String, Case)> {
    let last = case["lastStartTag"].as_str();
    let (before, begin): (&str, &[&str]) = match (state, last) {
        ("Data state", None) => ("", &[]),
        ("RCDATA state", None | Some("textarea")) => ("<textarea>", &["textarea"]),
        ("RCDATA state", Some("title")) => ("<title>", &["title"]),
        ("RAWTEXT state", None | Some("xmp")) => ("<xmp>", &["xmp"]),
        ("Script data state", None | Some("script")) => ("<script>", &["script"]),
        ("PLAINTEXT state", _) => ("<plaintext>", &["plaintext"]),
        ("CDATA section state", None) => ("<svg><text><![CDATA[", &["svg", "text"]),
        _ => return None,
    };
    let unescape = |text: &str| match case["doubleEscaped"].as_bool() {
        // The text is a JSON string without its quotes.
        Some(true) => serde_json::from_str(&format!("\"{}\"", text.replace('"', "\\\""))).ok(),
        _ => Some(text.to_owned()),
    };
    let mut tokens = Vec::new();
    for token in case["output"].as_array()? {
        tokens.extend(read_token(token, &unescape)?);
    }
    let begin = begin
        .iter()
        .map(|name| Token::Start {
            name: (*name).to_owned(),
            attributes: Vec::new(),
            self_closing: false,
        })
        .collect();
    let page = format!("{before}{}", unescape(text(&case["input"]))?);
    Some((page, Case { begin, tokens }))
}

/// Reads a token in the suite's notation; a doctype gives `Some(None)`.
fn read_token(token: &Value, unescape: &impl Fn(&str) -> Option<String>) -> Option<Option<Token>> {
    let name = || unescape(text(&token[1]));
    Some(Some(match text(&token[0]) {
        "StartTag" => {
            let mut attributes = Vec::new();
            for (name, value) in token[2].as_object()? {
                attributes.push((unescape(name)?, unescape(text(value))?));
            }
            Token::Start {
                name: name()?,
                attributes,
                self_closing: token[3].as_bool() == Some(true),
            }
        }
        "EndTag" => Token::End(name()?),
        // In the standard, tree construction drops NUL in text, not the tokenizer.
        "Character" => Token::Text(name()?.replace('\0', "")),
        "Comment" => Token::Comment,
        _ => return Some(None),
    }))
}

/// The blocks and title of a page with these tokens. `None` if a token of the case would change
/// the tokenizer state: the suite has no tree construction, which would do that.
fn blocks_of(case: Case, options: &BlockOptions) -> Option<(Vec<TextBlock>, Option<String>)> {
    let mut builder = BlockBuilder::new(options);
    for token in case.begin {
        // The state that this token requests is the initial state of the case.
        send(&mut builder, &token);
    }
    for token in case.tokens {
        if send(&mut builder, &token).is_some() {
            return None;
        }
    }
    builder.finish();
    Some((builder.blocks, builder.title))
}

fn send(builder: &mut BlockBuilder, token: &Token) -> Option<Content> {
    match token {
        Token::Text(text) => builder.text(text),
        Token::Comment => builder.comment(),
        Token::End(name) => builder.end_tag(Name::new(name)),
        Token::Start {
            name,
            attributes,
            self_closing,
        } => {
            let value = |name: &str| {
                let found = attributes.iter().find(|(known, _)| known == name);
                found.map(|(_, value)| value.as_str())
            };
            let name = Name::new(name);
            return builder.start_tag(StartTag {
                name,
                sight: &Sight::new(name.tag, name.text, |name| value(name).map(Cow::Borrowed)),
                names: Names {
                    class: value("class").unwrap_or_default(),
                    id: value("id").unwrap_or_default(),
                },
                link: value("href").is_some() || value("name").or(value("id")).is_none(),
                self_closing: *self_closing,
                attributes: attributes.len(),
                source: b"",
            });
        }
    }
    None
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
