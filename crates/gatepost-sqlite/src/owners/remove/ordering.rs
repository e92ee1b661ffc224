//! Webhooks that have just been switched to delivery in order: earlier claims share their tokens
//! with deliveries of others, and are looked for until none of them runs.

use rusqlite::Connection;

use super::notification::sends_again;
use crate::deliveries::order::runs_unordered;
use crate::error::Result;
use crate::sql::Sql as _;

/// Checks at most `room` webhooks; returns the number of those that need no further checks.
pub(super) fn go_on(c: &Connection, room: u32) -> Result<u32> {
    let (mut done, mut at) = (0, i64::MIN);
    for _ in 0..room {
        let next: Option<(i64, i64)> = c.first(sql!("owners/next_ordering"), [at], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let Some((webhook, last)) = next else { break };
        at = webhook;
        if !runs_unordered(c, webhook, last)? {
            let sql = "UPDATE gatepost_webhook SET ordered_to = NULL WHERE id = ?1";
            c.run(sql, [webhook])?;
            sends_again(c)?;
            done += 1;
        }
    }
    Ok(done)
}
