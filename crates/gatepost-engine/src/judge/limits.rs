//! How much an owner may have and do.

use gatepost_ids::{Audience, OwnerId, Quota, Realm, WebhookId};
use gatepost_storage::webhooks::{DropReason, UsageDelta};
use webhook_model::Occurrence;

use super::accounts::Standing;
use super::parts::{Decides, Judge};
use super::places::NOT_CONFIRMED;
use super::quotas::{CausedRuns, Headroom};
use crate::error::EngineError;
use crate::guard::guarded;

/// Changes of records that an operator makes in a minute: each moves the version of a place that
/// every occurrence reads. A platform that limits an operator in nothing does not want this either.
const OPERATORS_CHANGES: u32 = 10;

impl Judge {
    /// Before a record of this owner is stored: the platform is asked about the owner, who is
    /// placed, and may not be too fast. Returns how much the owner may have.
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

    /// Before a record of this owner is deleted, paused, resumed or given to another owner, or a
    /// task is stored that its run will delete. Nobody but an operator can be too fast for it. The
    /// platform is not asked: without its answer, too, all can be deleted and paused.
    ///
    /// # Errors
    /// `TooFast`, `Store`.
    pub(crate) async fn pace_change(&self, owner: OwnerId) -> Result<(), EngineError> {
        if self.has_tenants() && self.owners.stood(owner).await? == Realm::System {
            self.take_change(owner)?;
        }
        Ok(())
    }

    /// What the platform says of an owner who changes something. It is a question of the owner's
    /// tenant: what many of its users change keeps no other tenant from being asked about.
    pub(super) async fn said_of(&self, owner: OwnerId) -> Result<Option<Standing>, EngineError> {
        let tenant = if self.has_tenants() {
            self.owners.stood(owner).await?.tenant()
        } else {
            None
        };
        let standing = self.book.wait_in(owner, tenant).await;
        standing.map_err(|error| EngineError::Platform(error.to_string()))
    }

    /// How many more deliveries and bytes may wait for this owner now.
    pub(crate) fn headroom(&self, owner: OwnerId) -> Headroom {
        self.usage.headroom(owner)
    }

    /// Deliveries of the owner were stored, with messages of this many bytes in all.
    pub(crate) fn stored(&self, owner: OwnerId, deliveries: u64, bytes: u64) {
        self.usage.add(UsageDelta {
            owner,
            waiting: signed(deliveries),
            waiting_bytes: signed(bytes),
            log_bytes: signed(bytes),
        });
    }

    /// Deliveries of the owner wait again, whose messages of this many bytes are in the log.
    pub(crate) fn waits_again(&self, owner: OwnerId, deliveries: u64, bytes: u64) {
        self.usage.add(UsageDelta {
            owner,
            waiting: signed(deliveries),
            waiting_bytes: signed(bytes),
            log_bytes: 0,
        });
    }

    /// A delivery of the owner ended, and left this in the log beyond its message.
    pub(crate) fn ended(&self, owner: OwnerId, message_bytes: u64, log_bytes: u64) {
        self.usage.add(UsageDelta {
            owner,
            waiting: -1,
            waiting_bytes: signed(message_bytes).saturating_neg(),
            log_bytes: signed(log_bytes),
        });
    }

    /// A webhook of the owner was deleted, with all that waited for it.
    pub(crate) async fn deleted(&self, owner: OwnerId) {
        if let Err(error) = self.usage.lowered(owner).await {
            guarded(|| tracing::warn!(%owner, %error, "could not count usage"));
        }
    }

    /// An attempt that does not end its delivery left this in the log.
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

    /// Deliveries that were not stored.
    pub(crate) fn rejected(
        &self,
        owner: OwnerId,
        webhook: WebhookId,
        reason: DropReason,
        count: u64,
    ) {
        self.rejected.add(owner, webhook, reason, count);
    }

    /// Before messages are sent, tasks run, events triggered or deliveries replayed by hand. More
    /// at once than a minute allows is let through if nothing was done in the last minute, and
    /// nothing more is until the rate holds again.
    ///
    /// # Errors
    /// `TooFast`, `Platform`.
    pub(crate) fn run_by_hand(&self, owner: OwnerId, count: u32) -> Result<(), EngineError> {
        let in_a_minute = self.quota(owner)?.runs_per_minute;
        let taken = self.runs.take(owner, count, in_a_minute);
        taken.map_err(|retry_after| EngineError::TooFast { retry_after })
    }

    /// What an occurrence may run of the tasks of the user who caused it; `None` if no user did.
    /// The platform's catalog says which events users cause, and the audience which user it was.
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

    /// How much of what may be run by hand in a minute the owner has run, in this process.
    ///
    /// # Errors
    /// `Platform`: its code panicked.
    pub(crate) fn runs_in_minute(&self, owner: OwnerId) -> Result<u32, EngineError> {
        let in_a_minute = self.quota(owner)?.runs_per_minute;
        Ok(self.runs.used(owner, in_a_minute))
    }

    /// How much the owner may have and do.
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
