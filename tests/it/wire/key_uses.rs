//! The list of daily counts of a key's uses.

use apikey_core::{KeyId, OwnerId};
use chrono::{Days, NaiveDate};
use gatepost_storage::keys::{KeyQuery, KeyUse};
use gatepost_storage::{KeyStore as _, Page};
use serde_json::{Value, json};
use tests::world::{HERE, World};

/// One more than a month has.
const DAYS: u64 = 31;

fn day(n: u64) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 10, 1).unwrap() + Days::new(n)
}

fn seconds(n: u64) -> i64 {
    let uses = KeyUse {
        key: KeyId(1),
        day: day(n),
        used: 0,
        refused: 0,
    };
    uses.begins().timestamp()
}

/// Creates a key of user 3 that was used `n` times on day `n`; returns its row.
async fn world() -> (World, i64) {
    let world = World::start().await;
    world.key_of(3, "k").await;
    let key = row_of(&world, 3).await;
    let uses: Vec<_> = (1..=DAYS)
        .map(|n| KeyUse {
            key: KeyId(key),
            day: day(n),
            used: n,
            refused: 2,
        })
        .collect();
    world.store.record_uses(&uses).await.unwrap();
    (world, key)
}

/// Returns the row of a user's only key.
async fn row_of(world: &World, owner: u128) -> i64 {
    let own = KeyQuery::of_owner(OwnerId(owner), Page::first(2));
    let [row] = &world.store.list_keys(&own).await.unwrap()[..] else {
        panic!("not one key");
    };
    row.id.0
}

async fn rows(world: &World, path: &str) -> Vec<Value> {
    let answer = world.api("GET", path, None).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.json().as_array().unwrap().clone()
}

#[tokio::test]
async fn key_uses_default_to_last_month_by_day() {
    let (world, key) = world().await;
    let path = format!("user_api_key_uses?key={key}");
    let month = rows(&world, &path).await;
    assert_eq!(month.len(), 30);
    let newest = json!({"$key": 1, "key": key, "day": seconds(DAYS), "used": DAYS, "refused": 2});
    assert_eq!(month[0], newest);
    assert_eq!(rows(&world, &format!("{path}&limit=0")).await.len(), 31);
    // From the first day that begins then, not from the current one.
    let (from, before) = (seconds(2) + 1, seconds(5));
    let asked = format!("{path}&from={from}&before={before}&fields=used");
    let some = rows(&world, &asked).await;
    assert_eq!(some, [json!({"used": 4}), json!({"used": 3})]);
    let page = rows(&world, &format!("{path}&limit=1&fields=day")).await;
    assert_eq!(page, [json!({"day": seconds(DAYS)})]);
}

#[tokio::test]
async fn key_uses_exclude_strangers_and_refuse_invalid_queries() {
    let (world, key) = world().await;
    let (tina, vera) = (world.key_of(2, "t").await, world.key_of(4, "v").await);
    let path = format!("user_api_key_uses?key={key}");
    let status = async |by: &str, path: &str| world.call(by, HERE, "GET", path, None).await.status;
    assert_eq!(status(&tina, &path).await, 200);
    assert_eq!(status(&vera, &path).await, 404);
    let unknown = format!("user_api_key_uses?key={}", key + 99);
    assert_eq!(status(&tina, &unknown).await, 404);
    for wrong in ["", "?key=x", "?key=-1", "?key=0"] {
        let path = format!("user_api_key_uses{wrong}");
        assert_eq!(status(&tina, &path).await, 422, "{path}");
    }
    for wrong in ["from=now", "before=-1", "limit=x", "limit=1000000"] {
        assert_eq!(status(&tina, &format!("{path}&{wrong}")).await, 422);
    }
}

#[tokio::test]
async fn request_by_key_is_counted_immediately() {
    let world = World::start().await;
    let key = world.key_of(3, "mine").await;
    for _ in 0..3 {
        let probe = world.call(&key, HERE, "GET", "system", None).await;
        assert_eq!(probe.status, 200);
    }
    let row = row_of(&world, 3).await;
    let path = format!("user_api_key_uses?key={row}&fields=used,refused");
    let uses = world.call(&key, HERE, "GET", &path, None).await;
    // The earlier uses, and this one.
    assert_eq!(uses.json(), json!([{"used": 4, "refused": 0}]));
}
