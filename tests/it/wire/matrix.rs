//! The permissions of callers: every operation of the OpenAPI document, by every kind of caller, on
//! rows of one user. The document names the operations, so none is forgotten.

use examples::client::{Response, call};
use examples::receiver::Receiver;
use gatepost_keys::{AccessLevel, Account, TenantId};
use serde_json::{Value, json};
use tests::world::{HERE, World};
use webhook_model::WebhookId;

/// The owner of the rows, in the tenant that user 2 administers (`tests::world`).
const OWNER: u128 = 3;

/// The expected response to a caller.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rights {
    /// All that the request asks for.
    All,
    /// A missing row.
    None,
    /// Always this status.
    Status(u16),
}

/// Rows of the owner, in the order in which they can be deleted.
struct Rows([(&'static str, &'static str, i64); 5]);

impl Rows {
    async fn make(world: &World, receiver: &Receiver, owner: &str, mark: &str) -> Self {
        let row = async |table: &str, body: Value| {
            let made = world.call(owner, HERE, "POST", table, Some(body)).await;
            let key = made.json()["$row"].as_i64();
            key.unwrap_or_else(|| panic!("{table}: {}", made.body))
        };
        let url = format!("http://{}/x", receiver.addr);
        let webhook = row("webhook_urls", json!({"name": mark, "url": url})).await;
        let task = row("tasks", json!({"name": mark, "owner": webhook})).await;
        let event = json!({"task": task, "table": "vms", "event": "poweron", "tag": 4});
        let event = row("task_events", event).await;
        let key = row("user_api_keys", json!({"user": OWNER, "name": mark})).await;
        let delivery = world.engine.send(WebhookId(webhook), None).await.unwrap();
        world.ended(delivery).await;
        Self([
            ("webhooks", "webhook", delivery.0),
            ("task_events", "task_event", event),
            ("tasks", "task", task),
            ("webhook_urls", "webhook_url", webhook),
            ("user_api_keys", "user_api_key", key),
        ])
    }

    fn key(&self, table: &str) -> i64 {
        self.0.iter().find(|row| row.0 == table).unwrap().2
    }

    /// Returns a creation on behalf of the owner, or with a reference to a row of the owner.
    fn creation(&self, table: &str, mark: &str) -> Value {
        match table {
            "user_api_keys" => json!({"user": OWNER, "name": format!("new {mark}")}),
            "webhook_urls" => json!({"name": format!("new {mark}"), "url": "https://example.com/"}),
            "tasks" => json!({"name": "new", "owner": self.key("webhook_urls")}),
            "task_events" => {
                json!({"task": self.key("tasks"), "table": "alarms", "event": "raised"})
            }
            other => panic!("{other} cannot be created, says this test"),
        }
    }
}

/// One request of the matrix.
#[derive(Debug)]
struct Request {
    method: String,
    path: String,
    body: Value,
    /// Statuses that mean that it was carried out, or would have been in another state of the row.
    good: &'static [u16],
}

