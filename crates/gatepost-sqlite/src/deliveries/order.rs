//! Webhooks in order: only the oldest delivery that has not ended may be claimed, and none while
//! one is running.

use rusqlite::Connection;

use super::waiting;
use crate::batch::{Member, Webhook, is_open, running};
use crate::error::Result;
use crate::sql::Sql as _;

/// Returns the one delivery of this webhook in order that may be claimed when it is due.
pub(crate) fn head(c: &Connection, webhook: &Webhook) -> Result<Option<Member>> {
    let sql = "SELECT 1 FROM gatepost_running WHERE webhook = ?1";
    let busy = c.has(sql, [webhook.id])?;
    let busy = busy
        || match webhook.ordered_to {
            Some(last) => runs_unordered(c, webhook.id, last)?,
            None => false,
        };
    if busy {
        return Ok(None);
    }
    waiting::oldest(c, webhook.id)
}

/// Returns whether a delivery that was claimed before its webhook was switched to delivery in order
/// still runs: it shares its token with those of others. `last` is the last token before the
/// switch.
pub(crate) fn runs_unordered(c: &Connection, webhook: i64, last: i64) -> Result<bool> {
    for batch in running(c, last)? {
        for member in batch.members {
            if member.webhook == webhook && is_open(c, batch.token, member)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
