//! A door before a store with a few rows.

use std::sync::{Arc, Mutex};

use apikey_core::{Description, Expiration, IpPolicy, KeyDraft, KeyId, KeyName};
use async_trait::async_trait;
use delivery::{Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AccountsError, KeyService, OwnerId, Principal,
    TenantId, Via,
};
use gatepost_manage::{Actor, Audit, Audited, Choice, Directory, Management, Operation};
use gatepost_storage::MemoryStore;
use gatepost_storage::webhooks::DeliveryId;
use gatepost_testkit::fault::FaultStore;
use webhook_model::{
    Action, Catalog, Event, EventId, JsonObject, Message, Specificity, Target, Task, TaskId,
    Webhook, WebhookId,
};

/// Administers the system.
pub(crate) const ADMIN: i64 = 1;
/// Administers the tenant of `OWNER`.
pub(crate) const TENANT: i64 = 2;
/// Owns the rows.
pub(crate) const OWNER: i64 = 3;
/// Is in no tenant.
pub(crate) const STRANGER: i64 = 4;

/// How the platform's code is doing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Mood {
    #[default]
    Well,
    Panics,
    Hangs,
    Errs,
}

/// The platform's code: accounts of `OWNER`, all names, and the audit log go by their moods.
#[derive(Debug, Default)]
pub(crate) struct Platform {
    pub accounts: Mutex<Mood>,
    pub directory: Mutex<Mood>,
    pub audit: Mutex<Mood>,
    pub heard: Mutex<Vec<(i64, &'static str, i64, Operation)>>,
}

fn account_of(owner: OwnerId) -> Option<Account> {
    let tenant = |access| Account::enabled(access).in_tenant(TenantId(1));
    match owner.0 {
        ADMIN => Some(Account::enabled(AccessLevel::SystemAdministrator)),
        TENANT => Some(tenant(AccessLevel::TenantAdministrator)),
        OWNER => Some(tenant(AccessLevel::User)),
        STRANGER => Some(Account::enabled(AccessLevel::User)),
        _ => None,
    }
}

impl Accounts for Platform {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let mood = *self.accounts.lock().unwrap();
        match mood {
            Mood::Panics if owner.0 == OWNER => panic!("as told"),
            Mood::Hangs if owner.0 == OWNER => {
                AccountAnswer::Later(Box::pin(std::future::pending()))
            }
            Mood::Errs if owner.0 == OWNER => {
                AccountAnswer::Now(Err(AccountsError("as told".into())))
            }
            _ => AccountAnswer::Now(Ok(account_of(owner))),
        }
    }
}

#[async_trait]
impl Directory for Platform {
    async fn name(&self, caller: &Principal, table: &str, key: i64) -> Option<String> {
        let mood = *self.directory.lock().unwrap();
        match mood {
            Mood::Well => Some(format!("{table} {key} for {}", caller.owner)),
            Mood::Panics => panic!("as told"),
            Mood::Hangs => std::future::pending().await,
            Mood::Errs => None,
        }
    }

    async fn choices(&self, caller: &Principal, table: &str, limit: usize) -> Vec<Choice> {
        let Some(name) = self.name(caller, table, 1).await else {
            return Vec::new();
        };
        // One more than was asked for, as a careless platform might.
        vec![Choice { key: 1, name }; limit + 1]
    }
}

impl Audit for Platform {
    fn record(&self, change: &Audited<'_>) {
        assert_eq!(*self.audit.lock().unwrap(), Mood::Well, "as told");
        let row = change.row.unwrap();
        let actor = change.actor.owner.0;
        let record = (actor, change.table, row, change.operation);
        self.heard.lock().unwrap().push(record);
    }
}

/// The rows of `OWNER`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub key: KeyId,
    /// A task sends it.
    pub webhook: WebhookId,
    /// No task sends it; it is paused.
    pub paused: WebhookId,
    pub task: TaskId,
    pub event: EventId,
    /// It has ended.
    pub ended: DeliveryId,
    /// It waits.
    pub waiting: DeliveryId,
}

