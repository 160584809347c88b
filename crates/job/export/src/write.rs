//! Writes documents to shards.

use std::collections::BTreeMap;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::SchemaRef;
use futures::StreamExt;
use sha2::{Digest, Sha256};
use tables::{Classified, Location, fail_point};
use tracing::info;

use crate::documents::{Columns, DATE, ID, TEXT, URL, languages};
use crate::encode::{self, Encoder};
use crate::error::{EncodeError, ExportError};
use crate::groups::Groups;
use crate::state::{self, Position, Record, Request, Shard, Written, shard_name};
use crate::store::Upload;
use crate::{Format, Part, Source, wet};

/// Bytes that are encoded before they are given to an upload. A lower value costs more calls.
const TAKEN_BYTES: usize = 1 << 20;

/// Writes all documents that are not in the shards of `records`. Returns all shards.
pub(crate) async fn shards(
    source: &impl Source,
    output: &Location,
    request: &Request,
    records: Vec<Record>,
) -> Result<Written, ExportError> {
    let begun = records.last().map(|record| record.end.clone());
    let mut writer = Writer {
        output,
        request,
        shards: records.into_iter().map(|record| record.shard).collect(),
        open: None,
        columns: None,
    };
    let written = writer.parts(source, begun).await;
    if written.is_err()
        && let Some(open) = writer.open.take()
    {
        open.upload.abort().await;
    }
    written.map(|()| Written {
        shards: writer.shards,
        columns: writer.columns,
    })
}

struct Writer<'a> {
    output: &'a Location,
    request: &'a Request,
    /// The shards that are whole.
    shards: Vec<Shard>,
    open: Option<OpenShard>,
    /// The columns of documents, once a part is read.
    columns: Option<SchemaRef>,
}

/// The shard that is being written.
struct OpenShard {
    encoder: Encoder,
    upload: Upload,
    documents: u64,
    languages: BTreeMap<String, u64>,
}

impl OpenShard {
    /// Counts documents that are written.
    fn count(&mut self, documents: &RecordBatch) {
        self.documents += documents.num_rows() as u64;
        let languages = languages(documents).into_iter().flatten().flatten();
        for language in languages.filter(|language| is_code(language)) {
            match self.languages.get_mut(language) {
                Some(count) => *count += 1,
                None => drop(self.languages.insert(language.to_owned(), 1)),
            }
        }
    }

    /// Returns the bytes of the file so far.
    fn bytes(&self) -> u64 {
        self.upload.bytes() + self.encoder.waiting() as u64
    }
}

/// A part that is being read.
struct OpenPart {
    part: Part,
    /// Rows that are in shards or in the open one.
    rows: u64,
    /// Digest of these rows.
    digest: Sha256,
    /// The end of the last shard of an earlier start, if that is in this part and not reached yet.
    begun: Option<Position>,
}

impl OpenPart {
    fn position(&self) -> Position {
        Position {
            part: self.part.to_string(),
            rows: self.rows,
            digest: hex::encode(self.digest.clone().finalize()),
        }
    }

    fn add(&mut self, documents: &RecordBatch, row: usize) {
        for field in [ID, TEXT, URL, DATE] {
            let value = documents.column(field).as_string::<i32>().value(row);
            self.digest.update(value.len().to_le_bytes());
            self.digest.update(value);
        }
        self.rows += 1;
    }
}

