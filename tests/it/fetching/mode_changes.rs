//! A webhook that changes to being fetched, or back; paused, cancelled, at its owner's limits; and
//! other webhooks of the owner.

use std::sync::Arc;

use axum::http::StatusCode;
use examples::receiver::Receiver;
use gatepost_ids::Quota;
use gatepost_storage::webhooks::{DeliveryId, DeliveryState};
use serde_json::json;
use tests::world::{Expect as _, World};

use super::{Site, bodies, cursor};

/// Returns a delivery once it has had an attempt and waits again.
async fn retried(site: &Site) -> DeliveryId {
    loop {
        let log = site.log().await;
        let waits = log
            .iter()
            .find(|d| d.state == DeliveryState::Queued && d.attempts > 0);
        if let Some(delivery) = waits {
            return delivery.id;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn waiting_messages_are_sent_after_switch_to_push() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    site.put(&["a", "b", "c"]).await;
    let page = site.fetch("limit=1").await;
    site.after(&page).await;
    let url = format!("http://{}/in", receiver.addr);
    site.set(json!({"delivery_mode": "push", "url": url})).await;
    receiver.wait_for("/in", 2).await.unwrap();
    for delivery in site.log().await {
        assert_eq!(
            site.world.ended(delivery.id).await.state,
            DeliveryState::Sent
        );
    }
    let got: Vec<_> = receiver.received().into_iter().map(|r| r.body).collect();
    assert!(got.len() == 2 && !got.contains(&"a".to_owned()), "{got:?}");
    let refused = site.asked(&site.world.admin, "").await.expect(422);
    assert!(refused.body.contains("delivery_mode"), "{}", refused.body);
}

#[tokio::test]
async fn retrying_message_is_fetched_after_switch_to_fetch() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    receiver.answer_with(&[StatusCode::SERVICE_UNAVAILABLE]);
    let url = format!("http://{}/in", receiver.addr);
    site.set(json!({"delivery_mode": "push", "url": url, "retry_schedule": "1h"}))
        .await;
    site.put(&["a"]).await;
    let waits = retried(&site).await;
    site.set(json!({"delivery_mode": "fetch"})).await;
    let page = site.fetch("").await;
    assert_eq!(bodies(&page), ["a"]);
    assert_eq!(site.after(&page).await["acknowledged"], 1);
    let ended = site.world.ended(waits).await;
    assert_eq!((ended.state, ended.attempts), (DeliveryState::Sent, 2));
    assert_eq!(receiver.received().len(), 1, "nothing was sent since");
}

#[tokio::test]
async fn paused_or_disabled_webhook_only_accepts_acknowledgements() {
    let site = Site::start().await;
    site.put(&["a", "b"]).await;
    let page = site.fetch("limit=1").await;
    site.act("pause").await;
    let held = site.after(&page).await;
    assert_eq!((bodies(&held).len(), &held["acknowledged"]), (0, &json!(1)));
    assert!(held["held"].as_str().unwrap().contains("paused"), "{held}");
    site.set(json!({"enabled": false})).await;
    let held = site.fetch("").await;
    assert!(
        held["held"].as_str().unwrap().contains("disabled"),
        "{held}"
    );
    site.set(json!({"enabled": true})).await;
    let page = site.after(&held).await;
    assert_eq!((bodies(&page), &page["held"]), (vec!["b"], &json!(null)));
}

#[tokio::test]
async fn cancelled_or_deleted_messages_stay_unfetched_and_unacknowledged() {
    let site = Site::start().await;
    site.put(&["a", "b", "c"]).await;
    let page = site.fetch("").await;
    let log = site.log().await;
    let cancel = format!("webhooks/{}/cancel", log[0].id);
    site.world.post(&cancel, json!({})).await.expect(200);
    let delete = format!("webhooks/{}", log[1].id);
    site.world.delete(&delete).await.expect(200);
    assert_eq!(bodies(&site.fetch("").await), ["c"]);
    assert_eq!(site.after(&page).await["acknowledged"], 1);
    assert_eq!(site.states().await, ["error", "sent"]);
    let path = format!("webhook_urls/{}", site.webhook);
    site.world.delete(&path).await.expect(200);
    let query = format!("after={}", cursor(&page));
    assert_eq!(site.asked(&site.world.admin, &query).await.status, 404);
}

#[tokio::test]
async fn messages_awaiting_fetch_count_towards_owners_limit() {
    let quota = Quota::UNLIMITED.with_waiting(3);
    let site = Site::in_world(World::with_quotas(Arc::new(quota)).await).await;
    site.put(&["a", "b", "c"]).await;
    let full = site.send("d").await.expect(403);
    assert!(full.body.contains("3 of 3"), "{}", full.body);
    let page = site.fetch("limit=1").await;
    site.after(&page).await;
    site.put(&["d"]).await;
    assert_eq!(site.send("e").await.status, 403);
    assert_eq!(bodies(&site.fetch("").await), ["b", "c", "d"]);
}

#[tokio::test]
async fn occurrence_reaches_both_push_and_fetch_webhooks() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let mut hooks = Vec::new();
    for (name, mode) in [("pushed", "push"), ("fetched", "fetch")] {
        let (webhook, task) = world.task(receiver.addr, name, "${NAME}", false).await;
        world.on_poweron(task, json!({"owner": "vms/1"})).await;
        let path = format!("webhook_urls/{webhook}");
        let set = json!({"delivery_mode": mode});
        world.put(&path, set).await.expect(200);
        hooks.push((webhook, task));
    }
    for _ in 0..20 {
        assert_eq!(world.emit(1, &[]).await.len(), 2);
    }
    receiver.wait_for("/pushed", 20).await.unwrap();
    let (webhook, task) = hooks[1];
    let site = Site { world, webhook };
    let page = site.fetch("").await;
    assert_eq!(bodies(&page), ["vm-1"; 20]);
    let first = &page["messages"][0];
    assert_eq!(
        (&first["task"], &first["table"], &first["event"]),
        (&json!(task), &json!("vms"), &json!("poweron"))
    );
    site.after(&page).await;
    assert_eq!(site.states().await, ["sent"; 20]);
    assert_eq!(
        receiver.received().len(),
        20,
        "nothing went to the other URL"
    );
}

#[tokio::test]
async fn ordered_fetch_stops_at_delivery_in_progress() {
    let site = Site::start().await;
    // Connections to it are accepted, and nobody responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/in", silent.local_addr().unwrap());
    let push = json!({"delivery_mode": "push", "url": url, "in_order": true, "timeout": 120});
    site.set(push).await;
    site.put(&["a", "b"]).await;
    while site.states().await[0] != "running" {
        tokio::task::yield_now().await;
    }
    site.set(json!({"delivery_mode": "fetch"})).await;
    assert_eq!(bodies(&site.fetch("").await).len(), 0);
    site.set(json!({"in_order": false})).await;
    assert_eq!(bodies(&site.fetch("").await), ["b"]);
}
