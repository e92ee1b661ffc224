//! The quotas of each user, with the times of their changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use gatepost_engine::{Engine, EngineError};
use gatepost_ids::{OwnerId, Quota, Quotas};
use gatepost_kv::MemoryStore;
use gatepost_storage::Clock as _;
use gatepost_storage::webhooks::RecordStore as _;
use webhook_model::Webhook;

use super::clock::VirtualClock;
use super::ledger::Ledger;
use super::stage::Stage;

/// The webhooks that a user may have at first: one or two more than exist.
const WEBHOOKS: u64 = 4;
/// The quota of a limited user: the present number of records.
const LIMITED: u64 = 3;
/// The quota of a user whose limit was lifted.
const LIFTED: u64 = 8;

/// A quota with the time from which it applies.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Plan {
    pub from: DateTime<Utc>,
    /// The number of deliveries that may wait; `None` for any number.
    pub waiting: Option<u64>,
    pub webhooks: u64,
}

/// The plans of all users: each user's in order of time. Without any, the first plan applies.
#[derive(Debug)]
pub(super) struct Plans {
    clock: VirtualClock,
    of: Mutex<BTreeMap<OwnerId, Vec<Plan>>>,
}

impl Plans {
    pub(super) fn new(clock: VirtualClock) -> Self {
        Self {
            clock,
            of: Mutex::default(),
        }
    }

    /// Limits a user to this number of waiting deliveries from now on, and to fewer webhooks.
    fn limit(&self, user: u128, waiting: u64) {
        self.put(user, Some(waiting), LIMITED);
    }

    /// Lifts the limit from now on, above the former one.
    fn lift(&self, user: u128) {
        self.put(user, None, LIFTED);
    }

    fn put(&self, user: u128, waiting: Option<u64>, webhooks: u64) {
        let plan = Plan {
            from: self.clock.now(),
            waiting,
            webhooks,
        };
        let mut of = self.of.lock().unwrap();
        of.entry(OwnerId(user)).or_default().push(plan);
    }

    /// Returns all plans of a user, in order of time.
    pub(super) fn of(&self, user: u128) -> Vec<Plan> {
        let of = self.of.lock().unwrap();
        let first = Plan {
            from: DateTime::<Utc>::MIN_UTC,
            waiting: None,
            webhooks: WEBHOOKS,
        };
        let later = of.get(&OwnerId(user)).into_iter().flatten().copied();
        std::iter::once(first).chain(later).collect()
    }

    /// Returns whether the user's waiting deliveries were limited at some moment of this time.
    pub(super) fn was_limited(
        &self,
        user: u128,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> bool {
        let plans = self.of(user);
        plans.iter().enumerate().any(|(at, plan)| {
            let ends = plans.get(at + 1).map(|next| next.from);
            plan.waiting.is_some() && plan.from <= until && ends.is_none_or(|ends| ends >= from)
        })
    }

    fn now(&self, user: u128) -> Plan {
        *self.of(user).last().unwrap()
    }
}

impl Quotas for Plans {
    fn quota(&self, owner: OwnerId) -> Quota {
        quota(self.now(owner.0))
    }
}

/// The plans for a process that never notices that a limit was lifted.
#[derive(Debug)]
pub(super) struct Strictest(pub(super) Arc<Plans>);

impl Quotas for Strictest {
    fn quota(&self, owner: OwnerId) -> Quota {
        let waiting = |plan: &Plan| plan.waiting.unwrap_or(u64::MAX);
        quota(self.0.of(owner.0).into_iter().min_by_key(waiting).unwrap())
    }
}

fn quota(plan: Plan) -> Quota {
    Quota::UNLIMITED
        .with_webhooks(plan.webhooks)
        .with_waiting(plan.waiting.unwrap_or(u64::MAX))
}

/// A request to create a webhook; the quota and the records before and after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creation {
    pub before: Have,
    pub after: Have,
    /// Whether it was stored or refused by the quota; `None` if it failed.
    pub stored: Option<bool>,
}

/// The records of a user, and the quota.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Have {
    pub plan: Plan,
    pub webhooks: u64,
    /// Webhooks that were deleted, or might be.
    pub deleted: usize,
}

impl Stage {
    pub(super) fn limit(&self, user: u128, waiting: u8) {
        self.cluster.ground.plans.limit(user, waiting.into());
    }

    pub(super) fn lift(&self, user: u128) {
        self.cluster.ground.plans.lift(user);
    }

    /// Creates two webhooks of a user at the same time, through two processes.
    pub(super) fn add_webhooks(&self, process: u8, user: u128) {
        for process in [process, process.wrapping_add(1)] {
            let (plans, store) = (
                self.cluster.ground.plans.clone(),
                self.cluster.ground.store.clone(),
            );
            self.ask(process, move |engine, ledger| async move {
                let have = async || have(&plans, &store, &ledger, user).await;
                let before = have().await;
                let stored = create(&engine, user, ledger.nth_creation()).await;
                let after = have().await;
                ledger.creations.lock().unwrap().push(Creation {
                    before,
                    after,
                    stored,
                });
            });
        }
    }
}

async fn have(plans: &Plans, store: &MemoryStore, ledger: &Ledger, user: u128) -> Have {
    let hooks = ledger.hooks.lock().unwrap().clone();
    let deleted = hooks
        .iter()
        .filter(|hook| hook.owner == user && hook.deleted);
    Have {
        plan: plans.now(user),
        webhooks: store.record_usage(OwnerId(user)).await.unwrap().webhooks,
        deleted: deleted.count(),
    }
}

async fn create(engine: &Engine, user: u128, number: u64) -> Option<bool> {
    let name = format!("more{number}").parse().unwrap();
    let url = "http://host0.example/".parse().unwrap();
    let webhook = Webhook::new(OwnerId(user), name, url);
    match engine.create_webhook(&webhook).await {
        Ok(_) => Some(true),
        Err(EngineError::Full { .. }) => Some(false),
        Err(_) => None,
    }
}
