//! The expiry of deliveries that waited too long for an inactive webhook: they are searched for
//! without the writer, and ended in short commits.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DeliveryId, EndReason, IfWaiting, WaitingChange};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::purge::BITE;
use super::waiting;
use crate::column::micros;
use crate::error::{Answer, Result};
use crate::store::SqliteStore;

pub(super) async fn expire(
    store: &SqliteStore,
    created_before: DateTime<Utc>,
    limit: u32,
    now: DateTime<Utc>,
) -> Answer<u64> {
    let before = micros(created_before);
    let ids = store.read(move |c| held(c, before, limit)).await?;
    let mut ended = 0;
    for bite in ids.chunks(BITE as usize) {
        let bite = bite.to_vec();
        ended += store.write(move |c| end(c, &bite, now)).await?;
    }
    Ok(ended)
}

/// Returns expired deliveries: the oldest of each inactive webhook, up to the first that is young
/// enough. This costs a lookup for each such webhook, and the reads of the deliveries to end.
fn held(c: &Connection, before: i64, limit: u32) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    let mut next = c.prepare_cached(sql!("log/next_inactive"))?;
    let mut webhook = i64::MIN;
    while found.len() < limit as usize
        && let Some(id) = next.query_row([webhook], |row| row.get(0)).optional()?
    {
        webhook = id;
        let room = i64::from(limit) - i64::try_from(found.len()).unwrap_or(i64::MAX);
        let mut waiting = c.prepare_cached(sql!("log/waits_with_created"))?;
        let mut rows = waiting.query(params![webhook, room])?;
        while let Some(row) = rows.next()? {
            if row.get::<_, i64>(1)? >= before {
                break;
            }
            found.push(row.get(0)?);
        }
    }
    Ok(found)
}

/// Ends these deliveries, except those whose webhooks have been resumed in between.
fn end(c: &Connection, ids: &[i64], now: DateTime<Utc>) -> Result<u64> {
    let mut still = c.prepare_cached(sql!("log/still_held"))?;
    let mut held = Vec::new();
    for id in ids {
        if still.exists([id])? {
            held.push(IfWaiting::any(DeliveryId(*id)));
        }
    }
    let reason = EndReason::Expired.as_str().to_owned();
    let change = WaitingChange::Cancelled { reason };
    let ended = waiting::change(c, &held, &change, now)?;
    Ok(ended.len() as u64)
}
