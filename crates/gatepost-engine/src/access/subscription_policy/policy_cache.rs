//! Asks the platform who may receive what, and keeps the answers for five seconds.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_ids::{Audience, OwnerId, Realm, TagId};
use tokio::time::Instant;
use webhook_model::{Event, EventName, EventType, Occurrence, Target};

use super::question::{Decision, PolicyAnswer, PolicyError, PolicyQuestion, SubscriptionPolicy};
use crate::access::failures::Failures;
use crate::access::keyed_limiter::KeyedLimiter;
use crate::access::quotas::Rates;
use crate::access::single_flight::SingleFlight;
use crate::access::timed_cache::TimedCache;
use crate::guard::{Lent, Silence, guarded, run_now};

/// How long an answer is valid.
const KEPT: Duration = Duration::from_secs(5);
/// How long a failure is remembered: the platform is not asked faster than this.
const FAILURE_KEPT: Duration = Duration::from_secs(1);
/// Questions about events that one user wants to create, per minute, if the answer must be waited
/// for. A form asks some hundred at a time.
const BEFORE_IN_A_MINUTE: u32 = 3_000;
/// The time that a caller over this limit must wait.
const REST: Duration = Duration::from_secs(1);
/// Answers that are kept, each about one user.
pub(super) const MOST: usize = 131_072;

/// A fingerprint of the question: two numbers by secret keys, so that two questions never collide.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(in crate::access) struct Asked(u64, u64);

#[derive(Debug)]
pub(in crate::access) struct PolicyCache {
    platform: Arc<dyn SubscriptionPolicy>,
    /// `None`: the platform gave no answer.
    known: Mutex<TimedCache<(OwnerId, Asked), Option<Decision>>>,
    /// Keyed by the question and its users.
    flights: SingleFlight<(Asked, Asked)>,
    limiter: KeyedLimiter,
    /// The rate of questions before an event is created, which users could ask at any speed.
    before: Rates,
    keys: [RandomState; 2],
    pub(super) failures: Arc<Failures>,
}

/// A question to the platform, for as long as it takes.
#[derive(Clone, Debug)]
pub(in crate::access) struct Question {
    event_type: EventType,
    event: EventName,
    target: Target,
    tags: Vec<TagId>,
    audience: Option<Audience>,
    /// The realm of the occurrence, in whose share of the questions it counts.
    place: Realm,
}

impl Question {
    /// Asks whether users may watch this event.
    pub(in crate::access) fn before(event: &Event, place: Realm) -> Self {
        Self {
            event_type: event.event_type.clone(),
            event: event.event.clone(),
            target: event.target,
            tags: Vec::new(),
            audience: None,
            place,
        }
    }

    /// Asks whether users may receive this occurrence.
    pub(in crate::access) fn of(occurrence: &Occurrence, place: Realm) -> Self {
        let object = occurrence.object.as_ref();
        Self {
            event_type: occurrence.event_type.clone(),
            event: occurrence.event.clone(),
            target: object.map_or(Target::Generic, |object| Target::Instance(object.id)),
            tags: occurrence.tags.clone(),
            audience: Some(occurrence.audience),
            place,
        }
    }

    fn is_before(&self) -> bool {
        self.audience.is_none()
    }

    fn watched(&self) -> PolicyQuestion<'_> {
        PolicyQuestion {
            event_type: &self.event_type,
            event: &self.event,
            target: self.target,
            tags: &self.tags,
            audience: self.audience,
        }
    }
}

