//! The program that the tests of failing disks run: it writes to a store and prints each stored and
//! each refused write.
//!
//! `disk_child FILE ROUNDS`. Prints `ACK n` or `ERR n Kind text` for each write,
//! `ERR open Kind text` when the store does not open. After the first refusal it waits for a line
//! on its standard input, then continues.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a child of a test that stops at the first surprise"
)]

use std::error::Error as _;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::Realm;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::*;
use gatepost_storage::{AtMost, Page, Scope, StoreError};
use tests::powercut::records;
use webhook_model::WebhookId;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(1_800_000_000 + seconds)
}

fn refused(what: &str, error: &StoreError) {
    let cause = error.source().map(ToString::to_string);
    println!(
        "ERR {what} {:?} {error}: {}",
        error.kind(),
        cause.unwrap_or_default()
    );
}

/// Returns the webhook of the first run, or a new one.
async fn webhook(store: &SqliteStore) -> Result<WebhookId, StoreError> {
    let all = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: Page::first(1),
    };
    if let Some(row) = store.list_webhooks(&all).await?.first() {
        return Ok(row.id);
    }
    let row = store
        .insert_webhook(&records::webhook("w"), AtMost::UNLIMITED, at(0))
        .await?;
    Ok(row.id)
}

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let store = match SqliteStore::open(SqliteConfig::file(&args[1])).await {
        Ok(store) => store,
        Err(error) => return refused("open", &error),
    };
    let hook = match webhook(&store).await {
        Ok(hook) => hook,
        Err(error) => return refused("open", &error),
    };
    let mut waited = false;
    for n in 0..args[2].parse().unwrap() {
        let two = ["a", "b"].map(|part| records::message(hook, &format!("{part}{n}"), at(n)));
        let batch = Enqueue {
            precondition: Precondition::Nothing,
            origin: Origin::Occurrence {
                place: Realm::Shared,
                id: format!("o{n}").parse().unwrap(),
            },
            deliveries: two.to_vec(),
            consume: Vec::new(),
            later: Vec::new(),
        };
        match store.enqueue(batch, at(n)).await {
            Ok(_) => println!("ACK {n}"),
            Err(error) => {
                refused(&n.to_string(), &error);
                if !waited {
                    waited = true;
                    std::io::stdin().read_line(&mut String::new()).unwrap();
                }
            }
        }
    }
    // No orderly end: acknowledged writes must be there without one.
    std::process::exit(0);
}
