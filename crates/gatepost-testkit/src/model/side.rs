//! One of the two stores and what is known of its rows.

use std::collections::HashMap;
use std::fmt::Write as _;

use gatepost_storage::webhooks::*;
use gatepost_storage::{Page, StoreError};
use webhook_model::{Activity, DeliveryOrder, EventId, TaskId, WebhookId};

use super::step::{Call, End, Ending, From, Seen};
use crate::fixtures::{at, direct, event, full_occurrence, message, settlement_of, task, webhook};
use crate::harness::Webhooks;

/// Row numbers and tokens may differ between two stores: they are shown by their place in these
/// lists.
pub(super) struct Side {
    store: Webhooks,
    webhooks: Vec<WebhookId>,
    tasks: Vec<TaskId>,
    events: Vec<EventId>,
    outbox: Vec<OutboxId>,
    deliveries: Vec<DeliveryId>,
    tokens: HashMap<DeliveryId, Vec<ClaimToken>>,
    named: usize,
}

/// The row that a small number names, or one that is not there.
fn of<I: Copy>(rows: &[I], number: u8, none: I) -> I {
    let wrapped = usize::from(number).checked_rem(rows.len());
    wrapped.and_then(|n| rows.get(n).copied()).unwrap_or(none)
}

fn place<I: PartialEq>(rows: &[I], id: &I) -> Option<usize> {
    rows.iter().position(|row| row == id)
}

/// What matters of an answer: the value, or the kind of the error.
fn answer<T>(answer: Result<T, StoreError>, show: impl FnOnce(T) -> String) -> String {
    match answer {
        Ok(value) => show(value),
        Err(error) => format!("{:?}", error.kind()),
    }
}

impl Side {
    pub(super) async fn new(store: Webhooks) -> Self {
        let mut webhooks = Vec::new();
        for number in 0..4 {
            let mut hook = webhook(&format!("w{number}"));
            if number == 1 {
                hook.order = DeliveryOrder::InOrder;
            }
            let row = store.records.insert_webhook(&hook, at(0)).await;
            webhooks.push(row.unwrap().id);
        }
        Self {
            store,
            webhooks,
            tasks: Vec::new(),
            events: Vec::new(),
            outbox: Vec::new(),
            deliveries: Vec::new(),
            tokens: HashMap::new(),
            named: 0,
        }
    }

    /// The fifth webhook is one that is not there.
    fn webhook(&self, number: u8) -> WebhookId {
        let known = self.webhooks.get(usize::from(number)).copied();
        known.unwrap_or(WebhookId(i64::MAX))
    }

    fn task(&self, number: u8) -> TaskId {
        of(&self.tasks, number, TaskId(i64::MAX))
    }

    fn delivery(&self, number: u8) -> DeliveryId {
        of(&self.deliveries, number, DeliveryId(i64::MAX))
    }

