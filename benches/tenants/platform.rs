//! The platform of the measurements: users in tenants, a store that is thrown away, records in
//! bulk.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::{Engine, Quota};
use gatepost_keys::{AccessLevel, Account, AccountAnswer, Accounts, TenantId};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::{Basis, Enqueue, NewDelivery, Origin, WebhookStore};
use gatepost_storage::{AtMost, Clock as _, KeyStore};
use tempfile::TempDir;
use webhook_model::{
    Action, Activity, Audience, Catalog, Event, JsonObject, ObjectId, Occurrence, OwnerId,
    Specificity, Target, Task, TaskId, Webhook, WebhookId,
};

/// Owners from here on have no tenant.
pub(crate) const ALONE: i64 = 1_000_000_000;

/// Callers at a time while records are made.
const AT_ONCE: usize = 64;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            other => Err(other.to_owned()),
        }
    }
}

/// Ten users a tenant, by their numbers.
#[derive(Debug)]
pub(crate) struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let account = Account::enabled(AccessLevel::TenantAdministrator);
        AccountAnswer::Now(Ok(Some(match tenant_of(owner) {
            Some(tenant) => account.in_tenant(tenant),
            None => Account::enabled(AccessLevel::User),
        })))
    }
}

pub(crate) fn tenant_of(owner: OwnerId) -> Option<TenantId> {
    (owner.0 < ALONE).then_some(TenantId(owner.0 / 10))
}

pub(crate) fn audience_of(owner: OwnerId) -> Audience {
    tenant_of(owner).map_or(Audience::Owner(owner), Audience::Tenant)
}

pub(crate) struct Platform {
    pub(crate) store: Arc<dyn WebhookStore>,
    /// Where the store lies: a file, or a server's URL.
    pub(crate) place: String,
    _folder: TempDir,
}

impl Platform {
    pub(crate) async fn open(kind: Kind) -> Self {
        let (place, folder) = fresh_place(kind).await;
        let store: Arc<dyn WebhookStore> = match kind {
            Kind::Sqlite => Arc::new(sqlite(&place).await),
            Kind::Postgres => Arc::new(postgres(&place).await),
        };
        Self {
            store,
            place,
            _folder: folder,
        }
    }

    pub(crate) async fn engine(&self) -> Engine {
        let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
        let sender = Sender::builder(policy)
            .resolver(Arc::new(benches::Here))
            .build()
            .unwrap();
        let catalog = Catalog::builder()
            .event_type("vms", "VMs", Specificity::InstanceOptional, &[("on", "On")])
            .unwrap()
            .build();
        Engine::builder(self.store.clone(), sender)
            .addressed_only(Arc::new(Users))
            .quotas(Arc::new(Quota::UNLIMITED))
            .catalog(catalog)
            .schedule(Schedule::new([Duration::from_secs(600)]).unwrap())
            .start()
            .await
            .unwrap()
    }

    /// A webhook, tasks that send it, and one event for each task, of an owner who is placed.
    pub(crate) async fn records(
        &self,
        owner: OwnerId,
        url: &str,
        tasks: usize,
    ) -> (WebhookId, Vec<TaskId>) {
        let place = gatepost_engine::Place::of(owner, &account(owner));
        self.store.place_owner(owner, place, now()).await.unwrap();
        let mut webhook = Webhook::new(owner, "w".parse().unwrap(), url.parse().unwrap());
        if url.ends_with("/paused") {
            webhook.activity = Activity::Paused;
        }
        let most = AtMost::UNLIMITED;
        let webhook = self
            .store
            .insert_webhook(&webhook, most, now())
            .await
            .unwrap()
            .id;
        let mut made = Vec::with_capacity(tasks);
        for _ in 0..tasks {
            made.push(self.task(owner, webhook, Target::Generic).await);
        }
        (webhook, made)
    }

    /// More tasks of a webhook, each with an event on an object to which nothing happens.
    pub(crate) async fn more(
        self: &Arc<Self>,
        owner: OwnerId,
        webhook: WebhookId,
        count: i64,
    ) -> Vec<TaskId> {
        let gate = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
        let mut making = tokio::task::JoinSet::new();
        for n in 0..count {
            let permit = gate.clone().acquire_owned().await.unwrap();
            let own = self.clone();
            making.spawn(async move {
                let made = own
                    .task(owner, webhook, Target::Instance(ObjectId(n + 1)))
                    .await;
                drop(permit);
                made
            });
        }
        making.join_all().await
    }

