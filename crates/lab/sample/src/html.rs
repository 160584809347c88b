//! The markup of a template.

use std::fmt::Write;

use crate::template::{Ends, Entities, Markup, Role, Template};

/// A page under construction.
#[derive(Debug)]
pub(crate) struct Html<'a> {
    pub(crate) out: String,
    template: &'a Template,
    open: Vec<Role>,
    /// The number of elements so far, for ids.
    elements: usize,
}

impl<'a> Html<'a> {
    pub(crate) fn new(template: &'a Template) -> Self {
        Html {
            out: String::with_capacity(48 << 10),
            template,
            open: Vec::new(),
            elements: 0,
        }
    }

    /// Opens the elements of a role.
    pub(crate) fn begin(&mut self, role: Role) {
        self.indent();
        let (first, inner) = match role.elements(self.template.markup) {
            [first, inner @ ..] => (first, inner),
            [] => return,
        };
        let _ = write!(self.out, "<{first}");
        let class = self.template.class(role);
        if !class.is_empty() {
            let _ = write!(self.out, " class=\"{class}\"");
        }
        self.elements += 1;
        match (*first, self.template.markup) {
            ("table", _) => self
                .out
                .push_str(" width=\"100%\" border=\"0\" cellpadding=\"2\" cellspacing=\"0\""),
            ("td", _) => self.out.push_str(" valign=\"top\" align=\"left\""),
            ("div" | "section", Markup::Divs | Markup::Html5) => {
                let _ = write!(self.out, " id=\"b{}\"", self.elements);
            }
            _ => {}
        }
        self.out.push('>');
        for element in inner {
            let _ = match *element {
                "font" => write!(
                    self.out,
                    "<font face=\"Verdana, Arial\" size=\"2\" color=\"#333333\">"
                ),
                element => write!(self.out, "<{element}>"),
            };
        }
        self.open.push(role);
    }

    /// Closes the elements of the role that was opened last.
    pub(crate) fn end(&mut self) {
        let Some(role) = self.open.pop() else { return };
        let elements = role.elements(self.template.markup);
        let order: Vec<&str> = match self.template.ends {
            Ends::Misnested if elements.last() == Some(&"b") => {
                let mut inner = elements[1..].to_vec();
                inner.push(elements[0]);
                inner
            }
            _ => elements.iter().rev().copied().collect(),
        };
        for element in order {
            let implied = matches!(element, "p" | "li" | "td" | "tr" | "dd");
            if !(implied && self.template.ends == Ends::Implied) {
                let _ = write!(self.out, "</{element}>");
            }
        }
        if self.template.ends == Ends::Misnested && matches!(role, Role::Box | Role::Byline) {
            self.out.push_str("</font></span>");
        }
    }

    /// Writes a role that contains only text.
    pub(crate) fn block(&mut self, role: Role, text: &str) {
        self.begin(role);
        self.text(text);
        self.end();
    }

    /// Writes a link. `kind` is the position of the link for click tracking.
    pub(crate) fn link(&mut self, address: &str, kind: &str, text: &str) {
        self.out.push_str("<a href=\"");
        push_attribute(&mut self.out, address);
        let _ = match self.template.markup {
            Markup::Html5 => write!(
                self.out,
                "\" data-track=\"{kind}\" data-pos=\"{}\">",
                self.elements
            ),
            Markup::Divs => write!(
                self.out,
                "\" onclick=\"return hit('{kind}',{});\">",
                self.elements
            ),
            Markup::Tables | Markup::Bare => write!(self.out, "\">"),
        };
        self.text(text);
        self.out.push_str("</a>");
    }

    /// Writes a list item that is a link.
    pub(crate) fn item(&mut self, address: &str, kind: &str, text: &str) {
        self.begin(Role::Item);
        self.link(address, kind, text);
        self.end();
    }

    /// Writes text, escaped as the template does.
    pub(crate) fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                _ if letter.is_ascii() => self.out.push(letter),
                _ => match self.template.entities {
                    Entities::Plain => self.out.push(letter),
                    Entities::Named => match entity(letter) {
                        Some(name) => {
                            let _ = write!(self.out, "&{name};");
                        }
                        None => self.out.push(letter),
                    },
                    Entities::Numeric => {
                        let _ = write!(self.out, "&#{};", u32::from(letter));
                    }
                },
            }
        }
    }

    /// Writes markup unchanged.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    fn indent(&mut self) {
        self.out.push('\n');
        let step = match self.template.markup {
            Markup::Html5 => 4,
            Markup::Divs => 2,
            Markup::Tables | Markup::Bare => 1,
        };
        for _ in 0..step * self.open.len() {
            self.out.push(' ');
        }
    }
}

/// Appends the escaped value of an attribute.
pub(crate) fn push_attribute(out: &mut String, value: &str) {
    for letter in value.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(letter),
        }
    }
}

fn entity(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\u{a9}' => "copy",
        '«' => "laquo",
        '»' => "raquo",
        '‘' => "lsquo",
        '’' => "rsquo",
        '“' => "ldquo",
        '”' => "rdquo",
        '„' => "bdquo",
        '–' => "ndash",
        '—' => "mdash",
        '¿' => "iquest",
        '¡' => "iexcl",
        'ä' => "auml",
        'ö' => "ouml",
        'ü' => "uuml",
        'Ä' => "Auml",
        'Ö' => "Ouml",
        'Ü' => "Uuml",
        'ß' => "szlig",
        'à' => "agrave",
        'á' => "aacute",
        'â' => "acirc",
        'ç' => "ccedil",
        'è' => "egrave",
        'é' => "eacute",
        'É' => "Eacute",
        'ê' => "ecirc",
        'ë' => "euml",
        'í' => "iacute",
        'î' => "icirc",
        'ï' => "iuml",
        'ñ' => "ntilde",
        'ó' => "oacute",
        'ô' => "ocirc",
        'ú' => "uacute",
        'û' => "ucirc",
        'š' => "scaron",
        'Š' => "Scaron",
        _ => return None,
    })
}
