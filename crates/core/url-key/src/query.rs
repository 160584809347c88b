//! The query of a URL: named parameters, grouped and sorted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::escape::{Decoded, Place};
use crate::noise::is_noise;
use crate::options::Reading;
use crate::part::{PartKind, UrlPart};
use crate::title::{CONTENT_ID, is_content_id};

/// The name that rules use for a part of the query without `=` [O A7].
pub(crate) const NULL: &str = "null";

/// The parameters of a URL, sorted by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
struct Parameter {
    /// The first spelling in the URL; `None` for the parts without `=`.
    name: Option<Decoded>,
    values: Vec<Decoded>,
}

impl Query {
    /// Splits a query at `&` and each part at its first `=`, decodes names and values, and groups
    /// names that differ only in case under their first spelling [O A6, A8].
    pub(crate) fn parse(query: &str, reading: Reading) -> Self {
        let decode = |text| Decoded::new(text, reading);
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut positions = BTreeMap::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (Some(decode(name)), decode(value)),
                None => (None, decode(part)),
            };
            let folded = name.as_ref().map(|name| name.text().to_lowercase());
            let position = *positions.entry(folded).or_insert(parameters.len());
            match parameters.get_mut(position) {
                Some(parameter) => parameter.values.push(value),
                None => parameters.push(Parameter {
                    name,
                    values: vec![value],
                }),
            }
        }
        for parameter in &mut parameters {
            parameter.values.sort_unstable();
        }
        parameters.sort_by(|a, b| a.name.cmp(&b.name));
        Query { parameters }
    }

    /// Whether the query has no parameters.
    pub(crate) fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Whether the parameter of a rule is present, with the same case, possibly with an empty
    /// value. The content id always is [O B3].
    pub(crate) fn has(&self, wanted: &str) -> bool {
        is_content_id(wanted) || self.parameters.iter().any(|p| p.has_name(wanted))
    }

    /// The names of the parameters, each in the first spelling of the URL.
    pub(crate) fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.parameters
            .iter()
            .filter_map(|parameter| Some(parameter.name.as_ref()?.text()))
    }

    /// Appends all parameters, and the content id if there is one, to `out`.
    pub(crate) fn print(&self, out: &mut String, content_id: Option<&str>) {
        self.print_if(out, content_id, |_| true);
    }

    /// Appends the parameters a rule retains.
    pub(crate) fn print_retained(
        &self,
        out: &mut String,
        content_id: Option<&str>,
        retain: &[String],
    ) {
        self.print_if(out, content_id, |parameter| {
            retain.iter().any(|name| parameter.has_name(name))
        });
    }

    /// The parameters that are not listed noise, each with its values.
    pub(crate) fn undecided(&self) -> impl Iterator<Item = UrlPart> {
        self.parameters.iter().flat_map(|parameter| {
            let mut parts: Vec<UrlPart> = Vec::new();
            for value in &parameter.values {
                let kind = parameter.kind(value);
                if kind.is_listed_noise() {
                    continue;
                }
                let mut printed = String::new();
                value.print(&mut printed, Place::Query);
                match parts.iter_mut().find(|part| part.kind == kind) {
                    Some(part) => {
                        part.value.push('&');
                        part.value.push_str(&printed);
                    }
                    None => parts.push(UrlPart {
                        kind,
                        value: printed,
                    }),
                }
            }
            parts
        })
    }

    /// Appends the parameters that are not listed noise and that are to `keep`.
    pub(crate) fn print_undecided(&self, out: &mut String, keep: impl Fn(&PartKind) -> bool) {
        self.print_values(out, None, |parameter, value| {
            let kind = parameter.kind(value);
            !kind.is_listed_noise() && keep(&kind)
        });
    }

    /// Appends the parameters to `keep`, and the content id at its sorted position.
    fn print_if(
        &self,
        out: &mut String,
        content_id: Option<&str>,
        keep: impl Fn(&Parameter) -> bool,
    ) {
        self.print_values(out, content_id, |parameter, _| keep(parameter));
    }

    /// Appends the values to `keep`, and the content id at its sorted position.
    fn print_values(
        &self,
        out: &mut String,
        content_id: Option<&str>,
        keep: impl Fn(&Parameter, &Decoded) -> bool,
    ) {
        let content_id_name = Decoded::new(CONTENT_ID, Reading::Server);
        let before = self
            .parameters
            .partition_point(|p| p.name.as_ref() < Some(&content_id_name));
        let content_id = content_id.map(|id| Decoded::new(id, Reading::Server));
        let mut separator = '?';
        let mut put = |name: Option<&Decoded>, value: &Decoded| {
            out.push(separator);
            separator = '&';
            if let Some(name) = name {
                name.print(out, Place::Query);
                out.push('=');
            }
            value.print(out, Place::Query);
        };
        for (position, parameter) in self.parameters.iter().enumerate() {
            if let (true, Some(id)) = (position == before, &content_id) {
                put(Some(&content_id_name), id);
            }
            for value in &parameter.values {
                if keep(parameter, value) {
                    put(parameter.name.as_ref(), value);
                }
            }
        }
        if let (true, Some(id)) = (before == self.parameters.len(), &content_id) {
            put(Some(&content_id_name), id);
        }
    }
}

