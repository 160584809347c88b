use std::fs::File;
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
use parquet::errors::ParquetError;
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
pub(crate) struct ObjectReader {
    pub(crate) state: ObjectState,
    pub(crate) content: Content,
}

/// Where the bytes of a Parquet file are.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// The object itself.
    Store {
        store: Arc<dyn ObjectStore>,
        path: Path,
    },
    /// The pages of a WARC file.
    Temporary { file: Arc<File>, bytes: u64 },
}

impl ObjectState {
    /// Returns the version of the object that the store describes by `meta`: the entity tag, else the time of the last
    /// change in the form of a weak tag.
    ///
    /// # Errors
    /// [`EngineError::Changed`] if the object is in another state.
    pub(super) fn version_of(&self, meta: &ObjectMeta) -> Result<String, EngineError> {
        let weak_tag = || format!("W/{}", meta.last_modified.to_rfc3339());
        let version = meta.e_tag.clone().unwrap_or_else(weak_tag);
        let is_known = (self.version.as_ref()).is_none_or(|known| *known == version);
        match meta.size == self.bytes && is_known {
            true => Ok(version),
            false => Err(self.changed("another object is in its place")),
        }
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
                object: self.source.clone(),
                source,
            },
        }
    }

    fn changed(&self, change: &'static str) -> EngineError {
        EngineError::Changed {
            source_object: self.source.clone(),
            change,
        }
    }
}

impl ObjectReader {
    /// Bytes of the disk that the reader keeps, if it does.
    pub(crate) fn disk_bytes(&self) -> Option<u64> {
        match self.content {
            Content::Store { .. } => None,
            Content::Temporary { bytes, .. } => Some(bytes),
        }
    }
}

impl AsyncFileReader for ObjectReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes, ParquetError>> {
        async move {
            match &self.content {
                Content::Store { store, path } => {
                    let (bytes, version) = get(&self.state, store, path, range)
                        .await
                        .map_err(external)?;
                    self.state.version.get_or_insert(version);
                    Ok(bytes)
                }
                Content::Temporary { file, .. } => read(file, &range),
            }
        }
        .boxed()
    }

    fn get_byte_ranges(
        &mut self,
        ranges: Vec<Range<u64>>,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, ParquetError>> {
        async move {
            match &self.content {
                Content::Store { store, path } => {
                    let get =
                        |range| get(&self.state, store, path, range).map_ok(|(bytes, _)| bytes);
                    coalesce_ranges(&ranges, get, OBJECT_STORE_COALESCE_DEFAULT)
                        .await
                        .map_err(external)
                }
                Content::Temporary { file, .. } => {
                    ranges.iter().map(|range| read(file, range)).collect()
                }
            }
        }
        .boxed()
    }

    /// Reads the footer, and the page index if the object has one. With it, a row selection skips
    /// pages.
    fn get_metadata<'a>(
        &'a mut self,
        _: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, Result<Arc<ParquetMetaData>, ParquetError>> {
        async move {
            let bytes = self.disk_bytes().unwrap_or(self.state.bytes);
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

/// Reads the bytes in `range` of the object in `state`. Returns them with its version.
async fn get(
    state: &ObjectState,
    store: &Arc<dyn ObjectStore>,
    path: &Path,
    range: Range<u64>,
) -> Result<(Bytes, String), EngineError> {
    let strong = |version: &&String| !version.starts_with("W/");
    let options = GetOptions {
        range: Some(range.into()),
        // Lets the store refuse another version without sending it.
        if_match: state.version.as_ref().filter(strong).cloned(),
        ..GetOptions::default()
    };
    let got = store.get_opts(path, options).await;
    let got = got.map_err(|error| state.failed(error))?;
    let version = state.version_of(&got.meta)?;
    let bytes = got.bytes().await.map_err(|error| state.failed(error))?;
    Ok((bytes, version))
}

/// Reads on the calling thread, as spilled rows are read: the bytes were just written.
fn read(file: &File, range: &Range<u64>) -> Result<Bytes, ParquetError> {
    let mut read = vec![0; usize::try_from(range.end - range.start)?];
    file.read_exact_at(&mut read, range.start)?;
    Ok(read.into())
}

fn external(error: EngineError) -> ParquetError {
    ParquetError::External(Box::new(error))
}
