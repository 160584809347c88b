use std::fmt;
use std::path::Component;
use std::sync::Arc;

use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreScheme};
use url::Url;

use crate::patience::Patience;
use crate::store::{Variables, azure, google, s3, web_server};

/// An object or a folder on a disk or in an object store, with the store that
/// reaches it.
///
/// Stores in the cloud take settings and credentials from the environment, under
/// the names of their own tools:
///
/// | location | what is read |
/// |---|---|
/// | `path`, `file:///path` | nothing |
/// | `s3://bucket/path` | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`; without them `AWS_WEB_IDENTITY_TOKEN_FILE` with `AWS_ROLE_ARN`, `AWS_CONTAINER_CREDENTIALS_*`, the role of the instance. `AWS_SKIP_SIGNATURE=true` for public buckets. `AWS_REGION`, else `AWS_DEFAULT_REGION`, else us-east-1. `AWS_ENDPOINT_URL_S3`, else `AWS_ENDPOINT_URL` or `AWS_ENDPOINT`, for other stores than Amazon's, with the bucket in the path unless `AWS_VIRTUAL_HOSTED_STYLE_REQUEST=true` |
/// | `gs://bucket/path` | `GOOGLE_APPLICATION_CREDENTIALS` or `GOOGLE_SERVICE_ACCOUNT` (a file), `GOOGLE_SERVICE_ACCOUNT_KEY` (its content); without them the login of `gcloud`, the role of the instance. `GOOGLE_SKIP_SIGNATURE=true` for public buckets. `GOOGLE_BASE_URL` for other servers than Google's |
/// | `az://container/path`, `abfss://container@account.dfs.core.windows.net/path` | `AZURE_STORAGE_ACCOUNT` or `AZURE_STORAGE_ACCOUNT_NAME`, unless the URL has it; `AZURE_STORAGE_KEY` or `AZURE_STORAGE_ACCOUNT_KEY`, `AZURE_STORAGE_SAS_TOKEN`, `AZURE_CLIENT_ID` with `AZURE_TENANT_ID` and `AZURE_CLIENT_SECRET` or `AZURE_FEDERATED_TOKEN_FILE`, `AZURE_USE_AZURE_CLI=true`; without them the identity of the machine. `AZURE_SKIP_SIGNATURE=true` for public containers. `AZURE_STORAGE_ENDPOINT` for other servers than Microsoft's, `AZURE_STORAGE_USE_EMULATOR=true` for Azurite |
/// | `http://host/path`, `https://host/path` | nothing: a plain web server |
///
/// Variables that are set to nothing count as not set. An endpoint that begins
/// with `http://` is used as it is, without encryption. Files of the tools are
/// not read: `AWS_PROFILE` and `~/.aws` are turned into variables by
/// `aws configure export-credentials --format env`, and
/// `AZURE_STORAGE_CONNECTION_STRING` must be taken apart.
#[derive(Clone)]
pub struct Location {
    url: Url,
    store: Arc<dyn ObjectStore>,
    path: Path,
}

