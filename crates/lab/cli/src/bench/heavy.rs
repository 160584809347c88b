//! Pages with the weight of today: a page of the sample with hundreds of kilobytes of script and style in it.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

use super::duplicates::{self, HtmlLayout};
use super::pages::Archive;

const PAGES: usize = 1_000;

/// Bytes of style, of each of three scripts, and of data in JSON: what a page has whose site sends its bundles in the page.
const STYLE_BYTES: usize = 60_000;
const SCRIPT_BYTES: usize = 60_000;
const DATA_BYTES: usize = 60_000;

/// Writes an archive of [`PAGES`] pages of `sample` that are 300 KB heavier.
pub(super) fn archive(sample: &Archive, folder: &Path) -> Result<Archive> {
    let mut pages: Vec<Vec<u8>> = Vec::new();
    sample.for_each(|html| {
        if pages.len() < PAGES {
            pages.push(weighed(html, pages.len() as u64));
        }
    })?;
    let path = folder.join("heavy");
    std::fs::create_dir(&path).with_context(|| path.display().to_string())?;
    let file = path.join("pages.parquet");
    duplicates::write(&file, &pages, 0, HtmlLayout::Single)?;
    Archive::open(&path)
}

/// Returns a page with style and script at the end of its head, and data at the end of its body.
fn weighed(html: &[u8], number: u64) -> Vec<u8> {
    let mut dice = Pcg64Mcg::new(u128::from(number));
    let style = filled(STYLE_BYTES, &mut dice, |out, dice| {
        let _ = write!(
            out,
            ".c{}-{}>.i{}:hover{{margin:0 {}px;color:#{:06x};display:flex}}",
            dice.next_u32() % 97,
            dice.next_u32() % 997,
            dice.next_u32() % 97,
            dice.next_u32() % 64,
            dice.next_u32() % 0x00ff_ffff,
        );
    });
    let mut head = format!("<style>{style}</style>");
    for _ in 0..3 {
        let script = filled(SCRIPT_BYTES, &mut dice, |out, dice| {
            let _ = write!(
                out,
                "function f{}(e,t){{return e<t&&\"<b>\"!==e.n{}?t.push('</'+\"{:x}\"):e[{}]||{{a:!0}}}}",
                dice.next_u32() % 9_973,
                dice.next_u32() % 97,
                dice.next_u64(),
                dice.next_u32() % 16,
            );
        });
        let _ = write!(head, "<script>{script}</script>");
    }
    let data = filled(DATA_BYTES, &mut dice, |out, dice| {
        let _ = write!(
            out,
            "{{\"id\":{},\"slug\":\"item-{:x}\",\"tags\":[\"a\",\"b\"]}},",
            dice.next_u32(),
            dice.next_u64()
        );
    });
    let data = format!("<script type=\"application/json\">[{data}0]</script>");
    let [head_end, body_end] = [&b"</head>"[..], b"</body>"].map(|tag| {
        let found = html.windows(tag.len()).position(|bytes| bytes == tag);
        found.unwrap_or(html.len())
    });
    let body_end = body_end.max(head_end);
    [
        &html[..head_end],
        head.as_bytes(),
        &html[head_end..body_end],
        data.as_bytes(),
        &html[body_end..],
    ]
    .concat()
}

/// Returns at least `bytes` bytes of text that `more` appends to.
fn filled(bytes: usize, dice: &mut Pcg64Mcg, more: impl Fn(&mut String, &mut Pcg64Mcg)) -> String {
    let mut out = String::with_capacity(bytes + 200);
    while out.len() < bytes {
        more(&mut out, dice);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heavy_page_has_the_text_of_the_page() {
        let html =
            b"<html><head><title>A</title></head><body><p>The text of a page.</p></body></html>";
        let heavy = weighed(html, 1);
        assert!(heavy.len() > html.len() + 300_000);
        let text = |html: &[u8]| {
            let page =
                html_blocks::page(html, None, &html_blocks::BlockOptions::default()).unwrap();
            let texts = page.blocks.iter().map(|block| block.text.to_string());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(text(&heavy), text(html));
    }
}
