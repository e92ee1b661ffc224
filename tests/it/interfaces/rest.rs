//! One `Management` for REST API and console: a change and its audit record come together or not at
//! all, a failing platform fails only the call that met it, and the same act has the same word.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use async_trait::async_trait;
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use examples::client::{Response, call};
use gatepost_keys::{AccessLevel, Account, Principal, Via};
use gatepost_manage::{Audit, Audited, Operation};
use gatepost_storage::webhooks::RecordId;
use serde_json::{Value, json};
use tests::interfaces::{Act, DoorSite, Mood, Parts, Rest, Roof, request, walk, words};
use tests::world::HERE;
use webhook_model::{OwnerId, Webhook};

#[tokio::test]
async fn rest_disconnect_leaves_change_and_record_or_neither() {
    let (count, findings) = walk(&Rest).await;
    assert_eq!(count, 52);
    assert!(findings.is_empty(), "{findings:#?}");
}

/// Stores in the handler and audits afterwards, which no handler may do.
struct Careless;

#[async_trait]
impl Roof for Careless {
    fn mount(&self, parts: &Parts) -> Router {
        Router::new()
            .route("/careless", post(careless))
            .with_state(parts.clone())
    }

    async fn acts(&self, _site: &DoorSite) -> Vec<Act> {
        vec![Act {
            what: "create webhook",
            spelling: "POST /careless".into(),
            request: request("POST", "/careless", &[], ""),
            held: ("insert_webhook", 1),
            table: "webhook_urls",
            operation: Operation::Create,
        }]
    }
}

async fn careless(State(parts): State<Parts>) {
    let url = "http://127.0.0.1:9/".parse().unwrap();
    let webhook = Webhook::new(OwnerId(1), "new".parse().unwrap(), url);
    let row = parts.engine.create_webhook(&webhook).await.unwrap();
    let admin = Account::enabled(AccessLevel::SystemAdministrator);
    let admin = Principal::new(OwnerId(1), admin, Via::Platform);
    let change = Audited::new(
        &admin,
        "webhook_urls",
        Some(row.id.into()),
        Operation::Create,
    );
    parts.heard.record(&change);
}

#[tokio::test]
async fn disconnect_walk_detects_handler_with_own_audit() {
    let (_, findings) = walk(&Careless).await;
    let said: Vec<_> = findings.iter().map(|finding| &finding.said).collect();
    assert_eq!(said, ["changed: true, records: []"]);
    // While the client stays, the fault does not show.
    assert_eq!(words(&Careless).await.len(), 1);
}

#[tokio::test]
async fn rest_action_writes_one_record_with_declared_word() {
    let words = words(&Rest).await;
    assert_eq!(words.len(), 26);
    let operations: BTreeSet<_> = words.values().map(|(_, word)| word.as_str()).collect();
    let expected = [
        "cancel", "create", "delete", "disable", "enable", "pause", "replay", "resume", "retry",
        "roll", "run", "send", "trigger", "update",
    ];
    assert_eq!(operations, BTreeSet::from(expected));
}

