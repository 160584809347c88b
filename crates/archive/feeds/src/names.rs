//! The elements of a feed that are read, by namespace and name.

/// The part of an item that an element has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Title,
    Description,
    Date,
    Link,
    /// The identifier of RSS, which is a link unless it says that it is not.
    Guid,
    /// The identifier of Atom, which may be a link.
    Id,
}

/// The meaning of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// The root of a feed.
    Root,
    Item,
    /// A field, and its rank among elements of the same field. The lowest is taken.
    Field(Field, u8),
    /// An element whose title and link are those of something else, or are text.
    Apart,
    Other,
}

/// A namespace that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// RSS and Atom in all of their versions, which have no name with two meanings.
    Feed,
    Rdf,
    DublinCore,
    Media,
    Itunes,
    FeedBurner,
    Other,
}

/// Namespaces without scheme and without signs at the end.
const SPACES: [(&str, Space); 20] = [
    ("", Space::Feed),
    ("www.w3.org/2005/atom", Space::Feed),
    ("purl.org/atom/ns", Space::Feed),
    ("purl.org/rss/1.0", Space::Feed),
    ("purl.org/net/rss1.1", Space::Feed),
    ("my.netscape.com/rdf/simple/0.9", Space::Feed),
    ("channel.netscape.com/rdf/simple/0.9", Space::Feed),
    ("my.netscape.com/publish/formats/rss-0.91.dtd", Space::Feed),
    ("backend.userland.com/rss", Space::Feed),
    ("backend.userland.com/rss2", Space::Feed),
    ("blogs.law.harvard.edu/tech/rss", Space::Feed),
    ("cyber.law.harvard.edu/rss/rss.html", Space::Feed),
    ("www.w3.org/1999/02/22-rdf-syntax-ns", Space::Rdf),
    ("purl.org/dc/elements/1.1", Space::DublinCore),
    ("purl.org/dc/terms", Space::DublinCore),
    ("search.yahoo.com/mrss", Space::Media),
    ("www.itunes.com/dtds/podcast-1.0.dtd", Space::Itunes),
    ("rssnamespace.org/feedburner/ext/1.0", Space::FeedBurner),
    ("www.w3.org/1999/xhtml", Space::Other),
    ("purl.org/rss/1.0/modules/content", Space::Other),
];

impl Space {
    /// The namespace that a declaration names. `None` is an unknown one.
    pub(crate) fn of(uri: &str) -> Option<Self> {
        let uri = uri.trim().to_ascii_lowercase();
        let name = uri.split_once("://").map_or(&*uri, |(_, rest)| rest);
        let name = name.trim_end_matches(['/', '#']);
        let known = SPACES.iter().find(|(known, _)| *known == name);
        known.map(|(_, space)| *space)
    }

    /// The namespace of a prefix that no declaration, or an unknown one, binds. Elements without a
    /// prefix are those of the feed.
    pub(crate) fn of_prefix(prefix: &str) -> Self {
        match prefix {
            "" | "atom" | "rss" => Self::Feed,
            "rdf" => Self::Rdf,
            "dc" | "dcterms" => Self::DublinCore,
            "media" => Self::Media,
            "itunes" => Self::Itunes,
            "feedburner" => Self::FeedBurner,
            _ => Self::Other,
        }
    }
}

impl Element {
    /// The meaning of a name in lower case.
    pub(crate) fn of(space: Space, name: &str) -> Self {
        use Field::{Date, Description, Guid, Id, Link, Title};
        match (space, name) {
            (Space::Feed, "rss" | "feed" | "channel") | (Space::Rdf | Space::Feed, "rdf") => {
                Self::Root
            }
            (Space::Feed, "item" | "entry") => Self::Item,
            (Space::Feed, "title") => Self::Field(Title, 0),
            (Space::DublinCore, "title") => Self::Field(Title, 1),
            (Space::Media | Space::Itunes, "title") => Self::Field(Title, 2),
            (Space::Feed, "description" | "summary" | "abstract") => Self::Field(Description, 0),
            (Space::DublinCore, "description") => Self::Field(Description, 1),
            (Space::Media, "description") | (Space::Itunes, "summary") => {
                Self::Field(Description, 2)
            }
            (Space::Feed, "pubdate" | "published" | "issued") => Self::Field(Date, 0),
            (Space::DublinCore, "issued") => Self::Field(Date, 0),
            (Space::DublinCore, "date" | "created") | (Space::Feed, "created") => {
                Self::Field(Date, 1)
            }
            (Space::Feed, "updated" | "modified" | "lastbuilddate") => Self::Field(Date, 2),
            (Space::DublinCore, "modified") => Self::Field(Date, 2),
            (Space::FeedBurner, "origlink") => Self::Field(Link, 0),
            (Space::Feed, "link") => Self::Field(Link, 1),
            (Space::Feed, "guid") => Self::Field(Guid, 3),
            (Space::Feed, "id") => Self::Field(Id, 5),
            (Space::Feed, "source" | "image" | "textinput" | "author" | "contributor") => {
                Self::Apart
            }
            (Space::Feed, "content" | "body" | "fullitem") | (Space::Other, "encoded" | "body") => {
                Self::Apart
            }
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_known_in_their_spellings() {
        for (uri, space) in [
            ("", Some(Space::Feed)),
            ("https://www.w3.org/2005/Atom/", Some(Space::Feed)),
            ("http://purl.org/atom/ns#", Some(Space::Feed)),
            ("http://purl.org/dc/elements/1.1/", Some(Space::DublinCore)),
            (" http://search.yahoo.com/mrss ", Some(Space::Media)),
            (
                "http://www.itunes.com/DTDs/PodCast-1.0.dtd",
                Some(Space::Itunes),
            ),
            ("http://gazette.example/ns", None),
        ] {
            assert_eq!(Space::of(uri), space, "{uri}");
        }
    }
}
