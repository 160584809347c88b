//! Conformance with the authors' code, on pairs of input and output from runs of that code.
//!
//! Each intended difference has a name, and applies only to cases that differ in the way it
//! states. The counts are those of `docs/method.md`.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;

use conformance::{Comparison, Difference, Row, material, rows};
use html_blocks::{BlockOptions, Joining, Noscript, PageError, SplitList, block_hash, page};
use serde::Deserialize;

#[derive(Deserialize)]
struct HashCase {
    text: String,
    block_normalized: String,
    block_hash: String,
}

/// A document of a stream: its blocks and their hashes.
#[derive(Deserialize)]
struct StreamBlocks {
    blocks: Vec<String>,
}

#[derive(Deserialize)]
struct StreamHashes {
    hashes: Vec<String>,
}

const FOLDED: Difference = Difference::spelling(
    "128 bits",
    "A hash is the whole MD5, as in the paper. The original folds its halves to 64 bits [O C6]; the test does so too.",
);

const ASTRAL: Difference = Difference::meaning(
    "letters beyond the BMP",
    "They count as letters. In the original each is two surrogates, which are not letters [O C6].",
);

const YOUNGER: Difference = Difference::meaning(
    "newer Unicode",
    "The runtime of the original does not know these letters and lower cases: Cherokee in lower case, Georgian capitals, parts of Cyrillic and Latin [O C8].",
);

/// The original's 64 bits: the exclusive or of the digest's halves [O C6].
fn folded(hash: [u8; 16]) -> String {
    let (low, high) = hash.split_at(8);
    let half = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    format!("{:016x}", half(low) ^ half(high))
}

fn compare_hash(row: &mut Row, text: &str, theirs: &str) {
    let ours = folded(block_hash(text));
    let astral = |c: char| c as u32 > 0xffff && c.is_alphabetic();
    let younger = |c| matches!(c, '\u{13a0}'..='\u{13fd}' | '\u{1c80}'..='\u{1cbf}' | '\u{a78d}'..='\u{a7ff}');
    if ours == theirs {
        row.differs([FOLDED.name]);
    } else if text.chars().any(astral) {
        row.differs([FOLDED.name, ASTRAL.name]);
    } else if text.chars().any(younger) {
        row.differs([FOLDED.name, YOUNGER.name]);
    } else {
        row.unexplained(format!("{text:?} is {theirs} there, {ours} here"));
    }
}

#[test]
fn hashes_are_those_of_the_original_folded_to_64_bits() {
    let test = "hashes_are_those_of_the_original_folded_to_64_bits";
    let Some(vectors) = material(test, "vectors") else {
        return;
    };
    let mut texts = Row::new("hashes of texts of all scripts");
    for case in rows::<HashCase>(&vectors.join("hash/expected.jsonl")) {
        compare_hash(&mut texts, &case.text, &case.block_hash);
        // The original hashes the letters that it prints.
        assert_eq!(folded(md5_of(&case.block_normalized)), case.block_hash);
    }
    let mut streams = Row::new("hashes of the blocks of all streams");
    for input in files(&vectors.join("streams"), ".input.jsonl.gz") {
        let expected = input.replace(".input.", ".expected.");
        let documents = rows::<StreamBlocks>(Path::new(&input));
        for (document, expected) in documents
            .iter()
            .zip(rows::<StreamHashes>(Path::new(&expected)))
        {
            assert_eq!(document.blocks.len(), expected.hashes.len());
            for (text, theirs) in document.blocks.iter().zip(&expected.hashes) {
                compare_hash(&mut streams, text, theirs);
            }
        }
    }
    let mut comparison = Comparison::new("block-hashes", &[FOLDED, ASTRAL, YOUNGER]);
    comparison.add(texts);
    comparison.add(streams);
    comparison.finish();
}

