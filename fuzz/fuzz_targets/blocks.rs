//! Parsing of bytes into blocks, with every choice of charset, options and limits.
//!
//! The input is four bytes that select charset, options, limit and size, then the page.

#![no_main]

use std::collections::BTreeSet;

use html_blocks::reference::difference;
use html_blocks::{
    BlockOptions, Joining, Limit, Noscript, Page, PageLimits, SplitList, Warning, block_hash, page,
    title,
};
use libfuzzer_sys::fuzz_target;

/// Charsets of an HTTP header: one of each family of encodings, and invalid ones.
const CHARSETS: [Option<&str>; 16] = [
    None,
    Some("utf-8"),
    Some("windows-1252"),
    Some("utf-16le"),
    Some("utf-16be"),
    Some("shift_jis"),
    Some("iso-2022-jp"),
    Some("gb18030"),
    Some("big5"),
    Some("euc-kr"),
    Some("koi8-r"),
    Some("x-user-defined"),
    Some("replacement"),
    Some(" \"UTF-8\" "),
    Some("no\u{e9} such"),
    Some(""),
];

fuzz_target!(|input: &[u8]| {
    let [charset, options, which, size, bytes @ ..] = input else {
        return;
    };
    // Counted from the digit 0, so that a seed can be a text file.
    let [charset, options, which, size] =
        [charset, options, which, size].map(|byte| usize::from(byte.wrapping_sub(b'0')));
    let charset = CHARSETS[charset % CHARSETS.len()];
    let choice = options;
    let mut options = BlockOptions::default();
    options.split = [SplitList::Html, SplitList::Original][choice & 1];
    options.joining = [Joining::Tight, Joining::Spaced][choice >> 1 & 1];
    options.limits = limits(which, if size == 0xff { usize::MAX } else { size });
    let Ok(found) = page(bytes, charset, &options) else {
        assert_eq!(title(bytes, charset, &options), None);
        return;
    };
    well_formed(&found, bytes.len(), &options.limits);
    assert_eq!(title(bytes, charset, &options), found.title);

    // A limit can decide whether noscript is read. In either reading, it only truncates.
    let read = |options: &BlockOptions| {
        page(bytes, charset, options).expect("no limit makes a page an error")
    };
    let mut wide = options.clone();
    wide.limits = PageLimits::default();
    wide.limits.page_bytes = options.limits.page_bytes;
    wide.limits.depth = options.limits.depth;
    let mut plain = options.clone();
    plain.noscript = Noscript::Never;
    if found == read(&plain) {
        wide.noscript = Noscript::Never;
    }
    only_cut(&found, &read(&wide));

    if let Ok(text) = std::str::from_utf8(bytes) {
        assert_eq!(difference(text, &options), None);
    }
});

fn limits(which: usize, size: usize) -> PageLimits {
    let mut limits = PageLimits::default();
    let all = which % 8 == 7;
    let fields = [
        &mut limits.page_bytes,
        &mut limits.tag_bytes,
        &mut limits.attributes_per_tag,
        &mut limits.blocks,
        &mut limits.block_chars,
        &mut limits.depth,
    ];
    for (number, field) in (1..).zip(fields) {
        if all || number == which % 8 {
            *field = size;
        }
    }
    limits
}

/// Asserts the properties of every page.
fn well_formed(page: &Page, bytes: usize, limits: &PageLimits) {
    assert!(page.blocks.len() <= limits.blocks);
    for block in &page.blocks {
        let is_code = |element: &str| {
            let mut names = ["pre", "xmp", "listing"].iter();
            names.any(|name| element.starts_with(name))
        };
        // A long path ends before its last elements.
        let is_long = block.dom_path.len() > 500;
        if is_long || block.dom_path.split('>').any(is_code) {
            in_lines(&block.text, limits);
        } else {
            trimmed(&block.text, limits);
        }
        assert_eq!(block.hash, block_hash(&block.text));
        assert!(block.link_chars as usize <= block.text.chars().count());
        assert!(block.dom_path.len() <= 1024);
    }
    if let Some(title) = &page.title {
        trimmed(title, limits);
    }
    assert!(page.warnings.is_sorted_by_key(rank), "{:?}", page.warnings);
    let codes: BTreeSet<_> = page.warnings.iter().map(Warning::as_str).collect();
    assert_eq!(codes.len(), page.warnings.len(), "{:?}", page.warnings);
    for warning in &page.warnings {
        match *warning {
            Warning::Cut {
                limit: Limit::PageBytes,
                at,
                of,
            } => assert_eq!((at, of), (limits.page_bytes, bytes)),
            Warning::Cut { at, of, .. } => assert!(at <= of),
            Warning::Truncated { .. } => assert_eq!(cuts(page).count(), 0),
            Warning::TooDeep { limit, depth } => assert!(limit == limits.depth && depth > limit),
            Warning::UndecodableCharacters { count } => assert!(count > 0),
            Warning::CharsetMismatch { declared, decoded } => {
                assert!(declared != decoded && decoded == page.charset);
            }
            Warning::UnknownCharset { ref label } => assert!(label.len() <= 40),
            ref unknown => panic!("no property for {unknown}"),
        }
    }
}

fn trimmed(text: &str, limits: &PageLimits) {
    let words: Vec<_> = text.split_whitespace().collect();
    assert!(!text.is_empty() && words.join(" ") == text, "{text:?}");
    assert!(text.chars().count() <= limits.block_chars);
}

/// The text of a `pre` has lines without whitespace at their ends, and no empty one at its own ends.
fn in_lines(text: &str, limits: &PageLimits) {
    assert!(text.lines().all(|line| line.trim_end() == line), "{text:?}");
    let (first, last) = (text.lines().next(), text.lines().next_back());
    assert!(first.is_some_and(|line| !line.is_empty()), "{text:?}");
    assert!(last.is_some_and(|line| !line.is_empty()), "{text:?}");
    assert!(text.chars().count() <= limits.block_chars);
}

/// The rank of a warning in the documented order.
fn rank(warning: &Warning) -> u8 {
    match warning {
        Warning::UnknownCharset { .. } => 0,
        Warning::CharsetMismatch { .. } => 1,
        Warning::UndecodableCharacters { .. } => 2,
        Warning::Cut { .. } => 3,
        Warning::Truncated { .. } => 4,
        Warning::TooDeep { .. } => 5,
        unknown => panic!("no rank for {unknown}"),
    }
}

fn cuts(page: &Page) -> impl Iterator<Item = Limit> {
    page.warnings.iter().filter_map(|warning| match warning {
        Warning::Cut { limit, .. } => Some(*limit),
        _ => None,
    })
}

/// Asserts that a limit only truncates the page, and that a limit that is not exceeded has
/// no effect.
fn only_cut(page: &Page, whole: &Page) {
    if cuts(page).all(|limit| limit == Limit::PageBytes) {
        assert_eq!(page, whole);
        return;
    }
    let Some((last, before)) = page.blocks.split_last() else {
        return;
    };
    assert_eq!(before, &whole.blocks[..before.len()]);
    let longer = &whole.blocks[before.len()];
    assert!(longer.text.starts_with(&last.text), "{last:?} {longer:?}");
    assert_eq!(
        (&last.dom_path, last.chrome),
        (&longer.dom_path, longer.chrome)
    );
}
