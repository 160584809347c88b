//! A part of a URL that may identify the page.

use std::borrow::Cow;
use std::fmt;

/// A part of a URL that may identify a page or not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlPart {
    /// The kind of the part, and its name: see [`Display`](fmt::Display).
    pub kind: PartKind,
    /// The value as it is in the key; values of a repeated parameter are joined by `&`.
    pub value: String,
}

/// The kind and the name of a [`UrlPart`].
///
/// Its text is the name of a parameter (`page`) or, for other parts, a name that begins with a
/// character that separates parts of a URL: `?article` for a parameter without a name such as
/// `?article117`, `;sid` for a parameter of a path segment, `/amp`, `/print` and `/index` for a
/// segment, and `m.` for the first label of a host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// A parameter of the query, in lower case.
    Parameter(String),
    /// A parameter without `=`. The name is the text before its first digit.
    Nameless(String),
    /// A parameter of a path segment, `;name=value`, in lower case.
    PathParameter(String),
    /// `index.html` and the like at the end of a path.
    Index,
    /// The first or last segment `amp`.
    Amp,
    /// The first or last segment `print`.
    Print,
    /// The first label of a host for mobile devices.
    MobileHost,
}

impl PartKind {
    /// The kind with this [`Display`](fmt::Display) text.
    pub fn from_text(text: &str) -> Self {
        match text {
            "/index" => Self::Index,
            "/amp" => Self::Amp,
            "/print" => Self::Print,
            "m." => Self::MobileHost,
            _ => match (text.strip_prefix('?'), text.strip_prefix(';')) {
                (Some(name), _) => Self::Nameless(name.to_owned()),
                (_, Some(name)) => Self::PathParameter(name.to_owned()),
                (None, None) => Self::Parameter(text.to_owned()),
            },
        }
    }

    /// The [`Display`](fmt::Display) text.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Parameter(name) => name.into(),
            Self::Nameless(name) => format!("?{name}").into(),
            Self::PathParameter(name) => format!(";{name}").into(),
            Self::Index => "/index".into(),
            Self::Amp => "/amp".into(),
            Self::Print => "/print".into(),
            Self::MobileHost => "m.".into(),
        }
    }

    /// Whether the part is in the path or the host: its values are one or two, and the page
    /// without it is another edition of the same text.
    pub fn is_edition(&self) -> bool {
        !matches!(self, Self::Parameter(_) | Self::Nameless(_))
    }
}

impl fmt::Display for PartKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text())
    }
}
