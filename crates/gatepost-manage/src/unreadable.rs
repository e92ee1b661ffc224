//! Records that cannot be read: written by a newer version, or sealed with a key that is lost.

use gatepost_storage::webhooks::UnreadableRecord;

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;

/// Records that are listed at a time; there may be more once these were deleted.
const MOST: u32 = 100;

impl Actor {
    /// Webhooks, tasks and events that cannot be read, so that they can be deleted: oldest first,
    /// at most 100. Lists pass over them.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn unreadable(&self) -> Result<Vec<UnreadableRecord>, ManageError> {
        contain(async {
            let mut authority = self.authority();
            let mut seen = Vec::new();
            let scope = authority.scope();
            for record in self.engine().unreadable(scope, MOST).await? {
                if authority.may_manage(record.owner).await? {
                    seen.push(record);
                }
            }
            Ok(seen)
        })
        .await
    }
}
