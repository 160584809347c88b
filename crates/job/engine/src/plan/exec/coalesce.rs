//! Small batches put together to large ones, where every batch costs something.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Schema};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PhysicalExpr, PlanProperties,
    replace_children_if_necessary,
};
use futures::{StreamExt, TryStreamExt};

use crate::plan::exec::cpu_metrics::CpuTimer;

/// How large batches become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BatchSize {
    pub(crate) bytes: usize,
    pub(crate) rows: usize,
}

/// The rows of `stream` in their order, in batches that end as soon as they have `size`
/// in bytes or in rows. What comes in larger passes as it is.
pub(crate) fn gathered(
    stream: SendableRecordBatchStream,
    size: BatchSize,
) -> SendableRecordBatchStream {
    let schema = stream.schema();
    let start = (stream.fuse(), Gathering::new(size));
    let batches = futures::stream::try_unfold(start, |(mut stream, mut gathering)| async {
        while let Some(batch) = stream.try_next().await? {
            if let Some(filled) = gathering.push(batch)? {
                return Ok(Some((filled, (stream, gathering))));
            }
        }
        Ok((gathering.take()?).map(|rest| (rest, (stream, gathering))))
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, batches))
}

/// Batches that wait for more.
struct Gathering {
    size: BatchSize,
    waiting: Vec<RecordBatch>,
    bytes: usize,
    rows: usize,
}

impl Gathering {
    fn new(size: BatchSize) -> Self {
        Self {
            size,
            waiting: Vec::new(),
            bytes: 0,
            rows: 0,
        }
    }

    fn push(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        self.bytes += bytes(&batch)?;
        self.rows += batch.num_rows();
        self.waiting.push(batch);
        if self.bytes < self.size.bytes && self.rows < self.size.rows {
            return Ok(None);
        }
        self.take()
    }

    fn take(&mut self) -> Result<Option<RecordBatch>> {
        (self.bytes, self.rows) = (0, 0);
        let waiting = std::mem::take(&mut self.waiting);
        match waiting.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one.clone())),
            [first, ..] => Ok(Some(concat_batches(first.schema_ref(), &waiting)?)),
        }
    }
}

/// Bytes of the rows, also where they are part of larger arrays.
fn bytes(batch: &RecordBatch) -> Result<usize> {
    (batch.columns().iter()).try_fold(0, |bytes, column| {
        Ok(bytes + column.to_data().get_slice_memory_size()?)
    })
}

/// Puts a [`GatherExec`] before every sort of rows without views.
///
/// A sort merges as many streams as it has batches in memory, and looks at all of them
/// for every column of every batch that it gives: with rows of 1.4 KB in batches of 256,
/// a million took 9 times as long each as a hundred thousand. DataFusion puts batches
/// together itself only where a sort has one column.
///
/// A sort cuts what it sorted into batches again, and counts for each all text that its
/// views share: sixteen times what it had asked for, of one large batch, which failed a run
/// that closed a month of three million keys.
#[derive(Debug)]
pub(crate) struct GatherBeforeSort(pub(crate) BatchSize);

impl PhysicalOptimizerRule for GatherBeforeSort {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| match node.downcast_ref::<SortExec>() {
            Some(sort) if !has_views(&sort.input().schema()) => {
                let gather = GatherExec::new(Arc::clone(sort.input()), self.0);
                replace_children_if_necessary(node, vec![Arc::new(gather)]).map(Transformed::yes)
            }
            _ => Ok(Transformed::no(node)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "gather_before_sort"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn has_views(schema: &Schema) -> bool {
    (schema.flattened_fields().iter())
        .any(|field| matches!(field.data_type(), DataType::Utf8View | DataType::BinaryView))
}

/// [`gathered`] as an operator.
#[derive(Debug)]
struct GatherExec {
    input: Arc<dyn ExecutionPlan>,
    size: BatchSize,
    timer: CpuTimer,
}

impl GatherExec {
    fn new(input: Arc<dyn ExecutionPlan>, size: BatchSize) -> Self {
        Self {
            input,
            size,
            timer: CpuTimer::default(),
        }
    }
}

impl DisplayAs for GatherExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "GatherExec: bytes={}, rows={}",
            self.size.bytes, self.size.rows
        )
    }
}

