use deltalake::DeltaTableError;

/// What can go wrong with an output table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The table cannot be opened, read or written.
    #[error("table `{table}` at {location}: {source}")]
    Delta {
        /// Name of the table.
        table: &'static str,
        /// Where it lies.
        location: String,
        /// The cause.
        #[source]
        source: Box<DeltaTableError>,
    },
    /// The table exists and was made with other columns or partitions.
    #[error(
        "table `{table}` at {location} was written with {found}, this job writes {expected}; \
         choose another output.location or the earlier setting"
    )]
    Layout {
        /// Name of the table.
        table: &'static str,
        /// Where it lies.
        location: String,
        /// What the job writes.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A later claim than the one a change was made under has changed the table.
    #[error(
        "table `{table}` at {location} was changed under claim {later}, and this change is made \
         under claim {claim}"
    )]
    Superseded {
        /// Name of the table.
        table: &'static str,
        /// Where it lies.
        location: String,
        /// The claim of the change.
        claim: i64,
        /// The claim that the table knows.
        later: i64,
    },
    /// A claim cannot be read or written.
    #[error("claim {object}: {source}")]
    Claim {
        /// The object.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
    /// Data files that no version needs cannot be listed or deleted.
    #[error("cannot {doing} {object}: {source}")]
    Files {
        /// The operation.
        doing: &'static str,
        /// What it was about.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
}
