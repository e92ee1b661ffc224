//! Every call to the store fails once, in four ways: no accepted occurrence is lost, nothing runs
//! twice, no deleted key is accepted, and everything recovers. The engine's clock is moved, so
//! leases and retries need no waiting.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use apikey_core::{KeyDraft, OwnerId};
use chrono::TimeDelta;
use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::{EmitError, Engine, EngineError, Limits, Timing};
use gatepost_ids::Realm;
use gatepost_keys::{AccessLevel, Account, Denied, KeyError, KeyService, Principal, Via};
use gatepost_kv::MemoryStore;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::webhooks::{Cascade, DeliveryQuery, DeliveryState};
use gatepost_storage::{AtMost, Clock as _, ManualClock, Page};
use gatepost_testkit::fault::{Fault, FaultStore};
use tests::chaos::{Counting, Store};
use tests::permissive_platform::{Everybody, one_system};
use webhook_model::{
    Action, Audience, Catalog, Event, Occurrence, Specificity, TagId, Target, Task, Webhook,
    WebhookId,
};

/// The number of times that a platform repeats a call that may succeed.
const TRIES: u32 = 6;

/// The state of one run. The faults are between it and `inner`.
struct Scene<S> {
    what: String,
    inner: Arc<S>,
    store: Arc<FaultStore<S>>,
    clock: Arc<ManualClock>,
    receiver: Counting,
    hook: WebhookId,
}

fn catalog() -> Catalog {
    let on = [("on", "On")];
    let both = Catalog::builder()
        .event_type("vms", "VMs", Specificity::InstanceOrTag, &on)
        .and_then(|c| c.event_type("alarms", "Alarms", Specificity::Generic, &on));
    both.unwrap().build()
}

impl<S: Store> Scene<S> {
    /// Creates a task for each occurrence, one for the first only, one for alarms.
    async fn new(inner: Arc<S>, what: String) -> Self {
        let receiver = Counting::start().await;
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        let url = |addr: SocketAddr| format!("http://{addr}/hook").parse().unwrap();
        let hook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url(receiver.addr));
        let hook = inner
            .insert_webhook(&hook, AtMost::UNLIMITED, now)
            .await
            .unwrap()
            .id;
        for (message, kind, once) in [
            (r#"{"n":"${N}"}"#, "vms", false),
            ("once", "vms", true),
            ("alarm", "alarms", false),
        ] {
            let task = Task {
                delete_after_run: once,
                ..Task::new(
                    OwnerId(1),
                    "t".parse().unwrap(),
                    Action::Send {
                        webhook: hook,
                        message: message.parse().unwrap(),
                    },
                )
            };
            let task = inner
                .insert_task(&task, AtMost::UNLIMITED, now)
                .await
                .unwrap()
                .id;
            let event = Event::new(
                kind.parse().unwrap(),
                "on".parse().unwrap(),
                if kind == "vms" {
                    Target::Tag(TagId(1))
                } else {
                    Target::Generic
                },
                task,
            );
            inner
                .insert_event(&event, AtMost::UNLIMITED, now)
                .await
                .unwrap();
        }
        let store = Arc::new(FaultStore::new(inner.clone()));
        let clock = Arc::new(ManualClock::at(now));
        Self {
            what,
            inner,
            store,
            clock,
            receiver,
            hook,
        }
    }

    async fn play(&self) {
        self.keys().await;
        let engine = self.engine().await;
        self.occurrences(&engine).await;
        self.expect_all_sent().await;
        self.clear(&engine).await;
        engine.shutdown(Duration::from_secs(2)).await;
        let left = self.inner.count_queue(self.clock.now()).await.unwrap();
        assert_eq!(
            (left.queued, left.running, left.outbox),
            (0, 0, 0),
            "{}",
            self.what
        );
    }

