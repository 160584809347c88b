//! Coalesces small record batches before operators that pay a cost per batch.
//!
//! The batches are bounded in bytes, because one row can be 20 KB and the next 200 bytes.
//! Arrow's `BatchCoalescer` is bounded in rows only. It also reserves its target number of rows
//! in every numeric column of every batch: with 4,096 rows and the 9 numeric columns of
//! `BLOCKED` that is 230 KB, more than the 128 KiB of rows that a batch has with little memory,
//! and sorts count that capacity as used.

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
use futures::stream::try_unfold;
use futures::{StreamExt, TryStreamExt};

use crate::plan::columns::schemas::declared_as;
use crate::plan::exec::cpu_metrics::CpuTimer;

/// The size at which a coalesced batch ends: whichever limit is reached first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BatchSize {
    pub(crate) bytes: usize,
    pub(crate) rows: usize,
}

/// Coalesces the batches of `stream`, in their order. A batch ends with the input batch that
/// brings it to `size` in bytes or rows. An input batch above `size` is never split.
pub(crate) fn coalesced(
    stream: SendableRecordBatchStream,
    size: BatchSize,
) -> SendableRecordBatchStream {
    let schema = stream.schema();
    let start = (stream.fuse(), Arc::clone(&schema));
    let batches = try_unfold(start, move |(mut stream, schema)| async move {
        let (mut buffered, mut of) = (Vec::new(), BatchSize { bytes: 0, rows: 0 });
        while of.bytes < size.bytes
            && of.rows < size.rows
            && let Some(batch) = stream.try_next().await?
        {
            of.bytes += bytes(&batch)?;
            of.rows += batch.num_rows();
            buffered.push(batch);
        }
        let batch = match buffered.as_slice() {
            [] => return Ok(None),
            // A batch of a union keeps the schema of its input, where a column can be declared as
            // non-nullable although the batch after it has nulls.
            [one] => declared_as(&schema, one)?,
            several => concat_batches(&schema, several)?,
        };
        Ok(Some((batch, (stream, schema))))
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, batches))
}

/// Returns the bytes of the rows. A slice counts for its own rows, not for the whole array.
fn bytes(batch: &RecordBatch) -> Result<usize> {
    batch.columns().iter().try_fold(0, |bytes, column| {
        Ok(bytes + column.to_data().get_slice_memory_size()?)
    })
}

/// Puts a [`CoalesceExec`] before every sort of rows without views.
///
/// A sort merges one stream for each batch that it has in memory, and visits all of them for
/// every column of every output batch: with rows of 1.4 KB in batches of 256, sorting a million
/// rows took 9 times as long per row as sorting a hundred thousand. DataFusion coalesces batches
/// itself only if a sort has a single column: for all sorts it was tried and given up, because text columns
/// became slower (<https://github.com/apache/datafusion/pull/21629>, /issues/21688, /pull/23202).
///
/// Sorts of view columns are skipped. A sort slices its result into batches, and DataFusion
/// charges each slice for the whole buffer that its views share: one large batch counted sixteen
/// times, and the roll-up of a month of three million keys ran out of memory.
#[derive(Debug)]
pub(crate) struct CoalesceBeforeSort(pub(crate) BatchSize);

impl PhysicalOptimizerRule for CoalesceBeforeSort {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| match node.downcast_ref::<SortExec>() {
            Some(sort) if !has_views(&sort.input().schema()) => {
                let coalesce = CoalesceExec::new(Arc::clone(sort.input()), self.0);
                replace_children_if_necessary(node, vec![Arc::new(coalesce)]).map(Transformed::yes)
            }
            _ => Ok(Transformed::no(node)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "coalesce_before_sort"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn has_views(schema: &Schema) -> bool {
    schema
        .flattened_fields()
        .iter()
        .any(|field| matches!(field.data_type(), DataType::Utf8View | DataType::BinaryView))
}

/// The operator for [`coalesced`].
#[derive(Debug)]
pub(crate) struct CoalesceExec {
    input: Arc<dyn ExecutionPlan>,
    size: BatchSize,
    timer: CpuTimer,
}

impl CoalesceExec {
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, size: BatchSize) -> Self {
        Self {
            input,
            size,
            timer: CpuTimer::default(),
        }
    }
}

impl DisplayAs for CoalesceExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "CoalesceExec: bytes={}, rows={}",
            self.size.bytes, self.size.rows
        )
    }
}

