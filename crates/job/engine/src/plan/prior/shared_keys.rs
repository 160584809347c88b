//! The URL keys of a chunk for the steps of a plan, of which some may be in other processes.
//!
//! As a part of the plan, each key took ten bytes of each message to a worker, and a message of gRPC ends at 2 GiB. So a plan
//! that may travel names an object of the store that has the keys.

use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::MemoryPool;
use futures::StreamExt;
use object_store::{ObjectStoreExt, WriteMultipart};
use tables::{Location, UNIT_TIME};
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::plan::prior::chunk_keys::ChunkKeys;
use crate::tables_state::table_files::external;

/// The folder of the objects, beside the folders of the tables.
const FOLDER: &str = "_keys";

/// Hashes that are written or read at a time.
const PART_HASHES: usize = 1 << 20;

/// The keys of a chunk, in this process or in an object.
#[derive(Debug, Clone)]
pub(crate) struct SharedKeys {
    keys: Arc<OnceCell<ChunkKeys>>,
    /// The object that has them.
    file: Option<KeyFile>,
}

/// An object with the keys of a chunk.
#[derive(Debug, Clone)]
pub(crate) struct KeyFile(Location);

impl SharedKeys {
    /// Keys for a plan of this process.
    pub(crate) fn here(keys: ChunkKeys) -> Self {
        Self {
            keys: Arc::new(OnceCell::from(keys)),
            file: None,
        }
    }

    /// Keys for a plan that may travel: writes them below `output`.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn written(keys: ChunkKeys, output: &Location) -> Result<Self> {
        let file = KeyFile::write(&keys, output).await?;
        Ok(Self {
            file: Some(file),
            ..Self::here(keys)
        })
    }

    /// Keys that are read from the object `name` below `output`, when a step asks for them.
    pub(crate) fn named(name: &str, output: &Location) -> Self {
        Self {
            keys: Arc::default(),
            file: Some(KeyFile::named(name, output)),
        }
    }

    /// The object that has the keys.
    pub(crate) fn file(&self) -> Option<&KeyFile> {
        self.file.as_ref()
    }

    /// The name of the object.
    ///
    /// # Errors
    /// If the keys are in this process only.
    pub(crate) fn name(&self) -> Result<&str> {
        let name = self.file.as_ref().and_then(|file| file.0.path().filename());
        name.ok_or_else(|| DataFusionError::Internal("keys of a plan that travels".to_owned()))
    }

    /// Returns the keys, and reads them if they are not in this process. `pool` counts them.
    ///
    /// # Errors
    /// Where the object cannot be read, or `pool` has no room for them.
    pub(crate) async fn get(&self, pool: &Arc<dyn MemoryPool>) -> Result<&ChunkKeys> {
        let read = || async {
            match &self.file {
                Some(file) => file.read(pool).await,
                None => Err(DataFusionError::Internal("no keys".to_owned())),
            }
        };
        self.keys.get_or_try_init(read).await
    }
}

impl KeyFile {
    fn named(name: &str, output: &Location) -> Self {
        Self(output.child(FOLDER).child(name))
    }

    /// Writes three lengths and the hashes, each as eight bytes. Objects that a killed run left are deleted.
    async fn write(keys: &ChunkKeys, output: &Location) -> Result<Self> {
        let folder = output.child(FOLDER);
        folder.delete_older(UNIT_TIME).await.map_err(external)?;
        let file = Self::named(&Uuid::new_v4().to_string(), output);
        let upload = file.0.store().put_multipart(file.0.path()).await;
        let mut upload = WriteMultipart::new(upload.map_err(external)?);
        let hashes = keys.hashes();
        for hashes in hashes {
            upload.write(&(hashes.len() as u64).to_le_bytes());
        }
        for part in hashes.iter().flat_map(|hashes| hashes.chunks(PART_HASHES)) {
            upload.wait_for_capacity(1).await.map_err(external)?;
            let bytes: Vec<u8> = part.iter().flat_map(|hash| hash.to_le_bytes()).collect();
            upload.write(&bytes);
        }
        upload.finish().await.map_err(external)?;
        Ok(file)
    }

    async fn read(&self, pool: &Arc<dyn MemoryPool>) -> Result<ChunkKeys> {
        let found = self.0.store().get(self.0.path()).await.map_err(external)?;
        let mut stream = found.into_stream();
        let mut numbers = Numbers::default();
        while let Some(bytes) = stream.next().await {
            numbers.add(&bytes.map_err(external)?);
        }
        let Some(hashes) = numbers.sets() else {
            return Err(DataFusionError::Execution(format!("{} is damaged", self.0)));
        };
        ChunkKeys::of(hashes, pool)
    }

    /// Deletes the object. If that fails, a plan of another day deletes it.
    pub(crate) async fn delete(&self) {
        let _ = self.0.store().delete(self.0.path()).await;
    }
}

/// Numbers of eight bytes, of which a part may be in the next bytes.
#[derive(Default)]
struct Numbers {
    numbers: Vec<i64>,
    rest: Vec<u8>,
}

impl Numbers {
    fn add(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let (whole, rest) = self.rest.as_chunks::<8>();
        self.numbers
            .extend(whole.iter().copied().map(i64::from_le_bytes));
        self.rest = rest.to_vec();
    }

    /// Returns the three sets. `None` if bytes are missing or left.
    fn sets(self) -> Option<[Vec<i64>; 3]> {
        let (lengths, mut hashes) = self.numbers.split_first_chunk::<3>()?;
        let mut sets = [Vec::new(), Vec::new(), Vec::new()];
        for (set, length) in sets.iter_mut().zip(lengths) {
            let (own, left) = hashes.split_at_checked(usize::try_from(*length).ok()?)?;
            *set = own.to_vec();
            hashes = left;
        }
        (hashes.is_empty() && self.rest.is_empty()).then_some(sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_in_any_pieces() {
        let numbers: Vec<i64> = vec![2, 0, 3, -1, 5, i64::MIN, 7, i64::MAX];
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        for size in [1, 3, 8, 13, 64] {
            let mut read = Numbers::default();
            for piece in bytes.chunks(size) {
                read.add(piece);
            }
            let sets = read.sets().unwrap();
            assert_eq!(sets, [vec![-1, 5], vec![], vec![i64::MIN, 7, i64::MAX]]);
        }
        for damaged in [&bytes[..bytes.len() - 1], &bytes[..16], &bytes[..56]] {
            let mut read = Numbers::default();
            read.add(damaged);
            assert!(read.sets().is_none());
        }
    }
}
