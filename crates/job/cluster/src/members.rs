//! The addresses of workers, as a user gives them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use url::{Host, Url};

use crate::error::ClusterError;

/// Where the addresses of workers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Members {
    /// `HOST:PORT`
    Address(String),
    /// `dns:HOST:PORT`: every address of a name, such as a headless service of Kubernetes.
    Name(String),
    /// `file:PATH`: a line for each address. The text after `#` is a comment.
    File(PathBuf),
}

impl Members {
    pub(crate) fn parse(text: &str) -> Self {
        if let Some(name) = text.strip_prefix("dns:") {
            Self::Name(name.to_owned())
        } else if let Some(path) = text.strip_prefix("file:") {
            Self::File(path.into())
        } else {
            Self::Address(text.to_owned())
        }
    }

    /// Returns the addresses of now.
    ///
    /// # Errors
    /// Where an address is not valid, a name is not known, or a file cannot be read.
    pub(crate) async fn urls(&self, scheme: Scheme) -> Result<BTreeSet<Url>, ClusterError> {
        match self {
            Self::Address(address) => Ok([scheme.url(address)?].into()),
            Self::Name(name) => {
                let failed = |source| ClusterError::Members {
                    place: format!("the name {name}"),
                    source,
                };
                scheme.url(name)?;
                let found = tokio::net::lookup_host(name).await.map_err(failed)?;
                found.map(|found| scheme.url(&found.to_string())).collect()
            }
            Self::File(path) => {
                let failed = |source| ClusterError::Members {
                    place: format!("the file {}", path.display()),
                    source,
                };
                let text = tokio::fs::read_to_string(path).await.map_err(failed)?;
                let lines = text
                    .lines()
                    .map(|line| line.split('#').next().unwrap_or(line));
                lines
                    .map(str::trim)
                    .filter(|line| !line.is_empty())
                    .map(|line| scheme.url(line))
                    .collect()
            }
        }
    }
}

/// Whether connections are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Plain,
    Tls,
}

impl Scheme {
    fn url(self, address: &str) -> Result<Url, ClusterError> {
        let invalid = || ClusterError::Address {
            address: address.to_owned(),
        };
        let scheme = match self {
            Self::Plain => "http",
            Self::Tls => "https",
        };
        let url = Url::parse(&format!("{scheme}://{address}")).map_err(|_| invalid())?;
        // A URL leaves out the default port of its scheme.
        let has_port = address
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let is_name = match url.host() {
            Some(Host::Domain(name)) => !name.is_empty(),
            Some(_) => true,
            None => false,
        };
        let is_address = is_name && has_port && url.path() == "/" && url.username().is_empty();
        if is_address { Ok(url) } else { Err(invalid()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_address_of_a_worker_is_a_host_and_a_port() {
        for address in ["127.0.0.1:7070", "worker-1.example:443", "[::1]:7070"] {
            for scheme in [Scheme::Plain, Scheme::Tls] {
                let urls = Members::parse(address).urls(scheme).await.unwrap();
                assert_eq!(urls.len(), 1, "{address}");
            }
        }
        for address in [
            "",
            "worker",
            "worker:x",
            "http://worker:7070",
            "worker:7070/x",
            "me@worker:7070",
            "dns:worker",
        ] {
            let error = Members::parse(address).urls(Scheme::Plain).await;
            let error = error.unwrap_err().to_string();
            assert!(error.contains("HOST:PORT"), "{address}: {error}");
        }
    }

    #[tokio::test]
    async fn a_file_and_a_name_have_several_addresses() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("workers");
        std::fs::write(&path, "# a rack\n10.0.0.1:7070\n\n10.0.0.2:7070 # new\n").unwrap();
        let members = Members::parse(&format!("file:{}", path.display()));
        assert_eq!(members.urls(Scheme::Plain).await.unwrap().len(), 2);
        std::fs::write(&path, "10.0.0.3:7070\n").unwrap();
        let urls = members.urls(Scheme::Tls).await.unwrap();
        assert_eq!(urls.first().unwrap().as_str(), "https://10.0.0.3:7070/");
        let missing = Members::parse("file:/no/such/file")
            .urls(Scheme::Plain)
            .await;
        assert!(missing.unwrap_err().to_string().contains("/no/such/file"));

        let local = Members::parse("dns:localhost:7070")
            .urls(Scheme::Plain)
            .await;
        let local = local.unwrap();
        assert!(
            local.iter().any(|url| url.host_str() == Some("127.0.0.1")),
            "{local:?}"
        );
    }
}
