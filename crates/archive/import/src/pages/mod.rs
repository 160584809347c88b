//! Imports lists of pages: CSV, JSON Lines or Parquet with a row for each page, which is in the row or in
//! a file that the row names. The files of a mirror are rows of a list that is not there.

mod columns;
mod csv_rows;
pub(crate) mod error;
mod folders;
pub(crate) mod lines;
mod mirror;
pub(crate) mod parquet_rows;
mod positions;
mod row;
mod text_rows;

use std::collections::HashSet;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use futures::{StreamExt, TryStreamExt};
use md5::{Digest, Md5};
use tables::Location;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;

pub use columns::{Column, ColumnError, ColumnName, Columns};
pub use error::RowsError;
pub use mirror::{PageTime, PageTimeError};

use crate::error::ImportError;
use crate::inputs::{self, Input};
use crate::manifest::Manifest;
use crate::page::Page;
use crate::quarantine::{Kind, Quarantine, Quarantined};
use crate::source::{Source, Watch};
use crate::spool::{Spool, TemporaryFolder};
use crate::write::{self, Content, Counts};
use crate::{Progress, Report};
use csv_rows::Dialect;
use folders::Folders;
use mirror::{Comment, Mirror};
use parquet_rows::ParquetRows;
use row::{Listed, Reason, Row, Value, Values};
use text_rows::TextRows;

/// Most bytes of a row beside the page: its URL, title, path and columns that are not used.
const MAX_ROW_BYTES: u64 = 1 << 20;

/// Settings of an import of pages.
#[derive(Debug, Clone)]
pub struct PageOptions {
    /// The names of columns in the lists. With a name for [`Column::Html`], pages are in the rows.
    pub columns: Columns,
    /// Folders of the files. Without any, they are in the folder of the list.
    pub folders: Vec<Location>,
    /// The time of all pages of mirrors. Without it, HTTrack's or that of their files.
    pub time: Option<PageTime>,
    /// Pages that are read at a time. A higher number needs more memory.
    pub pages_at_a_time: NonZeroUsize,
    /// Most bytes of a page. A larger one is quarantined.
    pub max_page_bytes: u64,
    /// Folder of temporary files. Without it, they are in `TMPDIR`.
    pub spill_dir: Option<PathBuf>,
}

impl Default for PageOptions {
    /// Pages of at most 32 MiB, eight at a time, in files beside the list.
    fn default() -> Self {
        Self {
            columns: Columns::default(),
            folders: Vec::new(),
            time: None,
            pages_at_a_time: NonZeroUsize::MIN.saturating_add(7),
            max_page_bytes: 32 << 20,
            spill_dir: None,
        }
    }
}

/// Imports the pages of `lists` into the archive at `output`, one list after the other. Without lists,
/// each folder is the mirror of a site. See the crate for the layout.
///
/// # Errors
/// [`ImportError`]. Lists that were done before the error are kept.
pub async fn import_pages(
    lists: &[String],
    output: &Location,
    options: &PageOptions,
    progress: &impl Progress,
) -> Result<Report, ImportError> {
    let mut found = Vec::new();
    for list in lists {
        let location = Location::parse(list)?;
        let mut input = inputs::file(location.clone()).await?;
        let files = files(&input, &location, options);
        if files.is_none() && !options.folders.is_empty() {
            return Err(ImportError::Rows {
                list: input.label,
                problem: RowsError::Folders,
            });
        }
        input.tag = Some(tag(&input, files.as_ref(), output, options).await?);
        found.push(input);
    }
    if lists.is_empty() {
        for folder in &options.folders {
            found.push(mirror_input(folder, output, options).await?);
        }
    }
    let is_mirror = lists.is_empty();
    let import = |input, before, sender| {
        let (output, options) = (output.clone(), options.clone());
        import_list(input, is_mirror, before, output, options, sender)
    };
    crate::import_inputs(found, output, NonZeroUsize::MIN, progress, import).await
}

