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
}