    /// Creates, uses and deletes a key.
    async fn keys(&self) {
        let keys = KeyService::builder(self.store.clone(), Arc::new(Everybody))
            .clock(self.clock.clone())
            .build();
        let actor = Principal::new(
            OwnerId(1),
            Account::enabled(AccessLevel::User),
            Via::Platform,
        );
        let (id, key) = self.create(&keys, &actor).await;
        let header = format!("Bearer {key}");
        let from = IpAddr::from([127, 0, 0, 1]);
        let ask = async || {
            let (keys, header) = (keys.clone(), header.clone());
            let asked = async move { keys.authenticate([header.as_bytes()], from).await.map(drop) };
            // A store that panics fails this request.
            tokio::spawn(asked)
                .await
                .unwrap_or(Err(Denied::Unavailable))
        };
        let mut let_in = false;
        for _ in 0..TRIES {
            match ask().await {
                Ok(()) => let_in = true,
                Err(Denied::Unavailable) => {}
                Err(other) => panic!("{}: a good key was answered {other:?}", self.what),
            }
        }
        assert!(let_in, "{}: a good key was never let in", self.what);
        let mut deleted = false;
        for _ in 0..TRIES {
            let (keys, actor) = (keys.clone(), actor.clone());
            match tokio::spawn(async move { keys.delete(&actor, id).await }).await {
                Ok(Ok(()) | Err(KeyError::NotFound)) => deleted = true,
                Ok(Err(KeyError::Store(error))) if error.is_transient() => {}
                Ok(Err(other)) => panic!("{}: {other:?}", self.what),
                Err(_) => {}
            }
            if deleted {
                break;
            }
        }
        assert!(deleted, "{}: the key could not be deleted", self.what);
        for _ in 0..3 {
            let answer = ask().await;
            assert!(answer.is_err(), "{}: a deleted key was let in", self.what);
        }
        keys.shutdown().await;
    }

    /// Creates a key as a platform would: if a result was lost, the key with the taken name is the
    /// one that nobody has seen.
    async fn create(&self, keys: &KeyService, actor: &Principal) -> (apikey_core::KeyId, String) {
        for _ in 0..TRIES {
            let draft = KeyDraft::new(OwnerId(1), "k".parse().unwrap());
            let (service, user) = (keys.clone(), actor.clone());
            match tokio::spawn(async move { service.create(&user, draft).await }).await {
                Ok(Ok((row, reveal))) => return (row.id, reveal.reveal().as_str().to_owned()),
                Ok(Err(KeyError::NameTaken)) => {
                    let unseen = self
                        .inner
                        .list_keys(&KeyQuery::all(Page::first(1)))
                        .await
                        .unwrap();
                    self.inner
                        .delete_key(unseen[0].id, self.clock.now())
                        .await
                        .unwrap();
                }
                Ok(Err(KeyError::Store(error))) if error.is_transient() => {}
                Ok(Err(other)) => panic!("{}: {other:?}", self.what),
                Err(_) => {}
            }
        }
        panic!("{}: the key could not be made", self.what)
    }

    async fn engine(&self) -> Engine {
        for _ in 0..TRIES {
            let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
            let limits = Limits::default()
                .with_timing(Timing::default().with_poll(Duration::from_millis(20)));
            let sender = Sender::builder(policy).build().unwrap();
            let builder = one_system(Engine::builder(self.store.clone(), sender))
                .catalog(catalog())
                .schedule(Schedule::new([Duration::from_millis(50)]).unwrap())
                .limits(limits)
                .clock(self.clock.clone());
            // A store that panics while the engine starts is reported to the caller of `start`.
            if let Ok(Ok(engine)) = tokio::spawn(builder.start()).await {
                return engine;
            }
        }
        panic!("{}: the engine does not start", self.what)
    }

