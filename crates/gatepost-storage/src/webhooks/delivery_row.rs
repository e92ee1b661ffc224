//! The effect of enqueues, claims, settlements and the calls of the log on a delivery: the rules of
//! [`QueueStore`](super::QueueStore) and [`DeliveryLog`](super::DeliveryLog) for a backend that
//! keeps a delivery in one row. The backend must select the deliveries that may be claimed.

use chrono::{DateTime, SubsecRound as _, Utc};
use gatepost_ids::{OwnerId, TenantId};

use super::delivery::{AttemptRecord, Delivery, DeliveryId, DeliveryState};
use super::end_reason::EndReason;
use super::queue::{ClaimToken, Disposition, NewDelivery, Settled, Settlement};
use super::queues::{QueueClass, WebhookQueue};
use super::waiting::{ChangedDelivery, IfWaiting, WaitingChange};

/// A delivery with the metadata that only the store knows. A backend that stores messages
/// separately leaves `body` empty, and removes the message once `message_kept` is false.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct DeliveryRow {
    /// The delivery.
    pub delivery: Delivery,
    /// The token of the last claim; valid while the delivery is `running`.
    pub token: Option<ClaimToken>,
    /// The token under which a repeated settlement is `Done`.
    pub settled: Option<ClaimToken>,
    /// Whether the delivery is quarantined ([`QueueClass::Lost`] or [`QueueClass::Quarantine`]): a
    /// claim of it was lost, and it has not been settled since, or only released.
    pub lost: bool,
    /// The stored bytes of the requests and responses of its attempts.
    pub kept_bytes: u64,
}

impl DeliveryRow {
    /// Creates a delivery of an owner who is in this tenant. `token` is set if `new` is leased.
    #[must_use]
    pub fn enqueued(
        id: DeliveryId,
        new: NewDelivery,
        (owner, tenant): (OwnerId, Option<TenantId>),
        token: Option<ClaimToken>,
        now: DateTime<Utc>,
    ) -> Self {
        let state = match new.lease_until {
            Some(_) => DeliveryState::Running,
            None => DeliveryState::Queued,
        };
        Self {
            delivery: Delivery {
                id,
                message_id: new.message_id,
                webhook: new.webhook,
                owner,
                tenant,
                task: new.task,
                cause: new.cause,
                body: new.body,
                message_kept: true,
                state,
                class: String::new(),
                status_info: String::new(),
                created: micros(now),
                due: micros(new.due),
                lease_until: new.lease_until.map(micros),
                last_attempt: None,
                attempts: 0,
                tries: 0,
                lost_claims: 0,
                response_status: None,
                duration: None,
            },
            token,
            settled: None,
            lost: false,
            kept_bytes: 0,
        }
    }

    /// Returns the queue in which it waits, or waited before it was claimed.
    #[must_use]
    pub fn queue(&self) -> WebhookQueue {
        let class = match self.delivery.tries {
            _ if self.lost => QueueClass::after_losses(self.delivery.lost_claims),
            0 => QueueClass::First,
            _ => QueueClass::Retry,
        };
        WebhookQueue {
            webhook: self.delivery.webhook,
            class,
        }
    }

    /// Assigns it to the holder of this token.
    pub fn claim(&mut self, token: ClaimToken, lease_until: DateTime<Utc>) {
        self.token = Some(token);
        self.delivery.state = DeliveryState::Running;
        self.delivery.lease_until = Some(micros(lease_until));
    }

    /// Ends a claim. Returns the attempt, if one was made, with its number; the caller must store
    /// it in the log.
    ///
    /// # Errors
    /// The result to return if nothing changes: the claim was settled before, or is not valid.
    pub fn settle(&mut self, settlement: Settlement) -> Result<Option<AttemptRecord>, Settled> {
        let token = Some(settlement.claim.token);
        if self.delivery.state != DeliveryState::Running || self.token != token {
            let repeated = self.settled == token;
            return Err(if repeated {
                Settled::Done
            } else {
                Settled::Stale
            });
        }
        let attempt = settlement.attempt.map(|attempt| self.attempted(attempt));
        let (state, due) = settlement.disposition.state_and_due();
        let delivery = &mut self.delivery;
        delivery.lease_until = None;
        delivery.status_info = settlement.status_info;
        delivery.state = state;
        delivery.due = due.map_or(delivery.due, micros);
        if state.is_final() && !settlement.keep_message {
            self.forget_message();
        }
        self.settled = token;
        // A released delivery is as it was before the claim.
        self.lost &= matches!(settlement.disposition, Disposition::Release { .. });
        Ok(attempt)
    }

