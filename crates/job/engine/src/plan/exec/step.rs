//! The logical and the physical plan node of a step.
//!
//! A [`Step`] declares its input requirements and transforms one stream per partition.
//! DataFusion plans around it, and moves and sorts the rows between steps.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::SortOptions;
use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, DFSchemaRef, internal_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    Expr, Extension, LogicalPlan, UserDefinedLogicalNode, UserDefinedLogicalNodeCore,
};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, LexOrdering, OrderingRequirements, Partitioning,
    PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::stream::{
    RecordBatchReceiverStreamBuilder, RecordBatchStreamAdapter,
};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, PlanProperties,
};
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::Sender;

use crate::error::engine_error;
use crate::error_record::ErrorRecord;
use crate::plan::columns::schemas::declared_as;
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::spill_disk::SpillError;
use crate::step_counters::StepCounters;
use crate::tables_state::table_files::external;
use tables::fail_point;

/// One of the six steps of a job.
pub(crate) trait Step: fmt::Debug + Send + Sync + 'static {
    /// Returns the name of the step, for plans, metrics and failures.
    fn name(&self) -> &'static str;

    /// Returns the output columns.
    fn schema(&self) -> SchemaRef;

    /// Returns which rows must be in the same partition.
    fn required_distribution(&self) -> RequiredDistribution {
        RequiredDistribution::Any
    }

    /// Returns the columns by which the rows of a partition must be sorted, ascending.
    fn required_ordering(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether its output rows come in the order that it requires of its input.
    fn keeps_order(&self) -> bool {
        false
    }

    /// Serialises what the step is made of besides the job: [`crate::plan::codec`] makes the same step
    /// in another process.
    fn parameters(&self) -> Result<Vec<u8>>;

    /// Runs the step on one partition. A step that spawns tasks adds their CPU time to `timer`.
    fn run(
        &self,
        input: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
        timer: &CpuTimer,
    ) -> Result<SendableRecordBatchStream>;
}

/// Which input rows must be in the same partition: DataFusion's `Distribution`, with column
/// names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredDistribution {
    /// No requirement.
    Any,
    /// Rows with equal values in these columns.
    KeyPartitioned(&'static [&'static str]),
    /// All rows.
    Single,
}

/// Sends output batches of a step from its task to the stream that polls it.
pub(crate) type BatchSender = Sender<Result<RecordBatch>>;

/// Spawns `work` as a task and returns the stream of batches that it sends.
///
/// The task runs up to `ahead` batches before the stream is polled for them. Dropping the stream
/// aborts the task.
pub(crate) fn spawn_stream<W>(
    schema: SchemaRef,
    ahead: usize,
    timer: &CpuTimer,
    work: impl FnOnce(BatchSender) -> W,
) -> SendableRecordBatchStream
where
    W: Future<Output = Result<()>> + Send + 'static,
{
    let mut stream = RecordBatchReceiverStreamBuilder::new(schema, ahead);
    let out = stream.tx();
    stream.spawn(timer.clone().future(work(out)));
    stream.build()
}

/// Returns the stream of `input` with `map` applied to each batch. A column that `map` declares as
/// non-nullable may be nullable in `schema`.
pub(crate) fn map_batches(
    schema: SchemaRef,
    input: SendableRecordBatchStream,
    mut map: impl FnMut(RecordBatch) -> Result<RecordBatch> + Send + 'static,
) -> SendableRecordBatchStream {
    let declared = Arc::clone(&schema);
    let batches = input.map(move |batch| declared_as(&declared, &map(batch?)?));
    Box::pin(RecordBatchStreamAdapter::new(schema, batches))
}

/// Serialises parameters of a step, or a value of a column.
pub(crate) fn to_bytes(value: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(external)
}

/// The inverse of [`to_bytes`].
pub(crate) fn from_bytes<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(external)
}

