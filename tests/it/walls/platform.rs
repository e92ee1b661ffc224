//! A platform with customers, on a SQLite file: users 11 and 12 are of tenant 1, 21 is of tenant 2,
//! 31 is of tenant 3 and an operator is user 1; from 1,000 on users have no tenant. The objects of
//! a tenant are numbered as its users are: 110 to 119 belong to tenant 1.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{Resolve, ResolveFuture, Schedule, Sender, TargetPolicy};
use examples::receiver::Receiver;
use gatepost_engine::{
    AccessLevel, Account, AccountAnswer, Accounts, Audience, Engine, EngineBuilder, EngineError,
    May, Quota, Watch, WatchAnswer, Watched,
};
use gatepost_ids::TenantId;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::Row;
use gatepost_testkit::fault::FaultStore;
use webhook_model::{
    Action, Catalog, Event, EventId, JsonObject, Object, ObjectId, Occurrence, OwnerId,
    Specificity, Target, Task, TaskId, Webhook, WebhookId,
};

pub(super) const A: OwnerId = OwnerId(11);
pub(super) const COLLEAGUE: OwnerId = OwnerId(12);
pub(super) const B: OwnerId = OwnerId(21);
pub(super) const ALONE: OwnerId = OwnerId(1_001);

/// The users: all but those that were disabled.
#[derive(Debug, Default)]
pub(super) struct Users(pub(super) Mutex<HashSet<OwnerId>>);

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let account = match owner.0 {
            1 => Account::enabled(AccessLevel::SystemAdministrator),
            1_000.. => Account::enabled(AccessLevel::User),
            user => Account::enabled(AccessLevel::User).in_tenant(TenantId(user / 10)),
        };
        let enabled = !self.0.lock().unwrap().contains(&owner);
        AccountAnswer::Now(Ok(Some(Account { enabled, ..account })))
    }
}

/// Whoever is of an object's tenant may watch it; types without objects are for all.
#[derive(Debug)]
struct OwnObjects;

impl Watch for OwnObjects {
    fn may<'a>(&'a self, watched: &'a Watched<'a>, owners: &'a [OwnerId]) -> WatchAnswer<'a> {
        WatchAnswer::each(owners, |owner| match watched.target {
            Target::Instance(ObjectId(999)) => May::NoSuchObject,
            Target::Instance(id) => (id.0 / 100 == owner.0 / 10).into(),
            Target::Tag(_) | Target::Generic => May::Yes,
        })
    }
}

/// Every name is this machine.
#[derive(Debug)]
struct Here;

impl Resolve for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) })
    }
}

pub(super) struct Platform {
    pub(super) engine: Engine,
    pub(super) users: Arc<Users>,
    pub(super) store: Arc<SqliteStore>,
    /// The store as the engine sees it: it counts the calls.
    pub(super) counted: Arc<FaultStore<SqliteStore>>,
    pub(super) receiver: Receiver,
    pub(super) folder: tempfile::TempDir,
}

impl Platform {
    pub(super) async fn start() -> Self {
        Self::with(|engine| engine).await
    }

    pub(super) async fn with(set: impl FnOnce(EngineBuilder) -> EngineBuilder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = SqliteConfig::file(folder.path().join("gatepost.db"));
        let store = Arc::new(SqliteStore::open(config).await.unwrap());
        let (users, counted) = (
            Arc::<Users>::default(),
            Arc::new(FaultStore::new(store.clone())),
        );
        let engine = engine(counted.clone(), users.clone());
        let engine = set(engine).start().await.unwrap();
        let receiver = Receiver::start(None).await.unwrap();
        Self {
            engine,
            users,
            store,
            counted,
            receiver,
            folder,
        }
    }

    /// A webhook of this user's whose deliveries arrive under `/{path}`.
    pub(super) async fn webhook(&self, owner: OwnerId, path: &str) -> WebhookId {
        let url = format!("http://chat.test:{}/{path}", self.receiver.addr.port());
        self.webhook_to(owner, path, &url).await
    }

    pub(super) async fn webhook_to(&self, owner: OwnerId, name: &str, url: &str) -> WebhookId {
        let webhook = Webhook::new(owner, name.parse().unwrap(), url.parse().unwrap());
        self.engine.create_webhook(&webhook).await.unwrap().id
    }

    pub(super) async fn task(&self, webhook: WebhookId, message: &str, once: bool) -> TaskId {
        let task = task(webhook, message, once);
        self.engine.create_task(&task).await.unwrap().id
    }

    pub(super) async fn event(
        &self,
        event_type: &str,
        target: Target,
        task: TaskId,
    ) -> Result<Row<EventId, Event>, EngineError> {
        let event = Event {
            event_type: event_type.parse().unwrap(),
            event: "on".parse().unwrap(),
            target,
            task,
            enabled: true,
            filters: JsonObject::default(),
            context: JsonObject::default(),
        };
        self.engine.create_event(&event).await
    }

    /// A webhook, a task and an event on an object.
    pub(super) async fn watching(
        &self,
        owner: OwnerId,
        path: &str,
        object: i64,
    ) -> (WebhookId, TaskId) {
        let webhook = self.webhook(owner, path).await;
        let task = self.task(webhook, path, false).await;
        let target = Target::Instance(ObjectId(object));
        self.event("vms", target, task).await.unwrap();
        (webhook, task)
    }

    /// How many requests have arrived under `/{path}`.
    pub(super) fn arrived(&self, path: &str) -> usize {
        let path = format!("/{path}");
        let received = self.receiver.received();
        received.iter().filter(|got| got.path == path).count()
    }
}

pub(super) fn engine(store: Arc<FaultStore<SqliteStore>>, users: Arc<Users>) -> EngineBuilder {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy)
        .resolver(Arc::new(Here))
        .build()
        .unwrap();
    let vms = [("on", "On")];
    let catalog = Catalog::builder()
        .event_type("vms", "Machines", Specificity::InstanceOptional, &vms)
        .and_then(|c| c.event_type("alarms", "Alarms", Specificity::Generic, &vms))
        .unwrap()
        .build();
    Engine::builder(store, sender)
        .watch(users, Arc::new(OwnObjects))
        .quotas(Arc::new(Quota {
            runs_per_minute: u32::MAX,
            ..Quota::default()
        }))
        .catalog(catalog)
        .schedule(Schedule::new([Duration::from_secs(600)]).unwrap())
}

pub(super) fn task(webhook: WebhookId, message: &str, once: bool) -> Task {
    Task {
        creator: OwnerId(1),
        name: "t".parse().unwrap(),
        description: "".parse().unwrap(),
        enabled: true,
        delete_after_run: once,
        action: Action::Send {
            webhook,
            message: message.parse().unwrap(),
        },
    }
}

/// Machine `object` is switched on; its customer receives it.
pub(super) fn switched_on(object: i64) -> Occurrence {
    Occurrence {
        object: Some(Object {
            id: ObjectId(object),
            name: format!("vm-{object}"),
        }),
        ..alarm("vms", Audience::Tenant(TenantId(object / 100)))
    }
}

pub(super) fn alarm(event_type: &str, audience: Audience) -> Occurrence {
    Occurrence::new(event_type.parse().unwrap(), "on".parse().unwrap(), audience)
}
