//! The command `sql`: the rows of a query, written while the query runs.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result};
use arrow::array::RecordBatch;
use console::Term;
use engine::{EngineError, Job};
use query::QueryRows;
use tokio::sync::{mpsc, oneshot};

use crate::args::{JobArgs, OutputArgs, QueryFormat};
use crate::row_sink::{Destination, RowSink, is_closed_pipe};
use crate::runtime::{Interrupted, until_interrupted};
use crate::usage::Usage;

#[derive(Debug, clap::Args)]
pub(crate) struct SqlArgs {
    #[command(flatten)]
    job: JobArgs,
    #[command(flatten)]
    rows: OutputArgs,
    /// Stop after this many rows. Without --limit, a table on a terminal has at most 1000
    /// rows.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// SQL query, or SHOW TABLES. - is standard input.
    query: String,
}

/// Runs the query and writes its rows.
pub(crate) fn sql(args: &SqlArgs, quiet: bool) -> Result<()> {
    let request = Request::new(&args.rows, args.limit)?;
    let job = args.job.open()?;
    let query = match args.query.as_str() {
        "-" => std::io::read_to_string(std::io::stdin()).context("cannot read the query")?,
        query => query.to_owned(),
    };
    let rows = query::stream_query(&job, &query, request.limit);
    write_rows(&job, rows, &request, quiet)
}

/// Most rows of a table on a terminal without `--limit`: more scroll out of its history.
const TERMINAL_ROWS: usize = 1000;

/// The format and the limit of the rows of a query, and the file to write them to.
pub(crate) struct Request {
    format: QueryFormat,
    /// Ends the query after this many rows.
    limit: Option<usize>,
    /// Drops the rows of a table after this many.
    cut: Option<usize>,
    output: Option<PathBuf>,
    /// Columns of the terminal that the rows go to.
    width: Option<usize>,
}

impl Request {
    /// Checks the arguments.
    ///
    /// # Errors
    /// [`Usage`].
    pub(crate) fn new(args: &OutputArgs, limit: Option<usize>) -> Result<Self, Usage> {
        let (format, output) = (args.format, args.output.as_ref());
        let format = match (format, output) {
            (Some(QueryFormat::Parquet), None) => {
                return Err(Usage::of("--format parquet: Parquet needs --output FILE"));
            }
            (Some(format), _) => format,
            (None, Some(path)) => format_of(path)?,
            (None, None) => QueryFormat::Table,
        };
        if let Some(path) = output {
            refuse_other_places(path)?;
        }
        let on_terminal = output.is_none() && std::io::stdout().is_terminal();
        let cut = (format == QueryFormat::Table && on_terminal && limit.is_none())
            .then_some(TERMINAL_ROWS);
        Ok(Self {
            format,
            // With one row more, the sink knows whether it dropped rows.
            limit: limit.or(cut.map(|rows| rows + 1)),
            cut,
            output: output.cloned(),
            width: Term::stdout()
                .size_checked()
                .filter(|_| on_terminal && !args.wide)
                .map(|(_, columns)| columns.into()),
        })
    }
}

/// Returns the format that the ending of a file name stands for.
fn format_of(path: &Path) -> Result<QueryFormat, Usage> {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    match ending.as_deref() {
        Some("csv") => Ok(QueryFormat::Csv),
        Some("json" | "jsonl" | "ndjson") => Ok(QueryFormat::Json),
        Some("parquet") => Ok(QueryFormat::Parquet),
        _ => Err(Usage::of(format!(
            "--output {}: the ending names no format; use .csv, .jsonl or .parquet, or give \
             --format",
            path.display()
        ))),
    }
}

/// Refuses a URL, and a device or folder, which a file cannot replace.
fn refuse_other_places(path: &Path) -> Result<(), Usage> {
    let shown = path.display();
    if path.to_string_lossy().contains("://") {
        return Err(Usage::of(format!(
            "--output {shown}: expected a file on this machine, not a URL"
        )));
    }
    match path.metadata() {
        Ok(there) if !there.is_file() => Err(Usage::of(format!(
            "--output {shown}: not a regular file; leave --output out to write to standard output"
        ))),
        _ => Ok(()),
    }
}

