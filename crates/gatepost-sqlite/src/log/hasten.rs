//! Deliveries that wait for later are due now.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::DeliveryId;
use rusqlite::Connection;

use crate::batch::{Member, webhook};
use crate::column::micros;
use crate::deliveries::waiting;
use crate::error::Result;
use crate::watch;

pub(super) fn hasten(c: &Connection, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64> {
    let (now, mut count) = (micros(now), 0);
    for id in ids {
        let waits = waiting::get(c, id.0)?.filter(|waits| waits.due > now);
        if let Some(waits) = waits
            && webhook(c, waits.webhook)?.is_some()
        {
            waiting::remove(c, id.0)?;
            waiting::insert(c, Member { due: now, ..waits })?;
            count += 1;
        }
    }
    if count > 0 {
        watch::arrived(c)?;
    }
    Ok(count)
}
