//! A cache of small objects that never change.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use moka::future::Cache;
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, RenameOptions, Result,
};

/// Most bytes of an object that is read at once and kept. A page has some 100 bytes in `url_keys`. A
/// higher value keeps fewer objects in the same memory.
const MAX_OBJECT_BYTES: u64 = 1 << 20;

/// Objects of the greatest size that the cache has room for at least. With fewer, an object would be
/// read again, whole, for each of its ranges.
const MIN_OBJECTS: u64 = 8;

/// Wraps the network store of tables, so that an object of at most 1 MiB (an eighth of the cache, if
/// that is less) is read with one request however often it is used.
///
/// Opening a table reads every commit since the last checkpoint, some parts of the code read them
/// again, and a scan reads a data file with three requests or more. A nightly run over 57 dates
/// sent 1,489 requests for that reason. Only data files, checkpoints and commits are kept: their
/// names are never used for other bytes.
pub(crate) struct SmallObjects {
    store: Arc<dyn ObjectStore>,
    kept: Cache<Path, Object>,
    max_object_bytes: u64,
}

#[derive(Clone)]
enum Object {
    Small { bytes: Bytes, meta: ObjectMeta },
    Large,
}

impl SmallObjects {
    /// Creates a cache of at most `max_bytes`.
    pub(crate) fn new(store: Arc<dyn ObjectStore>, max_bytes: usize) -> Self {
        let weight = |path: &Path, object: &Object| {
            let bytes = match object {
                Object::Small { bytes, .. } => bytes.len(),
                Object::Large => 0,
            };
            // The cache needs some 200 bytes for an entry. Saturates above MAX_OBJECT_BYTES only.
            u32::try_from(bytes + path.as_ref().len() + 200).unwrap_or(u32::MAX)
        };
        let max_bytes = max_bytes as u64;
        let kept = Cache::builder()
            .max_capacity(max_bytes)
            .weigher(weight)
            .build();
        Self {
            store,
            kept,
            max_object_bytes: MAX_OBJECT_BYTES.min(max_bytes / MIN_OBJECTS),
        }
    }

    /// Returns the object at `location` if it is small. One task reads it, others wait for it. After an
    /// error, which all of them share, each asks the store itself and gets its own.
    async fn small(&self, location: &Path) -> Option<(Bytes, ObjectMeta)> {
        let found = self
            .kept
            .try_get_with(location.clone(), self.read(location));
        match found.await {
            Ok(Object::Small { bytes, meta }) => Some((bytes, meta)),
            Ok(Object::Large) | Err(_) => None,
        }
    }

    /// Returns `false` if an object with bytes in `range` is larger than the limit.
    fn may_be_small(&self, range: Option<&GetRange>) -> bool {
        let limit = self.max_object_bytes;
        match range {
            None => true,
            Some(GetRange::Bounded(range)) => range.end <= limit,
            Some(GetRange::Offset(offset)) => *offset < limit,
            Some(GetRange::Suffix(bytes)) => *bytes <= limit,
        }
    }

    async fn read(&self, location: &Path) -> Result<Object> {
        let start = GetOptions {
            range: Some(GetRange::Bounded(0..self.max_object_bytes)),
            ..GetOptions::default()
        };
        let found = self.store.get_opts(location, start).await?;
        if found.meta.size > self.max_object_bytes {
            return Ok(Object::Large);
        }
        let meta = found.meta.clone();
        let bytes = found.bytes().await?;
        Ok(Object::Small { bytes, meta })
    }
}

