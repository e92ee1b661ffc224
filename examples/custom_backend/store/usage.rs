//! What owners use.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{DeliveryRow, LogUsage, UsageDelta};
use redb::ReadableTable;
use serde_json::json;

use super::codec::corrupt;
use super::error::Answer;
use super::tables::{Tx, USAGE, row};

pub(super) fn add(tx: &Tx, delta: &UsageDelta) -> Answer<()> {
    if tx.owner(delta.owner)?.gone {
        return Ok(());
    }
    let old = of(&tx.open(USAGE)?, delta.owner)?;
    let new = LogUsage {
        waiting: old.waiting.saturating_add_signed(delta.waiting),
        waiting_bytes: old.waiting_bytes.saturating_add_signed(delta.waiting_bytes),
        log_bytes: old.log_bytes.saturating_add_signed(delta.log_bytes),
    };
    put(tx, delta.owner, new)
}

/// Counts what an owner uses and stores that. What is beyond the share leaves at the same time.
pub(super) fn recount(tx: &Tx, owner: OwnerId, share: u64) -> Answer<LogUsage> {
    let mut usage = LogUsage::default();
    let mut ended = Vec::new();
    for slot in tx.slots()? {
        let delivery = &slot.delivery;
        if delivery.owner != owner {
            continue;
        }
        if !delivery.state.is_final() {
            usage.waiting += 1;
            usage.waiting_bytes += delivery.body.len() as u64;
        }
        usage.log_bytes += slot.bytes();
        if delivery.state.is_final() {
            ended.push(slot);
        }
    }
    let mut left: u64 = ended.iter().map(DeliveryRow::bytes).sum();
    for slot in ended {
        if left <= share {
            break;
        }
        tx.remove_delivery(&slot)?;
        left -= slot.bytes();
        usage.log_bytes -= slot.bytes();
    }
    if !tx.owner(owner)?.gone {
        put(tx, owner, usage)?;
    }
    Ok(usage)
}

pub(super) fn of(
    rows: &impl ReadableTable<u128, &'static str>,
    owner: OwnerId,
) -> Answer<LogUsage> {
    let Some(row) = row(rows, owner.0)? else {
        return Ok(LogUsage::default());
    };
    let count = |field: &'static str| row[field].as_u64().ok_or_else(|| corrupt(field));
    Ok(LogUsage {
        waiting: count("waiting")?,
        waiting_bytes: count("waiting_bytes")?,
        log_bytes: count("log_bytes")?,
    })
}

fn put(tx: &Tx, owner: OwnerId, usage: LogUsage) -> Answer<()> {
    let row = json!({
        "waiting": usage.waiting, "waiting_bytes": usage.waiting_bytes, "log_bytes": usage.log_bytes,
    });
    tx.put(USAGE, owner.0, &row)
}
