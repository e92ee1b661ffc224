//! The store that passes calls on, and its plan.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::keys::{KeyGeneration, KeyRow};
use gatepost_storage::webhooks::{
    Claimed, CounterQuery, Counters, Delivery, DeliveryId, Enqueue, OpenOutbox, RecordId,
    RecordRow, Settlement,
};
use gatepost_storage::{Clock, ErrorKind, ManualClock, Row, StoreError};
use webhook_model::{Webhook, WebhookId};

use super::gate::Gate;

/// How a call fails.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing is done, and the caller gets `Unavailable`.
    Refused,
    /// Everything is done, and the caller gets `Unavailable`: a commit whose reply was lost.
    AnswerLost,
    /// Nothing is done for this long, and then the call is refused: a server that does not respond,
    /// and a timeout.
    Hang(Duration),
    /// Everything is done, and the result comes this much later.
    Late(Duration),
    /// Nothing is done, and the store panics.
    Panic,
}

/// A value that passes between a program and its store.
#[derive(Debug)]
#[non_exhaustive]
pub enum Passing<'a> {
    /// To be enqueued.
    Enqueue(&'a mut Enqueue),
    /// The end of the lease of a claim.
    Lease(&'a mut DateTime<Utc>),
    /// The claimed deliveries.
    Claimed(&'a mut Vec<Claimed>),
    /// To be settled.
    Settle(&'a mut Vec<Settlement>),
    /// The most claims to take back.
    Reclaim(&'a mut u32),
    /// A webhook that was read.
    Webhook(&'a mut Row<WebhookId, Webhook>),
    /// Deliveries that were listed.
    Listed(&'a mut Vec<Delivery>),
    /// The remaining rows of the outbox.
    Open(&'a mut Vec<OpenOutbox>),
    /// A record that was edited, as it is stored.
    Updated(&'a RecordRow),
    /// Counters that were read, and by which query.
    Counters(&'a CounterQuery, &'a mut Counters),
    /// A key that was read, by its row number or its lookup id.
    Key(&'a mut KeyRow),
    /// The generation of a shard of keys.
    KeyGeneration(&'a mut KeyGeneration),
}

/// Passes every call on to another store, except those that are to fail.
pub struct FaultStore<S> {
    pub(super) inner: Arc<S>,
    state: Mutex<State>,
    gate: Arc<Gate>,
}

#[derive(Default)]
pub(super) struct State {
    plan: Option<Plan>,
    decide: Option<Decide>,
    pub(super) alter: Option<Alter>,
    calls: HashMap<&'static str, u64>,
    failed: bool,
    pub(super) down: bool,
    refused: HashSet<&'static str>,
    pub(super) poison: Option<DeliveryId>,
    pub(super) unreadable: BTreeSet<RecordId>,
    pub(super) looked_up: BTreeSet<RecordId>,
    pub(super) server_clock: Option<Arc<dyn Clock>>,
    pub(super) lost_claims: u64,
}

/// Changes what passes.
pub(super) type Alter = Box<dyn FnMut(Passing<'_>) + Send>;

/// Says what is to go wrong with a call of this method.
type Decide = Box<dyn FnMut(&'static str) -> Option<Fault> + Send>;

struct Plan {
    method: Option<&'static str>,
    left: u64,
    fault: Fault,
}

impl<S> FaultStore<S> {
    /// A store that does not fail yet.
    #[must_use]
    pub fn new(inner: Arc<S>) -> Self {
        Self {
            inner,
            state: Mutex::default(),
            gate: Arc::default(),
        }
    }

    /// The gate that every call passes; it holds none until it is asked to.
    #[must_use]
    pub fn gate(&self) -> Arc<Gate> {
        self.gate.clone()
    }

    /// Lets the `nth` call of this method from now on fail, once. The first is 1.
    pub fn fail(&self, method: &'static str, nth: u64, fault: Fault) {
        self.plan(Some(method), nth, fault);
    }

    /// Lets the `nth` call from now on fail, of whichever method, once. The first is 1.
    pub fn fail_any(&self, nth: u64, fault: Fault) {
        self.plan(None, nth, fault);
    }

    /// Calls this function before each later call of a method, to choose its fault, in addition to
    /// other settings. It must not call the store.
    pub fn decide(&self, decide: impl FnMut(&'static str) -> Option<Fault> + Send + 'static) {
        self.with(|state| state.decide = Some(Box::new(decide)));
    }

    /// Lets this change from now on what passes between the program and the queue: what a program
    /// would do that is wrong in some way. It must not call the store.
    pub fn alter(&self, alter: impl FnMut(Passing<'_>) + Send + 'static) {
        self.with(|state| state.alter = Some(Box::new(alter)));
    }

    /// Whether the call that was to fail has been made.
    pub fn has_failed(&self) -> bool {
        self.with(|state| state.failed)
    }

    /// How many calls there were so far.
    pub fn calls(&self) -> u64 {
        self.with(|state| state.calls.values().sum())
    }

    /// How many of them were of this method.
    pub fn calls_of(&self, method: &str) -> u64 {
        self.with(|state| state.calls.get(method).copied().unwrap_or_default())
    }

    /// Claims that [`QueueStore::reclaim`] took back so far, also where its result was lost.
    ///
    /// [`QueueStore::reclaim`]: gatepost_storage::webhooks::QueueStore::reclaim
    pub fn lost_claims(&self) -> u64 {
        self.with(|state| state.lost_claims)
    }

    /// Refuses every call while it is down.
    pub fn set_down(&self, down: bool) {
        self.with(|state| state.down = down);
    }

    /// Refuses every call of this method until it is allowed again.
    pub fn set_refused(&self, method: &'static str, refused: bool) {
        self.with(|state| {
            if refused {
                state.refused.insert(method);
            } else {
                state.refused.remove(method);
            }
        });
    }

    /// Refuses from now on, as `Corrupt`, every call that would settle this delivery.
    pub fn set_poison(&self, delivery: DeliveryId) {
        self.with(|state| state.poison = Some(delivery));
    }

    /// The webhooks and tasks by which deliveries were listed since this was last asked.
    pub fn looked_up(&self) -> BTreeSet<RecordId> {
        self.with(|state| std::mem::take(&mut state.looked_up))
    }

    /// Sets the time that the server's clock shows from now on.
    pub fn set_server_time(&self, time: DateTime<Utc>) {
        self.set_server_clock(Arc::new(ManualClock::at(time)));
    }

    /// The server's clock from now on.
    pub fn set_server_clock(&self, clock: Arc<dyn Clock>) {
        self.with(|state| state.server_clock = Some(clock));
    }

    fn plan(&self, method: Option<&'static str>, left: u64, fault: Fault) {
        let plan = Plan {
            method,
            left,
            fault,
        };
        self.with(|state| {
            state.failed = false;
            state.plan = Some(plan);
        });
    }

    pub(super) fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn altered(&self, passing: Passing<'_>) {
        self.with(|state| {
            if let Some(alter) = state.alter.as_mut() {
                alter(passing);
            }
        });
    }

    /// Returns the fault of this call.
    pub(super) fn fault(&self, method: &'static str) -> Option<Fault> {
        self.with(|state| {
            *state.calls.entry(method).or_default() += 1;
            if state.down || state.refused.contains(method) {
                return Some(Fault::Refused);
            }
            if let Some(fault) = state.decide.as_mut().and_then(|decide| decide(method)) {
                return Some(fault);
            }
            let plan = state.plan.as_mut()?;
            if plan.method.is_some_and(|planned| planned != method) {
                return None;
            }
            plan.left = plan.left.saturating_sub(1);
            if plan.left > 0 {
                return None;
            }
            let fault = plan.fault;
            state.plan = None;
            state.failed = true;
            Some(fault)
        })
    }

    pub(super) async fn call<T>(
        &self,
        method: &'static str,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.gate.call(method, self.faulty(method, call)).await
    }

    async fn faulty<T>(
        &self,
        method: &'static str,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match self.fault(method) {
            None => call.await,
            Some(Fault::Refused) => Err(away()),
            Some(Fault::AnswerLost) => call.await.and_then(|_| Err(away().in_doubt())),
            Some(Fault::Hang(time)) => {
                tokio::time::sleep(time).await;
                Err(away())
            }
            Some(Fault::Late(time)) => {
                let answer = call.await;
                tokio::time::sleep(time).await;
                answer
            }
            Some(Fault::Panic) => panic!("the store panics on command"),
        }
    }
}

impl<S> fmt::Debug for FaultStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FaultStore")
    }
}

pub(super) fn away() -> StoreError {
    StoreError::new(ErrorKind::Unavailable, "the test says so")
}
