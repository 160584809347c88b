use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use deltalake::datafusion::sql::parser::{DFParser, Statement};
use deltalake::datafusion::sql::sqlparser::ast::{
    ArrayElemTypeDef, ColumnDef, ColumnOption, DataType as SqlType, TimezoneInfo,
};

use crate::Partitioning;

/// An output table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// One row per archive row that has a URL key.
    UrlKeys,
    /// One row per unique page: its text.
    Documents,
    /// One row per text block; optional.
    Blocks,
    /// One row per archive row that could not be processed.
    Quarantine,
    /// One row per page in the URL Trees: what the next run needs.
    History,
    /// One row per run and date: what was asked for and what became of it.
    Runs,
}

impl Table {
    /// Every table, in the order they are committed: a date whose `runs` row
    /// is there is complete.
    pub const ALL: [Self; 6] = [
        Self::UrlKeys,
        Self::Documents,
        Self::Blocks,
        Self::Quarantine,
        Self::History,
        Self::Runs,
    ];

    /// The name in SQL, and of the folder below the output location.
    pub fn name(self) -> &'static str {
        match self {
            Self::UrlKeys => "url_keys",
            Self::Documents => "documents",
            Self::Blocks => "blocks",
            Self::Quarantine => "quarantine",
            Self::History => "history",
            Self::Runs => "runs",
        }
    }

    /// The table of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// The columns of `schemas/<name>.sql`, and the partition column where it
    /// is not `date` itself. Comments are field metadata under `comment`.
    pub fn schema(self, partitioning: Partitioning) -> SchemaRef {
        let schema = Arc::clone(&SCHEMAS[&self]);
        match partitioning {
            Partitioning::Day => schema,
            Partitioning::Month | Partitioning::Year => {
                let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
                fields.push(Arc::new(Field::new(
                    partitioning.column(),
                    DataType::Utf8,
                    false,
                )));
                Arc::new(Schema::new(fields))
            }
        }
    }

    fn sql(self) -> &'static str {
        match self {
            Self::UrlKeys => include_str!("../../../schemas/url_keys.sql"),
            Self::Documents => include_str!("../../../schemas/documents.sql"),
            Self::Blocks => include_str!("../../../schemas/blocks.sql"),
            Self::Quarantine => include_str!("../../../schemas/quarantine.sql"),
            Self::History => include_str!("../../../schemas/history.sql"),
            Self::Runs => include_str!("../../../schemas/runs.sql"),
        }
    }
}

/// The columns an archive may have, from `schemas/archive.sql`.
pub fn archive_schema() -> SchemaRef {
    static ARCHIVE: LazyLock<SchemaRef> =
        LazyLock::new(|| parse(include_str!("../../../schemas/archive.sql")));
    Arc::clone(&ARCHIVE)
}

static SCHEMAS: LazyLock<HashMap<Table, SchemaRef>> = LazyLock::new(|| {
    Table::ALL
        .into_iter()
        .map(|table| (table, parse(table.sql())))
        .collect()
});

/// The schema of one `CREATE EXTERNAL TABLE`. The text is part of the binary,
/// and a test reads all of it: a statement that is wrong is a bug here, not
/// input.
fn parse(sql: &str) -> SchemaRef {
    let mut statements =
        DFParser::parse_sql(sql).unwrap_or_else(|error| panic!("schema is no SQL: {error}\n{sql}"));
    let Some(Statement::CreateExternalTable(table)) = statements.pop_front() else {
        panic!("schema is no CREATE EXTERNAL TABLE:\n{sql}");
    };
    Arc::new(Schema::new(
        table.columns.iter().map(field).collect::<Vec<_>>(),
    ))
}

fn field(column: &ColumnDef) -> Field {
    let mut nullable = true;
    let mut metadata = HashMap::new();
    for option in &column.options {
        match &option.option {
            ColumnOption::NotNull => nullable = false,
            ColumnOption::Comment(text) => {
                metadata.insert("comment".to_owned(), text.clone());
            }
            other => panic!("column {}: option {other} has no meaning here", column.name),
        }
    }
    Field::new(&column.name.value, arrow_type(&column.data_type), nullable).with_metadata(metadata)
}

fn arrow_type(sql: &SqlType) -> DataType {
    match sql {
        SqlType::Date => DataType::Date32,
        SqlType::String(_) => DataType::Utf8,
        SqlType::Binary(_) => DataType::Binary,
        SqlType::Boolean => DataType::Boolean,
        SqlType::Int(_) => DataType::Int32,
        SqlType::BigInt(_) => DataType::Int64,
        SqlType::Double(_) => DataType::Float64,
        SqlType::Timestamp(_, TimezoneInfo::WithTimeZone) => {
            DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
        }
        // `element` is Delta's name for the items of a list.
        SqlType::Array(ArrayElemTypeDef::AngleBracket(items)) => {
            DataType::List(Arc::new(Field::new("element", arrow_type(items), true)))
        }
        other => panic!("type {other} has no meaning here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_reads_and_every_column_says_what_it_is() {
        let mut schemas: Vec<_> = Table::ALL
            .iter()
            .map(|table| (table.name(), table.schema(Partitioning::Day)))
            .collect();
        schemas.push(("archive", archive_schema()));
        for (name, schema) in schemas {
            for field in schema.fields() {
                assert!(
                    field.metadata().contains_key("comment"),
                    "{name}.{} has no comment",
                    field.name()
                );
            }
        }
    }

    #[test]
    fn every_table_starts_with_its_date() {
        for table in Table::ALL {
            let schema = table.schema(Partitioning::Day);
            assert_eq!(schema.field(0).name(), "date", "{}", table.name());
            assert_eq!(Table::from_name(table.name()), Some(table));
        }
    }
}
