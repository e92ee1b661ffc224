//! The visible state of a side.

use std::fmt::Write as _;

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::*;
use gatepost_storage::{Page, Scope};
use webhook_model::{Audience, WebhookId};

use super::queue::LATE;
use super::side::{LIMITS, Side, answer, place};
use super::step::PLACES;
use crate::fixtures::{at, due_queues, full_occurrence, outbox};
use crate::world::{events_in, tasks_in, webhooks_in};

impl Side {
    pub(super) async fn look(&self, now: i64) -> String {
        let (queue, log) = (&self.store.queue, &self.store.log);
        let due = due_queues(&self.store, now).await;
        let due: Vec<_> = due
            .iter()
            .map(|l| {
                let webhook = place(&self.webhooks, &l.queue.webhook);
                (webhook, l.queue.class, l.due, l.owner, l.realm, l.revision)
            })
            .collect();
        let stats = log.count_queue(at(now)).await.unwrap();
        // Deleted rows may wait until they are removed.
        self.remove_gone(100).await;
        let next = queue.next_due(at(now)).await.unwrap();
        format!("{due:?} {next:?} {stats:?}")
    }

    pub(super) async fn push(&mut self, n: u8, now: i64) -> String {
        let mut occurrence = full_occurrence();
        occurrence.id = None;
        occurrence.audience = match n % 4 {
            0 => Audience::OneSystem,
            1 => Audience::Tenant(TenantId(1)),
            2 => Audience::Tenant(TenantId(2)),
            _ => Audience::Owner(OwnerId(1)),
        };
        occurrence.variables.push(("n".to_owned(), n.to_string()));
        let id = self.store.outbox.push_outbox(&occurrence, at(now)).await;
        self.outbox.push(id.unwrap());
        self.waiting().await
    }

    pub(super) async fn waiting(&self) -> String {
        let mut rows = outbox(&self.store, LATE).await;
        rows.sort_by_key(|row| place(&self.outbox, &row.id));
        let rows = rows.into_iter().map(|r| {
            (
                place(&self.outbox, &r.id),
                r.occurrence,
                r.left,
                r.turn,
                r.created,
            )
        });
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
            .update_webhook(&row, LIMITS, at(now))
            .await;
        answer(edited, |_| "edited".to_owned())
    }

    pub(super) fn show(&self, delivery: Delivery) -> String {
        let number = place(&self.deliveries, &delivery.id);
        let webhook = place(&self.webhooks, &delivery.webhook);
        let task = delivery.task.map(|task| place(&self.tasks, &task));
        // The due time is meaningful while the delivery waits.
        let due = match delivery.state {
            DeliveryState::Queued => delivery.due,
            _ => delivery.created,
        };
        let alike = Delivery {
            id: DeliveryId(0),
            webhook: WebhookId(0),
            task: None,
            due,
            ..delivery
        };
        format!("{number:?} {webhook:?} {task:?} {alike:?}")
    }

    /// Returns all stored rows and matched routes.
    pub(super) async fn everything(&mut self) -> String {
        let mut all = self.waiting().await + &self.listed(Scope::All).await;
        for number in 0..PLACES {
            all += &self.matched(Self::place(number)).await;
        }
        all
    }

    /// Returns all rows of a scope.
    pub(super) async fn listed(&self, scope: Scope) -> String {
        let mut all = String::new();
        let query = DeliveryQuery {
            scope,
            ..DeliveryQuery::all(Page::first(10_000))
        };
        for delivery in self.store.log.list_deliveries(&query).await.unwrap() {
            let id = delivery.id;
            writeln!(all, "{}", self.show(delivery)).unwrap();
            for attempt in self.store.log.attempts(id, 99).await.unwrap() {
                writeln!(all, "    {attempt:?}").unwrap();
            }
        }
        let records = &self.store.records;
        let query = webhooks_in(scope, Page::first(10_000));
        for row in records.list_webhooks(&query).await.unwrap() {
            writeln!(all, "{}", self.webhook_text(&row)).unwrap();
        }
        let query = tasks_in(scope, Page::first(10_000));
        for row in records.list_tasks(&query).await.unwrap() {
            writeln!(all, "{}", self.task_text(&row)).unwrap();
        }
        let query = events_in(scope, Page::first(10_000));
        for row in records.list_events(&query).await.unwrap() {
            writeln!(all, "{}", self.event_text(&row)).unwrap();
        }
        all
    }
}
