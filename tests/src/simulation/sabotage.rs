//! Engines with one fault each: the checks must find them.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::Clock as _;
use gatepost_storage::webhooks::{
    ClaimToken, Disposition, Enqueue, NewDelivery, Origin, Precondition,
};
use gatepost_testkit::fault::{Fault, Passing};
use webhook_model::{Activity, Webhook, WebhookId};

use super::checks::Promise;
use super::clock::VirtualClock;
use super::notices::Said;

/// Seconds of a lease, which lasts 40; timeouts are 3 to 10.
const MOST_OF_A_LEASE: u32 = 35;

/// One way to be wrong.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Sabotage {
    /// Deliveries are not stored, and the caller gets no error.
    DropsDeliveries,
    /// Ids of occurrences are ignored.
    ForgetsIds,
    /// A one-time task is not deleted with the delivery that it makes.
    KeepsOneTimeTasks,
    /// Decisions are stored whatever has changed since, and one-time tasks stay.
    ForgetsTheBasis,
    /// A lease lasts a second.
    ShortLeases,
    /// Claims of processes that died are not taken back.
    NeverReclaims,
    /// Settlements name a claim that has ended.
    WrongToken,
    /// Every response counts as success.
    AllIsWell,
    /// The next attempt is due immediately.
    RetriesAtOnce,
    /// Bytes of a message change between two attempts.
    AltersBodies,
    /// Deliveries of one webhook go to another.
    MixesWebhooksUp,
    /// All addresses may be dialled.
    DialsAnything,
    /// The order of deliveries is ignored.
    ForgetsOrder,
    /// Webhooks show the credentials that they had when they were first read.
    KeepsCredentials,
    /// All deliveries are stored, whatever the platform allows.
    ForgetsQuotas,
    /// A lifted limit continues to apply.
    KeepsLimits,
    /// A key never expires.
    KeysNeverEnd,
    /// Changes of keys by other processes are ignored.
    ForgetsKeyChanges,
    /// A delivery that failed once is given up without a reason.
    GivesUpSilently,
    /// A delivery that failed once is given up.
    GivesUpEarly,
    /// The next attempt is due after half of its delay.
    HalvesDelays,
    /// The next attempt is due an hour late.
    RetriesLate,
    /// An edit resumes a paused webhook.
    EditsResume,
    /// Cancelled deliveries continue to wait.
    ForgetsCancels,
    /// A webhook that must keep the order from now on does not.
    ForgetsSwitches,
    /// Waiting rows of the outbox are ignored when something is stored.
    OvertakesOutbox,
    /// A stored lease ends long before that on which requests rely.
    OverstatesLeases,
    /// A process counts only its own attempts of a webhook.
    CountsAlone,
    /// Attempts before a process began are ignored.
    CountsFromStart,
    /// Successes are ignored, only failures count.
    ForgetsSuccesses,
    /// No owner is notified that a webhook has recovered.
    ForgetsRecoveries,
    /// No engine has a fault here: one of three claims is answered when most of its lease is over.
    AnswersClaimsLate,
}

impl Sabotage {
    /// All faults, each with a promise that it breaks.
    pub const ALL: [(Self, Promise); 31] = [
        (Self::DropsDeliveries, Promise::NothingIsLost),
        (Self::ForgetsIds, Promise::OncePerOccurrence),
        (Self::KeepsOneTimeTasks, Promise::OnceIsOnce),
        (Self::ForgetsTheBasis, Promise::OnceIsOnce),
        (Self::ShortLeases, Promise::RepeatsAreAccountedFor),
        (Self::NeverReclaims, Promise::QueueEmpties),
        (Self::WrongToken, Promise::RepeatsAreAccountedFor),
        (Self::AllIsWell, Promise::StatesTellTheTruth),
        (Self::RetriesAtOnce, Promise::NothingIsEarly),
        (Self::AltersBodies, Promise::BytesAreTheSame),
        (Self::MixesWebhooksUp, Promise::WallsHold),
        (Self::DialsAnything, Promise::NothingForbidden),
        (Self::ForgetsOrder, Promise::OrderIsKept),
        (Self::KeepsCredentials, Promise::CredentialsAreCurrent),
        (Self::ForgetsQuotas, Promise::QuotasHold),
        (Self::KeepsLimits, Promise::NothingIsLost),
        (Self::KeysNeverEnd, Promise::RolledKeysEnd),
        (Self::ForgetsKeyChanges, Promise::RolledKeysEnd),
        (Self::GivesUpSilently, Promise::StatesTellTheTruth),
        (Self::GivesUpEarly, Promise::NothingIsGivenUpEarly),
        (Self::HalvesDelays, Promise::ScheduleIsKept),
        (Self::RetriesLate, Promise::ScheduleIsKept),
        (Self::EditsResume, Promise::PausesHold),
        (Self::ForgetsCancels, Promise::CancelsHold),
        (Self::ForgetsSwitches, Promise::OrderIsKept),
        (Self::OvertakesOutbox, Promise::SequenceIsKept),
        (Self::OverstatesLeases, Promise::LeasesOutlastRequests),
        (Self::CountsAlone, Promise::EndpointStatesAreTrue),
        (Self::CountsFromStart, Promise::EndpointStatesAreTrue),
        (Self::ForgetsSuccesses, Promise::EndpointStatesAreTrue),
        (Self::ForgetsRecoveries, Promise::EndpointStatesAreTrue),
    ];

