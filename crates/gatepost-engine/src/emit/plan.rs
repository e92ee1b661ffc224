//! The plan: which matching tasks run immediately, which later, and which not. It is made before
//! anything is rendered.

use gatepost_storage::webhooks::{RejectReason, RemainingTasks};
use webhook_model::{OwnerId, TaskId};

use crate::access::{Headroom, Hearing};
use crate::config::EmitLimits;
use crate::routes::MatchedTask;
use crate::small_map::Few;

/// The part of its owners' limits that one occurrence has used.
#[derive(Clone, Debug, Default)]
pub(super) struct Spent(Few<OwnerId, Used>);

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Used {
    pub tasks: usize,
    pub bytes: usize,
}

impl Spent {
    pub(super) fn of(&self, owner: OwnerId) -> Used {
        self.0.get(owner).copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, owner: OwnerId, tasks: usize, bytes: usize) {
        let used = self.0.get_or(owner, Used::default);
        used.tasks += tasks;
        used.bytes += bytes;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (owner, used) in other.iter() {
            self.add(owner, used.tasks, used.bytes);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (OwnerId, Used)> {
        self.0.iter().map(|(owner, used)| (owner, *used))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The decision on a task.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fate {
    Run,
    /// It is not known yet whether the owner may receive it.
    Later,
    Rejected(RejectReason),
}

/// The decisions on the tasks of one batch, in their order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub steps: Vec<(MatchedTask, Fate)>,
    /// There are further tasks.
    pub more: bool,
    /// Tasks whose owner may not receive it.
    pub unheard: u64,
    /// It is an operational event: tasks over its limit are counted, but cause no notice.
    pub untold: bool,
}

impl Plan {
    /// Plans the remaining tasks. `spent` is what the occurrence used earlier; if that is not
    /// known, the earlier tasks count. `may_run` is called once for each task that runs.
    pub(super) fn new(
        tasks: &[MatchedTask],
        left: &RemainingTasks,
        hearing: impl Fn(&MatchedTask) -> Hearing,
        spent: &Spent,
        limits: &EmitLimits,
        room: impl Fn(OwnerId) -> Headroom,
        mut may_run: impl FnMut(OwnerId) -> bool,
    ) -> Self {
        let (after, by_number) = match left {
            RemainingTasks::After(task) => (*task, false),
            RemainingTasks::Tasks(_) => (TaskId(0), true),
        };
        let (before, tasks) = tasks.split_at(tasks.partition_point(|task| task.id() <= after));
        let mut used = spent.clone();
        if used.is_empty() {
            before.iter().for_each(|task| used.add(task.owner(), 1, 0));
        }
        let mut rooms: Few<OwnerId, u64> = Few::default();
        let mut plan = Self {
            steps: Vec::with_capacity(tasks.len().min(limits.deliveries)),
            ..Self::default()
        };
        let mut taken = 0;
        for task in tasks {
            let owner = task.owner();
            let fate = match hearing(task) {
                Hearing::No => {
                    plan.unheard += 1;
                    continue;
                }
                _ if used.of(owner).tasks >= limits.deliveries_per_owner => {
                    Fate::Rejected(RejectReason::Occurrence)
                }
                Hearing::Yes => {
                    let room = rooms.get_or(owner, || room(owner).deliveries);
                    match room.checked_sub(1) {
                        None => Fate::Rejected(RejectReason::Waiting),
                        Some(_) if !may_run(owner) => Fate::Rejected(RejectReason::Rate),
                        Some(left) => {
                            *room = left;
                            Fate::Run
                        }
                    }
                }
                Hearing::Later => Fate::Later,
            };
            // Waiting tasks stay in the row if it names them by number, and keep no other from
            // running.
            if fate == Fate::Run || (fate == Fate::Later && !by_number) {
                if taken == limits.deliveries {
                    plan.more = true;
                    break;
                }
                taken += 1;
            }
            if !matches!(fate, Fate::Rejected(_)) {
                used.add(owner, 1, 0);
            }
            plan.steps.push((task.clone(), fate));
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::testing::matched_task;

    const ROOM: Headroom = Headroom {
        deliveries: 1_000,
        bytes: 1_000,
    };

    fn limits() -> EmitLimits {
        EmitLimits::default()
            .with_deliveries(4)
            .with_deliveries_per_owner(3)
    }

    /// Tasks 1, 2, 3 … of these owners.
    fn tasks(owners: &[u128]) -> Vec<MatchedTask> {
        (1..)
            .zip(owners)
            .map(|(id, owner)| matched_task(id, *owner))
            .collect()
    }

    fn all(hearing: &[(u128, Hearing)]) -> impl Fn(&MatchedTask) -> Hearing {
        let of = hearing.iter().copied().collect::<HashMap<_, _>>();
        move |task| of[&task.owner().0]
    }

    fn fates(plan: &Plan) -> Vec<(i64, Fate)> {
        plan.steps
            .iter()
            .map(|(task, fate)| (task.id().0, *fate))
            .collect()
    }

    #[test]
    fn full_batch_ends_and_owner_share_is_limited() {
        let tasks = tasks(&[1, 1, 1, 1, 2, 1, 2, 2]);
        let hearing = all(&[(1, Hearing::Yes), (2, Hearing::Yes)]);
        let none = Spent::default();
        let plan = |after, spent: &Spent| {
            Plan::new(
                &tasks,
                &RemainingTasks::After(TaskId(after)),
                &hearing,
                spent,
                &limits(),
                |_| ROOM,
                |_| true,
            )
        };
        let first = plan(0, &none);
        let rejected = Fate::Rejected(RejectReason::Occurrence);
        let run = Fate::Run;
        assert_eq!(
            fates(&first),
            [
                (1, run),
                (2, run),
                (3, run),
                (4, rejected),
                (5, run),
                (6, rejected)
            ]
        );
        assert!(first.more);
        // Another process continues with it, and counts the earlier tasks.
        let rest = plan(6, &none);
        assert_eq!(fates(&rest), [(7, run), (8, run)]);
        assert!(!rest.more);
        let mut spent = Spent::default();
        spent.add(OwnerId(2), 3, 0);
        assert_eq!(fates(&plan(6, &spent)), [(7, rejected), (8, rejected)]);
    }

    #[test]
    fn denied_owners_are_omitted_and_full_ones_counted() {
        let tasks = tasks(&[1, 2, 3, 3, 4]);
        let hearing = all(&[
            (1, Hearing::No),
            (2, Hearing::Later),
            (3, Hearing::Yes),
            (4, Hearing::Later),
        ]);
        let room = |owner| Headroom {
            deliveries: u64::from(owner == OwnerId(3)),
            ..ROOM
        };
        let plan = Plan::new(
            &tasks,
            &RemainingTasks::After(TaskId(0)),
            &hearing,
            &Spent::default(),
            &limits(),
            room,
            |_| true,
        );
        let waiting = Fate::Rejected(RejectReason::Waiting);
        let expected = [
            (2, Fate::Later),
            (3, Fate::Run),
            (4, waiting),
            (5, Fate::Later),
        ];
        assert_eq!(fates(&plan), expected);
        assert_eq!(plan.unheard, 1);
    }
}
