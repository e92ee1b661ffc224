//! When tasks last ran: noted in memory, written every second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{TaskRow, WebhookStore};
use webhook_model::TaskId;

use crate::guard::guarded;

#[derive(Debug)]
pub(crate) struct LastRuns {
    store: Arc<dyn WebhookStore>,
    runs: Mutex<Runs>,
}

#[derive(Debug, Default)]
struct Runs {
    noted: HashMap<TaskId, DateTime<Utc>>,
    /// What was taken to be written last: perhaps it is not written yet.
    taken: HashMap<TaskId, DateTime<Utc>>,
}

impl LastRuns {
    pub(crate) fn new(store: Arc<dyn WebhookStore>) -> Self {
        let runs = Mutex::default();
        Self { store, runs }
    }

    pub(crate) fn note(&self, tasks: impl Iterator<Item = TaskId>, now: DateTime<Utc>) {
        self.lock().noted.extend(tasks.map(|task| (task, now)));
    }

    /// A row as it will be when everything is written: who looks at a task does not wait for the
    /// runs of all others.
    pub(crate) fn seen(&self, mut row: TaskRow) -> TaskRow {
        let runs = self.lock();
        let noted = [&runs.noted, &runs.taken].map(|of| of.get(&row.id).copied());
        row.last_run = noted.into_iter().fold(row.last_run, Ord::max);
        row
    }

    /// Writes what was noted; what the store does not take is dropped, since the next run replaces
    /// it.
    pub(crate) async fn flush(&self) {
        let runs = self.take();
        if !runs.is_empty()
            && let Err(error) = self.store.record_task_runs(&runs).await
        {
            guarded(|| tracing::warn!(%error, "could not write when tasks last ran"));
        }
    }

    fn take(&self) -> Vec<(TaskId, DateTime<Utc>)> {
        let mut runs = self.lock();
        runs.taken = std::mem::take(&mut runs.noted);
        runs.taken.iter().map(|(task, at)| (*task, *at)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use gatepost_storage::webhooks::RecordStore as _;
    use gatepost_testkit::fault::{Fault, FaultStore};

    use super::*;
    use crate::testing::{Records, noon};

    #[tokio::test]
    async fn what_was_noted_last_is_written_once_and_dropped_if_it_is_refused() {
        let records = Records::new();
        let webhook = records.webhook(|_| {}).await;
        let task = records.task(webhook, "x", false).await;
        let store = Arc::new(FaultStore::new(records.store.clone()));
        let runs = LastRuns::new(store.clone());
        let later = noon() + chrono::TimeDelta::hours(1);
        runs.note([task].into_iter(), noon());
        runs.note([task].into_iter(), later);
        runs.flush().await;
        let written = async || records.store.task(task).await.unwrap().unwrap().last_run;
        assert_eq!(written().await, Some(later));
        assert_eq!(store.calls(), 1);
        runs.flush().await;
        assert_eq!(store.calls(), 1, "there is nothing more to write");

        store.fail("record_task_runs", 1, Fault::Refused);
        runs.note([task].into_iter(), noon());
        runs.flush().await;
        runs.flush().await;
        assert_eq!(store.calls(), 2);
        assert_eq!(written().await, Some(later));
    }
}
