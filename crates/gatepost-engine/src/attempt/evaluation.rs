//! Evaluates attempts beyond their deliveries: traces, metrics, the error rate, and webhooks whose
//! attempts all fail. The platform is notified of those, and they are disabled if its policy says
//! so.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use delivery::{Attempt, ErrorClass};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Cause, Disposition, RejectReason, Settlement};
use webhook_model::{OwnerId, WebhookId};

use super::streaks::{FailureStreaks, failing_since};
use crate::activity::Activities;
use crate::config::DisablePolicy;
use crate::guard::guarded;
use crate::health::ErrorRate;
use crate::meter;
use crate::observer::{Notice, Observers};
use crate::routes::Route;
use crate::settle::counted_since;
use crate::trace::Traces;
use crate::troubles::Tried;

/// The time of uninterrupted failures after which the platform is notified, if it set no other.
const NOTIFY_AFTER: TimeDelta = TimeDelta::days(5);
/// The longest time between two attempts of a failing webhook: the first failure is searched this
/// far beyond the limit.
const LONGEST_SILENCE: TimeDelta = TimeDelta::hours(25);
/// The log target by which a platform filters these lines: `gatepost_engine::delivery=warn`.
const LOG: &str = "gatepost_engine::delivery";
/// The status with which a target refuses all further requests.
const GONE: u16 = 410;

#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) error_rate: Arc<ErrorRate>,
    streaks: Arc<FailureStreaks>,
    policy: DisablePolicy,
    observers: Observers,
    pub(crate) activities: Activities,
    pub(crate) traces: Traces,
}

/// The part of a settlement that is evaluated once it is recorded.
#[derive(Debug)]
pub(super) struct Outcome {
    tried: Tried,
    /// The time at which the attempt began.
    at: DateTime<Utc>,
}

impl Watch {
    pub(crate) fn new(
        policy: DisablePolicy,
        observers: Observers,
        activities: Activities,
        traces: Traces,
    ) -> Self {
        Self {
            error_rate: Arc::default(),
            streaks: Arc::default(),
            policy,
            observers,
            activities,
            traces,
        }
    }

    /// Notes that deliveries of a webhook were rejected because of a quota.
    pub(crate) fn rejected(
        &self,
        webhook: WebhookId,
        owner: OwnerId,
        reason: RejectReason,
        count: u64,
    ) {
        self.activities
            .troubles
            .rejected(webhook, owner, reason, count);
    }

    /// Whether the outcome of a delivery with this cause is not reported: an operational event made
    /// it.
    pub(crate) fn is_untold(&self, cause: Option<&Cause>) -> bool {
        self.activities.troubles.made(cause)
    }

    /// Returns the outcome to evaluate once this is recorded; `None` if no attempt was made.
    pub(super) fn outcome(&self, settlement: &Settlement) -> Option<Outcome> {
        let attempt = settlement
            .attempt
            .as_ref()
            .filter(|_| self.activities.troubles.are_told())?;
        let reason = || settlement.status_info.clone();
        let tried = match settlement.disposition {
            Disposition::Sent => Tried::Received,
            Disposition::Retry { .. } => Tried::Failed(reason()),
            Disposition::Failed => Tried::GivenUp(reason()),
            Disposition::Release { .. } => return None,
        };
        Some(Outcome {
            tried,
            at: attempt.started,
        })
    }

    /// Evaluates a recorded outcome.
    pub(super) fn recorded(&self, route: &Route, outcome: &Outcome) {
        let (owner, Outcome { tried, at }) = (route.webhook.owner, outcome);
        self.activities.troubles.note(route.id, owner, tried, *at);
    }

    pub(super) fn note(&self, route: &Route, attempt: &Attempt) {
        let class = attempt.error().map_or("ok", ErrorClass::code);
        meter::attempt_made(class, attempt.duration);
        guarded(|| log(attempt));
        self.error_rate.count(attempt.is_success());
        let who = (route.id, route.webhook.owner);
        self.streaks
            .note(who, attempt.is_success(), attempt.started);
        if attempt.status == Some(GONE) {
            let (webhook, started) = (route.id, attempt.started);
            if self.streaks.gone(who, route.revision, started)
                && !self.observers.notify(Notice::Gone { webhook })
            {
                self.streaks.gone_unreported(webhook);
            }
            if self.policy.on_gone {
                self.disable(webhook, "its target responded with status 410");
            }
        }
    }

    /// Checks after a failed attempt at this time whether all attempts of the webhook have failed
    /// for too long, in whichever process, including earlier runs. Other processes are asked once
    /// when it begins to fail, and again when it would have failed for too long.
    pub(super) async fn authorizer(&self, webhook: WebhookId, at: DateTime<Utc>) {
        let limit = self.policy.after_failing_for;
        let limit = limit.and_then(|limit| TimeDelta::from_std(limit).ok());
        let notify_after = limit.unwrap_or(NOTIFY_AFTER);
        let Some(noted) = self.streaks.due(webhook, at, notify_after) else {
            return;
        };
        let since = match self.failing_since(webhook, noted, at, notify_after).await {
            Ok(since) => since,
            Err(error) => {
                let webhook = webhook.0;
                guarded(|| tracing::warn!(webhook, %error, "not known since when it fails"));
                return;
            }
        };
        let streaks = &self.streaks;
        if streaks.known(webhook, noted, since, at, notify_after) {
            if !self.observers.notify(Notice::Failing { webhook }) {
                streaks.failing_unreported(webhook);
            }
            if limit.is_some() {
                self.disable(webhook, "it did nothing but fail for too long");
            }
        }
    }

    /// Returns since when it has failed. Editing or enabling the webhook restarts the time.
    async fn failing_since(
        &self,
        webhook: WebhookId,
        noted: DateTime<Utc>,
        at: DateTime<Utc>,
        limit: TimeDelta,
    ) -> Result<DateTime<Utc>, StoreError> {
        let store = &*self.activities.core.store;
        let back = at.checked_sub_signed(limit + LONGEST_SILENCE);
        let from = back.unwrap_or(DateTime::UNIX_EPOCH);
        let counts = counted_since(store, webhook, from, at).await?;
        let since = failing_since(&counts, noted, at);
        if at - since < limit {
            return Ok(since);
        }
        let row = store.webhook(webhook).await?;
        Ok(row.map_or(since, |row| since.max(row.modified)))
    }

    fn disable(&self, webhook: WebhookId, reason: &'static str) {
        let (activities, observers) = (self.activities.clone(), self.observers.clone());
        let streaks = self.streaks.clone();
        tokio::spawn(async move {
            let disabled = activities.disable(webhook, reason).await;
            // If it continues to fail, because it could not be disabled or was enabled again, it is
            // disabled again.
            streaks.failing_unreported(webhook);
            // The notice may wait for long; the store need not.
            drop(activities);
            match disabled {
                // No later attempt would give this notice.
                Ok(true) => observers.notify_once(Notice::Disabled { webhook }).await,
                Ok(false) => {}
                Err(error) => {
                    let webhook = webhook.0;
                    guarded(|| tracing::warn!(webhook, %error, "could not disable a webhook"));
                }
            }
        });
    }
}

/// Logs one line for each attempt, within the span of its delivery, which has the other fields. The
/// text of an error is suitable for the owner of a webhook, so for a log as well.
fn log(attempt: &Attempt) {
    let (status, ms) = (attempt.status, attempt.duration.as_millis());
    match attempt.error() {
        None => tracing::info!(target: LOG, status, ms, "delivered"),
        Some(error) => tracing::info!(target: LOG, status, ms, %error, "not delivered"),
    }
}

#[cfg(test)]
mod tests;
