//! A platform whose users and tenants are UUIDs and whose objects are texts: it has everything that
//! a platform with integers has.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use apikey_core::KeyDraft;
use async_trait::async_trait;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::request::Parts as Head;
use delivery::{Schedule, Sender, TargetPolicy};
use examples::receiver::Receiver;
use gatepost_console::{Console, ConsoleLogin, LoggedIn, Visit};
use gatepost_engine::Engine;
use gatepost_http::Api;
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, TenantId};
use gatepost_keys::{AuthLayer, KeyService, Principal, Via};
use gatepost_manage::{AuditLog, Choice, Directory, Management};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::{AuditStore, KeyStore, WebhookStore};
use serde_json::{Value, json};
use tests::permissive_platform::with_tenants;
use tests::postgres::fresh;
use tokio::net::TcpListener;
use webhook_model::{Catalog, Object, ObjectId, Occurrence, Specificity};

const ADA: &str = "018f3c1e-6b7a-7d43-9f10-5a2b6c7d8e9f";
const BOB: &str = "f81d4fae-7dec-41d0-8765-00a0c91e6bf6";
const NORTH: &str = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
const SOUTH: &str = "00000000-0000-4000-8000-000000000002";
const MACHINE: &str = "i-0abc12:eu/west";

fn owner(id: &str) -> OwnerId {
    id.parse().unwrap()
}

fn tenant(id: &str) -> TenantId {
    id.parse().unwrap()
}

/// The tenant of each user.
#[derive(Debug)]
struct Users(Mutex<HashMap<OwnerId, TenantId>>);

impl Users {
    fn account_of(&self, owner: OwnerId) -> Option<Account> {
        let tenant = self.0.lock().unwrap().get(&owner).copied()?;
        Some(Account::enabled(AccessLevel::User).in_tenant(tenant))
    }
}

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(self.account_of(owner)))
    }
}

#[derive(Debug)]
struct Names;

#[async_trait]
impl Directory for Names {
    async fn name(&self, _caller: &Principal, table: &str, key: ObjectId) -> Option<String> {
        let machine = table == "vms" && key.as_str() == MACHINE;
        let user = table == "users" && key == owner(ADA).into();
        [(machine, "web"), (user, "Ada")]
            .into_iter()
            .find_map(|(is, name)| is.then(|| name.to_owned()))
    }

    async fn choices(&self, _caller: &Principal, _table: &str, _limit: usize) -> Vec<Choice> {
        Vec::new()
    }
}

/// A login: the user whose id is the session's cookie.
#[derive(Debug)]
struct ByCookie;

#[async_trait]
impl ConsoleLogin for ByCookie {
    async fn who(&self, request: &Head, _visit: Visit) -> Option<LoggedIn> {
        let cookie = request.headers.get("cookie")?.to_str().ok()?;
        let user = cookie.strip_prefix("user=")?;
        Some(LoggedIn::new(user.parse().ok()?, user, user))
    }

    fn login_url(&self, _back: &str) -> String {
        "/login".into()
    }
}

/// The database for the platform's own SQL.
enum Database {
    File(PathBuf),
    Server { url: String, schema: String },
}

impl Database {
    /// Rows of the outbox, one for each audience, as the platform's own statements write them.
    async fn tell(&self, column: &str, ids: &[&str]) {
        let statement = |id: &str, table: &str| {
            format!(
                "INSERT INTO {table} (event_type, event, object_id, object_name, {column})
                 VALUES ('vms', 'on', '{MACHINE}', 'web', '{id}')"
            )
        };
        match self {
            Self::File(path) => {
                let connection = rusqlite::Connection::open(path).unwrap();
                for id in ids {
                    let insert = statement(id, "gatepost_occurrence");
                    connection.execute(&insert, []).unwrap();
                }
            }
            Self::Server { url, schema } => {
                let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
                let (client, connection) = connected.unwrap();
                tokio::spawn(connection);
                for id in ids {
                    let insert = statement(id, &format!("{schema}.gatepost_occurrence"));
                    client.batch_execute(&insert).await.unwrap();
                }
            }
        }
    }
}

