//! The memory that one request takes, however large the requested rows are: at most three times the
//! size limit of a response (16 MiB), counted by the allocator.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use apikey_core::{IpPolicy, KeyDraft, OwnerId};
use gatepost_kv::MemoryStore;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::{NewDelivery, WebhookStore};
use gatepost_storage::{Clock as _, KeyStore, SystemClock};
use gatepost_testkit::fixtures::direct;
use peak_alloc::PeakAlloc;
use tests::browser::{Setup, Site};
use tests::postgres::{FreshSchema, fresh};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use webhook_model::{
    Action, Activity, Event, EventLabel, Filter, Headers, Message, Target, Task, TaskId, Webhook,
    WebhookId,
};

use crate::own_process::is_own_process;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1024 * 1024;
/// The default size limit of a response.
const BUDGET: usize = 16 * MIB;
/// Deliveries and tasks, each with a message of 1 MiB: together far more than any budget.
const LARGE: usize = 60;

/// The worst that one request may ask for: some are refused, with the `limit` that fits, or as
/// they take more than two seconds on a slow machine.
const WORST: [&str; 28] = [
    "webhooks?fields=message&limit=10",
    "webhooks?fields=message",
    "webhooks?fields=all",
    "webhooks?fields=all,webhook_url#$display as d&limit=12",
    "webhooks?fields=message&offset=50",
    "webhooks?fields=message&sort=-$key",
    "webhooks?fields=message&sort=message",
    "webhooks?fields=message&sort=-status&limit=10",
    "webhooks?fields=$key&sort=message&limit=5",
    "webhooks?fields=$key&sort=message",
    "webhooks?fields=$key,response_body&sort=-created",
    "webhooks?fields=$key&filter=message ct 'NOWHERE'&limit=1",
    "webhooks?fields=$key&filter=message cs 'nowhere' or message cs 'm'",
    "tasks?fields=all",
    "tasks?fields=settings_args&sort=name&limit=10",
    "tasks?fields=settings_args&sort=-name",
    "tasks?fields=$key,owner#$display,count(events)",
    "tasks?filter=settings_args eq null&limit=1",
    "task_events?fields=all",
    "task_events?fields=all&sort=event,-table",
    "task_events?fields=context&sort=event&limit=5",
    "task_events?filter=context eq 1",
    "webhook_urls?fields=all,owner#$display,user#name,count(tasks)",
    "webhook_urls?fields=all&sort=-headers",
    "user_api_keys?fields=all,user#name",
    "user_api_keys?fields=all&sort=ip_deny_list",
    "webhook_counts?webhook_url=1&limit=0",
    "user_api_key_uses?key=1&limit=0",
];

/// A platform on some store.
struct Place {
    site: Site,
    store: Arc<dyn WebhookStore>,
    /// A key of the system administrator.
    admin: String,
}

impl Place {
    async fn on<S: KeyStore + WebhookStore>(store: S) -> Self {
        let store = Arc::new(store);
        let site = Setup::on(&store).start().await;
        let draft = KeyDraft::new(OwnerId(1), "admin".parse().unwrap());
        let (_, reveal) = site.keys.create(&site.user(1), draft).await.unwrap();
        let admin = reveal.reveal().as_str().to_owned();
        Self { site, store, admin }
    }
}

/// The result of a request: its status, the beginning and the length of its body, and the most
/// memory that it took.
#[derive(Debug)]
struct Cost {
    status: u16,
    begins: String,
    length: usize,
    peak: usize,
    /// How long another task of the same thread waited at most; only for information.
    longest_wait: Duration,
}

