//! The counters of webhooks: hourly outcomes of deliveries, and rejected deliveries.

use gatepost_ids::Realm;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{
    CounterKind, CounterQuery, Counters, HourlyCount, RejectReason, RejectedCount,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};
use webhook_model::WebhookId;

use super::usage;
use crate::column::{maybe_time, micros, number, time};
use crate::error::{Failure, Result};
use crate::named::Named;
use crate::records::usage::stored;

const LIVE: &str = "EXISTS (SELECT 1 FROM gatepost_live_webhook w WHERE w.id = n.webhook)";

pub(super) fn add(c: &Connection, added: &Counters) -> Result<()> {
    let mut add = c.prepare_cached(sql!("log/add_counts"))?;
    for count in &added.hourly {
        add.execute(params![
            count.webhook.0,
            micros(count.hour),
            stored(count.sent),
            stored(count.failed),
            stored(count.retried),
            stored(count.milliseconds),
            stored(count.bytes),
            count.last_sent.map(micros),
        ])?;
    }
    let mut count = c.prepare_cached(sql!("log/count_rejected"))?;
    for one in &added.rejected {
        let minute = micros(one.minute);
        let number = stored(one.count);
        count.execute(params![one.webhook.0, one.reason.as_str(), minute, number])?;
    }
    usage::add(c, &added.usage)
}

pub(super) fn list(c: &Connection, query: &CounterQuery) -> Result<Counters> {
    let (table, time, last) = match query.kind {
        CounterKind::Hourly => ("gatepost_count", "hour", ""),
        CounterKind::Rejected => ("gatepost_rejected", "minute", ", n.reason"),
    };
    let (from, before) = (micros(query.from), micros(query.before));
    let mut params: Vec<Value> = vec![from.into(), before.into(), query.limit.into()];
    let of_scope = match query.scope {
        Scope::All => "true",
        Scope::Owner(owner) => {
            params.push(owner.to_bytes().to_vec().into());
            "n.owner = ?4"
        }
        Scope::Tenant(tenant) => {
            params.push(Realm::Tenant(tenant).to_string().into());
            "(SELECT o.place FROM gatepost_owner o WHERE o.owner = n.owner) = ?4"
        }
    };
    let source = match (&query.webhooks, query.scope) {
        (Some(webhooks), _) => {
            let ids: Vec<i64> = webhooks.iter().map(|webhook| webhook.0).collect();
            params.push(format!("{ids:?}").into());
            let number = params.len();
            format!(
                "{table} n WHERE n.webhook IN (SELECT value FROM json_each(?{number})) AND {of_scope}"
            )
        }
        (None, Scope::All) => format!("{table} n INDEXED BY {table}_at WHERE true"),
        (None, Scope::Owner(_)) => {
            format!("{table} n INDEXED BY {table}_of_owner WHERE {of_scope}")
        }
        (None, Scope::Tenant(_)) => format!(
            "gatepost_owner o INDEXED BY gatepost_owner_of_place \
             CROSS JOIN {table} n INDEXED BY {table}_of_owner ON n.owner = o.owner WHERE o.place = ?4"
        ),
    };
    let mut statement = c.prepare_cached(&format!(
        "SELECT n.* FROM {source} AND {LIVE} AND n.{time} >= ?1 AND n.{time} < ?2 \
         ORDER BY n.{time} DESC, n.webhook{last} LIMIT ?3"
    ))?;
    let mut rows = statement.query(params_from_iter(params))?;
    let mut found = Counters::default();
    while let Some(row) = rows.next()? {
        match query.kind {
            CounterKind::Hourly => found.hourly.push(hourly(row)?),
            CounterKind::Rejected => found.rejected.push(rejected(row)?),
        }
    }
    Ok(found)
}

fn hourly(row: &Row<'_>) -> Result<HourlyCount> {
    let row = &Named::of(row);
    Ok(HourlyCount {
        webhook: WebhookId(row.get("webhook")?),
        hour: time(row, "hour")?,
        sent: number(row, "sent")?,
        last_sent: maybe_time(row, "last_sent")?,
        failed: number(row, "failed")?,
        retried: number(row, "retried")?,
        milliseconds: number(row, "milliseconds")?,
        bytes: number(row, "bytes")?,
    })
}

fn rejected(row: &Row<'_>) -> Result<RejectedCount> {
    let row = &Named::of(row);
    let reason: String = row.get("reason")?;
    Ok(RejectedCount {
        webhook: WebhookId(row.get("webhook")?),
        reason: RejectReason::from_word(&reason)
            .ok_or_else(|| Failure::corrupt("reason", "unknown word"))?,
        minute: time(row, "minute")?,
        count: number(row, "count")?,
    })
}
