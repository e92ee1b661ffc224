//! A user without a tenant becomes a system administrator, and stops being one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use delivery::{Sender, TargetPolicy};
use gatepost_engine::{
    AccessLevel, Account, AccountAnswer, Accounts, Audience, Engine, EngineError,
};
use gatepost_ids::{OwnerId, TenantId};
use gatepost_kv::MemoryStore;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::WebhookStore;
use tests::postgres;
use webhook_model::{Activity, Catalog, Event, Specificity, Target, Webhook};

use super::{ALONE, alarm, task};

/// The platform of one user.
#[derive(Debug)]
struct User {
    administers: AtomicBool,
    answers_later: bool,
}

impl Accounts for User {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        let answer = || {
            let level = match self.administers.load(Ordering::SeqCst) {
                true => AccessLevel::SystemAdministrator,
                false => AccessLevel::User,
            };
            Ok(Some(Account::enabled(level)))
        };
        match self.answers_later {
            false => AccountAnswer::Now(answer()),
            true => AccountAnswer::Later(Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(5)).await;
                answer()
            })),
        }
    }
}

/// Changes the user's level; afterwards the user receives a customer's occurrences only if the
/// level permits it.
async fn changes_level(store: Arc<dyn WebhookStore>, answers_later: bool) {
    let user = Arc::new(User {
        administers: AtomicBool::new(false),
        answers_later,
    });
    let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
    let catalog = Catalog::builder()
        .event_type("alarms", "Alarms", Specificity::Generic, &[("on", "On")])
        .unwrap();
    let engine = Engine::builder(store, sender)
        .addressed_only(user.clone())
        .catalog(catalog.build());
    let engine = engine.start().await.unwrap();
    let url = "https://unreachable.example/".parse().unwrap();
    let mut webhook = Webhook::new(ALONE, "w".parse().unwrap(), url);
    webhook.activity = Activity::Paused;
    let webhook = engine.create_webhook(&webhook).await.unwrap().id;
    let task = engine.create_task(&task(webhook, "x", false)).await;
    let event = Event::new(
        "alarms".parse().unwrap(),
        "on".parse().unwrap(),
        Target::Generic,
        task.unwrap().id,
    );
    engine.create_event(&event).await.unwrap();
    let renamed = async |name: &str| {
        let edited = engine.edit_webhook(webhook, |webhook| {
            webhook.name = name.parse()?;
            Ok(())
        });
        edited.await.map(drop)
    };
    for administers in [true, false, true] {
        user.administers.store(administers, Ordering::SeqCst);
        let (told, edited): (_, Result<(), EngineError>) =
            tokio::join!(engine.owner_changed(ALONE), renamed("renamed"));
        told.unwrap();
        edited.unwrap();
        // An edit waits for the platform's answer; the emit after it has the answer and is not
        // delayed.
        renamed("again").await.unwrap();
        let at_a_customer = alarm("alarms", Audience::Tenant(TenantId(7)));
        let emitted = engine.emit(at_a_customer).await.unwrap();
        let received = emitted.deliveries.len();
        assert_eq!(received, usize::from(administers), "later: {answers_later}");
    }
    engine.shutdown(Duration::from_secs(10)).await;
}

#[tokio::test]
async fn new_system_administrators_receive_what_happens_to_customers() {
    for answers_later in [false, true] {
        changes_level(Arc::new(MemoryStore::new()), answers_later).await;
        let folder = tempfile::tempdir().unwrap();
        let config = SqliteConfig::file(folder.path().join("gatepost.db"));
        let sqlite = SqliteStore::open(config).await.unwrap();
        changes_level(Arc::new(sqlite), answers_later).await;
        let fresh = postgres::fresh();
        let config = PostgresConfig::url(&fresh.url).with_schema(&fresh.schema);
        let postgres = PostgresStore::connect(config).await.unwrap();
        changes_level(Arc::new(postgres), answers_later).await;
    }
}
