//! Collects the markup of a page while its blocks are built.

use std::borrow::Cow;

use html_blocks::{Observer, Opened, TextBlock};

use crate::address::{ADDRESS_BYTES, declared_base};
use crate::language::{code_language, language_around};
use crate::markup::Markup;
use crate::reading::{OpenCode, OpenStyle};
use crate::structure::{Container, Content, Image, Joint, Kind, Piece, Structure, Style};

/// Open styles. Each costs work in every block, and pages that leave one open in each paragraph exist.
const STYLES: usize = 16;

impl Markup {
    fn push_container(&mut self, depth: usize, kind: Kind) {
        let parent = self.reading.container();
        let container = add(&mut self.structure, parent, kind);
        self.reading.open.push((depth, container));
    }

    /// Closes the containers at this depth and deeper.
    fn close(&mut self, depth: usize) {
        let reading = &mut self.reading;
        while reading.open.pop_if(|(open, _)| *open >= depth).is_some() {}
        reading.styles.retain(|style| style.open < depth);
        if reading
            .language
            .as_ref()
            .is_some_and(|(open, _)| *open >= depth)
        {
            reading.language = None;
        }
        if reading.code.is_some_and(|code| code.depth >= depth) {
            reading.code = None;
        }
    }

    /// An element that is open now.
    fn element(&mut self, tag: &Opened<'_>, depth: usize) {
        self.close(depth);
        let kind = match tag.name() {
            "h1" => Kind::Heading(1),
            "h2" => Kind::Heading(2),
            "h3" => Kind::Heading(3),
            "h4" => Kind::Heading(4),
            "h5" => Kind::Heading(5),
            "h6" => Kind::Heading(6),
            "blockquote" => Kind::Quote,
            "ul" | "menu" | "dir" => return self.list(depth, Kind::List),
            "ol" => return self.list(depth, Kind::Ordered(number(tag, "start", 1))),
            "li" => return self.item(depth),
            "pre" | "xmp" | "listing" => return self.code(tag, depth),
            "table" => Kind::Table,
            "caption" => Kind::Caption,
            "tr" => Kind::Row,
            "td" | "th" => return self.cell(tag, depth),
            "div" | "figure" => {
                let language = language_around(tag);
                if language.is_some() && self.reading.code.is_none() {
                    self.reading.language = language.map(|language| (depth, language));
                }
                return;
            }
            _ => return,
        };
        self.push_container(depth, kind);
    }

    /// A list. One that is a child of another list belongs to the item before it.
    fn list(&mut self, depth: usize, kind: Kind) {
        let around = self.reading.container();
        if !self.is_list(around) {
            return self.push_container(depth, kind);
        }
        let item = match self.items_of(around) {
            (0, _) => self.add_item(around),
            (last, _) => last,
        };
        let list = add(&mut self.structure, item, kind);
        self.reading.open.push((depth, list));
    }

    fn is_list(&self, container: u32) -> bool {
        let kind = self.structure.kind(container);
        matches!(kind, Some(Kind::List | Kind::Ordered(_)))
    }

    /// The last item of a list, 0 if it has none, and the number of its items.
    fn items_of(&self, list: u32) -> (u32, u32) {
        let items = self.reading.items.get(list as usize);
        items.copied().unwrap_or_default()
    }

    fn add_item(&mut self, list: u32) -> u32 {
        let (_, before) = self.items_of(list);
        let item = add(&mut self.structure, list, Kind::Item(before));
        let items = &mut self.reading.items;
        items.resize(items.len().max(list as usize + 1), (0, 0));
        items[list as usize] = (item, before + 1);
        item
    }

    /// An item. One without a list gets one, which the items after it share until a text is in none.
    fn item(&mut self, depth: usize) {
        let around = self.reading.container();
        let list = if self.is_list(around) {
            around
        } else {
            let containers = &self.structure.containers;
            let last = containers.last();
            let item = last.filter(|last| matches!(last.kind, Kind::Item(_)));
            let list = item.map(|item| item.parent);
            let is_around = |piece: &Piece| piece.container == around;
            let is_ended = self.structure.pieces.last().is_some_and(is_around);
            let shared = list.filter(|list| {
                !is_ended && *list > 0 && containers[*list as usize - 1].parent == around
            });
            shared.unwrap_or_else(|| add(&mut self.structure, around, Kind::List))
        };
        let item = self.add_item(list);
        self.reading.open.push((depth, item));
    }

