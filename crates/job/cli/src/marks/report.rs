//! The effect of changed marks in words and as JSON.

use std::fmt::Write;

use query::{BlocksAndWords, MarksEffect};
use report::visible;
use serde_json::{Value, json};

use crate::marks::effect::{Example, SiteEffect};
use crate::marks::{MarkChanges, SavedAs};

/// The effect for a terminal. Texts are of crawled pages, so control characters are replaced.
pub(crate) fn as_text(changes: &MarkChanges, effect: &SiteEffect) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |words: String| {
        let _ = writeln!(text, "{}", words.trim_end());
    };
    line(format!(
        "marks of {}: {}",
        effect.domain,
        visible(&changes.to_string())
    ));
    line(String::new());
    let on_page = &effect.on_page;
    line(format!("this page: {}", change(on_page)));
    if on_page.without_template > 0 {
        line("this page has no layout of DOM paths, so no mark is for it".to_owned());
    }
    effect.of_page.iter().for_each(|block| line(example(block)));
    let on_site = &effect.on_site;
    line(String::new());
    line(format!(
        "site: {} of {} {} change: {}",
        on_site.changed_pages,
        on_site.pages,
        newest(effect),
        change(on_site)
    ));
    if on_site.marked == BlocksAndWords::default() && !changes.set.is_empty() {
        line("no block of these pages is marked: is the path one that explain shows?".to_owned());
    }
    let mut url = "";
    for block in &effect.examples {
        if block.url != url {
            url = &block.url;
            line(format!("  {}", visible(url)));
        }
        line(example(block));
    }
    text
}

/// Says which pages of the site were looked at.
fn newest(effect: &SiteEffect) -> String {
    match effect.labelled {
        all if all == effect.on_site.pages => "pages".to_owned(),
        all => format!("newest pages (of {all})"),
    }
}

fn change(effect: &MarksEffect) -> String {
    let dropped = effect.dropped;
    let kept = effect.kept;
    match (dropped.blocks, kept.blocks) {
        (0, 0) => "no block changes".to_owned(),
        (_, 0) => format!("{} dropped", blocks(dropped)),
        (0, _) => format!("{} kept", blocks(kept)),
        _ => format!("{} dropped, {} kept", blocks(dropped), blocks(kept)),
    }
}

fn blocks(count: BlocksAndWords) -> String {
    let noun = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    format!(
        "{} with {}",
        noun(count.blocks, "block"),
        noun(count.words, "word")
    )
}

fn example(block: &Example) -> String {
    let mark = if block.after.is_content() { '+' } else { '-' };
    format!(
        "{mark} {} {} -> {}  {}\n    {}",
        block.ordinal + 1,
        block.before.as_str(),
        block.after.as_str(),
        visible(&block.dom_path),
        visible(&block.text)
    )
}

/// The effect for scripts.
pub(crate) fn as_json(changes: &MarkChanges, effect: &SiteEffect, saved: SavedAs) -> Value {
    let set = changes
        .set
        .iter()
        .map(|(path, label)| json!({ "path": path.to_string(), "label": label.as_str() }));
    let removed = changes.removed.iter().map(ToString::to_string);
    json!({
        "domain": effect.domain,
        "set": set.collect::<Vec<_>>(),
        "removed": removed.collect::<Vec<_>>(),
        "page": effect_json(&effect.on_page, &effect.of_page),
        "site": effect_json(&effect.on_site, &effect.examples),
        "site_pages": effect.labelled,
        "saved": saved != SavedAs::NotAsked,
    })
}

fn effect_json(effect: &MarksEffect, examples: &[Example]) -> Value {
    let count = |count: BlocksAndWords| json!({ "blocks": count.blocks, "words": count.words });
    let example = |block: &Example| {
        json!({
            "url": block.url,
            "ordinal": block.ordinal,
            "text": block.text,
            "slot": block.dom_path,
            "reason_before": block.before.as_str(),
            "reason_after": block.after.as_str(),
        })
    };
    json!({
        "pages": effect.pages,
        "changed_pages": effect.changed_pages,
        "marked": count(effect.marked),
        "kept": count(effect.kept),
        "dropped": count(effect.dropped),
        "examples": examples.iter().map(example).collect::<Vec<_>>(),
    })
}