/// Whether the object at `location` never changes: a commit, a checkpoint or a data file.
fn is_immutable(location: &Path) -> bool {
    let Some(name) = location.filename() else {
        return false;
    };
    let version = name.strip_suffix(".json");
    name.ends_with(".parquet")
        || version.is_some_and(|version| {
            version.len() == 20 && version.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn is_plain(options: &GetOptions) -> bool {
    !options.head
        && options.if_match.is_none()
        && options.if_none_match.is_none()
        && options.if_modified_since.is_none()
        && options.if_unmodified_since.is_none()
        && options.version.is_none()
}

impl fmt::Debug for SmallObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

impl fmt::Display for SmallObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.store)
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl ObjectStore for SmallObjects {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.store.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.store.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let range = options.range.as_ref();
        if is_immutable(location)
            && is_plain(&options)
            && self.may_be_small(range)
            && let Some((bytes, meta)) = self.small(location).await
            && let Ok(range) = range.map_or(Ok(0..meta.size), |range| range.as_range(meta.size))
        {
            let part = slice(&bytes, &range);
            return Ok(GetResult {
                payload: GetResultPayload::Stream(Box::pin(futures::stream::iter([Ok(part)]))),
                meta,
                range,
                attributes: Attributes::default(),
            });
        }
        self.store.get_opts(location, options).await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let end = ranges.iter().map(|range| range.end).max();
        if is_immutable(location)
            && end.is_some_and(|end| end <= self.max_object_bytes)
            && let Some((bytes, meta)) = self.small(location).await
            && ranges
                .iter()
                .all(|range| range.start <= range.end && range.end <= meta.size)
        {
            return Ok(ranges.iter().map(|range| slice(&bytes, range)).collect());
        }
        self.store.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.store.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.store.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.store.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.store.rename_opts(from, to, options).await
    }
}

/// Returns the bytes in `range`, which ends at most at their length.
fn slice(bytes: &Bytes, range: &Range<u64>) -> Bytes {
    // An object of MAX_OBJECT_BYTES fits any address space.
    bytes.slice(range.start as usize..range.end as usize)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use object_store::ObjectStoreExt;
    use object_store::memory::InMemory;

    use super::*;

    /// Counts the requests that read.
    #[derive(Debug)]
    struct Counting(InMemory, AtomicUsize);

    impl fmt::Display for Counting {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Counting")
        }
    }

    #[async_trait]
    impl ObjectStore for Counting {
        async fn put_opts(
            &self,
            location: &Path,
            payload: PutPayload,
            options: PutOptions,
        ) -> Result<PutResult> {
            self.0.put_opts(location, payload, options).await
        }

        async fn put_multipart_opts(
            &self,
            location: &Path,
            options: PutMultipartOptions,
        ) -> Result<Box<dyn MultipartUpload>> {
            self.0.put_multipart_opts(location, options).await
        }

        async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.get_opts(location, options).await
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

        async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
            self.0.list_with_delimiter(prefix).await
        }

        async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
            self.0.copy_opts(from, to, options).await
        }
    }

    /// A store with an object of `bytes` bytes at `path`, and a cache in which a small object has at
    /// most 8 KiB.
    async fn stored(path: &str, bytes: usize) -> (Arc<Counting>, SmallObjects, Path) {
        let store = Arc::new(Counting(InMemory::new(), AtomicUsize::new(0)));
        let path = Path::from(path);
        let content: Vec<u8> = (0..bytes).map(|byte| (byte % 251) as u8).collect();
        store.put(&path, content.into()).await.unwrap();
        let cache = SmallObjects::new(Arc::clone(&store) as Arc<dyn ObjectStore>, 64 << 10);
        (store, cache, path)
    }

    async fn requests(path: &str, bytes: usize, ranges: &[Range<u64>]) -> usize {
        let (store, cache, path) = stored(path, bytes).await;
        for range in ranges {
            let found = cache.get_range(&path, range.clone()).await.unwrap();
            let expected: Vec<u8> = range.clone().map(|byte| (byte % 251) as u8).collect();
            assert_eq!(found, expected);
            let several = cache.get_ranges(&path, std::slice::from_ref(range)).await;
            assert_eq!(several.unwrap(), [Bytes::from(expected)]);
        }
        store.1.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn a_small_object_that_never_changes_is_read_once() {
        let ranges = [900..1000, 0..10, 10..900];
        for path in [
            "t/date=2011-10-24/part-1.parquet",
            "t/_delta_log/00000000000000000007.json",
            "t/_delta_log/00000000000000000010.checkpoint.parquet",
        ] {
            assert_eq!(requests(path, 1000, &ranges).await, 1, "{path}");
        }
        for path in ["t/_delta_log/_last_checkpoint", "_leases/a.json"] {
            assert_eq!(requests(path, 1000, &ranges).await, 6, "{path}");
        }
    }

    #[tokio::test]
    async fn a_large_object_is_read_by_ranges() {
        let large = 9 << 10;
        let ends = [large - 8..large, 0..8, 0..8];
        // One request more finds that it is large, with the first range that could be in a small one.
        assert_eq!(requests("t/a.parquet", 9 << 10, &ends).await, 7);
    }

    #[tokio::test]
    async fn the_cache_is_bounded_and_a_missing_object_is_not_kept() {
        let (store, cache, path) = stored("t/a.parquet", 7 << 10).await;
        let other = Path::from("t/b.parquet");
        assert!(matches!(
            cache.get(&other).await,
            Err(object_store::Error::NotFound { .. })
        ));
        for number in 0..40 {
            let path = Path::from(format!("t/{number}.parquet"));
            store.put(&path, vec![1; 7 << 10].into()).await.unwrap();
            for path in [&path, &other] {
                let _ = cache.get(path).await;
            }
        }
        store.put(&other, vec![2; 10].into()).await.unwrap();
        let found = cache.get(&other).await.unwrap();
        assert_eq!(found.bytes().await.unwrap(), vec![2; 10]);
        assert!(cache.get(&path).await.is_ok());
        cache.kept.run_pending_tasks().await;
        assert!(cache.kept.entry_count() > 2);
        assert!(cache.kept.weighted_size() <= 64 << 10);
    }

    #[tokio::test]
    async fn a_suffix_and_the_size_of_a_small_object_are_right() {
        let (_, cache, path) = stored("t/a.parquet", 1000).await;
        let suffix = GetOptions {
            range: Some(GetRange::Suffix(8)),
            ..GetOptions::default()
        };
        let found = cache.get_opts(&path, suffix).await.unwrap();
        assert_eq!((found.range.clone(), found.meta.size), (992..1000, 1000));
        assert_eq!(found.bytes().await.unwrap().len(), 8);
        assert_eq!(cache.head(&path).await.unwrap().size, 1000);
        let behind = cache.get_range(&path, 2000..2001).await;
        assert!(behind.is_err());
    }
}
