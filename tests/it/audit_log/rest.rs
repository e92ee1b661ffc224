//! The table `audit_log` of the API: it can be read and filtered, and nothing else.

use std::net::SocketAddr;

use apikey_core::Grant;
use axum::Router;
use axum::extract::ConnectInfo;
use gatepost_http::Api;
use gatepost_keys::AuthLayer;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::*;

/// The API of a platform.
struct Rest {
    platform: Platform,
    base: String,
    document: String,
}

impl Rest {
    async fn start() -> Self {
        let platform = Platform::start(&Stores::in_memory()).await;
        let guard = AuthLayer::new(platform.keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let api = Api::builder(platform.door.clone(), guard).build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/api/v4", listener.local_addr().unwrap());
        let document = api.openapi().to_owned();
        let app = Router::new().nest("/api/v4", api.router());
        let forever = std::future::pending();
        tokio::spawn(examples::serve::serve(listener, None, app, forever));
        Self {
            platform,
            base,
            document,
        }
    }

    async fn key(&self, user: u128, grant: Grant) -> String {
        let draft = draft(user, &format!("k{}", rand_name())).with_grant(grant);
        let made = self.platform.keys.create(&principal(user), draft).await;
        made.unwrap().1.reveal().as_str().to_owned()
    }

    async fn call(&self, key: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let request = reqwest::Client::new().request(method, format!("{}/{path}", self.base));
        let mut request = request.bearer_auth(key);
        if !body.is_null() {
            request = request.body(body.to_string());
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    async fn list(&self, key: &str, query: &str) -> Vec<Value> {
        self.platform.log.flush().await;
        let path = format!("audit_log?{query}");
        let (status, rows) = self.call(key, "GET", &path, Value::Null).await;
        assert_eq!(status, 200, "{path}: {rows}");
        rows.as_array().unwrap().clone()
    }
}

/// Returns another name each time.
fn rand_name() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_log_table_is_listed_filtered_and_immutable() {
    let rest = Rest::start().await;
    let ada = rest.key(ADA, Grant::all()).await;
    let hook = json!({"name": "chat", "url": "https://example.com/secret"});
    let (status, made) = rest.call(&ada, "POST", "webhook_urls", hook).await;
    assert_eq!(status, 201, "{made}");
    let edit = json!({"retries": 7, "headers": "X-Token:abc\n"});
    assert_eq!(rest.call(&ada, "PUT", "webhook_urls/1", edit).await.0, 200);
    rest.platform
        .of(BOSS)
        .pause_webhook(WebhookId(1))
        .await
        .unwrap();

    let rows = rest.list(&ada, "fields=all").await;
    assert_eq!(rows.len(), 3, "{rows:?}");
    let edit = &rows[1];
    let wanted = json!({
        "$key": 2, "created": rest.platform.clock_seconds(), "user": "users/1", "actor": "users/1",
        "user_api_key": 1, "address": "127.0.0.1", "record": "webhook_urls/1", "name": "chat",
        "action": "update", "changes": {"headers": null, "retries": ["3", "7"]},
    });
    assert_eq!(edit, &wanted);
    let pause = &rows[2];
    assert_eq!(pause["actor"], "users/2");
    assert_eq!(
        (&pause["user_api_key"], &pause["address"]),
        (&json!(0), &json!(""))
    );

    let found = async |filter: &str| {
        let query = format!("fields=$key&filter={}", filter.replace(' ', "%20"));
        let rows = rest.list(&ada, &query).await;
        rows.iter()
            .map(|row| row["$key"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(found("record eq 'webhook_urls/1'").await, [1, 2, 3]);
    assert_eq!(found("record eq 'tasks/1'").await, [0; 0]);
    assert_eq!(found("actor eq 'users/2'").await, [3]);
    assert_eq!(found("user eq 'users/2'").await, [0; 0]);
    assert_eq!(found("action eq 'update'").await, [2]);
    assert_eq!(found("created gt 4000000000").await, [0; 0]);
    assert_eq!(found("created gt 1000000000").await, [1, 2, 3]);
    assert_eq!(found("$key eq 2").await, [2]);
    let newest = rest.list(&ada, "fields=$key&sort=-$key&limit=2").await;
    assert_eq!(newest, [json!({"$key": 3}), json!({"$key": 2})]);

    let (status, row) = rest
        .call(&ada, "GET", "audit_log/2?fields=all", Value::Null)
        .await;
    assert_eq!((status, &row), (200, &wanted));
    for method in ["PUT", "DELETE"] {
        let (status, _) = rest.call(&ada, method, "audit_log/2", json!({})).await;
        assert_eq!(status, 405, "{method}");
    }
    assert_eq!(rest.call(&ada, "POST", "audit_log", json!({})).await.0, 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_tenants_entries_answer_like_missing_rows() {
    let rest = Rest::start().await;
    rest.platform.webhook(ADA, "chat").await;
    let stranger = rest.key(STRANGER, Grant::all()).await;
    for query in [
        "fields=all",
        "filter=user%20eq%20'users/1'",
        "filter=record%20eq%20'webhook_urls/1'",
    ] {
        assert_eq!(
            rest.list(&stranger, query).await,
            [Value::Null; 0],
            "{query}"
        );
    }
    let others = rest
        .call(&stranger, "GET", "audit_log/1", Value::Null)
        .await;
    let none = rest
        .call(&stranger, "GET", "audit_log/999", Value::Null)
        .await;
    assert_eq!(others, none);
    assert_eq!(others.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn narrowed_key_reads_log_only_if_granted() {
    let rest = Rest::start().await;
    rest.platform.webhook(ADA, "chat").await;
    let tables = |tables: &str| Grant::new(true, tables.parse().unwrap(), Default::default());
    let narrow = rest.key(ADA, tables("tasks")).await;
    let log = rest.key(ADA, tables("audit_log")).await;
    assert_eq!(
        rest.call(&narrow, "GET", "audit_log", Value::Null).await.0,
        403
    );
    assert_eq!(rest.list(&log, "fields=all").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn openapi_has_audit_log_only_if_configured() {
    let rest = Rest::start().await;
    assert!(rest.document.contains("/audit_log/{key}"));
    let platform = &rest.platform;
    let door = Management::builder(platform.keys.clone(), platform.engine.clone()).build();
    let guard = AuthLayer::new(platform.keys.clone(), |_| None);
    let api = Api::builder(door, guard).build();
    assert!(!api.openapi().contains("audit_log"));
}

impl Platform {
    fn clock_seconds(&self) -> i64 {
        gatepost_storage::Clock::now(&*self.clock).timestamp()
    }
}
