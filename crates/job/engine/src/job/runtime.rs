//! A job that is ready to run: the checked values of its spec, and what all its plans in a process share, such as
//! caches and the disk to which they spill.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::execution::cache::default_cache::DefaultCache;
use tables::{Location, Output, Partitioning, TableFormat};
use url_key::{RuleError, RuleSet};

use crate::archive::{ArchiveSource, OpenObjects, ReadAheadMemory, page_columns};
use crate::job::check::{
    Resources, RobotsRules, partition, refuse_beside_paper, refuse_short_stall, resources,
    retry_policy,
};
use crate::job_document::JobDocument;
use crate::marked_paths::paths_file;
use crate::running_plans::RunningPlans;
use crate::session_extension::SessionExtension;
use crate::settings::{Settings, rule_set, settings};
use crate::spec::{ArchiveLayout, JobSpec, SpecError, Written};
use crate::spill_disk::SpillDisk;

/// A checked job.
#[derive(Debug, Clone)]
pub struct Job {
    pub(crate) document: Arc<JobDocument>,
    /// The archive of pages.
    pub archive: ArchiveSource,
    /// The output tables.
    pub output: Output,
    /// The partitions of the tables, unless they are chosen when the tables are new.
    pub(crate) partition: Option<Partitioning>,
    /// The settings that decide rows.
    pub settings: Arc<Settings>,
    /// The rules of robots.txt files, for queries.
    pub robots: Option<RobotsRules>,
    /// The settings that decide speed and memory only.
    pub resources: Resources,
    /// The disk to which plans spill.
    pub(crate) spill_disk: Arc<SpillDisk>,
    /// Footers of data files of the tables. All plans of the job share them: without, each of the
    /// three or more plans of a chunk reads those of all earlier dates again.
    pub(crate) table_footers: Arc<FileMetadataCache>,
    /// The plans that are executed now.
    pub(crate) running_plans: Arc<RunningPlans>,
    /// Pages that this process has parsed for plans that another process began.
    pub(crate) parsed_rows: Arc<AtomicU64>,
    /// Runs plans elsewhere.
    pub(crate) session_extension: Option<Arc<dyn SessionExtension>>,
}

impl Job {
    /// Checks `spec` and reads its rule files.
    ///
    /// # Errors
    /// [`SpecError`] with the key and the expected value.
    pub fn new(spec: &JobSpec) -> Result<Self, SpecError> {
        Self::from_document(JobDocument::read(spec)?)
    }

    /// Returns the job with plans that run as `extension` says.
    ///
    /// Such plans have two partitions or more per process: a plan of one partition has no shuffle, at
    /// which it could be divided.
    #[must_use]
    pub fn with_session_extension(mut self, extension: Arc<dyn SessionExtension>) -> Self {
        self.resources.threads = self.resources.threads.max(2);
        self.session_extension = Some(extension);
        self
    }

    /// Returns the job for tables with these partitions. A worker, which knows the settings only, has them from the
    /// step that writes.
    pub(crate) fn partitioned(&self, partitioning: Partitioning) -> Self {
        Self {
            output: self.output.clone().partitioned_by(partitioning),
            partition: Some(partitioning),
            ..self.clone()
        }
    }

    /// The file of marked DOM paths, `tree.paths`; `None` if the job names none. A relative path is relative
    /// to the folder of the process.
    pub fn paths_file(&self) -> Option<&Path> {
        paths_file(&self.document.spec).map(Path::new)
    }

    /// Parses URL rules as the job parses its own.
    ///
    /// # Errors
    /// [`RuleError`] with the line.
    pub fn rule_set(&self, rules: &str) -> Result<RuleSet, RuleError> {
        rule_set(&self.document.spec.choices(), rules)
    }

    /// Makes the job of a document. Reads no file.
    ///
    /// # Errors
    /// [`SpecError`] with the key and the expected value.
    pub(crate) fn from_document(document: JobDocument) -> Result<Self, SpecError> {
        let spec = &document.spec;
        let retry_policy = retry_policy(spec)?;
        refuse_short_stall(spec, retry_policy.timeout)?;
        let location = |key: &str, text: &str| {
            Location::parse_with_retry(text, retry_policy)
                .map_err(|error| SpecError::key(key, error.to_string()))
        };
        let partition = partition(&spec.output)?;
        let format: TableFormat = (spec.output.format.parse())
            .map_err(|error: String| SpecError::key("output.format", error))?;
        let file_bytes = NonZeroU64::new(spec.output.file_bytes.as_u64())
            .ok_or_else(|| SpecError::key("output.file_bytes", "expected a size above 0"))?;
        let resources = resources(spec)?;
        let settings = settings(&document)?;
        refuse_beside_paper(spec, &settings)?;
        let archive = match spec.archive.location.as_str() {
            "" => None,
            archive => Some(location("archive.location", archive)?),
        };
        if spec.output.location.is_empty() {
            let expected = "expected the folder or URL of the tables; --tables says it too";
            return Err(SpecError::key("output.location", expected));
        }
        let output = location("output.location", &spec.output.location)?;
        let robots = match &spec.robots.rules {
            None => None,
            Some(rules) => Some(RobotsRules {
                location: location("robots.rules", rules)?,
                agent: spec.robots.agent.clone(),
            }),
        };
        let spill_folder = spec.run.spill_dir.clone();
        let spill_folder = spill_folder.unwrap_or_else(std::env::temp_dir);
        let (footers, spill_limit) = (resources.footers(), resources.spill_limit);
        Ok(Self {
            archive: ArchiveSource {
                location: archive,
                by_date: spec.archive.layout == ArchiveLayout::Hive,
                possible_dates: document.possible_dates,
                columns: spec.archive.columns.clone(),
                passed_through: Arc::clone(&settings.passed_through),
                page_columns: page_columns(
                    settings.written.has(Written::OptOut),
                    settings.passed_through.len(),
                ),
                domain_rules: settings.site.keyer.domain_rules(),
                tables: output.clone(),
                opened: OpenObjects::new(footers, spill_limit, resources.threads),
                read_ahead: ReadAheadMemory::new(resources.read_ahead()),
                spill_folder: spill_folder.clone(),
            },
            output: Output::new(
                output.with_small_objects(footers),
                partition.unwrap_or_default(),
                file_bytes,
            )
            .with_format(format),
            partition,
            settings: Arc::new(settings),
            robots,
            resources,
            spill_disk: Arc::new(SpillDisk::new(spill_folder, spill_limit)),
            table_footers: Arc::new(DefaultCache::new(footers)),
            running_plans: Arc::default(),
            parsed_rows: Arc::default(),
            session_extension: None,
            document: Arc::new(document),
        })
    }
}
