//! What a platform, a receiver and an operator may rely on.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use delivery::Schedule;
use gatepost_engine::{
    DisablePolicy, EmitError, EmitLimits, EngineError, Limits, Notice, Observer, RateLimits, Timing,
};
use gatepost_storage::webhooks::{
    Cascade, DeliveryId, DeliveryLog, DeliveryState, RecordStore as _,
};
use gatepost_storage::{AtMost, ManualClock};
use webhook_model::{
    Action, Activity, Authorization, DeliveryOrder, Headers, Object, ObjectId, Occurrence, Retries,
    SigningSecret, SigningSecrets, TagId, Target, TaskId,
};

use crate::support::{poweron, receiver, until, world, world_with};

/// Notes what it receives, and panics each time.
#[derive(Debug, Default)]
struct Panics(Mutex<Vec<Notice>>);

impl Observer for Panics {
    fn notice(&self, notice: Notice) {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(notice);
        panic!("a platform's callback");
    }
}

#[tokio::test]
async fn gone_disables_only_on_request_and_a_panicking_observer_harms_nobody() {
    for (policy, expected) in [
        (DisablePolicy::default(), Activity::Active),
        (
            DisablePolicy::default().with_on_gone(true),
            Activity::Disabled,
        ),
    ] {
        let observer = Arc::new(Panics::default());
        let world = world_with(|builder| builder.observer(observer.clone()).disable(policy)).await;
        let (receiver, addr) = receiver(false, &[410]).await;
        let webhook = world
            .webhook("w", addr, |w| w.retries = Retries::new(0).unwrap())
            .await;
        let id = world.engine.send(webhook, None).await.unwrap();
        assert_eq!(world.ended(id).await.response_status, Some(410));
        let noted = || {
            observer
                .0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .clone()
        };
        let notices = if expected == Activity::Active { 1 } else { 2 };
        until(|| noted().len() == notices).await;
        assert_eq!(noted()[0], Notice::Gone { webhook });
        assert_eq!(
            world
                .engine
                .webhook(webhook)
                .await
                .unwrap()
                .unwrap()
                .value
                .activity,
            expected
        );
        world.engine.resume_webhook(webhook).await.unwrap();
        let id = world.engine.send(webhook, None).await.unwrap();
        assert_eq!(world.ended(id).await.state, DeliveryState::Sent);
        assert_eq!(receiver.bodies.lock().unwrap().len(), 2);
    }
}

/// Hangs until the other end of the channel is dropped.
#[derive(Debug)]
struct Hangs(AtomicUsize, Mutex<mpsc::Receiver<()>>);

impl Observer for Hangs {
    fn notice(&self, _notice: Notice) {
        self.0.fetch_add(1, Ordering::SeqCst);
        let _ = self.1.lock().unwrap().recv();
    }
}

#[tokio::test]
async fn an_observer_that_hangs_holds_up_no_delivery_and_few_threads() {
    let (_until_the_end, hang) = mpsc::channel();
    let observer = Arc::new(Hangs(AtomicUsize::new(0), Mutex::new(hang)));
    let world = world_with(|builder| builder.observer(observer.clone())).await;
    let (receiver, addr) = receiver(false, &[410; 20]).await;
    let webhook = world
        .webhook("w", addr, |w| w.retries = Retries::new(0).unwrap())
        .await;
    for _ in 0..20 {
        world.engine.send(webhook, None).await.unwrap();
    }
    until(|| receiver.bodies.lock().unwrap().len() == 20).await;
    world.ended(DeliveryId(20)).await;
    until(|| observer.0.load(Ordering::SeqCst) >= 4).await;
    assert_eq!(
        observer.0.load(Ordering::SeqCst),
        4,
        "further notices are dropped"
    );
}

