//! Keys, webhooks, tasks, events and deliveries, if the caller may see them.

use gatepost_keys::AccessLevel;
use apikey_core::KeyId;
use gatepost_storage::keys::KeyRow;
use gatepost_storage::webhooks::{Delivery, DeliveryId, TaskQuery, TaskRow, WebhookQuery};
use gatepost_storage::{Page, Row};
use webhook_model::{Event, EventId, OwnerId, Task, TaskId, Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;

/// Rows that are read at most to fill a page for a caller who may see only some of them.
const MAX_READ: usize = 20_000;
/// Rows read at a time.
const STRIDE: u32 = 500;

impl PageContext {
    /// How many rows to read at a time: more for a caller who may see only some of them.
    fn stride(&self, wanted: usize) -> u32 {
        if self.principal.access == AccessLevel::TenantAdministrator {
            return STRIDE;
        }
        u32::try_from(wanted).unwrap_or(STRIDE).clamp(1, STRIDE)
    }

    /// Whether the caller may see and change what this user owns.
    pub(crate) async fn may_manage(&self, owner: i64) -> Result<bool, Failure> {
        let mut authority = self.console.keys.authority(&self.principal);
        Ok(authority.may_manage(OwnerId(owner)).await?)
    }

    /// The key, if the caller may see it.
    pub(crate) async fn key(&self, id: i64) -> Result<KeyRow, Failure> {
        let keys = &self.console.keys;
        let row = keys.get(&self.principal, KeyId(id)).await?;
        row.ok_or(Failure::NotFound)
    }

    /// The webhook, if the caller may see it.
    pub(crate) async fn webhook(&self, id: i64) -> Result<Row<WebhookId, Webhook>, Failure> {
        let engine = &self.console.engine;
        let row = engine.webhook(WebhookId(id)).await?;
        let row = row.ok_or(Failure::NotFound)?;
        let may = self.may_manage(row.value.owner.0).await?;
        may.then_some(row).ok_or(Failure::NotFound)
    }

    /// The task, if the caller may see it.
    pub(crate) async fn task(&self, id: i64) -> Result<TaskRow, Failure> {
        let engine = &self.console.engine;
        let row = engine.task(TaskId(id)).await?.ok_or(Failure::NotFound)?;
        let may = self.may_manage(row.task.creator.0).await?;
        may.then_some(row).ok_or(Failure::NotFound)
    }

    /// The event and its task, if the caller may see them.
    pub(crate) async fn event(&self, id: i64) -> Result<(Row<EventId, Event>, Task), Failure> {
        let engine = &self.console.engine;
        let row = engine.event(EventId(id)).await?.ok_or(Failure::NotFound)?;
        let task = self.task(row.value.task.0).await?.task;
        Ok((row, task))
    }

    /// The delivery and its webhook, if the caller may see them.
    pub(crate) async fn delivery(
        &self,
        id: i64,
    ) -> Result<(Delivery, Row<WebhookId, Webhook>), Failure> {
        let engine = &self.console.engine;
        let delivery = engine.delivery(DeliveryId(id)).await?;
        let delivery = delivery.ok_or(Failure::NotFound)?;
        let webhook = self.webhook(delivery.webhook.0).await?;
        Ok((delivery, webhook))
    }

    /// At most `limit` webhooks of the caller beyond `page.after`.
    pub(crate) async fn webhooks(
        &self,
        mut page: Page<WebhookId>,
        limit: usize,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, Failure> {
        let console = &self.console;
        let mut authority = console.keys.authority(&self.principal);
        let only = authority.only();
        let mut rows = Vec::new();
        for _ in 0..MAX_READ / STRIDE as usize {
            page.limit = self.stride(limit - rows.len());
            let query = WebhookQuery {
                owner: only,
                name: None,
                page,
            };
            let found = console.engine.list_webhooks(&query).await?;
            let more = found.len() >= page.limit as usize;
            page.after = found.last().map(|row| row.id);
            for row in found {
                if authority.may_manage(row.value.owner).await? {
                    rows.push(row);
                }
            }
            if !more || rows.len() >= limit {
                break;
            }
        }
        rows.truncate(limit);
        Ok(rows)
    }

    /// At most `limit` tasks of the caller beyond `page.after`.
    pub(crate) async fn tasks(
        &self,
        webhook: Option<WebhookId>,
        mut page: Page<TaskId>,
        limit: usize,
    ) -> Result<Vec<TaskRow>, Failure> {
        let console = &self.console;
        let mut authority = console.keys.authority(&self.principal);
        let only = authority.only();
        let mut rows = Vec::new();
        for _ in 0..MAX_READ / STRIDE as usize {
            page.limit = self.stride(limit - rows.len());
            let query = TaskQuery {
                creator: only,
                webhook,
                name: None,
                page,
            };
            let found = console.engine.list_tasks(&query).await?;
            let more = found.len() >= page.limit as usize;
            page.after = found.last().map(|row| row.id);
            for row in found {
                if authority.may_manage(row.task.creator).await? {
                    rows.push(row);
                }
            }
            if !more || rows.len() >= limit {
                break;
            }
        }
        rows.truncate(limit);
        Ok(rows)
    }
}
