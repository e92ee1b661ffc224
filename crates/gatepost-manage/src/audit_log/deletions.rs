//! Deleted records in the log, for the time after a backup was restored, which contains them again.

use apikey_core::KeyId;
use chrono::{DateTime, Utc};
use gatepost_keys::OwnerId;
use gatepost_storage::audit::{AuditId, AuditQuery, AuditRow};
use gatepost_storage::{Page, StoreError};
use webhook_model::ObjectId;

use super::log::AuditLog;
use crate::audit::Operation;
use crate::tables::KEYS;

/// A deleted record in the log.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Deletion {
    /// The time of the deletion.
    pub at: DateTime<Utc>,
    /// The owner of the record.
    pub owner: OwnerId,
    /// The table of the record: `user_api_keys`, `webhook_urls`, …
    pub table: String,
    /// Its id.
    pub row: ObjectId,
}

impl Deletion {
    /// Returns the deleted key; `None` for another record.
    #[must_use]
    pub fn key(&self) -> Option<KeyId> {
        let number = self.row.as_number().filter(|_| self.table == KEYS);
        number.map(KeyId)
    }
}

/// The deletions in a part of the log.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Deletions {
    /// The deletions, in the order in which they were logged.
    pub deleted: Vec<Deletion>,
    /// The last entry that was read; `None` if there was none.
    pub last: Option<AuditId>,
}

impl AuditLog {
    /// Returns the deletions by any user among the next `limit` entries after `after`. A platform
    /// that reads them regularly and stores them outside of the database has the arguments for
    /// [`KeyStore::delete_keys`](gatepost_storage::KeyStore::delete_keys) after a restore. The call
    /// waits for entries that are not stored yet, as [`flush`](Self::flush) does.
    ///
    /// The log does not contain deletions that bypassed this crate, nor records that were removed
    /// with their owner.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn deletions(
        &self,
        after: Option<AuditId>,
        limit: u32,
    ) -> Result<Deletions, StoreError> {
        self.flush().await;
        let page = Page {
            after,
            ..Page::first(limit)
        };
        let rows = self.0.store.list_audit(&AuditQuery::all(page)).await?;
        let last = rows.last().map(|row| row.id);
        let deleted = rows.into_iter().filter_map(deletion).collect();
        Ok(Deletions { deleted, last })
    }
}

fn deletion(row: AuditRow) -> Option<Deletion> {
    let entry = row.entry;
    (entry.operation == Operation::Delete.as_str()).then_some(Deletion {
        at: entry.at,
        owner: entry.owner,
        table: entry.table,
        row: entry.row,
    })
}
