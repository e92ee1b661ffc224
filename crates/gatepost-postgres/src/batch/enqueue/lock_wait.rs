//! Enqueues that wait for locks of other transactions.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use gatepost_storage::webhooks::Enqueued;

use super::answers::Verdict;
use super::columns::Item;
use super::rounds::{apart, without_rivals};
use super::statement::EnqueueWork;
use crate::db::LOCKED;
use crate::error::{Failure, Result};

/// Answers by the position of the item in its set.
type Answers = BTreeMap<usize, Result<Enqueued>>;

impl EnqueueWork {
    /// Processes all items in as few transactions as possible: a later item of a realm is decided
    /// with a view of the earlier ones, and its row numbers are higher. An item waits only if it
    /// needs a lock that another transaction holds, or if it must come after such an item. After a
    /// transient failure the rest is not attempted.
    pub(super) async fn in_order(&self, items: Vec<Item>) -> Vec<Result<Enqueued>> {
        let (mut answers, mut failure) = (Answers::new(), Failure::nothing());
        let (mut groups, mut waiting) = (apart(&items), Vec::new());
        let turn = self.db.waits().turn();
        while !groups.is_empty() {
            let mut left = groups.concat();
            left.sort_unstable();
            let (round, _) = without_rivals(&items, left);
            match self.with_locks(&chosen(&items, &round), &turn).await {
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

    /// Processes the items of one group, in order.
    async fn group(&self, items: &[Item], mut left: Vec<usize>) -> Answers {
        let mut answers = Answers::new();
        while !left.is_empty() {
            let (round, rest) = without_rivals(items, left);
            let results = self.patient_round(&chosen(items, &round)).await;
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

    /// Processes a round. An item that the database refuses must not fail the others.
    async fn patient_round(&self, items: &[&Item]) -> Vec<Result<Enqueued>> {
        match self.patiently(items).await {
            Ok(results) => results,
            Err(failure) if failure.is_transient() || items.len() == 1 => {
                items.iter().map(|_| Err(failure.clone())).collect()
            }
            Err(_) => {
                let mut results = Vec::with_capacity(items.len());
                for item in items {
                    results.extend(Box::pin(self.patient_round(&[*item])).await);
                }
                results
            }
        }
    }

    /// Needs the locks of all items. Retries until all are decided or the patience ends.
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
            let not_had = match self.with_locks(&chosen, &turn).await {
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
}

/// Returns whether an immediate retry may succeed.
fn passes(failure: &Failure) -> bool {
    failure.was_locked || failure.was_victim
}

/// Returns the answers of the decided items.
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
