//! The parts of a URL that no rule knows.

use serde::{Deserialize, Serialize};

/// The treatment of parameters and other parts of URLs that no rule knows: `dedup.queries` of a
/// job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Queries {
    /// They stay in the URL key until the pages of the site have shown that they change nothing.
    /// Pages that differ in them only are compared by content.
    #[default]
    Learn,
    /// Parameters are dropped, as in the paper: all pages of a path are one page.
    Drop,
}