/// Returns the logical plan that applies `step` to the rows of `input`.
pub(crate) fn apply(step: impl Step, input: LogicalPlan) -> Result<LogicalPlan> {
    let step: Arc<dyn Step> = Arc::new(step);
    let schema = Arc::new(DFSchema::try_from(step.schema().as_ref().clone())?);
    Ok(LogicalPlan::Extension(Extension {
        node: Arc::new(StepNode {
            step,
            input,
            schema,
        }),
    }))
}

#[derive(Debug, Clone)]
struct StepNode {
    step: Arc<dyn Step>,
    input: LogicalPlan,
    schema: DFSchemaRef,
}

impl PartialEq for StepNode {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.step, &other.step) && self.input == other.input
    }
}

impl Eq for StepNode {}

impl Hash for StepNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.step.name().hash(state);
        self.input.hash(state);
    }
}

impl PartialOrd for StepNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for StepNode {
    fn name(&self) -> &str {
        self.step.name()
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.step.name())
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Self> {
        Ok(Self {
            step: Arc::clone(&self.step),
            input: inputs.swap_remove(0),
            schema: Arc::clone(&self.schema),
        })
    }

    /// Requires every input column. Without this, projection pruning removes the columns that no
    /// expression refers to.
    fn necessary_children_exprs(&self, _: &[usize]) -> Option<Vec<Vec<usize>>> {
        Some(vec![(0..self.input.schema().fields().len()).collect()])
    }
}

/// The physical node of a step.
#[derive(Debug)]
pub(crate) struct StepExec {
    step: Arc<dyn Step>,
    input: Arc<dyn ExecutionPlan>,
    distribution: Distribution,
    ordering: Option<LexOrdering>,
    properties: Arc<PlanProperties>,
    timer: CpuTimer,
}

impl StepExec {
    /// Creates the operator for `step`.
    ///
    /// # Errors
    /// Where `input` lacks a column that `step` requires rows to be distributed or sorted by.
    pub(crate) fn new(step: Arc<dyn Step>, input: Arc<dyn ExecutionPlan>) -> Result<Self> {
        let (schema, output) = (input.schema(), step.schema());
        let column = |schema: &Schema, name: &str| -> Result<Arc<dyn PhysicalExpr>> {
            let column = Column::new_with_schema(name, schema)
                .map_err(|error| error.context(format!("input of {}", step.name())))?;
            Ok(Arc::new(column))
        };
        let ascending = SortOptions::new(false, true);
        let ordering = |schema: &Schema| {
            let names = step.required_ordering().iter();
            names
                .map(|name| Ok(PhysicalSortExpr::new(column(schema, name)?, ascending)))
                .collect::<Result<Vec<_>>>()
        };
        let distribution = match step.required_distribution() {
            RequiredDistribution::Any => Distribution::UnspecifiedDistribution,
            RequiredDistribution::KeyPartitioned(names) => {
                let columns = names.iter().map(|name| column(&schema, name));
                Distribution::KeyPartitioned(columns.collect::<Result<_>>()?)
            }
            RequiredDistribution::Single => Distribution::SinglePartition,
        };
        let required = LexOrdering::new(ordering(&schema)?);
        let kept = match step.keeps_order() {
            true => ordering(&output)?,
            false => Vec::new(),
        };
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new_with_orderings(output, [kept]),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Self {
            step,
            input,
            distribution,
            ordering: required,
            properties: Arc::new(properties),
            timer: CpuTimer::default(),
        })
    }

    pub(crate) fn step(&self) -> &dyn Step {
        self.step.as_ref()
    }
}

impl DisplayAs for StepExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Exec", self.step.name())
    }
}

