//! Edits and deletions.

use chrono::{DateTime, Utc};
use gatepost_storage::Row;
use gatepost_storage::webhooks::{Cascade, RecordId, TaskRow};
use webhook_model::{Action, DeliveryOrder, Event, EventId, Task, TaskId, Webhook, WebhookId};

use super::table::{Stored, cells, params, row};
use crate::change::{Alone, most};
use crate::db::Param;
use crate::error::Result;
use crate::store::PostgresStore;

impl PostgresStore {
    pub(super) async fn change_webhook(
        &self,
        new: &Row<WebhookId, Webhook>,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let stored = self.change(new, &of_webhook(new.id), at_most, now).await?;
        self.db().wait_for_writers().await?;
        let ordered_after: i64 = stored.try_get("ordered_after")?;
        if ordered_after < 0 && new.value.order == DeliveryOrder::InOrder {
            let revision = stored.try_get("revision")?;
            self.begin_order(new.id, revision).await;
        }
        if new.value.sends() {
            // Deliveries that waited while it was inactive.
            self.notifier().webhook(new.id);
        }
        row(&stored, self.sealing())
    }

    pub(super) async fn change_task(
        &self,
        new: &TaskRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<TaskRow> {
        let alone = Alone {
            webhooks: webhook_of(&new.value),
            ..of_task(new.id)
        };
        let stored = self.change(new, &alone, at_most, now).await?;
        row(&stored, self.sealing())
    }

    pub(super) async fn change_event(
        &self,
        new: &Row<EventId, Event>,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let alone = Alone {
            events: vec![new.id.0],
            ..of_task(new.value.task)
        };
        let stored = self.change(new, &alone, at_most, now).await?;
        row(&stored, self.sealing())
    }

    async fn change<R: Stored>(
        &self,
        new: &Row<R::Id, R>,
        alone: &Alone,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<tokio_postgres::Row> {
        let fields = cells(&new.value, self.sealing())?;
        let (size, bytes, id): (_, _, i64) = (new.value.size(), most(at_most), new.id.into());
        let params = params(&[&now, &size, &bytes, &id, &new.revision.0], &fields);
        let update = (R::table().update.as_str(), &params[..]);
        let (verdict, stored) = self.db().change(alone, None, update).await?;
        R::WORDS.check(&verdict)?;
        Ok(stored)
    }

    pub(super) async fn remove(&self, id: RecordId, cascade: Cascade) -> Result<()> {
        match id {
            RecordId::Webhook(id) => {
                let params: [Param<'_>; 2] = [&id.0, &(cascade == Cascade::Tasks)];
                self.delete::<Webhook>(&of_webhook(id), &params).await?;
                self.db().wait_for_writers().await
            }
            RecordId::Task(id) => self.delete::<Task>(&of_task(id), &[&vec![id.0]]).await,
            RecordId::Event(id) => {
                let alone = Alone {
                    events: vec![id.0],
                    ..Alone::default()
                };
                self.delete::<Event>(&alone, &[&id.0]).await
            }
        }
    }

    async fn delete<R: Stored>(&self, alone: &Alone, params: &[Param<'_>]) -> Result<()> {
        let delete = (R::table().delete.as_str(), params);
        let (verdict, _) = self.db().change(alone, None, delete).await?;
        R::WORDS.check(&verdict)
    }
}

fn of_webhook(id: WebhookId) -> Alone {
    Alone {
        webhooks: vec![id.0],
        ..Alone::default()
    }
}

fn of_task(id: TaskId) -> Alone {
    Alone {
        tasks: vec![id.0],
        ..Alone::default()
    }
}

/// Returns the webhook that a task sends to.
pub(super) fn webhook_of(task: &Task) -> Vec<i64> {
    match &task.action {
        Action::Send { webhook, .. } => vec![webhook.0],
        _ => Vec::new(),
    }
}
