//! The content security policy of a page.

use data_encoding::BASE64;
use sha2::{Digest, Sha256};

/// Returns the policy of a page with this style and script, both inside the page: nothing is requested,
/// and nothing else is executed. The script may be empty.
pub(crate) fn policy(style: &str, script: &str) -> String {
    let source = |text: &str| match text {
        "" => "'none'".to_owned(),
        text => format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text))),
    };
    format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        source(style),
        source(script)
    )
}
