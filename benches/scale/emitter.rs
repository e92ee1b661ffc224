//! An engine in a separate process that emits on demand.

use std::sync::Arc;

use benches::on_demand::{EMITTERS, on_demand};
use benches::one_system;
use benches::platform::{Everything, Kind, Platform, Users, occurrence};
use gatepost_engine::{Engine, InFlightLimits, Limits};
use gatepost_ids::Quota;
use webhook_model::{Audience, Occurrence, OwnerId};

/// The number of tenants that it emits to in turn, unless there is one system.
pub(crate) const EMITTED: i64 = 1_000;

/// Returns the owner of tenant number `n`, from 1 on.
pub(crate) fn owner(n: i64) -> OwnerId {
    OwnerId(u128::from(n.unsigned_abs()) * 10 + 1)
}

pub(crate) async fn run(arguments: &[&str]) {
    let [system, kind, place, port, bytes] = arguments else {
        panic!("{arguments:?}");
    };
    let kind: Kind = kind.parse().unwrap();
    let platform = Platform::at(kind, place).await;
    let platform = Arc::new(platform.with_bytes(bytes.parse().unwrap()));
    let engine = match *system {
        "tenants" => tenants(&platform, port).await,
        _ => one(&platform, port).await,
    };
    let occurs: fn(u64) -> Occurrence = match *system {
        "tenants" => |n| occurrence(owner(n.cast_signed() % EMITTED + 1)),
        _ => |_| {
            Occurrence::new(
                "vms".parse().unwrap(),
                "on".parse().unwrap(),
                Audience::OneSystem,
            )
        },
    };
    on_demand(move |n| {
        let engine = engine.clone();
        async move {
            let mut occurrence = occurs(n);
            occurrence.variables = vec![("N".to_owned(), n.to_string())];
            engine.emit(occurrence).await.unwrap();
        }
    })
    .await;
}

/// Returns an emitter for 1,000 tenants with a webhook, a task and an event each; it calls
/// `SubscriptionPolicy`, and quotas are the usual ones.
async fn tenants(platform: &Arc<Platform>, port: &str) -> Engine {
    let some = gatepost_storage::webhooks::WebhookQuery {
        scope: gatepost_storage::Scope::All,
        name: None,
        page: gatepost_storage::Page::first(1),
    };
    if platform
        .store
        .list_webhooks(&some)
        .await
        .unwrap()
        .is_empty()
    {
        let url = format!("http://target.test:{port}/");
        platform
            .records_of_all((1..=EMITTED).map(owner), &url, 1)
            .await;
    }
    let engine = platform.builder();
    engine
        .subscription_policy(Arc::new(Users), Arc::new(Everything))
        .quotas(Arc::new(Quota::default()))
        .start()
        .await
        .unwrap()
}

/// Returns an emitter for one webhook, which has as many requests under way as there are emitters.
async fn one(platform: &Platform, port: &str) -> Engine {
    let url = format!("http://target.test:{port}/");
    let in_flight = InFlightLimits::default().with_per_webhook(EMITTERS);
    let engine = one_system(platform.builder());
    let engine = engine.limits(Limits::default().with_in_flight(in_flight));
    platform.records_of_one(OwnerId(1), &url, 1).await;
    engine.start().await.unwrap()
}
