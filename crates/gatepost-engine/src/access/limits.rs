//! An owner's limits.

use gatepost_ids::{Audience, OwnerId, Quota, Realm, WebhookId};
use gatepost_storage::webhooks::{RejectReason, UsageDelta};
use webhook_model::Occurrence;

use super::accounts::Standing;
use super::parts::{Authorizer, Decides};
use super::quotas::{CausedRuns, Headroom};
use super::realms::NOT_CONFIRMED;
use crate::error::EngineError;
use crate::guard::guarded;

/// Changes of records that a system administrator without a tenant makes in a minute: each moves
/// the version of a realm that every occurrence reads. This holds even on a platform without other
/// limits for system administrators.
const OPERATORS_CHANGES: u32 = 10;

impl Authorizer {
    /// Checks the limits before a record of this owner is stored: the platform is asked about the
    /// owner, who is placed in a realm, and must not be too fast. Returns the owner's quota.
    ///
    /// # Errors
    /// `Platform`, `TooFast`, `Store`.
    pub(crate) async fn admit_change(&self, owner: OwnerId) -> Result<Quota, EngineError> {
        let quota = self.quota(owner)?;
        let standing = self.said_of(owner).await?;
        if !self.owners.settle(owner, standing, true).await? {
            return Err(EngineError::Platform(NOT_CONFIRMED.to_owned()));
        }
        if self.is_operator(owner, standing) {
            self.take_change(owner)?;
        }
        Ok(quota)
    }

    /// Checks the rate before a record of this owner is deleted, paused, resumed or given to
    /// another owner, or a task is stored that its run will delete. Only a system administrator
    /// without a tenant can be too fast for it. The platform is not asked: without its answer, too,
    /// all records can be deleted and paused.
    ///
    /// # Errors
    /// `TooFast`, `Store`.
    pub(crate) async fn pace_change(&self, owner: OwnerId) -> Result<(), EngineError> {
        if self.has_tenants() && self.owners.stood(owner).await? == Realm::System {
            self.take_change(owner)?;
        }
        Ok(())
    }

    /// Returns the platform's answer about an owner who changes something. The question counts for
    /// the owner's tenant: changes by many of its users do not delay the questions of another
    /// tenant.
    pub(super) async fn said_of(&self, owner: OwnerId) -> Result<Option<Standing>, EngineError> {
        let tenant = if self.has_tenants() {
            self.owners.stood(owner).await?.tenant()
        } else {
            None
        };
        let standing = self.book.wait_in(owner, tenant).await;
        standing.map_err(|error| EngineError::Platform(error.to_string()))
    }

    /// Returns how many more pending deliveries and bytes this owner may have.
    pub(crate) fn headroom(&self, owner: OwnerId) -> Headroom {
        self.usage.headroom(owner)
    }

    /// Counts stored deliveries of the owner, with messages of this many bytes in all.
    pub(crate) fn stored(&self, owner: OwnerId, deliveries: u64, bytes: u64) {
        self.usage.add(UsageDelta {
            owner,
            waiting: signed(deliveries),
            waiting_bytes: signed(bytes),
            log_bytes: signed(bytes),
        });
    }

    /// Counts deliveries of the owner that are pending again, whose messages of this many bytes are
    /// in the log.
    pub(crate) fn waits_again(&self, owner: OwnerId, deliveries: u64, bytes: u64) {
        self.usage.add(UsageDelta {
            owner,
            waiting: signed(deliveries),
            waiting_bytes: signed(bytes),
            log_bytes: 0,
        });
    }

    /// Counts an ended delivery of the owner, which left this in the log in addition to its
    /// message.
    pub(crate) fn ended(&self, owner: OwnerId, message_bytes: u64, log_bytes: u64) {
        self.usage.add(UsageDelta {
            owner,
            waiting: -1,
            waiting_bytes: signed(message_bytes).saturating_neg(),
            log_bytes: signed(log_bytes),
        });
    }

    /// Notes that a webhook of the owner was deleted, with all of its pending deliveries.
    pub(crate) async fn deleted(&self, owner: OwnerId) {
        if let Err(error) = self.usage.lowered(owner).await {
            guarded(|| tracing::warn!(%owner, %error, "could not count usage"));
        }
    }

    /// Counts the log bytes of an attempt that does not end its delivery.
    pub(crate) fn logged(&self, owner: OwnerId, log_bytes: u64) {
        self.usage.add(UsageDelta {
            owner,
            waiting: 0,
            waiting_bytes: 0,
            log_bytes: signed(log_bytes),
        });
    }

    /// Whether outcomes are kept without responses, and ended deliveries without messages.
    pub(crate) fn log_is_full(&self, owner: OwnerId) -> bool {
        self.usage.log_is_full(owner)
    }

    /// Counts deliveries that were rejected.
    pub(crate) fn rejected(
        &self,
        owner: OwnerId,
        webhook: WebhookId,
        reason: RejectReason,
        count: u64,
    ) {
        self.rejected.add(owner, webhook, reason, count);
    }

    /// Checks the rate before a manual send, run, trigger or replay. A number above the allowance
    /// of a minute is let through if nothing was done in the last minute, and nothing more is until
    /// the rate holds again.
    ///
    /// # Errors
    /// `TooFast`, `Platform`.
    pub(crate) fn run_by_hand(&self, owner: OwnerId, count: u32) -> Result<(), EngineError> {
        let in_a_minute = self.quota(owner)?.runs_per_minute;
        let taken = self.runs.take(owner, count, in_a_minute);
        taken.map_err(|retry_after| EngineError::TooFast { retry_after })
    }

    /// Returns the allowance of an occurrence for tasks of the user who caused it; `None` if no
    /// user did. The platform's catalog says which events users cause, and the audience which user
    /// it was.
    pub(crate) fn caused_runs(&self, occurrence: &Occurrence) -> Option<CausedRuns> {
        let Audience::Owner(owner) = occurrence.audience else {
            return None;
        };
        let catalog = &self.audiences.catalog;
        if !catalog.is_user_caused(&occurrence.event_type, &occurrence.event) {
            return None;
        }
        let quota = self.usage.quota(owner).unwrap_or_default();
        let runs = self.runs.clone();
        Some(CausedRuns::new(runs, owner, quota.runs_per_minute))
    }

    /// Returns how much of the allowance for manual runs in a minute the owner has used, in this
    /// process.
    ///
    /// # Errors
    /// `Platform`: its code panicked.
    pub(crate) fn runs_in_minute(&self, owner: OwnerId) -> Result<u32, EngineError> {
        let in_a_minute = self.quota(owner)?.runs_per_minute;
        Ok(self.runs.used(owner, in_a_minute))
    }

    /// Returns the owner's quota.
    ///
    /// # Errors
    /// `Platform`: its code panicked.
    pub(crate) fn quota(&self, owner: OwnerId) -> Result<Quota, EngineError> {
        let error = || EngineError::Platform("its code panicked when asked for a quota".into());
        self.usage.quota(owner).ok_or_else(error)
    }

    fn take_change(&self, owner: OwnerId) -> Result<(), EngineError> {
        if self.usage.quota(owner) == Some(Quota::UNLIMITED) {
            return Ok(());
        }
        let taken = self.changes.take(owner, 1, OPERATORS_CHANGES);
        taken.map_err(|retry_after| EngineError::TooFast { retry_after })
    }

    fn is_operator(&self, owner: OwnerId, standing: Option<Standing>) -> bool {
        self.has_tenants() && standing.is_some_and(|s| s.place(owner) == Realm::System)
    }

    fn has_tenants(&self) -> bool {
        !matches!(self.decides, Decides::Nobody)
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
