//! The queue in figures.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DeliveryState, QueueStats, WebhookRoute};
use redb::ReadTransaction;
use serde_json::json;

use super::codec::{Fields, micros};
use super::delivery::to_micros;
use super::error::{Answer, failed};
use super::owner_rows::Owner;
use super::tables::{FIGURES, OUTBOX, Tx, WEBHOOKS, row};

/// The row of [`FIGURES`].
const LAST: i64 = 0;

/// Counts what has not ended, and keeps the figures.
pub(super) fn count(tx: &Tx, now: DateTime<Utc>) -> Answer<QueueStats> {
    let sending = webhooks(tx, |active, owner| active && !owner.is_held())?;
    let mut stats = QueueStats {
        counted: to_micros(now),
        queued: 0,
        running: 0,
        oldest_due: None,
        outbox: 0,
    };
    for (_, row) in tx.rows(OUTBOX)? {
        stats.outbox += u64::from(row["rejected"].is_null());
    }
    for slot in tx.slots()? {
        let delivery = slot.delivery;
        match delivery.state {
            DeliveryState::Running => stats.running += 1,
            DeliveryState::Queued => {
                stats.queued += 1;
                if sending.contains(&delivery.webhook.0) {
                    let oldest = stats.oldest_due.unwrap_or(delivery.due);
                    stats.oldest_due = Some(oldest.min(delivery.due));
                }
            }
            DeliveryState::Sent | DeliveryState::Error => {}
        }
    }
    let row = json!({
        "counted": micros(stats.counted), "queued": stats.queued, "running": stats.running,
        "oldest_due": stats.oldest_due.map(micros), "outbox": stats.outbox,
    });
    tx.put(FIGURES, LAST, &row)?;
    Ok(stats)
}

pub(super) fn counted_last(tx: &ReadTransaction) -> Answer<Option<QueueStats>> {
    let Some(row) = row(&tx.open_table(FIGURES).map_err(failed)?, LAST)? else {
        return Ok(None);
    };
    let f = Fields(&row);
    Ok(Some(QueueStats {
        counted: f.time("counted")?,
        queued: f.number("queued")?,
        running: f.number("running")?,
        oldest_due: f.maybe_time("oldest_due"),
        outbox: f.number("outbox")?,
    }))
}

/// The webhooks that are wanted, by whether they are active and by what is known of their owners.
pub(super) fn webhooks(tx: &Tx, wanted: impl Fn(bool, Owner) -> bool) -> Answer<Vec<i64>> {
    let mut found = Vec::new();
    for (id, row) in tx.rows(WEBHOOKS)? {
        let f = Fields(&row);
        let active = f.text("activity")? == WebhookRoute::SENDS;
        let owner = tx.owner(f.owner("owner")?)?;
        if wanted(active, owner) {
            found.push(id);
        }
    }
    Ok(found)
}