impl PolicyCache {
    pub(in crate::access) fn new(
        platform: Arc<dyn SubscriptionPolicy>,
        failures: Arc<Failures>,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform,
            known: Mutex::new(TimedCache::new(KEPT, MOST)),
            flights: SingleFlight::none(),
            limiter: KeyedLimiter::new(),
            before: Rates::new(),
            keys: [RandomState::new(), RandomState::new()],
            failures,
        })
    }

    /// Returns the known answers, after one question about all others; never waits.
    pub(in crate::access) fn now(
        self: &Arc<Self>,
        question: &Question,
        owners: &[OwnerId],
    ) -> Vec<Option<Decision>> {
        let asked = self.asked(&question.watched());
        let (known, unknown) = self.known(asked, owners);
        let key = (asked, self.asked(&unknown));
        if unknown.is_empty() || self.flights.landing(key).is_some() {
            return known;
        }
        run_now(self.clone().ask(question.clone(), unknown, key));
        self.known(asked, owners).0
    }

    /// As [`now`](Self::now); waits for the platform.
    pub(in crate::access) async fn wait(
        self: &Arc<Self>,
        question: &Question,
        owners: &[OwnerId],
        until: Instant,
    ) -> Vec<Option<Decision>> {
        let mut may = self.now(question, owners);
        let asked = self.asked(&question.watched());
        let (_, unknown) = self.known(asked, owners);
        if let Some(landing) = self.flights.landing((asked, self.asked(&unknown))) {
            let _ = tokio::time::timeout_at(until, landing.landed()).await;
            // First answers may be too old by this time.
            for (may, late) in may.iter_mut().zip(self.known(asked, owners).0) {
                *may = may.or(late);
            }
        }
        may
    }

    /// Returns the time after which this user, who asked too much, may be asked about again.
    pub(in crate::access) fn too_fast(&self, owner: OwnerId) -> Option<Duration> {
        let used = self.before.used(owner, BEFORE_IN_A_MINUTE);
        (used >= BEFORE_IN_A_MINUTE).then_some(REST)
    }

    fn may_begin(&self, owners: &[OwnerId]) -> bool {
        let begins = |owner: &OwnerId| self.before.take(*owner, 1, BEFORE_IN_A_MINUTE).is_ok();
        owners.iter().all(begins)
    }

    async fn ask(self: Arc<Self>, question: Question, owners: Vec<OwnerId>, key: (Asked, Asked)) {
        let watched = question.watched();
        let answer = match guarded(|| self.platform.may_receive(&watched, &owners)) {
            None => Err(Silence::Panicked),
            Some(PolicyAnswer::Now(answer)) => Ok(answer),
            Some(PolicyAnswer::Later(future)) => {
                let future = Lent::new(future);
                let Some(_flight) = self.flights.begin(key) else {
                    return;
                };
                let Some(_entered) = self.limiter.try_enter(question.place) else {
                    return;
                };
                if question.is_before() && !self.may_begin(&owners) {
                    return;
                }
                self.learn(key.0, &owners, future.answer().await);
                return;
            }
        };
        self.learn(key.0, &owners, answer);
    }

    fn learn(
        &self,
        asked: Asked,
        owners: &[OwnerId],
        said: Result<Result<Vec<Decision>, PolicyError>, Silence>,
    ) {
        let answer = match said {
            Ok(Ok(may)) if may.len() == owners.len() => Ok(may),
            Ok(Ok(_)) => Err("it must say one thing about each user".to_owned()),
            Ok(Err(error)) => Err(error.0),
            Err(silence) => Err(silence.to_string()),
        };
        if let Err(error) = &answer {
            self.failures.note("watch", error);
        }
        let mut known = self.lock();
        match answer {
            Ok(may) => {
                for (owner, may) in owners.iter().zip(may) {
                    known.put((*owner, asked), Some(may), KEPT);
                }
            }
            Err(_) => {
                for owner in owners {
                    known.put((*owner, asked), None, FAILURE_KEPT);
                }
            }
        }
    }

    /// Returns the known answer about each user, and the users without one.
    fn known(&self, asked: Asked, owners: &[OwnerId]) -> (Vec<Option<Decision>>, Vec<OwnerId>) {
        let known = self.lock();
        let mut unknown = Vec::new();
        let may = owners.iter().map(|owner| {
            let may = known.get((*owner, asked)).copied();
            if may.is_none() {
                unknown.push(*owner);
            }
            may.flatten()
        });
        (may.collect(), unknown)
    }

    fn asked(&self, what: &impl std::hash::Hash) -> Asked {
        let [first, second] = &self.keys;
        Asked(first.hash_one(what), second.hash_one(what))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, TimedCache<(OwnerId, Asked), Option<Decision>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
