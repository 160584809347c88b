use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use deltalake::datafusion::sql::sqlparser::ast::{
    ArrayElemTypeDef, ColumnDef, ColumnOption, DataType as SqlType, Statement, TimezoneInfo,
};
use deltalake::datafusion::sql::sqlparser::dialect::GenericDialect;
use deltalake::datafusion::sql::sqlparser::parser::{Parser, ParserError};
use deltalake::datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

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
    WindowEntries,
    /// One row per run and date: what was asked for and what became of it.
    Runs,
    /// Where the keys of months that are over are; made from `url_keys`.
    KeyIndex,
    /// What is left of months that are over; made from `window_entries`.
    Windows,
}

impl Table {
    /// Every output table, in the order they are committed: a date whose `runs`
    /// row is there is complete.
    pub const ALL: [Self; 6] = [
        Self::UrlKeys,
        Self::Documents,
        Self::Blocks,
        Self::Quarantine,
        Self::WindowEntries,
        Self::Runs,
    ];

    /// Tables that spare a run from reading all of the others. They hold nothing
    /// that is not there, and may be deleted.
    pub const DERIVED: [Self; 2] = [Self::KeyIndex, Self::Windows];

    /// The output tables and the derived ones.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::DERIVED)
    }

    /// The name in SQL, and of the folder below the output location.
    pub fn name(self) -> &'static str {
        match self {
            Self::UrlKeys => "url_keys",
            Self::Documents => "documents",
            Self::Blocks => "blocks",
            Self::Quarantine => "quarantine",
            Self::WindowEntries => "window_entries",
            Self::Runs => "runs",
            Self::KeyIndex => "key_index",
            Self::Windows => "windows",
        }
    }

    /// The output table of that name.
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
            Self::UrlKeys => include_str!("../../../../schemas/url_keys.sql"),
            Self::Documents => include_str!("../../../../schemas/documents.sql"),
            Self::Blocks => include_str!("../../../../schemas/blocks.sql"),
            Self::Quarantine => include_str!("../../../../schemas/quarantine.sql"),
            Self::WindowEntries => include_str!("../../../../schemas/window_entries.sql"),
            Self::Runs => include_str!("../../../../schemas/runs.sql"),
            Self::KeyIndex => include_str!("../../../../schemas/key_index.sql"),
            Self::Windows => include_str!("../../../../schemas/windows.sql"),
        }
    }
}

/// The columns an archive may have, from `schemas/archive.sql`.
pub fn archive_schema() -> SchemaRef {
    static ARCHIVE: LazyLock<SchemaRef> = LazyLock::new(|| parse(ARCHIVE_SQL));
    Arc::clone(&ARCHIVE)
}

const ARCHIVE_SQL: &str = include_str!("../../../../schemas/archive.sql");

static SCHEMAS: LazyLock<HashMap<Table, SchemaRef>> = LazyLock::new(|| {
    Table::every()
        .map(|table| (table, parse(table.sql())))
        .collect()
});

/// The schema of one `CREATE TABLE`. The text is part of the binary, and a test
/// reads all of it: a statement that is wrong is a bug here, not input.
fn parse(sql: &str) -> SchemaRef {
    let (statement, comments) =
        read(sql).unwrap_or_else(|error| panic!("schema is no SQL: {error}\n{sql}"));
    let Statement::CreateTable(table) = statement else {
        panic!("schema is no CREATE TABLE:\n{sql}");
    };
    let fields = table.columns.iter().map(|column| field(column, &comments));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// What a line says after `--`. A comment clause would be simpler to read here,
/// but not every engine that is to take the text knows one.
type CommentsByLine = HashMap<u64, String>;

fn read(sql: &str) -> Result<(Statement, CommentsByLine), ParserError> {
    let dialect = GenericDialect {};
    let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location()?;
    let comments = tokens.iter().filter_map(|token| match &token.token {
        Token::Whitespace(Whitespace::SingleLineComment { comment, .. }) => {
            Some((token.span.start.line, comment.trim().to_owned()))
        }
        _ => None,
    });
    let comments = comments.collect();
    let statement = Parser::new(&dialect)
        .with_tokens_with_locations(tokens)
        .parse_statement()?;
    Ok((statement, comments))
}

fn field(column: &ColumnDef, comments: &CommentsByLine) -> Field {
    let mut nullable = true;
    for option in &column.options {
        match &option.option {
            ColumnOption::NotNull => nullable = false,
            other => panic!("column {}: option {other} has no meaning here", column.name),
        }
    }
    let comment = comments.get(&column.name.span.start.line);
    let metadata = comment.map(|text| ("comment".to_owned(), text.clone()));
    Field::new(&column.name.value, arrow_type(&column.data_type), nullable)
        .with_metadata(metadata.into_iter().collect())
}

fn arrow_type(sql: &SqlType) -> DataType {
    match sql {
        SqlType::Date => DataType::Date32,
        SqlType::Varchar(None) => DataType::Utf8,
        SqlType::Bytea => DataType::Binary,
        SqlType::Boolean => DataType::Boolean,
        SqlType::Int(_) => DataType::Int32,
        SqlType::BigInt(_) => DataType::Int64,
        SqlType::Double(_) => DataType::Float64,
        SqlType::Timestamp(_, TimezoneInfo::WithTimeZone) => {
            DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
        }
        // `element` is Delta's name for the items of a list.
        SqlType::Array(ArrayElemTypeDef::SquareBracket(items, None)) => {
            DataType::List(Arc::new(Field::new("element", arrow_type(items), true)))
        }
        other => panic!("type {other} has no meaning here"),
    }
}

#[cfg(test)]
mod tests {
    use deltalake::datafusion::prelude::SessionContext;

    use super::*;

    /// Name, text and schema of every table and of the archive.
    fn schemas() -> Vec<(&'static str, &'static str, SchemaRef)> {
        let table = |table: Table| (table.name(), table.sql(), table.schema(Partitioning::Day));
        let mut schemas: Vec<_> = Table::every().map(table).collect();
        schemas.push(("archive", ARCHIVE_SQL, archive_schema()));
        schemas
    }

    #[tokio::test]
    async fn datafusion_takes_every_schema_as_it_is() {
        let context = SessionContext::new();
        for (name, sql, schema) in schemas() {
            context.sql(sql).await.unwrap();
            let made = context.table(name).await.unwrap();
            let columns = |schema: &Schema| -> Vec<(String, bool)> {
                let fields = schema.fields().iter();
                fields
                    .map(|field| (field.name().clone(), field.is_nullable()))
                    .collect()
            };
            assert_eq!(
                columns(made.schema().as_arrow()),
                columns(&schema),
                "{name}"
            );
        }
    }

    #[test]
    fn every_schema_reads_and_every_column_says_what_it_is() {
        for (name, _, schema) in schemas() {
            let fewest = if name == "key_index" { 3 } else { 8 };
            assert!(schema.fields().len() >= fewest, "{name}");
            for field in schema.fields() {
                let comment = field.metadata().get("comment");
                assert!(
                    comment.is_some_and(|text| text.len() > 5),
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
