//! Writes rows batch by batch, in a format, to a file or to standard output.

use std::fs::File;
use std::io::{ErrorKind, Stdout, Write};

use anyhow::{Context, Error, Result};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::args::QueryFormat;
use crate::fitted_table::fitted;
use crate::rows;
use crate::usage::Usage;

/// Most rows of a table. All rows of a table are in memory, because the longest value decides
/// the width of its column. A million rows of two numbers take 300 MB.
const MAX_TABLE_ROWS: usize = 100_000;

/// Size of a Parquet row group, which is in memory until it is complete. A lower value makes
/// larger files that take longer to read.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// The place to write rows to.
pub(crate) enum Destination {
    File(File),
    Stdout(Stdout),
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

/// The rows of a query on their way to a [`Destination`].
pub(crate) enum RowSink {
    /// CSV and JSON Lines.
    Lines {
        out: Destination,
        is_csv: bool,
        /// Whether the next batch is the first.
        is_first: bool,
        /// The text of a batch.
        bytes: Vec<u8>,
    },
    Table {
        out: Destination,
        batches: Vec<RecordBatch>,
        rows: usize,
        /// Prints this many rows and drops the rest.
        cut: Option<usize>,
        /// Columns of the terminal.
        width: Option<usize>,
    },
    Parquet(Box<ArrowWriter<Destination>>),
}

impl RowSink {
    /// Starts writing rows of `schema` in `format`. A table has at most `cut` rows, and more are
    /// dropped. It fits into `width` columns, if there are so few.
    pub(crate) fn new(
        format: QueryFormat,
        schema: &SchemaRef,
        out: Destination,
        cut: Option<usize>,
        width: Option<usize>,
    ) -> Result<Self> {
        Ok(match format {
            QueryFormat::Csv | QueryFormat::Json => Self::Lines {
                out,
                is_csv: format == QueryFormat::Csv,
                is_first: true,
                bytes: Vec::new(),
            },
            QueryFormat::Table => Self::Table {
                out,
                batches: Vec::new(),
                rows: 0,
                cut,
                width,
            },
            QueryFormat::Parquet => Self::Parquet(Box::new(parquet_writer(schema, out)?)),
        })
    }

    /// Writes the rows of `batch`, or keeps them for [`Self::finish`].
    pub(crate) fn write(&mut self, batch: RecordBatch) -> Result<()> {
        match self {
            Self::Lines {
                out,
                is_csv,
                is_first,
                bytes,
            } => {
                bytes.clear();
                if *is_csv {
                    rows::csv(bytes, &batch, std::mem::take(is_first))?;
                } else {
                    rows::json(bytes, &batch)?;
                }
                out.write_all(bytes).context(CANNOT_WRITE)
            }
            Self::Table { batches, rows, .. } => {
                *rows += batch.num_rows();
                if *rows > MAX_TABLE_ROWS {
                    return Err(Error::new(Usage::of(format!(
                        "a table has at most {MAX_TABLE_ROWS} rows, because it is in memory; use \
                         --format csv or json, --output FILE, or --limit N"
                    ))));
                }
                batches.push(batch);
                Ok(())
            }
            Self::Parquet(writer) => writer.write(&batch).context(CANNOT_WRITE),
        }
    }

    /// Writes the end. Returns whether rows of a table were dropped.
    pub(crate) fn finish(self) -> Result<bool> {
        match self {
            Self::Lines { mut out, .. } => {
                out.flush().context(CANNOT_WRITE)?;
                Ok(false)
            }
            Self::Table {
                mut out,
                batches,
                rows,
                cut,
                width,
            } => {
                let shown = cut.map_or(rows, |cut| cut.min(rows));
                let shown_rows = first_rows(&batches, shown);
                let table = match width {
                    Some(width) => fitted(&shown_rows, width)?,
                    None => rows::table(&shown_rows)?,
                };
                writeln!(out, "{table}").context(CANNOT_WRITE)?;
                Ok(shown < rows)
            }
            Self::Parquet(writer) => {
                writer.close().context(CANNOT_WRITE)?;
                Ok(false)
            }
        }
    }
}

const CANNOT_WRITE: &str = "cannot write the rows";

/// Whether a reader such as `head` has closed the pipe that the rows went to.
pub(crate) fn is_closed_pipe(error: &Error) -> bool {
    let cause = error.downcast_ref::<std::io::Error>();
    cause.is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

fn parquet_writer(schema: &SchemaRef, out: Destination) -> Result<ArrowWriter<Destination>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
        .build();
    // The Arrow schema names view types, which not every reader of Parquet has.
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    ArrowWriter::try_new_with_options(out, schema.clone(), options).map_err(|error| {
        Error::new(Usage::of(format!(
            "no Parquet file has these rows: {error}"
        )))
    })
}

/// Returns the first `count` rows of `batches`.
fn first_rows(batches: &[RecordBatch], count: usize) -> Vec<RecordBatch> {
    let mut left = count;
    let shown = batches.iter().map(|batch| {
        let rows = batch.num_rows().min(left);
        left -= rows;
        batch.slice(0, rows)
    });
    shown.collect()
}
