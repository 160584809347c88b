//! The formats of an export.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A format of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// A JSON object per line.
    #[serde(rename = "jsonl")]
    JsonLines,
    /// JSON Lines, compressed by zstd.
    #[serde(rename = "jsonl.zst")]
    JsonLinesZstd,
    /// JSON Lines, compressed by gzip.
    #[serde(rename = "jsonl.gz")]
    JsonLinesGzip,
    /// Parquet.
    #[serde(rename = "parquet")]
    Parquet,
    /// Parquet with the flat columns of FineWeb.
    #[serde(rename = "fineweb")]
    FineWeb,
    /// WARC 1.0 with a `conversion` record per document, each compressed by gzip.
    #[serde(rename = "wet")]
    Wet,
}

impl Format {
    /// Returns the ending of a file's name, without a dot before it.
    pub fn ending(self) -> &'static str {
        match self {
            Self::JsonLines => "jsonl",
            Self::JsonLinesZstd => "jsonl.zst",
            Self::JsonLinesGzip => "jsonl.gz",
            Self::Parquet | Self::FineWeb => "parquet",
            Self::Wet => "warc.wet.gz",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FineWeb => "fineweb",
            Self::Wet => "wet",
            other => other.ending(),
        })
    }
}
