//! The transaction for a batch, and the steps after it.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Enqueue, NewOutbox, Origin, Precondition, RemainingTasks, StoredDelivery,
};

use super::batch::Batch;
use super::emitted::Emitted;
use super::emitter::{Emitter, unnamed};
use super::finder::Ask;
use super::plan::{Plan, Spent};
use super::sink::{Decided, Sink};
use crate::guard::guarded;
use crate::meter;

impl Emitter {
    /// Returns the content of the transaction, all or nothing. The deliveries are moved out of the
    /// batch.
    pub(super) fn enqueue(
        &self,
        ask: &Ask<'_>,
        sink: &Sink,
        batch: &mut Batch,
        precondition: Precondition,
        rest: Option<RemainingTasks>,
        now: DateTime<Utc>,
    ) -> Enqueue {
        // If tasks remain in the row by number, the waiting ones are among them.
        let in_row = matches!(
            (sink, &rest),
            (Sink::Row(_), Some(RemainingTasks::Tasks(_)))
        );
        let later = (!in_row && !batch.later.is_empty()).then(|| NewOutbox {
            occurrence: unnamed(ask.occurrence),
            left: RemainingTasks::Tasks(batch.later.keys().copied().collect()),
            by: ask.by,
            due: now,
        });
        Enqueue {
            precondition,
            origin: origin(ask, sink, batch, rest, now),
            deliveries: std::mem::take(&mut batch.deliveries),
            consume: batch.consume.clone(),
            later: later.into_iter().collect(),
        }
    }

    /// The result if the batch is empty: no task waits, or no owner may receive the occurrence.
    pub(super) fn nothing(&self, batch: &Batch, plan: &Plan) -> Decided {
        self.count(batch, plan);
        Decided::Stored {
            emitted: emitted(batch, plan),
            used: Spent::default(),
            left: None,
            waits: false,
        }
    }

    pub(super) fn stored(
        &self,
        batch: Batch,
        plan: &Plan,
        stored: Vec<StoredDelivery>,
        rest: Option<RemainingTasks>,
    ) -> Decided {
        self.count(&batch, plan);
        meter::deliveries_enqueued(stored.len());
        let emitted = emitted(&batch, plan);
        let waits = all_wait(&batch, rest.as_ref());
        let mut spent = batch.used.clone();
        if !batch.later.is_empty()
            && rest
                .as_ref()
                .is_none_or(|rest| matches!(rest, RemainingTasks::After(_)))
        {
            // They now have their own rows, and run no further tasks of these owners.
            batch
                .later
                .values()
                .for_each(|owner| spent.add(*owner, 1, 0));
            self.wake.notify_one();
        }
        self.launcher.launch(&stored, batch.slips);
        Decided::Stored {
            emitted: Emitted {
                deliveries: stored.into_iter().map(|stored| stored.id).collect(),
                ..emitted
            },
            used: spent,
            left: rest,
            waits,
        }
    }

    fn count(&self, batch: &Batch, plan: &Plan) {
        for (owner, used) in batch.used.iter() {
            self.core
                .access
                .stored(owner, used.tasks as u64, used.bytes as u64);
        }
        for ((owner, webhook, reason), count) in &batch.rejected {
            let access = &self.core.access;
            access.rejected(*owner, *webhook, *reason, *count);
            if !plan.untold {
                let watch = &self.launcher.worker.watch;
                watch.rejected(*webhook, *owner, *reason, *count);
            }
        }
        for (task, error) in &batch.unrendered {
            guarded(|| tracing::error!(task = task.0, %error, "a task did not run"));
        }
    }
}

fn origin(
    ask: &Ask<'_>,
    sink: &Sink,
    batch: &Batch,
    rest: Option<RemainingTasks>,
    now: DateTime<Utc>,
) -> Origin {
    match sink {
        Sink::Emit(origin) => origin.clone(),
        Sink::Row(row) => {
            let due = match (all_wait(batch, rest.as_ref()), &ask.left) {
                (false, _) => row.next,
                (true, RemainingTasks::Tasks(_)) => row.wait,
                // The platform was asked about them only in passing.
                (true, RemainingTasks::After(_)) => now,
            };
            Origin::Outbox {
                row: row.id,
                turn: row.turn,
                occurrence: row.named.clone(),
                left: rest.map(|left| (left, due)),
            }
        }
    }
}

/// Whether none of the remaining tasks is decided yet.
fn all_wait(batch: &Batch, rest: Option<&RemainingTasks>) -> bool {
    let later = &batch.later;
    matches!(rest, Some(RemainingTasks::Tasks(tasks)) if tasks.iter().all(|task| later.contains_key(task)))
}

fn emitted(batch: &Batch, plan: &Plan) -> Emitted {
    Emitted {
        pending: !batch.later.is_empty(),
        unrendered: batch.unrendered.clone(),
        rejected: batch.rejected.values().sum(),
        unheard: plan.unheard,
        ..Emitted::default()
    }
}
