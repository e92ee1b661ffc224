//! The work of the process that is killed.

use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::{EmitError, Engine, Limits, Timing};
use gatepost_storage::webhooks::WebhookQuery;
use gatepost_storage::{ErrorKind, Page, Scope, StoreError};
use tokio::io::AsyncBufReadExt as _;
use webhook_model::{
    Action, Audience, Authorization, Catalog, Event, Occurrence, OwnerId, Specificity, TagId,
    Target, Task, Webhook, WebhookId,
};

use super::child::Mode;
use super::now;
use super::run::EVERYDAY;
use super::store_location::Place;
use super::wrong_clock::Wrong;
use crate::permissive_platform::one_system;

/// The variable with the number of seconds by which a child's clock is wrong from its start on.
pub const CLOCK: &str = "GATEPOST_CHAOS_CLOCK";

fn tell(line: &str) {
    let line = format!("{line}\n");
    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
}

/// Runs a child until it is killed.
///
/// # Panics
/// On a wrong argument, and when its store cannot be opened.
pub async fn work(args: &[String]) {
    let clock = Arc::new(Wrong::default());
    if let Ok(wrong) = std::env::var(CLOCK) {
        clock.0.store(wrong.parse().unwrap(), Ordering::SeqCst);
    }
    let store = Place::parse(&args[1]).open().await;
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let timing = Timing::default()
        .with_lease_margin(Duration::from_millis(500))
        .with_poll(Duration::from_millis(100));
    let limits = Limits::default().with_timing(timing);
    let waits = [Duration::from_millis(100), Duration::from_millis(200)];
    let catalog = Catalog::builder()
        .event_type("vms", "VMs", Specificity::InstanceOrTag, &[("on", "On")])
        .unwrap()
        .build();
    let engine = Engine::builder(store, Sender::builder(policy).build().unwrap());
    let engine = one_system(engine)
        .catalog(catalog)
        .clock(clock.clone())
        .schedule(Schedule::new(waits).unwrap())
        .limits(limits)
        .start()
        .await
        .unwrap();
    let number: i64 = args[3].parse().unwrap();
    let mode = Mode::of(&args[2]).unwrap();
    if mode == Mode::Work {
        tell("READY");
        return std::future::pending().await;
    }
    // Trouble may come as soon as it is ready: work that needs the store once is done before.
    let hook = the_webhook(&engine).await;
    tell("READY");
    for emitter in 0..4 {
        tokio::spawn(emit(engine.clone(), hook, number * 4 + emitter, mode));
    }
    obey(&engine, hook, &clock).await;
    std::future::pending::<()>().await;
}

/// Obeys the lines on its standard input.
async fn obey(engine: &Engine, hook: WebhookId, clock: &Wrong) {
    let mut lines = tokio::io::BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match line.split_once(' ') {
            Some(("CLOCK", wrong)) => clock.0.store(wrong.parse().unwrap(), Ordering::SeqCst),
            Some(("ROTATE", number)) => {
                tokio::spawn(rotate(engine.clone(), hook, number.to_owned()));
            }
            _ => panic!("what is {line:?}?"),
        }
    }
}

/// Gives the webhook another token, and tries until that succeeds.
async fn rotate(engine: Engine, hook: WebhookId, number: String) {
    let token = Authorization::bearer(&format!("token-{number}")).unwrap();
    let new = |webhook: &mut Webhook| {
        webhook.authorization = token.clone();
        Ok(())
    };
    while engine.edit_webhook(hook, new).await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tell(&format!("ROTATED {number}"));
}

async fn the_webhook(engine: &Engine) -> WebhookId {
    let query = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: Page::first(1),
    };
    engine.list_webhooks(&query).await.unwrap()[0].id
}

/// Emits without an end; each tenth time a one-time task that two concurrent occurrences match.
async fn emit(engine: Engine, hook: WebhookId, emitter: i64, mode: Mode) {
    let lies = matches!(mode, Mode::Lie | Mode::SteadyLie);
    let pause = match mode {
        Mode::Steady | Mode::SteadyLie => Duration::from_millis(100),
        _ => Duration::from_millis(2),
    };
    let mut is_outdated = false;
    for n in 0.. {
        let number = emitter * 1_000_000 + n;
        if n % 10 == 9 {
            once(&engine, hook, number).await;
            continue;
        }
        if lies {
            tell(&format!("ACK {number}"));
        }
        match engine.emit(occurrence(number, EVERYDAY, "o")).await {
            Ok(_) if !lies => tell(&format!("ACK {number}")),
            Err(EmitError::Store(error))
                if error.kind() == ErrorKind::Unsupported && !is_outdated =>
            {
                is_outdated = true;
                outdated(&engine, &error).await;
            }
            _ => {}
        }
        tokio::time::sleep(pause).await;
    }
}

async fn once(engine: &Engine, hook: WebhookId, number: i64) {
    let task = Task {
        delete_after_run: true,
        ..Task::new(
            OwnerId(1),
            "once".parse().unwrap(),
            Action::Send {
                webhook: hook,
                message: r#"{"once":"${N}"}"#.parse().unwrap(),
            },
        )
    };
    let Ok(task) = engine.create_task(&task).await else {
        return;
    };
    let event = Event::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        Target::Tag(TagId(number + 1000)),
        task.id,
    );
    if engine.create_event(&event).await.is_err() {
        return;
    }
    let tag = number + 1000;
    let (one, two) = tokio::join!(
        engine.emit(occurrence(number, tag, "x")),
        engine.emit(occurrence(number, tag, "y"))
    );
    let ran = [one, two]
        .into_iter()
        .flatten()
        .any(|emitted| !emitted.deliveries.is_empty());
    if ran {
        tell(&format!("RAN {number}"));
    }
}

fn occurrence(number: i64, tag: i64, kind: &str) -> Occurrence {
    let mut occurrence = Occurrence::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        Audience::OneSystem,
    );
    occurrence.id = Some(
        format!("{kind}{number}-{}", now().timestamp_micros())
            .parse()
            .unwrap(),
    );
    occurrence.tags = vec![TagId(tag)];
    occurrence.variables = vec![("N".to_owned(), number.to_string())];
    occurrence
}

/// Prints why nothing is accepted any more, and the engine's own reason.
async fn outdated(engine: &Engine, error: &StoreError) {
    tell(&format!("REFUSED {}", whole(error)));
    if let Err(error) = engine.health().await {
        tell(&format!("HEALTH {}", whole(&error)));
    }
}

/// Returns an error and its causes, in one line.
fn whole(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(&format!(": {error}"));
        cause = error.source();
    }
    line
}
