//! The kind of pages of each gold set.

/// The kinds of the sets that have one. Other sets are a kind by themselves.
const KINDS: [(&str, &str); 12] = [
    ("90minutos", "news with endless scroll"),
    ("ckantrac", "tickets"),
    ("compforum", "forum"),
    ("dunkers", "museum"),
    ("jargon", "glossary"),
    ("lgnew", "magazine"),
    ("nltk", "documentation"),
    ("phase5", "blog, hard"),
    ("reiskoch", "recipes"),
    ("usagov", "government"),
    ("wechange", "news portal"),
    ("wikisocion", "wiki"),
];

/// Returns the kind of a page of a set in a folder. `page_type` and `lang` are those of the page.
pub(crate) fn kind(folder: &str, set: &str, page_type: Option<&str>, lang: Option<&str>) -> String {
    if let Some(page_type) = page_type {
        return format!("{}: {page_type}", set.trim_end_matches("-dev"));
    }
    if let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == set) {
        return (*kind).to_owned();
    }
    match (folder, lang) {
        ("streams", _) => "blog".to_owned(),
        ("field", Some(lang)) => format!("news: {lang}"),
        _ => set.to_owned(),
    }
}

/// Whether a set of a folder is one site. The pages of other sets are of many sites.
pub(crate) fn is_one_site(folder: &str) -> bool {
    !matches!(folder, "pages" | "field")
}
