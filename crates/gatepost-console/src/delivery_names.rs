//! What deliveries speak of, by name.

use std::collections::BTreeMap;

use gatepost_storage::webhooks::{Cause, Delivery};
use webhook_model::{ObjectId, TaskId, Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::platform_names::PlatformNames;

/// What the rows of a list speak of: webhooks, tasks, objects and users, as the caller knows them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub webhooks: BTreeMap<WebhookId, Webhook>,
    pub tasks: BTreeMap<TaskId, String>,
    rows: PlatformNames,
}

impl Names {
    /// By one look into the store for webhooks and one for tasks; names of the platform's rows by a
    /// question for each of its tables.
    pub(crate) async fn of(ctx: &PageContext, deliveries: &[Delivery]) -> Result<Self, Failure> {
        let webhooks = deliveries.iter().map(|delivery| delivery.webhook);
        let tasks = deliveries.iter().filter_map(|delivery| delivery.task);
        let causes = deliveries.iter().filter_map(|row| row.cause.as_ref());
        Ok(Self {
            webhooks: ctx.actor.named_webhooks(webhooks).await?,
            tasks: ctx.actor.task_names(tasks).await?,
            rows: PlatformNames::of(ctx, causes.flat_map(platform_rows)).await,
        })
    }

    /// The name of a row of the platform, or its id.
    pub(crate) fn row(&self, table: &str, key: ObjectId) -> String {
        let name = self.rows.get(table, key);
        name.map_or_else(|| format!("#{key}"), str::to_owned)
    }
}

/// The object of a cause, and who ran it by hand.
fn platform_rows(cause: &Cause) -> impl Iterator<Item = (String, ObjectId)> {
    let object = cause.object.map(|id| (cause.event_type.to_string(), id));
    let by = cause.by.map(|user| ("users".to_owned(), user.into()));
    object.into_iter().chain(by)
}
