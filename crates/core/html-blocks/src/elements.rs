//! The properties of HTML elements, with one lookup per tag.

/// Which tags end a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitList {
    /// Every tag ends a block except those of inline elements: elements that browsers lay out
    /// inside a line of text (`b`, `em`, `a`, `mark`, `time`, `ruby`, `math`, ...).
    ///
    /// - `span` ends a block only where it is not part of a sentence: templates set dates, counts
    ///   and names as lines of spans, and one such text in a block makes the whole line look
    ///   unique. In a paragraph it never ends a block. Elsewhere it does not if the text beside it,
    ///   outside of spans, has three letters or more. Measured on 28 kinds of pages, F1 is .9159
    ///   so, .9143 if `span` always ends a block, and tickets, forums and product pages lose .006
    ///   to .02 if it never does in headings and cells.
    /// - Images, scripts and style sheets do not end a block in a paragraph.
    /// - Nothing ends the block of a `pre` but the elements of a page: headings, tables, sections.
    ///   Its text keeps its lines.
    /// - Custom elements (`x-card`) end a block, because pages build their layout from them.
    /// - Names with a colon (`st1:City`, `o:p`) do not end a block: office exports mark words
    ///   with them.
    /// - Line breaks and other replaced elements end a block, as in the original.
    #[default]
    Html,
    /// The list of the authors' code [O G2] [O G3]: `span`, `mark`, `time`, `wbr` and `ruby` end
    /// a block; `main`, `center`, `picture`, `svg` and all unknown elements do not. Text that
    /// this code keeps is kept too [O G1]: `<title>` is a block, and the contents of `iframe`,
    /// `noframes`, `noembed` and `template` are blocks.
    Original,
}

/// The properties of an element that decide blocks, DOM paths and implied end tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element(u16);

impl Element {
    /// Laid out inside a line of text. Does not appear in DOM paths.
    const INLINE: u16 = 1 << 0;
    /// In the original's split list [O G2].
    const ORIGINAL: u16 = 1 << 1;
    /// Has no content and no end tag.
    const VOID: u16 = 1 << 2;
    /// Its start tag ends an open paragraph.
    const ENDS_P: u16 = 1 << 3;
    /// Ends a scope: end tags inside it do not close elements outside it.
    const BARRIER: u16 = 1 << 4;
    /// A boilerplate element of the original: navigation, header, footer, form and the like [O D7].
    const CHROME: u16 = 1 << 5;
    /// `h1` to `h6`.
    const HEADING: u16 = 1 << 6;
    /// Its start tag closes an open `svg` or `math`.
    const BREAKS_OUT: u16 = 1 << 7;
    /// `html`, `head`, `body`: in every page, so never on the stack.
    const ROOT: u16 = 1 << 8;
    /// Does not end a block in a paragraph.
    const SOFT: u16 = 1 << 9;
    /// In a `pre`, its start and its end are ends of a line.
    const LINE: u16 = 1 << 10;

    fn is(self, flag: u16) -> bool {
        self.0 & flag != 0
    }

    pub(crate) fn splits(self, list: SplitList) -> bool {
        match list {
            SplitList::Html => !self.is(Self::INLINE),
            SplitList::Original => self.is(Self::ORIGINAL),
        }
    }

    pub(crate) fn inline(self) -> bool {
        self.is(Self::INLINE)
    }

    pub(crate) fn void(self) -> bool {
        self.is(Self::VOID)
    }

    pub(crate) fn ends_p(self) -> bool {
        self.is(Self::ENDS_P)
    }

    pub(crate) fn barrier(self) -> bool {
        self.is(Self::BARRIER)
    }

    pub(crate) fn chrome(self) -> bool {
        self.is(Self::CHROME)
    }

    pub(crate) fn heading(self) -> bool {
        self.is(Self::HEADING)
    }

    pub(crate) fn breaks_out(self) -> bool {
        self.is(Self::BREAKS_OUT)
    }

    pub(crate) fn soft(self) -> bool {
        self.is(Self::SOFT)
    }

    pub(crate) fn line(self) -> bool {
        self.is(Self::LINE)
    }

    pub(crate) fn root(self) -> bool {
        self.is(Self::ROOT)
    }

    /// The properties of the element with this name.
    pub(crate) fn for_name(name: Name<'_>) -> Self {
        Self(match name.tag {
            Tag::Other => match name.text {
                "bb" | "datagrid" | "eventsource" => Self::ORIGINAL,
                // Formulas of MathJax are parts of sentences.
                text if text.contains(':') || text.starts_with("mjx-") => Self::INLINE,
                _ => 0,
            },
            tag => ELEMENTS[tag as usize].2,
        })
    }
}

/// The name of an element in lower case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'n> {
    pub(crate) tag: Tag,
    pub(crate) text: &'n str,
}

