//! Enqueues that wait for what others hold.

use std::time::Duration;

use gatepost_storage::webhooks::Enqueued;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use super::answers::{Verdict, nothing, verdicts};
use super::columns::{Columns, Item};
use super::rounds::without_rivals;
use super::weight::{MOST, weight};
use crate::change::lock_params;
use crate::db::{Db, Param};
use crate::error::{Failure, Result};

const WAIT: &str = concat!(
    include_str!("../../sql/place/needed.sql"),
    include_str!("../../sql/place/wait.sql"),
);
const CONSUME: &str = concat!(
    include_str!("../../sql/queue/consume.sql"),
    include_str!("../../sql/place/changed.sql"),
    include_str!("../../sql/queue/consumed.sql"),
);
/// One that waits for a lock gives its connection back after this long and tries again later, so
/// that a place that stays locked does not use up the pool.
const BEGIN_WAITING: &str = "BEGIN; SET LOCAL lock_timeout = '250ms'";
/// The pause between two such tries.
const PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Patient {
    db: Db,
    /// How many may wait for a lock at once.
    waiting: Semaphore,
    /// How long one waits in all.
    patience: Duration,
}

impl Patient {
    /// With this many connections in the pool, of which those that wait have a quarter.
    pub(super) fn new(db: Db, connections: usize, patience: Duration) -> Self {
        Self {
            db,
            waiting: Semaphore::new((connections / 4).max(1)),
            patience,
        }
    }

    /// All of them, in order and in as few transactions as can be: what comes later is judged with
    /// a view of what came before, and its row numbers are higher. Waits for their locks. After a
    /// failure that may pass nothing more is tried.
    pub(super) async fn in_order(&self, items: Vec<Item>) -> Vec<Result<Enqueued>> {
        let mut answers = Vec::with_capacity(items.len());
        let mut left: Vec<usize> = (0..items.len()).collect();
        while !left.is_empty() {
            let (round, rest) = without_rivals(&items, left, weight, MOST);
            let chosen: Vec<&Item> = round.iter().filter_map(|at| items.get(*at)).collect();
            match self.patiently(&chosen).await {
                Ok(verdicts) => answers.extend(verdicts.into_iter().map(|verdict| match verdict {
                    Verdict::Judged(answer) => answer,
                    Verdict::Left => Err(Failure::unavailable("the place stayed locked")),
                })),
                Err(failure) if failure.is_transient() || chosen.len() == 1 => {
                    answers.push(Err(failure.clone()));
                    answers.extend((answers.len()..items.len()).map(|_| Err(failure.clone())));
                    return answers;
                }
                // One that the database refuses must not fail the others.
                Err(_) => {
                    for item in chosen {
                        let one = self.patiently(&[item]).await;
                        answers.push(match one.map(|verdicts| verdicts.into_iter().next()) {
                            Ok(Some(Verdict::Judged(answer))) => answer,
                            Ok(_) => Err(Failure::unavailable("the place stayed locked")),
                            Err(failure) => Err(failure),
                        });
                    }
                }
            }
            left = rest;
        }
        answers
    }

    /// Waits for the locks of all, again and again until all are judged or the patience ends.
    pub(super) async fn patiently(&self, items: &[&Item]) -> Result<Vec<Verdict>> {
        let patience = Instant::now() + self.patience;
        let mut pause = PAUSE;
        let mut verdicts: Vec<Verdict> = items.iter().map(|_| Verdict::Left).collect();
        loop {
            let left =
                |(at, verdict): (usize, &Verdict)| matches!(verdict, Verdict::Left).then_some(at);
            let left: Vec<usize> = verdicts.iter().enumerate().filter_map(left).collect();
            if left.is_empty() {
                return Ok(verdicts);
            }
            let chosen: Vec<&Item> = left
                .iter()
                .filter_map(|at| items.get(*at).copied())
                .collect();
            match self.waiting(&chosen).await {
                Ok(judged) => {
                    for (at, verdict) in left.into_iter().zip(judged) {
                        if let Some(place) = verdicts.get_mut(at) {
                            *place = verdict;
                        }
                    }
                    if !verdicts.iter().any(|v| matches!(v, Verdict::Left)) {
                        continue;
                    }
                }
                Err(failure) if failure.was_locked || failure.was_victim => {}
                Err(failure) => return Err(failure),
            }
            if Instant::now() >= patience {
                return Ok(verdicts);
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Waits for the locks of all. Those of what one deletes, who is alone then, it has alone.
    async fn waiting(&self, items: &[&Item]) -> Result<Vec<Verdict>> {
        let permit = self.waiting.acquire().await;
        let _permit = permit.map_err(|_| Failure::unavailable("the store is shutting down"))?;
        let columns = Columns::of(items);
        let (number, shared, alone) = (self.db.places(), columns.shared(), columns.alone());
        let locks = lock_params(&number, &shared, &alone);
        let consume: [Param<'_>; 1] = [&alone.tasks];
        let params = columns.params();
        let mut statements = vec![(WAIT, &locks[..]), (columns.sql(), &params[..])];
        if !alone.tasks.is_empty() {
            statements.push((CONSUME, &consume));
        }
        let answers = self.db.pipeline(BEGIN_WAITING, &statements).await?;
        let mut answers = answers.into_iter().skip(1);
        let stored = answers.next().unwrap_or_default();
        let consumed = answers.next().unwrap_or_default();
        let row = stored.first().ok_or_else(nothing)?;
        verdicts(items, row, &consumed)
    }
}