/// The files of a folder whose names have this ending.
fn files(folder: &Path, end: &str) -> Vec<String> {
    let listing = std::fs::read_dir(folder).unwrap();
    let paths = listing.map(|file| file.unwrap().path().to_str().unwrap().to_owned());
    let mut paths: Vec<String> = paths.filter(|path| path.ends_with(end)).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no *{end}");
    paths
}

fn md5_of(text: &str) -> [u8; 16] {
    use md5::{Digest, Md5};
    Md5::digest(text).into()
}

#[derive(Deserialize)]
struct HtmlCase {
    name: String,
    #[serde(default)]
    html: String,
    blocks: Vec<String>,
    hashes: Vec<String>,
    html5_same: bool,
    html5_blocks: Option<Vec<String>>,
    ok_2014: bool,
    blocks_2014: Option<Vec<String>>,
    dom_paths_2014: Option<Vec<String>>,
    link_to_text_2014: Option<Vec<String>>,
}

type Explains = fn(&str) -> bool;

/// Reasons for which HTML5 reads a page differently from the original [O G9]. A reason applies
/// only to a page that the vectors mark as different, and whose blocks equal those that the
/// vectors have from an HTML5 parser with the original's lists.
const HTML5: [(Difference, Explains); 4] = [
    (
        Difference::meaning(
            "`</br>`",
            "It is a line break. In the original it is not a tag [O G9].",
        ),
        |html| html.contains("</br"),
    ),
    (
        Difference::meaning(
            "character references",
            "The names of HTML5, also without a semicolon. The original knows those of HTML 4 with a semicolon [O G4].",
        ),
        |html| html.contains('&'),
    ),
    (
        Difference::meaning(
            "lone `<`",
            "A `<` that no tag name follows is text. In the original it removes all text up to the next `>` [O G9].",
        ),
        |html| {
            html.match_indices('<').any(|(at, _)| {
                let next = html[at + 1..].chars().next();
                !next.is_some_and(|next| next.is_ascii_alphabetic() || "!/?".contains(next))
            })
        },
    ),
    (
        Difference::meaning(
            "carriage returns",
            "A carriage return is a line end, so a space. The original removes it and joins the words [O G4].",
        ),
        |html| html.contains('\r'),
    ),
];

const EMPTY: Difference = Difference::meaning(
    "no page",
    "Empty input is an error (quarantined). In the original it is a page without blocks.",
);

const NESTED_LINKS: Difference = Difference::meaning(
    "nested links",
    "A link ends where the next begins, as in HTML. In the original it ends at its end tag [O G8].",
);

fn original() -> BlockOptions {
    let mut options = BlockOptions::default();
    options.split = SplitList::Original;
    options.noscript = Noscript::Never;
    options.joining = Joining::Spaced;
    options
}

fn compare_page(row: &mut Row, case: &HtmlCase) {
    let page = match page(case.html.as_bytes(), Some("utf-8"), &original()) {
        Ok(page) => page,
        Err(PageError::Empty { .. }) if case.html.is_empty() && case.blocks.is_empty() => {
            return row.differs([EMPTY.name]);
        }
        Err(error) => return row.unexplained(format!("{}: {error}", case.name)),
    };
    let texts: Vec<_> = page.blocks.iter().map(|block| &block.text).collect();
    let hashes: Vec<_> = page.blocks.iter().map(|block| folded(block.hash)).collect();
    if texts == case.blocks.iter().collect::<Vec<_>>() && hashes == case.hashes {
        return row.identical();
    }
    let html5 = case.html5_blocks.iter().flatten().collect::<Vec<_>>();
    let as_html5 = !case.html5_same && texts == html5;
    match HTML5.iter().find(|(_, explains)| explains(&case.html)) {
        Some((difference, _)) if as_html5 => row.differs([difference.name]),
        _ => row.unexplained(format!(
            "{}: {}\n ours {texts:?}\n original {:?}\n HTML5 {html5:?}",
            case.name, case.html, case.blocks
        )),
    }
}

