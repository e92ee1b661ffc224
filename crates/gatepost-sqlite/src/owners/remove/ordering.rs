//! Deliveries of a webhook that has just become one in order: each has to know it before the next
//! is claimed.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::rows::rows;
use crate::error::Result;

pub(super) fn go_on(c: &Connection, room: u32) -> Result<u32> {
    let mut touched = 0;
    while touched < room {
        let next: Option<i64> = c
            .prepare_cached(include_str!("../../sql/owners/next_ordering.sql"))?
            .query_row([], |row| row.get(0))
            .optional()?;
        let Some(webhook) = next else { break };
        touched += one(c, webhook, room - touched)?;
    }
    Ok(touched)
}

/// Goes through at most `room` of the webhook's deliveries, ended ones too, and returns how many.
pub(crate) fn one(c: &Connection, webhook: i64, room: u32) -> Result<u32> {
    let passed: Vec<i64> = c
        .prepare_cached(include_str!("../../sql/owners/next_to_order.sql"))?
        .query_map(params![webhook, room], |row| row.get(0))?
        .collect::<std::result::Result<_, _>>()?;
    let count = rows(passed.len());
    if let Some(last) = passed.last() {
        c.prepare_cached(include_str!("../../sql/owners/order.sql"))?
            .execute(params![webhook, last])?;
    }
    let to = passed.last().filter(|_| count == room);
    c.prepare_cached("UPDATE gatepost_webhook SET ordered_to = ?2 WHERE id = ?1")?
        .execute(params![webhook, to])?;
    Ok(count)
}
