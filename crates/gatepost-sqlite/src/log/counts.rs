//! What became of each webhook's deliveries, by the hour.

use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::HourlyCount;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};
use webhook_model::WebhookId;

use crate::column::{micros, number, time};
use crate::error::Result;
use crate::named::Named;

const COLUMNS: &str =
    "SELECT n.webhook, n.hour, n.sent, n.failed, n.retried, n.milliseconds, n.bytes FROM";
const LIVE: &str = "EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = n.webhook)";
const NEWEST: &str = "n.hour >= ?1 AND n.hour < ?2 ORDER BY n.hour DESC, n.webhook LIMIT ?3";

pub(super) fn add(c: &Connection, counts: &[HourlyCount]) -> Result<()> {
    let mut add = c.prepare_cached(include_str!("../sql/log/add_counts.sql"))?;
    let stored = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    for count in counts {
        add.execute(params![
            count.webhook.0,
            micros(count.hour),
            stored(count.sent),
            stored(count.failed),
            stored(count.retried),
            stored(count.milliseconds),
            stored(count.bytes),
        ])?;
    }
    Ok(())
}

pub(super) fn list(
    c: &Connection,
    scope: Scope,
    webhook: Option<WebhookId>,
    (from, before): (DateTime<Utc>, DateTime<Utc>),
    limit: u32,
) -> Result<Vec<HourlyCount>> {
    let mut params: Vec<Value> = vec![micros(from).into(), micros(before).into(), limit.into()];
    let of_scope = match scope {
        Scope::All => "true",
        Scope::Owner(owner) => {
            params.push(owner.to_bytes().to_vec().into());
            "n.owner = ?4"
        }
        Scope::Tenant(tenant) => {
            params.push(Place::Tenant(tenant).to_string().into());
            "(SELECT o.place FROM gatepost_owner o WHERE o.owner = n.owner) = ?4"
        }
    };
    let sql = match (webhook, scope) {
        (Some(webhook), _) => {
            params.push(webhook.0.into());
            let number = params.len();
            format!(
                "{COLUMNS} gatepost_count n WHERE n.webhook = ?{number} AND {of_scope} AND {LIVE} AND {NEWEST}"
            )
        }
        (None, Scope::All) => {
            format!(
                "{COLUMNS} gatepost_count n INDEXED BY gatepost_count_at WHERE {LIVE} AND {NEWEST}"
            )
        }
        (None, Scope::Owner(_)) => format!(
            "{COLUMNS} gatepost_count n INDEXED BY gatepost_count_of_owner WHERE {of_scope} AND {LIVE} AND {NEWEST}"
        ),
        (None, Scope::Tenant(_)) => format!(
            "{COLUMNS} gatepost_owner o INDEXED BY gatepost_owner_of_place \
             CROSS JOIN gatepost_count n INDEXED BY gatepost_count_of_owner ON n.owner = o.owner \
             WHERE o.place = ?4 AND {LIVE} AND {NEWEST}"
        ),
    };
    let mut statement = c.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(params))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(count(row)?);
    }
    Ok(found)
}

/// Of each webhook all these hours together.
pub(super) fn sums(
    c: &Connection,
    webhooks: &[WebhookId],
    hours: (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<HourlyCount>> {
    let mut sums = Vec::new();
    for webhook in webhooks {
        let found = list(c, Scope::All, Some(*webhook), hours, u32::MAX)?;
        sums.extend(HourlyCount::sum(&found));
    }
    Ok(sums)
}

fn count(row: &Row<'_>) -> Result<HourlyCount> {
    let row = &Named::of(row);
    Ok(HourlyCount {
        webhook: WebhookId(row.get("webhook")?),
        hour: time(row, "hour")?,
        sent: number(row, "sent")?,
        failed: number(row, "failed")?,
        retried: number(row, "retried")?,
        milliseconds: number(row, "milliseconds")?,
        bytes: number(row, "bytes")?,
    })
}
