//! The jobs that a worker knows.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion_distributed::{DistributedExt, WorkerQueryContext};
use engine::{Job, StepCodec, StepCounters, WorkerResources, worker_session};
use md5::{Digest, Md5};

use crate::channels::Channels;
use crate::job_header::JobHeader;
use crate::tls::Tls;

/// Jobs whose compiled rules are kept. A higher value keeps the rules of more jobs in memory that run
/// at the same time.
const KEPT_JOBS: usize = 4;

/// Returns the name of a job in requests: a digest of its document.
pub(crate) fn job_id(document: &str) -> String {
    hex::encode(Md5::digest(document))
}

/// The jobs that were asked for last, with compiled rules.
pub(crate) struct Jobs {
    resources: WorkerResources,
    tls: Option<Tls>,
    steps: Arc<StepCounters>,
    kept: Mutex<VecDeque<Arc<KeptJob>>>,
}

struct KeptJob {
    id: String,
    document: String,
    job: Job,
    /// Connections to the other workers.
    channels: Channels,
}

impl Jobs {
    /// Makes the jobs of a worker, which count the output of their steps in `steps`.
    pub(crate) fn new(
        resources: WorkerResources,
        tls: Option<Tls>,
        steps: Arc<StepCounters>,
    ) -> Self {
        Self {
            resources,
            tls,
            steps,
            kept: Mutex::default(),
        }
    }

    /// Returns the session in which a stage runs.
    pub(crate) fn session(&self, context: WorkerQueryContext) -> Result<SessionState> {
        let mut session = context
            .builder
            .with_distributed_option_extension_from_headers::<JobHeader>(&context.headers)?
            .with_distributed_user_codec(StepCodec);
        let config = session.config().as_ref();
        let header = config.and_then(|config| config.options().extensions.get::<JobHeader>());
        let document = header
            .and_then(JobHeader::text)
            .ok_or_else(|| DataFusionError::Execution("a plan came without its job".to_owned()))?;
        let kept = self.job(document)?;
        let session = session.with_distributed_channel_resolver(kept.channels.clone());
        worker_session(session, &kept.job, &self.steps)
    }

    /// Returns the pages that were parsed for a job since it is known.
    pub(crate) fn parsed_pages(&self, id: &str) -> Option<u64> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.iter().find(|kept| kept.id == id)?;
        Some(kept.job.parsed_rows())
    }

    fn job(&self, document: String) -> Result<Arc<KeptJob>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|kept| kept.document == document) {
            return Ok(Arc::clone(found));
        }
        let job = self.resources.job(&document);
        let job = job.map_err(|error| DataFusionError::External(error.into()))?;
        let channels = Channels::new(self.tls.clone(), job.resources.stall_timeout);
        let job = Arc::new(KeptJob {
            id: job_id(&document),
            document,
            job,
            channels,
        });
        kept.push_back(Arc::clone(&job));
        if kept.len() > KEPT_JOBS {
            kept.pop_front();
        }
        Ok(job)
    }
}
