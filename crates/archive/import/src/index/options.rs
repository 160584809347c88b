//! Settings of an import by an index.

use std::path::PathBuf;

use crawl_index::{Manners, PlanLimits, Selection};
use warc::Limits;

/// Settings of an import by an index.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexOptions {
    /// The URL or folder that the files of an index are relative to. Without it, they are relative to the folder of the index.
    pub base: Option<String>,
    /// The records that are imported.
    pub selection: Selection,
    /// How a host is asked.
    pub manners: Manners,
    /// Sizes of requests. Memory holds [`PlanLimits::request_bytes`] for each request at a time.
    pub plan_limits: PlanLimits,
    /// Most attempts of a request. Default 5. Then its records are missing.
    pub attempts: u32,
    /// Bytes of requests whose records are committed together. Default 64 MiB. A lower value makes smaller objects, and a killed
    /// import asks for fewer bytes again.
    pub commit_bytes: u64,
    /// The memory of one record.
    pub limits: Limits,
    /// Folder of temporary files, which have the HTML of a commit. Without it, they are in `TMPDIR`.
    pub spill_dir: Option<PathBuf>,
}

impl IndexOptions {
    /// The default settings for the records of `selection`.
    pub fn new(selection: Selection) -> Self {
        Self {
            base: None,
            selection,
            manners: Manners::default(),
            plan_limits: PlanLimits::default(),
            attempts: 5,
            commit_bytes: 64 << 20,
            limits: Limits::default(),
            spill_dir: None,
        }
    }

    /// The sizes of requests, none of which is above the budget of a day.
    pub(crate) fn plan_limits(&self) -> PlanLimits {
        let budget = self.manners.bytes_a_day.unwrap_or(u64::MAX);
        PlanLimits {
            request_bytes: self.plan_limits.request_bytes.min(budget),
            ..self.plan_limits
        }
    }
}