impl ExecutionPlan for GatherExec {
    fn name(&self) -> &str {
        "GatherExec"
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.timer.metrics())
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
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

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(children.swap_remove(0), self.size)))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let rows = gathered(self.timer.input(input), self.size);
        Ok(self.timer.output(rows))
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, AsArray, Int64Array};
    use arrow::datatypes::{Field, Int64Type};
    use datafusion::error::DataFusionError;
    use datafusion::physical_expr::PhysicalSortExpr;
    use datafusion::physical_expr::expressions::Column;
    use datafusion::physical_plan::empty::EmptyExec;
    use futures::executor::block_on;

    use super::*;

    /// Batches of these numbers of rows, which count up.
    fn batches(rows: &[i64]) -> Vec<RecordBatch> {
        let mut next = 0;
        (rows.iter())
            .map(|rows| {
                let numbers: Int64Array = (next..next + rows).collect();
                next += rows;
                RecordBatch::try_from_iter([("n", Arc::new(numbers) as ArrayRef)]).unwrap()
            })
            .collect()
    }

    fn stream(batches: Vec<Result<RecordBatch>>) -> SendableRecordBatchStream {
        let schema = batches[0].as_ref().unwrap().schema();
        Box::pin(RecordBatchStreamAdapter::new(
            schema,
            futures::stream::iter(batches),
        ))
    }

    fn sizes(rows: &[i64], size: BatchSize) -> Vec<usize> {
        let input = batches(rows).into_iter().map(Ok).collect();
        let gathered: Vec<_> = block_on(gathered(stream(input), size).try_collect()).unwrap();
        let numbers = (gathered.iter()).flat_map(|batch| {
            batch
                .column(0)
                .as_primitive::<Int64Type>()
                .values()
                .to_vec()
        });
        assert!(numbers.eq(0..rows.iter().sum()));
        gathered.iter().map(RecordBatch::num_rows).collect()
    }

    #[test]
    fn batches_end_when_they_have_their_rows_or_bytes_and_keep_their_order() {
        let most = usize::MAX;
        let rows = BatchSize {
            bytes: most,
            rows: 8,
        };
        assert_eq!(sizes(&[3, 3, 3, 3, 3], rows), [9, 6]);
        assert_eq!(sizes(&[1, 20, 2, 0, 8], rows), [21, 10]);
        assert_eq!(sizes(&[0], rows), [0]);
        let bytes = BatchSize {
            bytes: 64,
            rows: most,
        };
        assert_eq!(sizes(&[3, 3, 3, 8, 1], bytes), [9, 8, 1]);
    }

    #[test]
    fn sorts_of_views_are_left_alone() {
        let sorted = |text: DataType| {
            let item = Arc::new(Field::new("element", text, true));
            let schema = Schema::new(vec![
                Field::new("n", DataType::Int64, true),
                Field::new("texts", DataType::List(item), true),
            ]);
            let rows = Arc::new(EmptyExec::new(Arc::new(schema)));
            let by = PhysicalSortExpr::new_default(Arc::new(Column::new("n", 0)));
            let sort = SortExec::new([by].into(), rows);
            let size = BatchSize { bytes: 1, rows: 1 };
            let plan = GatherBeforeSort(size).optimize(Arc::new(sort), &ConfigOptions::new());
            plan.unwrap().children()[0].name().to_owned()
        };
        assert_eq!(sorted(DataType::Utf8), "GatherExec");
        assert_eq!(sorted(DataType::Utf8View), "EmptyExec");
    }

    #[test]
    fn a_slice_counts_for_its_rows_alone() {
        let large = batches(&[1000]).remove(0);
        assert_eq!(bytes(&large).unwrap(), 8000);
        assert_eq!(bytes(&large.slice(10, 2)).unwrap(), 16);
    }

    #[test]
    fn what_goes_wrong_below_comes_through() {
        let mut input: Vec<Result<_>> = batches(&[3]).into_iter().map(Ok).collect();
        input.push(Err(DataFusionError::Execution("lost".to_owned())));
        let size = BatchSize {
            bytes: usize::MAX,
            rows: usize::MAX,
        };
        let failed = block_on(gathered(stream(input), size).try_collect::<Vec<_>>());
        assert!(failed.unwrap_err().to_string().contains("lost"));
    }
}
