//! Enqueues that wait for what others hold.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use gatepost_storage::webhooks::Enqueued;

use super::answers::Verdict;
use super::columns::Item;
use super::rounds::{apart, without_rivals};
use super::statement::EnqueueWork;
use crate::db::LOCKED;
use crate::error::{Failure, Result};

/// Of a set, by where they are in it.
type Answers = BTreeMap<usize, Result<Enqueued>>;

impl EnqueueWork {
    /// All of them, in as few transactions as can be: what comes later of one place is judged with
    /// a view of what came before, and its row numbers are higher. Only those wait who need a lock
    /// that others hold, and what has to come after them. After a failure that may pass nothing
    /// more is tried.
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

    /// Those of one group, in order.
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

    /// One that the database refuses must not fail the others.
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
