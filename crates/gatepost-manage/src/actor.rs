//! A caller at the door: what it may do, and how a change is carried out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gatepost_engine::{Engine, EngineError};
use gatepost_keys::{AccessLevel, Authority, OwnerId, Principal, TenantId};
use webhook_model::ObjectId;

use crate::audit::{Audited, Operation};
use crate::error::ManageError;
use crate::finish::{contain, finish};
use crate::management::Management;
use crate::subject::Subject;

/// A caller, and everything that it may do. Cheap to clone.
///
/// Every method judges by the caller's [`Authority`]; a row that the caller may not see answers as
/// one that is not there. A method that changes something runs to its end though its future is
/// dropped, and writes one audit record once the store has committed. A panic of the platform's
/// code or of the store is an error of the call ([`ManageError::Panicked`]).
///
/// Methods must be called within a tokio runtime.
#[derive(Clone, Debug)]
pub struct Actor {
    pub(crate) door: Management,
    pub(crate) principal: Arc<Principal>,
}

impl Management {
    /// The door for this caller.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Actor {
        Actor {
            door: self.clone(),
            principal: Arc::new(principal.clone()),
        }
    }
}

impl Actor {
    /// Who is calling.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Whether the caller may see and change what belongs to this user.
    ///
    /// # Errors
    /// [`ManageError::Accounts`] when the platform cannot say.
    pub async fn may_manage(&self, owner: OwnerId) -> Result<bool, ManageError> {
        contain(self.manages(owner)).await
    }

    /// Carries out an action on a row of a table of the platform's own: to its end, and with an
    /// audit record if it succeeds. The platform itself judges whether the caller may.
    ///
    /// # Errors
    /// [`ManageError::Panicked`]; what the action itself returns is within.
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

    /// Carries out a change: to its end though the caller goes away, with one audit record once it
    /// is done. `work` judges and acts, and returns what it was about with the result.
    pub(crate) async fn change<T, F>(
        &self,
        table: &'static str,
        operation: Operation,
        work: impl FnOnce(Self) -> F + Send + 'static,
    ) -> Result<T, ManageError>
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
        .await
    }

    /// Tells the platform and the audit log. A panic of the platform's is logged: what was done is
    /// done.
    async fn record(&self, table: &'static str, operation: Operation, subject: Subject) {
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

    /// The tenant of a user whose record the caller has just changed.
    async fn tenant_of(&self, owner: OwnerId) -> Option<TenantId> {
        if self.is(owner) || !self.sees_all() {
            // Who is no system administrator changes records in the own tenant alone.
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

    /// What an engine's error about a record of this user is to the caller.
    pub(crate) fn about(&self, owner: OwnerId) -> impl Fn(EngineError) -> ManageError + Copy {
        let is_own = self.is(owner);
        move |error| ManageError::from(error).about(is_own)
    }

    /// Whether this user is the caller.
    pub(crate) fn is(&self, owner: OwnerId) -> bool {
        owner == self.principal.owner
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.door.engine
    }

    /// Whether all rows are this caller's to see.
    pub(crate) fn sees_all(&self) -> bool {
        self.principal.access == AccessLevel::SystemAdministrator
    }
}
