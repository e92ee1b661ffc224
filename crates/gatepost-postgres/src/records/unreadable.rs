//! Records that cannot be read, whose a record is, and how much an owner has.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{RecordId, RecordUsage, UnreadableRecord};
use gatepost_storage::{Bodies, Page, Scope};
use tokio_postgres::Row;
use uuid::Uuid;
use webhook_model::{Event, EventId, OwnerId, Task, TaskId, Webhook, WebhookId};

use super::table::{self, Stored as _};
use super::{event, scoped, task};
use crate::column::owner;
use crate::error::{Failure, Result};
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
    pub(super) async fn whose(&self, record: RecordId) -> Result<Option<OwnerId>> {
        let (from, id) = match record {
            RecordId::Webhook(id) => (Webhook::FROM, id.0),
            RecordId::Task(id) => (Task::FROM, id.0),
            RecordId::Event(id) => (Event::FROM, id.0),
        };
        let sql = format!("SELECT r.owner {from} AND r.id = $1");
        let found = self.db().query_opt(&sql, &[&id]).await?;
        found.map(|row| owner(&row, "owner")).transpose()
    }

    pub(super) async fn unreadable_records(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>> {
        let limit = limit as usize;
        let webhooks = self.search(
            (&Webhook::table().select, &OF_WEBHOOKS),
            scope,
            limit,
            |row| {
                let id = RecordId::Webhook(WebhookId(row.try_get("id")?));
                Ok((id, table::row::<Webhook>(row, self.sealing()).err()))
            },
        );
        let mut found = webhooks.await?;
        let tasks = self.search((&Task::table().select, &OF_TASKS), scope, limit, |row| {
            let id = RecordId::Task(TaskId(row.try_get("id")?));
            Ok((id, task::read(row).err()))
        });
        found.extend(tasks.await?);
        let events = self.search((&Event::table().select, &OF_EVENTS), scope, limit, |row| {
            let id = RecordId::Event(EventId(row.try_get("id")?));
            Ok((id, event::read(row).err()))
        });
        found.extend(events.await?);
        found.sort_by_key(|(created, row)| (*created, row.record));
        let oldest = found.into_iter().take(limit);
        Ok(oldest.map(|(_, row)| row).collect())
    }

    /// Reads a table bite by bite and notes what cannot be read: the first of it, at most `limit`.
    async fn search(
        &self,
        (select, large): (&str, &'static [Body]),
        scope: Scope,
        limit: usize,
        read: impl Fn(&Row) -> Result<(RecordId, Option<Failure>)>,
    ) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut page: Page<i64> = Page::first(BITE).with_bodies(BYTES);
        while found.len() < limit {
            let list = scoped(select, scope).bodies(large);
            let rows = list.page(self.db(), &page, |id| id).await?;
            for row in &rows {
                let (record, failure) = read(row)?;
                if let Some(failure) = failure
                    && found.len() < limit
                {
                    let unreadable = UnreadableRecord {
                        record,
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

    pub(super) async fn used_by_records(&self, owner: OwnerId) -> Result<RecordUsage> {
        let sql = include_str!("../sql/records/usage.sql");
        let Some(row) = self.db().query_opt(sql, &[&Uuid::from(owner)]).await? else {
            return Ok(RecordUsage::default());
        };
        let number = |column| -> Result<u64> {
            u64::try_from(row.try_get::<_, i64>(column)?).map_err(|e| Failure::corrupt("usage", e))
        };
        Ok(RecordUsage {
            webhooks: number("webhooks")?,
            tasks: number("tasks")?,
            events: number("events")?,
            bytes: number("bytes")?,
        })
    }
}

/// Measured, and always read: nothing stands for it.
const fn large(column: &'static str) -> Body {
    Body { column, empty: "" }
}
