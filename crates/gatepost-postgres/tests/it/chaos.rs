//! Workers that die, settle late or twice, while others cancel, replay, delete and reclaim: every
//! delivery ends once between two replays, none is lost except deleted ones, and a webhook in order
//! sends one at a time.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, message, settlement_of, webhook};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use webhook_model::{DeliveryOrder, WebhookId};

use crate::common::{fresh_at, raw};

const HOOKS: usize = 12;
const IN_ORDER: usize = 3;
const WORKERS: u64 = 4;
const ROUNDS: usize = 40;
const LEASE: i64 = 10;

struct World {
    store: PostgresStore,
    hooks: Vec<WebhookId>,
    /// Seconds; advanced by the keeper.
    clock: AtomicI64,
    made: Mutex<Vec<DeliveryId>>,
    /// The deliveries of webhooks without order, which may be deleted.
    unordered: Mutex<Vec<DeliveryId>>,
    /// The running claim of each webhook in order, and the end of its lease.
    busy: Mutex<HashMap<WebhookId, (Claim, i64)>>,
}

impl World {
    fn now(&self) -> i64 {
        self.clock.load(Ordering::Relaxed)
    }

    fn is_ordered(&self, hook: WebhookId) -> bool {
        self.hooks[..IN_ORDER].contains(&hook)
    }

    async fn enqueue(
        &self,
        random: &mut StdRng,
        worker: u64,
        round: usize,
    ) -> Vec<(Claim, WebhookId)> {
        let now = self.now();
        let lease = random.random_bool(0.5);
        let count = random.random_range(1..10);
        let new = (0..count).map(|n| {
            let hook = self.hooks[random.random_range(0..HOOKS)];
            let leased = lease && !self.is_ordered(hook);
            NewDelivery {
                lease_until: leased.then(|| at(now + LEASE)),
                ..message(hook, &format!("w{worker}r{round}n{n}"), at(now))
            }
        });
        let new: Vec<_> = new.collect();
        let hooks: Vec<_> = new.iter().map(|new| new.webhook).collect();
        let stored = self.store.enqueue(direct(new), at(now)).await.unwrap();
        let Enqueued::Stored { deliveries, .. } = stored else {
            panic!("{stored:?}")
        };
        let mut leased = Vec::new();
        for (stored, hook) in deliveries.iter().zip(hooks) {
            self.made.lock().unwrap().push(stored.id);
            if !self.is_ordered(hook) {
                self.unordered.lock().unwrap().push(stored.id);
            }
            if let Some(token) = stored.token {
                let delivery = stored.id;
                leased.push((Claim { delivery, token }, hook));
            }
        }
        leased
    }

    async fn claim(&self, random: &mut StdRng) -> Vec<(Claim, WebhookId)> {
        let now = self.now();
        let mut queues = Vec::new();
        for _ in 0..6 {
            let webhook = self.hooks[random.random_range(0..HOOKS)];
            for class in QueueClass::ALL {
                let queue = WebhookQueue { webhook, class };
                queues.push(QueueClaim { queue, limit: 4 });
            }
        }
        let claimed = self.store.claim(&queues, at(now + LEASE), at(now)).await;
        let mut all = Vec::new();
        for claimed in claimed.unwrap() {
            let (delivery, hook) = (claimed.delivery.id, claimed.delivery.webhook);
            let claim = Claim {
                delivery,
                token: claimed.token,
            };
            if self.is_ordered(hook) {
                let mut busy = self.busy.lock().unwrap();
                if let Some((other, until)) = busy.get(&hook) {
                    assert!(*until <= self.now(), "two at once: {other:?} and {claim:?}");
                }
                busy.insert(hook, (claim, now + LEASE));
            }
            all.push((claim, hook));
        }
        all
    }

    /// Settles some claims, some of them twice; the others are never settled.
    async fn settle(&self, random: &mut StdRng, claims: Vec<(Claim, WebhookId)>) {
        let now = self.now();
        let mut settlements = Vec::new();
        for (claim, hook) in claims {
            if random.random_bool(0.15) {
                continue;
            }
            let disposition = match random.random_range(0..10) {
                0 | 1 => Disposition::Retry { due: at(now + 1) },
                2 => Disposition::Release { due: at(now) },
                3 => Disposition::Failed,
                _ => Disposition::Sent,
            };
            let mut busy = self.busy.lock().unwrap();
            if busy.get(&hook).is_some_and(|(other, _)| *other == claim) {
                busy.remove(&hook);
            }
            settlements.push(settlement_of(claim, disposition));
        }
        let half = settlements.split_off(settlements.len() / 2);
        for part in [settlements, half] {
            self.store.settle(part.clone(), at(now)).await.unwrap();
            if random.random_bool(0.3) {
                self.store.settle(part, at(now)).await.unwrap();
            }
        }
    }

    async fn work(&self, worker: u64) {
        let mut random = StdRng::seed_from_u64(worker);
        let mut late = Vec::new();
        for round in 0..ROUNDS {
            let mut claims = self.enqueue(&mut random, worker, round).await;
            claims.extend(self.claim(&mut random).await);
            let mut unordered = claims.clone();
            unordered.retain(|(_, hook)| !self.is_ordered(*hook));
            late.extend(unordered.into_iter().take(1));
            self.settle(&mut random, claims).await;
            if random.random_bool(0.2) {
                let late = late.split_off(0);
                self.settle(&mut random, late).await;
            }
        }
    }

