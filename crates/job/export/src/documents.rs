//! Rows of a query as documents: the fields that other tools read, and the rest as metadata.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray, StructArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Field, Fields, Schema, SchemaRef, TimeUnit, TimestampMicrosecondType,
};
use chrono::{DateTime, SecondsFormat};

use crate::error::{EncodeError, ExportError};
use crate::{Format, Part};

/// Positions of the fields in a batch of documents.
pub(crate) const ID: usize = 0;
pub(crate) const TEXT: usize = 1;
pub(crate) const SOURCE: usize = 2;
pub(crate) const URL: usize = 3;
pub(crate) const DATE: usize = 4;
pub(crate) const METADATA: usize = 7;

/// The column of the metadata that `created` is taken from.
const PUBLISHED_AT: &str = "published_at";

/// Finds the fields of a document among the columns of rows.
#[derive(Debug)]
pub(crate) struct Columns {
    id: usize,
    text: usize,
    url: usize,
    date: usize,
    published_at: Option<usize>,
    metadata: Vec<usize>,
    schema: SchemaRef,
}

impl Columns {
    /// # Errors
    /// [`ExportError::Column`], [`ExportError::RepeatedColumn`] or [`ExportError::ColumnType`].
    pub(crate) fn of(rows: &Schema) -> Result<Self, ExportError> {
        let find = |column: &'static str| {
            let found: Vec<usize> = (0..rows.fields().len())
                .filter(|at| rows.field(*at).name() == column)
                .collect();
            match found[..] {
                [one] => Ok(one),
                [] => Err(ExportError::Column {
                    column,
                    found: "no column",
                }),
                _ => Err(ExportError::Column {
                    column,
                    found: "two columns",
                }),
            }
        };
        let (id, text, url, date) = (find("id")?, find("text")?, find("url")?, find("date")?);
        let check = |at: usize, column, expected, fits: fn(&DataType) -> bool| {
            let found = plain(rows.field(at).data_type());
            if fits(&found) {
                return Ok(());
            }
            let found = found.to_string();
            Err(ExportError::ColumnType {
                column,
                found,
                expected,
            })
        };
        let is_text = |of: &DataType| *of == DataType::Utf8;
        check(id, "id", "text or an integer", |of| {
            *of == DataType::Utf8 || of.is_integer()
        })?;
        check(text, "text", "text", is_text)?;
        check(url, "url", "text", is_text)?;
        check(date, "date", "a time, a date or text", is_moment)?;
        let is_field = |at: &usize| [id, text, url, date].contains(at);
        let metadata: Vec<usize> = (0..rows.fields().len())
            .filter(|at| !is_field(at))
            .collect();
        let fields: Fields = (metadata.iter())
            .map(|at| {
                let field = rows.field(*at);
                Field::new(field.name(), plain(field.data_type()), true)
            })
            .collect();
        for (position, field) in fields.iter().enumerate() {
            let is_before = |before: &Arc<Field>| before.name() == field.name();
            if fields.iter().take(position).any(is_before) {
                let column = field.name().clone();
                return Err(ExportError::RepeatedColumn { column });
            }
        }
        let published_at = metadata.iter().copied().find(|at| {
            let field = rows.field(*at);
            field.name() == PUBLISHED_AT && is_moment(&plain(field.data_type()))
        });
        let mut columns: Vec<Field> = ["id", "text", "source", "url", "date", "added", "created"]
            .into_iter()
            .map(|name| Field::new(name, DataType::Utf8, false))
            .collect();
        // Parquet has no struct without a field.
        if !fields.is_empty() {
            columns.push(Field::new("metadata", DataType::Struct(fields), false));
        }
        Ok(Self {
            id,
            text,
            url,
            date,
            published_at,
            metadata,
            schema: Arc::new(Schema::new(columns)),
        })
    }

    /// Returns the columns of documents: `id`, `text`, `source`, `url`, `date`, `added` and `created` as
    /// text, and `metadata` as a struct, if it has a field.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Makes documents of `rows`. `before` rows of `part` came before them.
    pub(crate) fn documents(
        &self,
        rows: &RecordBatch,
        source: &str,
        part: &Part,
        before: u64,
        format: Format,
    ) -> Result<RecordBatch, ExportError> {
        let encode = |source: EncodeError| ExportError::Encode { format, source };
        let text = |at: usize| {
            let column = cast(rows.column(at), &DataType::Utf8);
            column.map_err(|error| encode(error.into()))
        };
        let (id, content, url) = (text(self.id)?, text(self.text)?, text(self.url)?);
        let date = moments(rows.column(self.date)).map_err(encode)?;
        for (column, values) in [
            ("url", &url),
            ("id", &id),
            ("text", &content),
            ("date", &(Arc::new(date.clone()) as ArrayRef)),
        ] {
            if let Some(row) = (0..values.len()).find(|row| values.is_null(*row)) {
                let url = url.as_string::<i32>();
                return Err(ExportError::Null {
                    column,
                    row: before + row as u64 + 1,
                    part: part.to_string(),
                    url: match url.is_valid(row) {
                        true => format!(" ({})", url.value(row)),
                        false => String::new(),
                    },
                    remedy: remedy(part, column),
                });
            }
        }
        let created = match self.published_at {
            None => date.clone(),
            Some(at) => {
                let published = moments(rows.column(at)).map_err(encode)?;
                let created = published.iter().zip(date.iter());
                created
                    .map(|(published, date)| published.or(date))
                    .collect()
            }
        };
        let source = StringArray::from_iter_values((0..rows.num_rows()).map(|_| source));
        let date: ArrayRef = Arc::new(date);
        let mut columns: Vec<ArrayRef> = vec![
            id,
            content,
            Arc::new(source),
            url,
            Arc::clone(&date),
            date,
            Arc::new(created),
        ];
        if let Some(field) = self.schema.fields().get(METADATA)
            && let DataType::Struct(fields) = field.data_type()
        {
            let values = (self.metadata.iter().zip(fields))
                .map(|(at, field)| cast(rows.column(*at), field.data_type()))
                .collect::<Result<Vec<_>, _>>();
            let values = values.map_err(|error| encode(error.into()))?;
            columns.push(Arc::new(StructArray::new(fields.clone(), values, None)));
        }
        let documents = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        documents.map_err(|error| encode(error.into()))
    }
}