#[tokio::test]
async fn no_retry_leaves_before_its_due_time() {
    let clock = Arc::new(ManualClock::at("2026-03-01T12:00:00Z".parse().unwrap()));
    let limits =
        Limits::default().with_timing(Timing::default().with_poll(Duration::from_millis(20)));
    let schedule = Schedule::new([Duration::from_secs(60)]).unwrap();
    let world = world_with(|builder| {
        builder
            .clock(clock.clone())
            .limits(limits)
            .schedule(schedule)
            .seed(7)
    })
    .await;
    let (receiver, addr) = receiver(false, &[500]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let id = world.engine.send(webhook, None).await.unwrap();
    until(|| receiver.bodies.lock().unwrap().len() == 1).await;
    let mut waiting = world.store.delivery(id).await.unwrap().unwrap();
    while waiting.state != DeliveryState::Queued {
        tokio::time::sleep(Duration::from_millis(5)).await;
        waiting = world.store.delivery(id).await.unwrap().unwrap();
    }
    let wait = (waiting.due - gatepost_storage::Clock::now(clock.as_ref())).num_seconds();
    assert!((47..=72).contains(&wait), "60 s ± 20 %, not {wait}");
    assert!(
        waiting.status_info.contains("500"),
        "{}",
        waiting.status_info
    );

    clock.advance(Duration::from_secs(wait.unsigned_abs() - 1));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(receiver.bodies.lock().unwrap().len(), 1);
    clock.advance(Duration::from_secs(2));
    assert_eq!(world.ended(id).await.attempts, 2);
}

#[tokio::test]
async fn in_order_means_that_a_retry_holds_up_what_came_later() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[200, 500, 503]).await;
    let webhook = world
        .webhook("w", addr, |w| w.order = DeliveryOrder::InOrder)
        .await;
    let task = world.task(webhook, "${NAME}", false).await;
    world
        .event("vms", "poweron", Target::Tag(TagId(1)), task)
        .await;
    let mut last = DeliveryId(0);
    for n in 0..4 {
        last = world
            .engine
            .emit(poweron(n, &[1]))
            .await
            .unwrap()
            .deliveries[0];
    }
    world.ended(last).await;
    let expected: Vec<_> = [0, 1, 1, 1, 2, 3]
        .iter()
        .map(|n| format!("vm \"{n}\""))
        .collect();
    assert_eq!(*receiver.bodies.lock().unwrap(), expected);
    assert_eq!(receiver.most_open.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_message_that_grows_too_large_stops_its_own_task_only() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let large = world.task(webhook, &"${NAME}".repeat(5000), true).await;
    let small = world.task(webhook, "small", false).await;
    for task in [large, small] {
        world
            .event("vms", "poweron", Target::Tag(TagId(1)), task)
            .await;
    }
    let occurrence = Occurrence {
        object: Some(Object {
            id: ObjectId(1),
            name: "n".repeat(1000),
        }),
        ..poweron(1, &[1])
    };
    let emitted = world.engine.emit(occurrence.clone()).await.unwrap();
    assert_eq!(
        emitted
            .unrendered
            .iter()
            .map(|(task, _)| *task)
            .collect::<Vec<TaskId>>(),
        [large]
    );
    world.ended(emitted.deliveries[0]).await;
    assert_eq!(*receiver.bodies.lock().unwrap(), ["small"]);
    assert!(
        world.engine.task(large).await.unwrap().is_some(),
        "it did not run, so it is not deleted"
    );

    let by_hand = "${DATE}".repeat(149_000).parse().unwrap();
    let error = world
        .engine
        .send(webhook, Some(&by_hand))
        .await
        .unwrap_err();
    assert!(
        matches!(error, EngineError::Emit(EmitError::Message(_))),
        "{error:?}"
    );

    world.engine.delete_task(small).await.unwrap();
    let emitted = world.engine.emit(occurrence).await.unwrap();
    assert_eq!(
        emitted.unrendered.len(),
        1,
        "no occurrence is refused for it"
    );
    assert!(emitted.deliveries.is_empty());
    world
        .engine
        .edit_task(large, |task| {
            task.action = Action::Send {
                webhook,
                message: "${DATE}".repeat(149_000).parse().unwrap(),
            };
            Ok(())
        })
        .await
        .unwrap();
    let error = world.engine.run_task(large).await.unwrap_err();
    assert!(
        matches!(error, EngineError::Emit(EmitError::Render { task, .. }) if task == large),
        "{error:?}"
    );
}