    /// Carries a call out and tells what it answered.
    pub(super) async fn carry_out(&mut self, call: &Call, now: i64) -> String {
        let (records, log) = (self.store.records.clone(), self.store.log.clone());
        let time = at(now);
        match call {
            Call::Enqueue { .. } => self.enqueue(call, now).await,
            Call::Push(n) => {
                let mut occurrence = full_occurrence();
                occurrence.id = None;
                occurrence.variables.push(("n".to_owned(), n.to_string()));
                let id = self.store.outbox.push_outbox(&occurrence, time).await;
                self.outbox.push(id.unwrap());
                self.waiting().await
            }
            Call::Reject(n) => {
                let id = of(&self.outbox, *n, OutboxId(i64::MAX));
                let done = self.store.outbox.reject_outbox(id, "no", time).await;
                // Whether a row that is used up or set aside already is still there is the store's
                // affair.
                drop(done);
                self.waiting().await
            }
            Call::Claim(lanes) => self.claim(lanes, now).await,
            Call::Settle(endings) => self.settle(endings, now).await,
            Call::Reclaim(limit) => {
                let done = self.store.queue.reclaim(u32::from(*limit), time).await;
                answer(done, |r| format!("{r:?}"))
            }
            Call::Look => self.look(now).await,
            Call::Activity(n, active) => {
                let to = if *active {
                    Activity::Active
                } else {
                    Activity::Paused
                };
                self.edit(self.webhook(*n), now, |w| w.activity = to).await
            }
            Call::Order(n, ordered) => {
                let to = if *ordered {
                    DeliveryOrder::InOrder
                } else {
                    DeliveryOrder::Unordered
                };
                self.edit(self.webhook(*n), now, |w| w.order = to).await
            }
            Call::InsertTask(n) => {
                let row = records.insert_task(&task(self.webhook(*n)), time).await;
                answer(row, |row| {
                    self.tasks.push(row.id);
                    "stored".to_owned()
                })
            }
            Call::InsertEvent(n) => {
                let row = records.insert_event(&event(self.task(*n)), time).await;
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
                    records.update_webhook(&row, time).await.unwrap();
                    answer(records.update_webhook(&row, time).await, |_| {
                        "edited".to_owned()
                    })
                }
                None => "none".to_owned(),
            },
            Call::Ran(n, ago) => {
                let runs = [(self.task(*n), at(now - i64::from(*ago)))];
                answer(records.record_task_runs(&runs).await, shown)
            }
            Call::Replay(numbers) => {
                let ids = numbers.iter().map(|n| self.delivery(*n)).collect();
                answer(log.replay(&Replay::Ids(ids), 3, time).await, shown)
            }
            Call::ReplayFailed(n) => {
                let (webhook, from, before) = (self.webhook(*n), at(now - 20), time);
                let which = Replay::Failed {
                    webhook,
                    from,
                    before,
                };
                answer(log.replay(&which, 3, time).await, shown)
            }
            Call::Cancel(numbers) => {
                let ids: Vec<_> = numbers.iter().map(|n| self.delivery(*n)).collect();
                answer(log.cancel(&ids, "cancelled", time).await, shown)
            }
            Call::DeleteDelivery(n) => {
                answer(log.delete_delivery(self.delivery(*n), time).await, shown)
            }
            Call::Expire => answer(log.expire_held(at(now - 10), 2, time).await, shown),
            Call::Purge => {
                let keep = PurgeBounds {
                    created_before: at(now - 30),
                    newest_per_webhook: 6,
                    occurrences_before: at(now - 30),
                };
                // Which of several kinds goes first within a limit is the store's affair: the limit
                // is not reached here.
                answer(log.purge(&keep, 10_000, time).await, shown)
            }
        }
    }
}

