//! Three processes share one queue: `cargo run --example workers -- postgres://user@host/database`.
//!
//! The program starts itself three times as a worker, stores occurrences, kills one worker in the
//! middle of its work and counts the messages that arrive. It ends with success only if every
//! occurrence arrived, each remaining worker had its share, and only messages that the killed
//! worker held arrived twice. Its tables are in a separate schema, dropped at the end.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use delivery::{HeaderNames, Sender, TargetPolicy};
use examples::receiver::Receiver;
use examples::story::Story;
use gatepost_engine::{Engine, InFlightLimits, Limits, Timing};
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, Quota};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use tokio_postgres::NoTls;
use webhook_model::{OwnerId, Timeout, Webhook};

type Failure = Box<dyn Error + Send + Sync>;

const SCHEMA: &str = "gatepost_example_workers";
const MESSAGES: usize = 300;

/// The platform's users: 1, and nobody else.
#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(
            (owner == OwnerId(1)).then(|| Account::enabled(AccessLevel::User))
        ))
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--worker", name, url] => {
            // Works until it is killed.
            let _engine = engine(url, Some(name)).await?;
            std::future::pending::<()>().await;
            Ok(ExitCode::SUCCESS)
        }
        [url] => share(url).await,
        _ => {
            println!("workers needs a PostgreSQL database: workers postgres://user@host/database");
            Ok(ExitCode::from(2))
        }
    }
}

/// Starts an engine on the shared queue. A lease lasts ten seconds, as for all short timeouts, plus
/// the smallest margin, so that other workers soon take over the work of one that died.
async fn engine(url: &str, name: Option<&str>) -> Result<Engine, Failure> {
    let store = PostgresStore::connect(PostgresConfig::url(url).with_schema(SCHEMA)).await?;
    let mut sender = Sender::builder(TargetPolicy::public().allow("127.0.0.0/8".parse()?));
    if let Some(name) = name {
        // Only in this example, to see which worker sent a message: the header of the id has
        // another name in each worker.
        let id = format!("worker-{name}-id");
        let names = HeaderNames::new(&id, "webhook-timestamp", "webhook-signature")?;
        sender = sender.header_names(names);
    }
    // So small that all three have something to do; the process that stores sends nothing.
    let total = if name.is_some() { 8 } else { 0 };
    let timing = Timing::default()
        .with_lease_margin(Duration::from_millis(500))
        .with_poll(Duration::from_millis(100));
    let limits = Limits::default()
        .with_in_flight(InFlightLimits::default().with_total(total))
        .with_timing(timing);
    let builder = Engine::builder(Arc::new(store), sender.build()?)
        .one_system(Arc::new(Users))
        // All messages are manual triggers, at the same time.
        .quotas(Arc::new(Quota::UNLIMITED));
    Ok(builder.limits(limits).start().await?)
}

async fn share(url: &str) -> Result<ExitCode, Failure> {
    let receiver = Receiver::start(None).await?;
    // Otherwise one worker could send everything.
    receiver.answer_after(Duration::from_millis(200));
    let engine = engine(url, None).await?;
    let target = format!("http://{}/in", receiver.addr).parse()?;
    let mut webhook = Webhook::new(OwnerId(1), "shared".parse()?, target);
    webhook.timeout = Timeout::MIN;
    let webhook = engine.create_webhook(&webhook).await?.id;

    let mut workers: Vec<Child> = Vec::new();
    for name in ["1", "2", "3"] {
        let program = std::env::current_exe()?;
        workers.push(
            Command::new(program)
                .args(["--worker", name, url])
                .spawn()?,
        );
    }
    for number in 0..MESSAGES {
        let message = format!(r#"{{"number":{number}}}"#).parse()?;
        engine.send(webhook, Some(&message)).await?;
        if number == MESSAGES / 2 {
            workers[0].kill()?;
        }
    }
    let mut story = Story::default();
    story.chapter("Three workers, one of them killed in the middle of its work");
    let numbers = wait_for_all(&receiver).await;
    for worker in &mut workers[1..] {
        worker.kill()?;
    }
    for worker in &mut workers {
        worker.wait()?;
    }
    let mut shares: HashMap<&str, usize> = HashMap::new();
    for request in receiver.received() {
        for name in ["1", "2", "3"] {
            if request.header(&format!("worker-{name}-id")).is_some() {
                *shares.entry(name).or_default() += 1;
            }
        }
    }
    for (worker, share) in &shares {
        story.tell(&format!("worker {worker} sent {share}"));
    }
    let repeats = receiver.received().len() - numbers.len();
    story.tell(&format!(
        "{repeats} arrived twice: the killed one had sent them and could not say so"
    ));
    story.claim("every message arrived", numbers.len() == MESSAGES);
    story.claim("each worker had its share", shares.len() == 3);
    story.claim(
        "nothing arrived twice but what the killed one held",
        repeats <= 8,
    );

    engine.shutdown(Duration::from_secs(1)).await;
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client
        .batch_execute(&format!("DROP SCHEMA {SCHEMA} CASCADE"))
        .await?;
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the different messages that have arrived, once all have or after thirty seconds.
async fn wait_for_all(receiver: &Receiver) -> HashSet<String> {
    let mut numbers = HashSet::new();
    for _ in 0..300 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        numbers = receiver.received().into_iter().map(|r| r.body).collect();
        if numbers.len() == MESSAGES {
            break;
        }
    }
    numbers
}