impl<'n> Name<'n> {
    /// Creates a name from a text in lower case.
    #[cfg(any(test, feature = "reference"))]
    pub(crate) fn new(text: &'n str) -> Self {
        let tag = Tag::named(text);
        Self { tag, text }
    }
}

macro_rules! elements {
    ($($flags:expr => $($tag:ident $name:literal),+;)+) => {
        /// The known elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Tag {
            $($($tag,)+)+
            /// Any other element.
            Other,
        }

        /// Names and flags in the order of [`Tag`].
        const ELEMENTS: &[(&str, Tag, u16)] = &[$($(($name, Tag::$tag, $flags),)+)+];
    };
}

impl Tag {
    /// The number of known elements.
    pub(crate) const COUNT: usize = ELEMENTS.len();

    /// Finds the element with this name, in upper or lower case.
    pub(crate) fn named(name: &str) -> Self {
        let Some(key) = key(name.as_bytes()) else {
            return Self::Other;
        };
        let mut slot = slot(key);
        loop {
            let at = usize::from(SLOTS[slot]);
            if at == Self::COUNT {
                return Self::Other;
            }
            if KEYS[at] == key {
                return ELEMENTS[at].1;
            }
            slot = (slot + 1) % SLOTS.len();
        }
    }

    /// The name of a known element; empty for `Other`.
    pub(crate) fn name(self) -> &'static str {
        ELEMENTS.get(self as usize).map_or("", |(name, ..)| name)
    }
}

/// A unique number for a name, whatever its case; `None` if it is longer than every known name.
const fn key(name: &[u8]) -> Option<u128> {
    if name.len() > 15 {
        return None;
    }
    let (start, end) = name.split_at(if name.len() < 8 { name.len() } else { 8 });
    let high = (name.len() as u64) << 56 | word(end);
    Some((high as u128) << 64 | word(start) as u128)
}

/// At most eight letters, in lower case, as a number.
const fn word(letters: &[u8]) -> u64 {
    let mut word = 0;
    let mut at = 0;
    while at < letters.len() {
        word = word << 8 | letters[at].to_ascii_lowercase() as u64;
        at += 1;
    }
    word
}

/// The index in [`SLOTS`] at which the search for a key begins.
const fn slot(key: u128) -> usize {
    let folded = (key >> 64) as u64 ^ key as u64;
    // Fibonacci hashing: multiplying by 2^64 divided by the golden ratio mixes all bytes.
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize
}

/// The keys of the names, in the order of [`ELEMENTS`].
static KEYS: [u128; Tag::COUNT] = {
    let mut keys = [0; Tag::COUNT];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = key(ELEMENTS[at].0.as_bytes()).expect("known names are short");
        at += 1;
    }
    keys
};