    fn cell(&mut self, tag: &Opened<'_>, depth: usize) {
        if !matches!(
            self.structure.kind(self.reading.container()),
            Some(Kind::Row)
        ) {
            self.push_container(depth, Kind::Row);
        }
        let count = |name| u16::try_from(number(tag, name, 1).clamp(1, 1000)).unwrap_or(1);
        self.push_container(depth, Kind::Cell(count("colspan"), count("rowspan")));
    }

    fn code(&mut self, tag: &Opened<'_>, depth: usize) {
        let around = self.reading.language.as_ref();
        let language = code_language(tag).or_else(|| around.map(|(_, language)| language.clone()));
        self.push_container(depth, Kind::Code(language.unwrap_or_default()));
        if self.reading.code.is_none() {
            self.reading.code = Some(OpenCode {
                depth,
                container: self.reading.container(),
                is_named_inside: false,
            });
        }
    }

    fn image(&mut self, tag: &Opened<'_>) {
        let alt = tag.attribute("alt").unwrap_or_default();
        let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
        let source = tag.attribute("src").unwrap_or_default();
        let is_address = !source.trim().is_empty() && source.len() <= ADDRESS_BYTES;
        let styles = &self.reading.styles;
        let in_code =
            self.reading.code.is_some() || styles.iter().any(|open| open.style == Style::Code);
        if alt.is_empty() || !is_address || in_code {
            return;
        }
        let link = styles.iter().rev().find_map(|open| match &open.style {
            Style::Link(address) => Some(address.clone()),
            _ => None,
        });
        let image = |at| Image {
            at,
            alt,
            source: source.trim().to_owned(),
            link,
        };
        if self.reading.begun.is_some() {
            let at = u32::try_from(tag.at()).unwrap_or(u32::MAX);
            self.reading.images.push(image(at));
            return;
        }
        self.structure.pieces.push(Piece {
            container: self.reading.container(),
            joint: self.reading.joint(),
            content: Content::Image(image(0)),
        });
        self.reading.separated();
    }

    /// A link. It ends the one before, and only an address makes it a link.
    fn link(&mut self, tag: &Opened<'_>) {
        let is_link = |style: &Style| matches!(style, Style::Link(_));
        self.reading.end_style(is_link, tag.at());
        let address = tag.attribute("href").unwrap_or_default();
        let address = address.trim();
        if !address.is_empty() && address.len() <= ADDRESS_BYTES {
            self.style(Style::Link(address.to_owned()), tag);
        }
    }

    /// The first `base` element with an address counts.
    fn base(&mut self, tag: &Opened<'_>) {
        if self.structure.base.is_none() {
            self.structure.base = declared_base(tag);
        }
    }

    /// Notes that the page loads a script or a style of MathJax or KaTeX.
    fn loads(&mut self, address: Option<Cow<'_, str>>) {
        if let Some(address) = address.filter(|_| !self.structure.has_tex) {
            let address = address.to_ascii_lowercase();
            self.structure.has_tex = ["mathjax", "katex"]
                .iter()
                .any(|name| address.contains(name));
        }
    }

    fn style(&mut self, style: Style, tag: &Opened<'_>) {
        if self.reading.styles.len() == STYLES {
            return;
        }
        self.reading.styles.push(OpenStyle {
            style,
            open: tag.open(),
            start: tag.at(),
        });
    }

    /// The first `code` inside `pre` that names a language decides: it is nearer than `pre` and what is around it.
    fn inline_code(&mut self, tag: &Opened<'_>) {
        let Some(open) = &mut self.reading.code else {
            return self.style(Style::Code, tag);
        };
        let container = &mut self.structure.containers[open.container as usize - 1];
        if let Kind::Code(language) = &mut container.kind
            && !open.is_named_inside
            && let Some(inside) = code_language(tag)
        {
            open.is_named_inside = true;
            *language = inside;
        }
    }
}

