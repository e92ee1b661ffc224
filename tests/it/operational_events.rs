//! Notices to users about their own keys and webhooks, through their own webhooks: keys, engine and
//! `Management` together, on a platform with tenants.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use apikey_core::{Expiration, KeyDraft};
use chrono::{DateTime, TimeDelta, Utc};
use delivery::{Sender, TargetPolicy};
use examples::receiver::Receiver;
use gatepost_engine::{
    Engine, OperationalEvents, PolicyAnswer, PolicyQuestion, SubscriptionPolicy,
};
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, Quota, TenantId};
use gatepost_keys::{Denied, KeyService, Principal, Via};
use gatepost_kv::MemoryStore;
use gatepost_manage::{KeyEvents, Management, OnLeak};
use gatepost_storage::{Clock as _, ManualClock};
use webhook_model::{
    Action, Description as TaskText, Event, Retries, Target, Task, Webhook, WebhookId,
};

const ADA: u128 = 1;
const COLLEAGUE: u128 = 2;
const ADMINISTRATOR: u128 = 3;
const STRANGER: u128 = 4;
const OPERATOR: u128 = 5;
const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// The users: Ada, a colleague, their administrator and a system administrator who works for tenant
/// 1 there, a stranger in tenant 2; nobody may watch the platform's objects.
#[derive(Clone, Copy, Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let (access, tenant) = match owner.0 {
            ADMINISTRATOR => (AccessLevel::TenantAdministrator, 1),
            OPERATOR => (AccessLevel::SystemAdministrator, 1),
            STRANGER => (AccessLevel::User, 2),
            _ => (AccessLevel::User, 1),
        };
        let account = Account::enabled(access).in_tenant(TenantId(tenant));
        AccountAnswer::Now(Ok(Some(account)))
    }
}

impl SubscriptionPolicy for Users {
    fn may_receive<'a>(
        &'a self,
        _question: &'a PolicyQuestion<'a>,
        owners: &'a [OwnerId],
    ) -> PolicyAnswer<'a> {
        PolicyAnswer::each(owners, |_| false)
    }
}

fn user(owner: u128) -> Principal {
    let AccountAnswer::Now(Ok(Some(account))) = Users.account(OwnerId(owner)) else {
        panic!("everybody is known");
    };
    Principal::new(OwnerId(owner), account, Via::Platform)
}

/// One process of the platform.
struct Process {
    engine: Engine,
    keys: KeyService,
    door: Management,
}

/// Parts that all processes share, and the targets of webhooks: one path for each of them.
struct Platform {
    store: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
    receiver: Receiver,
}

impl Platform {
    async fn new() -> Self {
        let noon = "2026-11-23T12:00:00Z".parse().unwrap();
        Self {
            store: Arc::new(MemoryStore::new()),
            clock: Arc::new(ManualClock::at(noon)),
            receiver: Receiver::start(None).await.unwrap(),
        }
    }

