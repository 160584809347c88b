//! The report of a rule file's effect, as text and as JSON.

use std::fmt::Write;

use query::{ChangedKey, ChangedKeys, RulesCheck};
use serde_json::{Value, json};

use crate::report::Lines;

/// Formats the effect of a rule file as text.
pub(crate) fn check(check: &RulesCheck) -> String {
    let mut lines = Lines::new();
    lines.add("rows", check.rows);
    lines.add("changed keys", check.changed.rows);
    if check.without_title > 0 {
        lines.add("  title not known", check.without_title);
    }
    lines.add("merged pages", check.merged.rows);
    lines.add("separated duplicates", check.separated.rows);
    lines.add("  new pages", check.new_pages);
    let mut text = lines.text();
    for (title, other, changed) in [
        ("changed keys", "", &check.changed),
        ("merged pages", "merged with", &check.merged),
        ("separated duplicates", "separated from", &check.separated),
    ] {
        if changed.rows == 0 {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "\n{title}, {} of {}:",
            changed.examples.len(),
            changed.rows
        );
        for example in &changed.examples {
            let ChangedKey {
                url,
                old_key,
                new_key,
                rule,
                other_url,
                ..
            } = example;
            let _ = writeln!(text, "  {}", one_line(url));
            if let Some(other_url) = other_url {
                let _ = writeln!(text, "    {other} {}", one_line(other_url));
            }
            let _ = writeln!(text, "    old key {}", one_line(old_key));
            let _ = writeln!(text, "    new key {}", one_line(new_key));
            let rule = rule.as_deref().unwrap_or("none");
            let _ = writeln!(text, "    rule {}", one_line(rule));
        }
    }
    text
}

/// Escapes line ends and other control characters: URLs come from the archive.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_unicode());
        } else {
            line.push(character);
        }
    }
    line
}

/// Formats the effect of a rule file as one JSON object.
pub(crate) fn check_json(check: &RulesCheck) -> String {
    json!({
        "rows": check.rows,
        "changed": changed_json(&check.changed),
        "without_title": check.without_title,
        "merged": changed_json(&check.merged),
        "separated": changed_json(&check.separated),
        "new_pages": check.new_pages,
    })
    .to_string()
}

fn changed_json(changed: &ChangedKeys) -> Value {
    let examples = changed.examples.iter().map(|example| {
        json!({
            "url": example.url,
            "old_key": example.old_key,
            "new_key": example.new_key,
            "rule": example.rule,
            "other_url": example.other_url,
        })
    });
    json!({ "rows": changed.rows, "examples": Value::from_iter(examples) })
}
