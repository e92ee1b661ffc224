//! Expiry, owners and hints on the pages of API keys (SPEC 2.1, SPEC 3), without a browser.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use gatepost_keys::Principal;
use gatepost_manage::{Choice, Directory};
use gatepost_storage::ManualClock;
use tests::browser::form_input::new_key;
use tests::browser::{Site, Visitor};
use webhook_model::ObjectId;

const NEW: &str = "/console/keys/new";

#[tokio::test]
async fn expired_key_stays_listed_and_permits_only_deletion() {
    let clock = Arc::new(ManualClock::at("2026-11-20T12:00:00Z".parse().unwrap()));
    let site = Site::start_at(clock.clone()).await;
    let ulf = Visitor::login(&site, "ulf").await;
    new_key(&ulf, "ci").await;
    clock.jump(TimeDelta::days(83));
    assert!(ulf.get("/console/keys").await.has(">7 days<"));
    clock.jump(TimeDelta::days(7));
    let list = ulf.get("/console/keys").await;
    assert!(list.has("0 days") && list.has("expired") && !list.has("/keys/1/edit"));
    let page = ulf
        .submit(
            "/console/keys/1/edit",
            &[("name", "back"), ("expires_type", "90")],
        )
        .await;
    assert_eq!(page.status, 422);
    assert!(
        page.error("expires").contains("expired"),
        "{}",
        page.error("expires")
    );
    assert_eq!(ulf.submit("/console/keys/1/delete", &[]).await.status, 303);
}

#[tokio::test]
async fn keys_are_managed_by_owner_and_administrators_only() {
    let site = Site::start().await;
    let (admin, tina, ulf, vera) = (
        Visitor::login(&site, "admin").await,
        Visitor::login(&site, "tina").await,
        Visitor::login(&site, "ulf").await,
        Visitor::login(&site, "vera").await,
    );
    new_key(&ulf, "ulf's").await;
    for (visitor, sees) in [(&admin, true), (&tina, true), (&ulf, true), (&vera, false)] {
        assert_eq!(
            visitor.get("/console/keys").await.has("ulf&#39;s")
                || visitor.get("/console/keys").await.has("ulf's"),
            sees
        );
        let expected = if sees { 200 } else { 404 };
        for what in ["edit", "delete"] {
            let path = format!("/console/keys/1/{what}");
            assert_eq!(visitor.get(&path).await.status, expected, "{path}");
        }
    }
    let hidden = vera.get(NEW).await.hidden();
    let token: Vec<_> = hidden
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    vera.post("/console/keys/1/delete", &token)
        .await
        .expect(404);
    assert_eq!(vera.post("/console/keys/1/edit", &token).await.status, 404);
    // An administrator opens one user's keys, and creates one there.
    let of_ulf = admin.get("/console/keys?owner=3").await;
    assert!(of_ulf.has("API keys of ulf") && of_ulf.has("/keys/new?owner=3"));
    admin
        .get("/console/keys/new?owner=3")
        .await
        .shows("value=\"3\" selected");
    assert_eq!(vera.get("/console/keys?owner=3").await.status, 404);
    // Users cannot create keys for others; administrators can.
    let fields = [("name", "x"), ("expires_type", "never"), ("user", "4")];
    for (visitor, status) in [(&ulf, 422), (&tina, 422), (&admin, 200)] {
        visitor.submit(NEW, &fields).await.expect(status);
    }
    assert!(vera.get("/console/keys").await.has(">x<"));
}

/// A directory that offers all users to everybody.
#[derive(Debug)]
struct Everybody;

#[async_trait]
impl Directory for Everybody {
    async fn name(&self, _: &Principal, _: &str, key: ObjectId) -> Option<String> {
        Some(format!("user {key}"))
    }

    async fn choices(&self, _: &Principal, _: &str, most: usize) -> Vec<Choice> {
        let all = (1..=250).map(ObjectId::from).take(most);
        all.map(|key| Choice::new(key, format!("user {key}")))
            .collect()
    }
}

#[tokio::test]
async fn tenant_administrator_is_offered_users_to_manage() {
    let site = Site::start_with(Arc::new(Everybody)).await;
    let tina = Visitor::login(&site, "tina").await;
    new_key(&tina, "ci").await;
    for path in ["/console/keys/new", "/console/keys", "/console/users"] {
        let page = tina.get(path).await;
        let is_offered = |user| page.has(&format!(">user {user}<"));
        let offered = [1, 2, 3, 4, 5].map(is_offered);
        assert_eq!(
            offered,
            [false, true, true, false, false],
            "{path}: {}",
            page.html
        );
    }
    let admin = Visitor::login(&site, "admin").await;
    assert!(admin.get("/console/users").await.has(">user 5<"));
}

#[tokio::test]
async fn key_form_check_reports_errors_and_warnings() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let check = async |fields: &[(&str, &str)]| -> serde_json::Value {
        let page = ulf.fill(NEW, "/console/keys/check", fields).await;
        serde_json::from_str(&page.html).unwrap()
    };
    let answer = check(&[
        ("name", ""),
        ("expires_type", "90"),
        ("allow.0.net", "10.0.0.256"),
    ])
    .await;
    assert_eq!(answer["problems"]["name"], "Name must not be blank.");
    assert!(
        answer["problems"]["allow"]
            .as_str()
            .unwrap()
            .starts_with("Entry 1")
    );
    let answer = check(&[
        ("name", "k"),
        ("expires_type", "90"),
        ("allow.0.net", "10.0.0.1"),
    ])
    .await;
    assert_eq!(answer["problems"], serde_json::json!({}));
    assert!(
        answer["hints"]["ip"]
            .as_str()
            .unwrap()
            .contains("works from nowhere")
    );
    assert!(site.heard().is_empty());
}
