//! Asks the platform about its users. An answer is valid for five seconds, and is used for a minute
//! while the next one is waited for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_ids::{Account, AccountAnswer, Accounts, AccountsError, OwnerId, Realm, TenantId};
use tokio::sync::mpsc;

use super::status::{Answer, Standing};
use crate::access::failures::Failures;
use crate::access::keyed_limiter::KeyedLimiter;
use crate::access::single_flight::SingleFlight;
use crate::access::timed_cache::TimedCache;
use crate::guard::{Lent, Silence, guarded, run_now};

/// How long an answer is valid.
const KEPT: Duration = Duration::from_secs(5);
/// How much longer it is used while its successor is asked for.
const USED: Duration = Duration::from_secs(55);
/// How long a failure is remembered: the platform is not asked faster than this.
const FAILURE_KEPT: Duration = Duration::from_secs(1);
/// Users whose answers are kept.
pub(super) const MOST: usize = 65_536;
/// Changed answers that wait to be compared with the store.
pub(super) const NEWS: usize = 4_096;

/// Users with changed answers, to be compared with the store.
pub(in crate::access) type News = mpsc::Receiver<OwnerId>;

#[derive(Debug)]
pub(in crate::access) struct AccountBook {
    platform: Arc<dyn Accounts>,
    pub(in crate::access) one_system: bool,
    known: Mutex<TimedCache<OwnerId, KnownAccount>>,
    flights: SingleFlight<OwnerId>,
    limiter: KeyedLimiter,
    news: mpsc::Sender<OwnerId>,
    pub(in crate::access) failures: Arc<Failures>,
}

#[derive(Debug)]
struct KnownAccount {
    answer: Answer,
    /// Whether the store agrees.
    settled: bool,
}

impl AccountBook {
    pub(in crate::access) fn new(
        platform: Arc<dyn Accounts>,
        one_system: bool,
        failures: Arc<Failures>,
    ) -> (Arc<Self>, News) {
        let (news, receiver) = mpsc::channel(NEWS);
        let book = Self {
            platform,
            one_system,
            known: Mutex::new(TimedCache::new(USED, MOST)),
            flights: SingleFlight::none(),
            limiter: KeyedLimiter::new(),
            news,
            failures,
        };
        (Arc::new(book), receiver)
    }

    /// Returns the known answer, after asking if there is none; never waits.
    pub(in crate::access) fn now(self: &Arc<Self>, owner: OwnerId) -> Option<Answer> {
        self.now_in(owner, None)
    }

    /// As [`now`](Self::now), for work of this tenant, which the question counts for if the user's
    /// own tenant is not known.
    pub(in crate::access) fn now_in(
        self: &Arc<Self>,
        owner: OwnerId,
        tenant: Option<TenantId>,
    ) -> Option<Answer> {
        let answer = self.ask_now(owner, tenant);
        answer.or_else(|| self.last(owner).map(|standing| Ok(Some(standing))))
    }

    /// Returns the platform's answer; waits for it.
    pub(in crate::access) async fn wait(self: &Arc<Self>, owner: OwnerId) -> Answer {
        self.wait_in(owner, None).await
    }

    /// As [`now_in`](Self::now_in); waits for it.
    pub(in crate::access) async fn wait_in(
        self: &Arc<Self>,
        owner: OwnerId,
        tenant: Option<TenantId>,
    ) -> Answer {
        loop {
            if let Some(answer) = self.ask_now(owner, tenant) {
                return answer;
            }
            if let Some(answer) = self.landed(owner).await {
                return answer;
            }
            // Others may have asked again and forgotten the answer before it was read here; their
            // answer is as good. Each of them forgets once, so this ends.
            if self.flights.landing(owner).is_none() {
                return Err("too many questions are waiting for it".into());
            }
        }
    }

    /// Returns the valid answer, after asking if there is none.
    fn ask_now(self: &Arc<Self>, owner: OwnerId, tenant: Option<TenantId>) -> Option<Answer> {
        let known = self.known(owner);
        if known.is_some() || self.flights.landing(owner).is_some() {
            return known;
        }
        run_now(self.clone().ask(owner, tenant));
        self.known(owner)
    }