/// A hash table with linear probing over [`KEYS`], built at compile time. Empty entries are
/// [`Tag::COUNT`].
///
/// A `phf::Map` instead makes a page cost 14 % more processor time (13 to 16 % in five
/// alternating runs over 680 real pages, the fastest of 60 passes each): it needs the name in
/// lower case in a buffer, and hashes it with SipHash.
static SLOTS: [u8; 512] = {
    let mut slots = [Tag::COUNT as u8; 512];
    let mut at = 0;
    while at < Tag::COUNT {
        let mut slot = slot(key(ELEMENTS[at].0.as_bytes()).expect("known names are short"));
        while slots[slot] != Tag::COUNT as u8 {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = at as u8;
        at += 1;
    }
    slots
};

const I: u16 = Element::INLINE;
const O: u16 = Element::ORIGINAL;
const V: u16 = Element::VOID;
const P: u16 = Element::ENDS_P;
const B: u16 = Element::BARRIER;
const C: u16 = Element::CHROME;
const X: u16 = Element::BREAKS_OUT;
const HEADING: u16 = Element::HEADING;
const ROOT: u16 = Element::ROOT;
const SOFT: u16 = Element::SOFT;
const LINE: u16 = Element::LINE;

elements! {
    O | ROOT => Html "html";
    O | X | ROOT => Head "head", Body "body";
    O | V => Base "base", Link "link", Param "param", Command "command";
    V => Bgsound "bgsound", Frame "frame", Track "track";
    O | V | X => Meta "meta";
    O | P | X => P "p", Dl "dl", Pre "pre", Blockquote "blockquote", Dd "dd", Dt "dt";
    O | P | X | LINE => Ul "ul", Ol "ol", Div "div", Li "li";
    O | P => Article "article", Section "section", Figure "figure", Figcaption "figcaption",
        Hgroup "hgroup";
    P => Main "main", Search "search", Dialog "dialog", Dir "dir", Xmp "xmp",
        Plaintext "plaintext";
    P | X => Center "center", Listing "listing";
    O | V | P | X => Hr "hr";
    O | P | X | HEADING => H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6";
    O | P | C => Nav "nav", Aside "aside", Header "header", Footer "footer", Address "address",
        Form "form", Fieldset "fieldset", Details "details", Summary "summary";
    O | P | C | X => Menu "menu";
    O | C => Legend "legend", Label "label", Button "button", Select "select",
        Optgroup "optgroup", Option "option", Datalist "datalist", Textarea "textarea",
        Output "output", Progress "progress", Meter "meter", Canvas "canvas", Iframe "iframe",
        Map "map", Audio "audio", Video "video";
    O | C | B => Object "object";
    C => Menuitem "menuitem", Svg "svg";
    O | V | C => Input "input", Keygen "keygen";
    O | V => Area "area", Source "source";
    O | V | X | SOFT => Img "img";
    O | V | X => Embed "embed";
    O | V | X | LINE => Br "br";
    V | X => Image "image";
    O | P | B | X => Table "table";
    O | B => Td "td", Th "th", Caption "caption";
    O => Tr "tr", Tbody "tbody", Thead "thead", Tfoot "tfoot", Colgroup "colgroup";
    O | V => Col "col";
    B => Applet "applet", Marquee "marquee", Template "template";
    O | SOFT => Script "script", Style "style";
    O => Noscript "noscript", Title "title";
    // The original's ignore list, and inline elements that the original does not know.
    I => A "a", Abbr "abbr", Acronym "acronym", Bdi "bdi", Bdo "bdo", Cite "cite", Del "del",
        Dfn "dfn", Font "font", Ins "ins", Kbd "kbd", Q "q", Samp "samp";
    I | V => Basefont "basefont";
    I | X => B "b", Big "big", Code "code", Em "em", I "i", Nobr "nobr", S "s", Small "small",
        Strike "strike", Strong "strong", Sub "sub", Sup "sup", Tt "tt", U "u", Var "var";
    I => Blink "blink", Data "data", Slot "slot", Math "math", Rb "rb", Rtc "rtc";
    // Inline in browsers, but in the original's split list.
    I | O => Mark "mark", Time "time", Rp "rp", Rt "rt";
    I | O | X => Ruby "ruby";
    O | X | SOFT => Span "span";
    I | O | V => Wbr "wbr";
    0 => Noembed "noembed", Noframes "noframes";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splits(name: &str, list: SplitList) -> bool {
        Element::for_name(Name::new(name)).splits(list)
    }

    #[test]
    fn elements_are_found_by_their_whole_name_in_any_case() {
        for (name, tag, _) in ELEMENTS {
            assert_eq!(Tag::named(name), *tag);
            assert_eq!(Tag::named(&name.to_uppercase()), *tag);
            assert_eq!(tag.name(), *name);
            let (start, end) = name.split_at(name.len().min(8));
            for other in [
                format!("{name}\0"),
                format!("{start}\0{end}"),
                format!("{name}{name}{name}{name}{name}"),
            ] {
                assert_eq!(Tag::named(&other), Tag::Other, "{other}");
            }
        }
        assert_eq!(Tag::named(""), Tag::Other);
    }

    /// The lists of [O G2]: the known elements, and those of them that do not end a block.
    const KNOWN: &str = "a abbr address area article aside audio b base bb bdo blockquote body br \
        button canvas caption cite code col colgroup command datagrid datalist dd del details dfn \
        div dl dt em embed eventsource fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 \
        head header hgroup hr html i iframe img input ins kbd keygen label legend li link mark map \
        menu meta meter nav noscript object ol optgroup option output p param pre progress q ruby \
        rp rt samp script section select small source span strong style sub summary sup table \
        tbody td textarea tfoot th thead time title tr ul var video wbr";
    const IGNORED: &str = "ins del bdo em strong dfn code samp kbd var cite abbr acronym q sub sup \
        tt i b big small u s strike basefont font a";

    #[test]
    fn the_original_list_is_that_of_the_authors_code() {
        for name in KNOWN.split_whitespace() {
            let ignored = IGNORED.split_whitespace().any(|ignored| ignored == name);
            assert_eq!(splits(name, SplitList::Original), !ignored, "{name}");
        }
        for name in "center main picture svg math template nobr marquee frame frameset noframes \
                     dir applet xmp track dialog x-card fb:like"
            .split_whitespace()
        {
            assert!(!splits(name, SplitList::Original), "{name}");
        }
    }

    #[test]
    fn html_splits_at_all_but_inline_elements() {
        for name in "p div span main center br img svg x-card label option section noscript"
            .split_whitespace()
        {
            assert!(splits(name, SplitList::Html), "{name}");
        }
        for name in "a b mark time wbr ruby rt math samp nobr o:p st1:city".split_whitespace() {
            assert!(!splits(name, SplitList::Html), "{name}");
        }
        for name in IGNORED.split_whitespace() {
            assert!(!splits(name, SplitList::Html), "{name}");
        }
    }
}
