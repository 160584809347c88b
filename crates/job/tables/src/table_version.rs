//! A table at a version that a commit has made.

use deltalake::{DeltaResult, DeltaTable};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

/// A table at one version. After a commit, the version is read at its first use: that takes three answers of a
/// store, for which the next commit need not wait.
#[derive(Clone)]
pub struct TableVersion {
    number: Option<u64>,
    table: Shared<BoxFuture<'static, Option<DeltaTable>>>,
}

impl From<DeltaTable> for TableVersion {
    fn from(table: DeltaTable) -> Self {
        Self {
            number: table.version(),
            table: std::future::ready(Some(table)).boxed().shared(),
        }
    }
}

impl TableVersion {
    /// The version `number`, which `read` returns.
    pub(crate) fn after_commit(
        number: u64,
        read: impl Future<Output = DeltaResult<DeltaTable>> + Send + 'static,
    ) -> Self {
        Self {
            number: Some(number),
            // The commit is made. The next user opens the table again, and meets the same error or none.
            table: read.map(Result::ok).boxed().shared(),
        }
    }

    /// Returns the number of the version.
    pub fn number(&self) -> Option<u64> {
        self.number
    }

    /// Returns the table, or `None` if it cannot be read.
    pub async fn table(&self) -> Option<DeltaTable> {
        self.table.clone().await
    }
}
