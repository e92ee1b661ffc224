//! How often keys were used, by the day.

use std::ops::Range;

use apikey_core::KeyId;
use chrono::NaiveDate;
use gatepost_storage::keys::KeyUse;
use redb::{ReadTransaction, ReadableTable as _};

use super::codec::corrupt;
use super::error::{Answer, failed};
use super::tables::{KEY_USES, KEYS, Tx};

/// Adds days that were merged: of each key the newest comes last.
pub(super) fn add(tx: &Tx, days: &[KeyUse]) -> Answer<()> {
    for day in days {
        if tx.row(KEYS, day.key.0)?.is_none() {
            continue;
        }
        let mut uses = tx.open(KEY_USES)?;
        let at = (day.key.0, day.day.to_epoch_days());
        let old = uses.get(at).map_err(failed)?.map(|old| old.value());
        let (used, refused) = old.unwrap_or_default();
        let sum = (
            used.saturating_add(day.used),
            refused.saturating_add(day.refused),
        );
        uses.insert(at, sum).map_err(failed)?;
        drop(uses);
        forget(tx, day.key, KeyUse::kept_after(day.day))?;
    }
    Ok(())
}

/// Forgets the days of a key up to this one.
pub(super) fn forget(tx: &Tx, key: KeyId, until: NaiveDate) -> Answer<()> {
    let days = (key.0, i32::MIN)..=(key.0, until.to_epoch_days());
    let mut uses = tx.open(KEY_USES)?;
    uses.retain_in(days, |_, _| false).map_err(failed)
}

/// The newest first.
pub(super) fn list(
    tx: &ReadTransaction,
    key: KeyId,
    days: Range<NaiveDate>,
    limit: u32,
) -> Answer<Vec<KeyUse>> {
    if days.is_empty() {
        return Ok(Vec::new());
    }
    let uses = tx.open_table(KEY_USES).map_err(failed)?;
    let [from, before] = [days.start, days.end].map(|day| (key.0, day.to_epoch_days()));
    let mut found = Vec::new();
    for day in uses.range(from..before).map_err(failed)?.rev() {
        if found.len() >= limit as usize {
            break;
        }
        let (at, counts) = day.map_err(failed)?;
        let (used, refused) = counts.value();
        found.push(KeyUse {
            key,
            day: NaiveDate::from_epoch_days(at.value().1).ok_or_else(|| corrupt("day"))?,
            used,
            refused,
        });
    }
    Ok(found)
}
