//! The store that passes calls on, and the plan of its faults.

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

/// The way in which a call fails.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The store does nothing, and the caller gets `Unavailable`.
    Refused,
    /// The store does everything, and the caller gets `Unavailable`: a commit whose reply was lost.
    AnswerLost,
    /// The store does nothing for this time, and then refuses the call: a server that does not
    /// respond, and a timeout.
    Hang(Duration),
    /// The store does everything, and the result is delayed by this time.
    Late(Duration),
    /// The store does nothing, and panics.
    Panic,
}

/// A value that passes between a program and its store.
#[derive(Debug)]
#[non_exhaustive]
pub enum Passing<'a> {
    /// A batch to enqueue.
    Enqueue(&'a mut Enqueue),
    /// The end of the lease of a claim.
    Lease(&'a mut DateTime<Utc>),
    /// The claimed deliveries.
    Claimed(&'a mut Vec<Claimed>),
    /// Settlements to store.
    Settle(&'a mut Vec<Settlement>),
    /// The most claims to take back.
    Reclaim(&'a mut u32),
    /// A webhook that was read.
    Webhook(&'a mut Row<WebhookId, Webhook>),
    /// Deliveries that were listed.
    Listed(&'a mut Vec<Delivery>),
    /// The remaining rows of the outbox.
    Open(&'a mut Vec<OpenOutbox>),
    /// An edited record, as it is stored.
    Updated(&'a RecordRow),
    /// Counters that were read, and their query.
    Counters(&'a CounterQuery, &'a mut Counters),
    /// A key that was read, by its row number or its lookup id.
    Key(&'a mut KeyRow),
    /// The generation of a shard of keys.
    KeyGeneration(&'a mut KeyGeneration),
}

/// Passes every call on to another store, except those that must fail.
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

/// Changes a passing value.
pub(super) type Alter = Box<dyn FnMut(Passing<'_>) + Send>;

/// Chooses the fault of a call of this method.
type Decide = Box<dyn FnMut(&'static str) -> Option<Fault> + Send>;

struct Plan {
    method: Option<&'static str>,
    left: u64,
    fault: Fault,
}

impl<S> FaultStore<S> {
    /// Creates a store without faults.
    #[must_use]
    pub fn new(inner: Arc<S>) -> Self {
        Self {
            inner,
            state: Mutex::default(),
            gate: Arc::default(),
        }
    }

    /// Returns the gate that every call passes; by default it holds none.
    #[must_use]
    pub fn gate(&self) -> Arc<Gate> {
        self.gate.clone()
    }

    /// Makes the `nth` call of this method from now on fail, once. The first is 1.
    pub fn fail(&self, method: &'static str, nth: u64, fault: Fault) {
        self.plan(Some(method), nth, fault);
    }

    /// Makes the `nth` call of any method from now on fail, once. The first is 1.
    pub fn fail_any(&self, nth: u64, fault: Fault) {
        self.plan(None, nth, fault);
    }

    /// Calls this function before each later call of a method, to choose its fault, in addition to
    /// other settings. It must not call the store.
    pub fn decide(&self, decide: impl FnMut(&'static str) -> Option<Fault> + Send + 'static) {
        self.with(|state| state.decide = Some(Box::new(decide)));
    }

    /// Applies this change from now on to all values between the program and the queue, to simulate
    /// a program with a fault. It must not call the store.
    pub fn alter(&self, alter: impl FnMut(Passing<'_>) + Send + 'static) {
        self.with(|state| state.alter = Some(Box::new(alter)));
    }

    /// Returns whether the call that had to fail has been made.
    pub fn has_failed(&self) -> bool {
        self.with(|state| state.failed)
    }

    /// Returns the number of calls so far.
    pub fn calls(&self) -> u64 {
        self.with(|state| state.calls.values().sum())
    }

    /// Returns the number of calls of this method so far.
    pub fn calls_of(&self, method: &str) -> u64 {
        self.with(|state| state.calls.get(method).copied().unwrap_or_default())
    }

    /// Returns the number of claims that [`QueueStore::reclaim`] has taken back, including calls
    /// whose result was lost.
    ///
    /// [`QueueStore::reclaim`]: gatepost_storage::webhooks::QueueStore::reclaim
    pub fn lost_claims(&self) -> u64 {
        self.with(|state| state.lost_claims)
    }

    /// Sets whether every call is refused.
    pub fn set_down(&self, down: bool) {
        self.with(|state| state.down = down);
    }

    /// Sets whether every call of this method is refused.
    pub fn set_refused(&self, method: &'static str, refused: bool) {
        self.with(|state| {
            if refused {
                state.refused.insert(method);
            } else {
                state.refused.remove(method);
            }
        });
    }

    /// Refuses from now on, as `Corrupt`, every call that settles this delivery.
    pub fn set_poison(&self, delivery: DeliveryId) {
        self.with(|state| state.poison = Some(delivery));
    }

    /// Returns the webhooks and tasks by which deliveries were listed since the last call.
    pub fn looked_up(&self) -> BTreeSet<RecordId> {
        self.with(|state| std::mem::take(&mut state.looked_up))
    }

    /// Sets the time that the server's clock shows from now on.
    pub fn set_server_time(&self, time: DateTime<Utc>) {
        self.set_server_clock(Arc::new(ManualClock::at(time)));
    }

    /// Sets the server's clock from now on.
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
