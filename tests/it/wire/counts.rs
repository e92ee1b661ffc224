//! The lists of counts: hourly of a webhook's outcomes, daily of a key's uses.

use apikey_core::{KeyId, OwnerId};
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use gatepost_storage::keys::{KeyQuery, KeyUse};
use gatepost_storage::webhooks::{DeliveryLog as _, HourlyCount};
use gatepost_storage::{KeyStore as _, Page};
use serde_json::{Value, json};
use tests::world::{Expect as _, HERE, World, with};
use webhook_model::WebhookId;

/// A list of the counts of a record of user 3: `n` in the period `n`, one period more than the list
/// has by default.
struct Counts {
    world: World,
    /// The list of this record's counts.
    path: String,
    /// The same of another record, and of none.
    unknown: String,
    invalid: Vec<String>,
    periods: u32,
    begins: fn(u32) -> i64,
    /// The columns of the period and of its count.
    columns: [&'static str; 2],
    newest: Value,
    /// A time from which on the third period is the first.
    from: i64,
}

fn hour(n: u32) -> DateTime<Utc> {
    let first: DateTime<Utc> = "2026-11-19T00:00:00Z".parse().unwrap();
    first + TimeDelta::hours(n.into())
}

async fn webhook_counts() -> Counts {
    let world = World::start().await;
    let member = world.key_of(3, "member").await;
    let hook = json!({"name": "w", "url": "https://example.com/"});
    let made = world.call(&member, HERE, "POST", "webhook_urls", Some(hook));
    let hook = made.await.json()["$row"].as_i64().unwrap();
    let counts = (1..=25).map(|n| HourlyCount {
        webhook: WebhookId(hook),
        hour: hour(n),
        sent: n.into(),
        last_sent: None,
        failed: 2,
        retried: 3,
        milliseconds: 40,
        bytes: 5,
    });
    let counts: Vec<_> = counts.collect();
    world.store.add_counts(&counts).await.unwrap();
    let of = |row: &str| format!("webhook_counts?webhook_url={row}");
    Counts {
        world,
        path: of(&hook.to_string()),
        unknown: of(&(hook + 99).to_string()),
        invalid: vec!["webhook_counts".to_owned(), of("x"), of("-1")],
        periods: 25,
        begins: |n| hour(n).timestamp(),
        columns: ["hour", "sent"],
        newest: json!({
            "$key": 1, "webhook_url": hook, "error": 2, "retried": 3, "duration_ms": 40, "bytes": 5,
        }),
        from: hour(3).timestamp(),
    }
}

fn day(n: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 10, 1).unwrap() + Days::new(n.into())
}

fn uses(key: i64, n: u32) -> KeyUse {
    KeyUse {
        key: KeyId(key),
        day: day(n),
        used: n.into(),
        refused: 2,
    }
}

/// Returns the row of the only key of user 3.
async fn key_row(world: &World) -> i64 {
    let own = KeyQuery::of_owner(OwnerId(3), Page::first(2));
    let [row] = &world.store.list_keys(&own).await.unwrap()[..] else {
        panic!("not one key");
    };
    row.id.0
}

async fn key_uses() -> Counts {
    let world = World::start().await;
    world.key_of(3, "k").await;
    let key = key_row(&world).await;
    let recorded: Vec<_> = (1..=31).map(|n| uses(key, n)).collect();
    world.store.record_uses(&recorded).await.unwrap();
    let of = |row: &str| format!("user_api_key_uses?key={row}");
    Counts {
        world,
        path: of(&key.to_string()),
        unknown: of(&(key + 99).to_string()),
        invalid: vec!["user_api_key_uses".to_owned(), of("x"), of("-1"), of("0")],
        periods: 31,
        begins: |n| uses(1, n).begins().timestamp(),
        columns: ["day", "used"],
        newest: json!({"$key": 1, "key": key, "refused": 2}),
        // From the first day that begins then, not from the current one.
        from: uses(1, 2).begins().timestamp() + 1,
    }
}

#[tokio::test]
async fn counts_default_to_last_day_or_month() {
    for counts in [webhook_counts().await, key_uses().await] {
        let [period, count] = counts.columns;
        let (path, last) = (&counts.path, counts.periods);
        let rows = async |more: &str| counts.world.rows(&format!("{path}{more}")).await;
        let listed = rows("").await;
        assert_eq!(listed.as_array().unwrap().len() + 1, last as usize);
        let begins = (counts.begins)(last);
        let newest = with(json!({period: begins, count: last}), &counts.newest);
        assert_eq!(listed[0], newest);
        let all = rows("&limit=0").await;
        assert_eq!(all.as_array().unwrap().len(), last as usize);
        let (from, before) = (counts.from, (counts.begins)(5));
        let some = rows(&format!("&from={from}&before={before}&fields={count}")).await;
        assert_eq!(some, json!([{count: 4}, {count: 3}]));
        let page = rows(&format!("&limit=1&fields={period}")).await;
        assert_eq!(page, json!([{period: begins}]));
    }
}

#[tokio::test]
async fn counts_exclude_strangers_and_refuse_invalid_queries() {
    for counts in [webhook_counts().await, key_uses().await] {
        let (world, path) = (&counts.world, &counts.path);
        let (tina, vera) = (world.key_of(2, "t").await, world.key_of(4, "v").await);
        let status =
            async |key: &str, path: &str| world.call(key, HERE, "GET", path, None).await.status;
        assert_eq!(status(&tina, path).await, 200);
        assert_eq!(status(&vera, path).await, 404);
        assert_eq!(status(&tina, &counts.unknown).await, 404);
        for wrong in &counts.invalid {
            assert_eq!(status(&tina, wrong).await, 422, "{wrong}");
        }
        for wrong in ["from=now", "before=-1", "limit=x", "limit=1000000"] {
            assert_eq!(status(&tina, &format!("{path}&{wrong}")).await, 422);
        }
    }
}

#[tokio::test]
async fn request_by_key_is_counted_immediately() {
    let world = World::start().await;
    let key = world.key_of(3, "mine").await;
    for _ in 0..3 {
        let answer = world.call(&key, HERE, "GET", "system", None).await;
        answer.expect(200);
    }
    let row = key_row(&world).await;
    let path = format!("user_api_key_uses?key={row}&fields=used,refused");
    let uses = world.call(&key, HERE, "GET", &path, None).await;
    // The earlier uses, and this one.
    assert_eq!(uses.json(), json!([{"used": 4, "refused": 0}]));
}