impl PartKind {
    fn is_listed_noise(&self) -> bool {
        matches!(self, Self::Parameter(name) if is_noise(name))
    }
}

impl Parameter {
    /// The kind of the part that this parameter is with `value`.
    fn kind(&self, value: &Decoded) -> PartKind {
        match &self.name {
            Some(name) => PartKind::Parameter(name.text().to_lowercase()),
            None => PartKind::Nameless(value.utf8().map(nameless).unwrap_or_default()),
        }
    }

    /// Whether a rule's name for a parameter means this one.
    fn has_name(&self, wanted: &str) -> bool {
        match self.name.as_ref().map(Decoded::text) {
            None => wanted == NULL,
            // A `_cid_` parameter of the URL itself is kept together with the computed one [O A12].
            Some(name) => name == wanted || (is_content_id(&name) && is_content_id(wanted)),
        }
    }
}

/// The name of a part without `=`: its text before the first digit. A long text is a value, and
/// has no name, nor has one that is not UTF-8.
fn nameless(value: &str) -> String {
    const MAX_CHARS: usize = 20;
    let end = value.find(|c: char| c.is_numeric()).unwrap_or(value.len());
    let name = value[..end].to_lowercase();
    if name.chars().count() > MAX_CHARS {
        return String::new();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(query: &str) -> String {
        let mut out = String::new();
        Query::parse(query, Reading::Server).print(&mut out, None);
        out
    }

    #[test]
    fn names_are_sorted_and_grouped_by_first_spelling() {
        assert_eq!(normal("b=1&a=2"), "?a=2&b=1");
        assert_eq!(normal("ID=2&x=0&id=1"), "?ID=1&ID=2&x=0");
        assert_eq!(normal("É=1&é=0"), "?É=0&É=1");
    }

    #[test]
    fn nameless_parts_are_kept_and_empty_parts_dropped() {
        assert_eq!(normal("b=1&278725&&"), "?278725&b=1");
        assert_eq!(normal("=a&b"), "?b&=a");
        assert_eq!(normal(""), "");
        assert_eq!(normal("&"), "");
        assert!(Query::parse("278725", Reading::Server).has("null"));
        assert!(Query::parse("null=", Reading::Server).has("null"));
        assert!(!Query::parse("id", Reading::Server).has("id"));
    }

    #[test]
    fn a_printed_query_parses_to_itself() {
        for query in [
            "a=1&a=2&A=1%2C2",
            "a=b%3Dc&d%26=%25",
            "a==b",
            "x%3Dy",
            "%26",
            "a=+%2B",
            "a=%00%0a\u{85}",
        ] {
            let once = normal(query);
            assert_eq!(normal(&once[1..]), once, "{query}");
        }
    }

    #[test]
    fn the_content_id_is_sorted_among_the_names() {
        let mut out = String::new();
        Query::parse("a=1&Z=2&_cid_=own", Reading::Server).print(&mut out, Some("ours"));
        assert_eq!(out, "?Z=2&_cid_=ours&_cid_=own&a=1");
    }
}
