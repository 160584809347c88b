//! The schemas of the rows between two steps.
//!
//! Each step keeps its input columns and adds its own. No schema has a column of HTML.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use arrow::array::{ArrayAccessor, ArrayRef, AsArray, RecordBatch};
use arrow::compute::{SortColumn, lexsort_to_indices, partition, take_record_batch};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, Schema, SchemaRef, TimeUnit, UInt64Type,
};
use datafusion::error::{DataFusionError, Result};

use crate::archive::ObjectState;
use crate::plan::columns::status::Statuses;

/// Input of Scan: one row per row group, or per object that cannot be opened. `read_error` is the
/// reason why the object cannot be opened, or why the times of the row group cannot be decoded.
pub(crate) static ROW_GROUPS: LazyLock<SchemaRef> = LazyLock::new(|| {
    schema(&[
        ("source", DataType::Utf8),
        ("object_bytes", DataType::UInt64),
        ("object_version", DataType::Utf8),
        ("row_group", DataType::Int32),
        ("fallback_date", DataType::Date32),
        ("known_date", DataType::Date32),
        ("owner", DataType::UInt64),
        ("read_error", DataType::Utf8),
    ])
});

/// Output of Scan: one row per archive row, with its narrow columns.
pub(crate) static SCANNED: LazyLock<SchemaRef> = LazyLock::new(|| {
    schema(&[
        ("source", DataType::Utf8),
        ("object_bytes", DataType::UInt64),
        ("object_version", DataType::Utf8),
        ("row_group", DataType::Int32),
        ("row", DataType::Int64),
        ("date", DataType::Date32),
        ("fetched_at", time()),
        ("url", DataType::Utf8),
        ("request_url", DataType::Utf8),
        ("title", DataType::Utf8),
        ("reason", DataType::Utf8),
        ("detail", DataType::Utf8),
        ("bytes", DataType::Int64),
    ])
});

/// Output of Key: adds the URL key, by the verdicts of earlier chunks.
///
/// - `base_hash` and `openness` are a [`Base`](super::base::Base).
/// - Of a row of the prior state, `stored_key` is the key that it was stored with, `same_content` the position
///   of the earlier page with its content, `source#row`, and `signature` its text.
pub(crate) static KEYED: LazyLock<SchemaRef> = LazyLock::new(|| {
    with(
        &SCANNED,
        &[
            ("domain", DataType::Utf8),
            ("generation", DataType::Int32),
            ("status", DataType::Int32),
            ("url_from_request", DataType::Boolean),
            ("url_key", DataType::Utf8),
            ("content_id", DataType::Utf8),
            ("rule", DataType::Utf8),
            ("base_hash", DataType::Int64),
            ("openness", DataType::Int32),
            ("stored_key", DataType::Utf8),
            ("same_content", DataType::Utf8),
            ("signature", DataType::Binary),
        ],
    )
});

/// Output of Dedupe: adds the page that a duplicate repeats, and the order in which Block reads
/// rows.
///
/// Block sorts by the last four columns ([`read_order`](super::read_order::read_order)). For a later
/// copy, `first_source`, `first_row_group` and `first_row` are the position of the first page, and
/// `copy_order` is its time. For another row, `first_row` is null, `copy_order` is its `row`,
/// and the others are its own position.
pub(crate) static DEDUPED: LazyLock<SchemaRef> = LazyLock::new(|| {
    with(
        &KEYED,
        &[
            ("merged_by", DataType::Utf8),
            ("duplicate_of", DataType::Utf8),
            ("first_source", DataType::Utf8),
            ("first_row_group", DataType::Int32),
            ("first_row", DataType::Int64),
            ("copy_order", DataType::Int64),
        ],
    )
});

/// Output of Block: adds the pages, and removes the order of reading.
///
/// - `page` is the page as one value ([`page`](super::page)), which no sort looks into.
/// - `hashes` has 16 bytes per block. Entries of windows have them too, and no page.
/// - `signature` describes the text of the page, for pages with other URLs to be compared with.
/// - `template` is set for window entries: the slots that the page added to the template.
/// - `slot_change` is set for rows of what was learned, which Site adds.
///
/// No column is a list. Shuffles and sorts copy lists item by item, and a merge converts all rows
/// that it holds for each output batch.
pub(crate) static BLOCKED: LazyLock<SchemaRef> = LazyLock::new(|| {
    with(
        &KEYED,
        &[
            ("merged_by", DataType::Utf8),
            ("duplicate_of", DataType::Utf8),
            ("batch", DataType::Int64),
            ("phase", DataType::Int32),
            ("page", DataType::Binary),
            ("hashes", DataType::Binary),
            ("template", DataType::Binary),
            ("slot_change", DataType::Binary),
        ],
    )
});

/// Output of Site: adds the labels of a page as one value ([`labels`](super::labels)), and the columns of
/// `window_entries`. `template` is replaced, and what only Site reads is removed.
pub(crate) static REPLAYED: LazyLock<SchemaRef> = LazyLock::new(|| {
    with(
        &without(&BLOCKED, &OF_SITE),
        &[
            ("labels", DataType::Binary),
            ("ordinal", DataType::Int64),
            ("entry_hashes", DataType::Binary),
        ],
    )
});

/// The columns that no step after Site reads.
const OF_SITE: [&str; 6] = [
    "generation",
    "base_hash",
    "openness",
    "stored_key",
    "same_content",
    "phase",
];

/// The columns of the position of a row group.
pub(crate) const ROW_GROUP: [&str; 2] = ["source", "row_group"];

/// Output of Write: one row per partition, a [`UnitOutput`](crate::accounting::UnitOutput) as one value.
pub(crate) static WRITTEN: LazyLock<SchemaRef> =
    LazyLock::new(|| schema(&[("output", DataType::Binary)]));