/// Sends a request and throws the response away as it comes: what it takes is the server's.
async fn cost(place: &Place, method: &str, path: &str, body: &[u8]) -> Cost {
    let path = path.replace(' ', "%20").replace('#', "%23");
    let head = format!(
        "{method} /api/v4/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        place.admin,
        body.len()
    );
    let mut stream = TcpStream::connect(place.site.addr).await.unwrap();
    let (mut buffer, mut kept, mut length) = (vec![0; 64 * 1024], Vec::with_capacity(2048), 0);
    let waits = Waits::watched();
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    loop {
        let read = stream.read(&mut buffer).await.unwrap();
        if read == 0 {
            break;
        }
        kept.extend_from_slice(&buffer[..read.min(1024_usize.saturating_sub(kept.len()))]);
        length += read;
    }
    let peak = MEMORY.peak_usage().saturating_sub(before);
    let text = String::from_utf8_lossy(&kept).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    Cost {
        status: head[9..12].parse().unwrap(),
        begins: body.to_owned(),
        length: length - head.len() - 4,
        peak,
        longest_wait: waits.longest(),
    }
}

/// A task that runs next to the request, on its thread, and is due each millisecond.
struct Waits {
    longest: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Waits {
    fn watched() -> Self {
        let longest = Arc::new(AtomicU64::new(0));
        let seen = longest.clone();
        let task = tokio::spawn(async move {
            loop {
                let began = Instant::now();
                tokio::time::sleep(Duration::from_millis(1)).await;
                let micros = began.elapsed().as_micros().try_into().unwrap();
                seen.fetch_max(micros, Relaxed);
            }
        });
        Self { longest, task }
    }

    fn longest(self) -> Duration {
        self.task.abort();
        Duration::from_micros(self.longest.load(Relaxed))
    }
}

/// A hundred webhooks with headers of 30 KiB, the first of them with large deliveries, which wait;
/// large tasks, and events whose context takes far more parsed than as text; keys with long lists.
async fn fill(place: &Place) {
    for at in 0..100 {
        let url = "https://example.com/".parse().unwrap();
        let mut webhook = Webhook::new(OwnerId(3), format!("w{at}").parse().unwrap(), url);
        webhook.activity = Activity::Paused;
        let pairs = (0..4).map(|n| (format!("x-{n}"), "v".repeat(7_500)));
        let pairs: Vec<_> = pairs.collect();
        webhook.headers =
            Headers::from_pairs(pairs.iter().map(|(n, v)| (n.as_str(), v.as_str()))).unwrap();
        place.site.engine.create_webhook(&webhook).await.unwrap();
    }
    let text: Arc<str> = "m\n\"é".repeat(MIB / 5).into();
    let message: Message = text.parse().unwrap();
    let now = SystemClock.now();
    for at in 0..LARGE {
        let delivery = NewDelivery {
            message_id: format!("msg_{at}").parse().unwrap(),
            webhook: WebhookId(1),
            task: None,
            cause: None,
            body: text.clone(),
            due: now,
            lease_until: None,
        };
        let stored = place.store.enqueue(direct(vec![delivery]), now).await;
        stored.unwrap();
        let task = Task::new(
            OwnerId(3),
            format!("t{at}").parse().unwrap(),
            Action::Send {
                webhook: WebhookId(1),
                message: message.clone(),
            },
        );
        place.site.engine.create_task(&task).await.unwrap();
    }
    let members: Vec<_> = (0..7_000).map(|n| format!("\"{n}\":0")).collect();
    let context = format!("{{{}}}", members.join(","));
    for _ in 0..60 {
        let event = Event {
            event_type: "alarms".parse().unwrap(),
            event: "raised".parse().unwrap(),
            target: Target::Generic,
            task: TaskId(1),
            enabled: true,
            filters: Filter::default(),
            context: context.parse().unwrap(),
            label: EventLabel::default(),
        };
        place.site.engine.create_event(&event).await.unwrap();
    }
    let list: Vec<_> = (0..1_000)
        .map(|n| format!("2001:db8:ffff:ffff:ffff:ffff:{:x}:{n:x}/128", n + 0x1000))
        .collect();
    for at in 0..60 {
        let draft =
            KeyDraft::new(OwnerId(3), format!("k{at}").parse().unwrap()).with_ip(IpPolicy {
                deny: list.join(",").parse().unwrap(),
                ..IpPolicy::default()
            });
        drop(
            place
                .site
                .keys
                .create(&place.site.user(3), draft)
                .await
                .unwrap(),
        );
    }
}

#[tokio::test]
async fn requests_use_under_three_times_the_response_limit() {
    let name = "::requests_use_under_three_times_the_response_limit";
    if is_own_process(&[module_path!(), name].concat()) {
        judge(Place::on(MemoryStore::new()).await).await;
    }
}

/// SQLite's own memory is not counted: it is bounded by its page cache and one row.
#[tokio::test]
async fn nor_does_one_on_sqlite() {
    if is_own_process(concat!(module_path!(), "::nor_does_one_on_sqlite")) {
        let folder = tempfile::tempdir().unwrap();
        let config = SqliteConfig::file(folder.path().join("data"));
        judge(Place::on(SqliteStore::open(config).await.unwrap()).await).await;
    }
}

#[tokio::test]
async fn nor_does_one_on_postgres() {
    if is_own_process(concat!(module_path!(), "::nor_does_one_on_postgres")) {
        let FreshSchema { url, schema } = fresh();
        let config = PostgresConfig::url(&url).with_schema(&schema);
        judge(Place::on(PostgresStore::connect(config).await.unwrap()).await).await;
    }
}

async fn judge(place: Place) {
    // A harness that counts nothing would prove nothing.
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    drop(std::hint::black_box(vec![1_u8; 3 * BUDGET]));
    // The store's threads may have given back a little in between.
    assert!(MEMORY.peak_usage() + MIB >= before + 3 * BUDGET);

    fill(&place).await;
    cost(&place, "GET", "system", b"").await;

    // Only the requested fields are read.
    for small in [
        "webhooks?fields=$key&limit=1",
        "webhooks?fields=$key,status&limit=50&sort=-created",
        "webhooks?fields=$key&offset=40&limit=1",
        "tasks?fields=$key,name&limit=5",
        "task_events?fields=$key&limit=20",
    ] {
        let took = cost(&place, "GET", small, b"").await;
        println!("{small}: {} KiB", took.peak / 1024);
        assert_eq!(took.status, 200, "{small}: {}", took.begins);
        // The store in memory copies an event before it leaves its context out.
        assert!(took.peak < 3 * MIB, "{small}: {} bytes", took.peak);
    }
    for path in WORST {
        let took = cost(&place, "GET", path, b"").await;
        println!(
            "{path}: {}, {} KiB, peak {} KiB, others waited {:?}",
            took.status,
            took.length / 1024,
            took.peak / 1024,
            took.longest_wait
        );
        let status = took.status;
        assert!([200, 413, 422].contains(&status), "{path}: {}", took.begins);
        assert!(took.peak <= 3 * BUDGET, "{path}: {} bytes", took.peak);
        assert!(took.length <= BUDGET, "{path}: {} bytes sent", took.length);
        if status == 413 {
            fits(&place, path, &took.begins).await;
        }
    }
    let text = "a".repeat(MIB - 100);
    for body in [
        format!(
            "{{\"name\":\"n\",\"settings_args\":{{\"a\":[{}0]}}}}",
            "0,".repeat(MIB / 2)
        ),
        format!(
            "{{\"name\":\"n\",\"owner\":\"webhook_urls/1\",\"settings_args\":{{\"message\":\"{text}\"}}}}"
        ),
        format!("{{\"name\":\"{text}\"}}"),
        "[".repeat(MIB),
    ] {
        let took = cost(&place, "POST", "tasks", body.as_bytes()).await;
        println!(
            "POST tasks: {}, peak {} KiB, others waited {:?}",
            took.status,
            took.peak / 1024,
            took.longest_wait
        );
        assert!(took.peak <= 3 * BUDGET, "{} bytes", took.peak);
    }
}

/// The `limit` that a refusal names would indeed fit.
async fn fits(place: &Place, path: &str, refusal: &str) {
    let named = refusal.split("limit=").nth(1).unwrap();
    let limit: usize = named.split(' ').next().unwrap().parse().unwrap();
    assert!(limit >= 3, "{path}: {refusal}");
    let smaller = format!("{path}&limit={limit}");
    let took = cost(place, "GET", &smaller, b"").await;
    assert_eq!(took.status, 200, "{smaller}: {}", took.begins);
    assert!(took.peak <= 3 * BUDGET, "{smaller}: {} bytes", took.peak);
}
