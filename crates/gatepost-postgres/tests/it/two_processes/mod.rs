//! Two processes on one schema: the first enqueues, and the second makes a change while that
//! enqueue is stopped between its check and its insert.
//!
//! The change may wait for the enqueue or not. It must not return if something that contradicts it
//! appears afterwards.

mod foreign;
mod gate;
mod in_order;
mod kinds;
mod linear;
mod moves;
mod numbers;
mod pauses;
mod refusals;
mod removal;

use gatepost_ids::{OwnerId, Realm};
use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_storage::{OwnerStore as _, Page};
use gatepost_testkit::fixtures::{UNLIMITED, at, settlement_of, task};
use tokio::time::timeout;
use webhook_model::{TaskId, WebhookId};

use self::gate::{Gate, Stop};
use self::kinds::{BY_REALM, KINDS, Kind};
use crate::common::claim_all;
use crate::locks::{SOON, Two, two};

/// The result of an enqueue during which a call was made.
struct Raced {
    /// The deliveries that the enqueue stored; none if it was refused.
    stored: Vec<StoredDelivery>,
    /// The deliveries that the second process listed as soon as its call had returned.
    shown: Vec<DeliveryId>,
}

/// Two processes. The webhook of the first tenant has a task, and its enqueues can be stopped.
struct Race {
    two: Two,
    task: TaskId,
    gate: Gate,
}

impl Race {
    async fn new() -> Self {
        let two = two().await;
        let mut stays = task(two.of_one);
        stays.delete_after_run = false;
        let task = two.a.insert_task(&stays, UNLIMITED, at(0)).await;
        let task = task.unwrap().id;
        let gate = Gate::install(&two.place).await;
        Self { two, task, gate }
    }

    /// Enqueues this in the first process and stops it; calls in the second one; then lets the
    /// enqueue continue.
    async fn run<F>(&self, batch: Enqueue, call: impl FnOnce(PostgresStore) -> F) -> Raced
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.run_at(Stop::BeforeInsert, batch, call).await
    }

    /// Does the same with another point at which the enqueue stops.
    async fn run_at<F>(
        &self,
        stop: Stop,
        batch: Enqueue,
        call: impl FnOnce(PostgresStore) -> F,
    ) -> Raced
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (a, b) = (self.two.a.clone(), self.two.b.clone());
        self.gate.close(stop).await;
        let enqueue = tokio::spawn(async move { a.enqueue(batch, at(0)).await });
        let stopped = self.gate.stopped(&enqueue).await;
        let call = call(b.clone());
        let call = tokio::spawn(async move {
            call.await;
            listed(&b).await
        });
        self.gate.give_time(stopped, &call).await;
        self.gate.open().await;
        let shown = timeout(SOON, call).await.expect("the call still waits");
        let stored = timeout(SOON, enqueue).await.expect("forgotten");
        Raced {
            stored: stored_by(stored.unwrap().unwrap()),
            shown: shown.unwrap(),
        }
    }

    /// Claims all that both processes can claim of a webhook.
    async fn claim(&self, webhook: WebhookId, now: i64) -> Vec<Claimed> {
        let (a, b) = (&self.two.a, &self.two.b);
        let (of_a, mut claimed) =
            tokio::join!(claim_all(a, webhook, now), claim_all(b, webhook, now));
        claimed.extend(of_a);
        claimed.sort_unstable_by_key(|claimed| claimed.delivery.id);
        claimed
    }

    /// Enqueues in the first process without a stop.
    async fn enqueue(&self, batch: Enqueue) -> Vec<StoredDelivery> {
        stored_by(self.two.a.enqueue(batch, at(0)).await.unwrap())
    }

    /// Fails if an enqueue with the earlier version of the realm is stored.
    async fn assert_refused(&self, batch: Enqueue, kind: Kind) {
        if matches!(batch.precondition, Precondition::Realms(_)) {
            let refused = self.two.a.enqueue(batch, at(0)).await.unwrap();
            assert_eq!(refused, Enqueued::RoutesChanged, "{kind:?}");
        }
    }
}

impl Raced {
    fn ids(&self) -> Vec<DeliveryId> {
        self.stored.iter().map(|stored| stored.id).collect()
    }

    /// Returns the claims of the leased deliveries.
    fn claims(&self) -> impl Iterator<Item = Claim> {
        claims_of(&self.stored)
    }

    /// Fails if a delivery is listed that was not when the call returned.
    async fn assert_nothing_appeared(&self, store: &PostgresStore, kind: Kind) {
        assert_eq!(listed(store).await, self.shown, "{kind:?}");
    }
}

fn claims_of(stored: &[StoredDelivery]) -> impl Iterator<Item = Claim> {
    stored.iter().filter_map(|stored| {
        let (delivery, token) = (stored.id, stored.token?);
        Some(Claim { delivery, token })
    })
}

fn stored_by(answer: Enqueued) -> Vec<StoredDelivery> {
    match answer {
        Enqueued::Stored { deliveries, .. } => deliveries,
        Enqueued::RoutesChanged | Enqueued::RowsChanged(_) => Vec::new(),
        other => panic!("{other:?}"),
    }
}

/// Returns all listed deliveries.
async fn listed(store: &PostgresStore) -> Vec<DeliveryId> {
    let query = DeliveryQuery::all(Page::first(1_000));
    let found = store.list_deliveries(&query).await.unwrap();
    found.into_iter().map(|delivery| delivery.id).collect()
}

async fn settle(store: &PostgresStore, claims: impl Iterator<Item = Claim>, how: Disposition) {
    let settlements = claims.map(|claim| settlement_of(claim, how.clone()));
    let settlements: Vec<_> = settlements.collect();
    let settled = store.settle(settlements, at(2)).await.unwrap();
    assert!(settled.iter().all(|settled| *settled == Settled::Done));
}

/// Moves an owner, and does all work that follows from it.
async fn move_owner(store: &PostgresStore, realm: Realm) {
    store.assign_realm(OwnerId(1), realm, at(1)).await.unwrap();
    remove_all(store).await;
}

async fn remove_all(store: &PostgresStore) {
    while store.remove_gone(1_000, at(2)).await.unwrap() > 0 {}
}
