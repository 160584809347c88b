//! The schemas of the rows between two steps.
//!
//! Each step keeps its input columns and adds its own. No schema has a column of HTML.

use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, Int64Type, Schema, SchemaRef, TimeUnit,
};
use datafusion::error::{DataFusionError, Result};

use crate::archive::ObjectState;

/// The state of a row in the plan: the `status` column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// First of its URL key.
    Unique,
    /// A later row with the same URL key.
    Duplicate,
    /// A duplicate that is parsed to find out whether it has unseen text.
    RevisionCandidate,
    /// A duplicate with unseen text.
    Revision,
    /// A row with a blocklisted URL.
    Blocklisted,
    /// A row that cannot be processed.
    Quarantined,
    /// A duplicate that is parsed, because what it says about the parts of its URL is audited.
    Audited,
    /// A row of the prior state, by which duplicates are found.
    Known,
    /// Not a row of the archive: Site decides about the pages of this base.
    Base,
    /// Not a row of the archive: what the pages of a domain showed about the parts of URLs.
    Learned,
}

impl Status {
    const ALL: [Self; 10] = [
        Self::Unique,
        Self::Duplicate,
        Self::RevisionCandidate,
        Self::Revision,
        Self::Blocklisted,
        Self::Quarantined,
        Self::Audited,
        Self::Known,
        Self::Base,
        Self::Learned,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Unique => "unique",
            Self::Duplicate => "duplicate",
            Self::RevisionCandidate => "revision_candidate",
            Self::Revision => "revision",
            Self::Blocklisted => "blocklisted",
            Self::Quarantined => "quarantined",
            Self::Audited => "audited",
            Self::Known => "known",
            Self::Base => "base",
            Self::Learned => "learned",
        }
    }

    pub(crate) fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == name)
            .ok_or_else(|| DataFusionError::Internal(format!("`{name}` is not a row status")))
    }
}

/// The use of a row in Site: the `phase` column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// An entry of a window in the prior state. It is inserted and not emitted.
    WindowEntry = 0,
    /// A page of this run. It is inserted into tree and template, and labelled after all pages of
    /// its batch are inserted.
    Page = 1,
    /// A row that is not a page.
    PassThrough = 2,
}

impl Phase {
    pub(crate) fn from_i32(number: i32) -> Result<Self> {
        [Self::WindowEntry, Self::Page, Self::PassThrough]
            .into_iter()
            .find(|phase| *phase as i32 == number)
            .ok_or_else(|| DataFusionError::Internal(format!("{number} is not a phase")))
    }
}

/// Input of Scan: one row per row group, or per object that cannot be opened. `read_error` is the
/// reason why the object cannot be opened, or why the times of the row group cannot be decoded.
pub(crate) static ROW_GROUPS: LazyLock<SchemaRef> = LazyLock::new(|| {
    schema(&[
        ("source", DataType::Utf8),
        ("object_bytes", DataType::Int64),
        ("object_version", DataType::Utf8),
        ("row_group", DataType::Int32),
        ("fallback_date", DataType::Date32),
        ("folder_date", DataType::Date32),
        ("read_error", DataType::Utf8),
    ])
});

/// Output of Scan: one row per archive row, with its narrow columns.
pub(crate) static SCANNED: LazyLock<SchemaRef> = LazyLock::new(|| {
    schema(&[
        ("source", DataType::Utf8),
        ("object_bytes", DataType::Int64),
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
            ("status", DataType::Utf8),
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
/// Block sorts by the last four columns ([`ReadOrder`](super::read_order::ReadOrder)). For a later
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

/// Output of Block: adds the text blocks, and removes the order of reading.
///
/// - `texts` and `slots` have one line per block ([`lines`]). A page with null `texts` is too
///   large to be sorted with them.
/// - `markup` is what Markdown needs beside the texts, and `metadata` what the page says about itself. They
///   are null unless the job writes that.
/// - `hashes` has 16 bytes per block, `link_chars` four, `chrome` one.
/// - `signature` describes the text of the page, for pages with other URLs to be compared with.
/// - `layout` is the input of the template of the site.
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
            ("page_title", DataType::Utf8),
            ("charset", DataType::Utf8),
            ("charset_source", DataType::Utf8),
            ("warnings", DataType::Utf8),
            ("texts", DataType::Utf8),
            ("markup", DataType::Binary),
            ("metadata", DataType::Binary),
            ("hashes", DataType::Binary),
            ("layout", DataType::Binary),
            ("template", DataType::Binary),
            ("link_chars", DataType::Binary),
            ("slots", DataType::Utf8),
            ("chrome", DataType::Binary),
            ("slot_change", DataType::Binary),
        ],
    )
});

