//! Records that cannot be read.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{RecordId, UnreadableRecord};
use gatepost_storage::{Bodies, Page, Scope};
use webhook_model::{Event, Task, Webhook};

use super::table::{self, Stored, listed};
use crate::column::owner;
use crate::error::Result;
use crate::store::PostgresStore;

/// The number of rows that are read in one statement.
const BITE: u32 = 500;
/// Fewer if their large columns reach this size.
const BYTES: Bodies = Bodies::UpTo(1024 * 1024);

/// An unreadable record, with the time at which it was created.
type Found = (DateTime<Utc>, UnreadableRecord);

impl PostgresStore {
    pub(super) async fn unreadable_records(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>> {
        let limit = limit as usize;
        let mut found = self.search::<Webhook>(scope, limit).await?;
        found.extend(self.search::<Task>(scope, limit).await?);
        found.extend(self.search::<Event>(scope, limit).await?);
        found.sort_by_key(|(created, row)| (*created, row.record));
        let oldest = found.into_iter().take(limit);
        Ok(oldest.map(|(_, row)| row).collect())
    }

    /// Reads a table in batches and returns the first unreadable records, at most `limit`.
    async fn search<R: Stored<Id: Into<RecordId>>>(
        &self,
        scope: Scope,
        limit: usize,
    ) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut page: Page<i64> = Page::first(BITE).with_bodies(BYTES);
        while found.len() < limit {
            let list = listed::<R>(scope);
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
