//! The permissions of a narrowed key: every method of every table, the platform's own tables and
//! routes, and the data of other tables that they show.

use std::net::SocketAddr;
use std::sync::Arc;

use apikey_core::{Grant, KeyDraft, OwnerId};
use async_trait::async_trait;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::{get, post};
use examples::client::{Response, call};
use gatepost_http::{Action, Api, Column, PlatformError, PlatformRows, PlatformTable};
use gatepost_keys::AuthLayer;
use gatepost_manage::{Management, Principal};
use serde_json::{Map, Value, json};
use tests::world::{Expect as _, HERE, World};
use tokio::net::TcpListener;
use webhook_model::ObjectId;

/// The tables, each with the name of a row in actions, and an action.
const TABLES: [(&str, &str, Option<&str>); 6] = [
    ("user_api_keys", "user_api_key", None),
    ("webhook_urls", "webhook_url", Some("send")),
    ("webhooks", "webhook", Some("replay")),
    ("tasks", "task", Some("execute")),
    ("task_events", "task_event", Some("trigger")),
    ("vms", "vm", Some("poweron")),
];
const SCOPE: &str = "machines:power";

static VMS: PlatformTable = PlatformTable::new(
    "vms",
    "vm",
    "Virtual machines.",
    &[Column::text("name", "\"web-1\"", "Its name.").short()],
    &[Action::new("poweron", "Powers it on.")],
);

/// A table of the platform, with one row.
#[derive(Debug)]
struct Vms;

#[async_trait]
impl PlatformRows for Vms {
    fn table(&self) -> &'static PlatformTable {
        &VMS
    }

    async fn rows(&self, _caller: &Principal) -> Result<Vec<Map<String, Value>>, PlatformError> {
        let row = json!({"$key": 1, "name": "web-1"});
        Ok(row.as_object().cloned().into_iter().collect())
    }

    async fn act(
        &self,
        _caller: &Principal,
        _key: ObjectId,
        _act: &str,
    ) -> Result<(), PlatformError> {
        Ok(())
    }
}

/// A platform with a table, and two own routes, of which one has a scope.
struct Site {
    world: World,
    server: SocketAddr,
}

