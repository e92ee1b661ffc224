//! A draft: a batch that is decided and rendered, but not stored.

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Enqueue, Enqueued, Origin, RemainingTasks, RoutesVersion};
use webhook_model::{OwnerId, TaskId};

use super::batch::Batch;
use super::emitter::Emitter;
use super::finder::Ask;
use super::plan::{Plan, Spent};
use super::preconditions::Races;
use super::sink::{Decided, Sink};
use crate::access::{Authorizer, Headroom};
use crate::error::EmitError;
use crate::routes::{Matched, MatchedTask};
use crate::small_map::Few;

/// The resources that were used before a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before<'a> {
    /// Used by its occurrence, as far as is known.
    pub occurrence: &'a Spent,
    /// Used by the drafts that will be stored together with it, which the quotas do not count yet.
    pub set: &'a Spent,
    /// None of these drafts is, or leaves, a row of the outbox that it must not overtake.
    pub first: bool,
}

impl Before<'_> {
    /// Returns the owner's headroom for pending deliveries.
    pub(super) fn room(&self, authorizer: &Authorizer, owner: OwnerId) -> Headroom {
        let (room, ahead) = (authorizer.headroom(owner), self.set.of(owner));
        Headroom {
            deliveries: room.deliveries.saturating_sub(ahead.tasks as u64),
            bytes: room.bytes.saturating_sub(ahead.bytes as u64),
        }
    }
}

#[derive(Debug)]
pub(super) struct Draft {
    matched: Matched,
    plan: Plan,
    batch: Batch,
    rest: Option<RemainingTasks>,
    now: DateTime<Utc>,
}

/// A batch that is decided without the store.
#[derive(Debug)]
pub(super) enum Drafted {
    /// There is nothing to store.
    Decided(Decided),
    /// It must not overtake the drafts that will be stored together with it: these must be stored
    /// first.
    NotFirst,
    /// The caller must store this and then [conclude](Emitter::conclude) the draft.
    Draft(Box<Draft>, Enqueue),
}

impl Emitter {
    pub(super) async fn draft(
        &self,
        ask: &Ask<'_>,
        sink: &Sink,
        before: Before<'_>,
        races: &mut Races,
    ) -> Result<Drafted, EmitError> {
        loop {
            let matched = self.finder.matched(ask).await?;
            if !before.first && ask.keeps_order(&matched) {
                return Ok(Drafted::NotFirst);
            }
            races.ahead = self.ahead(ask, sink, &matched, &mut races.open).await?;
            let hearing = &mut races.hearing;
            self.finder.hear(ask, &matched, hearing).await;
            let plan = self.plan(ask, &matched, before, races);
            if plan.more && matches!(sink, Sink::Emit(_)) {
                return Ok(Drafted::Decided(Decided::TooMuch));
            }
            let now = self.core.clock.now()?;
            let (mut batch, end) = self.fill(ask, &plan, before, now).await?;
            if end.is_some() && matches!(sink, Sink::Emit(_)) {
                return Ok(Drafted::Decided(Decided::TooMuch));
            }
            let rest = rest(ask, sink, &matched, &batch, end);
            if rest.as_ref() == Some(&ask.left) {
                let undecided = races.ahead.undecided(&matched, &batch);
                return Ok(Drafted::Decided(undecided));
            }
            if matches!(sink, Sink::Emit(Origin::Direct)) && batch.is_empty() {
                // Nothing is stored, so nothing checks the versions: they must be read.
                let tables = &self.finder.tables;
                if races.refreshed || tables.are_current(&matched.seen).await? {
                    return Ok(Drafted::Decided(self.nothing(&batch, &plan)));
                }
                tables.refresh(&matched.seen).await?;
                races.refreshed = true;
                continue;
            }
            let precondition = races.precondition(&matched, &batch);
            let enqueue = self.enqueue(ask, sink, &mut batch, precondition, rest.clone(), now);
            let draft = Draft {
                matched,
                plan,
                batch,
                rest,
                now,
            };
            return Ok(Drafted::Draft(Box::new(draft), enqueue));
        }
    }

