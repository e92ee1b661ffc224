//! A tenant moves from one database to another while it is used: `cargo run --example move_tenant`.
//!
//! A platform that has outgrown one database spreads its tenants over several, each with its own
//! engine, and keeps a map of them. Here one tenant moves, with its keys, webhooks, tasks and
//! events, while its occurrences continue. Two SQLite files stand for the two databases; with
//! PostgreSQL only the line that opens them differs. See `docs/operations/sizing.md`.
//!
//! The program ends with success only if every claim held.

mod clusters;
mod copy;

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::net::IpAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use apikey_core::KeyDraft;
use clusters::{ADMINISTRATOR, Cluster, Platform, TENANT};
use examples::receiver::Receiver;
use examples::story::Story;
use gatepost_ids::{AccessLevel, Account};
use gatepost_keys::{Principal, Via};
use tokio::sync::RwLock;
use webhook_model::{Action, DeliveryOrder, Event, TagId, Target, Task, Webhook};

type Failure = Box<dyn Error + Send + Sync>;

const ORDERS: usize = 300;
const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let folder = tempfile::tempdir()?;
    let old = Cluster::open(&folder.path().join("old.db")).await?;
    let new = Cluster::open(&folder.path().join("new.db")).await?;
    let receiver = Receiver::start(None).await?;
    let key = furnish(&old, &receiver).await?;
    let platform = Arc::new(Platform {
        map: RwLock::new(HashMap::from([(TENANT, old.clone())])),
    });

    let mut story = Story::default();
    story.chapter("A tenant moves while its users order");
    let orders = tokio::spawn(order(platform.clone()));
    tokio::time::sleep(Duration::from_millis(300)).await;
    // From here on the platform refuses edits of the tenant's records, and says why.
    let moved = copy::records(&old, &new, TENANT).await?;
    {
        // Callers that emit wait for this: milliseconds.
        let mut map = platform.map.write().await;
        copy::forget_what_ran(&old, &new, &moved).await?;
        map.insert(TENANT, new.clone());
    }
    while !copy::is_drained(&old, TENANT).await? {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    copy::release(&new, &moved).await?;
    orders.await??;

    receiver.wait_for("/orders", ORDERS).await?;
    receiver.wait_for("/ledger", ORDERS).await?;
    let welcome = receiver.wait_for("/welcome", 1).await?;
    let numbers = |path: &str| -> Vec<usize> {
        let received = receiver.received().into_iter().filter(|r| r.path == path);
        received.filter_map(|r| r.body.parse().ok()).collect()
    };
    let everyday: HashSet<usize> = numbers("/orders").into_iter().collect();
    let ledger = numbers("/ledger");
    story.claim("every order arrived", everyday.len() == ORDERS);
    story.claim("none arrived twice", numbers("/orders").len() == ORDERS);
    story.claim(
        "a webhook in order received them in order",
        ledger == (1..=ORDERS).collect::<Vec<_>>(),
    );
    let welcomed = receiver
        .received()
        .iter()
        .filter(|r| r.path == welcome.path)
        .count();
    story.claim("a task that runs once ran once", welcomed == 1);

    story.chapter("Its key works at the new database, and no longer at the old one");
    let header = format!("Bearer {key}");
    let at_new = new.keys.authenticate([header.as_bytes()], LOCAL).await;
    story.claim(
        "accepted there",
        at_new.is_ok_and(|p| p.owner == ADMINISTRATOR),
    );
    // The log may stay until nobody asks for it; then the whole tenant is removed.
    old.keys.remove_tenant(TENANT).await?;
    old.engine.remove_tenant(TENANT).await?;
    let at_old = old.keys.authenticate([header.as_bytes()], LOCAL).await;
    story.claim("refused here", at_old.is_err());

    for cluster in [old, new] {
        cluster.engine.shutdown(Duration::from_secs(1)).await;
        cluster.keys.shutdown().await;
    }
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Sends orders, numbered from 1.
async fn order(platform: Arc<Platform>) -> Result<(), Failure> {
    let mut pace = tokio::time::interval(Duration::from_millis(5));
    for number in 1..=ORDERS {
        pace.tick().await;
        platform.order(number).await?;
    }
    Ok(())
}

/// Creates the tenant's records: a webhook for all orders, one that receives them in order, a
/// welcome that is sent once, and a key, which is returned.
async fn furnish(cluster: &Cluster, receiver: &Receiver) -> Result<String, Failure> {
    for name in ["orders", "ledger", "welcome"] {
        let url = format!("http://{}/{name}", receiver.addr).parse()?;
        let mut webhook = Webhook::new(ADMINISTRATOR, name.parse()?, url);
        if name == "ledger" {
            webhook.order = DeliveryOrder::InOrder;
        }
        let webhook = cluster.engine.create_webhook(&webhook).await?.id;
        let message = "${NUMBER}".parse()?;
        let action = Action::Send { webhook, message };
        let mut task = Task::new(ADMINISTRATOR, name.parse()?, action);
        task.delete_after_run = name == "welcome";
        let task = cluster.engine.create_task(&task).await?.id;
        let every_order = Target::Tag(TagId(1));
        let event = Event::new("orders".parse()?, "placed".parse()?, every_order, task);
        cluster.engine.create_event(&event).await?;
    }
    let account = Account::enabled(AccessLevel::TenantAdministrator).in_tenant(TENANT);
    let administrator = Principal::new(ADMINISTRATOR, account, Via::Platform);
    let draft = KeyDraft::new(ADMINISTRATOR, "till".parse()?);
    let (_, once) = cluster.keys.create(&administrator, draft).await?;
    Ok(once.reveal().as_str().to_owned())
}