/// Returns the input of a folder that is a mirror.
async fn mirror_input(
    folder: &Location,
    output: &Location,
    options: &PageOptions,
) -> Result<Input, ImportError> {
    let problem = |problem| ImportError::Rows {
        list: folder.to_string(),
        problem,
    };
    if folder.is_web() {
        return Err(problem(RowsError::NoListing));
    }
    let files = folders::list(folder, output).await?;
    if files.is_empty() {
        return Err(problem(RowsError::NoFile));
    }
    let mut input = Input::folder(folder, files.iter().map(|file| file.size).sum());
    let mirror = Folders(vec![folder.clone()]);
    input.tag = Some(tag(&input, Some(&mirror), output, options).await?);
    Ok(input)
}

/// A format of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv(Dialect),
    JsonLines,
    Parquet,
}

impl Format {
    fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        Some(match plain.rsplit_once('.')?.1 {
            "csv" => Self::Csv(Dialect::Csv),
            "tsv" => Self::Csv(Dialect::Tsv),
            "jsonl" | "ndjson" => Self::JsonLines,
            "parquet" if plain == name => Self::Parquet,
            _ => return None,
        })
    }
}

/// The folders of the files of a list, or `None` if pages are in its rows.
fn files(input: &Input, list: &Location, options: &PageOptions) -> Option<Folders> {
    let is_parquet = Format::of(&input.label) == Some(Format::Parquet);
    let names_path = options.columns.names(Column::Path);
    if options.columns.names(Column::Html) || (is_parquet && !names_path) {
        return None;
    }
    if !options.folders.is_empty() {
        return Some(Folders(options.folders.clone()));
    }
    let parent = list.url().join(".").ok()?;
    Some(Folders(vec![Location::parse(parent.as_str()).ok()?]))
}