/// A text that names no place this program can reach. What could be a secret is
/// left out of what is shown of it.
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
    /// A URL with parts that no request would carry.
    #[error(
        "`{text}` has {part}, which would not be sent; credentials are read from the environment"
    )]
    UnusedPart {
        /// What was given.
        text: String,
        /// The part.
        part: &'static str,
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
    /// Reads a path (relative to the working directory) or a URL, with the
    /// environment of the process. Nothing is read from the store yet.
    ///
    /// # Errors
    /// [`LocationError`] where the text names no reachable kind of place.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        Self::with_patience(text, Patience::default())
    }

    /// The same, with a store that is asked again for so long when it fails.
    ///
    /// # Errors
    /// As [`Location::parse`].
    pub fn with_patience(text: &str, patience: Patience) -> Result<Self, LocationError> {
        // A variable that is no text is of no use to any store.
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::with_variables(text, patience, variables)
    }

    /// The same with these environment variables.
    pub(crate) fn with_variables(
        text: &str,
        patience: Patience,
        variables: impl Variables,
    ) -> Result<Self, LocationError> {
        let unknown = |detail: String| LocationError::Unknown {
            text: without_secrets(text),
            detail,
        };
        let url = if text.contains("://") {
            Url::parse(text).map_err(|error| unknown(error.to_string()))?
        } else if text.is_empty() {
            return Err(unknown("it is empty".to_owned()));
        } else {
            file_url(text).map_err(unknown)?
        };
        if let Some(part) = unused_part(&url) {
            let text = without_secrets(text);
            return Err(LocationError::UnusedPart { text, part });
        }
        let (scheme, path) =
            ObjectStoreScheme::parse(&url).map_err(|error| unknown(error.to_string()))?;
        let (store, path) = match scheme {
            // Also where the host is one of a cloud: its store has a scheme of
            // its own.
            _ if is_web(&url) => web_server(&url, patience),
            ObjectStoreScheme::Local => object_store::parse_url(&url),
            ObjectStoreScheme::AmazonS3 => s3(&url, patience, variables),
            ObjectStoreScheme::GoogleCloudStorage => google(&url, patience, variables),
            ObjectStoreScheme::MicrosoftAzure => azure(&url, patience, variables),
            _ => return Err(unknown(format!("{path} is in no store that lasts"))),
        }
        .map_err(|source| LocationError::Store {
            text: without_secrets(text),
            source,
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
        is_web(&self.url)
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
        url
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Is the user name of such a URL a container?
fn names_container(scheme: &str) -> bool {
    matches!(scheme, "abfs" | "abfss")
}

/// What `object_store` would leave out of its requests without a word.
fn unused_part(url: &Url) -> Option<&'static str> {
    if url.password().is_some() {
        Some("a password")
    } else if !url.username().is_empty() && !names_container(url.scheme()) {
        Some("a user name")
    } else if url.query().is_some() {
        Some("a query")
    } else if url.fragment().is_some() {
        Some("a fragment")
    } else {
        None
    }
}

/// `text` without the user names, passwords and queries of a URL in it; it may be
/// a location, or a setting `KEY=LOCATION`.
pub fn without_secrets(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let container = scheme.rsplit('=').next().is_some_and(names_container);
    let host = match authority.rsplit_once('@') {
        // A user name is a container there, and may be a token elsewhere.
        Some((user, _)) if container && !user.contains(':') => authority,
        Some((_, host)) => host,
        None => authority,
    };
    format!("{scheme}://{host}{path}")
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

impl fmt::Display for Location {
    /// A local path as a path, anything else as its URL, which has no secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.url.to_file_path() {
            Ok(path) => write!(f, "{}", path.display()),
            Err(()) => write!(f, "{}", self.url),
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
        for text in ["ftp://host/x", "memory:///x", "s3:///no-bucket", "az://"] {
            let error = Location::parse(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("s3://"), "{error}");
        }
    }

    #[test]
    fn a_host_of_a_cloud_is_a_web_server_too() {
        let location = Location::parse("http://localhost:8000/a%20b/x.parquet").unwrap();
        assert_eq!(location.path().as_ref(), "a b/x.parquet");
        assert!(location.is_web());
        let cloud = Location::parse("https://bucket.s3.amazonaws.com/x.parquet").unwrap();
        assert!(
            format!("{:?}", cloud.store()).starts_with("HttpStore"),
            "{:?}",
            cloud.store()
        );
    }

    #[test]
    fn a_setting_is_repeated_without_its_secrets() {
        for (text, shown) in [
            (
                "archive.location=https://me:hunter2@host:8080/a/b.parquet?sig=hunter2#x",
                "archive.location=https://host:8080/a/b.parquet",
            ),
            (
                "archive.location=s3://bucket/pages",
                "archive.location=s3://bucket/pages",
            ),
            (
                "output.location=abfss://pages@account/a",
                "output.location=abfss://pages@account/a",
            ),
            ("tree.heuristic=strict", "tree.heuristic=strict"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn what_would_not_be_sent_is_refused_and_never_printed() {
        for (text, part, shown) in [
            (
                "https://user:hunter2@host/a",
                "a password",
                "`https://host/a`",
            ),
            ("https://hunter2@host/a", "a user name", "host/a`"),
            ("s3://id:hunter2@bucket/a", "a password", "`s3://bucket/a`"),
            (
                "https://host/a.parquet?X-Amz-Signature=hunter2",
                "a query",
                "`https://host/a.parquet`",
            ),
            (
                "az://container/a?sig=hunter2",
                "a query",
                "`az://container/a`",
            ),
            ("s3://bucket/a#hunter2", "a fragment", "`s3://bucket/a`"),
            ("ftp://user:hunter2@host/a", "a password", "`ftp://host/a`"),
            ("https://user:hunter2@ho st/a", "", "`https://ho st/a`"),
        ] {
            let error = Location::parse(text).unwrap_err().to_string();
            assert!(
                error.contains(part) && error.contains(shown),
                "{text}: {error}"
            );
            assert!(!error.contains("hunter2"), "{text}: {error}");
        }
    }
}