    async fn process(&self) -> Process {
        let users = Arc::new(Users);
        let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
        let sender = Sender::builder(policy).build().unwrap();
        let engine = Engine::builder(self.store.clone(), sender)
            .subscription_policy(users.clone(), users.clone())
            .quotas(Arc::new(Quota::UNLIMITED))
            .clock(self.clock.clone())
            .operational_events(OperationalEvents::all())
            .start()
            .await
            .unwrap();
        let keys = KeyService::builder(self.store.clone(), users)
            .clock(self.clock.clone())
            .quotas(Arc::new(Quota::UNLIMITED))
            .flush_logins(Duration::from_millis(10))
            .observer(Arc::new(KeyEvents::new(engine.clone())))
            .build();
        let door = Management::builder(keys.clone(), engine.clone()).build();
        Process { engine, keys, door }
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Returns the messages at a path, in order of text, once there are `count`; waits fifteen
    /// seconds at most.
    async fn told(&self, path: &str, count: usize) -> Vec<String> {
        for _ in 0..1_500 {
            let bodies = self.bodies(path);
            if bodies.len() >= count {
                return bodies;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("not {count}: {:?}", self.bodies(path));
    }

    fn bodies(&self, path: &str) -> Vec<String> {
        let all = self.receiver.received().into_iter();
        let of_path = all.filter(|received| received.path == format!("/{path}"));
        let mut bodies: Vec<_> = of_path.map(|received| received.body).collect();
        bodies.sort();
        bodies
    }

    async fn webhook(&self, process: &Process, owner: u128, path: &str) -> WebhookId {
        let url = format!("http://{}/{path}", self.receiver.addr);
        let name = path.parse().unwrap();
        let mut webhook = Webhook::new(OwnerId(owner), name, url.parse().unwrap());
        webhook.retries = Retries::new(0).unwrap();
        let made = process.door.of(&user(owner)).create_webhook(webhook).await;
        made.unwrap().id
    }

    /// Creates a webhook of this user that receives all notices about keys and webhooks.
    async fn informed(&self, process: &Process, owner: u128, path: &str) -> WebhookId {
        let webhook = self.webhook(process, owner, path).await;
        for (of, event, message) in [
            ("api_keys", "created", "created ${NAME} ${MASKED}"),
            ("api_keys", "deleted", "deleted ${NAME} ${KEY}"),
            (
                "api_keys",
                "expiring",
                "expiring ${NAME} ${DAYS} ${EXPIRES}",
            ),
            ("api_keys", "leaked", "leaked ${NAME} ${MASKED}"),
            ("api_keys", "refused_address", "refused ${NAME} ${ADDRESS}"),
            ("webhooks", "disabled", "disabled ${NAME}"),
        ] {
            let actor = process.door.of(&user(owner));
            let task = Task {
                creator: OwnerId(owner),
                name: event.parse().unwrap(),
                description: TaskText::default(),
                enabled: true,
                delete_after_run: false,
                action: Action::Send {
                    webhook,
                    message: message.parse().unwrap(),
                },
            };
            let task = actor.create_task(task).await.unwrap().id;
            let event = Event::new(
                of.parse().unwrap(),
                event.parse().unwrap(),
                Target::Generic,
                task,
            );
            actor.create_event(event).await.unwrap();
        }
        webhook
    }

    fn draft(&self, owner: u128, name: &str, expires: Option<TimeDelta>) -> KeyDraft {
        KeyDraft::new(OwnerId(owner), name.parse().unwrap()).with_expiration(
            expires.map_or(Expiration::Never, |time| Expiration::At(self.now() + time)),
        )
    }
}

#[tokio::test]
async fn key_owner_is_notified_of_creation_and_deletion() {
    let platform = Platform::new().await;
    let process = platform.process().await;
    platform.informed(&process, ADA, "ada").await;
    let actor = process.door.of(&user(ADA));
    let (row, _) = actor
        .create_key(platform.draft(ADA, "deploy", None))
        .await
        .unwrap();
    let created = format!("created deploy {}", row.key.masked);
    assert_eq!(platform.told("ada", 1).await.concat(), created);
    actor.delete_key(row.id).await.unwrap();
    let deleted = format!("deleted deploy {}", row.id);
    assert_eq!(platform.told("ada", 2).await, [created, deleted]);
}

#[tokio::test]
async fn leaked_key_notifies_owner_once_and_of_deletion() {
    let platform = Platform::new().await;
    let process = platform.process().await;
    platform.informed(&process, ADA, "ada").await;
    let actor = process.door.of(&user(ADA));
    let made = actor.create_key(platform.draft(ADA, "deploy", None)).await;
    let (row, once) = made.unwrap();
    let text = format!("KEY={}", once.reveal().as_str());
    let operator = Account::enabled(AccessLevel::SystemAdministrator);
    let operator = Principal::new(OwnerId(9), operator, Via::Platform);
    let operator = process.door.of(&operator);
    let report = async |then| {
        let found = operator.report_leaked(text.clone(), then).await.unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|leaked| (leaked.row.id, leaked.done))
            .collect();
        assert_eq!(found, [(row.id, then)]);
    };
    report(OnLeak::Report).await;
    report(OnLeak::Disable).await;
    report(OnLeak::Delete).await;
    let masked = &row.key.masked;
    let told = [
        format!("created deploy {masked}"),
        format!("deleted deploy {}", row.id),
        format!("leaked deploy {masked}"),
    ];
    assert_eq!(platform.told("ada", 3).await, told);
    process.engine.shutdown(Duration::from_secs(10)).await;
    assert_eq!(platform.bodies("ada"), told);
}

#[tokio::test]
async fn operational_events_reach_only_owner_and_administrator() {
    let platform = Platform::new().await;
    let process = platform.process().await;
    let mut hooks = HashMap::new();
    for (owner, path) in [
        (ADA, "ada"),
        (COLLEAGUE, "colleague"),
        (ADMINISTRATOR, "administrator"),
        (STRANGER, "stranger"),
    ] {
        hooks.insert(owner, platform.informed(&process, owner, path).await);
    }
    let actor = process.door.of(&user(ADA));
    let draft = platform.draft(ADA, "deploy", None);
    drop(actor.create_key(draft).await.unwrap());
    let spare = platform.webhook(&process, ADA, "spare").await;
    let disable = |webhook: &mut Webhook| {
        webhook.activity = webhook_model::Activity::Disabled;
        Ok(())
    };
    actor.edit_webhook(spare, disable).await.unwrap();
    for path in ["ada", "administrator"] {
        let told = platform.told(path, 2).await;
        assert!(told[0].starts_with("created deploy"), "{told:?}");
        assert_eq!(told[1], "disabled spare");
    }
    process.engine.shutdown(Duration::from_secs(10)).await;
    for path in ["colleague", "stranger"] {
        assert_eq!(platform.bodies(path), [""; 0], "{path}");
    }
    assert_eq!(hooks.len(), 4);
}

#[tokio::test]
async fn system_administrator_events_reach_no_tenant_administrator() {
    let platform = Platform::new().await;
    let process = platform.process().await;
    for (owner, path) in [(OPERATOR, "operator"), (ADMINISTRATOR, "administrator")] {
        platform.informed(&process, owner, path).await;
    }
    let actor = process.door.of(&user(OPERATOR));
    let mut draft = platform.draft(OPERATOR, "root", None);
    draft.ip.allow = "192.0.2.7".parse().unwrap();
    let (row, once) = actor.create_key(draft).await.unwrap();
    let seen = process.door.of(&user(ADMINISTRATOR)).key(row.id).await;
    assert!(seen.is_err(), "nor may the administrator see the key");
    let header = format!("Bearer {}", once.reveal().as_str());
    let refused = process.keys.authenticate([header.as_bytes()], HERE).await;
    assert_eq!(refused.unwrap_err(), Denied::Address);
    let told = platform.told("operator", 2).await;
    assert!(told[1].starts_with("refused root 127.0.0.1"), "{told:?}");
    process.engine.shutdown(Duration::from_secs(10)).await;
    assert_eq!(platform.bodies("administrator"), [""; 0]);
}

#[tokio::test]
async fn key_expiry_notifies_14_3_0_days_before() {
    let platform = Platform::new().await;
    let first = platform.process().await;
    let second = platform.process().await;
    platform.informed(&first, ADA, "ada").await;
    let actor = first.door.of(&user(ADA));
    let days = TimeDelta::days;
    let draft = platform.draft(ADA, "deploy", Some(days(30)));
    drop(actor.create_key(draft).await.unwrap());
    let short = platform.draft(ADA, "short", Some(days(2)));
    drop(actor.create_key(short).await.unwrap());
    let mut told: Vec<String> = platform.told("ada", 2).await;
    let at = (platform.now() + days(30))
        .format("%Y-%m-%dT%H:%M:%SZ")
        .to_string();
    let soon = (platform.now() + days(2))
        .format("%Y-%m-%dT%H:%M:%SZ")
        .to_string();

    let mut passed = 0;
    let mut go_to = |day: i64| {
        let by = TimeDelta::hours(24 * day + 1) - TimeDelta::hours(passed);
        passed = 24 * day + 1;
        platform.clock.advance(by.to_std().unwrap());
    };
    let expected = async |told: &mut Vec<String>, text: String| {
        told.push(text);
        told.sort();
        assert_eq!(&platform.told("ada", told.len()).await, told);
    };
    go_to(2);
    expected(&mut told, format!("expiring short 0 {soon}")).await;
    go_to(16);
    expected(&mut told, format!("expiring deploy 14 {at}")).await;

    drop(actor);
    // Both end, and one begins: it goes back a day, and sends no notice twice.
    for process in [first, second] {
        process.engine.shutdown(Duration::from_secs(10)).await;
        drop(process);
    }
    let next = platform.process().await;
    go_to(27);
    expected(&mut told, format!("expiring deploy 3 {at}")).await;
    let again = platform.process().await;
    go_to(30);
    expected(&mut told, format!("expiring deploy 0 {at}")).await;
    for process in [next, again] {
        process.engine.shutdown(Duration::from_secs(10)).await;
    }
    assert_eq!(platform.bodies("ada"), told);
}

#[tokio::test]
async fn key_used_from_forbidden_address_notifies_hourly() {
    let platform = Platform::new().await;
    let process = platform.process().await;
    platform.informed(&process, ADA, "ada").await;
    let mut draft = platform.draft(ADA, "deploy", None);
    draft.ip.deny = "127.0.0.1".parse().unwrap();
    let actor = process.door.of(&user(ADA));
    let (_, reveal) = actor.create_key(draft).await.unwrap();
    let header = format!("Bearer {}", reveal.reveal().as_str());
    let refuse = async |times: usize| {
        for _ in 0..times {
            let denied = process.keys.authenticate([header.as_bytes()], HERE).await;
            assert_eq!(denied.unwrap_err(), Denied::Address);
        }
    };
    refuse(1).await;
    let refused = "refused deploy 127.0.0.1".to_owned();
    let told = platform.told("ada", 2).await;
    assert_eq!(told[1..].concat(), refused);
    refuse(20).await;
    platform.clock.advance(Duration::from_secs(3600));
    let told = platform.told("ada", 3).await;
    assert_eq!(told[1..].concat(), refused.repeat(2));
    process.keys.shutdown().await;
    process.engine.shutdown(Duration::from_secs(10)).await;
    assert_eq!(platform.bodies("ada").len(), 3);
}
