use std::ops::Range;
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

/// An object in one state. A run reads it many times, and half of an object and
/// half of its successor would be neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ObjectState {
    /// Its path relative to the archive's location: the `source` column.
    pub(crate) source: String,
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// What its store tells states of it by; `None` until it was read once: a
    /// listing may spell it differently.
    pub(crate) version: Option<String>,
}

/// Reads one object. It differs from the readers of `parquet` and DataFusion in
/// that an error of the store stays one: those turn it into text, and a store
/// that is down must not look like an object that is no Parquet. And it reads
/// one state of the object or fails.
#[derive(Debug, Clone)]
pub(crate) struct StoreReader {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) path: Path,
    pub(crate) state: ObjectState,
}

fn external(error: EngineError) -> ParquetError {
    ParquetError::External(Box::new(error))
}

/// The entity tag, else the time of the last change, written as the weak tag
/// that it is.
fn version(meta: &ObjectMeta) -> String {
    match &meta.e_tag {
        Some(tag) => tag.clone(),
        None => format!("W/{}", meta.last_modified.to_rfc3339()),
    }
}

impl StoreReader {
    /// The bytes in `range`, and the version of the object they are of.
    async fn get(&self, range: Range<u64>) -> std::result::Result<(Bytes, String), EngineError> {
        let strong = |version: &&String| !version.starts_with("W/");
        let options = GetOptions {
            range: Some(range.into()),
            // Stores that know this header need not send anything else.
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
            // The status is known by its text alone.
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

impl AsyncFileReader for StoreReader {
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

    /// The footer, and the page index where the object has one: it lets a
    /// selection of rows skip pages.
    fn get_metadata<'a>(
        &'a mut self,
        _: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, Result<Arc<ParquetMetaData>>> {
        async move {
            let bytes = self.state.bytes;
            let metadata = ParquetMetaDataReader::new()
                .with_page_index_policy(PageIndexPolicy::Optional)
                .load_and_finish(self, bytes)
                .await?;
            Ok(Arc::new(metadata))
        }
        .boxed()
    }
}