impl Observer for Markup {
    fn start(&mut self, tag: &Opened<'_>) {
        if !inline(tag.name()) {
            self.reading.boxed = true;
        }
        if let Some(depth) = tag.depth() {
            return self.element(tag, depth);
        }
        self.close(tag.open() + 1);
        match tag.name() {
            "br" if self.reading.code.is_some() => {}
            "br" => self.reading.breaks += 1,
            "img" => self.image(tag),
            "base" => self.base(tag),
            "script" => self.loads(tag.attribute("src")),
            "link" => self.loads(tag.attribute("href")),
            "a" => self.link(tag),
            "b" | "strong" => self.style(Style::Strong, tag),
            "i" | "em" => self.style(Style::Emphasis, tag),
            "s" | "strike" | "del" => self.style(Style::Strike, tag),
            "code" | "tt" | "kbd" | "samp" => self.inline_code(tag),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, open: usize, at: usize) {
        if !inline(name) {
            self.reading.boxed = true;
        }
        let is: fn(&Style) -> bool = match name {
            "a" => |style| matches!(style, Style::Link(_)),
            "b" | "strong" => |style| *style == Style::Strong,
            "i" | "em" => |style| *style == Style::Emphasis,
            "s" | "strike" | "del" => |style| *style == Style::Strike,
            "code" | "tt" | "kbd" | "samp" => |style| *style == Style::Code,
            _ => return self.close(open + 1),
        };
        self.reading.end_style(is, at);
        self.close(open + 1);
    }

    fn text(&mut self, text: &str, at: usize) {
        let reading = &mut self.reading;
        let shown = text.trim();
        if at == 0 {
            reading.space |= text.starts_with(char::is_whitespace);
            if !shown.is_empty() {
                // A text that was dropped after it had begun has taken what separates this one.
                let before = reading.begun.take().map(|(_, joint)| joint);
                let joint = before.map_or(reading.joint(), |before| before.max(reading.joint()));
                reading.begun = Some((reading.container(), joint));
                reading.separated();
            }
        }
        if shown.is_empty() {
            reading.space |= !text.is_empty();
        } else {
            reading.space = text.ends_with(char::is_whitespace);
        }
    }

    fn block(&mut self, block: &TextBlock) {
        let reading = &mut self.reading;
        let bytes = block.text.len();
        let mut styles = std::mem::take(&mut reading.styles);
        for style in &mut styles {
            reading.span(style.style.clone(), style.start, bytes);
            style.start = 0;
        }
        reading.styles = styles;
        // Only a title that is a block has not begun.
        let begun = reading.begun.take().unwrap_or((0, Joint::Paragraph));
        let mut spans = std::mem::take(&mut reading.spans);
        // Code has no styles, and its text has lost the whitespace at its start, which the positions count.
        if reading.code.is_some() {
            spans.clear();
        }
        // A style can end at a space after the last word, which is not part of the block.
        let end = u32::try_from(bytes).unwrap_or(u32::MAX);
        spans
            .iter_mut()
            .for_each(|span| span.end = span.end.min(end));
        let mut images = std::mem::take(&mut reading.images);
        images
            .iter_mut()
            .for_each(|image| image.at = image.at.min(end));
        self.structure.pieces.push(Piece {
            container: begun.0,
            joint: begun.1,
            content: Content::Block { spans, images },
        });
    }
}

/// Adds a container and returns its number.
fn add(structure: &mut Structure, parent: u32, kind: Kind) -> u32 {
    structure.containers.push(Container { parent, kind });
    // A page of 10 MiB has at most a few million tags.
    u32::try_from(structure.containers.len()).unwrap_or(parent)
}

fn number(tag: &Opened<'_>, name: &str, default: u32) -> u32 {
    let value = tag.attribute(name);
    let number = value.and_then(|value| value.trim().parse().ok());
    number.unwrap_or(default)
}

/// Whether an element is laid out in its line of text, so that the texts before and after it are one
/// paragraph.
fn inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "area"
            | "audio"
            | "b"
            | "basefont"
            | "bdi"
            | "bdo"
            | "big"
            | "blink"
            | "br"
            | "button"
            | "canvas"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "embed"
            | "font"
            | "i"
            | "iframe"
            | "image"
            | "img"
            | "input"
            | "ins"
            | "kbd"
            | "label"
            | "link"
            | "map"
            | "mark"
            | "math"
            | "meta"
            | "meter"
            | "nobr"
            | "noscript"
            | "object"
            | "output"
            | "param"
            | "picture"
            | "progress"
            | "q"
            | "rb"
            | "rp"
            | "rt"
            | "rtc"
            | "ruby"
            | "s"
            | "samp"
            | "script"
            | "slot"
            | "small"
            | "source"
            | "span"
            | "strike"
            | "strong"
            | "style"
            | "sub"
            | "sup"
            | "svg"
            | "template"
            | "time"
            | "track"
            | "tt"
            | "u"
            | "var"
            | "video"
            | "wbr"
    ) || name.contains(':')
}
