//! The calls on a webhook store, carried out on one of the two.

use gatepost_storage::webhooks::*;
use webhook_model::{Activity, DeliveryMode, DeliveryOrder, EventId};

use super::side::{LIMITS, Side, answer, of, shown};
use super::step::Call;
use crate::fixtures::{at, event, keep_all, task};

impl Side {
    /// Carries out a call and returns its result as text.
    pub(super) async fn carry_out(&mut self, call: &Call, now: i64) -> String {
        let (records, log) = (self.store.records.clone(), self.store.log.clone());
        let time = at(now);
        match call {
            Call::Enqueue { .. } => self.enqueue(std::slice::from_ref(call), false, now).await,
            Call::Together(calls) => self.enqueue(calls, true, now).await,
            Call::Turns(back) => self.turns(back, now).await,
            Call::Sweep(limit) => self.sweep(u32::from(*limit), now).await,
            Call::Count(webhook, hour) => self.count(*webhook, *hour, now).await,
            Call::Push(n) => self.push(*n, now).await,
            Call::Reject(n) => {
                let id = of(&self.outbox, *n, OutboxId(i64::MAX));
                let aside = PutBack::Aside("no".to_owned());
                self.store.outbox.put_back(id, 0, aside).await.unwrap();
                self.waiting().await
            }
            Call::Postpone(n, after) => self.postpone(*n, *after, now).await,
            Call::Owner(call) => self.owner_call(*call, now).await,
            Call::Record(call) => self.record_call(*call, now).await,
            Call::Claim(queues) => self.claim(queues, now).await,
            Call::Settle(endings) => self.settle(endings, now).await,
            Call::Reclaim(limit) => {
                let limit = u32::from(*limit) * 1_000; // what shares a token comes back together
                let done = self.store.queue.reclaim(limit, time).await;
                answer(done, |r| format!("{r:?}"))
            }
            Call::Look => self.look(now).await,
            Call::Activity(n, active) => {
                let to = [Activity::Paused, Activity::Active][usize::from(*active)];
                self.edit(self.webhook(*n), now, |w| w.activity = to).await
            }
            Call::Order(n, ordered) => {
                let orders = [DeliveryOrder::Unordered, DeliveryOrder::InOrder];
                let to = orders[usize::from(*ordered)];
                self.edit(self.webhook(*n), now, |w| w.order = to).await
            }
            Call::Mode(n, fetched) => {
                let to = DeliveryMode::ALL[usize::from(*fetched)];
                self.edit(self.webhook(*n), now, |w| w.mode = to).await
            }
            Call::Fetch(n, limit, first) => self.fetch(*n, *limit, *first, now).await,
            Call::InsertTask(n) => {
                let new = task(self.webhook(*n));
                let row = records.insert_task(&new, LIMITS, time).await;
                answer(row, |row| {
                    self.tasks.push(row.id);
                    "stored".to_owned()
                })
            }
            Call::InsertEvent(n) => {
                let row = records
                    .insert_event(&event(self.task(*n)), LIMITS, time)
                    .await;
                answer(row, |row| {
                    self.events.push(row.id);
                    "stored".to_owned()
                })
            }
            Call::DeleteTask(n) => answer(records.delete_task(self.task(*n), time).await, shown),
            Call::DeleteEvent(n) => {
                let id = of(&self.events, *n, EventId(i64::MAX));
                answer(records.delete_event(id, time).await, shown)
            }
            Call::DeleteWebhook(n, cascade) => {
                let cascade = if *cascade {
                    Cascade::Tasks
                } else {
                    Cascade::Refuse
                };
                let done = records
                    .delete_webhook(self.webhook(*n), cascade, time)
                    .await;
                answer(done, shown)
            }
            Call::StaleEdit(n) => match records.webhook(self.webhook(*n)).await.unwrap() {
                Some(row) => {
                    let first = records.update_webhook(&row, LIMITS, time).await;
                    assert!(first.is_ok(), "an edit that changes nothing");
                    answer(records.update_webhook(&row, LIMITS, time).await, |_| {
                        "edited".to_owned()
                    })
                }
                None => "none".to_owned(),
            },
            Call::Replay(numbers) => {
                let ids: Vec<_> = numbers.iter().map(|n| self.delivery(*n)).collect();
                answer(log.replay(&ids, time).await, shown)
            }
            Call::Cancel(numbers) => {
                let ids: Vec<_> = numbers.iter().map(|n| self.delivery(*n)).collect();
                answer(log.cancel(&ids, "cancelled", time).await, shown)
            }
            Call::DeleteDelivery(n) => {
                answer(log.delete_delivery(self.delivery(*n), time).await, shown)
            }
            Call::Expire => self.expire(now).await,
            Call::Purge { age, bytes } => self.purge(*age, *bytes, now).await,
        }
    }

    /// Expires two at a time until none is left: their order is up to the store.
    async fn expire(&self, now: i64) -> String {
        let mut ended = Vec::new();
        for _ in 0..=self.deliveries.len() {
            match self.store.log.expire_held(at(now - 10), 2, at(now)).await {
                Ok(0) => break,
                Ok(some) => ended.push(some),
                failed => return answer(failed, shown),
            }
        }
        shown(ended)
    }

    /// Ends deliveries older than any age that was purged by: a store may hide a delivery that ends
    /// later and is that old immediately, or in the next run of retention.
    pub(super) async fn retain(&self, now: i64) {
        let Some(created_before) = self.purged_before else {
            return;
        };
        let keep = PurgeBounds {
            created_before,
            ..keep_all()
        };
        let done = self.store.log.purge(&keep, 10_000, at(now)).await;
        assert!(done.is_ok(), "a purge is carried out");
    }

    async fn purge(&mut self, age: u8, bytes: bool, now: i64) -> String {
        let before = at(now - i64::from(age) - 10);
        let keep = PurgeBounds {
            created_before: before,
            // A limit of all bytes: with a smaller one, the removed rows would be up to the store.
            bytes: bytes.then_some(1 << 40),
            counts_before: before,
            occurrences_before: before,
        };
        self.purged_before = self.purged_before.max(Some(before));
        // The order of several kinds within a limit is up to the store: the limit is not reached
        // here, and deleted rows are not counted.
        self.remove_gone(100).await;
        let done = self.store.log.purge(&keep, 10_000, at(now)).await;
        answer(done, |_| "purged".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gatepost_kv::MemoryStore;

    use super::super::step::{From, Seen};
    use super::{Call, Side};
    use crate::harness::Webhooks;
    use crate::runtime::block_on;

    /// The order in which they end is up to the store.
    #[test]
    fn all_that_waited_too_long_expires() {
        let enqueue = Call::Enqueue {
            webhooks: vec![0, 2, 0],
            again: None,
            leased: false,
            from: From::Direct,
            seen: Seen::None,
            consume: None,
            later: None,
        };
        block_on(async {
            let mut side = Side::new(Webhooks::of(Arc::new(MemoryStore::new()))).await;
            for call in [enqueue, Call::Activity(0, false), Call::Activity(2, false)] {
                side.carry_out(&call, 0).await;
            }
            side.carry_out(&Call::Expire, 11).await;
            let stored = side.everything().await;
            assert_eq!(stored.matches("state: Error").count(), 3, "{stored}");
        });
    }
}
