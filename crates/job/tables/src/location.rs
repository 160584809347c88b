use std::fmt;
use std::path::Component;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreScheme};
use url::Url;

use crate::retry::RetryPolicy;
use crate::small_objects::SmallObjects;
use crate::store::{Variables, azure, google, s3, web_server};
use crate::time::is_older;

/// An object or a folder on a disk or in an object store, and the client of that
/// store.
///
/// Cloud stores take their settings and credentials from environment variables with
/// the names that the clouds' own tools use:
///
/// | location | environment variables |
/// |---|---|
/// | `path`, `file:///path` | none |
/// | `s3://bucket/path` | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`; without them `AWS_WEB_IDENTITY_TOKEN_FILE` with `AWS_ROLE_ARN`, `AWS_CONTAINER_CREDENTIALS_*`, the role of the instance. `AWS_SKIP_SIGNATURE=true` for public buckets. `AWS_REGION`, else `AWS_DEFAULT_REGION`, else us-east-1. `AWS_ENDPOINT_URL_S3`, else `AWS_ENDPOINT_URL` or `AWS_ENDPOINT`, for stores other than Amazon's, with the bucket in the path unless `AWS_VIRTUAL_HOSTED_STYLE_REQUEST=true` |
/// | `gs://bucket/path` | `GOOGLE_APPLICATION_CREDENTIALS` or `GOOGLE_SERVICE_ACCOUNT` (a file), `GOOGLE_SERVICE_ACCOUNT_KEY` (its content); without them the login of `gcloud`, the role of the instance. `GOOGLE_SKIP_SIGNATURE=true` for public buckets. `GOOGLE_BASE_URL` for servers other than Google's |
/// | `az://container/path`, `abfss://container@account.dfs.core.windows.net/path` | `AZURE_STORAGE_ACCOUNT` or `AZURE_STORAGE_ACCOUNT_NAME`, unless the URL has it; `AZURE_STORAGE_KEY` or `AZURE_STORAGE_ACCOUNT_KEY`, `AZURE_STORAGE_SAS_TOKEN`, `AZURE_CLIENT_ID` with `AZURE_TENANT_ID` and `AZURE_CLIENT_SECRET` or `AZURE_FEDERATED_TOKEN_FILE`, `AZURE_USE_AZURE_CLI=true`; without them the identity of the machine. `AZURE_SKIP_SIGNATURE=true` for public containers. `AZURE_STORAGE_ENDPOINT` for servers other than Microsoft's, `AZURE_STORAGE_USE_EMULATOR=true` for Azurite |
/// | `http://host/path`, `https://host/path` | none: a plain web server |
///
/// An empty variable counts as not set. An endpoint that begins with `http://` is
/// used without encryption. The tools' configuration files are not read:
/// `aws configure export-credentials --format env` converts `AWS_PROFILE` and
/// `~/.aws` into variables, and `AZURE_STORAGE_CONNECTION_STRING` must be split into
/// the variables above.
#[derive(Clone)]
pub struct Location {
    url: Url,
    store: Arc<dyn ObjectStore>,
    path: Path,
    retry_policy: RetryPolicy,
}

/// A text that is not a usable location. Its display omits the parts of the text
/// that could be secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocationError {
    /// Neither a path nor a URL of a known store.
    #[error(
        "`{text}` is neither a path nor a file://, s3://, gs://, az:// or http(s):// URL: {detail}"
    )]
    Unknown {
        /// The text.
        text: String,
        /// The problem.
        detail: String,
    },
    /// A URL with a part that is never sent to a store.
    #[error("`{text}` has {part}, which is not supported; set credentials in the environment")]
    UnusedPart {
        /// The text.
        text: String,
        /// The part.
        part: &'static str,
    },
    /// The client of the store cannot be set up, for example without credentials.
    #[error("`{text}`: {source}")]
    Store {
        /// The text.
        text: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
}