impl ExecutionPlan for StepExec {
    fn name(&self) -> &str {
        self.step.name()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![self.distribution.clone()])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let ordering = self.ordering.clone();
        vec![ordering.map(|ordering| OrderingRequirements::new(ordering.into()))]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![self.step.keeps_order()]
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.timer.metrics())
    }

    /// The leaf and the required distributions decide the number of partitions.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(
            Arc::clone(&self.step),
            children.swap_remove(0),
        )?))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, Arc::clone(&context))?;
        let name = self.step.name();
        let rows = self
            .step
            .run(self.timer.input(input), &context, &self.timer)?;
        let rows = self.timer.output(rows, partition);
        // Every step that an error passes adds its name. The innermost name is the step that
        // failed.
        let worker = context.session_config().get_extension::<IsWorker>();
        let rows = rows.map(move |batch| match (batch, &worker) {
            (Ok(batch), Some(worker)) => {
                fail_point(format_args!("step.{name}"));
                let bytes = batch.get_array_memory_size();
                worker.0.add(name, batch.num_rows(), bytes);
                Ok(batch)
            }
            (Ok(batch), None) => Ok(batch),
            (Err(error), Some(_)) => Err(recorded(error).context(name)),
            (Err(error), None) => Err(error.context(name)),
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.step.schema(),
            rows,
        )))
    }
}

/// An extension of the sessions of workers.
#[derive(Debug)]
pub(crate) struct IsWorker(pub(crate) Arc<StepCounters>);

/// Turns the error of a step into one that crosses the network with its class and its object.
fn recorded(error: DataFusionError) -> DataFusionError {
    if let Some(cause) = engine_error(&error) {
        return ErrorRecord::new(cause, cause.object()).into_error();
    }
    match SpillError::inside(&error) {
        Some(spill) => ErrorRecord::new(spill, Some(spill.folder().to_owned())).into_error(),
        None => error,
    }
}

/// Plans the nodes of steps and leaves all other nodes to DataFusion.
#[derive(Debug)]
pub(crate) struct StepPlanner;

#[async_trait]
impl ExtensionPlanner for StepPlanner {
    async fn plan_extension(
        &self,
        _: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        _: &dyn Session,
        _: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(node) = node.as_any().downcast_ref::<StepNode>() else {
            return Ok(None);
        };
        let [input] = inputs else {
            return internal_err!("{} takes one input", node.step.name());
        };
        Ok(Some(Arc::new(StepExec::new(
            Arc::clone(&node.step),
            Arc::clone(input),
        )?)))
    }
}

#[async_trait]
impl QueryPlanner for StepPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(Self)])
            .create_physical_plan(plan, session)
            .await
    }
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::{DataType, Field};
    use datafusion::physical_plan::empty::EmptyExec;

    use super::*;

    #[derive(Debug)]
    struct ByDomain;

    impl Step for ByDomain {
        fn name(&self) -> &'static str {
            "ByDomain"
        }

        fn schema(&self) -> SchemaRef {
            Arc::new(Schema::empty())
        }

        fn required_distribution(&self) -> RequiredDistribution {
            RequiredDistribution::KeyPartitioned(&["domain"])
        }

        fn required_ordering(&self) -> &'static [&'static str] {
            &["domain", "row"]
        }

        fn parameters(&self) -> Result<Vec<u8>> {
            Ok(Vec::new())
        }

        fn run(
            &self,
            input: SendableRecordBatchStream,
            _: &Arc<TaskContext>,
            _: &CpuTimer,
        ) -> Result<SendableRecordBatchStream> {
            Ok(input)
        }
    }

    fn planned(columns: &[&str]) -> Result<StepExec> {
        let fields = columns
            .iter()
            .map(|name| Field::new(*name, DataType::Utf8, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        StepExec::new(Arc::new(ByDomain), Arc::new(EmptyExec::new(schema)))
    }

    #[test]
    fn a_missing_column_is_an_error_when_the_step_is_planned() {
        assert!(planned(&["row", "domain"]).is_ok());
        for columns in [&["row"], &["domain"]] {
            let error = planned(columns).unwrap_err().to_string();
            assert!(error.contains("ByDomain"), "{columns:?}: {error}");
        }
    }
}
