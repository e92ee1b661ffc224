//! Who changed what, for those who may know.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use apikey_core::KeyId;
use chrono::{DateTime, Utc};
use gatepost_engine::EngineError;
use gatepost_keys::OwnerId;
use gatepost_storage::Page;
use gatepost_storage::audit::{AuditId, AuditQuery, AuditRow};
use webhook_model::ObjectId;

use crate::actor::Actor;
use crate::audit_log::AuditLog;
use crate::changes::Changes;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::{Listed, Whose};

/// A change that was carried out, from the audit log.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LoggedChange {
    /// The number of its entry.
    pub id: AuditId,
    /// When.
    pub at: DateTime<Utc>,
    /// Whose record it was.
    pub owner: OwnerId,
    /// The user who did it.
    pub actor: OwnerId,
    /// The API key by which that user came; `None` of a login, and where the caller may not manage
    /// that user.
    pub key: Option<KeyId>,
    /// The address from which; `None` where it is not known, and where the caller may not manage
    /// that user: where an operator sits is not the tenant's to know.
    pub from: Option<IpAddr>,
    /// The table of the record: `user_api_keys`, `webhook_urls`, …
    pub table: String,
    /// The id of the record.
    pub row: ObjectId,
    /// What the record was called then; empty where it has no name.
    pub name: String,
    /// What was done, by the word of its [`Operation`](crate::Operation).
    pub operation: String,
    /// What an edit changed.
    pub changes: Changes,
}

impl Actor {
    /// Whether changes are logged, so that there is a list of them.
    #[must_use]
    pub fn has_audit_log(&self) -> bool {
        self.door.log.is_some()
    }

    /// How many entries of the audit log were not kept since this process began; `None` without a
    /// log and for callers who may not see the whole system.
    #[must_use]
    pub fn audit_lost(&self) -> Option<u64> {
        let log = self.door.log.as_ref().filter(|_| self.sees_all())?;
        Some(log.lost())
    }

    /// One page of the changes that match and that the caller may see: users those of their
    /// records, administrators those that were made in their tenant. What happened a moment ago
    /// may be missing yet.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] when changes are not logged, [`ManageError::TooFast`] where many
    /// lists of the caller wait; failures of store and accounts.
    pub async fn logged_changes(
        &self,
        query: &AuditQuery,
    ) -> Result<Listed<LoggedChange, AuditId>, ManageError> {
        contain(async {
            let log = self.log()?;
            let oldest = log.kept_from();
            let from = query.from.map_or(oldest, |from| from.max(oldest));
            let read = |scope, page| {
                let query = AuditQuery {
                    scope,
                    page,
                    from: Some(from),
                    ..query.clone()
                };
                async move {
                    let found = log.store().list_audit(&query).await;
                    found.map_err(|error| EngineError::Store(Arc::new(error)))
                }
            };
            let whose = |row: &AuditRow| {
                Some(Whose {
                    owner: row.entry.owner,
                    made_in: Some(row.entry.tenant),
                })
            };
            let found = self.listed(query.scope, query.page, |row| row.id, whose, read);
            let Listed { rows, next } = found.await?;
            let rows = self.as_told(rows).await?;
            Ok(Listed { rows, next })
        })
        .await
    }

    /// One change.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], also when changes are not logged; as
    /// [`logged_changes`](Self::logged_changes).
    pub async fn logged_change(&self, id: AuditId) -> Result<LoggedChange, ManageError> {
        let after = id.0.checked_sub(1).ok_or(ManageError::NotFound)?;
        let query = AuditQuery::all(Page::first(1).beyond(AuditId(after)));
        let found = self.logged_changes(&query).await?.rows.pop();
        let found = found.filter(|change| change.id == id);
        found.ok_or(ManageError::NotFound)
    }

    fn log(&self) -> Result<&AuditLog, ManageError> {
        self.door.log.as_ref().ok_or(ManageError::NotFound)
    }

    /// As the caller may know them.
    async fn as_told(&self, rows: Vec<AuditRow>) -> Result<Vec<LoggedChange>, ManageError> {
        let mut authority = self.authority();
        let mut managed: HashMap<OwnerId, bool> = HashMap::new();
        let mut told = Vec::with_capacity(rows.len());
        for AuditRow { id, entry } in rows {
            let may = match managed.get(&entry.actor) {
                Some(may) => *may,
                None => {
                    let may = authority.may_manage(entry.actor).await?;
                    managed.insert(entry.actor, may);
                    may
                }
            };
            told.push(LoggedChange {
                id,
                at: entry.at,
                owner: entry.owner,
                actor: entry.actor,
                key: entry.key.filter(|_| may),
                from: entry.from.filter(|_| may),
                table: entry.table,
                row: entry.row,
                name: entry.name,
                operation: entry.operation,
                changes: Changes::from_stored(&entry.changes),
            });
        }
        Ok(told)
    }
}

impl crate::management::Management {
    /// Whether changes are logged.
    #[must_use]
    pub fn has_audit_log(&self) -> bool {
        self.log.is_some()
    }
}
