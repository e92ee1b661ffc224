//! The leases that the store records.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use gatepost_storage::Clock as _;
use gatepost_storage::webhooks::MessageId;
use gatepost_testkit::fault::Passing;

use super::clock::VirtualClock;

/// A lease.
#[derive(Clone, Copy, Debug)]
struct Lease {
    /// The true time at which it was stored.
    given: DateTime<Utc>,
    until: DateTime<Utc>,
}

/// The leases of each message, in the order of time.
#[derive(Debug)]
pub(super) struct Leases {
    clock: VirtualClock,
    of: Mutex<HashMap<String, Vec<Lease>>>,
}

impl Leases {
    pub(super) fn new(clock: VirtualClock) -> Self {
        Self {
            clock,
            of: Mutex::default(),
        }
    }

    /// Records the leases that pass between a process and the store.
    pub(super) fn watching(self: Arc<Self>) -> impl FnMut(Passing<'_>) + Send + 'static {
        move |passing| match passing {
            Passing::Enqueue(batch) => {
                for new in &batch.deliveries {
                    self.note(&new.message_id, new.lease_until);
                }
            }
            Passing::Claimed(claimed) => {
                for one in &*claimed {
                    self.note(&one.delivery.message_id, one.delivery.lease_until);
                }
            }
            _ => {}
        }
    }

    fn note(&self, message: &MessageId, until: Option<DateTime<Utc>>) {
        let Some(until) = until else { return };
        let given = self.clock.now();
        let mut of = self.of.lock().unwrap();
        let all = of.entry(message.as_str().to_owned()).or_default();
        all.push(Lease { given, until });
    }

    /// Returns the end of the last lease that was given before a request of this message came.
    pub(super) fn end(&self, message: &str, came: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let of = self.of.lock().unwrap();
        let mut before = of.get(message)?.iter().rev();
        let last = before.find(|lease| lease.given <= came)?;
        Some(last.until)
    }
}