#[tokio::test]
async fn variables_of_the_platform_and_of_the_occurrence_are_filled_in() {
    let world =
        world_with(|builder| builder.variable("SITE", "lab").variable("LEVEL", "low")).await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let task = world
        .task(webhook, "${SITE} ${LEVEL} ${OTHER}", false)
        .await;
    world
        .event("vms", "poweron", Target::Tag(TagId(1)), task)
        .await;
    let occurrence = Occurrence {
        variables: vec![("LEVEL".to_owned(), "high".to_owned())],
        ..poweron(1, &[1])
    };
    let emitted = world.engine.emit(occurrence).await.unwrap();
    world.ended(emitted.deliveries[0]).await;
    let by_hand = world
        .engine
        .send(webhook, Some(&"${SITE}".parse().unwrap()))
        .await
        .unwrap();
    world.ended(by_hand).await;
    assert_eq!(
        *receiver.bodies.lock().unwrap(),
        ["lab high ${OTHER}", "lab"]
    );
}

#[tokio::test]
async fn an_occurrence_that_matches_more_than_fits_is_stored_and_follows() {
    let limits = Limits::default().with_emit(EmitLimits::default().with_deliveries(2));
    let world = world_with(|builder| builder.limits(limits)).await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    for n in 0..5 {
        let task = world.task(webhook, &format!("task {n}"), false).await;
        world
            .event("vms", "poweron", Target::Tag(TagId(1)), task)
            .await;
    }
    let emitted = world.engine.emit(poweron(1, &[1])).await.unwrap();
    assert!(emitted.pending && emitted.deliveries.is_empty());
    until(|| receiver.bodies.lock().unwrap().len() == 5).await;
    let mut bodies = receiver.bodies.lock().unwrap().clone();
    bodies.sort();
    let expected: Vec<_> = (0..5).map(|n| format!("task {n}")).collect();
    assert_eq!(bodies, expected);
}

