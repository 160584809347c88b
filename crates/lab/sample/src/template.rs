//! Templates: the designs of sites, drawn once per site and era.

use std::fmt::Write;

use crate::dice::Dice;
use crate::site::{Twin, Variant};
use crate::sites::SITES;

/// The design of a site.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) frame: Frame,
    pub(crate) markup: Markup,
    pub(crate) ends: Ends,
    pub(crate) entities: Entities,
    pub(crate) paragraphs: Paragraphs,
    pub(crate) side: Side,
    pub(crate) byline: Byline,
    /// The boxes below an article.
    pub(crate) below: Vec<Module>,
    /// The boxes beside an article.
    pub(crate) beside: Vec<Module>,
    /// The class of each role.
    classes: Vec<String>,
    pub(crate) style: String,
    pub(crate) head_script: String,
    pub(crate) foot_script: String,
    /// The designs of twins that differ from this one.
    twins: Vec<(Twin, Template)>,
}

/// The parts of a page around the article and its boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Full,
    /// Without the consent notice, the search, the menu of the section, and comments.
    Short,
    /// Like `Short`, and without navigation.
    Print,
}

/// The elements of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// `article`, `main`, `nav`.
    Html5,
    /// Nested `div`.
    Divs,
    /// Nested tables and `font`.
    Tables,
    /// Few elements, without classes.
    Bare,
}

/// The treatment of end tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    Tidy,
    /// The end tags of `p`, `li`, `td`, `tr` and `dd` are left out.
    Implied,
    /// Inline elements overlap, and there are end tags without a start tag.
    Misnested,
}

/// The notation of characters outside ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entities {
    Plain,
    Named,
    Numeric,
}

/// The markup between paragraphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paragraphs {
    Element,
    Breaks,
    Boxes,
}

/// The position of the side column in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    BeforeMain,
    AfterMain,
}

/// The content of the line above an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Byline {
    Date,
    DateAndTime,
}

/// A box of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    Share,
    Tags,
    Author,
    Related,
    Neighbours,
    Teasers,
    MostRead,
    Latest,
    Newsletter,
    Poll,
    Weather,
    Archive,
    Advert,
    RecentComments,
}

/// The purpose of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Cookies,
    Top,
    Logo,
    Nav,
    List,
    Item,
    Columns,
    Main,
    Article,
    Headline,
    Byline,
    Body,
    Paragraph,
    Subhead,
    Quote,
    Figure,
    Caption,
    Comments,
    Comment,
    CommentName,
    Side,
    Box,
    BoxTitle,
    Foot,
}

impl Role {
    const ALL: [Role; 24] = [
        Role::Cookies,
        Role::Top,
        Role::Logo,
        Role::Nav,
        Role::List,
        Role::Item,
        Role::Columns,
        Role::Main,
        Role::Article,
        Role::Headline,
        Role::Byline,
        Role::Body,
        Role::Paragraph,
        Role::Subhead,
        Role::Quote,
        Role::Figure,
        Role::Caption,
        Role::Comments,
        Role::Comment,
        Role::CommentName,
        Role::Side,
        Role::Box,
        Role::BoxTitle,
        Role::Foot,
    ];

