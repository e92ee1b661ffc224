//! Whole webhooks, tasks and events: changed in any field, and shown.

use chrono::{DateTime, Utc};
use gatepost_storage::Row;
use gatepost_storage::webhooks::TaskRow;
use webhook_model::{Action, Event, EventId, TaskId, Webhook, WebhookId};

use super::side::{Side, answer, of, place};
use super::whole::{change, text};
use crate::fields::{of_event, of_task, of_webhook};
use crate::fixtures::UNLIMITED;

impl Side {
    pub(super) async fn change(
        &self,
        table: u8,
        number: u8,
        with: (u8, u8),
        now: DateTime<Utc>,
    ) -> String {
        let records = &self.store.records;
        match table {
            0 => {
                let id = of(&self.webhooks, number, WebhookId(i64::MAX));
                let Some(mut row) = records.webhook(id).await.unwrap() else {
                    return "none".to_owned();
                };
                change(&of_webhook(&row), with, &mut row);
                let done = records.update_webhook(&row, UNLIMITED, now).await;
                answer(done, |row| self.webhook_text(&row))
            }
            1 => {
                let Some(mut row) = records.task(self.task(number)).await.unwrap() else {
                    return "none".to_owned();
                };
                let webhooks = [self.webhook(0), self.webhook(1)];
                change(&of_task(&row, webhooks), with, &mut row);
                let done = records.update_task(&row, UNLIMITED, now).await;
                answer(done, |row| self.task_text(&row))
            }
            _ => {
                let Some(mut row) = records.event(self.event(number)).await.unwrap() else {
                    return "none".to_owned();
                };
                change(&of_event(&row, self.two_tasks()), with, &mut row);
                let done = records.update_event(&row, UNLIMITED, now).await;
                answer(done, |row| self.event_text(&row))
            }
        }
    }

    fn two_tasks(&self) -> [TaskId; 2] {
        [self.task(0), self.task(1)]
    }

    pub(super) fn webhook_text(&self, row: &Row<WebhookId, Webhook>) -> String {
        let number = place(&self.webhooks, &row.id);
        format!("{number:?} {}", text(&self.fields.webhooks, row, &[]))
    }

    pub(super) fn task_text(&self, row: &TaskRow) -> String {
        let number = place(&self.tasks, &row.id);
        let action = match &row.value.action {
            Action::Send { webhook, message } => {
                let webhook = place(&self.webhooks, webhook);
                format!("{webhook:?} {:?}", message.as_str())
            }
            _ => String::new(),
        };
        let own = [("row.task.action", action)];
        format!("{number:?} {}", text(&self.fields.tasks, row, &own))
    }

    pub(super) fn event_text(&self, row: &Row<EventId, Event>) -> String {
        let number = place(&self.events, &row.id);
        let task = place(&self.tasks, &row.value.task);
        let own = [("row.value.task", format!("{task:?}"))];
        format!("{number:?} {}", text(&self.fields.events, row, &own))
    }
}
