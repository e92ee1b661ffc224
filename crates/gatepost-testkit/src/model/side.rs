//! One of the two stores and what is known of its rows.

use std::collections::HashMap;
use std::fmt::Write as _;

use gatepost_ids::Place;
use gatepost_storage::webhooks::*;
use gatepost_storage::{Page, Scope, StoreError};
use webhook_model::{DeliveryOrder, EventId, TaskId, WebhookId};

use super::step::{Call, End, Ending, From, Seen};
use crate::fixtures::{
    UNLIMITED, at, direct, full_occurrence, message, named, settlement_of, version, webhook,
};
use crate::harness::Webhooks;

/// Row numbers and tokens may differ between two stores: they are shown by their place in these
/// lists.
pub(super) struct Side {
    pub(super) store: Webhooks,
    pub(super) webhooks: Vec<WebhookId>,
    pub(super) tasks: Vec<TaskId>,
    pub(super) events: Vec<EventId>,
    pub(super) outbox: Vec<OutboxId>,
    pub(super) deliveries: Vec<DeliveryId>,
    pub(super) tokens: HashMap<DeliveryId, Vec<ClaimToken>>,
    pub(super) named: usize,
}

/// The row that a small number names, or one that is not there.
pub(super) fn of<I: Copy>(rows: &[I], number: u8, none: I) -> I {
    let wrapped = usize::from(number).checked_rem(rows.len());
    wrapped.and_then(|n| rows.get(n).copied()).unwrap_or(none)
}

pub(super) fn place<I: PartialEq>(rows: &[I], id: &I) -> Option<usize> {
    rows.iter().position(|row| row == id)
}

/// What matters of an answer: the value, or the kind of the error.
pub(super) fn answer<T>(answer: Result<T, StoreError>, show: impl FnOnce(T) -> String) -> String {
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
            let row = store.records.insert_webhook(&hook, UNLIMITED, at(0)).await;
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
    pub(super) fn webhook(&self, number: u8) -> WebhookId {
        let known = self.webhooks.get(usize::from(number)).copied();
        known.unwrap_or(WebhookId(i64::MAX))
    }

    pub(super) fn task(&self, number: u8) -> TaskId {
        of(&self.tasks, number, TaskId(i64::MAX))
    }

    pub(super) fn delivery(&self, number: u8) -> DeliveryId {
        of(&self.deliveries, number, DeliveryId(i64::MAX))
    }
}

