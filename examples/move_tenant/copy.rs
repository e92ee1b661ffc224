//! The records of a tenant, from one database into another. Row numbers change; names, secrets,
//! key strings and settings stay.

use std::collections::HashMap;

use apikey_core::KeyId;
use gatepost_ids::TenantId;
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::webhooks::{
    DeliveryQuery, DeliveryState, EventQuery, TaskQuery, WebhookQuery,
};
use gatepost_storage::{KeyStore as _, Page, Scope};
use webhook_model::{Action, Activity, DeliveryOrder, TaskId, WebhookId};

use crate::Failure;
use crate::clusters::Cluster;

const PAGE: u32 = 200;

/// The numbers of the copied records in the new database, by their numbers in the old one.
#[derive(Default)]
pub(crate) struct Moved {
    webhooks: HashMap<WebhookId, WebhookId>,
    tasks: HashMap<TaskId, TaskId>,
    /// Webhooks in order, held until the old database has sent its waiting deliveries.
    held: Vec<WebhookId>,
}

/// Copies webhooks, tasks, events and keys. Nobody may edit them until it is done.
pub(crate) async fn records(
    from: &Cluster,
    to: &Cluster,
    tenant: TenantId,
) -> Result<Moved, Failure> {
    let scope = Scope::Tenant(tenant);
    let mut moved = Moved::default();
    let mut query = WebhookQuery {
        scope,
        name: None,
        page: Page::first(PAGE),
    };
    loop {
        let rows = from.engine.list_webhooks(&query).await?;
        let Some(last) = rows.last() else { break };
        query.page = query.page.beyond(last.id);
        for row in rows {
            let mut webhook = row.value;
            let waits =
                webhook.order == DeliveryOrder::InOrder && webhook.activity == Activity::Active;
            if waits {
                webhook.activity = Activity::Paused;
            }
            let new = to.engine.create_webhook(&webhook).await?.id;
            moved.webhooks.insert(row.id, new);
            moved.held.extend(waits.then_some(new));
        }
    }
    tasks(from, to, scope, &mut moved).await?;
    events(from, to, scope, &moved).await?;
    keys(from, to, scope).await?;
    Ok(moved)
}

async fn tasks(
    from: &Cluster,
    to: &Cluster,
    scope: Scope,
    moved: &mut Moved,
) -> Result<(), Failure> {
    let mut query = TaskQuery {
        scope,
        creator: None,
        webhook: None,
        name: None,
        page: Page::first(PAGE),
    };
    loop {
        let rows = from.engine.list_tasks(&query).await?;
        let Some(last) = rows.last() else {
            return Ok(());
        };
        query.page = query.page.beyond(last.id);
        for row in rows {
            let mut task = row.value;
            let Action::Send { webhook, .. } = &mut task.action else {
                return Err("a task that does something newer".into());
            };
            *webhook = *moved
                .webhooks
                .get(webhook)
                .ok_or("a task without its webhook")?;
            moved
                .tasks
                .insert(row.id, to.engine.create_task(&task).await?.id);
        }
    }
}

async fn events(from: &Cluster, to: &Cluster, scope: Scope, moved: &Moved) -> Result<(), Failure> {
    let mut query = EventQuery {
        scope,
        task: None,
        event_type: None,
        page: Page::first(PAGE),
    };
    loop {
        let rows = from.engine.list_events(&query).await?;
        let Some(last) = rows.last() else {
            return Ok(());
        };
        query.page = query.page.beyond(last.id);
        for row in rows {
            let mut event = row.value;
            event.task = *moved
                .tasks
                .get(&event.task)
                .ok_or("an event without its task")?;
            to.engine.create_event(&event).await?;
        }
    }
}

/// Copies keys as they are stored: their digests, so that every key continues to work.
async fn keys(from: &Cluster, to: &Cluster, scope: Scope) -> Result<(), Failure> {
    let mut query = KeyQuery::all(Page::<KeyId>::first(PAGE));
    query.scope = scope;
    loop {
        let rows = from.store.list_keys(&query).await?;
        let Some(last) = rows.last() else {
            return Ok(());
        };
        query.page = query.page.beyond(last.id);
        for row in rows {
            to.store.insert_key(&row.key, u64::MAX).await?;
        }
    }
}

/// Deletes from the new database the tasks that run once and ran while the records were copied. The
/// caller must not emit at the same time.
pub(crate) async fn forget_what_ran(
    from: &Cluster,
    to: &Cluster,
    moved: &Moved,
) -> Result<(), Failure> {
    for (old, new) in &moved.tasks {
        if from.engine.task(*old).await?.is_none() {
            to.engine.delete_task(*new).await?;
        }
    }
    Ok(())
}

/// Returns whether the old database has sent everything for the tenant.
pub(crate) async fn is_drained(from: &Cluster, tenant: TenantId) -> Result<bool, Failure> {
    let mut query = DeliveryQuery::all(Page::first(1));
    query.scope = Scope::Tenant(tenant);
    query.states = vec![DeliveryState::Queued, DeliveryState::Running];
    Ok(from.engine.list_deliveries(&query).await?.is_empty())
}

/// Releases the deliveries that waited for the move.
pub(crate) async fn release(to: &Cluster, moved: &Moved) -> Result<(), Failure> {
    for webhook in &moved.held {
        to.engine.resume_webhook(*webhook).await?;
    }
    Ok(())
}
