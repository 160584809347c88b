use std::fs::File;
use std::future::ready;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use object_store::path::Path;
use object_store::{
    GetOptions, OBJECT_STORE_COALESCE_DEFAULT, ObjectMeta, ObjectStore, coalesce_ranges,
};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};

use crate::error::EngineError;

/// One state of an object. A run reads an object many times, and must not mix two states.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ObjectState {
    /// Path relative to the location of the archive: the `source` column.
    pub(crate) source: String,
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// Version by which the store distinguishes states. `None` until the first read, because a
    /// listing may format it differently.
    pub(crate) version: Option<String>,
}

/// Bytes at the end of an object that are read at once. They usually have the whole footer with the
/// page index: without them, it takes three requests, one after the other. A higher value reads
/// more bytes in vain.
const FOOTER_BYTES: usize = 64 << 10;

/// Reads one state of one object.
///
/// The readers of `parquet` and DataFusion turn a store error into text, so that a store that is
/// down looks like an object that is not Parquet. This reader keeps the store error. It also
/// fails if the object is no longer in the expected state.
#[derive(Debug, Clone)]
pub(crate) struct StoreReader {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) path: Path,
    pub(crate) state: ObjectState,
}

/// Reads an object: a Parquet file in the store, or the pages of a WARC file, which wait in a temporary one.
#[derive(Debug, Clone)]
pub(crate) enum ObjectReader {
    Store(StoreReader),
    Temporary(TemporaryReader),
}

/// Reads a temporary file.
#[derive(Debug, Clone)]
pub(crate) struct TemporaryReader {
    pub(crate) file: Arc<File>,
    /// Bytes of the temporary file.
    pub(crate) bytes: u64,
    /// The state of the object whose pages are in the file.
    pub(crate) state: ObjectState,
}

impl ObjectReader {
    /// The state that is read.
    pub(crate) fn state(&self) -> &ObjectState {
        match self {
            Self::Store(reader) => &reader.state,
            Self::Temporary(reader) => &reader.state,
        }
    }

    /// Bytes of the disk that the reader keeps.
    pub(crate) fn disk_bytes(&self) -> u64 {
        match self {
            Self::Store(_) => 0,
            Self::Temporary(reader) => reader.bytes,
        }
    }
}

impl AsyncFileReader for ObjectReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes>> {
        match self {
            Self::Store(reader) => reader.get_bytes(range),
            Self::Temporary(reader) => reader.get_bytes(range),
        }
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, Result<Vec<Bytes>>> {
        match self {
            Self::Store(reader) => reader.get_byte_ranges(ranges),
            Self::Temporary(reader) => reader.get_byte_ranges(ranges),
        }
    }

    /// Reads the footer, and the page index if the object has one. With it, a row selection skips
    /// pages.
    fn get_metadata<'a>(
        &'a mut self,
        _: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, Result<Arc<ParquetMetaData>>> {
        async move {
            let bytes = match self {
                Self::Store(reader) => reader.state.bytes,
                Self::Temporary(reader) => reader.bytes,
            };
            let metadata = ParquetMetaDataReader::new()
                .with_page_index_policy(PageIndexPolicy::Optional)
                .with_prefetch_hint(Some(FOOTER_BYTES))
                .load_and_finish(self, bytes)
                .await?;
            Ok(Arc::new(metadata))
        }
        .boxed()
    }
}

impl TemporaryReader {
    /// Reads on the calling thread, as spilled rows are read: the bytes were just written.
    fn read(&self, range: &Range<u64>) -> Result<Bytes> {
        let bytes = usize::try_from(range.end - range.start)
            .map_err(|error| ParquetError::External(error.into()))?;
        let mut read = vec![0; bytes];
        self.file.read_exact_at(&mut read, range.start)?;
        Ok(read.into())
    }

    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes>> {
        ready(self.read(&range)).boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, Result<Vec<Bytes>>> {
        ready(ranges.iter().map(|range| self.read(range)).collect()).boxed()
    }
}

fn external(error: EngineError) -> ParquetError {
    ParquetError::External(Box::new(error))
}

/// Returns the entity tag, else the time of the last change in the form of a weak tag.
pub(crate) fn version(meta: &ObjectMeta) -> String {
    match &meta.e_tag {
        Some(tag) => tag.clone(),
        None => format!("W/{}", meta.last_modified.to_rfc3339()),
    }
}

impl StoreReader {
    /// Reads the bytes in `range`. Returns them with the version of the object.
    async fn get(&self, range: Range<u64>) -> std::result::Result<(Bytes, String), EngineError> {
        let strong = |version: &&String| !version.starts_with("W/");
        let options = GetOptions {
            range: Some(range.into()),
            // Lets the store refuse another version without sending it.
            if_match: self.state.version.as_ref().filter(strong).cloned(),
            ..GetOptions::default()
        };
        let got = self.store.get_opts(&self.path, options).await;
        let got = got.map_err(|error| self.failed(error))?;
        let version = version(&got.meta);
        let known = self.state.version.as_ref().unwrap_or(&version);
        if got.meta.size != self.state.bytes || version != *known {
            return Err(self.changed("another object is in its place"));
        }
        let bytes = got.bytes().await.map_err(|error| self.failed(error))?;
        Ok((bytes, version))
    }

    fn failed(&self, source: object_store::Error) -> EngineError {
        match source {
            object_store::Error::NotFound { .. } => self.changed("it is gone"),
            object_store::Error::Precondition { .. } => {
                self.changed("another object is in its place")
            }
            // `object_store` gives the status 416 only in the text of the error.
            source if source.to_string().contains(" 416 ") => self.changed("it is shorter now"),
            source => EngineError::Store {
                doing: "read",
                object: self.state.source.clone(),
                source,
            },
        }
    }

    fn changed(&self, change: &'static str) -> EngineError {
        EngineError::Changed {
            source_object: self.state.source.clone(),
            change,
        }
    }
}

impl StoreReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes>> {
        async move {
            let (bytes, version) = self.get(range).await.map_err(external)?;
            self.state.version.get_or_insert(version);
            Ok(bytes)
        }
        .boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, Result<Vec<Bytes>>> {
        async move {
            let get = |range| self.get(range).map_ok(|(bytes, _)| bytes);
            coalesce_ranges(&ranges, get, OBJECT_STORE_COALESCE_DEFAULT)
                .await
                .map_err(external)
        }
        .boxed()
    }
}
