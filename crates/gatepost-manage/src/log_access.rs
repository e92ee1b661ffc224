//! The audit log, with authorization.

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
use crate::completion::{Answer, contain};
use crate::error::ManageError;
use crate::visible_rows::{Listed, Whose};

/// A change in the audit log.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LoggedChange {
    /// The number of its entry.
    pub id: AuditId,
    /// The time of the change.
    pub at: DateTime<Utc>,
    /// The owner of the record.
    pub owner: OwnerId,
    /// The user who made the change.
    pub actor: OwnerId,
    /// The API key that the user authenticated with; `None` for a login, and if the caller may not
    /// manage that user.
    pub key: Option<KeyId>,
    /// The client address; `None` if it is unknown, and if the caller may not manage that user: a
    /// tenant must not know the addresses of operators.
    pub from: Option<IpAddr>,
    /// The table of the record: `user_api_keys`, `webhook_urls`, …
    pub table: String,
    /// The id of the record.
    pub row: ObjectId,
    /// The name of the record at that time; empty if it has none.
    pub name: String,
    /// The operation, by the word of its [`Operation`](crate::Operation).
    pub operation: String,
    /// The changes of an edit.
    pub changes: Changes,
}

impl Actor {
    /// Returns whether there is an audit log.
    #[must_use]
    pub fn has_audit_log(&self) -> bool {
        self.door.log.is_some()
    }

    /// Returns how many entries were lost since this process started; `None` without a log, and for
    /// callers who may not see the whole system.
    #[must_use]
    pub fn audit_lost(&self) -> Option<u64> {
        let log = self.door.log.as_ref().filter(|_| self.sees_all())?;
        Some(log.lost())
    }

    /// Returns one page of the changes that match and that the caller may see: users see the
    /// changes of their records, administrators those made in their tenant. The newest changes may
    /// still be missing.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] without an audit log, [`ManageError::TooFast`] if too many lists
    /// of the caller wait; failures of store and accounts.
    pub fn logged_changes<'a>(
        &'a self,
        query: &'a AuditQuery,
    ) -> Answer<'a, Listed<LoggedChange, AuditId>> {
        contain(async move {
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
    }

    /// Returns one change.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], also without an audit log; the errors of
    /// [`logged_changes`](Self::logged_changes).
    pub fn logged_change(&self, id: AuditId) -> Answer<'_, LoggedChange> {
        Box::pin(async move {
            let after = id.0.checked_sub(1).ok_or(ManageError::NotFound)?;
            let query = AuditQuery::all(Page::first(1).beyond(AuditId(after)));
            let found = self.logged_changes(&query).await?.rows.pop();
            let found = found.filter(|change| change.id == id);
            found.ok_or(ManageError::NotFound)
        })
    }

    fn log(&self) -> Result<&AuditLog, ManageError> {
        self.door.log.as_ref().ok_or(ManageError::NotFound)
    }

    /// Returns the changes as the caller may see them.
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
    /// Returns whether there is an audit log.
    #[must_use]
    pub fn has_audit_log(&self) -> bool {
        self.log.is_some()
    }
}