    /// Plans the tasks. A manual run was counted before it was run.
    fn plan(
        &self,
        ask: &Ask<'_>,
        matched: &Matched,
        before: Before<'_>,
        races: &mut Races,
    ) -> Plan {
        let mut runs = races.runs.take();
        if runs.is_none() && ask.by.is_none() {
            runs = self.core.access.caused_runs(ask.occurrence);
        }
        if let Some(runs) = &mut runs {
            // Gives back the runs of an earlier try.
            runs.keep(0);
        }
        let mut plan = Plan::new(
            &matched.tasks,
            &ask.left,
            |task| races.hearing(task),
            before.occurrence,
            &self.limits,
            |owner| before.room(&self.core.access, owner),
            |owner| runs.as_mut().is_none_or(|runs| runs.admit(owner)),
        );
        races.runs = runs;
        plan.untold = self.core.access.own().include(&ask.occurrence.event_type);
        plan
    }

    /// Returns the result that follows from the store's answer.
    ///
    /// # Errors
    /// The records have changed: once these realms, of which these versions were seen, are read
    /// again, the batch can be drafted again.
    pub(super) fn conclude(
        &self,
        draft: Draft,
        stored: Enqueued,
        races: &mut Races,
    ) -> Result<Decided, Vec<(Realm, RoutesVersion)>> {
        let matched = &draft.matched;
        match stored {
            Enqueued::AlreadyKnown => Ok(Decided::Repeated),
            Enqueued::RoutesChanged => {
                races.lost(matched);
                Err(draft.matched.seen)
            }
            Enqueued::RowsChanged(rows) => {
                races.lost_rows(matched, &rows);
                Err(draft.matched.seen)
            }
            Enqueued::Stored {
                deliveries, moved, ..
            } => {
                if let Some(runs) = &mut races.runs {
                    runs.keep(draft.batch.used.of(runs.owner()).tasks);
                }
                if races.by_places() {
                    let tables = &self.finder.tables;
                    tables.consumed(&draft.batch.consume, &matched.seen, &moved);
                }
                let Draft {
                    plan, batch, rest, ..
                } = draft;
                Ok(self.stored(batch, &plan, deliveries, rest))
            }
        }
    }

    pub(super) fn room(
        &self,
        rooms: &mut Few<OwnerId, Headroom>,
        owner: OwnerId,
        before: Before<'_>,
    ) -> Headroom {
        *rooms.get_or(owner, || before.room(&self.core.access, owner))
    }
}

impl Draft {
    /// The time of the decision.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// The resources that it will use.
    pub(super) fn used(&self) -> &Spent {
        &self.batch.used
    }

    /// The number of deliveries, and the bytes of their messages.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.batch.slips.len(), self.batch.bytes)
    }
}

/// Returns the remaining tasks when a batch is stored that ends with the task `end`.
fn rest(
    ask: &Ask<'_>,
    sink: &Sink,
    matched: &Matched,
    batch: &Batch,
    end: Option<TaskId>,
) -> Option<RemainingTasks> {
    let open = |id: &TaskId| batch.later.contains_key(id) || end.is_some_and(|end| *id > end);
    let waits = |task: &MatchedTask| task.webhook.in_order && batch.later.contains_key(&task.id());
    let tasks: Vec<TaskId> = match (&ask.left, sink) {
        (RemainingTasks::Tasks(tasks), _) => tasks.iter().copied().filter(open).collect(),
        // In a separate row it would be behind rows that were written later.
        (RemainingTasks::After(_), Sink::Row(_)) if matched.tasks.iter().any(waits) => {
            let tasks = matched.tasks.iter().map(MatchedTask::id);
            tasks.filter(open).collect()
        }
        (RemainingTasks::After(_), _) => return end.map(RemainingTasks::After),
    };
    (!tasks.is_empty()).then_some(RemainingTasks::Tasks(tasks))
}
