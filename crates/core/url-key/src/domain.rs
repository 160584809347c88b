//! The domain of a page: all its pages share one URL Tree.

use std::collections::BTreeSet;
use std::fmt;
use std::net::Ipv4Addr;

use url::Host;

/// The domain of a page. All pages of a domain share one URL Tree [P 2].
///
/// A domain is a public suffix with one more label (`bbc.co.uk`), an IP literal (`127.0.0.1`,
/// `[::1]`), or a host without dots (`localhost`). It is in lower case, and names outside ASCII
/// are in punycode.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain(String);

impl Domain {
    /// Creates a domain from a name that [`Domain::as_str`] has returned. The name is not checked.
    pub fn from_name(name: &str) -> Self {
        Domain(name.to_owned())
    }

    /// The name of the domain.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number of branch items from the root to the domain: 3 for `bbc.co.uk`, because the
    /// branch of its pages starts with `uk`, `co`, `bbc`. An IP literal is one item.
    pub fn labels(&self) -> usize {
        if Self::is_address(&self.0) {
            1
        } else {
            self.0.split('.').count()
        }
    }

    /// Whether a host is an IP literal.
    pub(crate) fn is_address(host: &str) -> bool {
        host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok()
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The rule by which pages share a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// All hosts under a public suffix with one more label share a domain [P 2].
    #[default]
    RegistrableDomain,
    /// Each host is its own domain.
    FullHost,
}

/// Invalid options of a [`Keyer`](crate::Keyer).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// An entry of `extra_suffixes` is not the name of a host.
    #[error("`{suffix}` in extra_suffixes is not a host name such as `go.com`: {source}")]
    Suffix {
        /// The entry as given.
        suffix: String,
        /// The error of the host parser.
        source: url::ParseError,
    },
}

/// The public-suffix list: the version of the `psl` crate.
const SUFFIX_LIST: &str = "2.1.247";

/// Finds the domain of a host by the public-suffix list compiled into the `psl` crate and by the
/// extra suffixes of the options.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suffixes {
    grouping: Grouping,
    extra: BTreeSet<String>,
}

impl Suffixes {
    pub(crate) fn new(grouping: Grouping, extra: &[String]) -> Result<Self, OptionsError> {
        let extra = extra.iter().map(|suffix| {
            Host::parse(suffix)
                .map(|host| host.to_string())
                .map_err(|source| OptionsError::Suffix {
                    suffix: suffix.clone(),
                    source,
                })
        });
        Ok(Suffixes {
            grouping,
            extra: extra.collect::<Result<_, _>>()?,
        })
    }

    /// The name of the rules: hosts have the same domains under equal names.
    pub(crate) fn name(&self) -> String {
        match self.grouping {
            Grouping::FullHost => "host".to_owned(),
            Grouping::RegistrableDomain => {
                let extra = self.extra.iter().map(|suffix| format!(" {suffix}"));
                format!("psl {SUFFIX_LIST}{}", extra.collect::<String>())
            }
        }
    }

    /// The domain of a host name without trailing dot. Returns `None` if the whole name is a
    /// suffix of a registry (`co.uk`). A host that is a private suffix (`wordpress.com`) or an
    /// extra suffix also has its own pages and is its own domain.
    pub(crate) fn domain(&self, name: &str) -> Option<Domain> {
        if self.grouping == Grouping::FullHost {
            return Some(Domain::from_name(name));
        }
        let public = psl::suffix(name.as_bytes());
        let public_length = public.map_or(0, |suffix| suffix.as_bytes().len());
        let length = self.extra_suffix_length(name).max(public_length);
        if length < name.len() {
            let prefix = &name[..name.len() - length - 1];
            let start = prefix.rfind('.').map_or(0, |dot| dot + 1);
            return Some(Domain::from_name(&name[start..]));
        }
        let registry = public.is_some_and(|suffix| suffix.typ() == Some(psl::Type::Icann));
        (self.extra.contains(name) || !registry).then(|| Domain::from_name(name))
    }

    /// Length in bytes of the longest extra suffix of a name; 0 if there is none.
    fn extra_suffix_length(&self, name: &str) -> usize {
        let after_dots = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
        std::iter::once(name)
            .chain(after_dots)
            .find(|tail| self.extra.contains(*tail))
            .map_or(0, str::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain_of(name: &str, extra: &[&str]) -> Option<String> {
        let extra: Vec<String> = extra.iter().map(|&suffix| suffix.to_owned()).collect();
        let suffixes = Suffixes::new(Grouping::RegistrableDomain, &extra).unwrap();
        suffixes.domain(name).map(|domain| domain.0)
    }

    #[test]
    fn a_domain_is_a_public_suffix_with_one_more_label() {
        assert_eq!(domain_of("www.news.bbc.co.uk", &[]).unwrap(), "bbc.co.uk");
        assert_eq!(domain_of("news.eu", &[]).unwrap(), "news.eu");
        assert_eq!(domain_of("a.b.notatld", &[]).unwrap(), "b.notatld");
        assert_eq!(
            domain_of("foo.xn--55qx5d.cn", &[]).unwrap(),
            "foo.xn--55qx5d.cn"
        );
    }

    #[test]
    fn a_host_without_dots_is_a_domain_unless_a_registry() {
        assert_eq!(domain_of("localhost", &[]).unwrap(), "localhost");
        assert_eq!(domain_of("co.uk", &[]), None);
        assert_eq!(domain_of("com", &[]), None);
    }

    #[test]
    fn a_private_suffix_is_its_own_domain() {
        assert_eq!(domain_of("github.io", &[]).unwrap(), "github.io");
        assert_eq!(
            domain_of("someone.github.io", &[]).unwrap(),
            "someone.github.io"
        );
    }

    #[test]
    fn extra_suffixes_split_a_domain() {
        assert_eq!(domain_of("abcnews.go.com", &[]).unwrap(), "go.com");
        assert_eq!(
            domain_of("abcnews.go.com", &["Go.com"]).unwrap(),
            "abcnews.go.com"
        );
        assert_eq!(domain_of("go.com", &["go.com"]).unwrap(), "go.com");
        assert_eq!(domain_of("logo.com", &["go.com"]).unwrap(), "logo.com");
        assert!(Suffixes::new(Grouping::default(), &["not a host".to_owned()]).is_err());
    }

    #[test]
    fn labels_count_branch_items_down_to_the_domain() {
        assert_eq!(Domain::from_name("bbc.co.uk").labels(), 3);
        assert_eq!(Domain::from_name("localhost").labels(), 1);
        assert_eq!(Domain::from_name("127.0.0.1").labels(), 1);
        assert_eq!(Domain::from_name("[::1]").labels(), 1);
    }
}
