//! A small platform that embeds everything, over real TCP, with the memory store unless a test
//! brings another; the clock of its keys can be moved.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use apikey_core::{KeyDraft, OwnerId};
use axum::Router;
use axum::extract::ConnectInfo;
use delivery::{Schedule, Sender, SenderBuilder, TargetPolicy};
use examples::client::{Response, call};
use gatepost_engine::Engine;
use gatepost_http::Api;
use gatepost_ids::{Quota, Quotas};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, KeyService, Principal, TenantId, Via,
};
use gatepost_kv::MemoryStore;
use gatepost_manage::Management;
use gatepost_storage::webhooks::{Delivery, DeliveryId, WebhookStore};
use gatepost_storage::{KeyStore, ManualClock};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use webhook_model::{Audience, Catalog, Object, ObjectId, Occurrence, Specificity, TagId};

use crate::permissive_platform::with_tenants;

/// The address of requests by default.
pub const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The users: 1, 2 and 3 are in tenant 1, 1 administers the system, 2 the tenant; 4 is in no
/// tenant.
#[derive(Debug)]
pub struct Users(Mutex<HashMap<u128, Account>>);

impl Users {
    fn new() -> Self {
        let tenant = |access| Account::enabled(access).in_tenant(TenantId(1));
        Self(Mutex::new(HashMap::from([
            (1, tenant(AccessLevel::SystemAdministrator)),
            (2, tenant(AccessLevel::TenantAdministrator)),
            (3, tenant(AccessLevel::User)),
            (4, Account::enabled(AccessLevel::User)),
        ])))
    }

    /// Changes a user's account, or removes the user.
    ///
    /// # Panics
    /// After a panic in another test thread.
    pub fn set(&self, user: u128, account: Option<Account>) {
        let mut users = self.0.lock().unwrap();
        match account {
            Some(account) => drop(users.insert(user, account)),
            None => drop(users.remove(&user)),
        }
    }
}

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(self.0.lock().unwrap().get(&owner.0).cloned()))
    }
}

/// The platform.
#[derive(Debug)]
pub struct World<S = MemoryStore> {
    /// The address of the API.
    pub server: SocketAddr,
    /// The key service.
    pub keys: KeyService,
    /// The engine.
    pub engine: Engine,
    /// The clock of the keys.
    pub clock: Arc<ManualClock>,
    /// The users.
    pub users: Arc<Users>,
    /// The store.
    pub store: Arc<S>,
    /// A key of the system administrator.
    pub admin: String,
}

impl World {
    /// Starts a platform whose users have no limits; it ends with the runtime.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn start() -> Self {
        Self::with_quotas(Arc::new(Quota::UNLIMITED)).await
    }

    /// Starts a platform with these limits.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn with_quotas(quotas: Arc<dyn Quotas>) -> Self {
        Self::with(Arc::default(), quotas, |sender| sender).await
    }

    /// Starts a platform without limits whose sender trusts this certificate, in DER, too.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn trusting(root: Vec<u8>) -> Self {
        Self::over(Arc::default(), root).await
    }
}

