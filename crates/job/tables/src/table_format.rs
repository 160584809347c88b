//! The format of the tables.

use std::fmt;
use std::str::FromStr;

/// The readers for which the folders of tables are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableFormat {
    /// Readers of the Delta log. Replaced files stay for readers of earlier versions, until a vacuum.
    #[default]
    Delta,
    /// Also readers that list the Parquet files of a table. Data files are moved into the folder of their
    /// table just before the commit, and replaced files are deleted just after it.
    Parquet,
}

impl FromStr for TableFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "delta" => Ok(Self::Delta),
            "parquet" => Ok(Self::Parquet),
            other => Err(format!(
                "`{other}` is not a format; expected delta or parquet"
            )),
        }
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Delta => "delta",
            Self::Parquet => "parquet",
        })
    }
}
