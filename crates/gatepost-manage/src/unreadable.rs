//! Records that cannot be read: written by a newer version, or sealed with a key that is lost.

use gatepost_storage::webhooks::UnreadableRecord;

use crate::actor::Actor;
use crate::completion::{Answer, contain};

/// The number of records listed at a time; there may be more after these were deleted.
const MOST: u32 = 100;
/// The number of such lists that are read if rows of other owners are among them.
const MORE: u32 = 8;

impl Actor {
    /// Returns webhooks, tasks and events that cannot be read, so that they can be deleted: oldest
    /// first, at most 100. Lists skip them.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn unreadable(&self) -> Answer<'_, Vec<UnreadableRecord>> {
        contain(async move {
            let mut authority = self.authority();
            let scope = authority.scope();
            let mut limit = MOST;
            loop {
                let found = self.engine().unreadable(scope, limit).await?;
                let is_all = found.len() < limit as usize || limit == u32::MAX;
                let mut seen = Vec::new();
                for record in found {
                    if seen.len() < MOST as usize && authority.may_manage(record.owner).await? {
                        seen.push(record);
                    }
                }
                if is_all || seen.len() == MOST as usize {
                    return Ok(seen);
                }
                limit = limit.saturating_mul(MORE);
            }
        })
    }
}