struct Site {
    server: SocketAddr,
    database: Database,
    document: String,
    engine: Engine,
    log: AuditLog,
    users: Arc<Users>,
    receiver: Receiver,
    key: String,
}

impl Site {
    async fn start<S>(store: Arc<S>, database: Database) -> Self
    where
        S: KeyStore + WebhookStore + AuditStore,
    {
        let tenants = [(owner(ADA), tenant(NORTH)), (owner(BOB), tenant(SOUTH))];
        let users = Arc::new(Users(Mutex::new(tenants.into())));
        let keys = KeyService::builder(store.clone(), users.clone()).build();
        let on = [("on", "Switched on")];
        let catalog =
            Catalog::builder().event_type("vms", "Machines", Specificity::InstanceOptional, &on);
        let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
        let sender = Sender::builder(policy).build().unwrap();
        let engine = with_tenants(Engine::builder(store.clone(), sender), users.clone())
            .catalog(catalog.unwrap().build())
            .schedule(Schedule::new([Duration::from_millis(10)]).unwrap())
            .start()
            .await
            .unwrap();
        let log = AuditLog::builder(store).build();
        let management = Management::builder(keys.clone(), engine.clone())
            .directory(Arc::new(Names))
            .audit_log(log.clone())
            .build();
        let guard = AuthLayer::new(keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let console = Console::builder(management.clone(), Arc::new(ByCookie)).build();
        let api = Api::builder(management, guard).text_ids().build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = listener.local_addr().unwrap();
        let app = Router::new()
            .nest("/api/v4", api.router())
            .merge(console.router());
        let forever = std::future::pending();
        tokio::spawn(examples::serve::serve(listener, None, app, forever));
        let account = users.account_of(owner(ADA)).unwrap();
        let ada = Principal::new(owner(ADA), account, Via::Platform);
        let draft = KeyDraft::new(owner(ADA), "first".parse().unwrap());
        let (_, reveal) = keys.create(&ada, draft).await.unwrap();
        Self {
            server,
            database,
            document: api.openapi().to_owned(),
            engine,
            log,
            users,
            receiver: Receiver::start(None).await.unwrap(),
            key: reveal.reveal().as_str().to_owned(),
        }
    }

    async fn call(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let url = format!("http://{}/api/v4/{path}", self.server);
        let mut request = reqwest::Client::new().request(method, url);
        request = request.bearer_auth(&self.key);
        if !body.is_null() {
            request = request.body(body.to_string());
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = self.call("GET", path, Value::Null).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    async fn make(&self, table: &str, body: Value) -> i64 {
        let (status, made) = self.call("POST", table, body).await;
        assert_eq!(status, 201, "{table}: {made}");
        made["$row"].as_i64().unwrap()
    }

    /// Returns a page of the console, as this user sees it.
    async fn page(&self, user: &str, path: &str) -> (u16, String) {
        let url = format!("http://{}/console/{path}", self.server);
        let client = reqwest::Client::new();
        let request = client.get(url).header("cookie", format!("user={user}"));
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// Creates a webhook of ADA with a task and an event on the machine.
    async fn watch(&self) -> [i64; 3] {
        let url = format!("http://{}/hook", self.receiver.addr);
        let hook = json!({"name": "lighthouse", "url": url, "allow_insecure": true});
        let hook = self.make("webhook_urls", hook).await;
        let task = json!({"name": "tell", "owner": format!("webhook_urls/{hook}")});
        let task = self.make("tasks", task).await;
        let on = format!("vms/{MACHINE}");
        let event = json!({"task": task, "table": "vms", "event": "on", "owner": on});
        [hook, task, self.make("task_events", event).await]
    }
}

/// Runs a test on both databases.
async fn on_each_database(test: impl AsyncFn(Site)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let sqlite = SqliteStore::open(SqliteConfig::file(&path)).await.unwrap();
    test(Site::start(Arc::new(sqlite), Database::File(path)).await).await;
    let place = fresh();
    let (url, schema) = (place.url.clone(), place.schema.clone());
    let config = PostgresConfig::url(&url).with_schema(&schema);
    let postgres = PostgresStore::connect(config).await.unwrap();
    let database = Database::Server { url, schema };
    test(Site::start(Arc::new(postgres), database).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rest_with_text_ids_shows_them() {
    on_each_database(async |site| {
        let [hook, task, event] = site.watch().await;
        let me = site.get("whoami").await;
        assert_eq!((&me["user"], &me["tenant"]), (&json!(ADA), &json!(NORTH)));
        assert_eq!(me["user_name"], "Ada");
        let row = site.get(&format!("webhook_urls/{hook}?fields=all")).await;
        assert_eq!(row["user"], ADA);
        assert_eq!(row["owner"], format!("users/{ADA}"));
        let row = site.get(&format!("tasks/{task}?fields=all")).await;
        assert_eq!(row["creator"], format!("users/{ADA}"));
        let row = site.get(&format!("task_events/{event}?fields=all")).await;
        assert_eq!(row["owner"], format!("vms/{MACHINE}"));
        let key = json!({"name": "second", "user": ADA.to_uppercase()});
        let key = site.make("user_api_keys", key).await;
        let row = site.get(&format!("user_api_keys/{key}?fields=all")).await;
        assert_eq!(row["user"], ADA);
        // In any spelling, by value and by reference.
        for filter in [
            format!("user eq '{ADA}'"),
            format!("user eq '{}'", ADA.to_uppercase()),
            format!("owner eq 'users/{ADA}'"),
            format!("owner eq '{ADA}'"),
        ] {
            let query = format!("webhook_urls?filter={}", filter.replace(' ', "%20"));
            let found = site.get(&query).await;
            assert_eq!(found.as_array().unwrap().len(), 1, "{filter}");
        }
        let none = site
            .get(&format!("webhook_urls?filter=user%20eq%20'{BOB}'"))
            .await;
        assert_eq!(none, json!([]));
        let limits = site.get(&format!("limits?user={ADA}")).await;
        assert_eq!(limits[0]["user"], ADA);
        for wrong in [json!("ada"), json!(0), json!("-1"), json!({})] {
            let (status, said) = site
                .call("POST", "user_api_keys", json!({"name": "k", "user": wrong}))
                .await;
            assert_eq!(status, 422, "{wrong}: {said}");
            assert!(said.to_string().contains("user"), "{said}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_object_occurrence_is_delivered_to_owner() {
    on_each_database(async |site| {
        site.watch().await;
        let audience = webhook_model::Audience::Owner(owner(ADA));
        let on = |object: &str| {
            let object = Object::new(object.parse().unwrap(), "web");
            Occurrence::new("vms".parse().unwrap(), "on".parse().unwrap(), audience)
                .with_object(object)
        };
        let other = site.engine.emit(on("i-0abc12:eu/east")).await.unwrap();
        assert_eq!(other.deliveries, []);
        let own = site.engine.emit(on(MACHINE)).await.unwrap();
        assert_eq!(own.deliveries.len(), 1);
        site.receiver.wait_for("/hook", 1).await.unwrap();
        let id = own.deliveries[0];
        let row = site.get(&format!("webhooks/{id}?fields=all")).await;
        assert_eq!(row["cause_object"], MACHINE);
    })
    .await;
}

/// The platform's own statements may write ids in any spelling.
#[tokio::test(flavor = "multi_thread")]
async fn outbox_rows_with_text_ids_are_delivered() {
    on_each_database(async |site| {
        site.watch().await;
        let shouted = ADA.to_uppercase();
        site.database
            .tell("owner", &[ADA, &shouted, BOB, "ada"])
            .await;
        site.database.tell("tenant", &[NORTH, SOUTH]).await;
        site.engine.outbox_written();
        site.receiver.wait_for("/hook", 3).await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(site.receiver.received().len(), 3);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_log_is_filtered_by_text_ids() {
    on_each_database(async |site| {
        let [hook, ..] = site.watch().await;
        site.log.flush().await;
        let record = format!("webhook_urls/{hook}");
        for filter in [
            format!("actor eq 'users/{ADA}' and record eq '{record}'"),
            format!("user eq 'users/{ADA}' and record eq '{record}'"),
        ] {
            let query = format!("audit_log?fields=all&filter={}", filter.replace(' ', "%20"));
            let found = site.get(&query).await;
            let rows = found.as_array().unwrap();
            assert_eq!(rows.len(), 1, "{filter}: {found}");
            assert_eq!(rows[0]["actor"], format!("users/{ADA}"));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn console_with_text_ids_shows_pages_of_users() {
    on_each_database(async |site| {
        let [_, _, event] = site.watch().await;
        let (status, page) = site.page(ADA, &format!("users/{ADA}")).await;
        assert_eq!(status, 200);
        assert!(page.contains("first"), "the key's name");
        for other in [BOB, "tina", "%00"] {
            let (status, _) = site.page(ADA, &format!("users/{other}")).await;
            assert_eq!(status, 404, "{other}");
        }
        let (status, page) = site.page(ADA, &format!("events/{event}/edit")).await;
        assert_eq!(status, 200);
        assert!(page.contains(MACHINE), "the form has the object");
        let (status, page) = site.page(ADA, "events").await;
        assert_eq!(status, 200);
        assert!(page.contains("web"), "the object's name");
        let (status, page) = site.page(BOB, "webhooks").await;
        assert_eq!(status, 200);
        assert!(!page.contains("lighthouse"), "another tenant's");
    })
    .await;
}

/// A user who left a tenant no longer receives its occurrences.
#[tokio::test(flavor = "multi_thread")]
async fn moved_user_receives_occurrences_of_new_tenant() {
    on_each_database(async |site| {
        site.watch().await;
        let on = |of: &str| {
            let audience = webhook_model::Audience::Tenant(tenant(of));
            let object = Object::new(MACHINE.parse().unwrap(), "web");
            Occurrence::new("vms".parse().unwrap(), "on".parse().unwrap(), audience)
                .with_object(object)
        };
        let heard = async |of| site.engine.emit(on(of)).await.unwrap().deliveries.len();
        assert_eq!((heard(NORTH).await, heard(SOUTH).await), (1, 0));
        let moved = site
            .users
            .0
            .lock()
            .unwrap()
            .insert(owner(ADA), tenant(SOUTH));
        assert_eq!(moved, Some(tenant(NORTH)));
        site.engine.owner_changed(owner(ADA)).await.unwrap();
        assert_eq!((heard(NORTH).await, heard(SOUTH).await), (0, 1));
        assert_eq!(site.get("whoami").await["tenant"], SOUTH);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn openapi_of_text_ids_says_texts() {
    on_each_database(async |site| {
        let document: Value = serde_json::from_str(&site.document).unwrap();
        let schemas = &document["components"]["schemas"];
        assert_eq!(
            schemas["WhoAmI"]["properties"]["user"]["type"],
            json!(["string"])
        );
        let hook = &schemas["webhook_urls"]["properties"];
        assert_eq!(hook["user"]["type"], json!(["string"]));
        let task = schemas["tasks_create"]["properties"]["owner"]["pattern"].as_str();
        assert_eq!(task, Some("^webhook_urls/[1-9][0-9]{0,17}$"));
        let event = schemas["task_events_create"]["properties"]["owner"]["pattern"].as_str();
        assert!(event.unwrap().ends_with("/[!-~]{1,64}$"), "{event:?}");
    })
    .await;
}
