//! The process that is killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::{Engine, Limits, Retention, Timing};
use gatepost_storage::webhooks::WebhookQuery;
use gatepost_storage::{Page, Scope};
use webhook_model::{
    Action, Audience, Catalog, Event, EventLabel, Filter, JsonObject, Occurrence, OwnerId,
    Specificity, TagId, Target, Task, WebhookId,
};

use super::now;
use super::place::Place;
use super::run::EVERYDAY;
use crate::open::one_system;

/// What a child does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// Emits and delivers.
    Emit,
    /// Delivers what is there.
    Work,
    /// As `Emit`, and acknowledges before it has stored anything: the control that must be found
    /// out.
    Lie,
}

impl Mode {
    fn word(self) -> &'static str {
        match self {
            Self::Emit => "emit",
            Self::Work => "work",
            Self::Lie => "lie",
        }
    }
}

/// A running child and what it has told so far.
#[derive(Debug)]
pub struct Child {
    /// The process.
    pub process: std::process::Child,
    told: Arc<Mutex<Vec<String>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Child {
    /// Starts the program `chaos_child`, whose path is given.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(program: &str, place: &Place, mode: Mode, number: u64) -> Self {
        let mut process = Command::new(program)
            .args([&place.word(), mode.word(), &number.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        let (lines, into) = (BufReader::new(process.stdout.take().unwrap()), told.clone());
        let reader = std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                into.lock().unwrap().push(line);
            }
        });
        let reader = Some(reader);
        Self {
            process,
            told,
            reader,
        }
    }

    /// What it has told so far.
    pub fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }

    /// Kills it (SIGKILL) and returns all that it told.
    ///
    /// # Panics
    /// When it had ended by itself before.
    pub fn kill(mut self) -> Vec<String> {
        let ended = self.process.try_wait().unwrap();
        assert!(ended.is_none(), "the child ended by itself: {ended:?}");
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.told()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn tell(line: &str) {
    let line = format!("{line}\n");
    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
}

/// The child's whole life: it ends when it is killed.
///
/// # Panics
/// On a wrong argument, and when its store cannot be opened.
pub async fn work(args: &[String]) {
    let store = Place::parse(&args[1]).open().await;
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let timing = Timing::default()
        .with_lease_margin(Duration::from_millis(500))
        .with_poll(Duration::from_millis(100));
    let limits = Limits::default().with_timing(timing);
    let retention = Retention::default().with_deliveries_per_webhook(u32::MAX);
    let waits = [Duration::from_millis(100), Duration::from_millis(200)];
    let catalog = Catalog::builder()
        .event_type("vms", "VMs", Specificity::InstanceOrTag, &[("on", "On")])
        .unwrap()
        .build();
    let engine = Engine::builder(store, Sender::builder(policy).build().unwrap());
    let engine = one_system(engine)
        .catalog(catalog)
        .schedule(Schedule::new(waits).unwrap())
        .limits(limits)
        .retention(retention)
        .start()
        .await
        .unwrap();
    let number: i64 = args[3].parse().unwrap();
    // Trouble may come as soon as it is ready: what needs the store once is done before.
    let hook = match args[2].as_str() {
        "work" => None,
        _ => Some(the_webhook(&engine).await),
    };
    tell("READY");
    if let Some(hook) = hook {
        let lies = args[2] == "lie";
        for emitter in 0..4 {
            tokio::spawn(emit(engine.clone(), hook, number * 4 + emitter, lies));
        }
    }
    std::future::pending::<()>().await;
}

async fn the_webhook(engine: &Engine) -> WebhookId {
    let query = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: Page::first(1),
    };
    engine.list_webhooks(&query).await.unwrap()[0].id
}

/// Emits without a pause; each tenth time a one-time task that two occurrences reach at once.
async fn emit(engine: Engine, hook: WebhookId, emitter: i64, lies: bool) {
    for n in 0.. {
        let number = emitter * 1_000_000 + n;
        if n % 10 == 9 {
            once(&engine, hook, number).await;
            continue;
        }
        if lies {
            tell(&format!("ACK {number}"));
        }
        if engine.emit(occurrence(number, EVERYDAY, "o")).await.is_ok() && !lies {
            tell(&format!("ACK {number}"));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn once(engine: &Engine, hook: WebhookId, number: i64) {
    let task = Task {
        creator: OwnerId(1),
        name: "once".parse().unwrap(),
        description: "".parse().unwrap(),
        enabled: true,
        delete_after_run: true,
        action: Action::Send {
            webhook: hook,
            message: r#"{"once":"${N}"}"#.parse().unwrap(),
        },
    };
    let Ok(task) = engine.create_task(&task).await else {
        return;
    };
    let event = Event {
        event_type: "vms".parse().unwrap(),
        event: "on".parse().unwrap(),
        target: Target::Tag(TagId(number + 1000)),
        task: task.id,
        enabled: true,
        filters: Filter::default(),
        context: JsonObject::default(),
        label: EventLabel::default(),
    };
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
