//! The preconditions of an emit, and its reactions when they no longer hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use gatepost_storage::webhooks::{OpenOutbox, Precondition, RecordId};
use webhook_model::{OwnerId, TaskId};

use super::batch::Batch;
use super::earlier_rows::Ahead;
use crate::access::{CausedRuns, Hearing};
use crate::routes::{Matched, MatchedTask};
use crate::small_map::Few;

/// After this many lost races against changes of its realms, an emit depends only on the rows that
/// it uses: constant edits of records delay nobody.
const LOST: usize = 2;
/// When rows that it uses have changed this often, all tasks that it decides go to the outbox.
const LOST_ROWS: usize = 3;

/// State that the tries of one emit share.
#[derive(Debug, Default)]
pub(super) struct Races {
    lost: usize,
    lost_rows: usize,
    /// Tasks that changed too often: they go to the outbox.
    aside: BTreeSet<TaskId>,
    /// The tables were read again since the emit began.
    pub refreshed: bool,
    /// The owners' answers: each is asked about once.
    pub hearing: Few<OwnerId, Hearing>,
    /// The rows of its audience ahead of it, once they were read.
    pub open: Option<Arc<[OpenOutbox]>>,
    /// The content of these rows.
    pub ahead: Ahead,
    /// The runs that it takes from the allowance of the user who caused it.
    pub runs: Option<CausedRuns>,
}

impl Races {
    pub(super) fn precondition(&self, matched: &Matched, batch: &Batch) -> Precondition {
        if self.by_places() {
            return matched.by_places();
        }
        let used: BTreeSet<_> = batch.deliveries.iter().filter_map(|new| new.task).collect();
        let tasks = matched
            .tasks
            .iter()
            .filter(|task| used.contains(&task.id()));
        let rows: Vec<_> = tasks.flat_map(MatchedTask::rows).collect();
        if rows.is_empty() {
            Precondition::Nothing
        } else {
            Precondition::Rows(rows)
        }
    }

    /// Whether the precondition is that nothing in the realms changed.
    pub(super) fn by_places(&self) -> bool {
        self.lost < LOST
    }

    /// Records a lost race: the realms have changed, as the store says.
    pub(super) fn lost(&mut self, matched: &Matched) {
        if !self.by_places() {
            self.lost_rows(matched, &[]);
        }
        self.lost += 1;
        self.refreshed = true;
        self.open = None;
    }

    /// Records that these rows have changed: the tasks that they belong to wait, the others need
    /// not.
    pub(super) fn lost_rows(&mut self, matched: &Matched, rows: &[RecordId]) {
        self.lost_rows += 1;
        self.refreshed = true;
        self.open = None;
        let before = self.aside.len();
        let changed = |task: &&MatchedTask| rows.iter().any(|row| task.is_of(*row));
        let tasks = matched.tasks.iter();
        self.aside
            .extend(tasks.filter(changed).map(MatchedTask::id));
        if self.aside.len() == before {
            // A further try would not be better than this one.
            self.lost_rows = LOST_ROWS;
        }
    }

    /// Whether a task runs now, as far as is known.
    pub(super) fn hearing(&self, task: &MatchedTask) -> Hearing {
        let hearing = self.hearing.get(task.owner()).copied();
        let waits = self.lost_rows >= LOST_ROWS
            || self.aside.contains(&task.id())
            || self.ahead.holds(task);
        match hearing {
            Some(Hearing::Yes) if waits => Hearing::Later,
            hearing => hearing.unwrap_or(Hearing::Later),
        }
    }
}

#[cfg(test)]
mod tests {
    use gatepost_ids::Realm;
    use gatepost_storage::webhooks::RoutesVersion;
    use webhook_model::{EventId, WebhookId};

    use super::*;
    use crate::testing::{matched_task, new_delivery};

    fn matched() -> Matched {
        Matched {
            seen: vec![(Realm::Shared, RoutesVersion(3))],
            tasks: (1..=3).map(|id| matched_task(id, 1)).collect(),
        }
    }

    /// The tasks that go to the outbox.
    fn waiting(races: &Races, matched: &Matched) -> Vec<i64> {
        let tasks = matched.tasks.iter();
        let waiting = tasks.filter(|task| races.hearing(task) == Hearing::Later);
        waiting.map(|task| task.id().0).collect()
    }

    #[test]
    fn precondition_after_two_lost_races_covers_used_rows() {
        let (matched, mut races) = (matched(), Races::default());
        let mut batch = Batch::default();
        batch.deliveries.push(new_delivery(2));
        for _ in 0..LOST {
            assert_eq!(races.precondition(&matched, &batch), matched.by_places());
            races.lost(&matched);
        }
        let used: Vec<_> = matched.tasks[1].rows().collect();
        assert_eq!(
            races.precondition(&matched, &batch),
            Precondition::Rows(used)
        );
        races.hearing.insert(OwnerId(1), Hearing::Yes);
        assert_eq!(waiting(&races, &matched), [0; 0]);
        races.lost(&matched);
        assert_eq!(
            waiting(&races, &matched),
            [1, 2, 3],
            "it ends, whatever the store says"
        );
        assert_eq!(
            races.precondition(&matched, &Batch::default()),
            Precondition::Nothing
        );
    }

    #[test]
    fn changed_rows_wait_and_finally_everything_waits() {
        let (matched, mut races) = (matched(), Races::default());
        assert_eq!(
            waiting(&races, &matched),
            [1, 2, 3],
            "nobody was asked about"
        );
        races.hearing.insert(OwnerId(1), Hearing::Yes);
        races.lost_rows(&matched, &[RecordId::Task(TaskId(2))]);
        assert_eq!(waiting(&races, &matched), [2]);
        races.lost_rows(&matched, &[RecordId::Event(EventId(3))]);
        assert_eq!(waiting(&races, &matched), [2, 3]);
        races.lost_rows(&matched, &[RecordId::Webhook(WebhookId(1))]);
        assert_eq!(waiting(&races, &matched), [1, 2, 3]);
        let mut unknown = Races::default();
        unknown.hearing.insert(OwnerId(1), Hearing::Yes);
        unknown.lost_rows(&matched, &[]);
        assert_eq!(waiting(&unknown, &matched), [1, 2, 3]);
        unknown.hearing.insert(OwnerId(1), Hearing::No);
        assert_eq!(waiting(&unknown, &matched), [0; 0], "a no is a no");
    }
}
