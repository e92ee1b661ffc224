//! Enqueues: one statement for many callers.

mod answers;
mod columns;
mod lock_wait;
mod ordered;
mod plain;
mod rounds;
mod statement;

use std::time::Duration;

use async_trait::async_trait;
use gatepost_storage::webhooks::Enqueued;

use self::answers::Verdict;
use self::columns::Item;
use self::rounds::without_rivals;
pub(crate) use self::statement::EnqueueWork;
use crate::batch::batcher::{Outcome, Work};
use crate::error::Result;

#[async_trait]
impl Work for EnqueueWork {
    type Item = Item;
    type Answer = Enqueued;
    const MOST: usize = columns::MOST;
    const ENOUGH: usize = 128;
    const LINGER: Duration = Duration::from_millis(2);

    fn weight(item: &Item) -> usize {
        columns::weight(item)
    }

    /// Returns false for an enqueue that deletes one-time tasks, because it changes their realms.
    fn shares(item: &Item) -> bool {
        item.0.consume.is_empty()
    }

    async fn run(&self, items: Vec<Item>) -> Vec<Outcome<Self>> {
        let mut verdicts: Vec<Verdict> = items.iter().map(|_| Verdict::Left).collect();
        let mut left: Vec<usize> = (0..items.len()).collect();
        while !left.is_empty() {
            let (round, rest) = without_rivals(&items, left);
            let chosen: Vec<&Item> = round.iter().filter_map(|at| items.get(*at)).collect();
            for (at, verdict) in round.into_iter().zip(self.round(&chosen).await) {
                if let Some(place) = verdicts.get_mut(at) {
                    *place = verdict;
                }
            }
            left = rest;
        }
        let outcome = |(item, verdict)| match verdict {
            Verdict::Judged(answer) => Outcome::Done(answer),
            Verdict::Left => Outcome::Left(item),
        };
        items.into_iter().zip(verdicts).map(outcome).collect()
    }

    /// Keeps the given order of the items of one realm.
    async fn waiting(&self, items: Vec<Item>) -> Vec<Result<Enqueued>> {
        self.in_order(items).await
    }
}
