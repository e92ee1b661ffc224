//! The backend against the reference store: the same random calls, the same answers. One of the webhooks
//! is in order.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test ends where something is not as it must be"
)]

mod common;

use std::collections::HashMap;
use std::fmt::Write as _;

use common::{at, fresh, message, sent, task, webhook};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use storage::webhooks::*;
use storage::{MemoryStore, Page, WebhookStore};
use webhook_model::{Activity, DeliveryOrder, Webhook, WebhookId};

const WEBHOOKS: i64 = 4;
const STEPS: usize = 250;

/// One store and what is known of it. Row numbers may differ between stores; message ids do not.
struct Side<'a> {
    store: &'a dyn WebhookStore,
    ids: HashMap<String, DeliveryId>,
    outbox: Vec<OutboxId>,
}

impl Side<'_> {
    fn name(&self, id: DeliveryId) -> &str {
        self.ids
            .iter()
            .find(|(_, i)| **i == id)
            .map_or("?", |(name, _)| name)
    }

    fn id(&self, name: &str) -> DeliveryId {
        self.ids.get(name).copied().unwrap_or(DeliveryId(-1))
    }

    fn show(&self, d: &Delivery) -> String {
        format!(
            "{:?}",
            Delivery {
                id: DeliveryId(0),
                ..d.clone()
            }
        )
    }

    /// Carries one step out and tells what it answered.
    async fn step(&mut self, step: &Step, now: i64) -> String {
        let time = at(now);
        match step {
            Step::Enqueue {
                names,
                webhooks,
                leased,
                source,
                routes,
            } => {
                let deliveries = names
                    .iter()
                    .zip(webhooks)
                    .map(|(name, webhook)| NewDelivery {
                        due: at(now + (name.len() as i64 % 3)),
                        lease_until: leased.then(|| at(now + 20)),
                        body: format!("body of {name}\0").into(),
                        ..message(WebhookId(*webhook), name)
                    });
                let source = match source {
                    From::Direct => Source::Direct,
                    From::Occurrence(n) => Source::Occurrence(format!("o{n}").parse().unwrap()),
                    From::Outbox(n) => {
                        Source::Outbox(self.outbox.get(*n).copied().unwrap_or(OutboxId(-5)))
                    }
                };
                let version = self.store.routes_version().await.unwrap();
                let routes = routes.map(|offset| RoutesVersion(version.0 - offset));
                let batch = Enqueue {
                    routes,
                    source,
                    deliveries: deliveries.collect(),
                    consume: Vec::new(),
                };
                match self.store.enqueue(batch, time).await {
                    Ok(Enqueued::Stored { deliveries, routes }) => {
                        assert_eq!(routes, version);
                        self.ids
                            .extend(names.iter().cloned().zip(deliveries.iter().map(|d| d.id)));
                        format!(
                            "{:?}",
                            deliveries.iter().map(|d| d.token).collect::<Vec<_>>()
                        )
                    }
                    other => format!("{:?}", other.map_err(|e| e.to_string())),
                }
            }
            Step::Push(n) => {
                let mut occurrence = webhook_model::Occurrence::new(
                    "vms".parse().unwrap(),
                    "poweron".parse().unwrap(),
                );
                occurrence.variables = vec![
                    ("b".into(), format!("{n}")),
                    ("a".into(), "x\"\\".into()),
                    ("b".into(), "2".into()),
                ];
                occurrence.tags = vec![webhook_model::TagId(9), webhook_model::TagId(1)];
                self.outbox
                    .push(self.store.push_outbox(&occurrence, time).await.unwrap());
                let rows = self.store.outbox(100).await.unwrap();
                format!(
                    "{:?}",
                    rows.into_iter().map(|r| r.occurrence).collect::<Vec<_>>()
                )
            }
            Step::Reject(n) => match self.outbox.get(*n) {
                Some(id) => format!(
                    "{:?}",
                    self.store
                        .reject_outbox(*id, "no", time)
                        .await
                        .map_err(|e| e.to_string())
                ),
                None => String::new(),
            },
            Step::Claim(lanes) => {
                let claimed = self.store.claim(lanes, at(now + 15), time).await.unwrap();
                claimed
                    .iter()
                    .map(|c| format!("{} {:?}\n", self.show(&c.delivery), c.token))
                    .collect()
            }
            Step::Settle(claims) => {
                let settlements = claims.iter().map(|(name, token, verdict, attempted)| {
                    let claim = Claim {
                        delivery: self.id(name),
                        token: ClaimToken(*token),
                    };
                    let mut settlement = Settlement {
                        verdict: verdict.clone(),
                        ..sent(claim)
                    };
                    settlement.attempt = settlement.attempt.filter(|_| *attempted);
                    settlement
                });
                format!(
                    "{:?}",
                    self.store
                        .settle(settlements.collect(), time)
                        .await
                        .unwrap()
                )
            }
            Step::Reclaim => format!("{:?}", self.store.reclaim(3, time).await.unwrap()),
            Step::Look => format!(
                "{:?} {:?} {:?}",
                self.store.due_lanes(None, 100, time).await.unwrap(),
                self.store.next_due(time).await.unwrap(),
                self.store.queue_stats(time).await.unwrap()
            ),
            Step::Switch(webhook, activity) => {
                let mut row = self
                    .store
                    .webhook(WebhookId(*webhook))
                    .await
                    .unwrap()
                    .unwrap();
                row.value.activity = *activity;
                format!(
                    "{:?}",
                    self.store
                        .update_webhook(&row, time)
                        .await
                        .unwrap()
                        .revision
                )
            }
            Step::Replay(names) => {
                let which = match names.split_first() {
                    Some((first, [])) => Replay::Failed {
                        webhook: WebhookId(first.len() as i64 % WEBHOOKS + 1),
                        from: at(now - 40),
                        before: at(now),
                    },
                    _ => Replay::Ids(names.iter().map(|n| self.id(n)).collect()),
                };
                self.store
                    .replay(&which, 3, time)
                    .await
                    .unwrap()
                    .to_string()
            }
            Step::Cancel(names) => {
                let ids: Vec<_> = names.iter().map(|n| self.id(n)).collect();
                self.store
                    .cancel(&ids, "cancelled", time)
                    .await
                    .unwrap()
                    .to_string()
            }
            Step::Delete(name) => format!(
                "{:?}",
                self.store
                    .delete_delivery(self.id(name), time)
                    .await
                    .map_err(|e| e.to_string())
            ),
            Step::Expire => self
                .store
                .expire_held(at(now - 20), 2, time)
                .await
                .unwrap()
                .to_string(),
            Step::Purge => {
                let keep = Retention {
                    created_before: at(now - 60),
                    newest_per_webhook: 12,
                    occurrences_before: at(now - 60),
                };
                // Which of several kinds goes first within a limit is the backend's affair.
                self.store
                    .purge(&keep, 1000, time)
                    .await
                    .unwrap()
                    .to_string()
            }
        }
    }

    async fn everything(&self) -> String {
        let mut all = String::new();
        for delivery in self
            .store
            .list_deliveries(&DeliveryQuery::all(Page::first(10_000)))
            .await
            .unwrap()
        {
            writeln!(all, "{} {}", self.name(delivery.id), self.show(&delivery)).unwrap();
            for attempt in self.store.attempts(delivery.id).await.unwrap() {
                writeln!(all, "    {attempt:?}").unwrap();
            }
        }
        all
    }
}

