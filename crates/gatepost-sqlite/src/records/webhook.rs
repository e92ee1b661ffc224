//! Webhooks.

use chrono::{DateTime, Utc};
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Cascade, RecordId};
use gatepost_storage::{ErrorKind, Row};
use rusqlite::{Connection, params};
use webhook_model::{DeliveryOrder, OwnerId, Webhook, WebhookId};

use super::read::{one, owner_of};
use super::revision::check_revision;
use super::table::{row, store};
use super::usage::{self, Delta};
use crate::error::{Failure, Result};
use crate::list::readable;
use crate::owners::row::has_something;
use crate::realms::{Change, record_changed};
use crate::sql::{Sql as _, value};
use crate::watch::stirred;

/// The condition that neither a row `r` nor its owner is deleted.
pub(super) const LIVE: &str =
    "r.gone = 0 AND r.id > (SELECT g.gone_webhooks FROM gatepost_owner g WHERE g.owner = r.owner)";

pub(super) fn insert(
    c: &Connection,
    webhook: &Webhook,
    keys: &SealingKeys,
    at_most: &RecordUsage,
    now: DateTime<Utc>,
) -> Result<Row<WebhookId, Webhook>> {
    let owner = webhook.owner;
    has_something(c, owner)?;
    name_free(c, owner, webhook, None)?;
    let bytes = webhook.stored_bytes();
    usage::check_room(c, owner, |usage| usage.webhooks, bytes, at_most)?;
    let bytes = usage::stored(bytes);
    let row = store(c, webhook, (owner, bytes), keys, now, None, |r| {
        row(r, keys)
    })?;
    let delta = Delta {
        webhooks: 1,
        bytes,
        ..Delta::default()
    };
    usage::add(c, owner, delta)?;
    record_changed(c, owner, Change::Webhook(row.id))?;
    Ok(row)
}

pub(super) fn update(
    c: &Connection,
    new: &Row<WebhookId, Webhook>,
    keys: &SealingKeys,
    at_most: u64,
    now: DateTime<Utc>,
) -> Result<Row<WebhookId, Webhook>> {
    let table = ("gatepost_webhook", LIVE);
    let stored = check_revision(c, table, new.id.0, new.revision, "webhook")?;
    let owner = stored.owner;
    name_free(c, owner, &new.value, Some(new.id))?;
    let bytes = usage::stored(new.value.stored_bytes());
    usage::check_growth(c, owner, stored.bytes, bytes, at_most)?;
    let read = |r: &rusqlite::Row<'_>| row::<Webhook>(r, keys);
    let was_readable = readable(one::<Webhook, _>(c, new.id, read))?.is_some();
    let is_in_order = new.value.order == DeliveryOrder::InOrder;
    order(c, new.id, is_in_order)?;
    if new.value.sends() {
        stirs(c, new)?;
    }
    let row = store(c, &new.value, (owner, bytes), keys, now, Some(new.id), read)?;
    let delta = Delta {
        bytes: bytes - stored.bytes,
        ..Delta::default()
    };
    usage::add(c, owner, delta)?;
    // A caller that skipped it as unreadable skipped its tasks, too.
    let change = if was_readable {
        Change::Webhook(new.id)
    } else {
        Change::Owner(owner)
    };
    record_changed(c, owner, change)?;
    Ok(row)
}

/// Returns whether waiting deliveries may have become claimable: the webhook sends again, or in
/// another order.
fn stirs(c: &Connection, new: &Row<WebhookId, Webhook>) -> Result<()> {
    let as_before =
        "SELECT 1 FROM gatepost_webhook WHERE id = ?1 AND activity = 'active' AND in_order = ?2";
    let in_order = new.value.order == DeliveryOrder::InOrder;
    if !c.has(as_before, params![new.id.0, in_order])? {
        stirred(c)?;
    }
    Ok(())
}

/// Switches delivery in order on or off. When it is switched on, earlier claims may still run.
fn order(c: &Connection, id: WebhookId, is_in_order: bool) -> Result<()> {
    c.run(sql!("records/order_webhook"), params![id.0, is_in_order])
}

pub(super) fn delete(c: &Connection, id: WebhookId, cascade: Cascade) -> Result<()> {
    let owner = owner_of(c, RecordId::Webhook(id))?.ok_or_else(|| Failure::not_found("webhook"))?;
    let taken = c.one(sql!("records/of_webhook"), [id.0], |row| {
        Ok(Delta {
            webhooks: 1,
            tasks: row.get(0)?,
            bytes: row.get::<_, i64>(1)? + row.get::<_, i64>(3)?,
            events: row.get(2)?,
        })
    })?;
    if taken.tasks > 0 && cascade == Cascade::Refuse {
        return Err(Failure::new(ErrorKind::InUse, "a task sends this webhook"));
    }
    let sql = "UPDATE gatepost_webhook SET gone = 1 WHERE id = ?1 RETURNING bytes";
    let own: i64 = c.one(sql, [id.0], value)?;
    let taken = Delta {
        bytes: taken.bytes + own,
        ..taken
    };
    usage::add(c, owner, taken.negative())?;
    record_changed(c, owner, Change::Webhook(id))
}

fn name_free(
    c: &Connection,
    owner: OwnerId,
    webhook: &Webhook,
    own: Option<WebhookId>,
) -> Result<()> {
    // A row that is still to remove must not block a name.
    let name = webhook.name.as_str();
    c.run(sql!("records/free_name"), params![owner.to_bytes(), name])?;
    let taken = "SELECT 1 FROM gatepost_webhook WHERE name = ?1 AND owner = ?2 AND gone = 0 AND id IS NOT ?3";
    if c.has(taken, params![name, owner.to_bytes(), own.map(|id| id.0)])? {
        return Err(Failure::new(
            ErrorKind::Conflict,
            "the owner has a webhook of that name",
        ));
    }
    Ok(())
}
