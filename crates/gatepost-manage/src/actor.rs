//! A caller of `Management`: permissions, and the execution of changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gatepost_engine::{Engine, EngineError};
use gatepost_keys::{AccessLevel, Authority, OwnerId, Principal, TenantId};
use webhook_model::ObjectId;

use crate::audit::{Audited, Operation};
use crate::completion::{Answer, contain, finish};
use crate::error::ManageError;
use crate::management::Management;
use crate::subject::Subject;

/// A caller with all operations. Cheap to clone.
///
/// Every method checks the caller's [`Authority`]; a row that the caller may not see is reported as
/// missing. A method that changes something completes even if its future is dropped, and writes one
/// audit record after the store has committed. A panic of the platform's code or of the store is an
/// error of the call ([`ManageError::Panicked`]).
///
/// Methods must be called within a tokio runtime.
#[derive(Clone, Debug)]
pub struct Actor {
    pub(crate) door: Management,
    pub(crate) principal: Arc<Principal>,
}

impl Management {
    /// Returns the operations for this caller.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Actor {
        Actor {
            door: self.clone(),
            principal: Arc::new(principal.clone()),
        }
    }
}

impl Actor {
    /// Returns the caller.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Returns whether the caller may see and change the records of this user.
    ///
    /// # Errors
    /// [`ManageError::Accounts`] if the platform's lookup fails.
    pub fn may_manage(&self, owner: OwnerId) -> Answer<'_, bool> {
        contain(self.manages(owner))
    }

    /// Executes an action on a row of the platform's own table. It completes even if the caller
    /// disconnects, and writes an audit record if it succeeds. The platform itself must check the
    /// caller's permission.
    ///
    /// # Errors
    /// [`ManageError::Panicked`]; the result of the action itself is inside.
    pub async fn platform_act<T, E>(
        &self,
        table: &'static str,
        row: ObjectId,
        action: &'static str,
        act: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<Result<T, E>, ManageError>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let actor = self.clone();
        finish(async move {
            let result = act.await;
            if result.is_ok() {
                let subject = Subject::new(row, actor.principal.owner, "");
                actor
                    .record(table, Operation::Platform(action), subject)
                    .await;
            }
            Ok(result)
        })
        .await
    }

    /// Executes a change, which completes even if the caller disconnects, and writes one audit
    /// record afterwards. `work` checks permissions, makes the change, and returns its subject with
    /// the result.
    pub(crate) fn change<T, F>(
        &self,
        table: &'static str,
        operation: Operation,
        work: impl FnOnce(Self) -> F + Send + 'static,
    ) -> Answer<'static, T>
    where
        T: Send + 'static,
        F: Future<Output = Result<(Subject, T), ManageError>> + Send + 'static,
    {
        let actor = self.clone();
        finish(async move {
            let (subject, done) = work(actor.clone()).await?;
            actor.record(table, operation, subject).await;
            Ok(done)
        })
    }

    /// Notifies the platform and the audit log. A panic of the platform is logged; the change
    /// persists.
    pub(crate) async fn record(&self, table: &'static str, operation: Operation, subject: Subject) {
        let row = subject.row;
        let change = Audited::new(&self.principal, table, Some(row), operation).about(&subject);
        let told = catch_unwind(AssertUnwindSafe(|| self.door.audit.record(&change)));
        if told.is_err() {
            tracing::error!(table, %row, %operation, "the audit log panicked");
        }
        if let Some(log) = &self.door.log {
            let tenant = self.tenant_of(subject.owner).await;
            let at = log.now();
            log.record(change.entry(at, subject.owner, tenant)).await;
        }
    }

    /// Returns the tenant of a user whose record the caller has just changed.
    async fn tenant_of(&self, owner: OwnerId) -> Option<TenantId> {
        if self.is(owner) || !self.sees_all() {
            // Only system administrators change records in other tenants.
            return self.principal.tenant;
        }
        match self.door.account(owner).await {
            Ok(account) => account?.tenant,
            Err(error) => {
                tracing::warn!(%error, %owner, "an audit entry is in no tenant");
                None
            }
        }
    }

    pub(crate) async fn manages(&self, owner: OwnerId) -> Result<bool, ManageError> {
        Ok(self.authority().may_manage(owner).await?)
    }

    pub(crate) fn authority(&self) -> Authority<'_> {
        self.door.keys.authority(&self.principal)
    }

    /// Converts an engine's error about a record of this user.
    pub(crate) fn about(&self, owner: OwnerId) -> impl Fn(EngineError) -> ManageError + Copy {
        let is_own = self.is(owner);
        move |error| ManageError::from(error).about(is_own)
    }

    /// Returns whether this user is the caller.
    pub(crate) fn is(&self, owner: OwnerId) -> bool {
        owner == self.principal.owner
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.door.engine
    }

    /// Returns whether the caller may see all rows.
    pub(crate) fn sees_all(&self) -> bool {
        self.principal.access == AccessLevel::SystemAdministrator
    }
}
