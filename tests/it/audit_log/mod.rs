//! The audit log: changes with their actors, logged by `Management` on every store, visible to
//! users who may see the record, and without a secret.

mod bounds;
mod deletions;
mod edits;
mod rest;
mod secrets;
mod visibility;

use std::net::IpAddr;
use std::sync::Arc;

use apikey_core::KeyDraft;
use delivery::{Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, TenantId};
use gatepost_keys::{KeyService, Principal, Via};
use gatepost_kv::MemoryStore;
use gatepost_manage::{Actor, AuditLog, AuditLogBuilder, LoggedChange, Management};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::audit::{AuditId, AuditQuery};
use gatepost_storage::{AuditStore, KeyStore, ManualClock, Page, Scope, WebhookStore};
use tests::permissive_platform::with_tenants;
use tests::postgres::fresh;
use webhook_model::{
    Action, Catalog, Description as Text, Event, JsonObject, Message, Specificity, Target, Task,
    TaskId, Webhook, WebhookId,
};

const ADA: u128 = 1;
/// The administrator of ADA's tenant.
const BOSS: u128 = 2;
/// The administrator of another tenant.
const STRANGER: u128 = 3;
const OPERATOR: u128 = 4;
const FROM: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 7));

#[derive(Clone, Copy, Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(account(owner.0))))
    }
}

fn account(user: u128) -> Account {
    match user {
        BOSS => Account::enabled(AccessLevel::TenantAdministrator).in_tenant(TenantId(1)),
        STRANGER => Account::enabled(AccessLevel::TenantAdministrator).in_tenant(TenantId(2)),
        OPERATOR => Account::enabled(AccessLevel::SystemAdministrator),
        _ => Account::enabled(AccessLevel::User).in_tenant(TenantId(1)),
    }
}

/// The traits of one store.
#[derive(Clone, Debug)]
struct Stores {
    keys: Arc<dyn KeyStore>,
    webhooks: Arc<dyn WebhookStore>,
    audit: Arc<dyn AuditStore>,
}

impl Stores {
    fn of<S: KeyStore + WebhookStore + AuditStore>(store: &Arc<S>) -> Self {
        Self {
            keys: store.clone(),
            webhooks: store.clone(),
            audit: store.clone(),
        }
    }

    fn in_memory() -> Self {
        Self::of(&Arc::new(MemoryStore::new()))
    }
}

/// Runs a test on each kind of store.
async fn on_each_store(test: impl AsyncFn(&str, Stores)) {
    test("memory", Stores::in_memory()).await;
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    let sqlite = Arc::new(SqliteStore::open(config).await.unwrap());
    test("SQLite", Stores::of(&sqlite)).await;
    sqlite.close().await;
    let place = fresh();
    let config = PostgresConfig::url(&place.url).with_schema(&place.schema);
    let postgres = Arc::new(PostgresStore::connect(config).await.unwrap());
    test("PostgreSQL", Stores::of(&postgres)).await;
    postgres.close().await;
}

/// A platform that logs changes.
struct Platform {
    door: Management,
    keys: KeyService,
    engine: Engine,
    log: AuditLog,
    clock: Arc<ManualClock>,
}

impl Platform {
    async fn start(stores: &Stores) -> Self {
        Self::with(stores, |log| log).await
    }

    async fn with(
        stores: &Stores,
        set_up: impl FnOnce(AuditLogBuilder) -> AuditLogBuilder,
    ) -> Self {
        let clock = Arc::new(ManualClock::at("2026-11-23T12:00:00Z".parse().unwrap()));
        let keys = KeyService::builder(stores.keys.clone(), Arc::new(Users)).build();
        let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
        let engine = Engine::builder(stores.webhooks.clone(), sender);
        let raised = [("raised", "Raised")];
        let catalog = Catalog::builder();
        let catalog = catalog.event_type("alarms", "Alarms", Specificity::Generic, &raised);
        let engine = with_tenants(engine, Arc::new(Users));
        let engine = engine.catalog(catalog.unwrap().build());
        let engine = engine.start().await.unwrap();
        let log = AuditLog::builder(stores.audit.clone()).clock(clock.clone());
        let log = set_up(log).build();
        let door = Management::builder(keys.clone(), engine.clone());
        Self {
            door: door.audit_log(log.clone()).build(),
            keys,
            engine,
            log,
            clock,
        }
    }

    /// Returns the operations of a user, by login, from `FROM`.
    fn of(&self, user: u128) -> Actor {
        self.door.of(&principal(user))
    }

    /// Returns the entries that the user may see, oldest first, once all are stored.
    async fn seen_by(&self, user: u128) -> Vec<LoggedChange> {
        self.log.flush().await;
        let all = AuditQuery::all(Page::first(999));
        self.of(user).logged_changes(&all).await.unwrap().rows
    }

    async fn webhook(&self, owner: u128, name: &str) -> WebhookId {
        let made = self.of(owner).create_webhook(webhook(owner, name)).await;
        made.unwrap().id
    }

    async fn task(&self, owner: u128, webhook: WebhookId, message: &str) -> TaskId {
        let task = task(owner, webhook, message);
        self.of(owner).create_task(task).await.unwrap().id
    }
}

fn principal(user: u128) -> Principal {
    Principal::new(OwnerId(user), account(user), Via::Platform).with_address(FROM)
}

fn draft(owner: u128, name: &str) -> KeyDraft {
    KeyDraft::new(OwnerId(owner), name.parse().unwrap())
}

fn webhook(owner: u128, name: &str) -> Webhook {
    let url = "https://example.com/hook".parse().unwrap();
    Webhook::new(OwnerId(owner), name.parse().unwrap(), url)
}

fn task(owner: u128, webhook: WebhookId, message: &str) -> Task {
    Task {
        creator: OwnerId(owner),
        name: "nightly".parse().unwrap(),
        description: Text::default(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: message.parse::<Message>().unwrap(),
        },
    }
}

fn event(task: TaskId) -> Event {
    Event::new(
        "alarms".parse().unwrap(),
        "raised".parse().unwrap(),
        Target::Generic,
        task,
    )
}

/// Returns an entry as text: `update tasks/3 nightly`.
fn said(change: &LoggedChange) -> String {
    let LoggedChange {
        operation,
        table,
        row,
        name,
        ..
    } = change;
    format!("{operation} {table}/{row} {name}")
}

/// Returns each field as `retries 3 > 5`, or only its name.
fn fields(change: &LoggedChange) -> Vec<String> {
    let one = |change: &gatepost_manage::FieldChange| match &change.values {
        Some((old, new)) => format!("{} {old} > {new}", change.field),
        None => change.field.to_string(),
    };
    change.changes.iter().map(one).collect()
}
