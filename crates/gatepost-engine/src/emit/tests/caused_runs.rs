//! Occurrences that users cause at any rate.

use gatepost_ids::{Audience, Quota, TenantId};
use gatepost_storage::webhooks::{DeliveryLog as _, RecordStore as _, RejectReason};
use gatepost_storage::{AtMost, Scope};
use gatepost_testkit::fault::Fault;
use webhook_model::{Event, EventLabel, Filter, Occurrence, OwnerId, Target, TaskId};

use super::*;
use crate::emit::Run;

/// Logs in again and again.
const USER: u128 = 1;
/// An administrator of the same tenant.
const OTHER: u128 = 2;
const TASKS: usize = 20;
const A_MINUTE: usize = 60;

struct World {
    records: Records,
    bench: Bench,
    emitter: Arc<Emitter>,
}

impl World {
    /// 20 tasks of a user and one of an administrator run when a user logs in, or is locked.
    async fn new() -> Self {
        let (records, platform) = (Records::new(), Platform::new());
        platform.user(USER, 7);
        platform.account(OTHER, gatepost_ids::AccessLevel::TenantAdministrator, 7);
        platform.set_quota(Some(Quota::default()));
        for (owner, tasks) in [(USER, TASKS), (OTHER, 1)] {
            let webhook = records.webhook(|w| w.owner = OwnerId(owner)).await;
            for _ in 0..tasks {
                let task = records.task(webhook, "x", false).await;
                on(&records, "login", task).await;
                on(&records, "locked", task).await;
            }
        }
        let rule = Rule::AddressedOnly;
        let (bench, emitter) = bench_of(&records, &Limits::default(), rule, &platform).await;
        for owner in [USER, OTHER] {
            bench.authorizer.admit_change(OwnerId(owner)).await.unwrap();
        }
        Self {
            records,
            bench,
            emitter,
        }
    }

    /// Returns the numbers of deliveries of the user and of the administrator.
    async fn stored(&self) -> (usize, usize) {
        let deliveries = self.records.deliveries().await;
        let own = deliveries.iter().filter(|d| d.webhook.0 == 1).count();
        (own, deliveries.len() - own)
    }

    async fn rejected(&self) -> Vec<(u64, RejectReason)> {
        self.bench.authorizer.flush().await;
        let rejected = self.records.store.rejected(Scope::All, 100).await.unwrap();
        rejected.iter().map(|row| (row.count, row.reason)).collect()
    }

    fn used(&self) -> u32 {
        self.bench.authorizer.runs_in_minute(OwnerId(USER)).unwrap()
    }
}

async fn on(records: &Records, event: &str, task: TaskId) {
    let event = Event {
        event_type: "users".parse().unwrap(),
        event: event.parse().unwrap(),
        target: Target::Generic,
        task,
        enabled: true,
        filters: Filter::stored("{}").unwrap(),
        context: "{}".parse().unwrap(),
        label: EventLabel::default(),
    };
    let most = AtMost::UNLIMITED;
    let inserted = records.store.insert_event(&event, most, noon()).await;
    inserted.unwrap();
}

fn occurrence(event: &str, audience: Audience) -> Occurrence {
    Occurrence::new("users".parse().unwrap(), event.parse().unwrap(), audience)
}

fn login() -> Occurrence {
    occurrence("login", Audience::Owner(OwnerId(USER)))
}

#[tokio::test(start_paused = true)]
async fn own_logins_run_no_more_than_runs_may() {
    let world = World::new().await;
    for _ in 0..40 {
        world.emitter.emit(&login(), Emitter::all()).await.unwrap();
    }
    assert_eq!(world.stored().await, (A_MINUTE, 40));
    let beyond = (40 * TASKS - A_MINUTE) as u64;
    assert_eq!(world.rejected().await, [(beyond, RejectReason::Rate)]);
    assert_eq!(world.used(), 60);
    tokio::time::advance(Duration::from_secs(10)).await;
    let emitted = world.emitter.emit(&login(), Emitter::all()).await.unwrap();
    assert_eq!((emitted.deliveries.len(), emitted.rejected), (10 + 1, 10));
}

#[tokio::test(start_paused = true)]
async fn many_own_logins_share_the_same_limit() {
    let world = World::new().await;
    let emitted = world.emitter.emit_many(vec![login(); 40]).await;
    assert!(emitted.iter().all(Result::is_ok));
    assert_eq!(world.stored().await, (A_MINUTE, 40));
}

#[tokio::test(start_paused = true)]
async fn own_logins_in_outbox_share_the_same_limit() {
    let world = World::new().await;
    let drain = drain(world.emitter.clone());
    for _ in 0..40 {
        drain.push(&login()).await.unwrap();
    }
    pass(&world.bench, Duration::from_millis(500)).await;
    assert!(rows(&world.records).await.is_empty());
    assert_eq!(world.stored().await, (A_MINUTE, 40));
}

#[tokio::test(start_paused = true)]
async fn occurrences_that_no_user_causes_have_no_rate() {
    let world = World::new().await;
    for _ in 0..10 {
        let locked = occurrence("locked", Audience::Owner(OwnerId(USER)));
        world.emitter.emit(&locked, Emitter::all()).await.unwrap();
    }
    assert_eq!(world.stored().await, (10 * TASKS, 10));
    // The user of a login without a name is unknown.
    let somebody = occurrence("login", Audience::Tenant(TenantId(7)));
    let emitted = world.emitter.emit(&somebody, Emitter::all()).await;
    assert_eq!(emitted.unwrap().rejected, 0);
    assert_eq!(world.used(), 0);
}

#[tokio::test(start_paused = true)]
async fn own_logins_that_are_not_stored_cost_nothing() {
    let world = World::new().await;
    world.bench.store.fail("enqueue", 1, Fault::Refused);
    assert!(world.emitter.emit(&login(), Emitter::all()).await.is_err());
    assert_eq!(world.used(), 0);
    let by_hand = Run {
        by: Some(OwnerId(USER)),
        ..Emitter::all().into()
    };
    world.emitter.emit(&login(), by_hand).await.unwrap();
    assert_eq!(world.used(), 0, "manual runs were counted before");
}
