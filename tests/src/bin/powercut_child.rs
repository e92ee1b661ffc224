//! The program that the power cut test runs under `strace`: it writes to a store and acknowledges
//! each write that returned `Ok`.
//!
//! `powercut_child FILE full|normal|off ROUNDS`. A line `ACK …` is one system call.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a child of a test that stops at the first surprise"
)]

use std::io::Write as _;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::Realm;
use gatepost_sqlite::{SqliteConfig, SqliteStore, Synchronous};
use gatepost_storage::webhooks::*;
use gatepost_storage::{AtMost, KeyStore as _};
use tests::powercut::records;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(1_800_000_000 + seconds)
}

fn ack(text: &str) {
    let line = format!("ACK {text}\n");
    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
}

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let synchronous = match args[2].as_str() {
        "full" => Synchronous::Full,
        "normal" => Synchronous::Normal,
        _ => Synchronous::Off,
    };
    let config = SqliteConfig::file(&args[1]).with_synchronous(synchronous);
    let store = SqliteStore::open(config).await.unwrap();
    let hook = store
        .insert_webhook(&records::webhook("w"), AtMost::UNLIMITED, at(0))
        .await;
    let hook = hook.unwrap().id;
    ack("opened");
    for round in 0..args[3].parse().unwrap() {
        // A one-time task and the two deliveries of the occurrence that uses it up: all or nothing.
        let once = store
            .insert_task(&records::task(hook), AtMost::UNLIMITED, at(round))
            .await;
        let once = once.unwrap().id;
        let two =
            ["a", "b"].map(|part| records::message(hook, &format!("{part}{round}"), at(round)));
        let batch = Enqueue {
            precondition: Precondition::Nothing,
            origin: Origin::Occurrence {
                place: Realm::Shared,
                id: format!("o{round}").parse().unwrap(),
            },
            deliveries: two
                .into_iter()
                .map(|m| NewDelivery {
                    task: Some(once),
                    ..m
                })
                .collect(),
            consume: vec![once],
            later: Vec::new(),
        };
        store.enqueue(batch, at(round)).await.unwrap();
        ack(&format!("stored {round} {}", once.0));
        let queue = WebhookQueue {
            webhook: hook,
            class: QueueClass::First,
        };
        let claimed = store
            .claim(&[QueueClaim { queue, limit: 1 }], at(round + 60), at(round))
            .await;
        for claimed in claimed.unwrap() {
            let claim = Claim {
                delivery: claimed.delivery.id,
                token: claimed.token,
            };
            store
                .settle(vec![records::sent(claim, at(round))], at(round))
                .await
                .unwrap();
            ack(&format!("sent {}", claimed.delivery.message_id.as_str()));
        }
        let key = store
            .insert_key(&records::key(&format!("k{round}")), u64::MAX)
            .await
            .unwrap();
        ack(&format!("key {}", key.id.0));
        if round % 3 == 0 {
            store.delete_key(key.id, at(round)).await.unwrap();
            ack(&format!("deleted {}", key.id.0));
        }
    }
    // No orderly end: acknowledged writes must be there without one.
    std::process::exit(0);
}