    /// Returns the known answer after a question under way has ended; does not ask.
    pub(in crate::access) async fn landed(&self, owner: OwnerId) -> Option<Answer> {
        if let Some(landing) = self.flights.landing(owner) {
            landing.landed().await;
        }
        self.known(owner)
    }

    /// As [`wait`](Self::wait), with an answer to a question that was asked after this call.
    pub(in crate::access) async fn ask_again(self: &Arc<Self>, owner: OwnerId) -> Answer {
        self.forget(owner);
        if let Some(landing) = self.flights.landing(owner) {
            landing.landed().await;
            self.forget(owner);
        }
        self.wait(owner).await
    }

    /// Returns the known answer, if it is not older than five seconds.
    pub(in crate::access) fn known(&self, owner: OwnerId) -> Option<Answer> {
        let known = self.lock();
        known.get(owner).map(|known| known.answer.clone())
    }

    /// Forgets the answer, so that the platform is asked next time and its answer counts as
    /// changed.
    fn forget(&self, owner: OwnerId) {
        self.lock().forget(owner);
    }

    /// Queues the owner to be compared with the store, which may differ.
    pub(in crate::access) fn tell(&self, owner: OwnerId) {
        // If the queue is full, the next answer queues it again.
        let _ = self.news.try_send(owner);
    }

    /// Notes that the store agrees with the platform's answer. Until it does, each answer counts as
    /// changed.
    pub(in crate::access) fn settled(&self, owner: OwnerId, standing: Option<Standing>) {
        if let Some(known) = self.lock().last_mut(owner) {
            known.settled = known.answer == Ok(standing);
        }
    }

    /// Asks the platform. Ends immediately if the platform answers immediately. Otherwise it
    /// continues only if no other question about this user is under way.
    async fn ask(self: Arc<Self>, owner: OwnerId, tenant: Option<TenantId>) {
        let answer = match guarded(|| self.platform.account(owner)) {
            None => Err(Silence::Panicked),
            Some(AccountAnswer::Now(answer)) => Ok(answer),
            Some(AccountAnswer::Later(future)) => {
                let future = Lent::new(future);
                let Some(_flight) = self.flights.begin(owner) else {
                    return;
                };
                let tenant = self.last(owner).map_or(tenant, |last| last.tenant);
                let place = tenant.map_or(Realm::Solo(owner), Realm::Tenant);
                let Some(_entered) = self.limiter.enter(place).await else {
                    return;
                };
                self.learn(owner, future.answer().await);
                return;
            }
        };
        self.learn(owner, answer);
    }

    fn learn(&self, owner: OwnerId, said: Result<Result<Option<Account>, AccountsError>, Silence>) {
        let answer = match said {
            // The account holds the platform's own values, which may panic when they are dropped.
            Ok(Ok(Some(account))) => {
                let standing = Standing::of(&account, self.one_system).map(Some);
                guarded(|| drop(account));
                standing
            }
            Ok(Ok(None)) => Ok(None),
            Ok(Err(error)) => Err(error.0.into()),
            Err(silence) => Err(silence.to_string().into()),
        };
        let time = if answer.is_ok() { KEPT } else { FAILURE_KEPT };
        if let Err(error) = &answer {
            self.failures.note("accounts", error);
        }
        let mut known = self.lock();
        let settled = known
            .last(owner)
            .is_some_and(|k| k.settled && k.answer == answer);
        if answer.is_ok() && !settled {
            self.tell(owner);
        }
        known.put(owner, KnownAccount { answer, settled }, time);
    }

    /// Returns the platform's last answer about a user who exists.
    fn last(&self, owner: OwnerId) -> Option<Standing> {
        let known = self.lock();
        *known.last(owner)?.answer.as_ref().ok()?
    }

    fn lock(&self) -> MutexGuard<'_, TimedCache<OwnerId, KnownAccount>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(in crate::access) fn count(&self) -> usize {
        self.lock().count()
    }
}