#[test]
fn pages_give_the_blocks_of_the_original() {
    let test = "pages_give_the_blocks_of_the_original";
    let Some(folder) = material(test, "vectors/html") else {
        return;
    };
    let small_cases = rows::<HtmlCase>(&folder.join("expected.jsonl"));
    let mut small = Row::new("small pages: texts and hashes of all blocks");
    small_cases
        .iter()
        .for_each(|case| compare_page(&mut small, case));

    let real_cases = real_pages(&folder);
    let blocks: usize = real_cases.iter().map(|case| case.blocks.len()).sum();
    let mut real = Row::new(format!("real pages, of {blocks} blocks in all"));
    real_cases
        .iter()
        .for_each(|case| compare_page(&mut real, case));

    let read_alike: Vec<_> = small_cases
        .iter()
        .chain(&real_cases)
        .filter(|case| case.ok_2014 && !case.html.is_empty())
        .filter(|case| case.blocks_2014.as_ref() == Some(&texts(case)))
        .collect();
    let mut marks = Row::new(format!(
        "link text and surroundings of blocks, on {} pages that the later code reads alike",
        read_alike.len()
    ));
    for case in read_alike {
        compare_marks(&mut marks, case);
    }

    let html5 = HTML5.iter().map(|(difference, _)| *difference);
    let differences: Vec<_> = html5.chain([EMPTY, NESTED_LINKS]).collect();
    let mut comparison = Comparison::new("blocks", &differences);
    for row in [small, real, marks] {
        comparison.add(row);
    }
    comparison.finish();
}

#[derive(Deserialize)]
struct HtmlInput {
    name: String,
    html: String,
}

fn real_pages(folder: &Path) -> Vec<HtmlCase> {
    let inputs = rows::<HtmlInput>(&folder.join("real_inputs.jsonl"));
    let mut cases = rows::<HtmlCase>(&folder.join("real_expected.jsonl"));
    assert_eq!(cases.len(), inputs.len());
    for (case, input) in cases.iter_mut().zip(inputs) {
        assert_eq!(case.name, input.name);
        case.html = input.html;
    }
    cases
}

fn texts(case: &HtmlCase) -> Vec<String> {
    let page = page(case.html.as_bytes(), Some("utf-8"), &original()).unwrap();
    page.blocks.into_iter().map(|block| block.text).collect()
}

/// The skip list of the authors' later code [O D7], without elements that have no text and
/// without `math`.
const SKIPPED: &str = "form fieldset legend label button select datalist optgroup option textarea \
    output progress meter details summary menuitem menu iframe object video audio canvas map svg \
    nav aside header footer address";

/// Compares the two rules of the authors' later code, on its paths and counts: the block is all
/// link text, and the block is inside an element of the skip list.
fn compare_marks(row: &mut Row, case: &HtmlCase) {
    let page = page(case.html.as_bytes(), Some("utf-8"), &original()).unwrap();
    let paths = case.dom_paths_2014.iter().flatten();
    let ratios = case.link_to_text_2014.iter().flatten();
    let skipped = |name: &str| SKIPPED.split_whitespace().any(|known| known == name);
    let mut compared = 0;
    for (block, (path, ratio)) in page.blocks.iter().zip(paths.zip(ratios)) {
        compared += 1;
        let (link_chars, chars) = ratio.split_once('/').unwrap();
        let all_links = block.link_chars as usize == block.text.chars().count();
        let same_chrome = block.chrome == path.split('/').any(skipped);
        // A page with a link that is not closed before the next one.
        let mut links = case.html.split("<a ").skip(1);
        if same_chrome && all_links == (link_chars == chars) {
            row.identical();
        } else if same_chrome && links.any(|link| !link.contains("</a>")) {
            row.differs([NESTED_LINKS.name]);
        } else {
            row.unexplained(format!("{} {} {path} {ratio}", case.name, block.text));
        }
    }
    assert_eq!(compared, page.blocks.len(), "{}", case.name);
}
