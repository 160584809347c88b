//! The traits of one element of a DOM path, from its text: `div.content.wide`.

use crate::element_code;

/// Properties of the text in an element that follow from the element's name and classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ElementTraits {
    /// One of its classes is named after comments.
    pub(crate) comments: bool,
    /// One of its classes is named after tickets or forums.
    pub(crate) ticket: bool,
    /// Navigation, header, footer, form or similar [O D7].
    pub(crate) boilerplate: bool,
    /// `textarea`, `select` and their like, which have no elements of a page in them.
    pub(crate) control: bool,
    /// `header` or `address`: boilerplate, unless it is a part of the main text.
    pub(crate) header: bool,
    /// `h1` to `h6`.
    pub(crate) heading: bool,
    /// `h1`.
    pub(crate) main_heading: bool,
    /// `th`: the label of a row.
    pub(crate) row_label: bool,
    /// `figcaption`.
    pub(crate) caption: bool,
    /// Its attributes hide it.
    pub(crate) hides: bool,
    /// A paragraph, a list, a definition or the like: the fragments in it belong together.
    pub(crate) unit: bool,
    /// `p`.
    pub(crate) paragraph: bool,
    /// The code of the element, for the prior.
    pub(crate) code: u8,
    /// Part of a text and not a container of texts. The main branch ends above it.
    pub(crate) text_part: bool,
}

impl ElementTraits {
    /// Returns the traits of an element, given as `name.class.class`.
    pub(crate) fn from_name(element: &str) -> Self {
        let (name, classes) = name_and_classes(element);
        let hides = element.ends_with(HIDDEN);
        let has_words = may_have_words(classes.as_bytes());
        let names_comments = || {
            names_comments(classes.as_bytes())
                || name != "article" && names_reviews(without_id(classes).as_bytes())
        };
        ElementTraits {
            comments: has_words && names_comments(),
            ticket: has_words && names_tickets(classes),
            boilerplate: is_boilerplate_element(name),
            control: matches!(name, "textarea" | "select" | "option" | "button"),
            header: matches!(name, "header" | "address"),
            heading: matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6"),
            main_heading: name == "h1",
            row_label: name == "th",
            caption: name == "figcaption",
            hides,
            unit: is_unit(name),
            paragraph: name == "p",
            text_part: is_text_part(name),
            code: element_code::of(name),
        }
    }
}

/// The end of an element that its attributes hide.
const HIDDEN: &str = "[hidden]";

fn without_hidden(element: &str) -> &str {
    element.strip_suffix(HIDDEN).unwrap_or(element)
}

/// Splits an element, `name.class.class#id`, into its name and `.class.class#id`.
pub(crate) fn name_and_classes(element: &str) -> (&str, &str) {
    let element = without_hidden(element);
    let end = element.bytes().position(|byte| matches!(byte, b'.' | b'#'));
    element.split_at(end.unwrap_or(element.len()))
}

/// Returns the name of an element in a DOM path.
///
/// ```
/// assert_eq!(template::element_name("table.wide#prices"), "table");
/// ```
pub fn element_name(element: &str) -> &str {
    name_and_classes(element).0
}

/// Returns an element, or its classes, without the id. A class has no `#`.
fn without_id(element: &str) -> &str {
    let id = element.bytes().position(|byte| byte == b'#');
    id.map_or(element, |id| &element[..id])
}

/// Returns the key of an element in a DOM path: its name and its first class.
///
/// Further classes and the id often describe the page (`tag-storm`) and not the role of the element.
///
/// ```
/// assert_eq!(template::path_key("article.post.tag-storm#storm"), "article.post");
/// ```
pub fn path_key(element: &str) -> &str {
    let element = without_id(without_hidden(element));
    let mut dots = (0..element.len()).filter(|at| element.as_bytes()[*at] == b'.');
    let end = dots.nth(1).unwrap_or(element.len());
    &element[..end]
}

/// Returns whether the classes may contain a word of [`names_comments`], [`names_reviews`] or [`names_tickets`]: one of
/// [`STARTS`]. Nearly all have none, and are read once, without a branch that depends on a letter.
fn may_have_words(classes: &[u8]) -> bool {
    // Each bit stands for a letter of a start, and is set after a byte if the start up to this letter ends there.
    let (mut state, mut found) = (0, 0);
    for byte in classes {
        state = (state << 1 | START_BITS.first) & START_BITS.of_letter[usize::from(*byte)];
        found |= state;
    }
    found & START_BITS.last != 0
}

/// The first letters of all words that are searched for.
const STARTS: [&str; 14] = [
    "comm", "come", "disq", "kome", "komm", "opin", "ping", "resp", "repl", "trac", "revi", "bug",
    "foru", "tick",
];

/// The letters of [`STARTS`], as bits.
struct StartBits {
    first: u64,
    last: u64,
    of_letter: [u64; 256],
}

static START_BITS: StartBits = {
    let mut bits = StartBits {
        first: 0,
        last: 0,
        of_letter: [0; 256],
    };
    let (mut start, mut bit) = (0, 0);
    while start < STARTS.len() {
        let letters = STARTS[start].as_bytes();
        bits.first |= 1 << bit;
        let mut at = 0;
        while at < letters.len() {
            bits.of_letter[letters[at] as usize] |= 1 << bit;
            bits.of_letter[letters[at].to_ascii_uppercase() as usize] |= 1 << bit;
            (at, bit) = (at + 1, bit + 1);
        }
        bits.last |= 1 << (bit - 1);
        start += 1;
    }
    bits
};

