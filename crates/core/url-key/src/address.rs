//! The address of a URL: scheme, host and path, and the parts in host and path that may identify a
//! page or not.

use std::borrow::Cow;
use std::fmt;

use crate::noise::{is_noise, is_session_segment};
use crate::part::{PartKind, UrlPart};

/// Last segments that name the page of their folder.
pub(crate) const INDEX_SEGMENTS: [&str; 10] = [
    "index.html",
    "index.htm",
    "index.php",
    "index.asp",
    "index.aspx",
    "index.jsp",
    "index.shtml",
    "default.asp",
    "default.aspx",
    "default.htm",
];

/// Labels of hosts that have the pages of another host for small screens.
pub(crate) const MOBILE_LABELS: [&str; 4] = ["m", "mobile", "amp", "wap"];

/// The address without listed noise, if it has some.
pub(crate) fn without_noise(address: &str) -> Option<String> {
    // Characters without which a segment is a name.
    if !address.contains([';', '=', '(']) {
        return None;
    }
    let address = Address::split(address);
    let mut pieces = (address.segments.iter()).flat_map(|segment| pieces(segment));
    let has_noise = pieces.any(|piece| matches!(piece, Piece::Noise));
    has_noise.then(|| address.without(|_| false).to_string())
}

/// `scheme://host[:port]/segments`, split.
#[derive(Clone, Debug)]
pub(crate) struct Address<'a> {
    pub(crate) scheme: &'a str,
    pub(crate) authority: Cow<'a, str>,
    pub(crate) segments: Vec<Cow<'a, str>>,
}

impl fmt::Display for Address<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}://{}", self.scheme, self.authority)?;
        let mut segments = self.segments.iter();
        segments.try_for_each(|segment| write!(out, "/{segment}"))
    }
}

impl<'a> Address<'a> {
    pub(crate) fn split(address: &'a str) -> Self {
        let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
        let mut segments = rest.split('/');
        Self {
            scheme,
            authority: segments.next().unwrap_or_default().into(),
            segments: segments.map(Into::into).collect(),
        }
    }

    /// The undecided parts.
    pub(crate) fn parts(&self) -> impl Iterator<Item = UrlPart> {
        let host = self
            .mobile_label()
            .map(|label| (PartKind::MobileHost, label.to_owned()));
        let pieces = self.segments.iter().flat_map(|segment| pieces(segment));
        let undecided = pieces.filter_map(|piece| match piece {
            Piece::Parameter(kind, value) => Some((kind, value.to_owned())),
            Piece::Name | Piece::Noise => None,
        });
        let editions = self
            .editions()
            .into_iter()
            .map(|(at, kind)| match (at, &kind) {
                // `/print/story` and `/story/print` may be two editions.
                (0, PartKind::Amp | PartKind::Print) => (kind, format!("{}/", self.segments[at])),
                _ => (kind, name(&self.segments[at]).to_owned()),
            });
        host.into_iter()
            .chain(undecided)
            .chain(editions)
            .map(|(kind, value)| UrlPart { kind, value })
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// The address without the parts that are `dropped`, and without listed noise.
    pub(crate) fn without(&self, dropped: impl Fn(&PartKind) -> bool) -> Self {
        let authority = match self.mobile_label() {
            Some(label) if dropped(&PartKind::MobileHost) => {
                format!("www{}", &self.authority[label.len()..]).into()
            }
            _ => self.authority.clone(),
        };
        let editions: Vec<usize> = (self.editions().into_iter())
            .filter(|(_, kind)| dropped(kind))
            .map(|(at, _)| at)
            .collect();
        let segments = (self.segments.iter().enumerate())
            .filter(|(at, _)| !editions.contains(at))
            .map(|(_, segment)| without_pieces(segment, &dropped))
            .filter(|segment| !segment.is_empty())
            .collect();
        Self {
            scheme: self.scheme,
            authority,
            segments,
        }
    }

    /// The first label of the host, if it is one of mobile editions and a domain follows.
    fn mobile_label(&self) -> Option<&str> {
        let (label, rest) = self.authority.split_once('.')?;
        (MOBILE_LABELS.contains(&label) && rest.contains('.')).then_some(label)
    }

    /// The positions of segments that name an edition of the page at the rest of the path.
    fn editions(&self) -> Vec<(usize, PartKind)> {
        let mut found = Vec::new();
        let Some(last) = self.segments.len().checked_sub(1) else {
            return found;
        };
        for at in [0, last] {
            let segment = name(&self.segments[at]).to_ascii_lowercase();
            let kind = match segment.as_str() {
                "amp" => PartKind::Amp,
                "print" => PartKind::Print,
                index if at == last && INDEX_SEGMENTS.contains(&index) => PartKind::Index,
                _ => continue,
            };
            // The page `/amp` itself is not an edition of the front page.
            if (last > 0 || kind == PartKind::Index) && found.iter().all(|(other, _)| *other != at)
            {
                found.push((at, kind));
            }
        }
        found
    }
}

/// A segment without its parameters.
fn name(segment: &str) -> &str {
    segment.split(';').next().unwrap_or_default()
}

/// A piece of a segment: the text before its first `;`, or what follows one.
enum Piece<'a> {
    /// The name of a folder or a page.
    Name,
    /// `name=value`, or anything after a `;`.
    Parameter(PartKind, &'a str),
    /// A parameter that never identifies a page.
    Noise,
}

/// The pieces of a segment. A segment may be a parameter itself: `/sid=7/`.
fn pieces(segment: &str) -> impl Iterator<Item = Piece<'_>> {
    segment.split(';').enumerate().map(|(at, text)| {
        if at == 0 && is_session_segment(text) {
            return Piece::Noise;
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if at > 0 || is_name(name) => (name, value),
            None if at > 0 => (text, ""),
            _ => return Piece::Name,
        };
        let name = name.to_ascii_lowercase();
        // In `;jsessionid=7&page=2` the rest is of another parameter.
        if is_noise(&name) && !value.contains('&') {
            Piece::Noise
        } else {
            Piece::Parameter(PartKind::PathParameter(name), value)
        }
    })
}

/// Whether a text before `=` is the name of a parameter, not a word of a title.
fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.bytes().all(is_letter)
}

/// A segment without the parameters that are dropped or listed noise.
fn without_pieces<'a>(segment: &Cow<'a, str>, dropped: impl Fn(&PartKind) -> bool) -> Cow<'a, str> {
    let is_kept = |piece: &Piece<'_>| match piece {
        Piece::Name => true,
        Piece::Parameter(kind, _) => !dropped(kind),
        Piece::Noise => false,
    };
    if pieces(segment).all(|piece| is_kept(&piece)) {
        return segment.clone();
    }
    let kept = segment.split(';').zip(pieces(segment));
    let kept = kept.filter(|(_, piece)| is_kept(piece));
    let kept: Vec<&str> = kept.map(|(text, _)| text).collect();
    kept.join(";").into()
}
