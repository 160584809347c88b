use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use serde::{Deserialize, Serialize};
use sqlparser::ast::{
    ArrayElemTypeDef, ColumnDef, ColumnOption, DataType as SqlType, Statement, TimezoneInfo,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

use crate::Partitioning;

/// An output table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
pub enum Table {
    /// One row per archive row that has a URL key.
    UrlKeys,
    /// One row per unique page: its text.
    Documents,
    /// One row per text block; optional.
    Blocks,
    /// One row per link of a page; optional.
    Links,
    /// One row per block that a site repeats, and date; optional.
    SiteBlocks,
    /// One row per archive row that could not be processed.
    Quarantine,
    /// One row per page in the windows of the URL Trees: the state for the next run.
    WindowEntries,
    /// One row per parameter of URLs and date: what was learned about it.
    UrlParameters,
    /// One row per run and date: its request and its result.
    Runs,
    /// First pages of each closed month; derived from `url_keys`.
    FirstPages,
    /// Window entries at the end of the last closed month; derived from `window_entries`.
    Windows,
    /// Parameters at the end of the last closed month; derived from `url_parameters`.
    Parameters,
}

impl Table {
    /// All output tables in commit order. `runs` is last, so that a date with a row in
    /// `runs` is complete.
    pub const ALL: [Self; 9] = [
        Self::UrlKeys,
        Self::Documents,
        Self::Blocks,
        Self::Links,
        Self::SiteBlocks,
        Self::Quarantine,
        Self::WindowEntries,
        Self::UrlParameters,
        Self::Runs,
    ];

    /// The tables that exist only if a job asks for them.
    pub const OPTIONAL: [Self; 3] = [Self::Blocks, Self::Links, Self::SiteBlocks];

    /// The tables of which a run reads the rows of its sites.
    pub(crate) const STATE: [Self; 6] = [
        Self::WindowEntries,
        Self::UrlKeys,
        Self::UrlParameters,
        Self::FirstPages,
        Self::Windows,
        Self::Parameters,
    ];

    /// Tables derived from output tables, so that a run reads fewer files. They may be
    /// deleted: a run derives them again.
    pub const DERIVED: [Self; 3] = [Self::FirstPages, Self::Windows, Self::Parameters];

    /// Returns the table that has what later runs need of the closed months of this one, in the same columns.
    pub fn rollup(self) -> Option<Self> {
        match self {
            Self::UrlKeys => Some(Self::FirstPages),
            Self::WindowEntries => Some(Self::Windows),
            Self::UrlParameters => Some(Self::Parameters),
            _ => None,
        }
    }

    /// Iterates over the output tables and the derived tables.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::DERIVED)
    }

    /// Returns the name of the table in SQL, and of its folder below the output
    /// location.
    pub fn name(self) -> &'static str {
        match self {
            Self::UrlKeys => "url_keys",
            Self::Documents => "documents",
            Self::Blocks => "blocks",
            Self::Links => "links",
            Self::SiteBlocks => "site_blocks",
            Self::Quarantine => "quarantine",
            Self::WindowEntries => "window_entries",
            Self::UrlParameters => "url_parameters",
            Self::Runs => "runs",
            Self::FirstPages => "first_pages",
            Self::Windows => "windows",
            Self::Parameters => "parameters",
        }
    }

    /// Returns the output table with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Returns the columns of `schemas/<name>.sql`, followed by the partition column
    /// unless that is `date`. Column comments are field metadata under `comment`.
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
            Self::UrlKeys | Self::FirstPages => include_str!("../../../../schemas/url_keys.sql"),
            Self::Documents => include_str!("../../../../schemas/documents.sql"),
            Self::Blocks => include_str!("../../../../schemas/blocks.sql"),
            Self::Links => include_str!("../../../../schemas/links.sql"),
            Self::SiteBlocks => include_str!("../../../../schemas/site_blocks.sql"),
            Self::Quarantine => include_str!("../../../../schemas/quarantine.sql"),
            Self::WindowEntries | Self::Windows => {
                include_str!("../../../../schemas/window_entries.sql")
            }
            Self::UrlParameters | Self::Parameters => {
                include_str!("../../../../schemas/url_parameters.sql")
            }
            Self::Runs => include_str!("../../../../schemas/runs.sql"),
        }
    }
}

/// Returns the columns that an archive may have, from `schemas/archive.sql`.
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

/// Parses one `CREATE TABLE`. Panics on an invalid statement: the text is part of the
/// binary, and a test parses all of it.
fn parse(sql: &str) -> SchemaRef {
    let (statement, comments) =
        read(sql).unwrap_or_else(|error| panic!("schema is not SQL: {error}\n{sql}"));
    let Statement::CreateTable(table) = statement else {
        panic!("schema is not a CREATE TABLE:\n{sql}");
    };
    let fields = table.columns.iter().map(|column| field(column, &comments));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Text after `--`, by line. A comment clause would be simpler to parse, but not every
/// engine that reads these files supports one.
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
            other => panic!("column {}: option {other} is not supported", column.name),
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
        // Delta names the items of a list `element`.
        SqlType::Array(ArrayElemTypeDef::SquareBracket(items, None)) => {
            DataType::List(Arc::new(Field::new("element", arrow_type(items), true)))
        }
        other => panic!("type {other} is not supported"),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    /// Returns name, text and schema of the output tables, whose columns the derived ones have, and of the archive.
    fn schemas() -> Vec<(&'static str, &'static str, SchemaRef)> {
        let table = |table: Table| (table.name(), table.sql(), table.schema(Partitioning::Day));
        let mut schemas: Vec<_> = Table::ALL.into_iter().map(table).collect();
        schemas.push(("archive", ARCHIVE_SQL, archive_schema()));
        schemas
    }

    #[tokio::test]
    async fn datafusion_accepts_every_schema() {
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
    fn every_column_has_a_comment() {
        for (name, _, schema) in schemas() {
            assert!(schema.fields().len() >= 8, "{name}");
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
