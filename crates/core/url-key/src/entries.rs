//! The lines of rule files and blocklists.

/// Returns the entries of a rule file or blocklist, trimmed, with their line numbers from 1. Blank
/// lines and lines that start with `#` are not entries.
pub fn entries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .zip(1..)
        .filter(|(entry, _)| !entry.is_empty() && !entry.starts_with('#'))
        .map(|(entry, line)| (line, entry))
}

/// Rewrites an entry for `https` URLs for the `http` URLs that all pages are matched with.
pub(crate) fn as_http(entry: &str) -> String {
    if entry.contains("https://") {
        entry.replace("https://", "http://").replace(":443", ":80")
    } else {
        entry.to_owned()
    }
}
