//! The list of hourly counts of a webhook's outcomes.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{DeliveryLog as _, HourlyCount};
use serde_json::{Value, json};
use tests::world::{HERE, World};
use webhook_model::WebhookId;

/// One more than a day has.
const HOURS: i64 = 25;

fn hour(n: i64) -> DateTime<Utc> {
    let first: DateTime<Utc> = "2026-11-19T00:00:00Z".parse().unwrap();
    first + TimeDelta::hours(n)
}

/// Returns a webhook of user 3, of which `n` deliveries were sent in hour `n`.
async fn world() -> (World, i64) {
    let world = World::start().await;
    let member = world.key_of(3, "member").await;
    let hook = json!({"name": "w", "url": "https://example.com/"});
    let made = world.call(&member, HERE, "POST", "webhook_urls", Some(hook));
    let hook = made.await.json()["$row"].as_i64().unwrap();
    let counts: Vec<_> = (1..=HOURS)
        .map(|n| HourlyCount {
            webhook: WebhookId(hook),
            hour: hour(n),
            sent: n.unsigned_abs(),
            last_sent: None,
            failed: 2,
            retried: 3,
            milliseconds: 40,
            bytes: 5,
        })
        .collect();
    world.store.add_counts(&counts).await.unwrap();
    (world, hook)
}

async fn rows(world: &World, path: &str) -> Vec<Value> {
    let answer = world.api("GET", path, None).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.json().as_array().unwrap().clone()
}

#[tokio::test]
async fn webhook_counts_default_to_last_day_by_hour() {
    let (world, hook) = world().await;
    let path = format!("webhook_counts?webhook_url={hook}");
    let day = rows(&world, &path).await;
    assert_eq!(day.len(), 24);
    let newest = json!({
        "$key": 1, "webhook_url": hook, "hour": hour(HOURS).timestamp(),
        "sent": HOURS, "error": 2, "retried": 3, "duration_ms": 40, "bytes": 5,
    });
    assert_eq!(day[0], newest);
    assert_eq!(rows(&world, &format!("{path}&limit=0")).await.len(), 25);
    let (from, before) = (hour(3).timestamp(), hour(5).timestamp());
    let asked = format!("{path}&from={from}&before={before}&fields=sent");
    let some = rows(&world, &asked);
    assert_eq!(some.await, [json!({"sent": 4}), json!({"sent": 3})]);
    let page = rows(&world, &format!("{path}&limit=1&fields=hour")).await;
    assert_eq!(page, [json!({"hour": hour(HOURS).timestamp()})]);
}

#[tokio::test]
async fn webhook_counts_exclude_strangers_and_refuse_invalid_queries() {
    let (world, hook) = world().await;
    let (tina, vera) = (world.key_of(2, "t").await, world.key_of(4, "v").await);
    let path = format!("webhook_counts?webhook_url={hook}");
    let status = async |key: &str, path: &str| {
        let answer = world.call(key, HERE, "GET", path, None).await;
        answer.status
    };
    assert_eq!(status(&tina, &path).await, 200);
    assert_eq!(status(&vera, &path).await, 404);
    let unknown = format!("webhook_counts?webhook_url={}", hook + 99);
    assert_eq!(status(&tina, &unknown).await, 404);
    for wrong in ["", "?webhook_url=x", "?webhook_url=-1"] {
        let path = format!("webhook_counts{wrong}");
        assert_eq!(status(&tina, &path).await, 422, "{path}");
    }
    for wrong in ["from=now", "before=-1", "limit=x", "limit=1000000"] {
        assert_eq!(status(&tina, &format!("{path}&{wrong}")).await, 422);
    }
}
