//! Families of words in the classes of elements.

use std::sync::LazyLock;

/// A set of families, one bit each.
pub(crate) type Families = u32;

/// The family of related pages.
pub(crate) const RELATED: Families = 1 << 5;

/// The family of advertisements.
pub(crate) const ADS: Families = 1 << 7;

/// The family of overlays, dialogs and questions for consent.
pub(crate) const OVERLAYS: Families = 1 << 15;

/// The family of captions and images.
pub(crate) const IMAGES: Families = 1 << 16;

/// Number of families.
pub(crate) const FAMILIES: usize = FAMILY_WORDS.len();

/// The beginnings of words of each family, in lower case. Most class names are English on sites of
/// every language; German, French, Spanish, Portuguese, Italian, Polish and Scandinavian words are
/// there if they are common as names of elements.
const FAMILY_WORDS: [&[&str]; 26] = [
    &[
        "nav",
        "menu",
        "breadcrumb",
        "crumb",
        "pager",
        "pagin",
        "meny",
    ],
    &[
        "foot",
        "copyright",
        "legal",
        "impressum",
        "colophon",
        "fuss",
        "rodape",
    ],
    &[
        "header", "masthead", "logo", "topbar", "site", "brand", "kopf",
    ],
    &[
        "side", "rail", "widget", "block", "box", "spalte", "lateral", "colright",
    ],
    &[
        "comment", "coment", "koment", "komment", "disqus", "respond", "repl", "review", "opini",
    ],
    &[
        "relat",
        "recommend",
        "similar",
        "more",
        "also",
        "popular",
        "trend",
        "suggest",
        "latest",
        "recent",
        "next",
        "prev",
        "most",
        "read",
        "verwandt",
        "relacion",
        "podobn",
        "mehr",
    ],
    &[
        "share", "sharing", "social", "facebook", "twitter", "follow", "addthis", "bookmark",
        "compart",
    ],
    &[
        "ad",
        "ads",
        "advert",
        "promo",
        "sponsor",
        "banner",
        "werbung",
        "reklam",
        "public",
        "newsletter",
        "subscri",
        "signup",
        "offer",
        "campaign",
        "outbrain",
        "taboola",
    ],
    &[
        "meta", "byline", "author", "date", "time", "publish", "posted", "info", "autor", "auteur",
        "fecha", "datum", "credit", "source", "updated", "writer",
    ],
    &[
        "tag", "categor", "label", "topic", "keyword", "badge", "kategor",
    ],
    &[
        "title", "headline", "heading", "titel", "titul", "titre", "tytul", "titolo", "subtitle",
        "name",
    ],
    &[
        "body", "content", "text", "article", "story", "entry", "post", "artikel", "artic", "nota",
        "tekst", "inhalt", "conteud", "contenid", "contenu", "copy", "prose", "markdown",
        "wysiwyg", "rich", "rte", "cuerpo", "corps", "tresc",
    ],
    &["main", "primary", "central", "principal", "haupt", "page"],
    &[
        "product", "price", "shop", "cart", "sku", "spec", "stock", "buy", "rating", "produ",
        "star",
    ],
    &[
        "descri",
        "detail",
        "summary",
        "excerpt",
        "lead",
        "intro",
        "dek",
        "abstract",
        "overview",
        "teaser",
        "standfirst",
        "chapo",
        "beschreib",
    ],
    &[
        "modal", "popup", "cookie", "consent", "overlay", "dialog", "alert", "notice", "gdpr",
        "privacy", "toast", "drawer",
    ],
    &[
        "caption", "image", "img", "photo", "gallery", "figure", "video", "media", "slider",
        "slide", "carousel", "thumb", "foto", "bild", "swiper", "player",
    ],
    &[
        "login", "search", "form", "account", "user", "profile", "member", "sign", "avatar",
        "input",
    ],
    &[
        "list",
        "item",
        "card",
        "grid",
        "tile",
        "row",
        "result",
        "feed",
        "collection",
        "archive",
        "col",
        "liste",
    ],
    &[
        "forum", "thread", "message", "question", "answer", "ticket", "discuss", "issue", "msg",
        "bb",
    ],
    &[
        "code",
        "highlight",
        "toc",
        "doc",
        "section",
        "api",
        "sphinx",
        "admonition",
        "example",
        "ref",
    ],
    &[
        "hidden",
        "sr",
        "screen",
        "visually",
        "noprint",
        "print",
        "skip",
        "hide",
        "invisible",
    ],
    &[
        "faq",
        "accordion",
        "tab",
        "tabs",
        "collaps",
        "toggle",
        "expand",
        "panel",
    ],
    &[
        "testimonial",
        "quote",
        "blockquote",
        "customer",
        "client",
        "team",
    ],
    &[
        "btn", "button", "link", "action", "cta", "icon", "download", "tool", "control",
    ],
    &[
        "hero",
        "jumbotron",
        "cover",
        "feature",
        "service",
        "benefit",
        "step",
        "pricing",
        "plan",
    ],
];