#[derive(Debug, Clone)]
enum From {
    Direct,
    Occurrence(u32),
    Outbox(usize),
}

#[derive(Debug, Clone)]
enum Step {
    Enqueue {
        names: Vec<String>,
        webhooks: Vec<i64>,
        leased: bool,
        source: From,
        routes: Option<i64>,
    },
    Push(usize),
    Reject(usize),
    Claim(Vec<LaneClaim>),
    Settle(Vec<(String, i64, Verdict, bool)>),
    Reclaim,
    Look,
    Switch(i64, Activity),
    Replay(Vec<String>),
    Cancel(Vec<String>),
    Delete(String),
    Expire,
    Purge,
}

fn some_names(rng: &mut StdRng, made: usize) -> Vec<String> {
    let count = rng.random_range(1..4);
    (0..count)
        .map(|_| name(rng.random_range(0..made.max(1))))
        .collect()
}

/// Of differing lengths, so that due times and webhooks that follow from them differ.
fn name(number: usize) -> String {
    format!("m{number}{}", "-".repeat(number % 4))
}

fn any_step(rng: &mut StdRng, made: &mut usize, pushed: &mut usize, now: i64) -> Step {
    match rng.random_range(0..100) {
        0..30 => {
            let count = rng.random_range(0..4);
            let mut names: Vec<String> = (0..count).map(|i| name(*made + i)).collect();
            *made += count;
            if rng.random_bool(0.05) {
                names.push(name(rng.random_range(0..*made + 1)));
            }
            let top = if rng.random_bool(0.05) {
                WEBHOOKS + 1
            } else {
                WEBHOOKS
            };
            let source = match rng.random_range(0..4) {
                0 => From::Occurrence(rng.random_range(0..30)),
                1 => From::Outbox(rng.random_range(0..*pushed + 1)),
                _ => From::Direct,
            };
            let routes = rng
                .random_bool(0.5)
                .then(|| i64::from(rng.random_bool(0.1)));
            let webhooks = names.iter().map(|_| rng.random_range(1..=top)).collect();
            Step::Enqueue {
                names,
                webhooks,
                leased: rng.random_bool(0.3),
                source,
                routes,
            }
        }
        30..50 => {
            let mut lanes = Vec::new();
            for webhook in 1..=WEBHOOKS {
                for class in [LaneClass::First, LaneClass::Retry] {
                    if rng.random_bool(0.6) {
                        lanes.push(LaneClaim {
                            lane: Lane {
                                webhook: WebhookId(webhook),
                                class,
                            },
                            limit: rng.random_range(0..4),
                        });
                    }
                }
            }
            Step::Claim(lanes)
        }
        50..70 => Step::Settle(
            (0..rng.random_range(0..8))
                .map(|_| {
                    let verdict = match rng.random_range(0..5) {
                        0 | 1 => Verdict::Sent,
                        2 => Verdict::Retry {
                            due: at(now + rng.random_range(0..8)),
                        },
                        3 => Verdict::Release {
                            due: at(now + rng.random_range(0..3)),
                        },
                        _ => Verdict::Failed,
                    };
                    let attempted =
                        !matches!(verdict, Verdict::Release { .. }) && rng.random_bool(0.9);
                    (
                        name(rng.random_range(0..*made + 1)),
                        rng.random_range(1..4),
                        verdict,
                        attempted,
                    )
                })
                .collect(),
        ),
        70..75 => Step::Reclaim,
        75..82 => Step::Look,
        82..86 => {
            let activity =
                [Activity::Active, Activity::Active, Activity::Paused][rng.random_range(0..3)];
            Step::Switch(rng.random_range(1..=WEBHOOKS), activity)
        }
        86..89 => {
            *pushed += 1;
            Step::Push(*pushed)
        }
        89 => Step::Reject(rng.random_range(0..*pushed + 1)),
        90..94 => Step::Replay(some_names(rng, *made)),
        94..96 => Step::Cancel(some_names(rng, *made)),
        96 => Step::Delete(name(rng.random_range(0..*made + 1))),
        97 => Step::Expire,
        _ => Step::Purge,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_calls_are_answered_as_by_the_reference_store() {
    for seed in 0..12 {
        let memory = MemoryStore::new();
        let (sqlite, _, _folder) = fresh().await;
        let mut sides = [&memory as &dyn WebhookStore, &sqlite].map(|store| Side {
            store,
            ids: HashMap::new(),
            outbox: Vec::new(),
        });
        for side in &sides {
            for number in 1..=WEBHOOKS {
                let row = side
                    .store
                    .insert_webhook(
                        &Webhook {
                            order: if number == 2 {
                                DeliveryOrder::InOrder
                            } else {
                                DeliveryOrder::Unordered
                            },
                            ..webhook(&format!("w{number}"))
                        },
                        at(0),
                    )
                    .await
                    .unwrap();
                assert_eq!(row.id.0, number);
                side.store
                    .insert_task(&task(row.id, "t"), at(0))
                    .await
                    .unwrap();
            }
        }
        let mut rng = StdRng::seed_from_u64(seed);
        let (mut made, mut pushed, mut now) = (0, 0, 0);
        for number in 0..STEPS {
            now += rng.random_range(0..3);
            let step = any_step(&mut rng, &mut made, &mut pushed, now);
            let [reference, backend] = &mut sides;
            let (expected, got) = (
                reference.step(&step, now).await,
                backend.step(&step, now).await,
            );
            assert_eq!(expected, got, "seed {seed}, step {number}: {step:?}");
        }
        assert_eq!(
            sides[0].everything().await,
            sides[1].everything().await,
            "seed {seed}"
        );
        assert!(made > 50);
    }
}
