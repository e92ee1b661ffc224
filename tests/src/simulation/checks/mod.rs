//! Checks of every run's results.

mod accepted;
mod credentials;
mod deliveries;
mod endings;
mod endpoints;
mod keys;
mod leases;
mod order;
mod pauses;
mod promise;
mod quotas;
mod schedule;
mod sequence;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{AttemptRecord, Delivery, DeliveryId};
pub use promise::{Breach, Promise};

use super::cluster::Life;
use super::edits::Edits;
use super::leases::Leases;
use super::ledger::{Hook, Ledger};
use super::network::Request;
use super::plans::Plans;
use super::switches::end_killed;

/// The time after which deliveries claimed before an edit, a pause or a cancellation have been
/// sent: their lease has ended by then.
const CLAIMED: TimeDelta = TimeDelta::seconds(60);

/// The results of a run.
pub(super) struct Evidence<'a> {
    pub ledger: &'a Ledger,
    pub plans: &'a Plans,
    pub leases: &'a Leases,
    pub edits: &'a Edits,
    /// The time of failing after which a webhook is disabled.
    pub disable_after: TimeDelta,
    pub seen: &'a [Request],
    pub most_at_once: &'a [usize],
    pub forbidden: &'a [IpAddr],
    pub deliveries: &'a [Delivery],
    /// The recorded attempts of each, the oldest first.
    pub attempts: &'a HashMap<DeliveryId, Vec<AttemptRecord>>,
    /// The delay if the queue did not become empty in time.
    pub late: Option<Duration>,
    /// The largest number of seconds by which a clock was wrong.
    pub jumped: u64,
    /// The times at which one was set, also when it was set right again.
    pub jumps: &'a [DateTime<Utc>],
    /// The times at which processes were killed, by their number.
    pub killed: &'a BTreeMap<u64, DateTime<Utc>>,
    /// The times between which processes ran.
    pub lives: &'a BTreeMap<u64, Life>,
    /// The times between which the store was not well for some process.
    pub store_troubles: &'a [(DateTime<Utc>, DateTime<Utc>)],
    /// The end of the run.
    pub ended: DateTime<Utc>,
    /// Whether no process died, no clock jumped, and the store was well.
    pub calm: bool,
    pub processes: u8,
}

/// Returns the broken promises.
pub(super) fn judge(evidence: &Evidence<'_>) -> Vec<Breach> {
    let mut hooks = evidence.ledger.hooks.lock().unwrap().clone();
    end_killed(&mut hooks, evidence.killed);
    let mut judge = Judge {
        evidence,
        hooks,
        requests: HashMap::new(),
        breaches: Vec::new(),
    };
    for request in evidence.seen {
        judge.requests.entry(&request.id).or_default().push(request);
    }
    judge.accepted();
    judge.once();
    judge.each_delivery();
    judge.schedule();
    judge.rests();
    judge.endpoints();
    judge.leases();
    judge.at_once();
    judge.order();
    judge.sequence();
    judge.credentials();
    judge.quotas();
    judge.keys();
    if let Some(late) = evidence.late {
        judge.breach(Promise::QueueEmpties, format!("late by {late:?}"));
    }
    for address in evidence.forbidden {
        judge.breach(Promise::NothingForbidden, format!("{address} was dialled"));
    }
    judge.breaches
}

/// Collects the broken promises.
struct Judge<'a> {
    evidence: &'a Evidence<'a>,
    hooks: Vec<Hook>,
    requests: HashMap<&'a str, Vec<&'a Request>>,
    breaches: Vec<Breach>,
}

impl<'a> Judge<'a> {
    fn breach(&mut self, promise: Promise, what: impl Into<String>) {
        let what = what.into();
        self.breaches.push(Breach { promise, what });
    }
}
