use deltalake::DeltaTableError;

/// An error of an output table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The table cannot be opened, read or written.
    #[error("table `{table}` at {location}: {source}")]
    Delta {
        /// Name of the table.
        table: &'static str,
        /// Location of the table.
        location: String,
        /// The cause.
        #[source]
        source: Box<DeltaTableError>,
    },
    /// The table exists and has other columns or partitions.
    #[error(
        "table `{table}` at {location} was written with {found}, this job writes {expected}; \
         choose another output.location or the earlier setting"
    )]
    Layout {
        /// Name of the table.
        table: &'static str,
        /// Location of the table.
        location: String,
        /// Columns and partition column that the job writes.
        expected: String,
        /// Columns and partition column of the table.
        found: String,
    },
    /// The table has a later fencing token than the commit.
    #[error(
        "table `{table}` at {location} refuses a commit with fencing token {token}: another \
         process took the tables over with token {later}"
    )]
    Superseded {
        /// Name of the table.
        table: &'static str,
        /// Location of the table.
        location: String,
        /// Fencing token of the commit.
        token: i64,
        /// Fencing token of the table.
        later: i64,
    },
    /// A lease cannot be read or written.
    #[error("lease {object}: {source}")]
    Lease {
        /// The lease object, or the folder of the leases.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
    /// Unreferenced data files cannot be listed or deleted.
    #[error("cannot {operation} {object}: {source}")]
    Files {
        /// The operation, as a verb.
        operation: &'static str,
        /// The folder of the table.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
}

impl TableError {
    /// Returns the location of the table, or the object, that the error is about.
    pub fn object(&self) -> &str {
        match self {
            Self::Delta { location, .. }
            | Self::Layout { location, .. }
            | Self::Superseded { location, .. } => location,
            Self::Lease { object, .. } | Self::Files { object, .. } => object,
        }
    }
}
