//! Webhooks.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Cascade, RecordId, WebhookQuery};
use gatepost_storage::{ErrorKind, Row, StoreError};
use redb::ReadTransaction;
use serde_json::Value;
use webhook_model::{EventId, TaskId, Webhook, WebhookId};

use super::codec::Fields;
use super::error::{Answer, failed};
use super::events::events_of;
use super::owner_rows::in_scope;
use super::sizes::{bytes_of, check_growth, check_room};
use super::stored::{Stored, changed, edited, numbers, owner_in};
use super::tables::{GONE, OWNERS, TASKS, Tx, WEBHOOKS, page, readable};
use super::tasks;

const NAME_TAKEN: &str = "the owner has a webhook of that name";

pub(super) fn insert(
    tx: &Tx,
    webhook: Webhook,
    at_most: &RecordUsage,
    now: DateTime<Utc>,
) -> Answer<Row<WebhookId, Webhook>> {
    let owner = webhook.owner;
    let row = Row::inserted(WebhookId(tx.count("webhook")?), owner, webhook, now);
    tx.take_name(&name(&row.value), row.id.0, NAME_TAKEN)?;
    check_room(tx, owner, |u| u.webhooks, row.value.stored_bytes(), at_most)?;
    tx.has_something(owner)?;
    tx.put(WEBHOOKS, row.id.0, &row.to_json(&tx.sealing)?)?;
    changed(tx, [owner; 2], &[RecordId::Webhook(row.id)])?;
    Ok(row)
}

pub(super) fn list(
    tx: &ReadTransaction,
    keys: &SealingKeys,
    query: WebhookQuery,
) -> Answer<Vec<Row<WebhookId, Webhook>>> {
    let WebhookQuery {
        scope,
        name,
        page: p,
    } = query;
    let owners = tx.open_table(OWNERS).map_err(failed)?;
    let wanted = |row: &Value| {
        Ok(in_scope(&owners, scope, row)?
            && name.as_ref().is_none_or(|n| row["name"] == n.as_str()))
    };
    let rows = tx.open_table(WEBHOOKS).map_err(failed)?;
    page(&rows, &numbers(p, |id| id.0), wanted, |_, row| {
        readable(Row::from_json(&row, keys))
    })
}

pub(super) fn update(
    tx: &Tx,
    edit: Row<WebhookId, Webhook>,
    at_most: u64,
    now: DateTime<Utc>,
) -> Answer<Row<WebhookId, Webhook>> {
    let old = tx.row(WEBHOOKS, edit.id.0)?;
    let old = Stored::of(old, edit.revision, "webhook")?;
    let mut new = edited(&old, edit, now);
    new.value.owner = old.owner;
    tx.take_name(&name(&new.value), new.id.0, NAME_TAKEN)?;
    let old_name = name_of(old.owner, Fields(&old.row).text("name")?);
    if old_name != name(&new.value) {
        tx.free_name(&old_name)?;
    }
    let row = new.to_json(&tx.sealing)?;
    let sizes = (bytes_of(tx, new.id, &old.row)?, new.value.stored_bytes());
    check_growth(tx, old.owner, sizes, at_most)?;
    tx.put(WEBHOOKS, new.id.0, &row)?;
    // Whoever passed it over as unreadable did so with its tasks.
    let mut named = tasks_of(tx, new.id)?;
    named.insert(0, RecordId::Webhook(new.id));
    changed(tx, [old.owner; 2], &named)?;
    Ok(new)
}

/// Marks a webhook as gone and removes its tasks and events. Its deliveries go later.
pub(super) fn delete(tx: &Tx, id: WebhookId, cascade: Cascade) -> Answer<()> {
    let row = tx.row(WEBHOOKS, id.0)?;
    let row = row.ok_or_else(|| StoreError::not_found("webhook"))?;
    for (task, row) in tx.rows(TASKS)? {
        if row["webhook"] != id.0 {
            continue;
        }
        if cascade == Cascade::Refuse {
            return Err(StoreError::new(
                ErrorKind::InUse,
                "a task sends this webhook",
            ));
        }
        tasks::remove(tx, TaskId(task))?;
    }
    let owner = owner_in(&row)?;
    tx.free_name(&name_of(owner, Fields(&row).text("name")?))?;
    tx.remove(WEBHOOKS, id.0)?;
    tx.put(GONE, id.0, &Value::Null)?;
    changed(tx, [owner; 2], &[RecordId::Webhook(id)])
}

fn tasks_of(tx: &Tx, webhook: WebhookId) -> Answer<Vec<RecordId>> {
    let mut named = Vec::new();
    for (id, row) in tx.rows(TASKS)? {
        if row["webhook"] == webhook.0 {
            named.push(RecordId::Task(TaskId(id)));
            let events = events_of(tx, TaskId(id))?.into_iter();
            named.extend(events.map(|(id, _)| RecordId::Event(EventId(id))));
        }
    }
    Ok(named)
}

fn name(webhook: &Webhook) -> String {
    name_of(webhook.owner, webhook.name.as_str())
}

fn name_of(owner: OwnerId, name: &str) -> String {
    format!("webhook/{}/{name}", owner.0)
}
