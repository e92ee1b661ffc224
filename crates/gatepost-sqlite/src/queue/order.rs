//! Webhooks in order: only the oldest delivery that has not ended may be claimed, and nothing while
//! one is running.

use rusqlite::Connection;

use super::waiting;
use crate::batch::{Member, Webhook, readable};
use crate::error::Result;

/// The one delivery of this webhook in order that may be claimed once it is due.
pub(super) fn head(c: &Connection, webhook: &Webhook) -> Result<Option<Member>> {
    let busy = c
        .prepare_cached("SELECT 1 FROM gatepost_running WHERE webhook = ?1")?
        .exists([webhook.id])?;
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

/// Whether a delivery that was claimed before its webhook was one in order still runs: it shares
/// its token with those of others. `last` is the last token that was given before.
pub(crate) fn runs_unordered(c: &Connection, webhook: i64, last: i64) -> Result<bool> {
    let mut running =
        c.prepare_cached("SELECT token, members FROM gatepost_running WHERE token <= ?1")?;
    let mut rows = running.query([last])?;
    while let Some(row) = rows.next()? {
        let token: i64 = row.get(0)?;
        let members = row.get_ref(1)?.as_blob().unwrap_or_default();
        let own = readable(token, members)
            .into_iter()
            .filter(|member| member.webhook == webhook);
        for member in own {
            if is_open(c, token, member)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether a member of a batch that runs was not settled yet.
pub(crate) fn is_open(c: &Connection, token: i64, member: Member) -> Result<bool> {
    let settled = c
        .prepare_cached("SELECT 1 FROM gatepost_outcome WHERE delivery = ?1 AND token = ?2")?
        .exists([member.delivery, token])?;
    Ok(!settled)
}
