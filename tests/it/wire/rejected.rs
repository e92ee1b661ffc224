//! The list of deliveries that a limit rejected, and their count in `limits`.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{DeliveryLog as _, RejectReason, RejectedCount};
use gatepost_storage::{Clock as _, SystemClock};
use serde_json::{Value, json};
use tests::world::{HERE, World};
use webhook_model::WebhookId;

const PATH: &str = "rejected_deliveries";

/// Creates a webhook of this user, of which some deliveries were rejected at these times.
async fn rejected(world: &World, key: &str, at: &[(DateTime<Utc>, RejectReason, u64)]) -> i64 {
    let hook = json!({"name": "w", "url": "https://example.com/"});
    let made = world.call(key, HERE, "POST", "webhook_urls", Some(hook));
    let hook = made.await.json()["$row"].as_i64().unwrap();
    let count = |(minute, reason, count): &(DateTime<Utc>, RejectReason, u64)| RejectedCount {
        webhook: WebhookId(hook),
        reason: *reason,
        minute: *minute,
        count: *count,
    };
    let counts: Vec<_> = at.iter().map(count).collect();
    world.store.count_rejected(&counts).await.unwrap();
    hook
}

async fn rows(world: &World, key: &str, path: &str) -> Vec<Value> {
    let answer = world.call(key, HERE, "GET", path, None).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.json().as_array().unwrap().clone()
}

#[tokio::test]
async fn rejected_deliveries_require_access_to_the_webhook() {
    let world = World::start().await;
    let (member, tina) = (world.key_of(3, "m").await, world.key_of(2, "t").await);
    let vera = world.key_of(4, "v").await;
    let at: DateTime<Utc> = "2026-11-19T08:00:00Z".parse().unwrap();
    let counts = [
        (at, RejectReason::Waiting, 7),
        (at + TimeDelta::minutes(1), RejectReason::Rate, 9),
    ];
    let hook = rejected(&world, &member, &counts).await;
    let row = |key: i64, minute: DateTime<Utc>, reason: &str, count: u64| {
        json!({
            "$key": key, "webhook_url": hook, "minute": minute.timestamp(),
            "reason": reason, "count": count,
        })
    };
    let newest = row(1, at + TimeDelta::minutes(1), "rate", 9);
    let both = [newest.clone(), row(2, at, "waiting", 7)];
    let of_hook = format!("{PATH}?webhook_url={hook}");
    for key in [&member, &tina] {
        assert_eq!(rows(&world, key, PATH).await, both);
        assert_eq!(rows(&world, key, &of_hook).await, both);
    }
    let first = rows(&world, &member, &format!("{PATH}?limit=1")).await;
    assert_eq!(first, [newest]);
    let counts = rows(&world, &member, &format!("{of_hook}&fields=count")).await;
    assert_eq!(counts, [json!({"count": 9}), json!({"count": 7})]);
    assert_eq!(rows(&world, &vera, PATH).await, [0; 0]);
    let status = async |path: &str| world.call(&vera, HERE, "GET", path, None).await.status;
    assert_eq!(status(&of_hook).await, 404);
    for wrong in ["webhook_url=x", "limit=x", "limit=1000000"] {
        assert_eq!(status(&format!("{PATH}?{wrong}")).await, 422, "{wrong}");
    }
}

#[tokio::test]
async fn limits_show_what_was_rejected_in_a_day() {
    let world = World::start().await;
    let member = world.key_of(3, "m").await;
    let now = SystemClock.now();
    let counts = [
        (now - TimeDelta::hours(1), RejectReason::Waiting, 7),
        (now - TimeDelta::hours(23), RejectReason::Waiting, 2),
        (now - TimeDelta::hours(1), RejectReason::Rate, 5),
        (now - TimeDelta::hours(25), RejectReason::Waiting, 100),
    ];
    rejected(&world, &member, &counts).await;
    let limits = rows(&world, &member, "limits").await;
    let of = |name: &str| {
        let row = limits.iter().find(|row| row["name"] == name).unwrap();
        row["rejected"].as_u64().unwrap()
    };
    assert_eq!((of("waiting"), of("runs_per_minute")), (9, 5));
    assert_eq!(of("webhooks"), 0);
}
