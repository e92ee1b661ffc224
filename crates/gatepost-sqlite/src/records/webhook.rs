//! Webhooks and their columns. URL, authorization, client certificate, headers and signing secrets
//! are sealed.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{
    SealedSecrets, activity_word, parse_activity, parse_channels, parse_rate, parse_retry_schedule,
    retry_schedule_text,
};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Cascade, RecordId};
use gatepost_storage::{AtMost, ErrorKind, Revision, Row};
use rusqlite::{Connection, params};
use webhook_model::{DeliveryOrder, OwnerId, Retries, Timeout, Webhook, WebhookId, WebhookName};

use super::read::{LIVE_WEBHOOKS, one, owner_of};
use super::revision::check_revision;
use super::usage::{self, Delta};
use crate::column::{self, micros, number, stored, time};
use crate::error::{Failure, Result};
use crate::list::readable;
use crate::named::Named;
use crate::owners::row::has_something;
use crate::places::{Change, record_changed};
use crate::watch::stirred;

pub(super) const COLUMNS: &str = "id, revision, created, modified, owner, name, url, authorization_kind, authorization_data, headers, \
     allow_insecure, timeout_s, retries, activity, in_order, signing, rate, channels, retry_schedule, \
     client_identity FROM gatepost_webhook";

/// Of a row `r`: neither deleted, nor its owner removed.
pub(super) const LIVE: &str =
    "r.gone = 0 AND r.id > (SELECT g.gone_webhooks FROM gatepost_owner g WHERE g.owner = r.owner)";