    /// Deletes a delivery in whatever state it is.
    async fn delete(&self, random: &mut StdRng, now: i64) {
        let deleted = {
            let mut unordered = self.unordered.lock().unwrap();
            if unordered.is_empty() {
                return;
            }
            let which = random.random_range(0..unordered.len());
            unordered.swap_remove(which)
        };
        self.made.lock().unwrap().retain(|id| *id != deleted);
        let done = self.store.delete_delivery(deleted, at(now)).await;
        done.unwrap();
    }

    async fn keep(&self, random: &mut StdRng) {
        let now = self
            .clock
            .fetch_add(random.random_range(0..4), Ordering::Relaxed);
        self.store.reclaim(20, at(now)).await.unwrap();
        self.delete(random, now).await;
        let made = self.made.lock().unwrap().clone();
        if made.is_empty() {
            return;
        }
        let some: Vec<_> = (0..4)
            .map(|_| made[random.random_range(0..made.len())])
            .collect();
        if random.random_bool(0.3) {
            self.store
                .cancel(&some, "cancelled", at(now))
                .await
                .unwrap();
        } else {
            self.store.replay(&some, at(now)).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crashes_and_repeated_calls_lose_and_duplicate_nothing() {
    let (store, _, place) = fresh_at().await;
    let mut hooks = Vec::new();
    for n in 0..HOOKS {
        let mut hook = webhook(&format!("w{n}"));
        if n < IN_ORDER {
            hook.order = DeliveryOrder::InOrder;
        }
        hooks.push(
            store
                .insert_webhook(&hook, UNLIMITED, at(0))
                .await
                .unwrap()
                .id,
        );
    }
    let world = Arc::new(World {
        store,
        hooks,
        clock: AtomicI64::new(0),
        made: Mutex::default(),
        unordered: Mutex::default(),
        busy: Mutex::default(),
    });
    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.work(worker).await })
        })
        .collect();
    let mut random = StdRng::seed_from_u64(99);
    while !workers.iter().all(tokio::task::JoinHandle::is_finished) {
        world.keep(&mut random).await;
    }
    for worker in workers {
        worker.await.unwrap();
    }
    // The rest is sent.
    for _ in 0..1_000 {
        let now = world.clock.fetch_add(LEASE * 2, Ordering::Relaxed);
        world.store.reclaim(1_000, at(now)).await.unwrap();
        let queues = world.hooks.iter().flat_map(|webhook| {
            QueueClass::ALL.map(|class| QueueClaim {
                queue: WebhookQueue {
                    webhook: *webhook,
                    class,
                },
                limit: 1_000,
            })
        });
        let queues: Vec<_> = queues.collect();
        let claimed = world
            .store
            .claim(&queues, at(now + LEASE), at(now))
            .await
            .unwrap();
        let sent = claimed.iter().map(|claimed| {
            let claim = Claim {
                delivery: claimed.delivery.id,
                token: claimed.token,
            };
            settlement_of(claim, Disposition::Sent)
        });
        let settled = world.store.settle(sent.collect(), at(now)).await.unwrap();
        assert!(settled.iter().all(|settled| *settled == Settled::Done));
        let figures = world.store.count_queue(at(now)).await.unwrap();
        if (figures.queued, figures.running) == (0, 0) {
            break;
        }
    }
    let client = raw(&place).await;
    let open =
        "SELECT (SELECT count(*) FROM gatepost_queue) + (SELECT count(*) FROM gatepost_running)";
    assert_eq!(
        client.query_one(open, &[]).await.unwrap().get::<_, i64>(0),
        0
    );
    let made: HashSet<i64> = world.made.lock().unwrap().iter().map(|id| id.0).collect();
    let ended = "SELECT DISTINCT delivery FROM gatepost_outcome WHERE state >= 2";
    let ended = client.query(ended, &[]).await.unwrap();
    let ended: HashSet<i64> = ended.iter().map(|row| row.get(0)).collect();
    assert_eq!(made, ended, "all have ended, but for what was deleted");
    // Between two replays, which leave outcomes of no claim without tries, there is one end.
    let twice = "SELECT count(*) FROM (
        SELECT delivery, part, count(*) FILTER (WHERE state >= 2) AS ends FROM (
            SELECT delivery, state, count(*) FILTER (WHERE replayed) OVER (PARTITION BY delivery ORDER BY token) AS part FROM (
                SELECT delivery, token, state, state = 1 AND lag(state) OVER (PARTITION BY delivery ORDER BY token) >= 2 AS replayed
                FROM gatepost_outcome) o) p
        GROUP BY delivery, part) q WHERE ends > 1";
    assert_eq!(
        client.query_one(twice, &[]).await.unwrap().get::<_, i64>(0),
        0
    );
    let attempts = "SELECT count(*) FROM (
        SELECT count(*) FILTER (WHERE started IS NOT NULL) AS made, max(attempts) AS counted FROM gatepost_outcome GROUP BY delivery) o
        WHERE made <> counted";
    assert_eq!(
        client
            .query_one(attempts, &[])
            .await
            .unwrap()
            .get::<_, i64>(0),
        0
    );
}
