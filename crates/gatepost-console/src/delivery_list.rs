//! The deliveries that the caller may see, as several pages show them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_manage::{DeliveryMatch, FoundDeliveries};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{Cause, Delivery, DeliveryId, DeliveryQuery, DeliveryState};
use webhook_model::{ObjectId, TaskId, Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::paging::newest_rows;
use crate::platform_names::PlatformNames;

/// Which deliveries to list: those that match all that is `Some`.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeliveryFilter {
    pub webhook: Option<WebhookId>,
    pub task: Option<TaskId>,
    pub state: Option<DeliveryState>,
    /// How the last attempt ended.
    pub class: Option<&'static str>,
    /// The status of the last response.
    pub status: Option<u16>,
    /// The beginning of a message ID or of the id of an occurrence.
    pub id: Option<String>,
    /// A part of the message, of an id or of the result.
    pub text: Option<String>,
    /// Queued at or after this.
    pub from: Option<DateTime<Utc>>,
    /// Queued before this.
    pub before: Option<DateTime<Utc>>,
}

/// The newest deliveries, at most `limit`. A webhook or a task that the caller may not see is not
/// found.
pub(crate) async fn newest(
    ctx: &PageContext,
    filter: DeliveryFilter,
    limit: u32,
) -> Result<Vec<Delivery>, Failure> {
    Ok(found(ctx, filter, newest_rows(limit)).await?.rows)
}

/// One page of deliveries; fewer where a look has read enough. A webhook or a task that the caller
/// may not see is not found.
pub(crate) async fn found(
    ctx: &PageContext,
    filter: DeliveryFilter,
    page: Page<DeliveryId>,
) -> Result<FoundDeliveries, Failure> {
    if let Some(webhook) = filter.webhook {
        ctx.actor.webhook(webhook).await?;
    }
    let query = DeliveryQuery {
        webhook: filter.webhook,
        task: filter.task,
        states: filter.state.into_iter().collect(),
        class: filter.class.map(str::to_owned),
        created_from: filter.from,
        created_before: filter.before,
        ..DeliveryQuery::all(page)
    };
    let mut wanted = DeliveryMatch::default();
    wanted.status = filter.status;
    wanted.id = filter.id;
    wanted.text = filter.text;
    Ok(ctx.actor.find_deliveries(&query, &wanted).await?)
}

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