impl Site {
    async fn start() -> Self {
        let world = World::start().await;
        let guard = AuthLayer::new(world.keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let management = Management::builder(world.keys.clone(), world.engine.clone())
            .tables(["vms".parse().unwrap()])
            .scopes([SCOPE.parse().unwrap()])
            .build();
        let api = Api::builder(management, guard.clone()).table(Arc::new(Vms));
        let plain = get(async || "read").post(async || "written");
        let power = post(async || "on").get(async || "off");
        let power = Router::new()
            .route("/power", power)
            .layer(guard.clone().require_scope(SCOPE.parse().unwrap()));
        let app = Router::new()
            .route("/plain", plain)
            .layer(guard)
            .merge(power)
            .nest("/api/v4", api.build().router());
        let listener = TcpListener::bind((HERE, 0)).await.unwrap();
        let server = listener.local_addr().unwrap();
        let forever = std::future::pending();
        tokio::spawn(examples::serve::serve(listener, None, app, forever));
        Self { world, server }
    }

    /// Creates a key of user 3, narrowed to this.
    async fn key(&self, read_only: bool, tables: &str, scopes: &str) -> String {
        let name = format!("{read_only} {tables} {scopes}");
        let draft = KeyDraft::new(OwnerId(3), name.parse().unwrap()).with_grant(Grant::new(
            read_only,
            tables.parse().unwrap(),
            scopes.parse().unwrap(),
        ));
        let made = self.world.keys.create(&self.world.user(3), draft).await;
        made.unwrap().1.reveal().as_str().to_owned()
    }

    async fn call(&self, key: &str, method: &str, path: &str, body: Option<Value>) -> Response {
        let path = match path.strip_prefix('/') {
            Some(_) => path.to_owned(),
            None => format!("/api/v4/{path}"),
        };
        let sent = call(self.server, HERE, method, &path, Some(key), body.as_ref());
        sent.await.unwrap()
    }

    async fn make(&self, key: &str, table: &str, body: Value) -> i64 {
        let made = self.call(key, "POST", table, Some(body)).await;
        let row = made.json()["$row"].as_i64();
        row.unwrap_or_else(|| panic!("{table}: {}", made.body))
    }
}

/// Returns every method of a table on a missing row, except for the platform's.
fn requests(
    (table, singular, action): (&str, &str, Option<&str>),
) -> Vec<(&'static str, String, Option<Value>)> {
    let row = if table == "vms" { 1 } else { 999_999 };
    let one = format!("{table}/{row}");
    let mut all = vec![
        ("GET", table.to_owned(), None),
        ("HEAD", table.to_owned(), None),
        ("GET", format!("{table}?fields=all&limit=1"), None),
        ("GET", one.clone(), None),
        ("POST", table.to_owned(), Some(json!({}))),
        ("PUT", one.clone(), Some(json!({}))),
        ("DELETE", one.clone(), None),
    ];
    if let Some(action) = action {
        let act = json!({singular: row, "action": action});
        all.extend([
            ("PUT", format!("{one}?action={action}"), Some(json!({}))),
            ("POST", format!("{one}/{action}"), Some(json!({}))),
            ("POST", format!("{singular}_actions"), Some(act)),
        ]);
    }
    all
}

#[tokio::test]
async fn key_grants_decide_every_method_of_every_table() {
    let site = Site::start().await;
    let plain = site.key(false, "", "").await;
    let mut keys = vec![
        (site.key(true, "", "").await, true, None),
        (site.key(false, "", SCOPE).await, false, Some("")),
    ];
    for (table, ..) in TABLES {
        keys.push((site.key(false, table, "").await, false, Some(table)));
        keys.push((site.key(true, table, SCOPE).await, true, Some(table)));
    }
    let (mut refused, mut carried_out) = (0, 0);
    for named in TABLES {
        let (table, ..) = named;
        for (method, path, body) in requests(named) {
            let control = site.call(&plain, method, &path, body.clone()).await.status;
            assert_ne!(control, 403, "the control: {method} {path}");
            let writes = !["GET", "HEAD"].contains(&method);
            for (key, read_only, only) in &keys {
                let at = format!("{method} {path}: {read_only} {only:?}");
                let got = site.call(key, method, &path, body.clone()).await;
                let why = match only {
                    Some(only) if *only != table => format!("may not use the table '{table}'"),
                    _ if *read_only && writes => "is read-only".to_owned(),
                    _ => {
                        assert_eq!(got.status, control, "{at}: {}", got.body);
                        carried_out += 1;
                        continue;
                    }
                };
                // A method that the table does not have is refused as such, for every caller.
                if control == 405 && got.status == 405 {
                    continue;
                }
                assert_eq!(got.status, 403, "{at}: {}", got.body);
                assert!(
                    method == "HEAD" || got.body.contains(&why),
                    "{at}: {}",
                    got.body
                );
                refused += 1;
            }
        }
    }
    assert!(
        refused > 500 && carried_out > 100,
        "{refused} {carried_out}"
    );
}

#[tokio::test]
async fn endpoints_outside_tables_respect_key_confinement() {
    let site = Site::start().await;
    let plain = site.key(false, "", "").await;
    let reader = site.key(true, "", "").await;
    let tasks = site.key(true, "tasks", "").await;
    let hooks = site.key(false, "user_api_keys,webhook_urls", "").await;
    let row = site.make(
        &plain,
        "webhook_urls",
        json!({"name": "w", "url": "https://e.example/"}),
    );
    let counts = format!("webhook_counts?webhook_url={}", row.await);
    let of_key = site.call(&plain, "GET", "whoami", None).await.json()["key"].clone();
    let uses = format!("user_api_key_uses?key={of_key}");
    for (path, wanted) in [
        ("system", [200, 200, 200, 200]),
        ("whoami", [200, 200, 200, 200]),
        ("openapi.json", [200, 200, 200, 200]),
        ("limits", [200, 200, 403, 403]),
        (&counts, [200, 200, 403, 200]),
        (&uses, [200, 200, 403, 200]),
        ("rejected_deliveries", [200, 200, 403, 200]),
        ("none", [404, 404, 404, 404]),
    ] {
        let mut got = [0; 4];
        for (status, key) in got.iter_mut().zip([&plain, &reader, &tasks, &hooks]) {
            *status = site.call(key, "GET", path, None).await.status;
        }
        assert_eq!(got, wanted, "{path}");
    }
}

#[tokio::test]
async fn platform_routes_require_scope_of_narrowed_keys() {
    let site = Site::start().await;
    let plain = site.key(false, "", "").await;
    let reader = site.key(true, "", "").await;
    let scoped = site.key(false, "", SCOPE).await;
    let reading = site.key(true, "", SCOPE).await;
    let tables = site.key(false, "vms", "").await;
    for (method, path, wanted) in [
        ("GET", "/plain", [200, 200, 403, 403, 403]),
        ("POST", "/plain", [200, 403, 403, 403, 403]),
        ("GET", "/power", [200, 200, 200, 200, 403]),
        ("POST", "/power", [200, 403, 200, 403, 403]),
    ] {
        let mut got = [0; 5];
        for (status, key) in got
            .iter_mut()
            .zip([&plain, &reader, &scoped, &reading, &tables])
        {
            *status = site.call(key, method, path, None).await.status;
        }
        assert_eq!(got, wanted, "{method} {path}");
    }
    let refused = site.call(&tables, "POST", "/power", None).await;
    let words = "This API key does not have the scope 'machines:power'";
    assert_eq!(refused.json(), json!({"err": words}));
    let challenge = r#"Bearer error="insufficient_scope", scope="machines:power""#;
    assert_eq!(refused.header("www-authenticate"), Some(challenge));
    assert_eq!(refused.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn joins_counts_and_refusals_hide_ungranted_tables() {
    let site = Site::start().await;
    let plain = site.key(false, "", "").await;
    let hook = json!({"name": "hidden hook", "url": "https://e.example/"});
    let hook = site.make(&plain, "webhook_urls", hook).await;
    let task = json!({"name": "hidden task", "owner": hook});
    site.make(&plain, "tasks", task).await;
    let (tasks, hooks) = (
        "tasks?fields=$key,owner%23$display%20as%20hook,count(events)%20as%20events",
        format!("webhook_urls/{hook}"),
    );
    let joined = site.call(&plain, "GET", tasks, None).await;
    assert_eq!(
        joined.json(),
        json!([{"$key": 1, "hook": "hidden hook", "events": 0}]),
        "the control"
    );
    let only = site.key(false, "tasks", "").await;
    let joined = site.call(&only, "GET", tasks, None).await;
    assert_eq!(joined.json(), json!([{"$key": 1}]));
    let in_use = site.call(&plain, "DELETE", &hooks, None).await;
    assert!(
        in_use.status == 409 && in_use.body.contains("hidden task"),
        "{}",
        in_use.body
    );
    let only = site.key(false, "webhook_urls", "").await;
    let in_use = site.call(&only, "DELETE", &hooks, None).await;
    assert!(
        in_use.status == 409 && !in_use.body.contains("hidden"),
        "{}",
        in_use.body
    );
}

/// Returns the columns of a key that hold its permissions.
fn grant_of(row: &Value) -> Value {
    json!([
        row["read_only"],
        row["tables"],
        row["scopes"],
        row["enabled"]
    ])
}

#[tokio::test]
async fn key_narrowing_is_set_and_validated_over_api() {
    let site = Site::start().await;
    let plain = site.key(false, "", "").await;
    let new = json!({"user": 3, "name": "n", "read_only": true, "tables": " vms ,tasks"});
    let id = site.make(&plain, "user_api_keys", new).await;
    let path = format!("user_api_keys/{id}");
    let put = async |body: Value| site.call(&plain, "PUT", &path, Some(body)).await;
    let row = site.call(&plain, "GET", &path, None).await.json();
    assert_eq!(grant_of(&row), json!([true, "tasks,vms", "", true]));
    let row = put(json!({"scopes": SCOPE})).await.json();
    assert_eq!(grant_of(&row), json!([true, "tasks,vms", SCOPE, true]));
    let row = put(json!({"read_only": false, "tables": ""})).await.json();
    assert_eq!(grant_of(&row), json!([false, "", SCOPE, true]));
    assert_eq!(put(row.clone()).await.json(), row, "sent back whole");
    for (field, value) in [
        ("tables", "vmz"),
        ("tables", "VMS"),
        ("tables", "vms,"),
        ("tables", "limits"),
        ("scopes", "machines"),
        ("scopes", "a b"),
    ] {
        let refused = put(json!({field: value})).await;
        assert_eq!(refused.status, 422, "{field} {value}: {}", refused.body);
        let named = format!("Validation error on field: '{field}'");
        assert!(refused.body.contains(&named), "{}", refused.body);
    }
    let off = json!({"user": 3, "name": "off", "enabled": false});
    let refused = site.call(&plain, "POST", "user_api_keys", Some(off)).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    // Clients that do not use the feature see the same as before.
    let list = site
        .call(&plain, "GET", "user_api_keys?limit=1", None)
        .await
        .json();
    let columns: Vec<&str> = list[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let known = "$key created description enabled expires expires_type lastlogin_ip lastlogin_stamp name user";
    assert_eq!(columns.join(" "), known);
}

#[tokio::test]
async fn narrowed_key_cannot_create_or_widen_beyond_itself() {
    let site = Site::start().await;
    let plain = site.key(false, "", "").await;
    let narrow = site.key(false, "user_api_keys,tasks", "").await;
    let wide = site.call(&plain, "GET", "whoami", None).await.json()["key"].clone();
    let own = site.call(&narrow, "GET", "whoami", None).await.json()["key"].clone();
    let make = json!({"user": 3, "name": "new"});
    let (wide, own) = (
        format!("user_api_keys/{wide}"),
        format!("user_api_keys/{own}"),
    );
    for (method, path, body, field) in [
        ("POST", "user_api_keys", make, "tables"),
        ("PUT", &own, json!({"tables": ""}), "tables"),
        (
            "PUT",
            &own,
            json!({"tables": "user_api_keys,vms"}),
            "tables",
        ),
        ("PUT", &own, json!({"scopes": SCOPE}), "scopes"),
    ] {
        let refused = site.call(&narrow, method, path, Some(body.clone())).await;
        assert_eq!(refused.status, 422, "{body}: {}", refused.body);
        let named = format!("Validation error on field: '{field}'");
        assert!(refused.body.contains(&named), "{body}: {}", refused.body);
    }
    site.call(&narrow, "PUT", &wide, Some(json!({"enabled": false})))
        .await
        .expect(200);
    site.call(&narrow, "PUT", &wide, Some(json!({"enabled": true})))
        .await
        .expect(422);
    let same = json!({"user": 3, "name": "new", "tables": "tasks"});
    site.make(&narrow, "user_api_keys", same).await;
}

#[tokio::test]
async fn whoami_shows_caller_key_and_permissions() {
    let site = Site::start().await;
    let key = site.key(true, "tasks", SCOPE).await;
    let mut said = site.call(&key, "GET", "whoami", None).await.json();
    let masked = said["masked_key"].take();
    let masked = masked.as_str().unwrap().trim_end_matches('…');
    assert!(
        key.starts_with(masked) && masked.len() < key.len() / 2,
        "{masked}"
    );
    assert_eq!(
        said,
        json!({
            "user": 3, "user_name": null, "access": "user", "tenant": 1, "via": "key",
            "key": said["key"], "key_name": "true tasks machines:power", "masked_key": null,
            "expires": 0, "read_only": true, "tables": "tasks", "scopes": SCOPE,
            "requests_per_minute": 0, "user_requests_per_minute": 0,
        })
    );
    site.call("gp_wrong", "GET", "whoami", None)
        .await
        .expect(401);
}
