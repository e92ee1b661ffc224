//! Records that cannot be read, as in a store that keeps bytes.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::webhooks::{
    Found, RecordId, RecordRow, RecordStore, RouteChanges, Routes, TaskRoute, UnreadableRecord,
};
use gatepost_storage::{Bodies, ErrorKind, Page, Scope, StoreError};

use super::store::{FaultStore, Passing};

/// The reason why a record cannot be read.
const REASON: &str = "the test says so";

impl<S> FaultStore<S> {
    /// Sets whether this record cannot be read from now on: read by its number it is `Corrupt`, in
    /// lists it is skipped, and it is listed as unreadable. It can be deleted.
    pub fn set_unreadable(&self, record: RecordId, unreadable: bool) {
        self.with(|state| {
            if unreadable {
                state.unreadable.insert(record);
            } else {
                state.unreadable.remove(&record);
            }
        });
    }

    pub(super) fn can_read(&self, record: RecordId) -> bool {
        self.with(|state| !state.unreadable.contains(&record))
    }

    /// Returns the result of reading a record by its number.
    pub(super) fn as_read(
        &self,
        record: RecordId,
        mut found: Found<RecordRow>,
    ) -> Found<RecordRow> {
        if matches!(found, Ok(Some(_))) && !self.can_read(record) {
            return Err(StoreError::new(ErrorKind::Corrupt, REASON));
        }
        if let Ok(Some(RecordRow::Webhook(row))) = &mut found {
            self.altered(Passing::Webhook(row));
        }
        found
    }

    /// Returns the page to read, so that the requested one is full though some rows are skipped.
    pub(super) fn longer<I>(&self, page: Page<I>) -> Page<I> {
        let unreadable = self.with(|state| state.unreadable.len());
        let more = u32::try_from(unreadable).unwrap_or(u32::MAX);
        Page {
            limit: page.limit.saturating_add(more),
            bodies: Bodies::All,
            ..page
        }
    }

    /// Returns the requested page out of one that was read [`longer`](Self::longer).
    pub(super) fn whole_page(&self, mut rows: Vec<RecordRow>, limit: u32) -> Vec<RecordRow> {
        rows.retain(|row| self.can_read(row.id()));
        rows.truncate(limit as usize);
        rows
    }

    /// Removes webhooks that cannot be read, with their tasks.
    pub(super) fn readable_routes(&self, mut routes: Routes) -> Routes {
        let there = |record| self.can_read(record);
        routes.webhooks.retain(|w| there(RecordId::Webhook(w.id)));
        routes.tasks.retain(|task| {
            there(RecordId::Task(task.id)) && there(RecordId::Webhook(task.webhook))
        });
        routes.events.retain(|e| there(RecordId::Event(e.id)));
        routes
    }

    /// The same as [`readable_routes`](Self::readable_routes), for changes.
    pub(super) fn take_unreadable(&self, changes: &mut RouteChanges) {
        let there = |record| self.can_read(record);
        for (id, webhook) in &mut changes.webhooks {
            *webhook = webhook.take().filter(|_| there(RecordId::Webhook(*id)));
        }
        for (id, task) in &mut changes.tasks {
            let webhook = |task: &TaskRoute| there(RecordId::Webhook(task.webhook));
            *task = task
                .take()
                .filter(|task| there(RecordId::Task(*id)) && webhook(task));
        }
        for (id, event) in &mut changes.events {
            *event = event.take().filter(|_| there(RecordId::Event(*id)));
        }
    }
}

impl<S: RecordStore> FaultStore<S> {
    /// Returns those of the inner store, then those that the test named; both the oldest first.
    pub(super) async fn unreadable_records(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError> {
        let mut found = self.inner.unreadable(scope, limit).await?;
        let mut named = Vec::new();
        for record in self.with(|state| state.unreadable.clone()) {
            let Some(owner) = self.inner.owner_of(record).await? else {
                continue;
            };
            if self.is_in(owner, scope).await? {
                let reason = REASON.to_owned();
                let row = UnreadableRecord {
                    record,
                    owner,
                    reason,
                };
                named.push((self.created(record).await?, row));
            }
        }
        named.sort_by_key(|(created, row)| (*created, row.record));
        found.extend(named.into_iter().map(|(_, row)| row));
        found.truncate(limit as usize);
        Ok(found)
    }

    async fn created(&self, record: RecordId) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(match record {
            RecordId::Webhook(id) => self.inner.webhook(id).await?.map(|row| row.created),
            RecordId::Task(id) => self.inner.task(id).await?.map(|row| row.created),
            RecordId::Event(id) => self.inner.event(id).await?.map(|row| row.created),
        })
    }

    async fn is_in(&self, owner: OwnerId, scope: Scope) -> Result<bool, StoreError> {
        Ok(match scope {
            Scope::All => true,
            Scope::Owner(asked) => owner == asked,
            Scope::Tenant(tenant) => {
                let row = self.inner.owner(owner).await?;
                row.is_some_and(|row| row.realm == Realm::Tenant(tenant))
            }
        })
    }
}