/// Returns whether the classes contain a word for comments, in English, Polish, Portuguese, Spanish,
/// Czech, German, Scandinavian or transliterated Russian.
fn names_comments(classes: &[u8]) -> bool {
    classes.iter().enumerate().any(|(at, initial)| {
        let words: &[&[u8]] = match initial | 0x20 {
            b'c' => &[b"comment", b"coment"],
            b'd' => &[b"disqus"],
            b'k' => &[b"koment", b"komment"],
            b'o' => &[b"opinie", b"opinia"],
            b'p' => &[b"pingback"],
            b'r' => &[b"respond", b"replies"],
            b't' => &[b"trackback"],
            _ => return false,
        };
        let begins = |word: &&[u8]| {
            let found = classes.get(at..at + word.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(word))
        };
        let is_short = || {
            let after = classes.get(at + COMM.len());
            begins(&COMM) && !after.is_some_and(u8::is_ascii_lowercase)
        };
        words.iter().any(begins) || is_short()
    })
}

/// Comments for short, in front of another word or alone: `articleCommBody`, not `community`.
const COMM: &[u8] = b"comm";

/// Returns whether the classes contain a word for reviews by customers. The classes of an `article`
/// have the categories of a blog, which can be reviews. Ids name the tabs of a product, its description
/// among them.
fn names_reviews(classes: &[u8]) -> bool {
    let mut words = classes.windows(REVIEWS.len());
    words.any(|word| word.eq_ignore_ascii_case(REVIEWS))
}

const REVIEWS: &[u8] = b"reviews";

/// Returns whether a word of the classes is one for tickets or forums.
///
/// `thread`, `topic`, `issue` and `question` are not: themes of blogs and magazines use them, and
/// below a question comments are asides.
fn names_tickets(classes: &str) -> bool {
    let mut words = classes.split(|letter: char| !letter.is_ascii_alphabetic());
    words.any(|word| TICKETS.iter().any(|of| word.eq_ignore_ascii_case(of)))
}

const TICKETS: [&str; 6] = ["bug", "bugs", "forum", "forums", "ticket", "tickets"];

/// Returns whether the element is in the skip list of the authors' later code [O D7].
///
/// Elements of that list that never have text are omitted, and those whose text is shown on demand: questions
/// and answers are `details` and `summary`, and an open `dialog` is part of its page.
fn is_boilerplate_element(name: &str) -> bool {
    matches!(
        name,
        "nav"
            | "aside"
            | "footer"
            | "form"
            | "fieldset"
            | "legend"
            | "label"
            | "button"
            | "select"
            | "optgroup"
            | "option"
            | "datalist"
            | "textarea"
            | "output"
            | "progress"
            | "meter"
            | "menu"
            | "menuitem"
            | "canvas"
            | "map"
            | "audio"
            | "video"
            | "object"
            | "svg"
    )
}

/// Returns whether the fragments of an element belong together.
fn is_unit(name: &str) -> bool {
    matches!(
        name,
        "p" | "ul" | "ol" | "li" | "dl" | "dt" | "dd" | "blockquote" | "figcaption" | "pre"
    )
}

/// Returns whether the element is part of a text.
fn is_text_part(name: &str) -> bool {
    matches!(
        name,
        "p" | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "ul"
            | "ol"
            | "li"
            | "dl"
            | "dt"
            | "dd"
            | "blockquote"
            | "figure"
            | "figcaption"
            | "pre"
            | "span"
            | "label"
            | "button"
            | "select"
            | "svg"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_the_element_and_its_first_class() {
        assert_eq!(path_key("p"), "p");
        assert_eq!(path_key("div.wide.dark"), "div.wide");
        assert_eq!(
            path_key("article.post-.tag-storm.tag-rain"),
            "article.post-"
        );
    }

    #[test]
    fn an_id_is_a_name_but_no_part_of_a_key() {
        assert_eq!(path_key("div.wide.dark#top"), "div.wide");
        assert_eq!(path_key("div#top"), "div");
        assert!(ElementTraits::from_name("div#Comments").comments);
        assert!(ElementTraits::from_name("div.wide#ticket").ticket);
        assert!(ElementTraits::from_name("div.product-reviews#tab").comments);
        assert!(!ElementTraits::from_name("div.product#tab-reviews").comments);
    }

    #[test]
    fn comments_are_recognized_by_any_class_in_any_case() {
        for element in [
            "div.Comments",
            "ol.commentlist",
            "li.x.depth-.TRACKBACK",
            "div.x-disqus_thread",
            "div.komentarzWiersz",
            "div.opOpinie",
            "div.articleCommBody",
            "div.comm",
            "div.product-reviews",
        ] {
            assert!(ElementTraits::from_name(element).comments, "{element}");
        }
        // The name of an element is not a class.
        for element in [
            "comment",
            "div.common",
            "div.community",
            "div.co.mment",
            "div",
            "article.category-reviews",
        ] {
            assert!(!ElementTraits::from_name(element).comments, "{element}");
        }
    }

    #[test]
    fn the_starts_are_those_of_all_words() {
        for word in [
            "comment",
            "coment",
            "disqus",
            "koment",
            "komment",
            "opinie",
            "opinia",
            "pingback",
            "respond",
            "replies",
            "trackback",
            "comm",
            "reviews",
        ]
        .iter()
        .chain(&TICKETS)
        {
            let classes = format!(".a-{}", word.to_uppercase());
            assert!(may_have_words(classes.as_bytes()), "{word}");
        }
        assert!(!may_have_words(b".co.mm.content.bu"));
    }

    #[test]
    fn boilerplate_depends_on_the_element_and_not_on_its_classes() {
        assert!(ElementTraits::from_name("nav.x").boilerplate);
        assert!(!ElementTraits::from_name("div.nav").boilerplate);
        assert!(ElementTraits::from_name("h2.title").heading);
        assert!(ElementTraits::from_name("li").text_part);
        assert!(!ElementTraits::from_name("td").text_part);
    }
}