pub(super) fn shown(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

/// The calls that say more.
impl Side {
    pub(super) async fn enqueue(&mut self, call: &Call, now: i64) -> String {
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
        let origin = match from {
            From::Direct => Origin::Direct,
            From::Occurrence(n) => named(&format!("o{n}")),
            From::Outbox(n, named) => Origin::Outbox {
                row: of(&self.outbox, *n, OutboxId(i64::MAX)),
                turn: self.turn(*n).await,
                occurrence: named.map(|n| (Place::Common, format!("o{n}").parse().unwrap())),
                left: None,
            },
        };
        let before = version(&self.store, Place::Common).await;
        let basis = match seen {
            Seen::None => Basis::Nothing,
            Seen::Present => Basis::Places(vec![(Place::Common, before)]),
            Seen::Old => Basis::Places(vec![(Place::Common, RoutesVersion(before.0 - 1))]),
        };
        let batch = Enqueue {
            basis,
            origin,
            consume: consume.iter().map(|n| self.task(*n)).collect(),
            ..direct(deliveries)
        };
        match self.store.queue.enqueue(batch, at(now)).await {
            Ok(Enqueued::Stored { deliveries, moved }) => {
                for stored in &deliveries {
                    self.deliveries.push(stored.id);
                    self.given(stored.id, stored.token);
                }
                let leased = deliveries.iter().filter(|d| d.token.is_some()).count();
                format!(
                    "{} stored, {leased} leased, version moved: {}",
                    deliveries.len(),
                    moved.iter().any(|(_, version)| *version > before)
                )
            }
            Ok(other) => format!("{other:?}"),
            Err(error) => format!("{:?}", error.kind()),
        }
    }

    /// The turn at which a row of the outbox is now, or was last seen.
    async fn turn(&self, n: u8) -> u32 {
        let id = of(&self.outbox, n, OutboxId(i64::MAX));
        let rows = self
            .store
            .outbox
            .outbox(1_000, at(1_000_000))
            .await
            .unwrap();
        let row = rows.iter().find(|row| row.id == id);
        row.map_or(0, |row| row.turn)
    }

    /// Notes a token; one that was given before is no proof.
    pub(super) fn given(&mut self, id: DeliveryId, token: Option<ClaimToken>) {
        let Some(token) = token else { return };
        let tokens = self.tokens.entry(id).or_default();
        assert!(!tokens.contains(&token), "a token was given twice");
        tokens.push(token);
    }

    pub(super) async fn claim(&mut self, lanes: &[(u8, bool, u8)], now: i64) -> String {
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

    pub(super) async fn settle(&self, endings: &[Ending], now: i64) -> String {
        let settlements = endings.iter().map(|ending| {
            let delivery = self.delivery(ending.of);
            let tokens = self.tokens.get(&delivery).map_or(&[][..], Vec::as_slice);
            let token = tokens.iter().rev().nth(usize::from(ending.claims_ago));
            let token = token.copied().unwrap_or(ClaimToken(i64::MAX));
            let disposition = match ending.end {
                End::Sent => Disposition::Sent,
                End::Failed => Disposition::Failed,
                End::Retry(after) => Disposition::Retry {
                    due: at(now + i64::from(after)),
                },
                End::Release(after) => Disposition::Release {
                    due: at(now + i64::from(after)),
                },
            };
            let mut settlement = settlement_of(Claim { delivery, token }, disposition);
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

    pub(super) async fn look(&self, now: i64) -> String {
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

    pub(super) async fn push(&mut self, n: u8, now: i64) -> String {
        let mut occurrence = full_occurrence();
        occurrence.id = None;
        occurrence.variables.push(("n".to_owned(), n.to_string()));
        let id = self.store.outbox.push_outbox(&occurrence, at(now)).await;
        self.outbox.push(id.unwrap());
        self.waiting().await
    }

    pub(super) async fn waiting(&self) -> String {
        let rows = self.store.outbox.outbox(100, at(1_000_000)).await.unwrap();
        let rows = rows
            .into_iter()
            .map(|r| (place(&self.outbox, &r.id), r.occurrence));
        format!("{:?}", rows.collect::<Vec<_>>())
    }

    pub(super) async fn edit(
        &self,
        id: WebhookId,
        now: i64,
        edit: impl FnOnce(&mut webhook_model::Webhook),
    ) -> String {
        let Some(mut row) = self.store.records.webhook(id).await.unwrap() else {
            return "none".to_owned();
        };
        edit(&mut row.value);
        let edited = self
            .store
            .records
            .update_webhook(&row, UNLIMITED, at(now))
            .await;
        answer(edited, |_| "edited".to_owned())
    }

    pub(super) fn show(&self, delivery: Delivery) -> String {
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
        let records = &self.store.records;
        let query = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: Page::first(10_000),
        };
        for row in records.list_webhooks(&query).await.unwrap() {
            let id = place(&self.webhooks, &row.id);
            let (created, modified) = (row.created, row.modified);
            writeln!(all, "{id:?} {created} {modified} {:?}", row.value).unwrap();
        }
        let query = TaskQuery {
            scope: Scope::All,
            creator: None,
            webhook: None,
            name: None,
            page: Page::first(10_000),
        };
        for row in records.list_tasks(&query).await.unwrap() {
            let id = place(&self.tasks, &row.id);
            let (modified, last_run) = (row.modified, row.last_run);
            writeln!(all, "{id:?} {:?} {modified} {last_run:?}", row.owner).unwrap();
        }
        let query = EventQuery {
            scope: Scope::All,
            task: None,
            event_type: None,
            page: Page::first(10_000),
        };
        for row in records.list_events(&query).await.unwrap() {
            let id = place(&self.events, &row.id);
            writeln!(all, "{id:?} {:?} {}", row.owner, row.modified).unwrap();
        }
        all
    }
}
