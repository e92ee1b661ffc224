//! The contents of a page, and the deliveries that its cursor acknowledges.

use std::future::poll_fn;
use std::pin::pin;

use chrono::DateTime;
use delivery::Verifier;
use gatepost_storage::webhooks::DeliveryLog as _;
use serde_json::json;
use webhook_model::{SigningSecret, WebhookId};

use super::{Site, bodies, cursor, webhook};

#[tokio::test]
async fn fetched_messages_keep_order_and_end_when_acknowledged() {
    for in_order in [false, true] {
        let site = Site::start().await;
        site.set(json!({"in_order": in_order})).await;
        site.put(&["a", "b", "c", "d", "e"]).await;
        let first = site.fetch("limit=2").await;
        assert_eq!(bodies(&first), ["a", "b"]);
        assert_eq!(
            (&first["acknowledged"], &first["held"]),
            (&json!(0), &json!(null))
        );
        assert_eq!(
            site.states().await,
            ["queued"; 5],
            "handed out, and not yet received"
        );
        let second = site
            .fetch(&format!("limit=2&after={}", cursor(&first)))
            .await;
        assert_eq!(bodies(&second), ["c", "d"]);
        assert_eq!(second["acknowledged"], 2);
        let third = site.after(&second).await;
        assert_eq!(bodies(&third), ["e"]);
        let last = site.after(&third).await;
        assert_eq!((bodies(&last).len(), &last["acknowledged"]), (0, &json!(1)));
        let idle = site.after(&last).await;
        assert_eq!((bodies(&idle).len(), &idle["acknowledged"]), (0, &json!(0)));
        assert_eq!(site.states().await, ["sent"; 5]);
        let log = site.log().await;
        assert_eq!(
            (log[0].status_info.as_str(), log[0].attempts),
            ("fetched", 1)
        );
        let attempts = site.world.store.attempts(log[0].id, 9).await.unwrap();
        assert_eq!((attempts.len(), attempts[0].info.as_str()), (1, "fetched"));
        let message = &first["messages"][0];
        assert_eq!(message["$key"], log[0].id.0);
        assert_eq!(message["id"], log[0].message_id.as_str());
        assert_eq!(message["created"], log[0].created.timestamp());
    }
}

#[tokio::test]
async fn repeated_cursor_returns_same_page_and_acknowledges_once() {
    let site = Site::start().await;
    site.put(&["a", "b", "c", "d"]).await;
    let first = site.fetch("limit=2").await;
    assert_eq!(
        site.fetch("limit=2").await["messages"][0]["id"],
        first["messages"][0]["id"]
    );
    let query = format!("limit=1&after={}", cursor(&first));
    // Two readers share a cursor, or one reader repeats its request because the response was lost.
    let (one, other) = tokio::join!(site.fetch(&query), site.fetch(&query));
    assert_eq!((bodies(&one), bodies(&other)), (vec!["c"], vec!["c"]));
    assert_eq!(cursor(&one), cursor(&other));
    let both = one["acknowledged"].as_i64().unwrap() + other["acknowledged"].as_i64().unwrap();
    assert_eq!(both, 2, "each message is acknowledged once");
    let again = site.fetch(&query).await;
    assert_eq!(
        (bodies(&again), &again["acknowledged"]),
        (vec!["c"], &json!(0))
    );
    assert_eq!(site.states().await, ["sent", "sent", "queued", "queued"]);
}

#[tokio::test]
async fn cursor_acknowledges_its_page_but_no_replay() {
    let site = Site::start().await;
    site.put(&["a", "b"]).await;
    let page = site.fetch("").await;
    site.after(&page).await;
    let replayed = site.log().await[0].id;
    let path = format!("webhooks/{replayed}/replay");
    assert_eq!(
        site.world.api("POST", &path, Some(json!({}))).await.status,
        200
    );
    let again = site.after(&page).await;
    assert_eq!(
        (bodies(&again), &again["acknowledged"]),
        (vec!["a"], &json!(0))
    );
    assert_eq!(
        again["messages"][0]["id"], page["messages"][0]["id"],
        "a receiver may know it"
    );
    assert_eq!(site.after(&again).await["acknowledged"], 1);
    assert_eq!(site.log().await[0].attempts, 2);
}

#[tokio::test]
async fn foreign_or_invalid_cursor_is_refused_acknowledging_nothing() {
    let site = Site::start().await;
    site.put(&["a"]).await;
    let other = webhook(&site.world, "other").await;
    let mine = cursor(&site.fetch("").await).to_owned();
    let path = format!("webhook_urls/{other}/messages");
    let theirs = site.world.api("GET", &path, None).await.json();
    let cut = &mine[..mine.len() - 2];
    let long = "0".repeat(5_000);
    for wrong in ["0", "made up", cursor(&theirs), cut, &long] {
        let query = format!("after={}", wrong.replace(' ', "%20"));
        let refused = site.asked(&site.world.admin, &query).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        assert!(
            refused.body.contains("'after' - 'must be a cursor"),
            "{}",
            refused.body
        );
    }
    assert_eq!(site.states().await, ["queued"]);
    for (limit, status) in [("0", 422), ("101", 422), ("x", 422), ("100", 200)] {
        let asked = site
            .asked(&site.world.admin, &format!("limit={limit}"))
            .await;
        assert_eq!(asked.status, status, "{limit}: {}", asked.body);
    }
}