impl<S: KeyStore + WebhookStore + 'static> World<S> {
    /// Starts a platform without limits over this store, whose sender trusts this certificate.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn over(store: Arc<S>, root: Vec<u8>) -> Self {
        let quotas = Arc::new(Quota::UNLIMITED);
        Self::with(store, quotas, |sender| sender.extra_root(root)).await
    }

    async fn with(
        store: Arc<S>,
        quotas: Arc<dyn Quotas>,
        sender: impl FnOnce(SenderBuilder) -> SenderBuilder,
    ) -> Self {
        let users = Arc::new(Users::new());
        let clock = Arc::new(ManualClock::at("2026-11-20T12:00:00Z".parse().unwrap()));
        let keys = KeyService::builder(store.clone(), users.clone())
            .clock(clock.clone())
            .quotas(quotas.clone())
            .build();
        let catalog = Catalog::builder()
            .event_type(
                "vms",
                "Virtual Machines",
                Specificity::InstanceOrTag,
                &[("poweron", "Powered on")],
            )
            .and_then(|c| {
                c.event_type(
                    "alarms",
                    "Alarms",
                    Specificity::Generic,
                    &[("raised", "Raised"), ("lowered", "Lowered")],
                )
            })
            .unwrap()
            .build();
        let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
        let schedule = Schedule::new([Duration::from_millis(10)]).unwrap();
        let sender = sender(Sender::builder(policy)).build().unwrap();
        let engine = with_tenants(Engine::builder(store.clone(), sender), users.clone())
            .quotas(quotas)
            .catalog(catalog)
            .schedule(schedule)
            .start()
            .await
            .unwrap();
        let guard = AuthLayer::new(keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let management = Management::builder(keys.clone(), engine.clone()).build();
        let api = Api::builder(management, guard).build();
        let listener = TcpListener::bind((HERE, 0)).await.unwrap();
        let server = listener.local_addr().unwrap();
        let app = Router::new()
            .nest("/api/v4", api.router())
            .merge(api.version_router());
        tokio::spawn(examples::serve::serve(
            listener,
            None,
            app,
            std::future::pending(),
        ));
        let mut world = Self {
            server,
            keys,
            engine,
            clock,
            users,
            store,
            admin: String::new(),
        };
        world.admin = world.key_of(1, "admin").await;
        world
    }

    /// Returns the principal that the platform's own login creates for a user.
    ///
    /// # Panics
    /// If there is no such user.
    #[must_use]
    pub fn user(&self, user: u128) -> Principal {
        let account = self.users.0.lock().unwrap()[&user].clone();
        Principal::new(OwnerId(user), account, Via::Platform)
    }

    /// Creates a key of a user that never expires and may be used from any address.
    ///
    /// # Panics
    /// If it cannot be made.
    pub async fn key_of(&self, user: u128, name: &str) -> String {
        let draft = KeyDraft::new(OwnerId(user), name.parse().unwrap());
        let (_, reveal) = self.keys.create(&self.user(user), draft).await.unwrap();
        reveal.reveal().as_str().to_owned()
    }

    /// Calls the API with a key, from an address.
    ///
    /// # Panics
    /// If the API does not respond.
    pub async fn call(
        &self,
        key: &str,
        from: IpAddr,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Response {
        call(
            self.server,
            from,
            method,
            &format!("/api/v4/{path}"),
            Some(key),
            body.as_ref(),
        )
        .await
        .unwrap()
    }

    /// Calls the API as the administrator.
    pub async fn api(&self, method: &str, path: &str, body: Option<Value>) -> Response {
        self.call(&self.admin, HERE, method, path, body).await
    }

    /// Sends `GET` as the administrator.
    pub async fn get(&self, path: &str) -> Response {
        self.api("GET", path, None).await
    }

    /// Sends `POST` as the administrator.
    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.api("POST", path, Some(body)).await
    }

    /// Sends `PUT` as the administrator.
    pub async fn put(&self, path: &str, body: Value) -> Response {
        self.api("PUT", path, Some(body)).await
    }

    /// Sends `DELETE` as the administrator.
    pub async fn delete(&self, path: &str) -> Response {
        self.api("DELETE", path, None).await
    }

    /// Returns the rows of a list, or a row, as the administrator reads them.
    pub async fn rows(&self, path: &str) -> Value {
        self.get(path).await.expect(200).json()
    }

    /// Emits that a machine is switched on; returns the deliveries.
    ///
    /// # Panics
    /// If it is refused.
    pub async fn emit(&self, id: i64, tags: &[i64]) -> Vec<DeliveryId> {
        let emitted = self.engine.emit(poweron(id, tags)).await;
        emitted.unwrap().deliveries
    }

    /// Returns the time on its clock, in epoch seconds.
    #[must_use]
    pub fn now(&self) -> i64 {
        gatepost_storage::Clock::now(&*self.clock).timestamp()
    }

    /// Returns the status that a key gets for the login probe.
    pub async fn probe(&self, key: &str) -> u16 {
        self.call(key, HERE, "GET", "system", None).await.status
    }

    /// Makes a row as the administrator and returns its row number.
    ///
    /// # Panics
    /// If it is refused.
    pub async fn make(&self, table: &str, body: Value) -> i64 {
        let answer = self.api("POST", table, Some(body)).await;
        answer.json()["$row"]
            .as_i64()
            .unwrap_or_else(|| panic!("{table}: {}", answer.body))
    }

    /// Makes an event that runs a task when a machine is switched on; `columns` say which one.
    pub async fn on_poweron(&self, task: i64, columns: Value) -> i64 {
        let event = json!({"task": task, "table": "vms", "event": "poweron"});
        self.make("task_events", with(event, &columns)).await
    }

    /// Makes a key over the API: its string and its row number.
    ///
    /// # Panics
    /// If it is refused.
    pub async fn make_key(&self, mut body: Value) -> (String, i64) {
        body["user"] = json!(body["user"].as_i64().unwrap_or(1));
        let answer = self.api("POST", "user_api_keys", Some(body)).await;
        let receipt = answer.json();
        (
            receipt["key"]
                .as_str()
                .unwrap_or_else(|| panic!("{}", answer.body))
                .to_owned(),
            receipt["$row"].as_i64().unwrap(),
        )
    }

    /// Makes a webhook and a task that sends a message through it.
    pub async fn task(
        &self,
        target: SocketAddr,
        name: &str,
        message: &str,
        once: bool,
    ) -> (i64, i64) {
        let webhook = self
            .make(
                "webhook_urls",
                json!({"name": name, "url": format!("http://{target}/{name}"), "retries": 2}),
            )
            .await;
        let task = self.make("tasks", json!({"name": name, "owner": format!("webhook_urls/{webhook}"), "delete_after_run": once, "settings_args": {"message": message}})).await;
        (webhook, task)
    }

    /// Returns a delivery once it has ended; waits at most ten seconds.
    ///
    /// # Panics
    /// If it does not end.
    pub async fn ended(&self, id: DeliveryId) -> Delivery {
        for _ in 0..1000 {
            let delivery = self.store.delivery(id).await.unwrap().unwrap();
            if delivery.state.is_final() {
                return delivery;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("delivery {id} did not end");
    }
}

/// A response of which a test expects something.
pub trait Expect: Sized {
    /// Asserts its status, and returns it.
    fn expect(self, status: u16) -> Self;
}

impl Expect for Response {
    #[track_caller]
    fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }
}

/// Returns a row with more columns.
///
/// # Panics
/// If they are no objects.
#[must_use]
pub fn with(mut row: Value, columns: &Value) -> Value {
    let columns = columns.as_object().unwrap().clone();
    row.as_object_mut().unwrap().extend(columns);
    row
}

/// Returns the occurrence that a virtual machine is powered on.
///
/// # Panics
/// Never: the words are fixed.
#[must_use]
pub fn poweron(id: i64, tags: &[i64]) -> Occurrence {
    Occurrence::new(
        "vms".parse().unwrap(),
        "poweron".parse().unwrap(),
        Audience::Tenant(TenantId(1)),
    )
    .with_object(Object::new(ObjectId::from_number(id), format!("vm-{id}")))
    .with_tags(tags.iter().map(|tag| TagId(*tag)).collect())
}
