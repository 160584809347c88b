//! The flat columns of FineWeb, by which data sets of web text are known on Hugging Face.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;

use crate::documents::{DATE, ID, METADATA, SOURCE, TEXT, URL};

/// The columns of FineWeb in its order. Those of a field that documents have are always there, and the others if the rows have a
/// column of their name: nothing is counted or guessed to fill one. `dump` is the source if the rows have none.
const COLUMNS: [(&str, Option<usize>); 9] = [
    ("text", Some(TEXT)),
    ("id", Some(ID)),
    ("dump", Some(SOURCE)),
    ("url", Some(URL)),
    ("date", Some(DATE)),
    ("file_path", None),
    ("language", None),
    ("language_score", None),
    ("token_count", None),
];

/// Makes rows with the columns of FineWeb, and all other metadata after them.
#[derive(Debug)]
pub(crate) struct Flat {
    schema: SchemaRef,
    columns: Vec<From>,
}

/// The place of a column in documents.
#[derive(Debug, Clone, Copy)]
enum From {
    Field(usize),
    Metadata(usize),
}

impl Flat {
    /// Finds the columns in `documents`, the columns of documents.
    pub(crate) fn of(documents: &Schema) -> Self {
        let metadata = documents.fields().get(METADATA);
        let metadata: &[FieldRef] = match metadata.map(|field| field.data_type()) {
            Some(DataType::Struct(fields)) => fields,
            _ => &[],
        };
        let mut columns = Vec::new();
        for (name, field) in COLUMNS {
            let own = metadata.iter().position(|of| of.name() == name);
            columns.extend(match own {
                Some(own) => Some((name, From::Metadata(own))),
                None => field.map(|field| (name, From::Field(field))),
            });
        }
        for (position, field) in metadata.iter().enumerate() {
            if COLUMNS.iter().all(|(name, _)| field.name() != name) {
                columns.push((field.name(), From::Metadata(position)));
            }
        }
        let field = |(name, from): &(&str, From)| match from {
            From::Field(at) => documents.field(*at).clone().with_name(*name),
            From::Metadata(at) => Field::clone(&metadata[*at]),
        };
        Self {
            schema: Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>())),
            columns: columns.into_iter().map(|(_, from)| from).collect(),
        }
    }

    /// Returns the columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns documents with these columns.
    pub(crate) fn rows(&self, documents: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let column = |from: &From| -> ArrayRef {
            Arc::clone(match from {
                From::Field(at) => documents.column(*at),
                From::Metadata(at) => documents.column(METADATA).as_struct().column(*at),
            })
        };
        let columns = self.columns.iter().map(column).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(metadata: &[&str]) -> Vec<String> {
        let text = |name: &&str| Field::new(*name, DataType::Utf8, true);
        let fields = ["id", "text", "source", "url", "date", "added", "created"];
        let mut fields: Vec<Field> = fields.iter().map(text).collect();
        if !metadata.is_empty() {
            let metadata = metadata.iter().map(text).collect();
            fields.push(Field::new("metadata", DataType::Struct(metadata), false));
        }
        let flat = Flat::of(&Schema::new(fields));
        flat.schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    #[test]
    fn columns_that_rows_do_not_have_are_left_out() {
        assert_eq!(names(&[]), ["text", "id", "dump", "url", "date"]);
        let of_a_job = names(&["language", "language_score"]);
        assert_eq!(of_a_job[5..], ["language", "language_score"]);
    }

    #[test]
    fn other_metadata_comes_after_the_columns_of_fineweb() {
        let found = names(&["title", "token_count", "dump", "file_path", "domain"]);
        let expected = [
            "text",
            "id",
            "dump",
            "url",
            "date",
            "file_path",
            "token_count",
            "title",
            "domain",
        ];
        assert_eq!(found, expected);
    }
}
