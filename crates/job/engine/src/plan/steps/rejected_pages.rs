//! Pages without text, as parse tasks report them.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::plan::steps::later_copies::Positions;

/// Sends the rows of pages without text, all of one object, from a parse task.
pub(crate) type RejectedSender = UnboundedSender<(String, Vec<i64>)>;

/// The pages without text among those of some tasks.
pub(crate) struct RejectedPages {
    tasks: UnboundedReceiver<(String, Vec<i64>)>,
    rows: Positions,
}

impl RejectedPages {
    pub(crate) fn channel() -> (RejectedSender, Self) {
        let (sender, tasks) = unbounded_channel();
        let rows = Positions::default();
        (sender, Self { tasks, rows })
    }

    /// Waits until all senders are dropped, and returns the pages.
    pub(crate) async fn all(&mut self) -> &Positions {
        while let Some((source, rows)) = self.tasks.recv().await {
            self.rows.extend(source, rows);
        }
        &self.rows
    }
}