    /// Returns the fault that it causes in a call of this method, with or after the `nth` claim.
    pub(super) fn fault(self, method: &str, nth: u64) -> Option<Fault> {
        let is_late = self == Self::AnswersClaimsLate && method == "claim";
        let late = Duration::from_secs(MOST_OF_A_LEASE.into());
        (is_late && nth.is_multiple_of(3)).then_some(Fault::Late(late))
    }

    /// Changes the values that pass in one process.
    pub(super) fn altering(self, clock: VirtualClock) -> impl FnMut(Passing<'_>) + Send + 'static {
        let mut first: HashMap<WebhookId, Webhook> = HashMap::new();
        let began = clock.now();
        move |passing| match (self, passing) {
            (Self::KeepsCredentials, Passing::Webhook(row)) => {
                let first = first.entry(row.id).or_insert_with(|| row.value.clone());
                row.value.authorization = first.authorization.clone();
                row.value.signing = first.signing.clone();
            }
            (Self::EditsResume, Passing::Webhook(row)) => row.value.activity = Activity::Active,
            (Self::CountsFromStart, Passing::Counters(_, counters)) => {
                counters.hourly.retain(|count| count.hour >= began);
            }
            (_, passing) => self.alter(passing, clock.now()),
        }
    }

    fn alter(self, passing: Passing<'_>, now: DateTime<Utc>) {
        match (self, passing) {
            (Self::ForgetsKeyChanges, Passing::KeyGeneration(generation)) => generation.0 = 0,
            (Self::OvertakesOutbox, Passing::Open(rows)) => rows.clear(),
            (Self::CountsAlone, Passing::Counters(_, counters)) => counters.hourly.clear(),
            (Self::ForgetsSuccesses, Passing::Counters(_, counters)) => {
                counters
                    .hourly
                    .iter_mut()
                    .for_each(|count| count.last_sent = None);
            }
            (Self::ForgetsRecoveries, Passing::Enqueue(batch)) => {
                let said = |new: &NewDelivery| new.cause.as_ref().and_then(Said::of);
                batch
                    .deliveries
                    .retain(|new| said(new) != Some(Said::Recovered));
            }
            (Self::DropsDeliveries, Passing::Enqueue(batch)) => batch.deliveries.clear(),
            (Self::ForgetsIds, Passing::Enqueue(batch)) => match &mut batch.origin {
                Origin::Outbox { occurrence, .. } => *occurrence = None,
                origin => *origin = Origin::Direct,
            },
            (Self::KeepsOneTimeTasks, Passing::Enqueue(batch)) => batch.consume.clear(),
            (Self::ForgetsTheBasis, Passing::Enqueue(batch)) => {
                batch.precondition = Precondition::Nothing;
                batch.consume.clear();
            }
            (Self::ShortLeases, Passing::Lease(until)) => *until = now + Duration::from_secs(1),
            (Self::ShortLeases, Passing::Enqueue(batch)) => {
                leases(batch).for_each(|until| *until = now + Duration::from_secs(1));
            }
            (Self::OverstatesLeases, Passing::Lease(until)) => {
                *until -= TimeDelta::seconds(MOST_OF_A_LEASE.into());
            }
            (Self::OverstatesLeases, Passing::Enqueue(batch)) => {
                let early = TimeDelta::seconds(MOST_OF_A_LEASE.into());
                leases(batch).for_each(|until| *until -= early);
            }
            (Self::NeverReclaims, Passing::Reclaim(limit)) => *limit = 0,
            (Self::MixesWebhooksUp, Passing::Enqueue(batch)) => {
                batch
                    .deliveries
                    .iter_mut()
                    .for_each(|d| d.webhook = WebhookId(1));
            }
            (Self::AltersBodies, Passing::Claimed(claimed)) => {
                for claimed in claimed.iter_mut().filter(|one| one.delivery.attempts > 0) {
                    claimed.delivery.body = format!("{} ", claimed.delivery.body).into();
                }
            }
            (_, Passing::Settle(settlements)) => {
                for settlement in settlements {
                    match (self, &mut settlement.disposition) {
                        (Self::WrongToken, _) => settlement.claim.token = ClaimToken(-1),
                        (Self::AllIsWell, end) => *end = Disposition::Sent,
                        (Self::RetriesAtOnce, Disposition::Retry { due }) => *due = now,
                        (Self::HalvesDelays, Disposition::Retry { due }) => {
                            *due = now + (*due - now) / 2;
                        }
                        (Self::RetriesLate, Disposition::Retry { due }) => {
                            *due += Duration::from_secs(3_600);
                        }
                        (Self::GivesUpEarly, end @ Disposition::Retry { .. }) => {
                            *end = Disposition::Failed;
                        }
                        (Self::GivesUpSilently, end @ Disposition::Retry { .. }) => {
                            *end = Disposition::Failed;
                            settlement.status_info.clear();
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the ends of the leases that will be stored.
fn leases(batch: &mut Enqueue) -> impl Iterator<Item = &mut DateTime<Utc>> {
    let new = batch.deliveries.iter_mut();
    new.filter_map(|new| new.lease_until.as_mut())
}
