//! Enqueues that wait for what others hold.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use gatepost_storage::webhooks::Enqueued;

use super::answers::{Verdict, nothing, verdicts};
use super::columns::{Columns, Item, LATER, is_later};
use super::rounds::{apart, without_rivals};
use super::weight::{MOST, weight};
use crate::change::{LOCKED, lock_params};
use crate::db::{BEGIN_WAITING, BEGIN_WRITING, Db, Param, Turn, missing};
use crate::error::{Failure, Result};

const CONSUME: &str = concat!(
    include_str!("../../sql/queue/consume.sql"),
    include_str!("../../sql/place/changed.sql"),
    include_str!("../../sql/queue/consumed.sql"),
);

/// Of a set, by where they are in it.
type Answers = BTreeMap<usize, Result<Enqueued>>;

pub(super) struct Patient {
    db: Db,
}

impl Patient {
    pub(super) fn new(db: Db) -> Self {
        Self { db }
    }

    /// All of them, in as few transactions as can be: what comes later of one place is judged with
    /// a view of what came before, and its row numbers are higher. Only those wait who need a lock
    /// that others hold, and what has to come after them. After a failure that may pass nothing
    /// more is tried.
    pub(super) async fn in_order(&self, items: Vec<Item>) -> Vec<Result<Enqueued>> {
        let (mut answers, mut failure) = (Answers::new(), nothing());
        let (mut groups, mut waiting) = (apart(&items), Vec::new());
        let turn = self.db.waits().turn();
        while !groups.is_empty() {
            let mut left = groups.concat();
            left.sort_unstable();
            let (round, _) = without_rivals(&items, left, weight, MOST);
            match self.attempt(&chosen(&items, &round), &turn).await {
                Ok((verdicts, _)) => answers.extend(judged(&round, verdicts)),
                Err(failed) if failed.is_transient() && !passes(&failed) => {
                    failure = failed;
                    break;
                }
                Err(_) => {}
            }
            for group in &mut groups {
                group.retain(|at| !answers.contains_key(at));
            }
            let waits =
                |group: &mut Vec<usize>| group.iter().any(|at| round.binary_search(at).is_ok());
            waiting.extend(groups.extract_if(.., waits));
            groups.retain(|group| !group.is_empty());
        }
        if groups.is_empty() {
            let waiting = waiting.into_iter().map(|group| self.group(&items, group));
            answers.extend(join_all(waiting).await.into_iter().flatten());
        }
        let all = 0..items.len();
        all.map(|at| answers.remove(&at).unwrap_or_else(|| Err(failure.clone())))
            .collect()
    }

    /// Those of one group, in order.
    async fn group(&self, items: &[Item], mut left: Vec<usize>) -> Answers {
        let mut answers = Answers::new();
        while !left.is_empty() {
            let (round, rest) = without_rivals(items, left, weight, MOST);
            let results = self.round(&chosen(items, &round)).await;
            let mut failures = results.iter().filter_map(|result| result.as_ref().err());
            let failure = failures.find(|failure| failure.is_transient()).cloned();
            answers.extend(round.into_iter().zip(results));
            if let Some(failure) = failure {
                answers.extend(rest.into_iter().map(|at| (at, Err(failure.clone()))));
                return answers;
            }
            left = rest;
        }
        answers
    }

    /// One that the database refuses must not fail the others.
    async fn round(&self, items: &[&Item]) -> Vec<Result<Enqueued>> {
        match self.patiently(items).await {
            Ok(results) => results,
            Err(failure) if failure.is_transient() => {
                items.iter().map(|_| Err(failure.clone())).collect()
            }
            Err(_) => {
                let mut results = Vec::with_capacity(items.len());
                for item in items {
                    results.push(self.alone(item).await);
                }
                results
            }
        }
    }

    pub(super) async fn alone(&self, item: &Item) -> Result<Enqueued> {
        let result = self.patiently(&[item]).await?.pop();
        result.unwrap_or_else(|| Err(nothing()))
    }

    /// Needs the locks of all, again and again until all are judged or the patience ends.
    async fn patiently(&self, items: &[&Item]) -> Result<Vec<Result<Enqueued>>> {
        let mut turn = self.db.waits().turn();
        let mut answers = Answers::new();
        loop {
            let left = (0..items.len()).filter(|at| !answers.contains_key(at));
            let left: Vec<usize> = left.collect();
            let chosen: Vec<&Item> = left
                .iter()
                .filter_map(|at| items.get(*at).copied())
                .collect();
            let not_had = match self.attempt(&chosen, &turn).await {
                Ok((verdicts, not_had)) => {
                    answers.extend(judged(&left, verdicts));
                    not_had
                }
                Err(failure) if passes(&failure) => None,
                Err(failure) => return Err(failure),
            };
            if answers.len() == items.len() || !turn.next(not_had).await {
                let locked = || Err(Failure::unavailable(LOCKED));
                let all = 0..items.len();
                return Ok(all
                    .map(|at| answers.remove(&at).unwrap_or_else(locked))
                    .collect());
            }
        }
    }

    /// Once, and which lock was not had. Those of what one deletes, who is alone then, it has
    /// alone.
    async fn attempt(
        &self,
        items: &[&Item],
        turn: &Turn<'_>,
    ) -> Result<(Vec<Verdict>, Option<i32>)> {
        let columns = Columns::of(items);
        if items.iter().all(|item| is_later(item)) {
            let row = self.db.query_opt(LATER, &columns.later()).await?;
            return Ok((verdicts(items, &row.ok_or_else(nothing)?, &[])?, None));
        }
        let (number, webhooks, alone) = (self.db.places(), columns.webhooks(), columns.alone());
        let locks = lock_params(&number, &webhooks, &alone);
        let consume: [Param<'_>; 1] = [&alone.tasks];
        let params = columns.params();
        let mut statements: Vec<(&str, &[Param<'_>])> = vec![
            (turn.sql(), &locks),
            (BEGIN_WRITING, &[]),
            (columns.sql(), &params),
        ];
        if !alone.tasks.is_empty() {
            statements.push((CONSUME, &consume));
        }
        let answers = self.db.pipeline(BEGIN_WAITING, &statements).await?;
        let mut answers = answers.into_iter();
        let not_had = missing(&answers.next().unwrap_or_default())?;
        let mut answers = answers.skip(1);
        let stored = answers.next().unwrap_or_default();
        let consumed = answers.next().unwrap_or_default();
        let row = stored.first().ok_or_else(nothing)?;
        Ok((verdicts(items, row, &consumed)?, not_had))
    }
}

/// Whether it is worth another try at once.
fn passes(failure: &Failure) -> bool {
    failure.was_locked || failure.was_victim
}

/// What is decided of these.
fn judged(round: &[usize], verdicts: Vec<Verdict>) -> Answers {
    let decided = |(at, verdict): (&usize, Verdict)| match verdict {
        Verdict::Judged(answer) => Some((*at, answer)),
        Verdict::Left => None,
    };
    round.iter().zip(verdicts).filter_map(decided).collect()
}

fn chosen<'a>(items: &'a [Item], round: &[usize]) -> Vec<&'a Item> {
    round.iter().filter_map(|at| items.get(*at)).collect()
}