    async fn occurrences(&self, engine: &Engine) {
        let hook = self.hook;
        self.until_done(engine, "outbox", |e| async move {
            e.emit_later(&alarm()).await.is_ok()
        })
        .await;
        self.until_stored(engine, 0).await;
        self.until_done(engine, "pause", move |e| async move {
            e.pause_webhook(hook).await.is_ok()
        })
        .await;
        self.until_stored(engine, 3).await;
        self.until_stored(engine, 4).await;
        self.until_done(engine, "resume", move |e| async move {
            e.resume_webhook(hook).await.is_ok()
        })
        .await;
        self.until_stored(engine, 5).await;
    }

    /// Emits as a platform would: again with the same id, as long as the error says that this may
    /// succeed.
    async fn until_stored(&self, engine: &Engine, n: i64) {
        let what = self.what.clone();
        self.until_done(engine, "emit", move |engine| {
            let what = what.clone();
            async move {
                match engine.emit(occurrence(n)).await {
                    Ok(_) => true,
                    Err(EmitError::Store(error)) if error.is_transient() => false,
                    Err(error) => panic!("{what}: {error:?}"),
                }
            }
        })
        .await;
    }

    /// A store that panics costs one try.
    async fn until_done<F>(&self, engine: &Engine, call: &str, act: impl Fn(Engine) -> F)
    where
        F: Future<Output = bool> + Send + 'static,
    {
        for _ in 0..TRIES {
            if tokio::spawn(act(engine.clone())).await.unwrap_or(false) {
                return;
            }
        }
        panic!("{}: {call} never succeeds", self.what)
    }

    /// Deletes a webhook with its tasks, their events and its deliveries; the deletion holds,
    /// whichever call received the error.
    async fn clear(&self, engine: &Engine) {
        let hook = self.hook;
        let gone = |e: Engine| async move {
            let deleted = e.delete_webhook(hook, Cascade::Tasks).await;
            matches!(deleted, Ok(()) | Err(EngineError::NotFound))
        };
        self.until_done(engine, "delete", gone).await;
        let routes = self.inner.routes(Realm::Shared, u32::MAX).await.unwrap();
        let routes = routes.unwrap();
        let left = routes.webhooks.len() + routes.tasks.len() + routes.events.len();
        assert_eq!(left, 0, "{}", self.what);
    }

