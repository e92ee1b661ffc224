//! The row numbers of the deliveries that were created within a time span.

use gatepost_storage::webhooks::DeliveryQuery;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::column::micros;
use crate::error::Result;
use crate::sql::{Sql as _, value};

/// The assumed maximum difference between the clocks of processes, in microseconds: a delivery with
/// a later number may have been created earlier by up to this time.
const SKEW: i64 = 60_000_000;

/// A range of row numbers, both ends included.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Bounds {
    pub(super) first: i64,
    pub(super) last: i64,
}

pub(super) fn bounds(c: &Connection, query: &DeliveryQuery) -> Result<Bounds> {
    let first = match query.created_from {
        Some(from) => first_at(c, micros(from).saturating_sub(SKEW))?,
        None => i64::MIN,
    };
    let last = match query.created_before {
        Some(before) => first_at(c, micros(before).saturating_add(SKEW))?,
        None => i64::MAX,
    };
    Ok(Bounds { first, last })
}

/// Returns the first delivery that was created at that time or later, by binary search; a number
/// beyond the last one if there is none.
fn first_at(c: &Connection, time: i64) -> Result<i64> {
    let end = |sql| -> Result<Option<i64>> { c.first(sql, [], value) };
    let least = end("SELECT id FROM gatepost_delivery ORDER BY id LIMIT 1")?;
    let most = end("SELECT id FROM gatepost_delivery ORDER BY id DESC LIMIT 1")?;
    let (Some(mut low), Some(most)) = (least, most) else {
        return Ok(i64::MAX);
    };
    let mut high = most.saturating_add(1);
    let mut find = c.prepare_cached(sql!("log/created_at"))?;
    while low < high {
        let middle = low.midpoint(high);
        let next: Option<(i64, i64)> = find
            .query_row(params![middle], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match next {
            Some((id, created)) if created < time => low = id.saturating_add(1),
            _ => high = middle,
        }
    }
    Ok(low)
}
