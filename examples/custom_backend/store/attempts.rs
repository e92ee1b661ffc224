//! Attempts: their rows.

use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{AttemptRecord, DeliveryId};
use redb::ReadableTable;

use super::codec::{corrupt, decode};
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
        let (key, row) = attempt.map_err(failed)?;
        let (_, number) = key.value();
        let number = u32::try_from(number).map_err(|_| corrupt("number"))?;
        let attempt: SealedAttempt = decode(&json(row.value())?)?;
        found.push(attempt.open(number, keys)?);
    }
    found.reverse();
    Ok(found)
}
