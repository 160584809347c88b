//! The domain of a page: whose URL Tree it belongs to.

use std::collections::BTreeSet;
use std::fmt;
use std::net::Ipv4Addr;

use url::Host;

/// The name under which pages share one URL Tree [P 2]: a public suffix and one
/// label (`bbc.co.uk`), an IP literal (`127.0.0.1`, `[::1]`), or a host without
/// dots (`localhost`). In lower case; names outside ASCII are in punycode.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain(String);

impl Domain {
    /// The domain of this name, as it was once given by [`Domain::as_str`].
    pub fn from_name(name: &str) -> Self {
        Domain(name.to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How many items of a page's branch lie above or at the domain: the
    /// branch of a page of `bbc.co.uk` starts with `uk`, `co`, `bbc`, which are
    /// 3. An IP literal is a single item.
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

/// Which pages share a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// All hosts under one public suffix and one label [P 2].
    #[default]
    RegistrableDomain,
    /// Each host by itself.
    FullHost,
}

/// Options a [`Keyer`](crate::Keyer) cannot be built with.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// An entry of `extra_suffixes` is not the name of a host.
    #[error("`{suffix}` in extra_suffixes is not a host name such as `go.com`: {source}")]
    Suffix {
        /// The entry as given.
        suffix: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
}

/// Finds the domain of a host by the public-suffix list compiled into the
/// `psl` crate and the suffixes of the job.
#[derive(Clone, Debug)]
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

    /// The domain of a host name without trailing dot, `None` where the whole
    /// name is a suffix under which registries sell names (`co.uk`). A host
    /// that is a suffix by its owner's wish only (`wordpress.com`, or an extra
    /// suffix) has pages of its own and is its own domain.
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

    /// Length of the longest extra suffix the name ends with, 0 if there is none.
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
    fn a_domain_is_a_public_suffix_and_one_label() {
        assert_eq!(domain_of("www.news.bbc.co.uk", &[]).unwrap(), "bbc.co.uk");
        assert_eq!(domain_of("news.eu", &[]).unwrap(), "news.eu");
        assert_eq!(domain_of("a.b.notatld", &[]).unwrap(), "b.notatld");
        assert_eq!(
            domain_of("foo.xn--55qx5d.cn", &[]).unwrap(),
            "foo.xn--55qx5d.cn"
        );
    }

    #[test]
    fn hosts_without_dots_stand_alone_but_registries_have_no_domain() {
        assert_eq!(domain_of("localhost", &[]).unwrap(), "localhost");
        assert_eq!(domain_of("co.uk", &[]), None);
        assert_eq!(domain_of("com", &[]), None);
    }

    #[test]
    fn owners_of_private_suffixes_keep_their_own_pages() {
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
    fn labels_count_the_branch_items_down_to_the_domain() {
        assert_eq!(Domain::from_name("bbc.co.uk").labels(), 3);
        assert_eq!(Domain::from_name("localhost").labels(), 1);
        assert_eq!(Domain::from_name("127.0.0.1").labels(), 1);
        assert_eq!(Domain::from_name("[::1]").labels(), 1);
    }
}