/// Returns the column `language` of the metadata, if it is text.
pub(crate) fn languages(documents: &RecordBatch) -> Option<&StringArray> {
    let metadata = documents.columns().get(METADATA)?.as_struct();
    metadata.column_by_name("language")?.as_string_opt()
}

fn remedy(part: &Part, column: &str) -> &'static str {
    match part {
        Part::Query => "leave such rows out with WHERE",
        Part::Dates(_) if column == "id" => {
            "an earlier version wrote this date without document_id: run the date again"
        }
        Part::Dates(_) => "run the date again",
    }
}

/// Whether [`moments`] can convert a type.
fn is_moment(of: &DataType) -> bool {
    matches!(
        of,
        DataType::Utf8 | DataType::Date32 | DataType::Timestamp(_, _)
    )
}

/// Returns times and dates as text of ISO 8601, all with six digits of a second: `pyarrow` takes a text without
/// them for a time and one with them for text, and `datasets` refuses a column with both. A time without a zone
/// is UTC, and a date is its first moment. Text stays as it is.
fn moments(column: &ArrayRef) -> Result<StringArray, EncodeError> {
    Ok(match plain(column.data_type()) {
        DataType::Timestamp(_, _) | DataType::Date32 => {
            let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
            let times = cast(column, &micros)?;
            let text = |micros| {
                let time = DateTime::from_timestamp_micros(micros)?;
                Some(time.to_rfc3339_opts(SecondsFormat::Micros, true))
            };
            let times = times.as_primitive::<TimestampMicrosecondType>();
            times.iter().map(|time| text(time?)).collect()
        }
        _ => cast(column, &DataType::Utf8)?.as_string::<i32>().clone(),
    })
}

/// Returns the type without the forms that a query engine adds: views, large offsets, dictionaries. Not every
/// reader of Parquet has them.
fn plain(of: &DataType) -> DataType {
    match of {
        DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
        DataType::BinaryView | DataType::LargeBinary => DataType::Binary,
        DataType::Dictionary(_, values) => plain(values),
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) => {
            DataType::List(plain_field(item))
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(plain_field).collect()),
        other => other.clone(),
    }
}

fn plain_field(field: &Arc<Field>) -> Arc<Field> {
    let of = plain(field.data_type());
    Arc::new(field.as_ref().clone().with_data_type(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(names: &[&str]) -> Schema {
        let field = |name: &&str| Field::new(*name, DataType::Utf8View, true);
        Schema::new(names.iter().map(field).collect::<Vec<_>>())
    }

    #[test]
    fn a_missing_or_repeated_column_is_named() {
        for (names, expected) in [
            (&["id", "text", "url"][..], "no column named `date`"),
            (&["text", "url", "date"], "no column named `id`"),
            (
                &["id", "text", "url", "date", "url"],
                "two columns named `url`",
            ),
            (
                &["id", "text", "url", "date", "a", "a"],
                "two columns named `a`",
            ),
        ] {
            let error = Columns::of(&schema(names)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_text_that_is_a_number_is_refused_with_its_type() {
        let mut fields = schema(&["id", "url", "date"]).fields().to_vec();
        fields.push(Arc::new(Field::new("text", DataType::Int64, true)));
        let error = Columns::of(&Schema::new(fields)).unwrap_err().to_string();
        assert!(error.contains("`text` has the type Int64"), "{error}");
    }

    #[test]
    fn times_and_dates_have_one_form() {
        use arrow::array::{Date32Array, TimestampMillisecondArray, TimestampSecondArray};
        let columns: [ArrayRef; 3] = [
            Arc::new(
                TimestampMillisecondArray::from(vec![1_319_414_400_000]).with_timezone("+02:00"),
            ),
            Arc::new(TimestampSecondArray::from(vec![1_319_414_400])),
            Arc::new(Date32Array::from(vec![15_271])),
        ];
        for column in columns {
            let text = moments(&column).unwrap();
            assert_eq!(text.value(0), "2011-10-24T00:00:00.000000Z", "{column:?}");
        }
        let text: ArrayRef = Arc::new(StringArray::from(vec![Some("in May"), None]));
        let texts = moments(&text).unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), [Some("in May"), None]);
    }

    #[test]
    fn rows_of_four_columns_have_no_metadata() {
        let columns = Columns::of(&schema(&["date", "url", "text", "id"])).unwrap();
        assert_eq!(columns.schema().fields().len(), METADATA);
    }
}
