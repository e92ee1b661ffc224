//! Retention, and the expiry of deliveries that waited too long.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    DeliveryId, DeliveryState, EndReason, IfWaiting, LogUsage, PurgeBounds, Purged, WaitingChange,
};
use webhook_model::{Webhook, WebhookId};

use super::deliveries::{self, ROWS};
use super::error::Outcome;
use super::heads::head_of;
use super::key::{Key, Parts, last_number};
use super::kv_store::KvStore;
use super::rows::Source;
use super::tables::{DELIVERY_OF_OWNER, ENDED, OPEN, RUNNING, SEEN, SEEN_BY_AGE};
use super::tx::{Tx, keys_in};
use super::{claims, counters, owner_status};
use crate::contract::View;
use crate::key_range::KeyRange;

/// The number of rows, or webhooks, that are read or changed in one transaction.
const AT_ONCE: usize = 256;

/// Removes at most `limit` rows of each kind.
pub(super) fn purge(tx: &mut Tx<'_>, bounds: &PurgeBounds, limit: usize) -> Outcome<Purged> {
    let [hours, minutes] = counters::purge(tx, bounds.counts_before, bounds.created_before, limit)?;
    let removed = [
        purge_older(tx, bounds.created_before, limit)?,
        purge_bytes(tx, bounds.bytes.unwrap_or(u64::MAX), limit)?,
        forget_occurrences(tx, bounds.occurrences_before, limit)?,
        hours,
        minutes,
    ];
    Ok(Purged {
        rows: removed.iter().sum::<usize>() as u64,
        more: removed.contains(&limit),
    })
}

fn purge_older(tx: &mut Tx<'_>, before: DateTime<Utc>, limit: usize) -> Outcome<usize> {
    let old = KeyRange::between([], Key::new().time(before));
    let old = keys_in(tx, ENDED, &old, limit)?;
    for key in &old {
        deliveries::remove_unread(tx, ENDED, key)?;
    }
    Ok(old.len())
}

/// Removes the oldest deliveries until the log has at most these bytes.
fn purge_bytes(tx: &mut Tx<'_>, bytes: u64, limit: usize) -> Outcome<usize> {
    let (before, mut removed) = (deliveries::log_bytes(tx)?, 0);
    while removed < limit
        && before.saturating_add_signed(tx.common.log_bytes) > bytes
        && let Some(key) = keys_in(tx, ENDED, &KeyRange::all(), 1)?.pop()
    {
        deliveries::remove_unread(tx, ENDED, &key)?;
        removed += 1;
    }
    Ok(removed)
}

fn forget_occurrences(tx: &mut Tx<'_>, before: DateTime<Utc>, limit: usize) -> Outcome<usize> {
    let old = KeyRange::between([], Key::new().time(before));
    let old = keys_in(tx, SEEN_BY_AGE, &old, limit)?;
    for key in &old {
        tx.delete(SEEN, key.get(8..).unwrap_or_default())?;
        tx.delete(SEEN_BY_AGE, key)?;
    }
    Ok(old.len())
}

impl KvStore {
    /// Counts the usage of an owner and stores it. Deliveries beyond the share are removed.
    pub(super) async fn recount(&self, owner: OwnerId, share: u64) -> Result<LogUsage, StoreError> {
        let (mut usage, mut ended) = (LogUsage::default(), Vec::new());
        let mut last = None;
        loop {
            let part = self.read(move |view| own_after(view, owner, last)).await?;
            for own in &part {
                if own.is_open {
                    usage.waiting += 1;
                    usage.waiting_bytes += own.body_bytes;
                } else {
                    ended.push((own.id, own.bytes));
                }
                usage.log_bytes += own.bytes;
            }
            last = part.last().map(|own| own.id);
            if part.len() < AT_ONCE {
                break;
            }
        }
        let mut left: u64 = ended.iter().map(|(_, bytes)| bytes).sum();
        let mut beyond = Vec::new();
        for (id, bytes) in ended {
            if left <= share {
                break;
            }
            left -= bytes;
            usage.log_bytes -= bytes;
            beyond.push(id);
        }
        for some in beyond.chunks(AT_ONCE) {
            let some = some.to_vec();
            self.write(move |tx| remove_ended(tx, &some)).await?;
        }
        self.write(move |tx| {
            if !owner_status::is_gone(tx, owner)? {
                counters::set_usage(tx, owner, usage)?;
            }
            Ok(usage)
        })
        .await
    }

