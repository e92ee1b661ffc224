//! The counters of webhooks, and the changes of these and of the usage of owners.

use std::collections::BTreeMap;

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{
    CounterKind, CounterQuery, Counters, HourlyCount, RejectReason, RejectedCount, UsageDelta,
};
use tokio_postgres::Row;
use uuid::Uuid;
use webhook_model::WebhookId;

use crate::change::most as stored;
use crate::column::{Column, column, params, scope_ids, total};
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const ADD_HOURLY: &str = sql!("log/add_counts");
const ADD_REJECTED: &str = sql!("log/count_rejected");
const ADD_USAGE: &str = sql!("log/add_usage");
const HOURLY: &str = sql!("log/hourly_counts");
const REJECTED: &str = sql!("log/rejected");

impl PostgresStore {
    pub(super) async fn add_to_counters(&self, added: &Counters) -> Result<()> {
        let hourly = hourly_columns(&added.hourly);
        let rejected = rejected_columns(&added.rejected);
        let usage: Vec<_> = rounds(&added.usage)
            .iter()
            .map(|of| usage_columns(of))
            .collect();
        let (hourly, rejected) = (params(&hourly), params(&rejected));
        let usage: Vec<_> = usage.iter().map(|columns| params(columns)).collect();
        let mut statements: Vec<(&str, &[Param<'_>])> = Vec::new();
        if !added.hourly.is_empty() {
            statements.push((ADD_HOURLY, &hourly));
        }
        if !added.rejected.is_empty() {
            statements.push((ADD_REJECTED, &rejected));
        }
        statements.extend(usage.iter().map(|round| (ADD_USAGE, &round[..])));
        self.db().pipeline("BEGIN", &statements).await?;
        Ok(())
    }

    pub(super) async fn some_counters(&self, query: &CounterQuery) -> Result<Counters> {
        let (owner, tenant) = scope_ids(query.scope);
        let webhooks = query.webhooks.as_ref();
        let webhooks = webhooks.map(|ids| ids.iter().map(|id| id.0).collect::<Vec<_>>());
        let limit = i64::from(query.limit);
        let params: [Param<'_>; 6] = [
            &owner,
            &tenant,
            &webhooks,
            &query.from,
            &query.before,
            &limit,
        ];
        let sql = match query.kind {
            CounterKind::Hourly => HOURLY,
            CounterKind::Rejected => REJECTED,
        };
        let begin = "BEGIN READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan";
        let rows = self.db().read(begin, sql, &params).await?;
        let mut found = Counters::default();
        for row in &rows {
            match query.kind {
                CounterKind::Hourly => found.hourly.push(hourly(row)?),
                CounterKind::Rejected => found.rejected.push(rejected(row)?),
            }
        }
        Ok(found)
    }
}

fn hourly_columns(counts: &[HourlyCount]) -> [Column<'_>; 8] {
    [
        column(counts, |c| c.webhook.0),
        column(counts, |c| c.hour),
        column(counts, |c| stored(c.sent)),
        column(counts, |c| stored(c.failed)),
        column(counts, |c| stored(c.retried)),
        column(counts, |c| stored(c.milliseconds)),
        column(counts, |c| stored(c.bytes)),
        column(counts, |c| c.last_sent),
    ]
}

fn rejected_columns(counts: &[RejectedCount]) -> [Column<'_>; 4] {
    [
        column(counts, |d| d.webhook.0),
        column(counts, |d| d.reason.as_str()),
        column(counts, |d| d.minute),
        column(counts, |d| stored(d.count)),
    ]
}

fn usage_columns<'a>(deltas: &[UsageDelta]) -> [Column<'a>; 4] {
    [
        column(deltas, |d| Uuid::from(d.owner)),
        column(deltas, |d| d.waiting),
        column(deltas, |d| d.waiting_bytes),
        column(deltas, |d| d.log_bytes),
    ]
}

/// Divides the changes into rounds with each owner at most once, in order of owner: a sum below
/// zero is set to zero before the next change is added.
fn rounds(deltas: &[UsageDelta]) -> Vec<Vec<UsageDelta>> {
    let mut rounds: Vec<BTreeMap<OwnerId, UsageDelta>> = Vec::new();
    for delta in deltas {
        let free = rounds.iter_mut().find(|r| !r.contains_key(&delta.owner));
        match free {
            Some(round) => drop(round.insert(delta.owner, *delta)),
            None => rounds.push(BTreeMap::from([(delta.owner, *delta)])),
        }
    }
    rounds
        .into_iter()
        .map(|round| round.into_values().collect())
        .collect()
}

fn hourly(row: &Row) -> Result<HourlyCount> {
    Ok(HourlyCount {
        webhook: WebhookId(row.try_get("webhook")?),
        hour: row.try_get("hour")?,
        sent: total(row, "sent")?,
        last_sent: row.try_get("last_sent")?,
        failed: total(row, "failed")?,
        retried: total(row, "retried")?,
        milliseconds: total(row, "milliseconds")?,
        bytes: total(row, "bytes")?,
    })
}

fn rejected(row: &Row) -> Result<RejectedCount> {
    let reason = RejectReason::from_word(row.try_get("reason")?);
    Ok(RejectedCount {
        webhook: WebhookId(row.try_get("webhook")?),
        reason: reason.ok_or_else(|| Failure::corrupt("reason", "unknown word"))?,
        minute: row.try_get("minute")?,
        count: total(row, "count")?,
    })
}
