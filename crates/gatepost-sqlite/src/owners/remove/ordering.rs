//! Webhooks that have just become ones in order: what was claimed before shares its token with
//! deliveries of others, and is looked for until none of it runs.

use rusqlite::{Connection, OptionalExtension as _};

use super::again::sends_again;
use crate::deliveries::order::runs_unordered;
use crate::error::Result;

/// Looks at no more than `room` webhooks, and returns for how many there is nothing left to look
/// for.
pub(super) fn go_on(c: &Connection, room: u32) -> Result<u32> {
    let (mut done, mut at) = (0, i64::MIN);
    for _ in 0..room {
        let next: Option<(i64, i64)> = c
            .prepare_cached(include_str!("../../sql/owners/next_ordering.sql"))?
            .query_row([at], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((webhook, last)) = next else { break };
        at = webhook;
        if !runs_unordered(c, webhook, last)? {
            c.prepare_cached("UPDATE gatepost_webhook SET ordered_to = NULL WHERE id = ?1")?
                .execute([webhook])?;
            sends_again(c)?;
            done += 1;
        }
    }
    Ok(done)
}
