//! One bite: decided, rendered, stored; decided again if the records changed in between.

use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use gatepost_storage::webhooks::{Enqueued, Left, Origin, OutboxId};
use webhook_model::{OccurrenceId, TaskId};

use super::bite::Bite;
use super::emitted::Emitted;
use super::emitter::Emitter;
use super::finder::Ask;
use super::plan::{Plan, Spent};
use super::races::Races;
use crate::error::EmitError;

/// Where what is decided goes.
#[derive(Debug)]
pub(super) enum Sink {
    /// An emit: all at once.
    Emit(Origin),
    /// A row of the outbox: as much as fits.
    Row(RowAt),
}

/// A row of the outbox at one turn.
#[derive(Clone, Debug)]
pub(super) struct RowAt {
    pub id: OutboxId,
    pub turn: u32,
    /// The id of the occurrence in its place, while nothing of it is stored.
    pub named: Option<(Place, OccurrenceId)>,
    /// When what does not fit is due.
    pub next: DateTime<Utc>,
    /// When that is due of which nothing is known yet.
    pub wait: DateTime<Utc>,
}

/// What became of a bite.
#[derive(Debug)]
pub(super) enum Decided {
    /// It was done before, by this or another process.
    Repeated,
    /// It is more than an emit stores at once. Nothing was stored.
    TooMuch,
    /// Nothing is known of any task that was asked for by number. Nothing was stored.
    Undecided,
    /// It was stored.
    Stored {
        emitted: Emitted,
        /// What it used.
        used: Spent,
        /// What is left of the row.
        left: Option<Left>,
        /// Of that, nothing is known yet.
        waits: bool,
    },
}

impl Emitter {
    /// `spent` is what the occurrence used before, as far as is known.
    pub(super) async fn decide(
        &self,
        ask: &Ask<'_>,
        sink: &Sink,
        spent: &Spent,
    ) -> Result<Decided, EmitError> {
        let mut races = Races::default();
        loop {
            let matched = self.finder.matched(ask).await?;
            let hearing = &mut races.hearing;
            self.finder.hear(ask, &matched, hearing).await;
            let (hearing, room) = (
                |task: &_| races.hearing(task),
                |owner| self.judge.room(owner),
            );
            let after = ask.after();
            let plan = Plan::new(&matched.tasks, after, hearing, spent, &self.limits, room);
            if plan.more && matches!(sink, Sink::Emit(_)) {
                return Ok(Decided::TooMuch);
            }
            let now = self.clock.now()?;
            let (bite, end) = self.fill(ask, &plan, spent, now).await?;
            if end.is_some() && matches!(sink, Sink::Emit(_)) {
                return Ok(Decided::TooMuch);
            }
            let rest = rest(&ask.left, &bite, end);
            if rest.as_ref() == Some(&ask.left) {
                return Ok(Decided::Undecided);
            }
            if matches!(sink, Sink::Emit(Origin::Direct)) && bite.is_empty() {
                // Nothing is stored, so nothing checks the versions: they have to be asked for.
                let tables = &self.finder.tables;
                if races.refreshed || tables.are_current(&matched.seen).await? {
                    return Ok(self.nothing(&bite, &plan));
                }
                tables.refresh(&matched.seen).await?;
                races.refreshed = true;
                continue;
            }
            let basis = races.basis(&matched, &bite);
            let enqueue = self.enqueue(ask, sink, &bite, basis, rest.clone(), now);
            match self.store.enqueue(enqueue, now).await? {
                Enqueued::AlreadyKnown => return Ok(Decided::Repeated),
                Enqueued::RoutesChanged => races.lost(&matched),
                Enqueued::RowsChanged(rows) => races.lost_rows(&matched, &rows),
                Enqueued::Stored { deliveries, moved } => {
                    if races.by_places() {
                        let tables = &self.finder.tables;
                        tables.consumed(&bite.consume, &matched.seen, &moved);
                    }
                    return Ok(self.stored(bite, &plan, &deliveries, rest, now));
                }
            }
            self.finder.tables.refresh(&matched.seen).await?;
        }
    }
}

/// What is left when a bite is stored that ends with the task `end`.
fn rest(left: &Left, bite: &Bite, end: Option<TaskId>) -> Option<Left> {
    match left {
        Left::After(_) => end.map(Left::After),
        Left::Tasks(tasks) => {
            let open =
                |id: &TaskId| bite.later.contains_key(id) || end.is_some_and(|end| *id > end);
            let tasks: Vec<TaskId> = tasks.iter().copied().filter(open).collect();
            (!tasks.is_empty()).then_some(Left::Tasks(tasks))
        }
    }
}
