//! The counters of webhooks, by hour or minute, and of owners.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{
    CounterKind, CounterQuery, Counters, HourlyCount, LogUsage, RejectReason, RejectedCount,
    UsageDelta,
};
use webhook_model::{Webhook, WebhookId};

use super::error::{Outcome, damaged};
use super::heads::{head_of, webhooks_of};
use super::key::{Key, Parts, micros};
use super::owner_status;
use super::tables::{HOURS, HOURS_BY_AGE, REJECTED, REJECTED_BY_AGE, USAGE};
use super::tx::{Tx, keys_in, row};
use crate::contract::View;
use crate::key_range::KeyRange;
use crate::table::Table;

/// The number of keys that one scan reads.
const AHEAD: usize = 256;

const BY_HOUR: Timed = Timed {
    rows: HOURS,
    by_age: HOURS_BY_AGE,
    sums: 5,
};
const BY_MINUTE: Timed = Timed {
    rows: REJECTED,
    by_age: REJECTED_BY_AGE,
    sums: 1,
};
const REASONS: [RejectReason; 3] = [
    RejectReason::Waiting,
    RejectReason::Occurrence,
    RejectReason::Rate,
];

/// A table of counts, by webhook, time and kind; and an index of it, the newest first.
struct Timed {
    rows: Table,
    by_age: Table,
    /// How many of its numbers are sums. For the others the maximum is kept.
    sums: usize,
}

/// The key of a count.
#[derive(Clone, Copy)]
struct Of {
    webhook: WebhookId,
    time: DateTime<Utc>,
    kind: u8,
}

impl Of {
    fn key(self) -> Key {
        Key::new()
            .number(self.webhook.0)
            .time(self.time)
            .byte(self.kind)
    }

    fn of_key(key: &[u8]) -> Outcome<Self> {
        let mut parts = Parts::of(key);
        Ok(Self {
            webhook: parts.number()?,
            time: parts.time()?,
            kind: parts.byte()?,
        })
    }

    fn by_age(self) -> Key {
        newest_first(self.time)
            .number(self.webhook.0)
            .byte(self.kind)
    }

    fn of_age(key: &[u8]) -> Outcome<Self> {
        let mut parts = Parts::of(key);
        let time = DateTime::from_timestamp_micros(-parts.number::<i64>()?);
        Ok(Self {
            time: time.ok_or_else(|| damaged("the time of a count"))?,
            webhook: parts.number()?,
            kind: parts.byte()?,
        })
    }
}

pub(super) fn add(tx: &mut Tx<'_>, added: &Counters) -> Outcome<()> {
    for count in &added.hourly {
        add_hourly(tx, count)?;
    }
    for rejected in &added.rejected {
        let of = Of {
            webhook: rejected.webhook,
            time: micros(rejected.minute),
            kind: kind_of(rejected.reason),
        };
        BY_MINUTE.add(tx, of, [rejected.count])?;
    }
    for delta in &added.usage {
        if !owner_status::is_gone(tx, delta.owner)? {
            let usage = added_to(usage(tx, delta.owner)?, delta);
            set_usage(tx, delta.owner, usage)?;
        }
    }
    Ok(())
}

/// Returns the position in [`REASONS`].
fn kind_of(reason: RejectReason) -> u8 {
    let before = REASONS.iter().take_while(|of| **of != reason).count();
    u8::try_from(before).unwrap_or(u8::MAX)
}

pub(super) fn add_hourly(tx: &mut Tx<'_>, more: &HourlyCount) -> Outcome<()> {
    let of = Of {
        webhook: more.webhook,
        time: micros(more.hour),
        kind: 0,
    };
    let counts = [
        more.sent,
        more.failed,
        more.retried,
        more.milliseconds,
        more.bytes,
        more.last_sent.map_or(0, micros_of),
    ];
    BY_HOUR.add(tx, of, counts)
}