/// Returns every operation of the document on these rows; deletions last.
fn requests(document: &Value, rows: &Rows, mark: &str) -> Vec<Request> {
    let mut all = Vec::new();
    let mut add = |method: &str, path: String, body: Value, good| {
        let method = method.to_uppercase();
        all.push(Request {
            method,
            path,
            body,
            good,
        });
    };
    for (path, operations) in document["paths"].as_object().unwrap() {
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let methods = operations.as_object().unwrap().keys();
        for method in methods.filter(|key| *key != "parameters") {
            match (method.as_str(), parts.as_slice()) {
                ("get", ["user_api_key_uses"]) => add(
                    method,
                    format!("user_api_key_uses?key={}", rows.key("user_api_keys")),
                    Value::Null,
                    &[200],
                ),
                ("get", ["webhook_counts"]) => add(
                    method,
                    format!("webhook_counts?webhook_url={}", rows.key("webhook_urls")),
                    Value::Null,
                    &[200],
                ),
                // Messages of these webhooks cannot be fetched: callers with the rights receive
                // that rule.
                ("get", [table, _, "messages"]) => add(
                    method,
                    format!("{table}/{}/messages", rows.key(table)),
                    Value::Null,
                    &[422],
                ),
                ("get", [name]) => add(method, (*name).to_owned(), Value::Null, &[200]),
                ("post", [name]) if name.ends_with("_actions") => {
                    let (table, singular, key) = *rows
                        .0
                        .iter()
                        .find(|row| format!("{}_actions", row.1) == *name)
                        .unwrap();
                    let words = &document["components"]["schemas"][format!("{singular}_action")];
                    for action in words["enum"].as_array().unwrap() {
                        let body = json!({singular: key, "action": action});
                        add(method, (*name).to_owned(), body, &[200, 409]);
                        add(
                            "put",
                            format!("{table}/{key}?action={}", action.as_str().unwrap()),
                            json!({}),
                            &[200, 409],
                        );
                    }
                }
                // The permission is tested in `leaked_keys`: only a system administrator has it.
                ("post", ["leaked_keys"]) => add(
                    method,
                    "leaked_keys".to_owned(),
                    json!({"text": "none"}),
                    &[200, 403],
                ),
                ("post", ["subscriptions"]) => add(
                    method,
                    "subscriptions".to_owned(),
                    json!({
                        "name": "new",
                        "webhook_url": rows.key("webhook_urls"),
                        "events": [{"table": "alarms", "event": "raised"}],
                    }),
                    &[201],
                ),
                ("post", [table]) => add(
                    method,
                    (*table).to_owned(),
                    rows.creation(table, mark),
                    &[201],
                ),
                ("get", [table, _]) => add(
                    method,
                    format!("{table}/{}", rows.key(table)),
                    Value::Null,
                    &[200],
                ),
                // The log's rows are not changed, only acted on.
                ("put", ["webhooks", _]) => {}
                ("put", [table, _]) => {
                    let column = if *table == "task_events" {
                        "context"
                    } else {
                        "description"
                    };
                    let change = if *table == "webhook_urls" {
                        json!({"timeout": 9})
                    } else if column == "context" {
                        json!({column: {}})
                    } else {
                        json!({column: "x"})
                    };
                    add(
                        method,
                        format!("{table}/{}", rows.key(table)),
                        change,
                        &[200],
                    );
                }
                ("post", [table, _, action]) => add(
                    method,
                    format!("{table}/{}/{action}", rows.key(table)),
                    json!({}),
                    &[200, 409],
                ),
                ("delete", [_, _]) => {}
                other => panic!("an operation that this test does not know: {other:?}"),
            }
        }
    }
    for (table, _, key) in rows.0 {
        // The task that was created above uses the webhook.
        let good: &[u16] = if table == "webhook_urls" {
            &[409]
        } else {
            &[200]
        };
        all.push(Request {
            method: "DELETE".into(),
            path: format!("{table}/{key}"),
            body: Value::Null,
            good,
        });
    }
    all
}

fn judge(actor: &str, rights: Rights, rows: &Rows, request: &Request, answer: &Response) {
    let Request {
        method, path, good, ..
    } = request;
    let told = format!(
        "{actor}: {method} {path}: {} {}",
        answer.status, answer.body
    );
    let list = method == "GET" && !path.contains('/') && !path.contains('?');
    let sees = || {
        answer
            .json()
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["$key"] == rows.key(path))
    };
    match rights {
        Rights::Status(status) => assert_eq!(answer.status, status, "{told}"),
        _ if ["limits", "rejected_deliveries", "system", "whoami"].contains(&path.as_str()) => {
            assert_eq!(answer.status, 200, "{told}");
        }
        Rights::All => {
            assert!(good.contains(&answer.status), "{told}");
            assert!(!list || sees(), "{told}");
        }
        Rights::None if list => assert!(answer.status == 200 && !sees(), "{told}"),
        // A webhook of the caller; and one for another user, or with a reference to another's.
        Rights::None if method == "POST" && path == "webhook_urls" => {
            assert_eq!(answer.status, 201, "{told}");
        }
        Rights::None if method == "POST" && !path.contains('/') && !path.ends_with("_actions") => {
            assert!([403, 422].contains(&answer.status), "{told}");
        }
        Rights::None => assert_eq!(answer.status, 404, "{told}"),
    }
}

