//! The columns of the rows between two steps. Each step keeps the columns it
//! gets and adds its own; HTML is in none of them.

use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, Int64Type, Schema, SchemaRef, TimeUnit,
};
use datafusion::error::{DataFusionError, Result};

use crate::archive::ObjectState;

/// What is known of a row so far: the `status` column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// First of its URL key.
    Unique,
    /// Has the URL key of an earlier row.
    Duplicate,
    /// A duplicate that is read to see whether it brings unseen text.
    RevisionCandidate,
    /// A duplicate that brought unseen text.
    Revision,
    /// Its URL is blocklisted.
    Blocklisted,
    /// It cannot be processed.
    Quarantined,
    /// A row of an earlier date, here to be looked up.
    Known,
}

impl Status {
    const ALL: [Self; 7] = [
        Self::Unique,
        Self::Duplicate,
        Self::RevisionCandidate,
        Self::Revision,
        Self::Blocklisted,
        Self::Quarantined,
        Self::Known,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Unique => "unique",
            Self::Duplicate => "duplicate",
            Self::RevisionCandidate => "revision_candidate",
            Self::Revision => "revision",
            Self::Blocklisted => "blocklisted",
            Self::Quarantined => "quarantined",
            Self::Known => "known",
        }
    }

    pub(crate) fn of(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| DataFusionError::Internal(format!("`{text}` is no status")))
    }
}

/// What a row is for in the replay: the `phase` column, in sorting order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// A page of the window as the last run left it: goes into the tree.
    WindowEntry = 0,
    /// A page of a batch: goes into the tree and the template, and is labelled when all of
    /// its batch have.
    Page = 1,
    /// A row that is no page; it passes.
    PassThrough = 2,
}

impl Phase {
    pub(crate) fn of(number: i32) -> Result<Self> {
        [Self::WindowEntry, Self::Page, Self::PassThrough]
            .into_iter()
            .find(|phase| *phase as i32 == number)
            .ok_or_else(|| DataFusionError::Internal(format!("{number} is no phase")))
    }
}

/// What the scan starts from: one row per row group, or per object that cannot
/// be opened. `problem` says why it cannot, or why the times of the row group
/// cannot be decoded.
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

/// One row per archive row: its narrow columns.
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

/// … with its URL key.
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
        ],
    )
});

/// … with what it duplicates.
pub(crate) static DEDUPED: LazyLock<SchemaRef> = LazyLock::new(|| {
    with(
        &KEYED,
        &[
            ("merged_by", DataType::Utf8),
            ("duplicate_of", DataType::Utf8),
        ],
    )
});

/// … with its text blocks. `texts` and `slots` hold one per line ([`lines`]), `hashes` 16
/// bytes per block, `link_chars` 4 and `chrome` one, `layout` what the site's template is
/// made of; `template` is what a remembered page added to it. A page with null for `texts`
/// is too heavy to travel with them. None is a list: those are copied item by item in every
/// shuffle and sort, and a merge converts all that it holds for each batch that it gives.
pub(crate) static BLOCKED: LazyLock<SchemaRef> = LazyLock::new(|| {
    with(
        &DEDUPED,
        &[
            ("batch", DataType::Int64),
            ("phase", DataType::Int32),
            ("page_title", DataType::Utf8),
            ("charset", DataType::Utf8),
            ("charset_source", DataType::Utf8),
            ("warnings", DataType::Utf8),
            ("texts", DataType::Utf8),
            ("hashes", DataType::Binary),
            ("layout", DataType::Binary),
            ("template", DataType::Binary),
            ("link_chars", DataType::Binary),
            ("slots", DataType::Utf8),
            ("chrome", DataType::Binary),
        ],
    )
});

/// … with a label per block, and what goes into `window_entries`: `template` is replaced, and
/// `layout` has done its part.
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

/// What a chunk leaves: the data files it wrote (`table`, `file`), and how
/// many rows of each status each date had, with the step that merged duplicates
/// or the reason of a quarantine as `cause`.
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

/// A list as Delta writes it.
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

/// Typed access to the columns of a stage by name.
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

/// `batch` with some columns replaced and the new ones of `schema` added;
/// those that are not given are null.
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

/// The object that a row lies in, as the census found it.
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

/// The value of a nullable text column.
pub(crate) fn value_opt(array: &arrow::array::StringArray, row: usize) -> Option<&str> {
    array.is_valid(row).then(|| array.value(row))
}

/// The texts of the blocks of a page, or its warnings. None of them has a line break, or is
/// empty: their white space is spaces.
pub(crate) fn lines(texts: &str) -> impl Iterator<Item = &str> {
    (!texts.is_empty())
        .then_some(texts)
        .into_iter()
        .flat_map(|texts| texts.split('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_as_many_lines_as_blocks() {
        for blocks in [&[][..], &["one"], &["one", "two words", "…"]] {
            let texts = blocks.join("\n");
            assert_eq!(lines(&texts).collect::<Vec<_>>(), blocks);
        }
    }
}
