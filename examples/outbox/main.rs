//! A platform's own transaction decides whether something has occurred:
//! `cargo run --example outbox`.
//!
//! A marketplace keeps its orders in its own table, in the same database as Gatepost's tables. With
//! its own driver and its own statement it inserts an order and its occurrence in one transaction.
//! Rolled back, nothing is sent; committed, its delivery is made once, and only for the seller of
//! the order: each seller is a tenant.
//!
//! The database is a separate SQLite file, or with `-- postgres://…` a schema of that PostgreSQL
//! database, which is dropped at the end. The program ends with success only if every claim held.

mod shop;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use delivery::{Sender, TargetPolicy};
use examples::receiver::Receiver;
use examples::story::Story;
use gatepost_engine::Engine;
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, TenantId};
use shop::Shop;
use webhook_model::{Action, Catalog, Event, OwnerId, Specificity, TagId, Target, Task, Webhook};

/// The seller of all orders.
pub(crate) const SELLER: TenantId = TenantId(7);
const OTHER: TenantId = TenantId(8);
/// The administrators of the sellers' accounts.
const ADMINISTRATORS: [(OwnerId, TenantId); 2] = [(OwnerId(1), SELLER), (OwnerId(2), OTHER)];

/// The platform's users: one administrator for each seller.
#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let found = ADMINISTRATORS.iter().find(|(user, _)| *user == owner);
        AccountAnswer::Now(Ok(found.map(|(_, seller)| {
            Account::enabled(AccessLevel::TenantAdministrator).in_tenant(*seller)
        })))
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let (mut shop, store) = Shop::open(std::env::args().nth(1)).await?;
    let receiver = Receiver::start(None).await?;
    let sender = Sender::builder(TargetPolicy::public().allow("127.0.0.0/8".parse()?)).build()?;
    let catalog = Catalog::builder()
        .event_type(
            "orders",
            "Orders",
            Specificity::InstanceOrTag,
            &[("placed", "Placed")],
        )?
        .build();
    // An occurrence that is addressed to a seller is for that seller's administrators.
    let engine = Engine::builder(store, sender)
        .addressed_only(Arc::new(Users))
        .catalog(catalog)
        .start()
        .await?;
    for (user, path) in [(OwnerId(1), "warehouse"), (OwnerId(2), "other")] {
        tell_the_warehouse(&engine, user, &format!("http://{}/{path}", receiver.addr)).await?;
    }

    let mut story = Story::default();
    story.chapter("Rolled back");
    shop.order(1, None, false).await?;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    story.claim("the order is not there", shop.orders().await? == 0);
    story.claim("nothing was sent", receiver.received().is_empty());

    story.chapter("Committed");
    shop.order(2, None, true).await?;
    engine.outbox_written(); // so that it is sent now, and not after the next poll
    let sent = receiver.wait_for("/warehouse", 1).await?;
    story.claim("the order is there", shop.orders().await? == 1);
    story.claim(
        "it was sent with the platform's own values",
        sent.body == r#"{"order":"2","total":"20 EUR"}"#,
    );

    story.chapter(
        "Emitted twice under one id, as a platform does that lost the result of its commit",
    );
    shop.order(3, Some("order-3"), true).await?;
    receiver.wait_for("/warehouse", 2).await?;
    shop.order(3, Some("order-3"), true).await?;
    // The counts may be a second old.
    tokio::time::sleep(Duration::from_millis(2500)).await;
    story.claim("nothing waits any more", drained(&engine).await?);
    story.claim("it was sent once", receiver.received().len() == 2);
    let received = receiver.received();
    story.claim(
        "another seller, who watches the same event, received nothing",
        received.iter().all(|request| request.path == "/warehouse"),
    );

    engine.shutdown(Duration::from_secs(1)).await;
    shop.close().await?;
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns whether the outbox is empty before long.
async fn drained(engine: &Engine) -> Result<bool, Box<dyn Error + Send + Sync>> {
    for _ in 0..300 {
        if engine.health().await?.queue.outbox == 0 {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(false)
}

/// Creates a webhook, a task that sends through it, and the event that runs the task: every order,
/// by its tag.
async fn tell_the_warehouse(
    engine: &Engine,
    user: OwnerId,
    url: &str,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let webhook = Webhook::new(user, "warehouse".parse()?, url.parse()?);
    let webhook = engine.create_webhook(&webhook).await?.id;
    let message = r#"{"order":"${NAME}","total":"${TOTAL}"}"#.parse()?;
    let action = Action::Send { webhook, message };
    let task = Task::new(user, "notify the warehouse".parse()?, action);
    let task = engine.create_task(&task).await?.id;
    let every_order = Target::Tag(TagId(1));
    let event = Event::new("orders".parse()?, "placed".parse()?, every_order, task);
    engine.create_event(&event).await?;
    Ok(())
}
