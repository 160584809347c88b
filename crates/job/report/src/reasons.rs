//! The reasons of labels, in words.

/// Returns the meaning of a `reason` of the table `blocks`.
///
/// ```
/// assert!(report::meaning("repeated").starts_with("Dropped: "));
/// assert_eq!(report::meaning("another"), "");
/// ```
pub fn meaning(reason: &str) -> &'static str {
    match reason {
        "own_title" => "Kept: it shows the title of the page.",
        "unique" => "Kept: it is in the main part of the page, and few pages have it.",
        "content_slot" => {
            "Kept although it repeats: the text at its DOM path differs from page to page, or it is part of a paragraph, a list or a table with other text."
        }
        "prior_content" => {
            "Kept: the site is not known yet, and blocks like it are content elsewhere."
        }
        "prior_boilerplate" => {
            "Dropped: the site is not known yet, and blocks like it are boilerplate elsewhere."
        }
        "comments" => "Dropped: it is below an element for comments or reviews.",
        "skip_element" => "Dropped: it is in a navigation, a header, a footer, a form or the like.",
        "off_main_branch" => "Dropped: it is outside of the main part of the page.",
        "link_slot" => "Dropped: the text at its DOM path is link text.",
        "repeated" => "Dropped: many pages of the site have it.",
        "copy" => "Dropped: the site is not known yet, and the page has this text above.",
        "marked_content" => "Kept: its DOM path is marked as content (tree.paths).",
        "marked_boilerplate" => "Dropped: its DOM path is marked as boilerplate (tree.paths).",
        _ => "",
    }
}