pub(super) fn insert(
    c: &Connection,
    webhook: &Webhook,
    keys: &SealingKeys,
    at_most: AtMost,
    now: DateTime<Utc>,
) -> Result<Row<WebhookId, Webhook>> {
    let owner = webhook.owner;
    has_something(c, owner)?;
    name_free(c, owner, webhook, None)?;
    let bytes = webhook.stored_bytes();
    usage::check_room(c, owner, |usage| usage.webhooks, bytes, at_most)?;
    let mut statement = c.prepare_cached(include_str!("../sql/records/insert_webhook.sql"))?;
    let row = store(&mut statement, webhook, owner, keys, now, None)?;
    let delta = Delta {
        webhooks: 1,
        bytes: usage::stored(bytes),
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
    at_most: AtMost,
    now: DateTime<Utc>,
) -> Result<Row<WebhookId, Webhook>> {
    let table = ("gatepost_webhook", LIVE);
    let stored = check_revision(c, table, new.id.0, new.revision, "webhook")?;
    let owner = stored.owner;
    name_free(c, owner, &new.value, Some(new.id))?;
    let bytes = usage::stored(new.value.stored_bytes());
    usage::check_growth(c, owner, stored.bytes, bytes, at_most)?;
    let was_readable =
        readable(one(c, COLUMNS, LIVE_WEBHOOKS, new.id.0, |r| row(r, keys)))?.is_some();
    if new.value.order == DeliveryOrder::InOrder {
        order(c, new.id)?;
    }
    if new.value.sends() {
        stirs(c, new)?;
    }
    let mut statement = c.prepare_cached(include_str!("../sql/records/update_webhook.sql"))?;
    let row = store(&mut statement, &new.value, owner, keys, now, Some(new.id))?;
    let delta = Delta {
        bytes: bytes - stored.bytes,
        ..Delta::default()
    };
    usage::add(c, owner, delta)?;
    // Whoever passed it over as unreadable did so with its tasks.
    let change = if was_readable {
        Change::Webhook(new.id)
    } else {
        Change::Owner(owner)
    };
    record_changed(c, owner, change)?;
    Ok(row)
}

/// Whether what waits may be claimable now that was not: it sends again, or in another order.
fn stirs(c: &Connection, new: &Row<WebhookId, Webhook>) -> Result<()> {
    let as_before =
        "SELECT 1 FROM gatepost_webhook WHERE id = ?1 AND activity = 'active' AND in_order = ?2";
    let in_order = new.value.order == DeliveryOrder::InOrder;
    if !c
        .prepare_cached(as_before)?
        .exists(params![new.id.0, in_order])?
    {
        stirred(c)?;
    }
    Ok(())
}

/// A webhook becomes one in order: what was claimed before may still run.
fn order(c: &Connection, id: WebhookId) -> Result<()> {
    c.prepare_cached(include_str!("../sql/records/order_webhook.sql"))?
        .execute([id.0])?;
    Ok(())
}

pub(super) fn delete(c: &Connection, id: WebhookId, cascade: Cascade) -> Result<()> {
    let owner = owner_of(c, RecordId::Webhook(id))?.ok_or_else(|| Failure::not_found("webhook"))?;
    let taken = c
        .prepare_cached(include_str!("../sql/records/of_webhook.sql"))?
        .query_row([id.0], |row| {
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
    let own: i64 = c
        .prepare_cached("UPDATE gatepost_webhook SET gone = 1 WHERE id = ?1 RETURNING bytes")?
        .query_row([id.0], |row| row.get(0))?;
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
    // What is still to be removed takes no name.
    let name = webhook.name.as_str();
    c.prepare_cached(include_str!("../sql/records/free_name.sql"))?
        .execute(params![owner.to_bytes(), name])?;
    let taken = "SELECT 1 FROM gatepost_webhook WHERE name = ?1 AND owner = ?2 AND gone = 0 AND id IS NOT ?3";
    if c.prepare_cached(taken)?
        .exists(params![name, owner.to_bytes(), own.map(|id| id.0)])?
    {
        return Err(Failure::new(
            ErrorKind::Conflict,
            "the owner has a webhook of that name",
        ));
    }
    Ok(())
}

fn store(
    statement: &mut rusqlite::Statement<'_>,
    webhook: &Webhook,
    owner: OwnerId,
    keys: &SealingKeys,
    now: DateTime<Utc>,
    id: Option<WebhookId>,
) -> Result<Row<WebhookId, Webhook>> {
    let sealed = SealedSecrets::seal(webhook, keys)?;
    let timeout = i64::try_from(webhook.timeout.as_secs())
        .map_err(|_| Failure::new(ErrorKind::Invalid, "the timeout is too long"))?;
    let mut values: Vec<rusqlite::types::Value> = vec![
        micros(now).into(),
        owner.to_bytes().to_vec().into(),
        webhook.name.to_string().into(),
        sealed.url.into(),
        webhook.authorization.kind().as_str().to_owned().into(),
        sealed.authorization.into(),
        sealed.headers.into(),
        webhook.allow_insecure.into(),
        timeout.into(),
        i64::from(webhook.retries.get()).into(),
        activity_word(webhook.activity, webhook.mode)
            .to_owned()
            .into(),
        (webhook.order == DeliveryOrder::InOrder).into(),
        sealed.signing.into(),
        webhook.rate.map(|r| i64::from(r.get().get())).into(),
        usage::stored(webhook.stored_bytes()).into(),
        webhook.channels.to_string().into(),
        retry_schedule_text(webhook.retry_schedule.as_ref()).into(),
        sealed.client_identity.into(),
    ];
    values.extend(id.map(|id| id.0.into()));
    statement.query_row(rusqlite::params_from_iter(values), |r| Ok(row(r, keys)))?
}

pub(super) fn row(row: &rusqlite::Row<'_>, keys: &SealingKeys) -> Result<Row<WebhookId, Webhook>> {
    let row = &Named::of(row);
    let sealed = SealedSecrets {
        url: row.get("url")?,
        authorization: row.get("authorization_data")?,
        client_identity: row.get("client_identity")?,
        headers: row.get("headers")?,
        signing: row.get("signing")?,
    };
    let kind: String = row.get("authorization_kind")?;
    let secrets = sealed.open(&kind, keys)?;
    let (activity, mode) = parse_activity(&row.get::<String>("activity")?)?;
    let (channels, schedule): (String, String) = (row.get("channels")?, row.get("retry_schedule")?);
    let owner = column::owner(row, "owner")?;
    Ok(Row {
        id: WebhookId(row.get("id")?),
        owner,
        revision: Revision(row.get("revision")?),
        created: time(row, "created")?,
        modified: time(row, "modified")?,
        value: Webhook {
            owner,
            name: stored(row, "name", WebhookName::stored)?,
            url: secrets.url,
            authorization: secrets.authorization,
            client_identity: secrets.client_identity,
            headers: secrets.headers,
            allow_insecure: row.get("allow_insecure")?,
            timeout: Timeout::from_secs(number(row, "timeout_s")?)
                .map_err(|e| Failure::corrupt("timeout", e))?,
            retries: Retries::new(number(row, "retries")?)
                .map_err(|e| Failure::corrupt("retries", e))?,
            retry_schedule: parse_retry_schedule(&schedule)?,
            activity,
            mode,
            order: if row.get("in_order")? {
                DeliveryOrder::InOrder
            } else {
                DeliveryOrder::Unordered
            },
            signing: secrets.signing,
            rate: parse_rate(row.get("rate")?)?,
            channels: parse_channels(&channels)?,
        },
    })
}