/// The door.
#[derive(Debug)]
pub(crate) struct World {
    pub store: Arc<FaultStore<MemoryStore>>,
    pub platform: Arc<Platform>,
    pub engine: Engine,
    pub door: Management,
    pub rows: Rows,
}

impl World {
    pub(crate) async fn start() -> Self {
        let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
        let platform = Arc::new(Platform::default());
        let keys = KeyService::builder(store.clone(), platform.clone()).build();
        let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
        let engine = Engine::builder(store.clone(), sender)
            .catalog(catalog())
            .start()
            .await
            .unwrap();
        let door = Management::builder(keys.clone(), engine.clone())
            .audit(platform.clone())
            .directory(platform.clone())
            .build();
        let key = keys.create(&user(OWNER), draft(OWNER, "key")).await;
        let rows = rows(&engine, key.unwrap().0.id).await;
        Self {
            store,
            platform,
            engine,
            door,
            rows,
        }
    }

    pub(crate) fn of(&self, user: i64) -> Actor {
        self.door.of(&self::user(user))
    }

    pub(crate) async fn ended(&self, id: DeliveryId) {
        ended_in(&self.engine, id).await;
    }

    pub(crate) fn heard(&self) -> Vec<(i64, &'static str, i64, Operation)> {
        self.platform.heard.lock().unwrap().clone()
    }
}

pub(crate) fn user(user: i64) -> Principal {
    let owner = OwnerId(user);
    Principal::new(owner, account_of(owner).unwrap(), Via::Platform)
}

pub(crate) fn draft(owner: i64, name: &str) -> KeyDraft {
    KeyDraft {
        owner: OwnerId(owner),
        name: name.parse::<KeyName>().unwrap(),
        description: Description::default(),
        expiration: Expiration::Never,
        ip: IpPolicy::default(),
    }
}

/// A webhook whose target policy refuses, so that deliveries end at once.
pub(crate) fn webhook(owner: i64, name: &str) -> Webhook {
    let url = "http://10.0.0.1/".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(owner), name.parse().unwrap(), url);
    webhook.retries = 0.try_into().unwrap();
    webhook
}

pub(crate) fn task(creator: i64, name: &str, webhook: WebhookId) -> Task {
    Task {
        creator: OwnerId(creator),
        name: name.parse().unwrap(),
        description: webhook_model::Description::default(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: Message::default(),
        },
    }
}

pub(crate) fn event(task: TaskId) -> Event {
    Event {
        event_type: "alarms".parse().unwrap(),
        event: "raised".parse().unwrap(),
        target: Target::Generic,
        task,
        enabled: true,
        filters: JsonObject::default(),
        context: JsonObject::default(),
    }
}

fn catalog() -> Catalog {
    let alarms = [("raised", "Raised")];
    let catalog = Catalog::builder();
    let catalog = catalog.event_type("alarms", "Alarms", Specificity::Generic, &alarms);
    catalog.unwrap().build()
}

/// Waits until a delivery has ended.
async fn ended_in(engine: &Engine, id: DeliveryId) {
    let is_final = async || engine.delivery(id).await.unwrap().unwrap().state.is_final();
    while !is_final().await {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

async fn rows(engine: &Engine, key: KeyId) -> Rows {
    let sent = engine.create_webhook(&webhook(OWNER, "sent")).await;
    let paused = engine.create_webhook(&webhook(OWNER, "paused")).await;
    let (webhook, paused) = (sent.unwrap().id, paused.unwrap().id);
    engine.pause_webhook(paused).await.unwrap();
    let task = task(OWNER, "task", webhook);
    let task = engine.create_task(&task).await.unwrap().id;
    let ended = engine.send(webhook, None).await.unwrap();
    ended_in(engine, ended).await;
    Rows {
        key,
        webhook,
        paused,
        task,
        event: engine.create_event(&event(task)).await.unwrap().id,
        ended,
        waiting: engine.send(paused, None).await.unwrap(),
    }
}
