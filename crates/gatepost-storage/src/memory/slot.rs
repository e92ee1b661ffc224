//! A delivery, and how its claims end.

use chrono::{DateTime, Utc};

use super::rows::micros;
use crate::webhooks::{
    AttemptRecord, ClaimToken, Delivery, DeliveryState, Disposition, FETCHED_INFO, Lane, LaneClass,
    MAX_LOST_CLAIMS, Settled, Settlement, lost_claims_info,
};

/// A delivery with what only the store knows of it.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) delivery: Delivery,
    /// The claim given last; valid while `running`.
    pub(super) token: Option<ClaimToken>,
    /// The token under which it was last settled.
    pub(super) settled: Option<ClaimToken>,
    /// Whether a claim of it was lost and no attempt was made since.
    pub(super) alone: bool,
    pub(super) log: Vec<AttemptRecord>,
}

impl Slot {
    pub(super) fn lane(&self) -> Lane {
        let class = match self.delivery.tries {
            _ if self.alone => LaneClass::Alone,
            0 => LaneClass::First,
            _ => LaneClass::Retry,
        };
        Lane {
            webhook: self.delivery.webhook,
            class,
        }
    }

    /// Bytes of the message, of the heads of requests and of the responses.
    pub(super) fn bytes(&self) -> u64 {
        let attempts = self.log.iter().map(AttemptRecord::kept_bytes);
        self.delivery.body.len() as u64 + attempts.sum::<u64>()
    }

    pub(super) fn end(&mut self, reason: &str) {
        self.settled = None;
        self.delivery.state = DeliveryState::Error;
        reason.clone_into(&mut self.delivery.status_info);
    }

    pub(super) fn settle(&mut self, settlement: Settlement) -> Settled {
        let token = Some(settlement.claim.token);
        if self.delivery.state != DeliveryState::Running || self.token != token {
            return if self.settled == token {
                Settled::Done
            } else {
                Settled::Stale
            };
        }
        self.settled = token;
        let delivery = &mut self.delivery;
        delivery.lease_until = None;
        delivery.status_info = settlement.status_info;
        if let Some(attempt) = settlement.attempt {
            self.attempted(attempt);
        }
        let (state, due) = settlement.disposition.state_and_due();
        self.delivery.state = state;
        self.delivery.due = due.map_or(self.delivery.due, micros);
        if state.is_final() && !settlement.keep_message {
            self.forget_message();
        }
        // What is given back is as it was before the claim.
        self.alone &= matches!(settlement.disposition, Disposition::Release { .. });
        Settled::Done
    }

    /// Its receiver has fetched it.
    pub(super) fn fetch(&mut self, keep_message: bool, now: DateTime<Utc>) {
        self.settled = None;
        self.alone = false;
        self.attempted(AttemptRecord::fetched(now));
        self.delivery.state = DeliveryState::Sent;
        FETCHED_INFO.clone_into(&mut self.delivery.status_info);
        if !keep_message {
            self.forget_message();
        }
    }

    fn attempted(&mut self, mut attempt: AttemptRecord) {
        let before = u32::try_from(self.log.len()).unwrap_or(u32::MAX);
        attempt.number = before.saturating_add(1);
        attempt.started = micros(attempt.started);
        let delivery = &mut self.delivery;
        delivery.attempts = attempt.number;
        delivery.tries = delivery.tries.saturating_add(1);
        delivery.class.clone_from(&attempt.class);
        delivery.last_attempt = Some(attempt.started);
        delivery.response_status = attempt.status;
        delivery.duration = Some(attempt.duration);
        self.log.push(attempt);
    }

    fn forget_message(&mut self) {
        self.delivery.body = "".into();
        self.delivery.message_kept = false;
    }

    /// Takes a delivery back from a worker that died.
    pub(super) fn reclaim(&mut self, now: DateTime<Utc>) -> DeliveryState {
        self.delivery.lease_until = None;
        self.delivery.lost_claims += u32::from(self.alone);
        self.alone = true;
        if self.delivery.lost_claims >= MAX_LOST_CLAIMS {
            self.end(&lost_claims_info());
        } else {
            self.delivery.state = DeliveryState::Queued;
            self.delivery.due = micros(now);
        }
        self.delivery.state
    }
}