#[tokio::test]
async fn fetching_requires_write_access_to_deliveries() {
    let site = Site::start().await;
    site.put(&["a"]).await;
    let page = site.fetch("").await;
    let query = format!("after={}", cursor(&page));
    let stranger = site.world.key_of(3, "mine").await;
    assert_eq!(site.asked(&stranger, &query).await.status, 404);
    assert_eq!(site.asked("none", &query).await.status, 401);
    for (columns, status) in [
        (json!({"read_only": true}), 403),
        (json!({"tables": "webhook_urls"}), 403),
        (json!({"tables": "webhooks", "read_only": true}), 403),
        (json!({"tables": "webhooks"}), 200),
    ] {
        let mut key = columns.clone();
        key["name"] = columns.to_string().replace('"', "").into();
        let (key, _) = site.world.make_key(key).await;
        let asked = site.asked(&key, "").await;
        assert_eq!(asked.status, status, "{columns}: {}", asked.body);
    }
    assert_eq!(site.states().await, ["queued"], "nothing was acknowledged");
}

#[tokio::test]
async fn fetched_message_has_request_headers_signature_no_secret() {
    let site = Site::start().await;
    let secret = SigningSecret::from_random([7; 32]);
    site.set(json!({
        "signing_secrets": secret.expose(),
        "authorization_type": "bearer",
        "authorization_value": "t0p-s3cret-token",
        "headers": "Content-Type: application/json\nX-Route: a: b\nCookie: s3cret-c00kie\n",
    }))
    .await;
    site.put(&[r#"{"text":"é"}"#]).await;
    let page = site.asked(&site.world.admin, "").await;
    assert!(!page.body.contains("s3cret"), "{}", page.body);
    let page = page.json();
    let message = &page["messages"][0];
    assert_eq!(message["content_type"], "application/json");
    let headers = message["headers"].as_array().unwrap();
    let header = |name: &str| {
        let found = headers.iter().find(|header| header["name"] == name);
        found
            .map(|header| header["value"].as_str().unwrap())
            .unwrap_or_default()
    };
    assert_eq!(header("X-Route"), "a: b");
    for absent in [
        "Host",
        "host",
        "content-length",
        "user-agent",
        "authorization",
        "cookie",
    ] {
        let is_there = headers.iter().any(|header| {
            header["name"]
                .as_str()
                .unwrap()
                .eq_ignore_ascii_case(absent)
        });
        assert!(!is_there, "{absent}: {headers:?}");
    }
    let verifier = Verifier::new([secret.expose().parse().unwrap()]);
    let (id, time) = (header("webhook-id"), header("webhook-timestamp"));
    assert_eq!(id, message["id"]);
    let (signature, body) = (
        header("webhook-signature"),
        message["body"].as_str().unwrap(),
    );
    let now = DateTime::from_timestamp(time.parse().unwrap(), 0).unwrap();
    let verified = verifier.verify(id, time, signature, body.as_bytes(), now);
    assert!(verified.is_ok(), "{verified:?}");
}

#[tokio::test]
async fn fetched_page_ends_with_message_that_fills_it() {
    let site = Site::start().await;
    let large = "x".repeat(600 * 1024);
    site.put(&[&large, &large, &large]).await;
    let page = site.fetch("").await;
    assert_eq!(bodies(&page).len(), 2);
    let next = site.after(&page).await;
    assert_eq!((bodies(&next).len(), &next["acknowledged"]), (1, &json!(2)));
}

/// Large messages are signed on a separate thread, because signing reads all of a message.
#[tokio::test]
async fn signing_large_messages_does_not_block_others() {
    let site = Site::start().await;
    let secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    site.set(json!({"signing_secrets": secret})).await;
    let engine = &site.world.engine;
    let fetched = async || {
        let mut fetching = pin!(engine.fetch(WebhookId(site.webhook), None, 100));
        let mut turns = 0;
        let page = poll_fn(|cx| {
            let polled = fetching.as_mut().poll(cx);
            turns += usize::from(polled.is_pending());
            polled
        });
        let page = page.await.unwrap();
        (page.messages.len(), turns)
    };
    // The store and the signing thread may be quick or slow by chance: one run in twenty is enough.
    let least_and_most = async |messages| {
        let mut all = Vec::new();
        for _ in 0..20 {
            let (found, turns) = fetched().await;
            assert_eq!(found, messages);
            all.push(turns);
        }
        (all.iter().min().copied(), all.iter().max().copied())
    };
    site.put(&["a", "b"]).await;
    let (least, _) = least_and_most(2).await;
    assert_eq!(least, Some(0), "what is small is signed at once");
    site.put(&[&"x".repeat(900 * 1024)]).await;
    let (_, most) = least_and_most(3).await;
    assert!(most > Some(0), "what is large is signed on the worker");
}