#[tokio::test]
async fn tasks_and_events_can_be_run_by_hand_and_disabled_ones_cannot() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let task = world.task(webhook, "${NAME}!", false).await;
    world
        .event("vms", "poweron", Target::Instance(ObjectId(9)), task)
        .await;
    let by_hand = world.engine.run_task(task).await.unwrap();
    assert_eq!(world.ended(by_hand.deliveries[0]).await.body.as_ref(), "!");
    let fired = world
        .engine
        .trigger_event(
            webhook_model::EventId(1),
            Some("nine".to_owned()),
            Vec::new(),
        )
        .await
        .unwrap();
    assert_eq!(
        world.ended(fired.deliveries[0]).await.body.as_ref(),
        "nine!"
    );
    assert!(
        world
            .engine
            .task(task)
            .await
            .unwrap()
            .unwrap()
            .last_run
            .is_some()
    );
    world
        .engine
        .edit_task(task, |t| {
            t.enabled = false;
            Ok(())
        })
        .await
        .unwrap();
    assert!(matches!(
        world.engine.run_task(task).await,
        Err(EngineError::NotFound)
    ));
    assert!(
        world
            .engine
            .emit(poweron(9, &[]))
            .await
            .unwrap()
            .deliveries
            .is_empty()
    );
    assert_eq!(receiver.bodies.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_forbidden_target_is_named_in_preview_and_ends_without_retries() {
    let world = world().await;
    let webhook = world
        .webhook("w", "10.0.0.1:80".parse().unwrap(), |_| {})
        .await;
    let row = world.engine.webhook(webhook).await.unwrap().unwrap();
    let preview = world.engine.preview(&row.value, None).unwrap();
    assert!(preview.verdict.is_err() && preview.head.starts_with(b"POST /w HTTP/1.1"));
    let id = world.engine.send(webhook, None).await.unwrap();
    let delivery = world.ended(id).await;
    assert_eq!(
        (delivery.state, delivery.attempts),
        (DeliveryState::Error, 1)
    );
}

#[tokio::test]
async fn a_webhook_that_is_deleted_takes_its_deliveries_along() {
    let world = world().await;
    let (stalled, addr) = receiver(true, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    world.task(webhook, "x", false).await;
    let id = world.engine.send(webhook, None).await.unwrap();
    until(|| stalled.open.load(Ordering::SeqCst) == 1).await;
    world
        .engine
        .delete_webhook(webhook, Cascade::Tasks)
        .await
        .unwrap();
    stalled.stall.add_permits(10);
    until(|| stalled.bodies.lock().unwrap().len() == 1).await;
    world.engine.shutdown(Duration::from_secs(2)).await;
    assert!(world.store.delivery(id).await.unwrap().is_none());
    assert_eq!(world.engine.health().await.unwrap().in_flight, 0);
}

fn signing(secret: &str) -> SigningSecrets {
    SigningSecrets::new(vec![SigningSecret::parse(secret).unwrap()]).unwrap()
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_secret_and_no_message_reaches_the_log_at_any_level() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    // All tasks of this test run on this thread.
    let _guard = tracing::subscriber::set_default(subscriber);
    let world = world().await;
    let (_receiver, addr) = receiver(false, &[500, 410]).await;
    let webhook = world
        .webhook("w", addr, |w| {
            w.authorization = Authorization::bearer("CANARY-bearer").unwrap();
            w.headers = Headers::from_pairs([("X-Route", "CANARY-header")]).unwrap();
            w.signing = signing("whsec_Q0FOQVJZQ0FOQVJZQ0FOQVJZQ0FOQVJZ");
        })
        .await;
    let task = world.task(webhook, "CANARY-body ${NAME}", false).await;
    world
        .event("vms", "poweron", Target::Tag(TagId(1)), task)
        .await;
    let id = world
        .engine
        .emit(poweron(1, &[1]))
        .await
        .unwrap()
        .deliveries[0];
    assert_eq!(world.ended(id).await.attempts, 3);
    world.engine.shutdown(Duration::from_secs(1)).await;

    let text = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(
        text.contains("attempt made"),
        "the log was captured: {text}"
    );
    for canary in ["CANARY", "Q0FOQVJZ", "Q0FOQVJZLWJlYXJlcg"] {
        assert!(!text.contains(canary), "{canary} in {text}");
    }
    let debug = format!("{:?}", world.engine);
    assert!(!debug.contains("CANARY"), "{debug}");
}

#[tokio::test]
async fn a_storm_of_retries_leaves_at_a_pace() {
    let rates = RateLimits::default().with_retries_per_second(50);
    let limits = Limits::default().with_rates(rates);
    let world = world_with(|builder| builder.limits(limits)).await;
    let (receiver, addr) = receiver(false, &[500; 60]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let mut sent = Vec::new();
    let began = tokio::time::Instant::now();
    for _ in 0..60 {
        sent.push(world.engine.send(webhook, None).await.unwrap());
    }
    until(|| receiver.bodies.lock().unwrap().len() == 120).await;
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(59 * 20), "{took:?}");
    // A retry may be among the first 60 requests: its message has one more.
    let mut attempts = 0;
    for id in sent {
        attempts += world.ended(id).await.attempts;
    }
    assert_eq!(attempts, 120);
}

#[tokio::test]
async fn a_webhook_that_could_not_sign_is_refused_and_never_sends_unsigned() {
    let world = world().await;
    let (receiver, addr) = receiver(false, &[]).await;
    // The two halves of the key do not belong together: its form is right, its content is not.
    let halves = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6KvA==";
    let secrets = SigningSecrets::new(vec![SigningSecret::parse(halves).unwrap()]).unwrap();
    let url = format!("http://{addr}/").parse().unwrap();
    let mut hook =
        webhook_model::Webhook::new(webhook_model::OwnerId(1), "w".parse().unwrap(), url);
    hook.signing = secrets;
    let refused = world.engine.create_webhook(&hook).await.unwrap_err();
    let EngineError::Invalid(invalid) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(invalid.field().as_str(), "signing_secrets");
    assert!(!invalid.to_string().contains("6Xb"), "{invalid}");

    // Stored past the engine.
    let now = gatepost_storage::Clock::now(&gatepost_storage::SystemClock);
    let inserted = world.store.insert_webhook(&hook, AtMost::UNLIMITED, now);
    let id = inserted.await.unwrap().id;
    let ended = world
        .ended(world.engine.send(id, None).await.unwrap())
        .await;
    assert_eq!((ended.state, ended.attempts), (DeliveryState::Error, 1));
    assert!(
        ended.status_info.contains("signing secret"),
        "{}",
        ended.status_info
    );
    assert!(receiver.bodies.lock().unwrap().is_empty());
}
