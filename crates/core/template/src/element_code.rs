//! Codes of elements, for the prior: the more likely an element is to have text, the higher.

pub(crate) const OTHER: u8 = 0;
pub(crate) const FORM: u8 = 1;
pub(crate) const FOOTER: u8 = 2;
pub(crate) const NAV: u8 = 3;
pub(crate) const ASIDE: u8 = 4;
pub(crate) const HEADER: u8 = 5;
pub(crate) const LIST: u8 = 6;
pub(crate) const ITEM: u8 = 7;
pub(crate) const SPAN: u8 = 8;
pub(crate) const DIV: u8 = 9;
pub(crate) const SECTION: u8 = 10;
pub(crate) const TABLE: u8 = 11;
pub(crate) const ROW: u8 = 12;
pub(crate) const CELL: u8 = 13;
pub(crate) const HEAD_CELL: u8 = 14;
pub(crate) const FIGURE: u8 = 15;
pub(crate) const DEFINITION: u8 = 16;
pub(crate) const H6: u8 = 17;
pub(crate) const H1: u8 = 22;
pub(crate) const QUOTE: u8 = 23;
pub(crate) const PRE: u8 = 24;
pub(crate) const P: u8 = 25;
pub(crate) const ARTICLE: u8 = 26;
pub(crate) const MAIN: u8 = 27;

/// Returns the code of an element.
pub(crate) fn of(name: &str) -> u8 {
    match name {
        "form" | "fieldset" | "label" | "button" | "select" | "option" | "textarea" => FORM,
        "footer" => FOOTER,
        "nav" | "menu" => NAV,
        "aside" => ASIDE,
        "header" | "address" => HEADER,
        "ul" | "ol" => LIST,
        "li" => ITEM,
        "span" => SPAN,
        "div" => DIV,
        "section" => SECTION,
        "table" | "tbody" | "thead" => TABLE,
        "tr" => ROW,
        "td" => CELL,
        "th" => HEAD_CELL,
        "figure" | "figcaption" => FIGURE,
        "dl" | "dt" | "dd" => DEFINITION,
        "h6" => H6,
        "h5" => H6 + 1,
        "h4" => H6 + 2,
        "h3" => H6 + 3,
        "h2" => H6 + 4,
        "h1" => H1,
        "blockquote" => QUOTE,
        "pre" => PRE,
        "p" => P,
        "article" => ARTICLE,
        "main" => MAIN,
        _ => OTHER,
    }
}
