//! What is counted of webhooks, and what is added to that and to what owners use.

use std::collections::BTreeMap;

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{
    CounterKind, CounterQuery, Counters, DropReason, Dropped, HourlyCount, UsageDelta,
};
use tokio_postgres::Row;
use uuid::Uuid;
use webhook_model::WebhookId;

use super::figures::number;
use crate::change::most as stored;
use crate::column::scope_ids;
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const ADD_HOURLY: &str = include_str!("../sql/log/add_counts.sql");
const ADD_REJECTED: &str = include_str!("../sql/log/count_dropped.sql");
const ADD_USAGE: &str = include_str!("../sql/log/add_usage.sql");
const HOURLY: &str = include_str!("../sql/log/hourly_counts.sql");
const REJECTED: &str = include_str!("../sql/log/dropped.sql");

impl PostgresStore {
    pub(super) async fn add_to_counters(&self, added: &Counters) -> Result<()> {
        let webhooks = column(&added.hourly, |c| c.webhook.0);
        let hours = column(&added.hourly, |c| c.hour);
        let numbers: [fn(&HourlyCount) -> u64; 5] = [
            |c| c.sent,
            |c| c.failed,
            |c| c.retried,
            |c| c.milliseconds,
            |c| c.bytes,
        ];
        let numbers = numbers.map(|of| column(&added.hourly, |c| stored(of(c))));
        let mut hourly: Vec<Param<'_>> = vec![&webhooks, &hours];
        hourly.extend(numbers.iter().map(|column| column as Param<'_>));
        let last_sent = column(&added.hourly, |c| c.last_sent);
        hourly.push(&last_sent);
        let webhooks = column(&added.rejected, |d| d.webhook.0);
        let reasons = column(&added.rejected, |d| d.reason.as_str());
        let minutes = column(&added.rejected, |d| d.minute);
        let counts = column(&added.rejected, |d| stored(d.count));
        let rejected: [Param<'_>; 4] = [&webhooks, &reasons, &minutes, &counts];
        let rounds: Vec<_> = rounds(&added.usage)
            .iter()
            .map(|round| {
                let owners = column(round, |d| Uuid::from(d.owner));
                let numbers: [fn(&UsageDelta) -> i64; 3] =
                    [|d| d.waiting, |d| d.waiting_bytes, |d| d.log_bytes];
                (owners, numbers.map(|of| column(round, of)))
            })
            .collect();
        let usage: Vec<[Param<'_>; 4]> = rounds
            .iter()
            .map(|(owners, [waiting, bytes, log])| [owners as Param<'_>, waiting, bytes, log])
            .collect();
        let mut statements: Vec<(&str, &[Param<'_>])> = Vec::new();
        if !added.hourly.is_empty() {
            statements.push((ADD_HOURLY, &hourly));
        }
        if !added.rejected.is_empty() {
            statements.push((ADD_REJECTED, &rejected));
        }
        statements.extend(usage.iter().map(|round| (ADD_USAGE, &round[..])));
        self.repeated(&statements).await?;
        Ok(())
    }

    pub(super) async fn some_counters(&self, query: &CounterQuery) -> Result<Counters> {
        let (owner, tenant) = scope_ids(query.scope);
        let webhooks = query.webhooks.as_ref();
        let webhooks = webhooks.map(|webhooks| column(webhooks, |webhook| webhook.0));
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

fn column<T, V>(rows: &[T], of: impl Fn(&T) -> V) -> Vec<V> {
    rows.iter().map(of).collect()
}

/// Each owner is in a round once, in order of owner: a sum that falls below nothing is nothing,
/// before the next delta is added.
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
        sent: number(row, "sent")?,
        last_sent: row.try_get("last_sent")?,
        failed: number(row, "failed")?,
        retried: number(row, "retried")?,
        milliseconds: number(row, "milliseconds")?,
        bytes: number(row, "bytes")?,
    })
}

fn rejected(row: &Row) -> Result<Dropped> {
    let reason = DropReason::from_word(row.try_get("reason")?);
    Ok(Dropped {
        webhook: WebhookId(row.try_get("webhook")?),
        reason: reason.ok_or_else(|| Failure::corrupt("reason", "unknown word"))?,
        minute: row.try_get("minute")?,
        count: number(row, "count")?,
    })
}
