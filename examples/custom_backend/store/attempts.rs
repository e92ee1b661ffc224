//! Attempts: their rows.

use gatepost_storage::columns::open_attempt;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{AttemptRecord, DeliveryId};
use redb::ReadableTable;

use super::codec::decode;
use super::error::{Answer, failed};
use super::tables::json;

/// The last attempts of a delivery, oldest first.
pub(super) fn attempts(
    table: &impl ReadableTable<(i64, i64), &'static str>,
    id: DeliveryId,
    last: u32,
    keys: &SealingKeys,
) -> Answer<Vec<AttemptRecord>> {
    let all = table.range((id.0, 0)..=(id.0, i64::MAX)).map_err(failed)?;
    let mut found = Vec::new();
    for attempt in all.rev().take(last as usize) {
        let (_, row) = attempt.map_err(failed)?;
        let mut attempt: AttemptRecord = decode(&json(row.value())?)?;
        open_attempt(&mut attempt, id, keys);
        found.push(attempt);
    }
    found.reverse();
    Ok(found)
}