/// Returns a text that changes with the list, its files and the settings.
async fn tag(
    input: &Input,
    files: Option<&Folders>,
    output: &Location,
    options: &PageOptions,
) -> Result<String, ImportError> {
    let list = input.tag.as_deref().unwrap_or_default();
    let mut state = format!("{list} {:?} {}", options.columns, options.max_page_bytes);
    if let Some(PageTime(micros)) = options.time {
        state += &format!(" {micros}");
    }
    if let Some(files) = files {
        for folder in &files.0 {
            state += &format!(" {}", folder.url().as_str().trim_end_matches('/'));
        }
        state += &files.digest(output).await?;
    }
    Ok(hex(Md5::digest(state.as_bytes()).as_slice()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A list, before its first row is read.
enum Opened {
    Text(Format, Source),
    Parquet(ParquetRows),
    Mirror(Mirror),
}

/// The rows of a list.
enum Rows {
    Text(TextRows),
    Parquet(ParquetRows),
    Mirror(Mirror),
}

/// Reads the pages of a list.
struct Reader {
    input: Input,
    options: PageOptions,
    files: Option<Folders>,
    is_mirror: bool,
    runtime: Handle,
    progress: UnboundedSender<u64>,
}

/// Imports one list, or one mirror.
async fn import_list(
    input: Input,
    is_mirror: bool,
    before: Option<Manifest>,
    output: Location,
    options: PageOptions,
    progress: UnboundedSender<u64>,
) -> Result<Manifest, ImportError> {
    let rows_error = |problem| ImportError::Rows {
        list: input.label.clone(),
        problem,
    };
    let location = input.location.clone();
    let location = location.ok_or_else(|| rows_error(RowsError::UnknownFormat))?;
    let files = match is_mirror {
        true => Some(Folders(vec![location.clone()])),
        false => files(&input, &location, &options),
    };
    let needed = [
        Column::FetchedAt,
        Column::Url,
        if files.is_some() {
            Column::Path
        } else {
            Column::Html
        },
    ];
    let watch = Watch::default();
    let columns = options.columns.clone();
    let opened = match Format::of(&input.label) {
        _ if is_mirror => {
            let found = folders::list(&location, &output).await?;
            Opened::Mirror(Mirror::new(location, found, options.time))
        }
        None => return Err(rows_error(RowsError::UnknownFormat)),
        Some(Format::Parquet) => {
            let rows = ParquetRows::open(&location, input.bytes, &columns, &needed).await;
            Opened::Parquet(rows.map_err(rows_error)?)
        }
        Some(text) => Opened::Text(
            text,
            Source::open(&input, progress.clone(), watch.clone()).await?,
        ),
    };
    let folder = TemporaryFolder(options.spill_dir.clone());
    let page_bytes = files.as_ref().map_or(options.max_page_bytes, |_| 0);
    // JSON writes some letters as six bytes.
    let max_row = MAX_ROW_BYTES.saturating_add(page_bytes.saturating_mul(6));
    let reader = Reader {
        input: input.clone(),
        options,
        files,
        is_mirror,
        runtime: Handle::current(),
        progress,
    };
    let spool = folder.clone();
    let content = tokio::task::spawn_blocking(move || {
        let rows = match opened {
            Opened::Parquet(rows) => Ok(Rows::Parquet(rows)),
            Opened::Mirror(rows) => Ok(Rows::Mirror(rows)),
            Opened::Text(Format::Csv(dialect), bytes) => {
                TextRows::csv(bytes, dialect, &columns, &needed, max_row).map(Rows::Text)
            }
            Opened::Text(_, bytes) => TextRows::json_lines(bytes, columns, max_row).map(Rows::Text),
        };
        let rows = rows.map_err(|problem| reader.rows_error(problem))?;
        reader.read(rows, &spool)
    });
    let content = content.await.map_err(|_| write::ended(&input))?;
    watch.check(&input)?;
    let bytes = watch.bytes();
    write::write(content?, &input, bytes, before.as_ref(), &output, &folder).await
}

impl Reader {
    fn rows_error(&self, problem: RowsError) -> ImportError {
        ImportError::Rows {
            list: self.input.label.clone(),
            problem,
        }
    }

    fn spool_error(&self, source: io::Error) -> ImportError {
        ImportError::Spool {
            input: self.input.label.clone(),
            source,
        }
    }

    /// Reads all rows and their pages. Waits for stores, so it runs on a blocking thread.
    fn read(&self, mut rows: Rows, folder: &TemporaryFolder) -> Result<Content, ImportError> {
        let mut spool = Spool::new(folder).map_err(|error| self.spool_error(error))?;
        let (mut pages, mut quarantine) = (Vec::new(), Quarantine::default());
        let (mut seen, mut repeated, mut shown) = (HashSet::new(), 0_u64, 0);
        loop {
            let mut some = Vec::new();
            while some.len() < self.options.pages_at_a_time.get() {
                let row = match &mut rows {
                    Rows::Text(rows) => rows.next(),
                    Rows::Parquet(rows) => rows.next(&self.runtime),
                    Rows::Mirror(rows) => rows.next(&self.runtime),
                };
                match row.map_err(|problem| self.rows_error(problem))? {
                    Some(row) => some.push(row),
                    None => break,
                }
            }
            if some.is_empty() {
                break;
            }
            if let (Rows::Parquet(rows), Some(bytes)) = (&rows, self.input.bytes) {
                let done = (rows.share() * bytes as f64) as u64;
                // The receiver of the progress may be gone.
                let _ = self.progress.send(done.saturating_sub(shown));
                shown = done;
            }
            let read = some.into_iter().map(|row| self.page(row));
            let read = futures::stream::iter(read).buffered(self.options.pages_at_a_time.get());
            for found in self.runtime.block_on(read.try_collect::<Vec<_>>())? {
                let (number, listed) = match found {
                    Ok(found) => found,
                    Err(bad) => {
                        quarantine.add(*bad);
                        continue;
                    }
                };
                let page = self.spooled(number, listed, &mut seen, &mut spool);
                match page.map_err(|error| self.spool_error(error))? {
                    Some(page) => pages.push(page),
                    None => repeated += 1,
                }
            }
        }
        let mut counts = Counts::default();
        (counts.records).insert("page".to_owned(), pages.len() as u64);
        if repeated > 0 {
            (counts.records).insert("repeated".to_owned(), repeated);
        }
        if let Rows::Mirror(Mirror { others, .. }) = rows
            && others > 0
        {
            (counts.not_pages).insert("file that is not HTML".to_owned(), others);
        }
        Ok(Content {
            kind: Kind::List,
            pages,
            bodies: spool.finish().map_err(|error| self.spool_error(error))?,
            counts,
            quarantine,
            revisits: Vec::new(),
            progress: String::new(),
        })
    }

    /// Returns the page of a row with its HTML, or the reason why there is none.
    async fn page(&self, row: Row) -> Result<Result<(i64, Listed), Box<Quarantined>>, ImportError> {
        let number = row.number;
        let (mut url, mut path) = (None, None);
        let values = match row.values {
            Ok(values) if self.is_mirror => self.mirrored(values).await?,
            values => values,
        };
        let listed = values.and_then(|values| {
            url = values.said(Column::Url).map(str::to_owned);
            path = values.said(Column::Path).map(str::to_owned);
            Listed::try_from(values)
        });
        let listed = match listed {
            Ok(listed) if self.is_mirror => Ok(listed),
            Ok(listed) => self.with_html(listed).await?,
            Err(reason) => Err(reason),
        };
        Ok(listed.map(|listed| (number, listed)).map_err(|reason| {
            Box::new(Quarantined {
                file: None,
                position: number,
                name: path,
                record_type: None,
                url,
                kind: reason.kind(),
                reason: reason.to_string(),
            })
        }))
    }

    /// Reads a file of a mirror. The comment of HTTrack is more certain than path and time of the file.
    async fn mirrored(&self, mut values: Values) -> Result<Result<Values, Reason>, ImportError> {
        let (Some(files), Some(path)) = (&self.files, values.said(Column::Path)) else {
            return Ok(Ok(values));
        };
        let html = files.read(path, self.options.max_page_bytes).await?;
        Ok(html.map(|html| {
            let comment = Comment::of(&html);
            if let Some(url) = comment.url {
                values.set(Column::Url, Value::Text(url));
            }
            if let (Some(micros), None) = (comment.time, self.options.time) {
                values.set(Column::FetchedAt, Value::Time(micros));
            }
            values.set(Column::Html, Value::Bytes(html.into()));
            values
        }))
    }

    async fn with_html(&self, mut listed: Listed) -> Result<Result<Listed, Reason>, ImportError> {
        let limit = self.options.max_page_bytes;
        let Some(files) = &self.files else {
            listed.path = None;
            return Ok(match &listed.html {
                None => Err(Reason::Missing(Column::Html)),
                Some(html) if html.len() as u64 > limit => Err(Reason::TooLarge {
                    bytes: html.len() as u64,
                    limit,
                }),
                Some(_) => Ok(listed),
            });
        };
        let Some(path) = &listed.path else {
            return Ok(Err(Reason::Missing(Column::Path)));
        };
        let html = files.read(path, limit).await?;
        Ok(html.map(|html| {
            listed.html = Some(html.into());
            listed
        }))
    }

    /// Puts the HTML of a page into `spool`. Returns `None` if an earlier row has the page: the URL,
    /// the time, the title and the bytes are equal.
    fn spooled(
        &self,
        number: i64,
        listed: Listed,
        seen: &mut HashSet<[u8; 16]>,
        spool: &mut Spool,
    ) -> io::Result<Option<Page>> {
        let html = listed.html.unwrap_or_default();
        let payload_digest = warc::payload_digest(&html);
        let title = listed.title.as_deref().unwrap_or_default();
        let (time, url) = (listed.fetched_at, &listed.url);
        let key = format!("{time}\n{url}\n{payload_digest}\n{title}");
        if !seen.insert(Md5::digest(key.as_bytes()).into()) {
            return Ok(None);
        }
        Ok(Some(Page {
            file: None,
            fetched_at: listed.fetched_at,
            url: listed.url,
            request_url: listed.request_url,
            title: listed.title,
            content_type: listed.content_type,
            charset: listed.charset,
            status: listed.status,
            x_robots_tag: listed.x_robots_tag,
            tdm_reservation: listed.tdm_reservation,
            position: number,
            name: listed.path,
            payload_digest,
            body: spool.append(&html)?,
            site_hash: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_is_its_format() {
        assert_eq!(Format::of("a/B.CSV"), Some(Format::Csv(Dialect::Csv)));
        assert_eq!(Format::of("a.tsv.gz"), Some(Format::Csv(Dialect::Tsv)));
        assert_eq!(Format::of("a.jsonl"), Some(Format::JsonLines));
        assert_eq!(Format::of("a.parquet"), Some(Format::Parquet));
        for other in ["a.parquet.gz", "csv", "a.json", "a"] {
            assert_eq!(Format::of(other), None, "{other}");
        }
    }
}