/// Writes rows until all are written or the command is interrupted. A file is left as it was if the query
/// fails or is interrupted.
pub(crate) fn write_rows(
    job: &Job,
    rows: impl Future<Output = Result<QueryRows, EngineError>>,
    request: &Request,
    quiet: bool,
) -> Result<()> {
    let written = async { write(rows.await?, request).await };
    let is_cut = until_interrupted(job, Interrupted::Query, written)?;
    if is_cut && !quiet {
        note_cut()?;
    }
    Ok(())
}

/// Writes the rows. Returns whether rows of a table were dropped.
async fn write(rows: QueryRows, request: &Request) -> Result<bool> {
    let file = request.output.as_deref().map(PartialFile::create);
    let (file, out) = match file.transpose()? {
        Some((partial, file)) => (Some(partial), Destination::File(file)),
        None => (None, Destination::Stdout(std::io::stdout())),
    };
    let sink = RowSink::new(
        request.format,
        &rows.schema(),
        out,
        request.cut,
        request.width,
    )?;
    // A write to a full pipe blocks until its reader reads. It blocks a separate thread, so that
    // signals are handled meanwhile, and the query computes the next batch.
    let (sender, batches) = mpsc::channel(1);
    let (written, result) = oneshot::channel();
    std::thread::Builder::new()
        .name("rows".to_owned())
        .spawn(move || written.send(write_all(sink, batches)))
        .context("cannot start a thread")?;
    tokio::spawn(forward(rows, sender));
    let cut = match result
        .await
        .context("the thread that writes rows has ended")?
    {
        // The reader has all rows that it wants.
        Err(error) if file.is_none() && is_closed_pipe(&error) => return Ok(false),
        result => result?,
    };
    if let Some(file) = file {
        file.publish()?;
    }
    Ok(cut)
}

/// Sends batches until the query ends or fails, or the receiver is dropped. The first batch is
/// empty, so that the header is written at once.
async fn forward(mut rows: QueryRows, sender: mpsc::Sender<Result<RecordBatch, EngineError>>) {
    let mut next = Some(Ok(RecordBatch::new_empty(rows.schema())));
    while let Some(batch) = next {
        if sender.send(batch).await.is_err() {
            return;
        }
        next = rows.next().await;
    }
}

fn write_all(
    mut sink: RowSink,
    mut batches: mpsc::Receiver<Result<RecordBatch, EngineError>>,
) -> Result<bool> {
    while let Some(batch) = batches.blocking_recv() {
        sink.write(batch?)?;
    }
    sink.finish()
}

/// A file that gets its name when it is complete. Dropped before, it is removed.
struct PartialFile {
    path: PathBuf,
    target: PathBuf,
    is_published: bool,
}

impl PartialFile {
    fn create(target: &Path) -> Result<(Self, File)> {
        let mut name = target.as_os_str().to_owned();
        name.push(".partial");
        let path = PathBuf::from(name);
        let file = File::create(&path);
        let file = file.with_context(|| format!("cannot create {}", path.display()))?;
        let partial = Self {
            path,
            target: target.to_owned(),
            is_published: false,
        };
        Ok((partial, file))
    }

    fn publish(mut self) -> Result<()> {
        let renamed = std::fs::rename(&self.path, &self.target);
        renamed.with_context(|| format!("cannot write {}", self.target.display()))?;
        self.is_published = true;
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_published {
            // The command has failed already.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Prints to standard error that the table on the terminal is cut.
fn note_cut() -> Result<()> {
    let mut stderr = std::io::stderr().lock();
    writeln!(
        stderr,
        "note: only the first {TERMINAL_ROWS} rows are shown; use --limit N for more, or \
         --output FILE for all"
    )
    .map_err(Error::from)
}