    /// Returns class names that designers use for the role.
    fn names(self) -> &'static [&'static str] {
        match self {
            Role::Cookies => &["cookie-bar", "consent", "notice", "eu-banner"],
            Role::Top => &["header", "masthead", "top", "hd", "brand-row"],
            Role::Logo => &["logo", "site-title", "brand", "titel"],
            Role::Nav => &["nav", "menu", "mainmenu", "navigation", "topnav"],
            Role::List => &["list", "items", "links", "ul-plain"],
            Role::Item => &["item", "entry", "li", "row"],
            Role::Columns => &[
                "wrap",
                "container",
                "columns",
                "content-wrapper",
                "page-inner",
            ],
            Role::Main => &["main", "primary", "col-left", "content", "colMain"],
            Role::Article => &["article", "post", "story", "hentry", "single", "node"],
            Role::Headline => &["headline", "entry-title", "story-title", "hl1", "title"],
            Role::Byline => &["meta", "byline", "dateline", "info", "entry-meta"],
            Role::Body => &[
                "body",
                "entry-content",
                "story-text",
                "copy",
                "txt",
                "article-body",
            ],
            Role::Paragraph => &["par", "text", "p", "paragraph"],
            Role::Subhead => &["subhead", "crosshead", "zwischentitel", "h3"],
            Role::Quote => &["quote", "pull", "cite"],
            Role::Figure => &["figure", "photo", "wp-caption", "image-box"],
            Role::Caption => &["caption", "wp-caption-text", "legend", "photo-credit"],
            Role::Comments => &["comments", "responses", "disqus", "forum", "opinions"],
            Role::Comment => &["comment", "reply-box", "posting", "msg"],
            Role::CommentName => &["comment-author", "who", "user", "vcard"],
            Role::Side => &["sidebar", "rail", "right", "secondary", "col-right"],
            Role::Box => &["widget", "module", "box", "block", "teaser-box"],
            Role::BoxTitle => &["widget-title", "box-head", "module-title", "head"],
            Role::Foot => &["footer", "ft", "bottom", "colophon"],
        }
    }

    /// Returns the elements of the role, the outermost first.
    pub(crate) fn elements(self, markup: Markup) -> &'static [&'static str] {
        match (self, markup) {
            (Role::Headline, Markup::Tables) => &["p", "font", "b"],
            (Role::Headline, Markup::Bare) => &["h2"],
            (Role::Headline, _) => &["h1"],
            (Role::Paragraph, _) => &["p"],
            (Role::Subhead, Markup::Tables) => &["p", "b"],
            (Role::Subhead, _) => &["h3"],
            (Role::Quote, _) => &["blockquote"],
            (Role::List, _) => &["ul"],
            (Role::Item, _) => &["li"],
            (Role::BoxTitle, Markup::Tables) => &["font", "b"],
            (Role::BoxTitle, Markup::Bare) => &["h4"],
            (Role::BoxTitle, _) => &["h3"],
            (Role::Columns, Markup::Tables) => &["table", "tr"],
            (Role::Main | Role::Side, Markup::Tables) => &["td"],
            (Role::Top | Role::Nav | Role::Box | Role::Foot | Role::Comment, Markup::Tables) => {
                &["table", "tr", "td"]
            }
            (Role::Main, Markup::Html5) => &["main"],
            (Role::Article, Markup::Html5) => &["article"],
            (Role::Nav, Markup::Html5) => &["nav"],
            (Role::Top, Markup::Html5) => &["header"],
            (Role::Side, Markup::Html5) => &["aside"],
            (Role::Box | Role::Comments, Markup::Html5) => &["section"],
            (Role::Foot, Markup::Html5) => &["footer"],
            (Role::Figure, Markup::Html5) => &["figure"],
            (Role::Caption, Markup::Html5) => &["figcaption"],
            (Role::Comment, Markup::Bare) => &["dl", "dd"],
            (Role::Byline, Markup::Bare | Markup::Tables) => &["p", "small"],
            _ => &["div"],
        }
    }
}

impl Template {
    pub(crate) fn new(seed: u64, site: usize, era: i64) -> Self {
        let dice = &mut Dice::new(seed, "template", &[site as i64, era]);
        let markup = dice.one(&[
            Markup::Html5,
            Markup::Divs,
            Markup::Divs,
            Markup::Tables,
            Markup::Bare,
        ]);
        let mut below = vec![Module::Share];
        below.extend(drawn(
            dice,
            &[
                (Module::Tags, 30),
                (Module::Author, 35),
                (Module::Related, 35),
                (Module::Neighbours, 30),
                (Module::Advert, 50),
                (Module::Teasers, 25),
            ],
        ));
        let mut beside = drawn(
            dice,
            &[
                (Module::MostRead, 45),
                (Module::Latest, 45),
                (Module::Newsletter, 60),
                (Module::Poll, 35),
                (Module::Weather, 40),
                (Module::Archive, 45),
                (Module::Advert, 80),
                (Module::Teasers, 25),
            ],
        );
        if SITES[site].comments > 0 {
            beside.extend(drawn(dice, &[(Module::RecentComments, 35)]));
        }
        let mut beside = dice.some(&beside, beside.len());
        if !SITES[site].variants.is_empty() {
            // Two fetches of a story have different boxes.
            for module in [Module::Latest, Module::MostRead] {
                if !beside.contains(&module) {
                    beside.push(module);
                }
            }
        }
        let classes = classes(dice, markup);
        let (style_bytes, head_bytes, foot_bytes) = (
            dice.between(3_000, 12_000),
            dice.between(1_500, 6_000),
            dice.between(1_000, 5_000),
        );
        let mut template = Template {
            frame: Frame::Full,
            markup,
            ends: dice.one(&[Ends::Tidy, Ends::Tidy, Ends::Implied, Ends::Misnested]),
            entities: dice.one(&[
                Entities::Plain,
                Entities::Plain,
                Entities::Named,
                Entities::Numeric,
            ]),
            paragraphs: dice.one(&[
                Paragraphs::Element,
                Paragraphs::Element,
                Paragraphs::Element,
                Paragraphs::Breaks,
                Paragraphs::Boxes,
            ]),
            side: dice.one(&[Side::AfterMain, Side::AfterMain, Side::BeforeMain]),
            byline: dice.one(&[
                Byline::Date,
                Byline::Date,
                Byline::Date,
                Byline::DateAndTime,
            ]),
            below,
            beside,
            style: style_sheet(dice, style_bytes),
            head_script: script(dice, head_bytes),
            foot_script: script(dice, foot_bytes),
            classes,
            twins: Vec::new(),
        };
        let dice = &mut Dice::new(seed, "twins", &[site as i64, era]);
        let twins = SITES[site].variants.iter().filter_map(|(variant, _)| {
            let Variant::Twin(twin) = *variant else {
                return None;
            };
            Some((twin, template.for_twin(twin, dice)?))
        });
        template.twins = twins.collect();
        template
    }

