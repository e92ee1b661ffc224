//! What an emit depends on when it is stored, and what it does when that has changed.

use std::collections::{BTreeSet, HashMap};

use gatepost_storage::webhooks::{Basis, RecordId};
use webhook_model::{OwnerId, TaskId};

use super::bite::Bite;
use crate::judge::Hearing;
use crate::routes::{Matched, MatchedTask};

/// After this many lost races against changes of its places, an emit depends on the rows that it
/// uses and on nothing else: who changes records all the time delays nobody.
const LOST: usize = 2;
/// When rows that it uses have changed this often, all of them go the waiting way.
const LOST_ROWS: usize = 3;

/// What was learnt in the tries of one emit.
#[derive(Debug, Default)]
pub(super) struct Races {
    lost: usize,
    lost_rows: usize,
    /// Tasks that changed too often: they go the waiting way.
    pub aside: BTreeSet<TaskId>,
    /// The tables were read again since the emit began.
    pub refreshed: bool,
    /// Who may receive it: each owner is asked about once.
    pub hearing: HashMap<OwnerId, Hearing>,
}

impl Races {
    pub(super) fn basis(&self, matched: &Matched, bite: &Bite) -> Basis {
        if self.by_places() {
            return matched.by_places();
        }
        let used: BTreeSet<_> = bite.deliveries.iter().filter_map(|new| new.task).collect();
        let tasks = matched
            .tasks
            .iter()
            .filter(|task| used.contains(&task.id()));
        let rows: Vec<_> = tasks.flat_map(MatchedTask::rows).collect();
        if rows.is_empty() {
            Basis::Nothing
        } else {
            Basis::Rows(rows)
        }
    }

    /// Whether nothing at all may change in the places.
    pub(super) fn by_places(&self) -> bool {
        self.lost < LOST
    }

    pub(super) fn lost(&mut self) {
        self.lost += 1;
        self.refreshed = true;
    }

    /// These rows have changed: the tasks that they belong to wait, the others need not.
    pub(super) fn lost_rows(&mut self, matched: &Matched, rows: &[RecordId]) {
        self.lost_rows += 1;
        self.refreshed = true;
        let before = self.aside.len();
        let changed = |task: &&MatchedTask| rows.iter().any(|row| task.is_of(*row));
        let tasks = matched.tasks.iter();
        self.aside
            .extend(tasks.filter(changed).map(MatchedTask::id));
        if self.lost_rows == LOST_ROWS || self.aside.len() == before {
            self.aside.extend(matched.tasks.iter().map(MatchedTask::id));
        }
    }
}

#[cfg(test)]
mod tests {
    use gatepost_ids::Place;
    use gatepost_storage::webhooks::RoutesVersion;

    use super::*;
    use crate::testing::{matched_task, new_delivery};

    fn matched() -> Matched {
        Matched {
            seen: vec![(Place::Common, RoutesVersion(3))],
            tasks: (1..=3).map(|id| matched_task(id, 1)).collect(),
        }
    }

    #[test]
    fn after_two_lost_races_only_the_rows_that_are_used_count() {
        let (matched, mut races) = (matched(), Races::default());
        let mut bite = Bite::default();
        bite.deliveries.push(new_delivery(2));
        for _ in 0..LOST {
            assert_eq!(races.basis(&matched, &bite), matched.by_places());
            races.lost();
        }
        let used: Vec<_> = matched.tasks[1].rows().collect();
        assert_eq!(races.basis(&matched, &bite), Basis::Rows(used));
        assert_eq!(races.basis(&matched, &Bite::default()), Basis::Nothing);
    }

    #[test]
    fn what_changed_waits_and_in_the_end_everything_does() {
        let (matched, mut races) = (matched(), Races::default());
        races.lost_rows(&matched, &[RecordId::Task(TaskId(2))]);
        assert_eq!(races.aside, BTreeSet::from([TaskId(2)]));
        races.lost_rows(&matched, &[RecordId::Task(TaskId(3))]);
        assert_eq!(races.aside.len(), 2);
        races.lost_rows(&matched, &[RecordId::Task(TaskId(3))]);
        assert_eq!(races.aside.len(), 3);
        let mut unknown = Races::default();
        unknown.lost_rows(&matched, &[]);
        assert_eq!(unknown.aside.len(), 3, "no try is like the one before");
    }
}
