//! Records that cannot be read, as a store has them that keeps bytes.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{RecordId, RecordStore as _, Routes, UnreadableRecord};
use gatepost_storage::{Page, Scope, StoreError};

use super::mutant::{Mutant, Result};

impl Mutant {
    /// Lets a record be unreadable from now on.
    pub(crate) fn spoil(&self, record: RecordId) {
        self.notes().spoilt.insert(record);
    }

    pub(super) fn is_spoilt(&self, record: RecordId) -> bool {
        self.notes().spoilt.contains(&record)
    }

    pub(super) fn readable(&self, record: RecordId) -> Result<()> {
        if self.is_spoilt(record) {
            return Err(StoreError::corrupt("record", "spoilt"));
        }
        Ok(())
    }

    /// What is left of a page that was read longer than asked for.
    pub(super) fn whole_page<R>(
        &self,
        rows: Vec<R>,
        limit: u32,
        record: impl Fn(&R) -> RecordId,
    ) -> Result<Vec<R>> {
        if self.is(&["d09-list"]) {
            rows.iter().try_for_each(|row| self.readable(record(row)))?;
        }
        let rows = rows.into_iter();
        let readable = rows.filter(|row| !self.is_spoilt(record(row)));
        Ok(readable.take(limit as usize).collect())
    }

    /// The page to read, of which some rows may be left out.
    pub(super) fn longer<I>(&self, page: Page<I>) -> Page<I> {
        let more = u32::try_from(self.notes().spoilt.len()).unwrap();
        Page {
            limit: page.limit + more,
            ..page
        }
    }

    pub(super) fn readable_routes(&self, routes: &mut Routes) -> Result<()> {
        if self.is(&["d09-routes"]) {
            let mut tasks = routes.tasks.iter();
            tasks.try_for_each(|task| self.readable(RecordId::Task(task.id)))?;
        }
        let there = |record| !self.is_spoilt(record);
        routes.webhooks.retain(|w| there(RecordId::Webhook(w.id)));
        routes.tasks.retain(|t| there(RecordId::Task(t.id)));
        routes.events.retain(|e| there(RecordId::Event(e.id)));
        Ok(())
    }

    pub(super) async fn spoilt(&self, scope: Scope, limit: u32) -> Result<Vec<UnreadableRecord>> {
        let all: Vec<RecordId> = self.notes().spoilt.iter().copied().collect();
        let mut found = Vec::new();
        for record in all.into_iter().filter(|_| !self.is(&["d09"])) {
            let owner = self.inner.owner_of(record).await?;
            let wanted = |owner: &OwnerId| scope == Scope::All || scope == Scope::Owner(*owner);
            found.extend(owner.filter(wanted).map(|owner| UnreadableRecord {
                record,
                owner,
                reason: "spoilt".to_owned(),
            }));
        }
        found.truncate(limit as usize);
        Ok(found)
    }
}
