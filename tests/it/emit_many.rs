//! `emit_many`, occurrences for chosen webhooks and channels, on every store: in memory, on SQLite
//! and on PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use delivery::{Sender, TargetPolicy};
use gatepost_engine::{Emitted, Engine};
use gatepost_kv::MemoryStore;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryQuery, WebhookStore};
use tests::permissive_platform::one_system;
use tests::postgres;
use webhook_model::{
    Action, Activity, Audience, Catalog, Event, Object, ObjectId, Occurrence, OwnerId, Specificity,
    Target, Task, Webhook, WebhookId, WebhookIds,
};

/// Starts an engine that sends nothing: all webhooks are paused.
async fn engine(store: Arc<dyn WebhookStore>) -> Engine {
    let catalog = Catalog::builder()
        .event_type("vms", "VMs", Specificity::InstanceOptional, &[("on", "On")])
        .unwrap()
        .build();
    let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
    let engine = one_system(Engine::builder(store, sender)).catalog(catalog);
    engine.start().await.unwrap()
}

/// Creates a webhook that lists these channels, and a task that any `on` runs.
async fn listens(engine: &Engine, name: &str, channels: &str, once: bool) -> WebhookId {
    let url = "https://example.com/in".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), name.parse().unwrap(), url);
    webhook.activity = Activity::Paused;
    webhook.channels = channels.parse().unwrap();
    let webhook = engine.create_webhook(&webhook).await.unwrap().id;
    let task = Task {
        delete_after_run: once,
        ..Task::new(
            OwnerId(1),
            name.parse().unwrap(),
            Action::Send {
                webhook,
                message: format!("{name} ${{NAME}}").parse().unwrap(),
            },
        )
    };
    let task = engine.create_task(&task).await.unwrap().id;
    let event = Event::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        Target::Generic,
        task,
    );
    engine.create_event(&event).await.unwrap();
    webhook
}

fn on(id: i64) -> Occurrence {
    let (area, event) = ("vms".parse().unwrap(), "on".parse().unwrap());
    let mut occurrence = Occurrence::new(area, event, Audience::OneSystem);
    let name = format!("vm-{id}");
    occurrence.object = Some(Object::new(ObjectId::from_number(id), name));
    occurrence
}

/// Returns the stored deliveries, the oldest first.
async fn stored(engine: &Engine) -> Vec<String> {
    let query = DeliveryQuery::all(Page::first(1_000));
    let deliveries = engine.list_deliveries(&query).await.unwrap();
    deliveries.iter().map(|d| d.body.to_string()).collect()
}

async fn stores() -> Vec<(Arc<dyn WebhookStore>, Option<tempfile::TempDir>)> {
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteConfig::file(folder.path().join("gatepost.db"));
    let fresh = postgres::fresh();
    let config = PostgresConfig::url(&fresh.url).with_schema(&fresh.schema);
    vec![
        (Arc::new(MemoryStore::new()), None),
        (
            Arc::new(SqliteStore::open(file).await.unwrap()),
            Some(folder),
        ),
        (
            Arc::new(PostgresStore::connect(config).await.unwrap()),
            None,
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn emit_many_stores_in_order_with_separate_answers() {
    for (store, _folder) in stores().await {
        let engine = engine(store).await;
        listens(&engine, "all", "", false).await;
        listens(&engine, "once", "", true).await;
        let named = |id: i64, name: &str| on(id).with_id(name.parse().unwrap());
        let mut wrong = on(3);
        wrong.audience = Audience::Operators;
        let many = vec![named(1, "x"), on(2), wrong, named(4, "x"), on(5)];
        let answers = engine.emit_many(many).await.unwrap();
        let made: Vec<_> = answers
            .iter()
            .map(|answer| {
                answer
                    .as_ref()
                    .map(|e: &Emitted| (e.deliveries.len(), e.repeated))
                    .ok()
            })
            .collect();
        let expected = [
            Some((2, false)),
            Some((1, false)),
            None,
            Some((0, true)),
            Some((1, false)),
        ];
        assert_eq!(made, expected);
        let bodies = ["all vm-1", "once vm-1", "all vm-2", "all vm-5"];
        assert_eq!(stored(&engine).await, bodies);

        let hundred: Vec<_> = (100..200).map(on).collect();
        let answers = engine.emit_many(hundred).await.unwrap();
        assert!(
            answers
                .iter()
                .all(|answer| answer.as_ref().unwrap().deliveries.len() == 1)
        );
        let names: Vec<_> = (100..200).map(|id| format!("all vm-{id}")).collect();
        assert_eq!(stored(&engine).await[4..], names);
        engine.shutdown(Duration::ZERO).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn emit_many_honours_recipients_and_channels_in_outbox() {
    for (store, _folder) in stores().await {
        let engine = engine(store).await;
        listens(&engine, "all", "", false).await;
        let billing = listens(&engine, "billing", "billing", false).await;
        listens(&engine, "both", "billing, support", false).await;
        let of = |id: i64, to: Option<WebhookId>, channel: Option<&str>| {
            let mut occurrence = on(id);
            occurrence.to = to.map(|to| WebhookIds::new([to]).unwrap());
            occurrence.channel = channel.map(|channel| channel.parse().unwrap());
            occurrence
        };
        let occurrences = [
            of(1, None, None),
            of(2, None, Some("support")),
            of(3, Some(billing), Some("billing")),
            of(4, Some(billing), None),
        ];
        let answers = engine.emit_many(occurrences.to_vec()).await.unwrap();
        let made = answers
            .iter()
            .map(|answer| answer.as_ref().unwrap().deliveries.len());
        assert_eq!(made.collect::<Vec<_>>(), [1, 2, 1, 0]);
        let direct = stored(&engine).await;
        assert_eq!(
            direct,
            ["all vm-1", "all vm-2", "both vm-2", "billing vm-3"]
        );

        engine.emit_many_later(&occurrences[..2]).await.unwrap();
        engine.emit_later(&occurrences[2]).await.unwrap();
        let mut all = stored(&engine).await;
        // A time limit of thirty seconds for something that takes a moment.
        for _ in 0..3_000 {
            if all.len() >= 8 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            all = stored(&engine).await;
        }
        assert_eq!(all[4..], direct);
        engine.shutdown(Duration::ZERO).await;
    }
}