#[tokio::test]
async fn every_operation_by_every_kind_of_caller() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let owner = world.key_of(OWNER, "login").await;
    world
        .users
        .set(5, Some(Account::enabled(AccessLevel::SystemAdministrator)));
    world
        .users
        .set(6, Some(Account::enabled(AccessLevel::SystemAdministrator)));
    let elsewhere = Account::enabled(AccessLevel::TenantAdministrator).in_tenant(TenantId(2));
    world.users.set(7, Some(elsewhere));
    let (disabled, removed) = (
        world.key_of(5, "disabled").await,
        world.key_of(6, "removed").await,
    );
    let mut account = Account::enabled(AccessLevel::SystemAdministrator);
    account.enabled = false;
    world.users.set(5, Some(account));
    world.users.set(6, None);
    let limited = world
        .make_key(json!({"name": "limited", "ip_allow_list": "10.0.0.0/8"}))
        .await
        .0;
    let expired = world
        .make_key(json!({"name": "expired", "expires": world.now() + 60}))
        .await
        .0;
    let (deleted, row) = world.make_key(json!({"name": "deleted"})).await;
    world.delete(&format!("user_api_keys/{row}")).await;
    let (switched_off, row) = world.make_key(json!({"name": "switched off"})).await;
    let off = Some(json!({"enabled": false}));
    world.api("PUT", &format!("user_api_keys/{row}"), off).await;
    world.clock.advance(std::time::Duration::from_secs(61));

    let document = world.get("openapi.json").await.json();
    let actors = [
        ("system administrator", world.admin.clone(), Rights::All),
        ("owner", owner.clone(), Rights::All),
        (
            "administrator of the tenant",
            world.key_of(2, "k").await,
            Rights::All,
        ),
        (
            "administrator of another tenant",
            world.key_of(7, "k").await,
            Rights::None,
        ),
        ("other user", world.key_of(4, "k").await, Rights::None),
        ("key refused at this address", limited, Rights::Status(403)),
        ("nobody", String::new(), Rights::Status(401)),
        ("disabled administrator", disabled, Rights::Status(401)),
        ("removed administrator", removed, Rights::Status(401)),
        (
            "expired key of an administrator",
            expired,
            Rights::Status(401),
        ),
        (
            "deleted key of an administrator",
            deleted,
            Rights::Status(401),
        ),
        (
            "disabled key of an administrator",
            switched_off,
            Rights::Status(401),
        ),
    ];
    for (actor, key, rights) in actors {
        let rows = Rows::make(&world, &receiver, &owner, actor).await;
        let requests = requests(&document, &rows, actor);
        assert!(requests.len() > 45, "{}", requests.len());
        for (number, request) in requests.iter().enumerate() {
            let token = (!key.is_empty()).then_some(key.as_str());
            // Guessing is slowed down by address: refused requests come from many.
            let from = if rights == Rights::Status(401) {
                format!("127.0.1.{}", number % 200 + 1).parse().unwrap()
            } else {
                HERE
            };
            let body = (!request.body.is_null()).then_some(&request.body);
            let path = format!("/api/v4/{}", request.path);
            let answer = call(world.server, from, &request.method, &path, token, body)
                .await
                .unwrap();
            judge(actor, rights, &rows, request, &answer);
        }
        // A refused request changed nothing.
        for (table, _, row) in rows.0.iter().filter(|_| rights != Rights::All) {
            let path = format!("{table}/{row}");
            assert_eq!(world.get(&path).await.status, 200, "{actor}: {path}");
        }
    }
}