    /// Deliveries that wait for a webhook.
    pub(crate) async fn queue(&self, webhook: WebhookId, task: Option<TaskId>, count: usize) {
        let numbers: Vec<usize> = (0..count).collect();
        for part in numbers.chunks(1_000) {
            let deliveries = part.iter().map(|n| NewDelivery {
                message_id: format!("q{webhook}_{n}").parse().unwrap(),
                webhook,
                task,
                body: r#"{"queued":true}"#.into(),
                due: now(),
                lease_until: None,
            });
            let batch = Enqueue {
                basis: Basis::Nothing,
                origin: Origin::Direct,
                deliveries: deliveries.collect(),
                consume: Vec::new(),
                later: Vec::new(),
            };
            self.store.enqueue(batch, now()).await.unwrap();
        }
    }

    async fn task(&self, owner: OwnerId, webhook: WebhookId, target: Target) -> TaskId {
        let most = AtMost::UNLIMITED;
        let task = self
            .store
            .insert_task(&task(owner, webhook), most, now())
            .await
            .unwrap()
            .id;
        self.store
            .insert_event(&event(task, target), most, now())
            .await
            .unwrap();
        task
    }

    /// Records for many owners, many at a time.
    pub(crate) async fn records_of_all(
        self: &Arc<Self>,
        owners: impl Iterator<Item = OwnerId>,
        tasks: usize,
    ) {
        let gate = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
        let mut making = tokio::task::JoinSet::new();
        for owner in owners {
            let permit = gate.clone().acquire_owned().await.unwrap();
            let own = self.clone();
            making.spawn(async move {
                own.records(owner, "http://target.test/paused", tasks).await;
                drop(permit);
            });
            while making.try_join_next().is_some() {}
        }
        while making.join_next().await.is_some() {}
    }
}

fn account(owner: OwnerId) -> Account {
    let account = Account::enabled(AccessLevel::User);
    match tenant_of(owner) {
        Some(tenant) => account.in_tenant(tenant),
        None => account,
    }
}

fn task(owner: OwnerId, webhook: WebhookId) -> Task {
    Task {
        creator: owner,
        name: "t".parse().unwrap(),
        description: "".parse().unwrap(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: r#"{"n":"${N}"}"#.parse().unwrap(),
        },
    }
}

fn event(task: TaskId, target: Target) -> Event {
    Event {
        event_type: "vms".parse().unwrap(),
        event: "on".parse().unwrap(),
        target,
        task,
        enabled: true,
        filters: JsonObject::default(),
        context: JsonObject::default(),
    }
}

pub(crate) fn occurrence(owner: OwnerId) -> Occurrence {
    Occurrence::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        audience_of(owner),
    )
}

pub(crate) fn now() -> DateTime<Utc> {
    gatepost_storage::SystemClock.now()
}

/// The keys of a store that may be open elsewhere.
pub(crate) async fn key_store(kind: Kind, place: &str) -> Arc<dyn KeyStore> {
    match kind {
        Kind::Sqlite => Arc::new(sqlite(place).await),
        Kind::Postgres => Arc::new(postgres(place).await),
    }
}

async fn sqlite(file: &str) -> SqliteStore {
    SqliteStore::open(SqliteConfig::file(file)).await.unwrap()
}

async fn postgres(url: &str) -> PostgresStore {
    PostgresStore::connect(PostgresConfig::url(url))
        .await
        .unwrap()
}

/// Where an empty store may lie: a file, or a server's URL. The folder is to be kept as long.
pub(crate) async fn fresh_place(kind: Kind) -> (String, TempDir) {
    let folder = tempfile::tempdir_in(std::env::temp_dir()).unwrap();
    let place = match kind {
        Kind::Sqlite => folder.path().join("gatepost.db").display().to_string(),
        Kind::Postgres => fresh_database(&std::env::var("BENCH_POSTGRES_URL").unwrap()).await,
    };
    (place, folder)
}

/// A database of its own on that server.
async fn fresh_database(url: &str) -> String {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let name = format!("bench_{}", std::process::id());
    client
        .batch_execute(&format!("CREATE DATABASE {name}"))
        .await
        .unwrap();
    let mut url: url::Url = url.parse().unwrap();
    url.set_path(&name);
    url.into()
}