fn shown(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

/// The calls that say more.
impl Side {
    async fn enqueue(&mut self, call: &Call, now: i64) -> String {
        let Call::Enqueue {
            webhooks,
            again,
            leased,
            from,
            seen,
            consume,
        } = call
        else {
            return String::new();
        };
        let mut deliveries = Vec::new();
        for webhook in webhooks {
            self.named += 1;
            let name = format!("m{}", self.named);
            deliveries.push(NewDelivery {
                due: at(now + i64::from(*webhook % 3)),
                lease_until: leased.then(|| at(now + 20)),
                body: format!("body of {name}\0").into(),
                task: consume.map(|n| self.task(n)),
                ..message(self.webhook(*webhook), &name, at(now))
            });
        }
        if let (Some(n), true) = (again, self.named > 0) {
            let name = format!("m{}", usize::from(*n) % self.named + 1);
            deliveries.push(message(self.webhook(0), &name, at(now)));
        }
        let source = match from {
            From::Direct => Origin::Direct,
            From::Occurrence(n) => Origin::Occurrence(format!("o{n}").parse().unwrap()),
            From::Outbox(n, named) => Origin::Outbox {
                row: of(&self.outbox, *n, OutboxId(i64::MAX)),
                occurrence: named.map(|n| format!("o{n}").parse().unwrap()),
            },
        };
        let version = self.store.records.routes_version().await.unwrap();
        let routes = match seen {
            Seen::None => None,
            Seen::Present => Some(version),
            Seen::Old => Some(RoutesVersion(version.0 - 1)),
        };
        let batch = Enqueue {
            routes,
            source,
            consume: consume.iter().map(|n| self.task(*n)).collect(),
            ..direct(deliveries)
        };
        match self.store.queue.enqueue(batch, at(now)).await {
            Ok(Enqueued::Stored { deliveries, routes }) => {
                for stored in &deliveries {
                    self.deliveries.push(stored.id);
                    self.given(stored.id, stored.token);
                }
                let leased = deliveries.iter().filter(|d| d.token.is_some()).count();
                format!(
                    "{} stored, {leased} leased, version moved: {}",
                    deliveries.len(),
                    routes > version
                )
            }
            Ok(other) => format!("{other:?}"),
            Err(error) => format!("{:?}", error.kind()),
        }
    }

    /// Notes a token; one that was given before is no proof.
    fn given(&mut self, id: DeliveryId, token: Option<ClaimToken>) {
        let Some(token) = token else { return };
        let tokens = self.tokens.entry(id).or_default();
        assert!(!tokens.contains(&token), "a token was given twice");
        tokens.push(token);
    }

    async fn claim(&mut self, lanes: &[(u8, bool, u8)], now: i64) -> String {
        let mut asked: Vec<LaneClaim> = Vec::new();
        for (webhook, retry, limit) in lanes {
            let class = if *retry {
                LaneClass::Retry
            } else {
                LaneClass::First
            };
            let lane = Lane {
                webhook: self.webhook(*webhook),
                class,
            };
            if !asked.iter().any(|other| other.lane == lane) {
                asked.push(LaneClaim {
                    lane,
                    limit: u32::from(*limit),
                });
            }
        }
        let claimed = self
            .store
            .queue
            .claim(&asked, at(now + 15), at(now))
            .await
            .unwrap();
        let mut text = String::new();
        for claimed in claimed {
            self.given(claimed.delivery.id, Some(claimed.token));
            writeln!(text, "{}", self.show(claimed.delivery)).unwrap();
        }
        text
    }

    async fn settle(&self, endings: &[Ending], now: i64) -> String {
        let settlements = endings.iter().map(|ending| {
            let delivery = self.delivery(ending.of);
            let tokens = self.tokens.get(&delivery).map_or(&[][..], Vec::as_slice);
            let token = tokens.iter().rev().nth(usize::from(ending.claims_ago));
            let token = token.copied().unwrap_or(ClaimToken(i64::MAX));
            let verdict = match ending.end {
                End::Sent => Disposition::Sent,
                End::Failed => Disposition::Failed,
                End::Retry(after) => Disposition::Retry {
                    due: at(now + i64::from(after)),
                },
                End::Release(after) => Disposition::Release {
                    due: at(now + i64::from(after)),
                },
            };
            let mut settlement = settlement_of(Claim { delivery, token }, verdict);
            settlement.attempt = settlement.attempt.filter(|_| ending.attempted);
            settlement
        });
        let settled = self
            .store
            .queue
            .settle(settlements.collect(), at(now))
            .await;
        answer(settled, shown)
    }

    async fn look(&self, now: i64) -> String {
        let (queue, log) = (&self.store.queue, &self.store.log);
        let lanes = queue.due_lanes(None, 100, at(now)).await.unwrap();
        let lanes: Vec<_> = lanes
            .iter()
            .map(|l| (place(&self.webhooks, &l.lane.webhook), l.lane.class, l.due))
            .collect();
        let next = queue.next_due(at(now)).await.unwrap();
        let figures = log.queue_stats(at(now)).await.unwrap();
        format!("{lanes:?} {next:?} {figures:?}")
    }

    async fn waiting(&self) -> String {
        let rows = self.store.outbox.outbox(100).await.unwrap();
        let rows = rows
            .into_iter()
            .map(|r| (place(&self.outbox, &r.id), r.occurrence));
        format!("{:?}", rows.collect::<Vec<_>>())
    }

    async fn edit(
        &self,
        id: WebhookId,
        now: i64,
        edit: impl FnOnce(&mut webhook_model::Webhook),
    ) -> String {
        let Some(mut row) = self.store.records.webhook(id).await.unwrap() else {
            return "none".to_owned();
        };
        edit(&mut row.value);
        let edited = self.store.records.update_webhook(&row, at(now)).await;
        answer(edited, |_| "edited".to_owned())
    }

    fn show(&self, delivery: Delivery) -> String {
        let number = place(&self.deliveries, &delivery.id);
        let webhook = place(&self.webhooks, &delivery.webhook);
        let task = delivery.task.map(|task| place(&self.tasks, &task));
        let alike = Delivery {
            id: DeliveryId(0),
            webhook: WebhookId(0),
            task: None,
            ..delivery
        };
        format!("{number:?} {webhook:?} {task:?} {alike:?}")
    }

    /// All that is stored.
    pub(super) async fn everything(&self) -> String {
        let mut all = self.waiting().await;
        let query = DeliveryQuery::all(Page::first(10_000));
        for delivery in self.store.log.list_deliveries(&query).await.unwrap() {
            let id = delivery.id;
            writeln!(all, "{}", self.show(delivery)).unwrap();
            for attempt in self.store.log.attempts(id).await.unwrap() {
                writeln!(all, "    {attempt:?}").unwrap();
            }
        }
        let routes = self.store.records.routes().await.unwrap();
        for row in routes.webhooks {
            let id = place(&self.webhooks, &row.id);
            writeln!(
                all,
                "{id:?} {} {} {:?}",
                row.created, row.modified, row.value
            )
            .unwrap();
        }
        for row in routes.tasks {
            writeln!(
                all,
                "{:?} {} {:?}",
                place(&self.tasks, &row.id),
                row.modified,
                row.last_run
            )
            .unwrap();
        }
        for row in routes.events {
            writeln!(all, "{:?} {}", place(&self.events, &row.id), row.modified).unwrap();
        }
        all
    }
}
