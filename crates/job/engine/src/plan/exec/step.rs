//! One logical and one physical node for all steps: DataFusion plans, moves
//! and sorts the rows between them, a [`Step`] says what it needs and does its
//! work on a stream.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::SortOptions;
use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, DFSchemaRef};
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
use futures::TryStreamExt;
use tokio::sync::mpsc::Sender;

use crate::plan::exec::cpu_metrics::CpuTimer;

/// A step of the job.
pub(crate) trait Step: fmt::Debug + Send + Sync + 'static {
    /// Its name in a printed plan.
    fn name(&self) -> &'static str;

    /// The columns it gives.
    fn schema(&self) -> SchemaRef;

    /// Which rows must come to one partition.
    fn together(&self) -> Together {
        Together::Any
    }

    /// The columns that rows of a partition must be sorted by.
    fn order(&self) -> &'static [&'static str] {
        &[]
    }

    /// Does the work for one partition. What it does in tasks of its own it tells
    /// `timer`.
    fn run(
        &self,
        input: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
        timer: &CpuTimer,
    ) -> Result<SendableRecordBatchStream>;
}

/// Rows that must come to one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Together {
    /// Any: it does not matter.
    Any,
    /// Those that agree in these columns.
    Agreeing(&'static [&'static str]),
    /// All.
    All,
}

/// Where a step sends its rows.
pub(crate) type Out = Sender<Result<RecordBatch>>;

/// The rows that `work` sends, up to `ahead` batches before they are asked for.
/// It stops when nobody listens any more.
pub(crate) fn sent<W>(
    schema: SchemaRef,
    ahead: usize,
    timer: &CpuTimer,
    work: impl FnOnce(Out) -> W,
) -> SendableRecordBatchStream
where
    W: Future<Output = Result<()>> + Send + 'static,
{
    let mut stream = RecordBatchReceiverStreamBuilder::new(schema, ahead);
    let out = stream.tx();
    stream.spawn(timer.clone().future(work(out)));
    stream.build()
}

/// `step` on the rows of `input`.
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

    /// Every step needs every column; without this, projection pruning takes
    /// away those that no expression names.
    fn necessary_children_exprs(&self, _: &[usize]) -> Option<Vec<Vec<usize>>> {
        Some(vec![(0..self.input.schema().fields().len()).collect()])
    }
}

#[derive(Debug)]
struct StepExec {
    step: Arc<dyn Step>,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    timer: CpuTimer,
}

impl StepExec {
    fn new(step: Arc<dyn Step>, input: Arc<dyn ExecutionPlan>) -> Self {
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(step.schema()),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self {
            step,
            input,
            properties: Arc::new(properties),
            timer: CpuTimer::default(),
        }
    }

    fn column(&self, name: &str) -> Result<Arc<dyn PhysicalExpr>> {
        Ok(Arc::new(Column::new_with_schema(
            name,
            &self.input.schema(),
        )?))
    }

    fn columns(&self, names: &[&str]) -> Vec<Arc<dyn PhysicalExpr>> {
        // Planning cannot fail here; `run` does where a column is missing.
        names
            .iter()
            .filter_map(|name| self.column(name).ok())
            .collect()
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
        let distribution = match self.step.together() {
            Together::Any => Distribution::UnspecifiedDistribution,
            Together::Agreeing(names) => Distribution::KeyPartitioned(self.columns(names)),
            Together::All => Distribution::SinglePartition,
        };
        InputDistributionRequirements::new(vec![distribution])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let ascending = SortOptions::new(false, true);
        let order = self
            .columns(self.step.order())
            .into_iter()
            .map(|column| PhysicalSortExpr::new(column, ascending));
        vec![LexOrdering::new(order).map(|order| OrderingRequirements::new(order.into()))]
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.timer.metrics())
    }

    /// Partitions are set by the leaf and by what steps ask for.
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
        )))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, Arc::clone(&context))?;
        let name = self.step.name();
        let rows = (self.step).run(self.timer.input(input), &context, &self.timer)?;
        let rows = self.timer.output(rows);
        // An error passes through every later step: the innermost name is the
        // step that failed.
        let rows = rows.map_err(move |error| error.context(name));
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.step.schema(),
            rows,
        )))
    }
}

/// Plans steps, and leaves the rest to DataFusion.
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
            return Err(DataFusionError::Internal(format!(
                "{} takes one input",
                node.step.name()
            )));
        };
        Ok(Some(Arc::new(StepExec::new(
            Arc::clone(&node.step),
            Arc::clone(input),
        ))))
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
