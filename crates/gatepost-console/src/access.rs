//! What of the stored rows is the caller's to see, by the same authority as the API's.

use axum::extract::FromRequestParts;
use gatepost_keys::AccessLevel;
use gatepost_storage::webhooks::{Delivery, DeliveryId, TaskQuery, TaskRow, WebhookQuery};
use gatepost_storage::{Page, Row};
use http::request::Parts;
use webhook_model::{Event, EventId, OwnerId, Task, TaskId, Webhook, WebhookId};

use super::failure::Failure;
use super::session::Ctx;

/// Rows that are read to fill one page for a caller who may not see all of them.
const MOST_READ: usize = 20_000;
/// Rows read at a time.
const STRIDE: u32 = 500;

impl Ctx {
    /// How many rows to read where so many are wanted: more for a caller who may see only some of
    /// them.
    fn stride(&self, wanted: usize) -> u32 {
        if self.principal.access == AccessLevel::TenantAdministrator {
            return STRIDE;
        }
        u32::try_from(wanted).unwrap_or(STRIDE).clamp(1, STRIDE)
    }

    /// Whether what belongs to this user is the caller's to see.
    pub(super) async fn may_manage(&self, owner: i64) -> Result<bool, Failure> {
        let mut authority = self.console.inner.keys.authority(&self.principal);
        Ok(authority.may_manage(OwnerId(owner)).await?)
    }

    /// The webhook, if it is the caller's to see.
    pub(super) async fn webhook(&self, id: i64) -> Result<Row<WebhookId, Webhook>, Failure> {
        let engine = &self.console.inner.engine;
        let row = engine.webhook(WebhookId(id)).await?;
        let row = row.ok_or(Failure::NotFound)?;
        let may = self.may_manage(row.value.owner.0).await?;
        may.then_some(row).ok_or(Failure::NotFound)
    }

    /// The task, if it is the caller's to see.
    pub(super) async fn task(&self, id: i64) -> Result<TaskRow, Failure> {
        let engine = &self.console.inner.engine;
        let row = engine.task(TaskId(id)).await?.ok_or(Failure::NotFound)?;
        let may = self.may_manage(row.task.creator.0).await?;
        may.then_some(row).ok_or(Failure::NotFound)
    }

    /// The event and its task, if they are the caller's to see.
    pub(super) async fn event(&self, id: i64) -> Result<(Row<EventId, Event>, Task), Failure> {
        let engine = &self.console.inner.engine;
        let row = engine.event(EventId(id)).await?.ok_or(Failure::NotFound)?;
        let task = self.task(row.value.task.0).await?.task;
        Ok((row, task))
    }

    /// The delivery and its webhook, if they are the caller's to see.
    pub(super) async fn delivery(
        &self,
        id: i64,
    ) -> Result<(Delivery, Row<WebhookId, Webhook>), Failure> {
        let engine = &self.console.inner.engine;
        let delivery = engine.delivery(DeliveryId(id)).await?;
        let delivery = delivery.ok_or(Failure::NotFound)?;
        let webhook = self.webhook(delivery.webhook.0).await?;
        Ok((delivery, webhook))
    }

    /// At most `limit` webhooks of the caller beyond `page.after`.
    pub(super) async fn webhooks(
        &self,
        mut page: Page<WebhookId>,
        limit: usize,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, Failure> {
        let inner = &self.console.inner;
        let mut authority = inner.keys.authority(&self.principal);
        let only = authority.only();
        let mut rows = Vec::new();
        for _ in 0..MOST_READ / STRIDE as usize {
            page.limit = self.stride(limit - rows.len());
            let query = WebhookQuery {
                owner: only,
                name: None,
                page,
            };
            let found = inner.engine.list_webhooks(&query).await?;
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
    pub(super) async fn tasks(
        &self,
        webhook: Option<WebhookId>,
        mut page: Page<TaskId>,
        limit: usize,
    ) -> Result<Vec<TaskRow>, Failure> {
        let inner = &self.console.inner;
        let mut authority = inner.keys.authority(&self.principal);
        let only = authority.only();
        let mut rows = Vec::new();
        for _ in 0..MOST_READ / STRIDE as usize {
            page.limit = self.stride(limit - rows.len());
            let query = TaskQuery {
                creator: only,
                webhook,
                name: None,
                page,
            };
            let found = inner.engine.list_tasks(&query).await?;
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

/// More rows than this are not listed in a form.
const MOST_CHOICES: usize = 200;

impl Ctx {
    /// The host's rows to choose from; none where there are too many, so that the form asks for a
    /// number.
    pub(super) async fn choices(&self, table: &str) -> Vec<(String, String)> {
        let directory = &self.console.inner.directory;
        let found = directory
            .choices(&self.principal, table, MOST_CHOICES + 1)
            .await;
        few(found
            .into_iter()
            .map(|choice| (choice.key.to_string(), choice.name)))
    }

    /// What a user of the host's is called.
    pub(super) async fn user_name(&self, user: i64) -> String {
        let name = self
            .console
            .inner
            .directory
            .name(&self.principal, "users", user)
            .await;
        name.unwrap_or_else(|| format!("user {user}"))
    }

    /// The caller's webhooks to choose from.
    pub(super) async fn webhook_choices(&self) -> Result<Vec<(String, String)>, Failure> {
        let rows = self.webhooks(Page::newest(1), MOST_CHOICES + 1).await?;
        Ok(few(rows.into_iter().map(|row| {
            (row.id.to_string(), row.value.name.to_string())
        })))
    }

    /// The caller's tasks to choose from.
    pub(super) async fn task_choices(&self) -> Result<Vec<(String, String)>, Failure> {
        let rows = self.tasks(None, Page::newest(1), MOST_CHOICES + 1).await?;
        Ok(few(rows.into_iter().map(|row| {
            (row.id.to_string(), row.task.name.to_string())
        })))
    }
}

fn few(choices: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let all: Vec<_> = choices.take(MOST_CHOICES + 1).collect();
    if all.len() > MOST_CHOICES {
        Vec::new()
    } else {
        all
    }
}

/// The row number of a path. What is no number names no row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Id(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let id = axum::extract::Path::<i64>::from_request_parts(parts, state).await;
        id.map(|id| Self(id.0)).map_err(|_| Failure::NotFound)
    }
}
