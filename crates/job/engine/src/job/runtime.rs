//! A job that is ready to run: the checked values of its spec, and what all its plans in a process share, such as
//! caches and the disk to which they spill.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::execution::cache::default_cache::DefaultCache;
use tables::{Output, Partitioning};
use url_key::{RuleError, RuleSet};

use crate::archive::{ArchiveSource, OpenObjects, ReadAheadMemory, page_columns};
use crate::job::check::{CheckedSpec, Resources, RobotsRules};
use crate::job_document::JobDocument;
use crate::marked_paths::paths_file;
use crate::running_plans::RunningPlans;
use crate::session_extension::SessionExtension;
use crate::settings::{Settings, rule_set};
use crate::spec::{ArchiveLayout, JobSpec, SpecError};
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
        let checked = CheckedSpec::new(&document)?;
        let (archive, settings, resources) =
            (&document.spec.archive, checked.settings, checked.resources);
        Ok(Self {
            archive: ArchiveSource {
                location: checked.archive,
                by_date: archive.layout == ArchiveLayout::Hive,
                possible_dates: document.possible_dates,
                columns: archive.columns.clone(),
                passed_through: Arc::clone(&settings.passed_through),
                page_columns: page_columns(settings.write.opt_out, settings.passed_through.len()),
                domain_rules: settings.site.keyer.domain_rules(),
                facts: Some(checked.output.clone()),
                opened: OpenObjects::new(
                    resources.footers(),
                    checked.spill_limit,
                    resources.threads,
                ),
                read_ahead: ReadAheadMemory::new(resources.read_ahead()),
                spill_folder: checked.spill_folder.clone(),
            },
            output: Output::new(
                checked.output.with_small_objects(resources.footers()),
                checked.partition.unwrap_or_default(),
                checked.file_bytes,
            )
            .with_format(checked.format),
            partition: checked.partition,
            settings: Arc::new(settings),
            robots: checked.robots,
            spill_disk: Arc::new(SpillDisk::new(checked.spill_folder, checked.spill_limit)),
            table_footers: Arc::new(DefaultCache::new(resources.footers())),
            resources,
            running_plans: Arc::default(),
            parsed_rows: Arc::default(),
            session_extension: None,
            document: Arc::new(document),
        })
    }
}