    async fn expect_all_sent(&self) {
        let query = DeliveryQuery::all(Page::first(100));
        let mut all = Vec::new();
        // A second of the engine's time each 10 ms: leases run out, retries fall due.
        for _ in 0..1500 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            all = self.inner.list_deliveries(&query).await.unwrap();
            if all.len() >= 6 && all.iter().all(|d| d.state.is_final()) {
                break;
            }
            self.clock.advance(Duration::from_secs(1));
        }
        let mut made: BTreeMap<String, u32> = BTreeMap::new();
        for delivery in &all {
            assert_eq!(
                delivery.state,
                DeliveryState::Sent,
                "{}: {delivery:?}",
                self.what
            );
            *made.entry(delivery.body.to_string()).or_default() += 1;
        }
        let numbers = [0, 3, 4, 5].map(|n| (format!(r#"{{"n":"{n}"}}"#), 1));
        let wanted: BTreeMap<String, u32> = numbers
            .into_iter()
            .chain([("once".to_owned(), 1), ("alarm".to_owned(), 1)])
            .collect();
        assert_eq!(made, wanted, "{}", self.what);
        let seen = self.receiver.seen();
        assert!(seen.len() >= 7, "{}: {seen:?}", self.what);
        let seen = seen.into_iter().filter(|seen| !seen.repeated);
        let seen: Vec<String> = seen.map(|seen| seen.id).collect();
        let attempts = all
            .iter()
            .map(|d| (d.message_id.as_str().to_owned(), d.attempts));
        let (repeats, lost) = (repeats(&seen, attempts), self.store.lost_claims());
        assert!(
            repeats <= lost,
            "{}: {repeats} requests beside the recorded ones, {lost} lost claims: {all:?}",
            self.what
        );
        assert!(
            TimeDelta::days(1) > self.clock.now() - all[0].created,
            "{}: it took too long",
            self.what
        );
    }
}

/// Returns the number of requests without a recorded attempt, from the arrived and the recorded
/// ones of each message.
fn repeats(seen: &[String], attempts: impl Iterator<Item = (String, u32)>) -> u64 {
    let of = |id: &str| seen.iter().filter(|seen| *seen == id).count() as u64;
    attempts
        .map(|(id, recorded)| of(&id).saturating_sub(recorded.into()))
        .sum()
}

#[test]
fn unrecorded_request_is_counted_despite_surplus_records_elsewhere() {
    let seen = ["a", "b", "b", "b"].map(str::to_owned);
    let recorded = |b| [("a".to_owned(), 2), ("b".to_owned(), b)].into_iter();
    assert_eq!(repeats(&seen, recorded(3)), 0);
    assert_eq!(repeats(&seen, recorded(1)), 2);
}

fn occurrence(n: i64) -> Occurrence {
    let mut occurrence = Occurrence::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        Audience::OneSystem,
    );
    occurrence.id = Some(format!("o{n}").parse().unwrap());
    occurrence.tags = vec![TagId(1)];
    occurrence.variables = vec![("N".to_owned(), n.to_string())];
    occurrence
}

fn alarm() -> Occurrence {
    let mut alarm = Occurrence::new(
        "alarms".parse().unwrap(),
        "on".parse().unwrap(),
        Audience::OneSystem,
    );
    alarm.id = Some("alarm".parse().unwrap());
    alarm
}

/// Plays the scene with the k-th call failing, for every existing k. Returns up to which k each
/// call has failed in each way; the number of calls of a run depends slightly on its pace.
async fn sweep<S, F>(name: &str, at_once: usize, open: impl Fn() -> F) -> u64
where
    S: Store,
    F: Future<Output = (Arc<S>, Option<tempfile::TempDir>)>,
{
    let faults = [
        Fault::Refused,
        Fault::AnswerLost,
        Fault::Hang(Duration::from_millis(300)),
        Fault::Panic,
    ];
    let mut all = u64::MAX;
    for fault in faults {
        let mut runs = tokio::task::JoinSet::new();
        let mut reached = BTreeMap::new();
        for k in 1.. {
            if reached.values().any(|reached| !reached) {
                break;
            }
            if runs.len() >= at_once {
                reached.extend(runs.join_next().await.map(Result::unwrap));
            }
            let (inner, folder) = open().await;
            let what = format!("{name}, call {k}: {fault:?}");
            runs.spawn(async move {
                let scene = Scene::new(inner, what).await;
                scene.store.fail_any(k, fault);
                scene.play().await;
                drop(folder);
                (k, scene.store.has_failed())
            });
        }
        while let Some(run) = runs.join_next().await {
            reached.extend([run.unwrap()]);
        }
        let first_missed = reached.into_iter().find(|(_, reached)| !reached);
        all = all.min(first_missed.map_or(0, |(k, _): (u64, bool)| k - 1));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_store_call_loses_nothing_in_memory() {
    let open = || async { (Arc::new(MemoryStore::new()), None) };
    let calls = sweep("memory", 16, open).await;
    eprintln!("memory: every one of the first {calls} calls has failed in four ways");
    assert!(calls > 40, "{calls}");
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_store_call_loses_nothing_on_sqlite() {
    let open = || async {
        let folder = tempfile::tempdir().unwrap();
        let config = SqliteConfig::file(folder.path().join("gatepost.db"));
        (
            Arc::new(SqliteStore::open(config).await.unwrap()),
            Some(folder),
        )
    };
    let calls = sweep("SQLite", 8, open).await;
    eprintln!("SQLite: every one of the first {calls} calls has failed in four ways");
    assert!(calls > 40, "{calls}");
}