/// Returns the requested counters, newest first, then by webhook.
pub(super) fn list(view: &dyn View, query: &CounterQuery) -> Outcome<Counters> {
    let mut found = Counters::default();
    match query.kind {
        CounterKind::Hourly => {
            for (of, counts) in BY_HOUR.list(view, query)? {
                let [sent, failed, retried, milliseconds, bytes, last_sent] = counts;
                found.hourly.push(HourlyCount {
                    webhook: of.webhook,
                    hour: of.time,
                    sent,
                    last_sent: time_of(last_sent)?,
                    failed,
                    retried,
                    milliseconds,
                    bytes,
                });
            }
        }
        CounterKind::Rejected => {
            for (of, [count]) in BY_MINUTE.list(view, query)? {
                let reason = REASONS.get(usize::from(of.kind)).copied();
                found.rejected.push(RejectedCount {
                    webhook: of.webhook,
                    reason: reason.ok_or_else(|| damaged("the reason of a count"))?,
                    minute: of.time,
                    count,
                });
            }
        }
    }
    Ok(found)
}

/// Removes older counts, at most `limit` rows of each kind. Returns how many of each.
pub(super) fn purge(
    tx: &mut Tx<'_>,
    hours_before: DateTime<Utc>,
    minutes_before: DateTime<Utc>,
    limit: usize,
) -> Outcome<[usize; 2]> {
    let hours = BY_HOUR.purge(tx, hours_before, limit)?;
    Ok([hours, BY_MINUTE.purge(tx, minutes_before, limit)?])
}

/// Removes the counts of a deleted webhook, at most `limit` rows. Returns how many.
pub(super) fn forget(tx: &mut Tx<'_>, webhook: WebhookId, limit: usize) -> Outcome<usize> {
    let hours = BY_HOUR.forget(tx, webhook, limit)?;
    Ok(hours + BY_MINUTE.forget(tx, webhook, limit - hours)?)
}

pub(super) fn usage(view: &dyn View, owner: OwnerId) -> Outcome<LogUsage> {
    Ok(row(view, USAGE, &owner.to_bytes())?.unwrap_or_default())
}

pub(super) fn set_usage(tx: &mut Tx<'_>, owner: OwnerId, usage: LogUsage) -> Outcome<()> {
    tx.put_row(USAGE, &owner.to_bytes(), &usage)
}

fn added_to(usage: LogUsage, delta: &UsageDelta) -> LogUsage {
    LogUsage {
        waiting: usage.waiting.saturating_add_signed(delta.waiting),
        waiting_bytes: usage
            .waiting_bytes
            .saturating_add_signed(delta.waiting_bytes),
        log_bytes: usage.log_bytes.saturating_add_signed(delta.log_bytes),
    }
}

impl Timed {
    /// Adds to a count, unless the webhook is deleted.
    fn add<const N: usize>(&self, tx: &mut Tx<'_>, of: Of, more: [u64; N]) -> Outcome<()> {
        if head_of::<Webhook>(tx, of.webhook)?.is_none() {
            return Ok(());
        }
        let key = of.key();
        let old: Option<Vec<u64>> = row(tx, self.rows, key.bytes())?;
        if old.is_none() {
            tx.put(self.by_age, of.by_age().bytes(), &[])?;
        }
        let old = old.unwrap_or_else(|| vec![0; N]);
        let both = old.iter().zip(more).enumerate();
        let joined = both.map(|(at, (old, more))| match at < self.sums {
            true => old.saturating_add(more),
            false => more.max(*old),
        });
        tx.put_row(self.rows, key.bytes(), &joined.collect::<Vec<_>>())
    }

    fn get<const N: usize>(&self, view: &dyn View, of: Of) -> Outcome<[u64; N]> {
        let kept: Option<Vec<u64>> = row(view, self.rows, of.key().bytes())?;
        let kept = kept.ok_or_else(|| damaged(self.rows.name))?;
        kept.try_into().map_err(|_| damaged(self.rows.name))
    }

