//! Attempts.

use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::webhooks::{Claim, ClaimToken, DeliveryId};
use rusqlite::{Connection, Row};

use super::snapshot::Look;
use crate::column::{number, span, time};
use crate::error::{Failure, Result};
use crate::named::Named;
use crate::sql::Sql as _;

/// Returns the last attempts of a delivery that is shown, oldest first.
pub(super) fn last(c: &Connection, id: DeliveryId, last: u32) -> Result<Vec<(u32, SealedAttempt)>> {
    if Look::new(c)?.find(id.0)?.is_none() {
        return Ok(Vec::new());
    }
    let of_last = [id.0, last.into()];
    let mut found = c.all(sql!("log/attempts"), of_last, |row| attempt(row, id))?;
    found.reverse();
    Ok(found)
}

/// Reads an attempt and its number.
fn attempt(row: &Row<'_>, delivery: DeliveryId) -> Result<(u32, SealedAttempt)> {
    let row = &Named::of(row);
    let status: Option<i64> = row.get("status")?;
    let attempt = SealedAttempt {
        claim: Claim {
            delivery,
            token: ClaimToken(row.get("token")?),
        },
        started: time(row, "started")?,
        duration: span(row, "duration_us")?.unwrap_or_default(),
        class: row.get("class")?,
        status: status
            .map(u16::try_from)
            .transpose()
            .map_err(|e| Failure::corrupt("status", e))?,
        kept_bytes: number(row, "kept_bytes")?,
        detail: row.get("detail")?,
    };
    Ok((number(row, "number")?, attempt))
}
