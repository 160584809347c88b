use std::fmt;
use std::path::Component;
use std::sync::Arc;

use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreScheme};
use url::Url;

/// An object or a folder on a disk or in an object store, with the store that
/// reaches it.
#[derive(Clone)]
pub struct Location {
    url: Url,
    store: Arc<dyn ObjectStore>,
    path: Path,
}

/// A text that names no place this program can reach.
#[derive(Debug, thiserror::Error)]
pub enum LocationError {
    /// Not a path and not a URL of a known store.
    #[error("`{text}` is no path and no file://, s3://, gs://, az:// or http(s):// URL: {detail}")]
    Unknown {
        /// What was given.
        text: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The store cannot be set up, for want of credentials for example.
    #[error("`{text}`: {source}")]
    Store {
        /// What was given.
        text: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
}

impl Location {
    /// Reads a path (relative to the working directory) or a URL. Stores in
    /// the cloud take their settings from the environment variables of their
    /// own tools (`AWS_…`, `GOOGLE_…`, `AZURE_…`). Nothing is read yet.
    ///
    /// # Errors
    /// [`LocationError`] where the text names no reachable kind of place.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        let unknown = |detail: String| LocationError::Unknown {
            text: text.to_owned(),
            detail,
        };
        let url = if text.contains("://") {
            Url::parse(text).map_err(|error| unknown(error.to_string()))?
        } else if text.is_empty() {
            return Err(unknown("it is empty".to_owned()));
        } else {
            file_url(text).map_err(unknown)?
        };
        ObjectStoreScheme::parse(&url).map_err(|error| unknown(error.to_string()))?;
        let variables = std::env::vars().map(|(key, value)| (key.to_ascii_lowercase(), value));
        // Who writes http:// means it; stores in the cloud need AWS_ALLOW_HTTP.
        let plain = (url.scheme() == "http").then(|| ("allow_http".to_owned(), "true".to_owned()));
        let settings = variables.chain(plain);
        let (store, path) = object_store::parse_url_opts(&url, settings).map_err(|source| {
            LocationError::Store {
                text: text.to_owned(),
                source,
            }
        })?;
        Ok(Self {
            url,
            store: Arc::from(store),
            path,
        })
    }

    /// The absolute URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Is this on a web server, not in an object store?
    pub fn is_web(&self) -> bool {
        matches!(self.url.scheme(), "http" | "https")
    }

    /// The store, rooted where its scheme roots it: the file system, a bucket.
    pub fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.store
    }

    /// The path in the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder `name` below this one.
    pub fn child(&self, name: &str) -> Self {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push(name);
        }
        Self {
            url,
            store: Arc::clone(&self.store),
            path: self.path.clone().join(name),
        }
    }

    /// What an engine registers the store under: scheme and authority.
    pub fn store_url(&self) -> Url {
        let mut url = self.url.clone();
        url.set_path("/");
        url.set_query(None);
        url.set_fragment(None);
        url
    }
}

/// The URL of a path. `..` is followed as the system does, through links, where
/// the path is there, and by its letters otherwise: a URL, once parsed, has none.
fn file_url(text: &str) -> Result<Url, String> {
    let path = std::path::absolute(text).map_err(|error| error.to_string())?;
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let real = climbs.then(|| path.canonicalize().ok()).flatten();
    let url = Url::from_file_path(real.unwrap_or(path))
        .map_err(|()| "the path has no URL form".to_owned())?;
    Url::parse(url.as_str()).map_err(|error| error.to_string())
}

/// `text` without the passwords, tokens and signatures that a URL in it may
/// carry: in `KEY=VALUE`, of the value.
pub fn without_secrets(text: &str) -> String {
    let Some((start, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(host);
    let authority = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let path = tail.split(['?', '#']).next().unwrap_or_default();
    format!("{start}://{authority}{path}")
}

impl fmt::Display for Location {
    /// A local path as a path, anything else as its URL without secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.url.to_file_path() {
            Ok(path) => write!(f, "{}", path.display()),
            Err(()) => {
                let mut url = self.url.clone();
                let _ = url.set_password(None);
                url.set_query(None);
                write!(f, "{url}")
            }
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_urls_name_the_same_folder() {
        let path = Location::parse("/tmp/a b/out").unwrap();
        assert_eq!(path.url().as_str(), "file:///tmp/a%20b/out");
        assert_eq!(path.to_string(), "/tmp/a b/out");
        assert_eq!(
            path.child("documents").to_string(),
            "/tmp/a b/out/documents"
        );
        assert_eq!(
            path.child("documents").path().as_ref(),
            "tmp/a b/out/documents"
        );
    }

    #[test]
    fn a_path_may_lead_through_the_folder_above() {
        let path = Location::parse("/no/such/../place/./x").unwrap();
        assert_eq!(path.to_string(), "/no/place/x");
    }

    #[test]
    fn a_scheme_nobody_serves_is_refused_by_name() {
        let error = Location::parse("ftp://host/x").unwrap_err().to_string();
        assert!(
            error.contains("ftp://host/x") && error.contains("s3://"),
            "{error}"
        );
    }

    #[test]
    fn a_setting_is_repeated_without_its_secrets() {
        for (text, shown) in [
            (
                "archive.location=https://me:hunter2@host:8080/a/b.parquet?sig=hunter2#x",
                "archive.location=https://host:8080/a/b.parquet",
            ),
            ("s3://bucket/pages", "s3://bucket/pages"),
            ("abfss://pages@account/a", "abfss://pages@account/a"),
            ("tree.heuristic=strict", "tree.heuristic=strict"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn a_password_in_a_url_is_never_printed() {
        let location = Location::parse("https://user:hunter2@host/a.parquet?sig=hunter2").unwrap();
        assert!(!format!("{location} {location:?}").contains("hunter2"));
    }
}