    /// Draws the design of a twin. It is `None` if the twin has the design of the site.
    fn for_twin(&self, twin: Twin, dice: &mut Dice) -> Option<Template> {
        let (frame, markup, below) = match twin {
            Twin::Index | Twin::Session => return None,
            Twin::Amp => (
                Frame::Short,
                Markup::Html5,
                vec![Module::Share, Module::Related, Module::Advert],
            ),
            Twin::Mobile => (
                Frame::Short,
                Markup::Divs,
                vec![Module::Share, Module::Latest],
            ),
            Twin::Print => (Frame::Print, Markup::Bare, Vec::new()),
        };
        let byline = match self.byline {
            Byline::Date => Byline::DateAndTime,
            Byline::DateAndTime => Byline::Date,
        };
        Some(Template {
            frame,
            markup,
            byline,
            below,
            beside: Vec::new(),
            classes: classes(dice, markup),
            style: style_sheet(dice, 2_000),
            head_script: script(dice, 1_000),
            foot_script: script(dice, 500),
            ..self.clone()
        })
    }

    /// Returns the design of a twin.
    pub(crate) fn twin(&self, twin: Twin) -> &Template {
        let mut twins = self.twins.iter();
        let found = twins.find(|(other, _)| *other == twin);
        found.map_or(self, |(_, template)| template)
    }

    /// Returns the class of a role, or an empty text.
    pub(crate) fn class(&self, role: Role) -> &str {
        &self.classes[role as usize]
    }

    pub(crate) fn doctype(&self) -> &'static str {
        match self.markup {
            Markup::Html5 => "<!DOCTYPE html>\n<html>",
            Markup::Divs => {
                "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \
                \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n\
                <html xmlns=\"http://www.w3.org/1999/xhtml\">"
            }
            Markup::Tables => {
                "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<HTML>"
            }
            Markup::Bare => "<html>",
        }
    }
}

/// Draws modules, each with its own probability in percent.
fn drawn(dice: &mut Dice, modules: &[(Module, usize)]) -> Vec<Module> {
    let mut drawn = Vec::new();
    for (module, share) in modules {
        if dice.percent(*share) {
            drawn.push(*module);
        }
    }
    drawn
}

/// Draws class names in one convention: none, plain, with a prefix, or generated.
fn classes(dice: &mut Dice, markup: Markup) -> Vec<String> {
    let convention = match markup {
        Markup::Bare => 0,
        _ => dice.between(1, 4),
    };
    let prefix = dice.one(&["c", "np", "site", "x", "art"]);
    Role::ALL
        .into_iter()
        .map(|role| {
            let name = dice.one(role.names());
            match convention {
                0 => String::new(),
                1 | 2 => name.to_owned(),
                3 => format!("{prefix}-{name}"),
                _ => format!("{prefix}{}__{}", letters(dice, 4), letters(dice, 3)),
            }
        })
        .collect()
}

fn letters(dice: &mut Dice, count: usize) -> String {
    (0..count)
        .map(|_| char::from(b'a' + dice.below(26) as u8))
        .collect()
}

/// Draws CSS rules that match no element.
fn style_sheet(dice: &mut Dice, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 100);
    while out.len() < bytes {
        let _ = writeln!(
            out,
            ".{}-{}{{margin:{}px {}px;color:#{:06x};font:{}px/1.{} Arial,sans-serif;background:url(/i/{}.png)}}",
            letters(dice, 5),
            letters(dice, 3),
            dice.below(40),
            dice.below(40),
            dice.below(1 << 24),
            dice.between(9, 28),
            dice.below(9),
            letters(dice, 6),
        );
    }
    out
}

/// Draws JavaScript statements without effect.
fn script(dice: &mut Dice, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 120);
    while out.len() < bytes {
        let (a, b) = (letters(dice, 3), letters(dice, 4));
        let _ = match dice.below(3) {
            0 => writeln!(
                out,
                "var {a}={a}||[];{a}.push(['_{b}','UA-{}-{}']);",
                dice.below(9_999_999),
                dice.below(9)
            ),
            1 => writeln!(
                out,
                "function {b}({a}){{return {a}&&{a}.{}?{a}.{}:{};}}",
                letters(dice, 4),
                letters(dice, 5),
                dice.below(999)
            ),
            _ => writeln!(
                out,
                "document.cookie='{b}={}; path=/';if(window.{a})window.{a}.load('{}');",
                dice.below(99_999),
                letters(dice, 9)
            ),
        };
    }
    out
}
