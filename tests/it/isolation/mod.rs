//! Actions, data and faults of one user are not visible to others, and cost them neither time nor
//! quota.
//!
//! A platform with customers, on a SQLite file: users 11 and 12 are in tenant 1, 21 is in tenant 2,
//! 31 is in tenant 3 and a system administrator is user 1; from 1,000 on users have no tenant. The
//! objects of a tenant are numbered as its users are: 110 to 119 belong to tenant 1.

mod audience;
mod edits;
mod levels;
mod names;
mod removed_users;
mod targets;
mod unreadable;
mod volume;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{Schedule, Sender, TargetPolicy};
use examples::receiver::Receiver;
use gatepost_engine::{
    AccessLevel, Account, AccountAnswer, Accounts, Audience, Decision, Engine, EngineBuilder,
    EngineError, PolicyAnswer, PolicyQuestion, Quota, SubscriptionPolicy,
};
use gatepost_ids::TenantId;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::Row;
use gatepost_testkit::fault::FaultStore;
use tests::local_names::Here;
use webhook_model::{
    Action, Catalog, Event, EventId, Object, ObjectId, Occurrence, OwnerId, Specificity, Target,
    Task, TaskId, Webhook, WebhookId,
};

const A: OwnerId = OwnerId(11);
const COLLEAGUE: OwnerId = OwnerId(12);
const B: OwnerId = OwnerId(21);
const ALONE: OwnerId = OwnerId(1_001);

/// The users: all except those that were disabled.
#[derive(Debug, Default)]
struct Users(pub(super) Mutex<HashSet<OwnerId>>);

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let mut account = match owner.0 {
            1 => Account::enabled(AccessLevel::SystemAdministrator),
            1_000.. => Account::enabled(AccessLevel::User),
            user => Account::enabled(AccessLevel::User).in_tenant(TenantId(user / 10)),
        };
        account.enabled = !self.0.lock().unwrap().contains(&owner);
        AccountAnswer::Now(Ok(Some(account)))
    }
}

/// A policy by which all users of an object's tenant may watch it; types without objects are for
/// everybody.
#[derive(Debug)]
struct OwnObjects;

impl SubscriptionPolicy for OwnObjects {
    fn may_receive<'a>(
        &'a self,
        question: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a> {
        PolicyAnswer::each(owners, |owner| match question.target {
            Target::Instance(id) if id == ObjectId::from(999) => Decision::NoSuchObject,
            Target::Instance(id) => {
                let tenant = id.as_str().parse::<u128>().unwrap() / 100;
                (tenant == owner.0 / 10).into()
            }
            Target::Tag(_) | Target::Generic => Decision::Yes,
        })
    }
}

struct Platform {
    engine: Engine,
    users: Arc<Users>,
    store: Arc<SqliteStore>,
    /// The store of the engine, with a count of its calls.
    counted: Arc<FaultStore<SqliteStore>>,
    receiver: Receiver,
    folder: tempfile::TempDir,
}

impl Platform {
    async fn start() -> Self {
        Self::with(|engine| engine).await
    }

    async fn with(set: impl FnOnce(EngineBuilder) -> EngineBuilder) -> Self {
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

    /// Creates a webhook of this user whose deliveries arrive under `/{path}`.
    async fn webhook(&self, owner: OwnerId, path: &str) -> WebhookId {
        let url = format!("http://chat.test:{}/{path}", self.receiver.addr.port());
        self.webhook_to(owner, path, &url).await
    }

    async fn webhook_to(&self, owner: OwnerId, name: &str, url: &str) -> WebhookId {
        let webhook = Webhook::new(owner, name.parse().unwrap(), url.parse().unwrap());
        self.engine.create_webhook(&webhook).await.unwrap().id
    }

    async fn task(&self, webhook: WebhookId, message: &str, once: bool) -> TaskId {
        let task = task(webhook, message, once);
        self.engine.create_task(&task).await.unwrap().id
    }

    async fn event(
        &self,
        event_type: &str,
        target: Target,
        task: TaskId,
    ) -> Result<Row<EventId, Event>, EngineError> {
        let event = Event::new(
            event_type.parse().unwrap(),
            "on".parse().unwrap(),
            target,
            task,
        );
        self.engine.create_event(&event).await
    }

    /// Creates a webhook, a task and an event on an object.
    async fn watching(&self, owner: OwnerId, path: &str, object: u32) -> (WebhookId, TaskId) {
        let webhook = self.webhook(owner, path).await;
        let task = self.task(webhook, path, false).await;
        let target = Target::Instance(ObjectId::from(object));
        self.event("vms", target, task).await.unwrap();
        (webhook, task)
    }

    /// Returns the number of requests that have arrived under `/{path}`.
    fn arrived(&self, path: &str) -> usize {
        let path = format!("/{path}");
        let received = self.receiver.received();
        received.iter().filter(|got| got.path == path).count()
    }
}

fn engine(store: Arc<FaultStore<SqliteStore>>, users: Arc<Users>) -> EngineBuilder {
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
        .subscription_policy(users, Arc::new(OwnObjects))
        .quotas(Arc::new(Quota::default().with_runs_per_minute(u32::MAX)))
        .catalog(catalog)
        .schedule(Schedule::new([Duration::from_secs(600)]).unwrap())
}

fn task(webhook: WebhookId, message: &str, once: bool) -> Task {
    Task {
        delete_after_run: once,
        ..Task::new(
            OwnerId(1),
            "t".parse().unwrap(),
            Action::Send {
                webhook,
                message: message.parse().unwrap(),
            },
        )
    }
}

/// Returns the occurrence that machine `object` is switched on; its customer receives it.
fn switched_on(object: u32) -> Occurrence {
    alarm("vms", Audience::Tenant(TenantId(u128::from(object / 100))))
        .with_object(Object::new(ObjectId::from(object), format!("vm-{object}")))
}

fn alarm(event_type: &str, audience: Audience) -> Occurrence {
    Occurrence::new(event_type.parse().unwrap(), "on".parse().unwrap(), audience)
}