fn time() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// Returns the items of a list with the name that Delta uses.
pub(crate) fn list_field(items: DataType) -> Arc<Field> {
    Arc::new(Field::new("element", items, true))
}

fn schema(fields: &[(&str, DataType)]) -> SchemaRef {
    Arc::new(Schema::new(
        fields
            .iter()
            .map(|(name, data_type)| Field::new(*name, data_type.clone(), true))
            .collect::<Vec<_>>(),
    ))
}

fn with(base: &SchemaRef, fields: &[(&str, DataType)]) -> SchemaRef {
    let mut all: Vec<_> = base.fields().iter().cloned().collect();
    all.extend(schema(fields).fields().iter().cloned());
    Arc::new(Schema::new(all))
}

fn without(base: &SchemaRef, names: &[&str]) -> SchemaRef {
    let is_left = |field: &&Arc<Field>| !names.contains(&field.name().as_str());
    let fields = base.fields().iter().filter(is_left);
    Arc::new(Schema::new(fields.cloned().collect::<Vec<_>>()))
}

/// Typed access to columns by name.
pub(crate) trait RecordBatchExt {
    fn array(&self, name: &str) -> Result<&ArrayRef>;

    fn text(&self, name: &str) -> Result<&arrow::array::StringArray> {
        let array = self.array(name)?;
        array.as_string_opt().ok_or_else(|| wrong_type(name, array))
    }

    /// The column `status`.
    fn statuses(&self) -> Result<Statuses<'_>> {
        self.numbers("status").map(Statuses::new)
    }

    fn bytes(&self, name: &str) -> Result<&arrow::array::BinaryArray> {
        let array = self.array(name)?;
        array.as_binary_opt().ok_or_else(|| wrong_type(name, array))
    }

    fn numbers<T: ArrowPrimitiveType>(
        &self,
        name: &str,
    ) -> Result<&arrow::array::PrimitiveArray<T>> {
        let array = self.array(name)?;
        array
            .as_primitive_opt()
            .ok_or_else(|| wrong_type(name, array))
    }

    /// The rows up to each change in one of `columns`.
    fn runs(&self, columns: &[&str]) -> Result<Vec<Range<usize>>> {
        let columns = columns.iter().map(|name| self.array(name).cloned());
        let columns = columns.collect::<Result<Vec<_>>>()?;
        Ok(partition(&columns)?.ranges())
    }
}

impl RecordBatchExt for RecordBatch {
    fn array(&self, name: &str) -> Result<&ArrayRef> {
        self.column_by_name(name)
            .ok_or_else(|| DataFusionError::Internal(format!("no column `{name}`")))
    }
}

fn wrong_type(name: &str, array: &ArrayRef) -> DataFusionError {
    DataFusionError::Internal(format!("column `{name}` is {}", array.data_type()))
}

/// Projects `batch` to `schema`. A column comes from `given`, else from `batch`, else it is null.
pub(crate) fn project_to(
    batch: &RecordBatch,
    schema: &SchemaRef,
    given: Vec<(&str, ArrayRef)>,
) -> Result<RecordBatch> {
    let columns = schema
        .fields()
        .iter()
        .map(|field| {
            if let Some((_, array)) = given.iter().find(|(name, _)| name == field.name()) {
                return Arc::clone(array);
            }
            match batch.column_by_name(field.name()) {
                Some(array) => Arc::clone(array),
                None => arrow::array::new_null_array(field.data_type(), batch.num_rows()),
            }
        })
        .collect();
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// Makes rows with the columns of `schema`. A column comes from `given`, else it is null.
pub(crate) fn rows_of(schema: &SchemaRef, given: Vec<(&str, ArrayRef)>) -> Result<RecordBatch> {
    project_to(&RecordBatch::try_from_iter(given)?, schema, Vec::new())
}

/// Returns the columns of `batch` under `schema`, which has the same types.
///
/// Batches of the inputs of a union keep their own schemas. In one of them a column can be declared
/// as non-nullable that has nulls in another.
pub(crate) fn declared_as(schema: &SchemaRef, batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().to_vec();
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// Returns the object of a row, in the state that the census found.
pub(crate) fn object_of(batch: &RecordBatch, row: usize) -> Result<ObjectState> {
    Ok(ObjectState {
        source: batch.text("source")?.value(row).to_owned(),
        bytes: batch.numbers::<UInt64Type>("object_bytes")?.value(row),
        version: value_opt(batch.text("object_version")?, row).map(str::to_owned),
    })
}

/// Sorts `rows` by `columns`, ascending.
pub(crate) fn sorted_by(columns: &[&str], rows: &RecordBatch) -> Result<RecordBatch> {
    let columns = columns.iter().map(|name| {
        Ok(SortColumn {
            values: Arc::clone(rows.array(name)?),
            options: None,
        })
    });
    let order = lexsort_to_indices(&columns.collect::<Result<Vec<_>>>()?, None)?;
    Ok(take_record_batch(rows, &order)?)
}

/// Returns the URL of each row: that of the response, or else of the request.
pub(crate) fn urls(batch: &RecordBatch) -> Result<Vec<Option<&str>>> {
    let (responses, requests) = (batch.text("url")?, batch.text("request_url")?);
    let urls = responses.iter().zip(requests);
    Ok(urls.map(|(url, request)| url.or(request)).collect())
}

/// Returns a value of a nullable column.
pub(crate) fn value_opt<A: ArrayAccessor>(array: A, row: usize) -> Option<A::Item> {
    array.is_valid(row).then(|| array.value(row))
}
