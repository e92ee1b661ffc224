//! A claimed delivery that is sent next.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Claim, Disposition, MessageId, QueueClass, Settlement};
use webhook_model::TraceContext;

use crate::admission::Permit;
use crate::routes::Route;

/// The message for the receiver.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub id: MessageId,
    pub body: Arc<str>,
    /// The trace that it belongs to; once an attempt has begun, the position of its span.
    pub trace: Option<TraceContext>,
}

#[derive(Debug)]
pub(crate) struct Job {
    pub claim: Claim,
    pub claimed: DateTime<Utc>,
    /// The end of the lease: no request begins after it, as another process may then have the
    /// delivery.
    pub lease_until: DateTime<Utc>,
    pub message: Outgoing,
    /// The webhook at the revision of the claim.
    pub route: Arc<Route>,
    /// The queue in which it waited, and to which it returns if it is not sent.
    pub class: QueueClass,
    /// Earlier attempts of this delivery.
    pub attempts: u32,
    /// Earlier attempts since it was last enqueued or replayed.
    pub tries: u32,
    /// The result of the last attempt: kept if this claim is given back.
    pub status_info: String,
    pub permit: Permit,
    /// Its outcome is not reported: an operational event made it.
    pub untold: bool,
}

impl Job {
    /// Whether nothing else may begin before its outcome is recorded.
    pub(super) fn is_one_at_a_time(&self) -> bool {
        self.route.is_in_order() || matches!(self.class, QueueClass::Lost | QueueClass::Quarantine)
    }

    /// Returns the bytes of the message, if this is its first attempt.
    pub(super) fn new_bytes(&self) -> u64 {
        match self.attempts {
            0 => self.message.body.len() as u64,
            _ => 0,
        }
    }

    /// Returns the settlement of a claim that was not used.
    pub(super) fn given_back_until(&self, due: DateTime<Utc>) -> Settlement {
        Settlement {
            claim: self.claim,
            disposition: Disposition::Release { due },
            status_info: self.status_info.clone(),
            attempt: None,
            keep_message: true,
        }
    }
}
