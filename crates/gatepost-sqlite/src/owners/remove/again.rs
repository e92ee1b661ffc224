//! What may be sent again.

use rusqlite::Connection;

use crate::error::Result;
use crate::places::next_version;
use crate::watch::stirred;

/// Deliveries may be claimed that could not: what was looked up of their webhooks is looked up
/// again, and other processes look at every lane.
pub(super) fn sends_again(c: &Connection) -> Result<()> {
    next_version(c)?;
    stirred(c)
}
