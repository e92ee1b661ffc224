//! What was deleted, for those who put a backup back: in it, it is there again.

use apikey_core::KeyId;
use chrono::{DateTime, Utc};
use gatepost_keys::OwnerId;
use gatepost_storage::audit::{AuditId, AuditQuery, AuditRow};
use gatepost_storage::{Page, StoreError};
use webhook_model::ObjectId;

use super::log::AuditLog;
use crate::audit::Operation;
use crate::tables::KEYS;

/// A record that was deleted, as the log knows it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Deletion {
    /// When.
    pub at: DateTime<Utc>,
    /// Whose it was.
    pub owner: OwnerId,
    /// The table of the record: `user_api_keys`, `webhook_urls`, …
    pub table: String,
    /// Its id.
    pub row: ObjectId,
}

impl Deletion {
    /// The key that was deleted; `None` where it was another record.
    #[must_use]
    pub fn key(&self) -> Option<KeyId> {
        let number = self.row.as_number().filter(|_| self.table == KEYS);
        number.map(KeyId)
    }
}

/// The deletions among some entries of the log.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Deletions {
    /// Those, in the order in which they were logged.
    pub deleted: Vec<Deletion>,
    /// The last entry that was read; `None` where there was none to read.
    pub last: Option<AuditId>,
}

impl AuditLog {
    /// What was deleted, by whomever, among the next `limit` entries beyond `after`: read from time
    /// to time and kept apart from the database, it is what
    /// [`KeyStore::delete_keys`](gatepost_storage::KeyStore::delete_keys) needs after a restore.
    /// Entries that wait for the store are waited for, as by [`flush`](Self::flush).
    ///
    /// What was deleted past the door of this crate is not in the log, nor what went with an owner
    /// who was removed.
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