/// Returns the families of the words in the classes of an element, `.class.class`.
///
/// A word begins after a character other than a letter, or with a capital after a small letter.
pub(crate) fn families(classes: &str) -> Families {
    let bytes = classes.as_bytes();
    let mut found = 0;
    let mut before = b'.';
    for (at, letter) in bytes.iter().enumerate() {
        let begins = letter.is_ascii_alphabetic()
            && (!before.is_ascii_alphabetic()
                || before.is_ascii_lowercase() && letter.is_ascii_uppercase());
        if begins {
            found |= of_word(&bytes[at..]);
        }
        before = *letter;
    }
    found
}

/// Words, each with its family.
type Words = Vec<(&'static [u8], Families)>;

/// The words by their initial.
static BY_INITIAL: LazyLock<[Words; 26]> = LazyLock::new(|| {
    let mut by_initial: [Words; 26] = Default::default();
    for (family, words) in FAMILY_WORDS.iter().enumerate() {
        for word in words.iter().map(|word| word.as_bytes()) {
            if let Some(words) = by_initial.get_mut(usize::from(word[0] - b'a')) {
                words.push((word, 1 << family));
            }
        }
    }
    by_initial
});

/// Returns the families of the word at the start of a text that begins with a letter.
fn of_word(rest: &[u8]) -> Families {
    let initial = rest.first().map_or(0, u8::to_ascii_lowercase);
    let words = BY_INITIAL.get(usize::from(initial.wrapping_sub(b'a')));
    let begins = |word: &[u8]| {
        let start = rest.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    // A word of two letters is a whole word: `ad`, `sr`.
    let is_word =
        |word: &[u8]| word.len() > 2 || !rest.get(word.len()).is_some_and(u8::is_ascii_alphabetic);
    let words = words.into_iter().flatten();
    words
        .filter(|(word, _)| begins(word) && is_word(word))
        .fold(0, |found, (_, family)| found | family)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(classes: &str) -> Vec<&'static str> {
        let found = families(classes);
        let words = FAMILY_WORDS.iter().enumerate();
        let found = words.filter(|(family, _)| found & 1 << family != 0);
        found.map(|(_, words)| words[0]).collect()
    }

    #[test]
    fn words_are_found_at_their_beginning() {
        assert_eq!(names(".main-Navigation"), ["nav", "main"]);
        assert_eq!(names(".relatedPosts"), ["relat", "body"]);
        assert_eq!(names(".canvas.inside"), [""; 0]);
        assert_eq!(names(".ad.adapt"), ["ad"]);
    }

    #[test]
    fn families_with_names_have_their_bits() {
        for (family, classes) in [
            (RELATED, ".related"),
            (ADS, ".advert"),
            (OVERLAYS, ".overlay"),
            (IMAGES, ".caption"),
        ] {
            assert_eq!(families(classes), family, "{classes}");
        }
    }

    #[test]
    fn every_word_has_small_letters() {
        for word in FAMILY_WORDS.iter().flat_map(|words| words.iter()) {
            assert!(
                word.bytes().all(|letter| letter.is_ascii_lowercase()),
                "{word}"
            );
        }
    }
}