/// Output of Site: adds one label per block, and the columns of `window_entries`. `template` is
/// replaced, and `layout` is removed.
pub(crate) static REPLAYED: LazyLock<SchemaRef> = LazyLock::new(|| {
    with(
        &without(&BLOCKED, "layout"),
        &[
            ("node", DataType::Utf8),
            ("support", DataType::Int32),
            ("boilerplate", list(DataType::Boolean)),
            ("reasons", list(DataType::Utf8)),
            ("counts", list(DataType::Int32)),
            ("supports", list(DataType::Int32)),
            ("depths", list(DataType::Int32)),
            ("ordinal", DataType::Int64),
            ("entry_hashes", DataType::Binary),
        ],
    )
});

/// Output of Write: data files (`table`, `file`), and the number of rows by date, status and
/// cause. The cause is the deduplication step of a duplicate, or the reason of a quarantine.
pub(crate) static WRITTEN: LazyLock<SchemaRef> = LazyLock::new(|| {
    schema(&[
        ("table", DataType::Utf8),
        ("file", DataType::Utf8),
        ("date", DataType::Date32),
        ("status", DataType::Utf8),
        ("cause", DataType::Utf8),
        ("rows", DataType::Int64),
        ("html_bytes", DataType::Int64),
        ("text_bytes", DataType::Int64),
    ])
});

fn time() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// Returns a list type with the item name that Delta uses.
pub(crate) fn list(items: DataType) -> DataType {
    DataType::List(list_field(items))
}

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

fn without(base: &SchemaRef, name: &str) -> SchemaRef {
    let fields = base.fields().iter().filter(|field| field.name() != name);
    Arc::new(Schema::new(fields.cloned().collect::<Vec<_>>()))
}

/// Typed access to columns by name.
pub(crate) trait RecordBatchExt {
    fn array(&self, name: &str) -> Result<&ArrayRef>;

    fn text(&self, name: &str) -> Result<&arrow::array::StringArray> {
        let array = self.array(name)?;
        array.as_string_opt().ok_or_else(|| wrong_type(name, array))
    }

    fn bytes(&self, name: &str) -> Result<&arrow::array::BinaryArray> {
        let array = self.array(name)?;
        array.as_binary_opt().ok_or_else(|| wrong_type(name, array))
    }

    fn lists(&self, name: &str) -> Result<&arrow::array::ListArray> {
        let array = self.array(name)?;
        array.as_list_opt().ok_or_else(|| wrong_type(name, array))
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
pub(crate) fn rows_of(
    schema: &SchemaRef,
    count: usize,
    given: Vec<(&str, ArrayRef)>,
) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    let none = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options)?;
    project_to(&none, schema, given)
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
    let source = batch.text("source")?.value(row).to_owned();
    let bytes = batch.numbers::<Int64Type>("object_bytes")?.value(row);
    let bytes = u64::try_from(bytes)
        .map_err(|_| DataFusionError::Internal(format!("{source} has {bytes} bytes")))?;
    Ok(ObjectState {
        source,
        bytes,
        version: value_opt(batch.text("object_version")?, row).map(str::to_owned),
    })
}

/// Returns a value of a nullable text column.
pub(crate) fn value_opt(array: &arrow::array::StringArray, row: usize) -> Option<&str> {
    array.is_valid(row).then(|| array.value(row))
}

/// Between the values of two blocks or warnings of a page in one text. No value has it: it is whitespace, of
/// which code keeps line ends, tabs and spaces, and other blocks single spaces.
pub(crate) const SEPARATOR: &str = "\u{c}";

/// Splits `texts` or `warnings` of a page, one value per block or warning. None is empty.
pub(crate) fn split_values(texts: &str) -> impl Iterator<Item = &str> {
    (!texts.is_empty())
        .then_some(texts)
        .into_iter()
        .flat_map(|texts| texts.split(SEPARATOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_as_many_values_as_blocks() {
        for blocks in [&[][..], &["one"], &["one", "two\n  lines", "…"]] {
            let texts = blocks.join(SEPARATOR);
            assert_eq!(split_values(&texts).collect::<Vec<_>>(), blocks);
        }
    }
}
