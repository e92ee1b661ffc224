//! Deliveries that end without an attempt, and such as are deleted.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::DeliveryId;
use rusqlite::Connection;

use super::look::Look;
use crate::batch::{forget_claims, next_token, webhook};
use crate::deliveries::{end_counted, remove, shrunk, waiting};
use crate::error::{Failure, Result};

pub(super) fn cancel(
    c: &Connection,
    ids: &[DeliveryId],
    reason: &str,
    now: DateTime<Utc>,
) -> Result<u64> {
    let token = next_token(c)?;
    let mut count = 0;
    for id in ids {
        let waits = waiting::get(c, id.0)?;
        if let Some(waits) = waits
            && webhook(c, waits.webhook)?.is_some()
        {
            count += u64::from(end_counted(c, id.0, reason, token, now)?);
        }
    }
    Ok(count)
}

pub(super) fn delete(c: &Connection, id: DeliveryId) -> Result<()> {
    let look = Look::new(c)?;
    if look.find(id.0)?.is_none() {
        return Err(Failure::not_found("delivery"));
    }
    waiting::remove(c, id.0)?;
    forget_claims(c, |member| member.delivery == id.0)?;
    let bytes = remove(c, id.0)?;
    shrunk(c, bytes)
}