    /// Changes the delivery if it waits and matches the condition. Returns the reported change, and
    /// the attempt to store in the log. The caller must count a
    /// [cancelled](WaitingChange::Cancelled) delivery as failed.
    pub fn change_waiting(
        &mut self,
        asked: IfWaiting,
        change: &WaitingChange,
        now: DateTime<Utc>,
    ) -> Option<(ChangedDelivery, Option<AttemptRecord>)> {
        let delivery = &self.delivery;
        let is_asked = delivery.state == DeliveryState::Queued
            && asked
                .webhook
                .is_none_or(|webhook| webhook == delivery.webhook)
            && asked
                .attempts
                .is_none_or(|attempts| attempts == delivery.attempts)
            && (*change != WaitingChange::Due || delivery.due > now);
        if !is_asked {
            return None;
        }
        let changed = ChangedDelivery {
            delivery: delivery.id,
            webhook: delivery.webhook,
            owner: delivery.owner,
            bytes: delivery.body.len() as u64,
        };
        let mut attempt = None;
        match change {
            WaitingChange::Fetched { keep_messages } => {
                attempt = Some(self.fetch(*keep_messages, now));
            }
            WaitingChange::Cancelled { reason } => self.fail(reason),
            WaitingChange::Due => self.delivery.due = micros(now),
        }
        Some((changed, attempt))
    }

    /// Ends it after its receiver fetched it.
    fn fetch(&mut self, keep_message: bool, now: DateTime<Utc>) -> AttemptRecord {
        let attempt = self.attempted(AttemptRecord::fetched(now));
        self.end(DeliveryState::Sent, EndReason::Fetched.as_str());
        self.lost = false;
        if !keep_message {
            self.forget_message();
        }
        attempt
    }

    /// Takes it back after its lease expired. It is quarantined, or it has ended in `error`, and
    /// the caller must count it as failed.
    pub fn reclaim(&mut self, now: DateTime<Utc>) -> DeliveryState {
        self.delivery.lease_until = None;
        self.delivery.lost_claims += u32::from(self.lost);
        self.lost = true;
        if self.delivery.lost_claims >= Delivery::MAX_LOST_CLAIMS {
            self.fail(EndReason::LostClaims.as_str());
        } else {
            self.delivery.state = DeliveryState::Queued;
            self.delivery.due = micros(now);
        }
        self.delivery.state
    }

    /// Ends it in `error` without an attempt: it was cancelled, has expired, or its owner moved.
    pub fn fail(&mut self, reason: &str) {
        self.end(DeliveryState::Error, reason);
    }

    /// Returns whether a replay sends it again.
    #[must_use]
    pub fn can_be_replayed(&self) -> bool {
        self.delivery.state.is_final() && self.delivery.message_kept
    }

    /// Queues it again.
    pub fn replay(&mut self, now: DateTime<Utc>) {
        self.settled = None;
        self.lost = false;
        let delivery = &mut self.delivery;
        delivery.state = DeliveryState::Queued;
        delivery.due = micros(now);
        delivery.tries = 0;
        delivery.lost_claims = 0;
        delivery.status_info.clear();
    }

    /// Ends it without a settlement: earlier settlements can no longer be repeated.
    fn end(&mut self, state: DeliveryState, info: &str) {
        self.settled = None;
        self.delivery.state = state;
        info.clone_into(&mut self.delivery.status_info);
    }

    /// Numbers an attempt and updates the summary of attempts.
    fn attempted(&mut self, mut attempt: AttemptRecord) -> AttemptRecord {
        let delivery = &mut self.delivery;
        delivery.attempts = delivery.attempts.saturating_add(1);
        delivery.tries = delivery.tries.saturating_add(1);
        attempt.number = delivery.attempts;
        attempt.started = micros(attempt.started);
        delivery.class.clone_from(&attempt.class);
        delivery.last_attempt = Some(attempt.started);
        delivery.response_status = attempt.status;
        delivery.duration = Some(attempt.duration);
        self.kept_bytes = self.kept_bytes.saturating_add(attempt.kept_bytes());
        attempt
    }

    fn forget_message(&mut self) {
        self.delivery.body = "".into();
        self.delivery.message_kept = false;
    }
}

fn micros(time: DateTime<Utc>) -> DateTime<Utc> {
    time.trunc_subsecs(6)
}

#[cfg(test)]
mod tests;