pub(super) async fn ask(
    site: &DoorSite,
    key: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Response {
    let addr: SocketAddr = site.addr;
    call(
        addr,
        HERE,
        method,
        &format!("/api/v4/{path}"),
        Some(key),
        body,
    )
    .await
    .unwrap()
}

/// User 2, who administers the tenant, reads the webhook of user 3: the platform must answer about
/// 3.
#[tokio::test(start_paused = true)]
async fn faulty_accounts_interface_fails_only_asking_call() {
    let site = DoorSite::start(&Rest).await;
    let (_, administrator) = site.key_of(2, "tina").await;
    let (_, user) = site.key_of(3, "ulf").await;
    let body = json!({"name": "ulf's", "url": "http://127.0.0.1:9/"});
    let made = ask(&site, &user, "POST", "webhook_urls", Some(&body)).await;
    let path = format!("webhook_urls/{}", made.json()["$row"]);
    let before = site.parts.heard.all().len();
    for mood in [Mood::Panics, Mood::Hangs, Mood::Errs] {
        site.parts.platform.set_accounts(mood);
        for (method, body) in [
            ("GET", None),
            ("PUT", Some(json!({"timeout": 7}))),
            ("DELETE", None),
        ] {
            let answer = ask(&site, &administrator, method, &path, body.as_ref()).await;
            assert_eq!(answer.status, 503, "{mood:?} {method}: {}", answer.body);
        }
        let other = ask(&site, &site.admin, "GET", &path, None).await;
        assert_eq!((other.status, &other.json()["timeout"]), (200, &json!(5)));
    }
    assert_eq!(site.parts.heard.all().len(), before);
    site.parts.platform.set_accounts(Mood::Well);
    let answer = ask(&site, &administrator, "DELETE", &path, None).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(site.parts.heard.all().len(), before + 1);
}

#[tokio::test(start_paused = true)]
async fn faulty_directory_leaves_name_out() {
    let site = DoorSite::start(&Rest).await;
    let path = format!(
        "webhook_urls/{}?fields=name,owner%23name",
        site.rows.webhook
    );
    let name = async || {
        let answer = ask(&site, &site.admin, "GET", &path, None).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.json()["name"], "refused");
        answer.json()["owner#name"].clone()
    };
    assert_eq!(name().await, "users 1");
    for mood in [Mood::Panics, Mood::Hangs, Mood::Errs] {
        site.parts.platform.set_directory(mood);
        assert_eq!(name().await, Value::Null, "{mood:?}");
        // An event about an object is triggered without the object's name.
        let event =
            json!({"task": site.rows.task.0, "table": "vms", "event": "poweron", "owner": "vms/3"});
        let event = ask(&site, &site.admin, "POST", "task_events", Some(&event)).await;
        let path = format!("task_events/{}/trigger", event.json()["$row"]);
        let answer = ask(&site, &site.admin, "POST", &path, None).await;
        assert_eq!(answer.status, 200, "{mood:?}: {}", answer.body);
    }
}

#[tokio::test]
async fn audit_log_panic_does_not_undo_change() {
    let site = DoorSite::start(&Rest).await;
    let path = format!("webhook_urls/{}", site.rows.webhook);
    let change = json!({"timeout": 7});
    site.parts.heard.set_panics(true);
    let answer = ask(&site, &site.admin, "PUT", &path, Some(&change)).await;
    assert_eq!((answer.status, &answer.json()["timeout"]), (200, &json!(7)));
    site.parts.heard.set_panics(false);
    let answer = ask(
        &site,
        &site.admin,
        "PUT",
        &path,
        Some(&json!({"timeout": 8})),
    )
    .await;
    assert_eq!(answer.status, 200);
    assert_eq!(site.parts.heard.all().len(), 1);
}

/// A row of one user that cannot be read fails no list of callers who see other rows too.
#[tokio::test]
async fn join_through_unreadable_row_is_omitted() {
    let site = DoorSite::start(&Rest).await;
    let lists = [
        "tasks?fields=$key,owner%23name,owner%23$display",
        "webhooks?fields=$key,webhook_url%23name",
    ];
    let names = async |path: &str| {
        let answer = ask(&site, &site.admin, "GET", path, None).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    };
    let before = [names(lists[0]).await, names(lists[1]).await];
    assert!(before[0].to_string().contains("refused"), "{}", before[0]);
    let webhook = RecordId::Webhook(site.rows.webhook);
    site.store.set_unreadable(webhook, true);
    for (path, before) in lists.into_iter().zip(&before) {
        let found = names(path).await;
        let (rows, all) = (found.as_array().unwrap(), before.as_array().unwrap());
        assert_eq!(rows.len(), all.len(), "{path}");
        assert!(!found.to_string().contains("refused"), "{found}");
    }
}
