//! Puts that succeed if they already succeeded.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    RenameOptions, Result, UploadPart,
};

/// Wraps a network store, where the response to a put can be lost, so that a
/// retried put recognises its own object.
///
/// A retried put-if-absent finds the object of its first attempt and would report
/// another writer's, so that a successful commit would count as a conflict. On such
/// a conflict the existing object is read; equal bytes mean that the first attempt
/// succeeded. Two writers never put equal bytes: a commit names its run and data
/// files, and a new table has an id. Completing a multipart upload is handled
/// likewise, because a retry finds no upload.
#[derive(Debug)]
pub struct IdempotentPuts<S>(Arc<S>);

impl<S: ObjectStore> IdempotentPuts<S> {
    /// Wraps `store`.
    pub fn new(store: S) -> Self {
        Self(Arc::new(store))
    }

    /// Returns the object at `location` if its bytes are `payload`.
    async fn find(&self, location: &Path, payload: PutPayload) -> Result<Option<PutResult>> {
        let found = match self.0.get(location).await {
            Err(Error::NotFound { .. }) => return Ok(None),
            found => found?,
        };
        let put = PutResult {
            e_tag: found.meta.e_tag.clone(),
            version: found.meta.version.clone(),
        };
        let own = found.bytes().await? == Bytes::from(payload);
        Ok(own.then_some(put))
    }
}

impl<S: fmt::Display> fmt::Display for IdempotentPuts<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl<S: ObjectStore> ObjectStore for IdempotentPuts<S> {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let if_absent = options.mode == PutMode::Create;
        match self.0.put_opts(location, payload.clone(), options).await {
            Err(exists @ Error::AlreadyExists { .. }) if if_absent => {
                self.find(location, payload).await?.ok_or(exists)
            }
            answer => answer,
        }
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Ok(Box::new(IdempotentUpload {
            upload: self.0.put_multipart_opts(location, options).await?,
            store: Arc::clone(&self.0),
            location: location.clone(),
            bytes: 0,
        }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.0.get_opts(location, options).await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.0.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.0.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.0.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.0.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.0.rename_opts(from, to, options).await
    }
}

/// A multipart upload. If completing it fails, an object of the uploaded size means
/// that the first attempt succeeded: only data files are so large, and their names
/// are random.
#[derive(Debug)]
struct IdempotentUpload<S> {
    upload: Box<dyn MultipartUpload>,
    store: Arc<S>,
    location: Path,
    /// Bytes uploaded so far.
    bytes: u64,
}

#[async_trait]
impl<S: ObjectStore> MultipartUpload for IdempotentUpload<S> {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        self.bytes += data.content_length() as u64;
        self.upload.put_part(data)
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let failed = match self.upload.complete().await {
            Ok(put) => return Ok(put),
            Err(failed) => failed,
        };
        match self.store.head(&self.location).await {
            Ok(found) if found.size == self.bytes => Ok(PutResult {
                e_tag: found.e_tag,
                version: found.version,
            }),
            _ => Err(failed),
        }
    }

    async fn abort(&mut self) -> Result<()> {
        self.upload.abort().await
    }
}
