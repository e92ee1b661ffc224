//! When tasks last ran: noted in memory, written every second.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use webhook_model::TaskId;

use crate::engine::Inner;

#[derive(Debug, Default)]
pub(crate) struct Runs(Mutex<HashMap<TaskId, DateTime<Utc>>>);

impl Runs {
    pub(crate) fn note(&self, tasks: impl Iterator<Item = TaskId>, now: DateTime<Utc>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(tasks.map(|task| (task, now)));
    }

    fn take(&self) -> Vec<(TaskId, DateTime<Utc>)> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain()
            .collect()
    }
}

impl Inner {
    /// Writes what was noted; what the store does not take is dropped, since the next run replaces
    /// it.
    pub(crate) async fn flush_runs(&self) {
        let runs = self.runs.take();
        if !runs.is_empty()
            && let Err(error) = self.store.record_task_runs(&runs).await
        {
            tracing::warn!(%error, "the last runs of tasks were not written");
        }
    }
}