    /// Ends deliveries that waited too long for an inactive webhook.
    pub(super) async fn expire(
        &self,
        created_before: DateTime<Utc>,
        limit: usize,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let (mut old, mut after) = (Vec::new(), None);
        loop {
            let room = limit - old.len();
            let part = self.read(move |view| held_after(view, after, created_before, room));
            let (mut part, last) = part.await?;
            old.append(&mut part);
            after = last;
            if after.is_none() || old.len() >= limit {
                break;
            }
        }
        let (keys, reason) = (self.sealing.clone(), EndReason::Expired.as_str().to_owned());
        let change = WaitingChange::Cancelled { reason };
        self.write(move |tx| {
            let mut still = Vec::new();
            for (webhook, id) in &old {
                if is_held(tx, *webhook)? {
                    still.push(IfWaiting::any(*id));
                }
            }
            let ended = claims::change_waiting(tx, &still, &change, &keys, now)?;
            Ok(ended.len() as u64)
        })
        .await
    }
}

/// The counted properties of a delivery.
struct Own {
    id: DeliveryId,
    is_open: bool,
    body_bytes: u64,
    bytes: u64,
}

/// Returns the next deliveries of an owner.
fn own_after(view: &dyn View, owner: OwnerId, last: Option<DeliveryId>) -> Outcome<Vec<Own>> {
    let source = Source::Of(DELIVERY_OF_OWNER, vec![Key::new().owner(owner)]);
    let mut page = gatepost_storage::Page::<i64>::first(u32::MAX);
    page.after = last.map(|last| last.0);
    let mut found = Vec::new();
    ROWS.each(view, &source, &page, |_, entry| {
        if !deliveries::is_gone(view, entry.row.delivery.webhook)? {
            found.push(Own {
                id: entry.id(),
                is_open: entry.is_open(),
                body_bytes: entry.body_bytes,
                bytes: entry.bytes(),
            });
        }
        Ok(found.len() < AT_ONCE)
    })?;
    Ok(found)
}

fn remove_ended(tx: &mut Tx<'_>, ids: &[DeliveryId]) -> Outcome<()> {
    for id in ids {
        let entry = deliveries::get(tx, *id)?;
        if let Some(entry) = entry.filter(|entry| !entry.is_open()) {
            deliveries::remove(tx, &entry)?;
        }
    }
    Ok(())
}

/// Deliveries, each with its webhook, and the last webhook that was checked, if there are more.
type Held = (Vec<(WebhookId, DeliveryId)>, Option<WebhookId>);

/// Returns the waiting deliveries of the next inactive webhooks that were created before this time.
fn held_after(
    view: &dyn View,
    after: Option<WebhookId>,
    created_before: DateTime<Utc>,
    limit: usize,
) -> Outcome<Held> {
    let own = |webhook: WebhookId| KeyRange::prefix(Key::new().number(webhook.0));
    let (mut found, mut last) = (Vec::new(), after);
    for _ in 0..AT_ONCE {
        let from = last.and_then(|last| own(last).to).unwrap_or_default();
        let Some(key) = keys_in(view, OPEN, &KeyRange::since(from), 1)?.pop() else {
            return Ok((found, None));
        };
        let webhook = Parts::of(&key).number()?;
        last = Some(webhook);
        if !is_held(view, webhook)? {
            continue;
        }
        let run = keys_in(view, RUNNING, &own(webhook), usize::MAX)?.len();
        for key in keys_in(view, OPEN, &own(webhook), run + limit - found.len())? {
            let id = DeliveryId(last_number(&key)?);
            let waits = deliveries::get(view, id)?.is_some_and(|entry| {
                entry.state() == DeliveryState::Queued
                    && entry.row.delivery.created < created_before
            });
            if waits && found.len() < limit {
                found.push((webhook, id));
            }
        }
    }
    Ok((found, last))
}

/// Returns whether a webhook is inactive. Deliveries of a suspended owner do not expire.
fn is_held(view: &dyn View, webhook: WebhookId) -> Outcome<bool> {
    let Some(head) = head_of::<Webhook>(view, webhook)? else {
        return Ok(false);
    };
    Ok(!head.enabled && !owner_status::of(view, head.owner)?.held)
}
