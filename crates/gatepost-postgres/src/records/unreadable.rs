//! Records that cannot be read.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{RecordId, UnreadableRecord};
use gatepost_storage::{Bodies, Page, Scope};
use webhook_model::{Event, Task, Webhook};

use super::scoped;
use super::table::{self, Stored};
use crate::column::owner;
use crate::error::Result;
use crate::list::Body;
use crate::store::PostgresStore;

/// How many rows are read at a time.
const BITE: u32 = 500;
/// Fewer where what may be large of them comes to this.
const BYTES: Bodies = Bodies::UpTo(1024 * 1024);

/// What may be large of each kind.
const OF_WEBHOOKS: [Body; 1] = [large("headers")];
const OF_TASKS: [Body; 1] = [large("message")];
const OF_EVENTS: [Body; 2] = [large("filters"), large("context")];

/// When a record was made that cannot be read.
type Found = (DateTime<Utc>, UnreadableRecord);

impl PostgresStore {
    pub(super) async fn unreadable_records(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>> {
        let limit = limit as usize;
        let mut found = self.search::<Webhook>(&OF_WEBHOOKS, scope, limit).await?;
        found.extend(self.search::<Task>(&OF_TASKS, scope, limit).await?);
        found.extend(self.search::<Event>(&OF_EVENTS, scope, limit).await?);
        found.sort_by_key(|(created, row)| (*created, row.record));
        let oldest = found.into_iter().take(limit);
        Ok(oldest.map(|(_, row)| row).collect())
    }

    /// Reads a table bite by bite and notes what cannot be read: the first of it, at most `limit`.
    async fn search<R: Stored<Id: Into<RecordId>>>(
        &self,
        large: &'static [Body],
        scope: Scope,
        limit: usize,
    ) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut page: Page<i64> = Page::first(BITE).with_bodies(BYTES);
        while found.len() < limit {
            let list = scoped(&R::table().select, scope).bodies(large);
            let rows = list.page(self.db(), &page, |id| id).await?;
            for row in &rows {
                if let Err(failure) = table::row::<R>(row, self.sealing())
                    && found.len() < limit
                {
                    let unreadable = UnreadableRecord {
                        record: R::Id::from(row.try_get("id")?).into(),
                        owner: owner(row, "owner")?,
                        reason: failure.reason(),
                    };
                    found.push((row.try_get("created")?, unreadable));
                }
            }
            let Some(last) = rows.last() else { break };
            page = page.beyond(last.try_get("id")?);
        }
        Ok(found)
    }
}

/// Measured, and always read: nothing stands for it.
const fn large(column: &'static str) -> Body {
    Body { column, empty: "" }
}
