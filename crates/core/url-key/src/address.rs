//! The address of a URL: scheme, host and path, and the parts in host and path that may identify a
//! page or not.

use std::borrow::Cow;
use std::fmt;

use crate::noise::is_noise;
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
        let parameters = self.segments.iter().flat_map(|segment| {
            let found = segment.split(';').skip(1).map(path_parameter);
            found
                .map(|(kind, value)| (kind, value.to_owned()))
                .collect::<Vec<_>>()
        });
        let undecided = parameters.filter(|(kind, _)| !is_noise(&kind.text()));
        let editions = self
            .editions()
            .into_iter()
            .map(|(at, kind)| match (at, &kind) {
                // `/print/story` and `/story/print` may be two editions.
                (0, PartKind::Amp | PartKind::Print) => (kind, format!("{}/", self.segments[at])),
                _ => (kind, self.segments[at].to_string()),
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
            .map(|(_, segment)| without_parameters(segment, &dropped))
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
            let segment = self.segments[at].split(';').next().unwrap_or_default();
            let segment = segment.to_ascii_lowercase();
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

/// Splits `name=value` of a path segment.
fn path_parameter(text: &str) -> (PartKind, &str) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (PartKind::PathParameter(name.to_ascii_lowercase()), value)
}

/// A segment without the `;` parameters that are dropped or listed noise.
fn without_parameters<'a>(
    segment: &Cow<'a, str>,
    dropped: impl Fn(&PartKind) -> bool,
) -> Cow<'a, str> {
    if !segment.contains(';') {
        return segment.clone();
    }
    let mut pieces = segment.split(';');
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (kind, _) = path_parameter(piece);
        if !is_noise(&kind.text()) && !dropped(&kind) {
            kept.push(';');
            kept.push_str(piece);
        }
    }
    kept.into()
}
