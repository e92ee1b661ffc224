//! The notification that deliveries may be claimable again.

use rusqlite::Connection;

use crate::error::Result;
use crate::realms::next_version;
use crate::watch::stirred;

/// Announces that deliveries became claimable: the cached webhooks are read again, and other
/// processes check every queue.
pub(super) fn sends_again(c: &Connection) -> Result<()> {
    next_version(c)?;
    stirred(c)
}