impl Writer<'_> {
    async fn parts(
        &mut self,
        source: &impl Source,
        begun: Option<Position>,
    ) -> Result<(), ExportError> {
        let parts = source.parts();
        let is_begun = |part: &Part| begun.as_ref().is_some_and(|at| at.part == part.to_string());
        // The parts before are in shards.
        let first = parts.iter().position(is_begun).unwrap_or(0);
        let mut last = None;
        for part in &parts[first..] {
            let begun = begun.clone().filter(|begun| begun.part == part.to_string());
            let part = OpenPart {
                part: *part,
                rows: 0,
                digest: Sha256::new(),
                begun,
            };
            last = Some(self.part(source, part).await?);
        }
        match last {
            Some(end) => self.close(end).await,
            None => Ok(()),
        }
    }

    /// Writes the documents of a part. Returns its end.
    async fn part(
        &mut self,
        source: &impl Source,
        mut part: OpenPart,
    ) -> Result<Position, ExportError> {
        let format = self.request.format;
        let rows = source.rows(part.part).await.map_err(of_source)?;
        let columns = Columns::of(&rows.schema)?;
        self.columns = Some(SchemaRef::clone(columns.schema()));
        let (mut batches, mut groups, mut read) = (rows.batches, Groups::default(), 0);
        while let Some(batch) = batches.next().await {
            let batch = batch.map_err(of_source)?;
            let source = &self.request.source;
            let documents = columns.documents(&batch, source, &part.part, read, format)?;
            read += documents.num_rows() as u64;
            let documents = self.without_begun(&mut part, &documents)?;
            for group in groups.add(&documents).map_err(encoding(format))? {
                self.group(columns.schema(), &group, &mut part).await?;
            }
        }
        // A group is of one part, so that the position of its rows is known.
        if let Some(rest) = groups.close().map_err(encoding(format))? {
            self.group(columns.schema(), &rest, &mut part).await?;
        }
        match &part.begun {
            Some(begun) if part.position() != *begun => Err(self.other_rows(&part)),
            _ => Ok(part.position()),
        }
    }

    /// Returns the documents that are not in shards of an earlier start.
    fn without_begun(
        &self,
        part: &mut OpenPart,
        documents: &RecordBatch,
    ) -> Result<RecordBatch, ExportError> {
        let mut row = 0;
        if let Some(begun) = part.begun.clone() {
            while part.rows < begun.rows && row < documents.num_rows() {
                part.add(documents, row);
                row += 1;
            }
            if part.rows == begun.rows {
                if part.position() != begun {
                    return Err(self.other_rows(part));
                }
                part.begun = None;
            }
        }
        Ok(documents.slice(row, documents.num_rows() - row))
    }

    /// Writes documents, and closes each shard that has its size.
    async fn group(
        &mut self,
        schema: &SchemaRef,
        group: &RecordBatch,
        part: &mut OpenPart,
    ) -> Result<(), ExportError> {
        let format = self.request.format;
        let documents = match format {
            Format::Parquet | Format::FineWeb => return self.row_group(schema, group, part).await,
            Format::Wet => {
                let records = wet::records(group).map_err(encoding(format))?;
                records.map_err(|wrong| ExportError::Date {
                    text: wrong.text,
                    row: part.rows + wrong.row as u64 + 1,
                    part: part.part.to_string(),
                })?
            }
            Format::JsonLines | Format::JsonLinesZstd | Format::JsonLinesGzip => {
                encode::lines(group).map_err(encoding(format))?
            }
        };
        for (row, bytes) in documents.iter().enumerate() {
            let first = group.slice(row, 1);
            let open = self.open(schema, &first).await?;
            if let Encoder::Bytes(compressor) = &mut open.encoder {
                compressor.write(bytes).map_err(encoding(format))?;
            }
            open.count(&first);
            part.add(group, row);
            self.close_if_full(part).await?;
        }
        Ok(())
    }

    /// Writes documents to a Parquet file, which is cut after them at the earliest.
    async fn row_group(
        &mut self,
        schema: &SchemaRef,
        group: &RecordBatch,
        part: &mut OpenPart,
    ) -> Result<(), ExportError> {
        let format = self.request.format;
        let open = self.open(schema, group).await?;
        if let Encoder::Parquet(file) = &mut open.encoder {
            file.write(group).map_err(encoding(format))?;
        }
        open.count(group);
        for row in 0..group.num_rows() {
            part.add(group, row);
        }
        self.close_if_full(part).await
    }

    /// Returns the open shard, or opens one whose first document is the first of `documents`.
    async fn open(
        &mut self,
        schema: &SchemaRef,
        documents: &RecordBatch,
    ) -> Result<&mut OpenShard, ExportError> {
        let format = self.request.format;
        let (open, is_new) = match self.open.take() {
            Some(open) => (open, false),
            None => {
                let name = shard_name(format, self.shards.len());
                let open = OpenShard {
                    encoder: Encoder::new(format, schema).map_err(encoding(format))?,
                    upload: Upload::new(self.output, name),
                    documents: 0,
                    languages: BTreeMap::new(),
                };
                (open, true)
            }
        };
        let open = self.open.insert(open);
        if is_new && format == Format::Wet {
            let file = open.upload.name().rsplit('/').next().unwrap_or_default();
            let info = wet::warcinfo(file, documents).map_err(encoding(format))?;
            open.upload.write(&info).await?;
        }
        Ok(open)
    }

    /// Closes the open shard if it has its size. Otherwise sends what is encoded.
    async fn close_if_full(&mut self, part: &OpenPart) -> Result<(), ExportError> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if open.bytes() >= self.request.shard_bytes {
            return self.close(part.position()).await;
        }
        if open.encoder.waiting() >= TAKEN_BYTES {
            let bytes = open.encoder.take();
            open.upload.write(&bytes).await?;
        }
        Ok(())
    }

    /// Closes the open shard, if there is one. `end` is the position of its last document.
    async fn close(&mut self, end: Position) -> Result<(), ExportError> {
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        let rest = open.encoder.finish();
        let rest = rest.map_err(encoding(self.request.format))?;
        open.upload.write(&rest).await?;
        let path = open.upload.name().to_owned();
        fail_point(format_args!("export.shard"));
        let uploaded = open.upload.finish().await?;
        fail_point(format_args!("export.record"));
        let shard = Shard {
            path,
            documents: open.documents,
            bytes: uploaded.bytes,
            sha256: uploaded.sha256,
            languages: open.languages,
        };
        info!("{}: {} documents", shard.path, shard.documents);
        let number = self.shards.len();
        let shard = state::record(self.output, self.request, number, shard, end).await?;
        self.shards.push(shard);
        Ok(())
    }

    fn other_rows(&self, part: &OpenPart) -> ExportError {
        ExportError::OtherRows {
            folder: self.output.to_string(),
            part: part.part.to_string(),
            row: part.rows,
        }
    }
}

/// Whether a text has the form of a code of ISO 639. All others are not counted, so that the counts are few.
fn is_code(language: &str) -> bool {
    matches!(language.len(), 2 | 3) && language.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn of_source(error: impl Classified + Send + Sync + 'static) -> ExportError {
    ExportError::Source(Box::new(error))
}

fn encoding<E: Into<EncodeError>>(format: Format) -> impl FnOnce(E) -> ExportError {
    move |source| ExportError::Encode {
        format,
        source: source.into(),
    }
}