impl ExecutionPlan for CoalesceExec {
    fn name(&self) -> &str {
        "CoalesceExec"
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
        let rows = coalesced(self.timer.input(input), self.size);
        Ok(self.timer.output(rows, partition))
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

    /// Batches with these numbers of rows. The values of all rows count up from 0.
    fn batches(rows: &[i64]) -> Vec<RecordBatch> {
        let mut next = 0;
        rows.iter()
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
        let output: Vec<_> = block_on(coalesced(stream(input), size).try_collect()).unwrap();
        let numbers = output.iter().flat_map(|batch| {
            batch
                .column(0)
                .as_primitive::<Int64Type>()
                .values()
                .to_vec()
        });
        assert!(numbers.eq(0..rows.iter().sum()));
        output.iter().map(RecordBatch::num_rows).collect()
    }

    #[test]
    fn a_batch_ends_at_the_row_or_byte_limit() {
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
    fn a_union_of_a_column_with_and_without_nulls_is_coalesced() {
        let numbers = |values: Vec<Option<i64>>, nullable| {
            let schema = Schema::new(vec![Field::new("n", DataType::Int64, nullable)]);
            let column: ArrayRef = Arc::new(Int64Array::from(values));
            RecordBatch::try_new(Arc::new(schema), vec![column]).unwrap()
        };
        let full = numbers(vec![Some(1)], false);
        let with_null = numbers(vec![None], true);
        let schema = with_null.schema();
        for rows in [1, 2] {
            let input = [full.clone(), with_null.clone()].map(Ok);
            let input =
                RecordBatchStreamAdapter::new(Arc::clone(&schema), futures::stream::iter(input));
            let size = BatchSize {
                bytes: 1 << 20,
                rows,
            };
            let output: Vec<_> = block_on(coalesced(Box::pin(input), size).try_collect()).unwrap();
            assert_eq!(output.len(), 2 / rows);
            assert!(output.iter().all(|batch| batch.schema() == schema));
            assert_eq!(
                output
                    .iter()
                    .map(|batch| batch.column(0).null_count())
                    .sum::<usize>(),
                1
            );
        }
    }

    #[test]
    fn a_coalesced_batch_takes_no_more_memory_than_its_rows() {
        let size = BatchSize {
            bytes: 160,
            rows: 4096,
        };
        let input = batches(&[10, 10]).into_iter().map(Ok).collect();
        let output: Vec<_> = block_on(coalesced(stream(input), size).try_collect()).unwrap();
        let memory = output[0].get_array_memory_size();
        assert!(memory < 1000, "{memory} bytes for 20 rows of 8 bytes");
    }

    #[test]
    fn sorts_of_view_columns_are_not_changed() {
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
            let plan = CoalesceBeforeSort(size).optimize(Arc::new(sort), &ConfigOptions::new());
            plan.unwrap().children()[0].name().to_owned()
        };
        assert_eq!(sorted(DataType::Utf8), "CoalesceExec");
        assert_eq!(sorted(DataType::Utf8View), "EmptyExec");
    }

    #[test]
    fn a_slice_counts_only_its_own_rows() {
        let large = batches(&[1000]).remove(0);
        assert_eq!(bytes(&large).unwrap(), 8000);
        assert_eq!(bytes(&large.slice(10, 2)).unwrap(), 16);
    }

    #[test]
    fn an_input_error_is_passed_on() {
        let mut input: Vec<Result<_>> = batches(&[3]).into_iter().map(Ok).collect();
        input.push(Err(DataFusionError::Execution("lost".to_owned())));
        let size = BatchSize {
            bytes: usize::MAX,
            rows: usize::MAX,
        };
        let failed = block_on(coalesced(stream(input), size).try_collect::<Vec<_>>());
        assert!(failed.unwrap_err().to_string().contains("lost"));
    }
}
