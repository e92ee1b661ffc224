//! An engine with its receiver on one thread, in virtual time: its allocations can be counted, and
//! are the same each time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use delivery::{Dial, DialFuture, IoStream, Sender, TargetPolicy};
use gatepost_engine::{AccessLevel, Account, AccountAnswer, Accounts, Audience, Engine, Quota};
use gatepost_storage::Clock;
use gatepost_storage::webhooks::WebhookStore;
use gatepost_testkit::fixtures;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::runtime::Runtime;
use tokio::time::Instant;
use webhook_model::{
    Action, Activity, Catalog, Event, Object, ObjectId, Occurrence, OwnerId, Specificity, Task,
    Webhook,
};

/// The number of emits before the counted ones, and of the counted ones: by then structures that
/// grow by doubling have grown, and the median is of an emit without growth.
const WARM: usize = 300;
const TIMES: usize = 101;
/// The time until an outcome is recorded.
const MOMENT: Duration = Duration::from_secs(1);

/// The number of allocations, and their bytes in all.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Allocations {
    pub count: u64,
    pub bytes: u64,
}

/// An engine with one task that matches.
#[derive(Debug)]
pub struct Counted {
    runtime: Runtime,
    engine: Engine,
}

impl Counted {
    /// Creates it on this store, with a webhook that is paused or whose receiver responds.
    pub fn new(store: Arc<dyn WebhookStore>, activity: Activity) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        let engine = runtime.block_on(engine(store, activity));
        Self { runtime, engine }
    }

    /// Counts one emit, from the call to its return.
    pub fn emit(&self) -> Allocations {
        self.median(|| {
            let occurrence = occurrence();
            self.count(async {
                self.engine.emit(occurrence).await.unwrap();
            })
        })
    }

    /// Counts one emit until its delivery is sent and recorded, without the engine's regular work
    /// in that time.
    pub fn sent(&self) -> Allocations {
        let idle = self.median(|| self.count(async { tokio::time::sleep(MOMENT).await }));
        let all = self.median(|| {
            let occurrence = occurrence();
            self.count(async {
                self.engine.emit(occurrence).await.unwrap();
                tokio::time::sleep(MOMENT).await;
            })
        });
        Allocations {
            count: all.count - idle.count,
            bytes: all.bytes - idle.bytes,
        }
    }

    fn median(&self, once: impl Fn() -> Allocations) -> Allocations {
        for _ in 0..WARM {
            once();
        }
        let mut counted: Vec<_> = (0..TIMES).map(|_| once()).collect();
        counted.sort_unstable();
        counted[TIMES / 2]
    }

    fn count(&self, work: impl Future<Output = ()>) -> Allocations {
        let counted = allocation_counter::measure(|| self.runtime.block_on(work));
        Allocations {
            count: counted.count_total,
            bytes: counted.bytes_total,
        }
    }
}

async fn engine(store: Arc<dyn WebhookStore>, activity: Activity) -> Engine {
    let sender = Sender::builder(TargetPolicy::public())
        .dialer(Arc::new(Receiver))
        .build()
        .unwrap();
    let catalog = Catalog::builder()
        .event_type("vms", "VMs", Specificity::InstanceOptional, &[("on", "On")])
        .unwrap()
        .build();
    let engine = Engine::builder(store, sender)
        .clock(Arc::new(Virtual(Instant::now())))
        .catalog(catalog)
        .one_system(Arc::new(Everybody))
        .quotas(Arc::new(Quota::UNLIMITED))
        .start()
        .await
        .unwrap();
    let url = "http://8.8.8.8/in".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    webhook.activity = activity;
    let webhook = engine.create_webhook(&webhook).await.unwrap().id;
    let task = Task {
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: r#"{"text":"${NAME} is on"}"#.parse().unwrap(),
        },
        ..fixtures::task(webhook)
    };
    let task = engine.create_task(&task).await.unwrap().id;
    let event = Event {
        event: "on".parse().unwrap(),
        ..fixtures::event(task)
    };
    engine.create_event(&event).await.unwrap();
    engine
}

fn occurrence() -> Occurrence {
    let mut occurrence = Occurrence::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        Audience::OneSystem,
    );
    occurrence.object = Some(Object::new(ObjectId::from(7), "vm-7"));
    occurrence
}

/// A clock that follows tokio's time.
#[derive(Debug)]
struct Virtual(Instant);

impl Clock for Virtual {
    fn now(&self) -> DateTime<Utc> {
        let began = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        began + TimeDelta::from_std(self.0.elapsed()).unwrap()
    }
}

#[derive(Debug)]
struct Everybody;

impl Accounts for Everybody {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

/// Responds to each request with 200, without allocating.
#[derive(Debug)]
struct Receiver;

impl Dial for Receiver {
    fn dial(&self, _: SocketAddr) -> DialFuture<'_> {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(answer(theirs));
        Box::pin(async move { Ok(Box::new(ours) as Box<dyn IoStream>) })
    }
}

/// A request ends with its message, and that with a brace.
async fn answer(mut stream: DuplexStream) {
    let mut request = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut request).await {
        if request[length - 1] == b'}' {
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
            drop(stream.write_all(answer).await);
        }
    }
}