impl Location {
    /// Parses a path (relative to the working directory) or a URL, with the
    /// environment of the process and the default [`RetryPolicy`]. Reads nothing from
    /// the store.
    ///
    /// # Errors
    /// [`LocationError`] if the text is not a usable location.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        Self::parse_with_retry(text, RetryPolicy::default())
    }

    /// Like [`Location::parse`], with another retry policy.
    ///
    /// # Errors
    /// See [`Location::parse`].
    pub fn parse_with_retry(text: &str, retry_policy: RetryPolicy) -> Result<Self, LocationError> {
        // No store has a use for a variable that is not UTF-8.
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::with_variables(text, retry_policy, variables)
    }

    /// Like [`Location::parse_with_retry`], with these environment variables.
    pub(crate) fn with_variables(
        text: &str,
        retry_policy: RetryPolicy,
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
            // Also for the host name of a cloud: its store has its own scheme.
            _ if is_web(&url) => web_server(&url, retry_policy),
            ObjectStoreScheme::Local => object_store::parse_url(&url),
            ObjectStoreScheme::AmazonS3 => s3(&url, retry_policy, variables),
            ObjectStoreScheme::GoogleCloudStorage => google(&url, retry_policy, variables),
            ObjectStoreScheme::MicrosoftAzure => azure(&url, retry_policy, variables),
            _ => return Err(unknown(format!("{path} is not in persistent storage"))),
        }
        .map_err(|source| LocationError::Store {
            text: without_secrets(text),
            source,
        })?;
        Ok(Self {
            url,
            store: Arc::from(store),
            path,
            retry_policy,
        })
    }

    /// Returns the same location with a new client, which has its own connections.
    ///
    /// # Errors
    /// See [`Location::parse`].
    pub fn with_own_client(&self) -> Result<Self, LocationError> {
        Self::parse_with_retry(self.url.as_str(), self.retry_policy)
    }

    /// Returns the same location with a cache of at most `max_bytes` of small commits and data files
    /// of tables, which never change. On a disk it needs none.
    #[must_use]
    pub fn with_small_objects(mut self, max_bytes: usize) -> Self {
        if self.url.scheme() != "file" {
            self.store = Arc::new(SmallObjects::new(self.store, max_bytes));
        }
        self
    }

    /// Returns the absolute URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Whether this is on a plain web server.
    pub fn is_web(&self) -> bool {
        is_web(&self.url)
    }

    /// Returns the client of the store. Its root is the root of the file system, or
    /// the bucket.
    pub fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.store
    }

    /// Returns the path in the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder or object `name` below this one.
    pub fn child(&self, name: &str) -> Self {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push(name);
        }
        Self {
            url,
            store: Arc::clone(&self.store),
            path: self.path.clone().join(name),
            retry_policy: self.retry_policy,
        }
    }

    /// Returns the path in the store of an object below this folder. `path` has slashes between its parts.
    pub(crate) fn below(&self, path: &str) -> Path {
        Path::from_iter(self.path.parts().chain(Path::from(path).parts()))
    }

    /// Returns the path below this folder of an object in a listing of it, with slashes between its parts.
    pub fn relative(&self, object: &Path) -> Option<String> {
        let parts: Vec<_> = object.prefix_match(&self.path)?.collect();
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        Some(parts.join("/"))
    }

    /// Deletes the objects below this folder that have not changed for `age`.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn delete_older(&self, age: Duration) -> object_store::Result<()> {
        let now = Utc::now();
        let is_old = move |object: &ObjectMeta| is_older(object.last_modified, age, now);
        let listed = self.store.list(Some(&self.path));
        let old = listed.try_filter(move |object| std::future::ready(is_old(object)));
        let old = old.map_ok(|object| object.location);
        self.deleted(old).try_collect().await
    }

    /// Deletes objects of the store. Another process may delete them too.
    pub(crate) fn deleted(
        &self,
        objects: impl Stream<Item = object_store::Result<Path>> + Send + 'static,
    ) -> BoxStream<'static, object_store::Result<()>> {
        let deleted = self.store.delete_stream(objects.boxed());
        let deleted = deleted.map(|deleted| match deleted {
            Ok(_) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        });
        deleted.boxed()
    }

    /// Returns the object at `path`, which a listing of this folder has. The path is taken as it is, and
    /// [`Location::child`] would escape it.
    pub fn listed(&self, path: &Path) -> Self {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            let below = path.prefix_match(&self.path).into_iter().flatten();
            segments.pop_if_empty();
            segments.extend(below.map(|part| part.as_ref().to_owned()));
        }
        Self {
            url,
            path: path.clone(),
            ..self.clone()
        }
    }

    /// Returns scheme and authority, under which query engines register a store.
    pub fn store_url(&self) -> Url {
        let mut url = self.url.clone();
        url.set_path("/");
        url
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Whether the user name of a URL with this scheme is a container.
fn names_container(scheme: &str) -> bool {
    matches!(scheme, "abfs" | "abfss")
}

/// Returns a part of the URL that `object_store` would ignore silently.
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

/// Removes user names, passwords and queries from the URL in `text`, which is a
/// location or a setting `KEY=LOCATION`.
pub fn without_secrets(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let container = scheme.rsplit('=').next().is_some_and(names_container);
    let host = match authority.rsplit_once('@') {
        // With these schemes a user name is a container. With others it may be a
        // token.
        Some((user, _)) if container && !user.contains(':') => authority,
        Some((_, host)) => host,
        None => authority,
    };
    format!("{scheme}://{host}{path}")
}

/// Converts a path to a URL. Resolves `..` as the file system does, through links, if
/// the path exists, and lexically otherwise: a parsed URL has no `..`.
fn file_url(text: &str) -> Result<Url, String> {
    let path = std::path::absolute(text).map_err(|error| error.to_string())?;
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let real = climbs.then(|| path.canonicalize().ok()).flatten();
    let url = Url::from_file_path(real.unwrap_or(path))
        .map_err(|()| "the path has no URL form".to_owned())?;
    Url::parse(url.as_str()).map_err(|error| error.to_string())
}

impl fmt::Display for Location {
    /// Writes a local location as a path and any other as its URL, which has no
    /// secrets.
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
    use futures::TryStreamExt;
    use object_store::ObjectStoreExt;

    use super::*;

    #[test]
    fn a_path_and_its_url_are_one_folder() {
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

    #[tokio::test]
    async fn a_listed_object_is_the_file_that_its_name_says() {
        let names = [
            "b ü.warc",
            "a#1%20?.warc",
            "[x]{y}.warc",
            "新聞.warc",
            "~.warc",
        ];
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let folder = Location::parse(folder.path().to_str().unwrap()).unwrap();
        let listed = folder.store().list(Some(folder.path()));
        let listed: Vec<_> = listed.try_collect().await.unwrap();
        assert_eq!(listed.len(), names.len());
        for meta in listed {
            let object = folder.listed(&meta.location);
            let content = object.store().get(object.path()).await.unwrap();
            let content = content.bytes().await.unwrap();
            let name = std::str::from_utf8(&content).unwrap();
            assert_eq!(object.to_string(), format!("{folder}/{name}"));
            let again = Location::parse(object.url().as_str()).unwrap();
            assert_eq!(again.to_string(), object.to_string());
        }
    }

    #[test]
    fn a_listed_key_of_a_bucket_is_taken_as_it_is() {
        let folder = Location::parse("s3://bucket/crawl").unwrap();
        let object = folder.listed(&Path::parse("crawl/a%20b/c d.warc").unwrap());
        assert_eq!(
            object.url().as_str(),
            "s3://bucket/crawl/a%2520b/c%20d.warc"
        );
        let again = Location::parse(object.url().as_str()).unwrap();
        assert_eq!(again.path(), object.path());
    }

    #[test]
    fn a_path_with_parent_folders_is_resolved() {
        let path = Location::parse("/no/such/../place/./x").unwrap();
        assert_eq!(path.to_string(), "/no/place/x");
    }

    #[test]
    fn an_unknown_scheme_is_refused_by_name() {
        for text in ["ftp://host/x", "memory:///x", "s3:///no-bucket", "az://"] {
            let error = Location::parse(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("s3://"), "{error}");
        }
    }

    #[test]
    fn an_https_url_of_a_cloud_is_a_web_server() {
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
    fn secrets_are_removed_from_a_setting() {
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
            ("paper.heuristic=strict", "paper.heuristic=strict"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn credentials_in_a_url_are_refused_and_not_printed() {
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
