//! Clients of stores, configured by environment variables.

use lease::IdempotentPuts;
use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use url::{Position, Url};

use crate::http_connector::Connector;
use crate::retry::RetryPolicy;

/// A store and the path that a URL has in it.
pub(crate) type StoreAndPath = (Box<dyn ObjectStore>, Path);

/// Environment variables.
pub(crate) trait Variables: IntoIterator<Item = (String, String)> {}

impl<T: IntoIterator<Item = (String, String)>> Variables for T {}

/// Creates the client of a plain web server.
pub(crate) fn web_server(
    url: &Url,
    retry_policy: RetryPolicy,
) -> Result<StoreAndPath, object_store::Error> {
    // Allow plain HTTP if the URL asks for it.
    let options = retry_policy
        .client_options()
        .with_allow_http(url.scheme() == "http");
    let store = HttpBuilder::new()
        .with_url(&url[..Position::BeforePath])
        .with_client_options(options)
        .with_retry(retry_policy.retry_config())
        .with_http_connector(Connector)
        .build()?;
    Ok((Box::new(store), Path::from_url_path(url.path())?))
}

/// Defines the function that creates the client of a cloud store, configured by the
/// variables with a prefix.
macro_rules! cloud {
    ($(#[$doc:meta])* $name:ident, $builder:ty, $prefix:literal) => {
        $(#[$doc])*
        pub(crate) fn $name(
            url: &Url,
            retry_policy: RetryPolicy,
            variables: impl Variables,
        ) -> Result<StoreAndPath, object_store::Error> {
            let builder = <$builder>::new()
                .with_url(url.as_str())
                .with_client_options(retry_policy.client_options())
                .with_retry(retry_policy.retry_config())
                .with_http_connector(Connector);
            let store = settings($prefix, variables)
                .into_iter()
                .fold(builder, |builder, (key, value)| match key.parse() {
                    Ok(key) => builder.with_config(key, value),
                    // Another program's variable.
                    Err(_) => builder,
                })
                .build()?;
            let (_, path) = object_store::ObjectStoreScheme::parse(url)?;
            Ok((Box::new(IdempotentPuts::new(store)), path))
        }
    };
}

cloud!(
    /// A bucket of S3, or of a store that speaks its protocol.
    s3,
    AmazonS3Builder,
    "AWS_"
);
cloud!(
    /// A bucket of Google Cloud Storage.
    google,
    GoogleCloudStorageBuilder,
    "GOOGLE_"
);
cloud!(
    /// A container of Azure Blob Storage.
    azure,
    MicrosoftAzureBuilder,
    "AZURE_"
);

/// Converts the variables that begin with `prefix` to settings. `object_store` also
/// accepts settings without the prefix, but a `TOKEN` or `TIMEOUT` in the environment
/// is not meant for it.
fn settings(prefix: &str, variables: impl Variables) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> = variables
        .into_iter()
        .filter(|(name, value)| name.starts_with(prefix) && !value.is_empty())
        .map(|(name, value)| (setting(&name), value))
        .collect();
    // The environment has no defined order.
    settings.sort();
    let plain = |(name, value): &(String, String)| {
        ENDPOINTS.contains(&name.as_str()) && value.starts_with("http://")
    };
    if settings.iter().any(plain) {
        settings.insert(0, ("allow_http".to_owned(), "true".to_owned()));
    }
    settings
}

/// Settings that are endpoints: plain HTTP is allowed if one of them asks for it.
const ENDPOINTS: [&str; 5] = [
    "aws_endpoint",
    "aws_endpoint_url",
    "aws_endpoint_url_s3",
    "azure_endpoint",
    "azure_storage_endpoint",
];

/// Returns the name that `object_store` has for the setting of a variable.
fn setting(variable: &str) -> String {
    match variable {
        // The names of the `az` command.
        "AZURE_STORAGE_ACCOUNT" => "azure_storage_account_name".to_owned(),
        "AZURE_STORAGE_KEY" => "azure_storage_account_key".to_owned(),
        _ => variable.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Location, LocationError, RetryPolicy};

    fn with(text: &str, variables: &[(&str, &str)]) -> Result<Location, LocationError> {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Location::with_variables(text, RetryPolicy::default(), variables)
    }

    /// Returns the configuration of the store, as its `Debug` prints it.
    fn store(text: &str, variables: &[(&str, &str)]) -> String {
        format!("{:?}", with(text, variables).expect(text).store())
    }

    #[test]
    fn s3_takes_the_variables_of_the_aws_tools() {
        let keys = [
            ("AWS_ACCESS_KEY_ID", "AKIA"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_SESSION_TOKEN", "token"),
        ];
        let amazon = store(
            "s3://bucket/a/b",
            &[&keys[..], &[("AWS_DEFAULT_REGION", "eu-west-1")]].concat(),
        );
        for expected in [
            "StaticCredentialProvider",
            "eu-west-1",
            "https://s3.eu-west-1.amazonaws.com/bucket",
        ] {
            assert!(amazon.contains(expected), "{expected}: {amazon}");
        }
        for endpoint in ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"] {
            let other = store(
                "s3a://bucket/a",
                &[
                    &keys[..],
                    &[(endpoint, "http://localhost:9000"), ("AWS_REGION", "x")],
                ]
                .concat(),
            );
            for expected in [
                "http://localhost:9000/bucket",
                "allow_http: Deferred(\"true\")",
            ] {
                assert!(other.contains(expected), "{endpoint}: {expected}: {other}");
            }
        }
        let public = store("s3://bucket", &[("AWS_SKIP_SIGNATURE", "true")]);
        assert!(public.contains("skip_signature: true"), "{public}");
        let hosted = store(
            "s3://bucket",
            &[("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "true")],
        );
        assert!(
            hosted.contains("https://bucket.s3.us-east-1.amazonaws.com"),
            "{hosted}"
        );
    }

    #[test]
    fn gs_takes_the_variables_of_the_google_tools() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key.json");
        let path = file.to_string_lossy();
        let login = r#"{"type": "authorized_user", "client_id": "c", "client_secret": "s",
                        "refresh_token": "r"}"#;
        std::fs::write(&file, login).unwrap();
        let google = store(
            "gs://bucket/a",
            &[("GOOGLE_APPLICATION_CREDENTIALS", &path)],
        );
        for expected in [
            "AuthorizedUserCredentials",
            "https://storage.googleapis.com",
        ] {
            assert!(google.contains(expected), "{expected}: {google}");
        }
        let key = r#"{"private_key": "p", "private_key_id": "i", "client_email": "e",
                      "disable_oauth": true, "gcs_base_url": "http://localhost:4443"}"#;
        std::fs::write(&file, key).unwrap();
        for variable in [
            ("GOOGLE_SERVICE_ACCOUNT", &*path),
            ("GOOGLE_SERVICE_ACCOUNT_KEY", key),
        ] {
            let other = store("gs://bucket/a", &[variable]);
            assert!(other.contains("http://localhost:4443"), "{other}");
        }
        let public = store("gs://bucket", &[("GOOGLE_SKIP_SIGNATURE", "true")]);
        assert!(public.contains("skip_signature: true"), "{public}");

        let missing = [("GOOGLE_APPLICATION_CREDENTIALS", "/no/such/key.json")];
        let error = with("gs://bucket/a", &missing).unwrap_err().to_string();
        assert!(
            error.contains("gs://bucket/a") && error.contains("/no/such/key.json"),
            "{error}"
        );
    }

    #[test]
    fn az_takes_the_variables_of_the_azure_tools() {
        // The key is Base64 of anything.
        for (account, key) in [
            ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"),
            ("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY"),
        ] {
            let azure = store("az://container/a", &[(account, "pages"), (key, "c2VjcmV0")]);
            for expected in ["AccessKey", "pages.blob.core.windows.net", "\"container\""] {
                assert!(azure.contains(expected), "{account}: {expected}: {azure}");
            }
        }
        let in_url = store("abfss://container@pages.dfs.core.windows.net/a", &[]);
        assert!(in_url.contains("pages.blob.core.windows.net"), "{in_url}");
        let token = [
            ("AZURE_STORAGE_ACCOUNT", "pages"),
            ("AZURE_STORAGE_SAS_TOKEN", "?sv=1&sig=x"),
        ];
        assert!(store("az://container/a", &token).contains("SASToken"));
        let other = [
            ("AZURE_STORAGE_ACCOUNT", "pages"),
            ("AZURE_STORAGE_ENDPOINT", "http://localhost:10000/pages"),
            ("AZURE_SKIP_SIGNATURE", "true"),
        ];
        let other = store("az://container/a", &other);
        for expected in [
            "localhost",
            "allow_http: Deferred(\"true\")",
            "skip_signature: true",
        ] {
            assert!(other.contains(expected), "{expected}: {other}");
        }
        let error = with("az://container/a", &[]).unwrap_err().to_string();
        assert!(
            error.contains("az://container/a") && error.contains("Account"),
            "{error}"
        );
    }

    #[test]
    fn empty_and_unrelated_variables_are_ignored() {
        let plain = [
            ("AWS_ACCESS_KEY_ID", "AKIA"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
        ];
        let others = [
            ("AWS_ENDPOINT_URL", ""),
            ("AWS_PROFILE", "work"),
            ("ENDPOINT", "http://elsewhere"),
            ("BUCKET", "other"),
            ("TOKEN", "token"),
            ("TIMEOUT", "soon"),
        ];
        assert_eq!(
            store("s3://bucket/a", &plain),
            store("s3://bucket/a", &[&plain[..], &others[..]].concat())
        );
    }
}
