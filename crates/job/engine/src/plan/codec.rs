//! Serialises the operators of this crate, so that a plan can run in another process.
//!
//! Operators of DataFusion travel in DataFusion's own format. An operator of this crate is its name
//! and its parameters: everything else is the job, which the session of the other process has as an
//! extension of its configuration ([`configure_session`](crate::plan::session::configure_session)).

use std::sync::Arc;

use datafusion::common::{internal_err, not_impl_err};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde::{Deserialize, Serialize};

use crate::job::Job;
use crate::plan::exec::coalesce::CoalesceExec;
use crate::plan::exec::step::{Step, StepExec, from_bytes, to_bytes};
use crate::plan::prior::known_rows::KnownRows;
use crate::plan::prior::shared_keys::SharedKeys;
use crate::plan::session::coalesced_size;
use crate::plan::steps::block::Block;
use crate::plan::steps::dedupe::Dedupe;
use crate::plan::steps::key::Key;
use crate::plan::steps::scan::Scan;
use crate::plan::steps::site::Site;
use crate::plan::steps::write::Write;
use crate::progress::ProgressReporter;

/// The codec of the operators of this crate.
#[derive(Debug, Clone, Copy)]
pub struct StepCodec;

/// An operator without its input.
#[derive(Deserialize, Serialize)]
enum Operator {
    Step { name: String, parameters: Vec<u8> },
    Coalesce,
}

impl PhysicalExtensionCodec for StepCodec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let operator = if let Some(step) = node.downcast_ref::<StepExec>() {
            Operator::Step {
                name: step.step().name().to_owned(),
                parameters: step.step().parameters()?,
            }
        } else if node.downcast_ref::<CoalesceExec>().is_some() {
            Operator::Coalesce
        } else {
            return not_impl_err!("{} cannot run in another process", node.name());
        };
        buf.extend(to_bytes(&operator)?);
        Ok(())
    }

    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(job) = context.session_config().get_extension::<Job>() else {
            return internal_err!("the session has no job");
        };
        let [input] = inputs else {
            return internal_err!("an operator has {} inputs, expected one", inputs.len());
        };
        let input = Arc::clone(input);
        Ok(match from_bytes(buf)? {
            Operator::Coalesce => Arc::new(CoalesceExec::new(input, coalesced_size(&job))),
            Operator::Step { name, parameters } => {
                let step = step(&name, &parameters, &job)?;
                Arc::new(StepExec::new(step, input)?)
            }
        })
    }
}

/// Makes the step `name` of `job`: the inverse of [`Step::parameters`].
fn step(name: &str, bytes: &[u8], job: &Job) -> Result<Arc<dyn Step>> {
    Ok(match name {
        "Scan" => {
            let (dates, bucket) = from_bytes(bytes)?;
            Arc::new(Scan::new(job, dates, bucket))
        }
        "Key" => Arc::new(Key::new(job, from_bytes(bytes)?)),
        "Dedupe" => Arc::new(Dedupe::new(job)),
        "Block" => {
            let reporter = match from_bytes(bytes)? {
                true => ProgressReporter::counting(&job.parsed_rows),
                false => ProgressReporter::unwatched(),
            };
            Arc::new(Block::new(job, reporter))
        }
        "Site" => {
            let (last, learned) = from_bytes(bytes)?;
            Arc::new(Site::new(job, last, learned))
        }
        "Write" => Arc::new(Write::new(
            job,
            from_bytes(bytes)?,
            ProgressReporter::unwatched(),
        )),
        "KnownRows" => {
            let (name, learned, date): (&str, _, _) = from_bytes(bytes)?;
            let keys = SharedKeys::named(name, job.output.location());
            Arc::new(KnownRows::new(job, keys, learned, date))
        }
        _ => return internal_err!("no step is called {name}"),
    })
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
