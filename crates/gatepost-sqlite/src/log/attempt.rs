//! Attempts.

use gatepost_storage::webhooks::{AttemptRecord, DeliveryId, Phases};
use rusqlite::{Connection, Row};

use super::look::Look;
use crate::column::{number, span, time};
use crate::error::{Failure, Result};
use crate::named::Named;

/// The last attempts of a delivery that is shown, oldest first.
pub(super) fn last(c: &Connection, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>> {
    if Look::new(c)?.find(id.0)?.is_none() {
        return Ok(Vec::new());
    }
    let mut statement = c.prepare_cached(include_str!("../sql/log/attempts.sql"))?;
    let mut rows = statement.query([id.0, last.into()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(attempt(row)?);
    }
    found.reverse();
    Ok(found)
}

fn attempt(row: &Row<'_>) -> Result<AttemptRecord> {
    let row = &Named::of(row);
    let status: Option<i64> = row.get("status")?;
    let remote: Option<String> = row.get("remote")?;
    Ok(AttemptRecord {
        number: number(row, "number")?,
        started: time(row, "started")?,
        duration: span(row, "duration_us")?.unwrap_or_default(),
        phases: Phases {
            dns: span(row, "dns_us")?,
            connect: span(row, "connect_us")?,
            tls: span(row, "tls_us")?,
            first_byte: span(row, "first_byte_us")?,
        },
        class: row.get("class")?,
        info: row.get("info")?,
        status: status
            .map(u16::try_from)
            .transpose()
            .map_err(|e| Failure::corrupt("status", e))?,
        remote: remote
            .map(|r| r.parse())
            .transpose()
            .map_err(|e| Failure::corrupt("remote", e))?,
        protocol: row.get("protocol")?,
        request_head: row.get("request_head")?,
        response_head: row.get("response_head")?,
        response_body: row.get("response_body")?,
        truncated: row.get("truncated")?,
        kept: row.get("kept")?,
    })
}