    /// Returns the counts, the newest first, then by webhook and kind.
    fn list<const N: usize>(
        &self,
        view: &dyn View,
        query: &CounterQuery,
    ) -> Outcome<Vec<(Of, [u64; N])>> {
        let limit = query.limit as usize;
        let mut found = Vec::new();
        if query.from >= query.before {
            return Ok(found);
        }
        let of_owner = match query.scope {
            Scope::Owner(owner) => Some(webhooks_of(view, owner)?),
            Scope::All | Scope::Tenant(_) => None,
        };
        let Some(webhooks) = query.webhooks.clone().or(of_owner) else {
            return self.newest(view, query);
        };
        for webhook in webhooks {
            let Some(head) = head_of::<Webhook>(view, webhook)? else {
                continue;
            };
            if !owner_status::is_in(view, head.owner, query.scope)? {
                continue;
            }
            let own = || Key::new().number(webhook.0);
            let range = KeyRange::between(own().time(query.from), own().time(query.before));
            // Only the newest of each can be among the newest of all.
            let most = limit.saturating_add(REASONS.len());
            for key in keys_in(view, self.rows, &range.backward(), most)? {
                let of = Of::of_key(&key)?;
                found.push((of, self.get(view, of)?));
            }
        }
        found.sort_by_key(|(of, _)| (std::cmp::Reverse(of.time), of.webhook, of.kind));
        found.truncate(limit);
        Ok(found)
    }

    /// Returns the same for all webhooks.
    fn newest<const N: usize>(
        &self,
        view: &dyn View,
        query: &CounterQuery,
    ) -> Outcome<Vec<(Of, [u64; N])>> {
        let limit = query.limit as usize;
        let (mut found, mut from) = (Vec::new(), after(query.before));
        while found.len() < limit {
            let range = KeyRange::between(std::mem::take(&mut from), after(query.from));
            let keys = keys_in(view, self.by_age, &range, AHEAD)?;
            for key in &keys {
                let of = Of::of_age(key)?;
                let head = head_of::<Webhook>(view, of.webhook)?;
                if let Some(head) = head
                    && found.len() < limit
                    && owner_status::is_in(view, head.owner, query.scope)?
                {
                    found.push((of, self.get(view, of)?));
                }
            }
            match keys.last() {
                Some(last) if keys.len() == AHEAD => from = KeyRange::all().after(last).from,
                _ => break,
            }
        }
        Ok(found)
    }

    fn purge(&self, tx: &mut Tx<'_>, before: DateTime<Utc>, limit: usize) -> Outcome<usize> {
        let old = KeyRange::since(after(before)).backward();
        let old = keys_in(tx, self.by_age, &old, limit)?;
        for key in &old {
            tx.delete(self.rows, Of::of_age(key)?.key().bytes())?;
            tx.delete(self.by_age, key)?;
        }
        Ok(old.len())
    }

    fn forget(&self, tx: &mut Tx<'_>, webhook: WebhookId, limit: usize) -> Outcome<usize> {
        let own = KeyRange::prefix(Key::new().number(webhook.0));
        let own = keys_in(tx, self.rows, &own, limit)?;
        for key in &own {
            let of = Of::of_key(key)?;
            tx.delete(self.rows, key)?;
            tx.delete(self.by_age, of.by_age().bytes())?;
        }
        Ok(own.len())
    }
}

/// Returns microseconds, of which 0 is none.
fn micros_of(time: DateTime<Utc>) -> u64 {
    u64::try_from(time.timestamp_micros()).unwrap_or_default()
}

fn time_of(micros: u64) -> Outcome<Option<DateTime<Utc>>> {
    let Some(micros) = i64::try_from(micros).ok().filter(|micros| *micros > 0) else {
        return Ok(None);
    };
    let time = DateTime::from_timestamp_micros(micros);
    Ok(Some(time.ok_or_else(|| damaged("the time of a count"))?))
}

fn newest_first(time: DateTime<Utc>) -> Key {
    Key::new().number(-time.timestamp_micros())
}

/// Returns the key at which the counts before a time begin.
fn after(before: DateTime<Utc>) -> Vec<u8> {
    Key::new().number(1 - before.timestamp_micros()).into()
}
