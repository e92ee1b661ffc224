//! What is counted of webhooks: what became of deliveries in each hour, and what was not stored.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    CounterKind, CounterQuery, Counters, DropReason, Dropped, HourlyCount,
};
use redb::{ReadTransaction, ReadableTable as _};
use webhook_model::WebhookId;

use super::codec::{corrupt, micros};
use super::error::{Answer, failed};
use super::owner_rows::in_scope;
use super::tables::{COUNTS, DROPPED, OWNERS, Tx, WEBHOOKS, row};
use super::usage;

pub(super) fn add(tx: &Tx, added: &Counters) -> Answer<()> {
    add_hourly(tx, &added.hourly)?;
    add_rejected(tx, &added.rejected)?;
    let mut usage = added.usage.iter();
    usage.try_for_each(|delta| usage::add(tx, delta))
}

pub(super) fn add_hourly(tx: &Tx, counts: &[HourlyCount]) -> Answer<()> {
    let mut table = tx.open(COUNTS)?;
    for more in counts {
        if tx.row(WEBHOOKS, more.webhook.0)?.is_none() {
            continue;
        }
        let key = (newest_first(more.hour), more.webhook.0);
        let old = table.get(key).map_err(failed)?.map(|old| old.value());
        let (sent, failures, retried, milliseconds, bytes) = old.unwrap_or_default();
        let sum = (
            sent.saturating_add(more.sent),
            failures.saturating_add(more.failed),
            retried.saturating_add(more.retried),
            milliseconds.saturating_add(more.milliseconds),
            bytes.saturating_add(more.bytes),
        );
        table.insert(key, sum).map_err(failed)?;
    }
    Ok(())
}

/// The counters that are asked for, newest first, then by webhook.
pub(super) fn list(tx: &ReadTransaction, query: &CounterQuery) -> Answer<Counters> {
    let mut found = Counters::default();
    match query.kind {
        CounterKind::Hourly => found.hourly = hourly(tx, query)?,
        CounterKind::Rejected => found.rejected = rejected(tx, query)?,
    }
    Ok(found)
}

fn hourly(tx: &ReadTransaction, query: &CounterQuery) -> Answer<Vec<HourlyCount>> {
    let mut found = Vec::new();
    if query.from >= query.before {
        return Ok(found);
    }
    let table = tx.open_table(COUNTS).map_err(failed)?;
    let newest = (newest_first(query.before).saturating_add(1), i64::MIN);
    let span = newest..=(newest_first(query.from), i64::MAX);
    for entry in table.range(span).map_err(failed)? {
        if found.len() >= query.limit as usize {
            break;
        }
        let (key, count) = entry.map_err(failed)?;
        let (hour, webhook) = key.value();
        if is_wanted(tx, query, webhook)? {
            let (sent, failed, retried, milliseconds, bytes) = count.value();
            found.push(HourlyCount {
                webhook: WebhookId(webhook),
                hour: DateTime::from_timestamp_micros(-hour).ok_or_else(|| corrupt("hour"))?,
                sent,
                failed,
                retried,
                milliseconds,
                bytes,
            });
        }
    }
    Ok(found)
}

fn add_rejected(tx: &Tx, dropped: &[Dropped]) -> Answer<()> {
    let mut counts = tx.open(DROPPED)?;
    for d in dropped {
        if tx.row(WEBHOOKS, d.webhook.0)?.is_some() {
            let key = (d.webhook.0, micros(d.minute), d.reason.as_str());
            let old = counts.get(key).map_err(failed)?.map(|old| old.value());
            let sum = old.unwrap_or(0).saturating_add(d.count);
            counts.insert(key, sum).map_err(failed)?;
        }
    }
    Ok(())
}

fn rejected(tx: &ReadTransaction, query: &CounterQuery) -> Answer<Vec<Dropped>> {
    let counts = tx.open_table(DROPPED).map_err(failed)?;
    let mut found = Vec::new();
    for entry in counts.iter().map_err(failed)? {
        let (key, count) = entry.map_err(failed)?;
        let (webhook, minute, reason) = key.value();
        let minute = DateTime::from_timestamp_micros(minute).ok_or_else(|| corrupt("minute"))?;
        if (query.from..query.before).contains(&minute) && is_wanted(tx, query, webhook)? {
            found.push(Dropped {
                webhook: WebhookId(webhook),
                reason: DropReason::from_word(reason).ok_or_else(|| corrupt("reason"))?,
                minute,
                count: count.value(),
            });
        }
    }
    found.sort_by_key(|d| (std::cmp::Reverse(d.minute), d.webhook, d.reason));
    found.truncate(query.limit as usize);
    Ok(found)
}

/// Removes what was counted before, at most `limit` rows of each kind. Returns how many of each.
pub(super) fn forget(
    tx: &Tx,
    counts_before: DateTime<Utc>,
    dropped_before: DateTime<Utc>,
    limit: usize,
) -> Answer<[usize; 2]> {
    let mut counts = tx.open(COUNTS)?;
    let old = (newest_first(counts_before).saturating_add(1), i64::MIN)..;
    let old = counts.extract_from_if(old, |_, _| true).map_err(failed)?;
    let hours = old.take(limit).try_fold(0, |n, row| row.map(|_| n + 1));
    let mut dropped = tx.open(DROPPED)?;
    let is_old = |(_, minute, _): (i64, i64, &str), _| minute < micros(dropped_before);
    let old = dropped.extract_if(is_old).map_err(failed)?;
    let minutes = old.take(limit).try_fold(0, |n, row| row.map(|_| n + 1));
    Ok([hours.map_err(failed)?, minutes.map_err(failed)?])
}

/// Forgets what was counted of a webhook that is gone.
pub(super) fn forget_webhook(tx: &Tx, webhook: WebhookId) -> Answer<()> {
    let mut counts = tx.open(COUNTS)?;
    counts
        .retain(|(_, of), _| of != webhook.0)
        .map_err(failed)?;
    let mut dropped = tx.open(DROPPED)?;
    let others = |(of, _, _): (i64, i64, &str), _| of != webhook.0;
    dropped.retain(others).map_err(failed)
}

/// Whether a webhook is there, and its counters are asked for.
fn is_wanted(tx: &ReadTransaction, query: &CounterQuery, webhook: i64) -> Answer<bool> {
    if let Some(webhooks) = &query.webhooks
        && !webhooks.contains(&WebhookId(webhook))
    {
        return Ok(false);
    }
    let webhooks = tx.open_table(WEBHOOKS).map_err(failed)?;
    let owners = tx.open_table(OWNERS).map_err(failed)?;
    match row(&webhooks, webhook)? {
        Some(row) => in_scope(&owners, query.scope, &row),
        None => Ok(false),
    }
}

/// What is stored of an hour, so that the newest comes first.
fn newest_first(hour: DateTime<Utc>) -> i64 {
    -micros(hour)
}
