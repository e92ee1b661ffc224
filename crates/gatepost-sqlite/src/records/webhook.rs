//! Webhooks and their columns. Authorization, headers and signing secrets are sealed.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{SealedSecrets, activity_word, parse_activity, parse_rate};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::Cascade;
use gatepost_storage::{ErrorKind, Revision, Row};
use rusqlite::{Connection, params};
use webhook_model::{DeliveryOrder, OwnerId, Retries, Timeout, Webhook, WebhookId};

use super::revision::check_revision;
use crate::column::{micros, number, parse, time};
use crate::error::{Failure, Result};
use crate::routes::routes_changed;

pub(super) const COLUMNS: &str = "id, revision, created, modified, owner, name, url, authorization_kind, authorization_data, headers, \
     allow_insecure, timeout_s, retries, activity, in_order, signing, rate FROM gatepost_webhook";

pub(super) fn insert(
    c: &Connection,
    webhook: &Webhook,
    keys: &SealingKeys,
    now: DateTime<Utc>,
) -> Result<Row<WebhookId, Webhook>> {
    name_free(c, webhook, None)?;
    routes_changed(c)?;
    let mut statement = c.prepare_cached(include_str!("../sql/records/insert_webhook.sql"))?;
    store(&mut statement, webhook, keys, now, None)
}

pub(super) fn update(
    c: &Connection,
    new: &Row<WebhookId, Webhook>,
    keys: &SealingKeys,
    now: DateTime<Utc>,
) -> Result<Row<WebhookId, Webhook>> {
    check_revision(c, "gatepost_webhook", new.id.0, new.revision, "webhook")?;
    name_free(c, &new.value, Some(new.id))?;
    routes_changed(c)?;
    let in_order = new.value.order == DeliveryOrder::InOrder;
    c.prepare_cached(
        "UPDATE gatepost_delivery SET in_order = ?2 WHERE webhook = ?1 AND state < 2 AND in_order <> ?2",
    )?
    .execute(params![new.id.0, in_order])?;
    let mut statement = c.prepare_cached(include_str!("../sql/records/update_webhook.sql"))?;
    store(&mut statement, &new.value, keys, now, Some(new.id))
}

pub(super) fn delete(c: &Connection, id: WebhookId, cascade: Cascade) -> Result<()> {
    if !c
        .prepare_cached("SELECT 1 FROM gatepost_webhook WHERE id = ?1")?
        .exists([id.0])?
    {
        return Err(Failure::not_found("webhook"));
    }
    let used = c
        .prepare_cached("SELECT 1 FROM gatepost_task WHERE webhook = ?1")?
        .exists([id.0])?;
    if used && cascade == Cascade::Refuse {
        return Err(Failure::new(ErrorKind::InUse, "a task sends this webhook"));
    }
    routes_changed(c)?;
    c.prepare_cached("DELETE FROM gatepost_task WHERE webhook = ?1")?
        .execute([id.0])?;
    // Its deliveries and their attempts go by foreign keys.
    c.prepare_cached("DELETE FROM gatepost_webhook WHERE id = ?1")?
        .execute([id.0])?;
    Ok(())
}

fn name_free(c: &Connection, webhook: &Webhook, own: Option<WebhookId>) -> Result<()> {
    let taken = "SELECT 1 FROM gatepost_webhook WHERE name = ?1 AND id IS NOT ?2";
    if c.prepare_cached(taken)?
        .exists(params![webhook.name.as_str(), own.map(|id| id.0)])?
    {
        return Err(Failure::new(ErrorKind::Conflict, "a webhook of that name"));
    }
    Ok(())
}

fn store(
    statement: &mut rusqlite::Statement<'_>,
    webhook: &Webhook,
    keys: &SealingKeys,
    now: DateTime<Utc>,
    id: Option<WebhookId>,
) -> Result<Row<WebhookId, Webhook>> {
    let sealed = SealedSecrets::seal(webhook, keys)?;
    let timeout = i64::try_from(webhook.timeout.as_secs())
        .map_err(|_| Failure::new(ErrorKind::Invalid, "the timeout is too long"))?;
    let mut values: Vec<rusqlite::types::Value> = vec![
        micros(now).into(),
        webhook.owner.0.into(),
        webhook.name.to_string().into(),
        webhook.url.to_string().into(),
        webhook.authorization.kind().as_str().to_owned().into(),
        sealed.authorization.into(),
        sealed.headers.into(),
        webhook.allow_insecure.into(),
        timeout.into(),
        i64::from(webhook.retries.get()).into(),
        activity_word(webhook.activity).to_owned().into(),
        (webhook.order == DeliveryOrder::InOrder).into(),
        sealed.signing.into(),
        webhook.rate.map(|r| i64::from(r.get().get())).into(),
    ];
    values.extend(id.map(|id| id.0.into()));
    statement.query_row(rusqlite::params_from_iter(values), |r| Ok(row(r, keys)))?
}

pub(super) fn row(row: &rusqlite::Row<'_>, keys: &SealingKeys) -> Result<Row<WebhookId, Webhook>> {
    let sealed = SealedSecrets {
        authorization: row.get("authorization_data")?,
        headers: row.get("headers")?,
        signing: row.get("signing")?,
    };
    let kind: String = row.get("authorization_kind")?;
    let secrets = sealed.open(&kind, keys)?;
    let activity: String = row.get("activity")?;
    Ok(Row {
        id: WebhookId(row.get("id")?),
        revision: Revision(row.get("revision")?),
        created: time(row, "created")?,
        modified: time(row, "modified")?,
        value: Webhook {
            owner: OwnerId(row.get("owner")?),
            name: parse(row, "name")?,
            url: parse(row, "url")?,
            authorization: secrets.authorization,
            headers: secrets.headers,
            allow_insecure: row.get("allow_insecure")?,
            timeout: Timeout::from_secs(number(row, "timeout_s")?)
                .map_err(|e| Failure::corrupt("timeout", e))?,
            retries: Retries::new(number(row, "retries")?)
                .map_err(|e| Failure::corrupt("retries", e))?,
            activity: parse_activity(&activity)?,
            order: if row.get("in_order")? {
                DeliveryOrder::InOrder
            } else {
                DeliveryOrder::Unordered
            },
            signing: secrets.signing,
            rate: parse_rate(row.get("rate")?)?,
        },
    })
}
