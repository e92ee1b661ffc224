//! Node B of the tests of revocation: authenticates the keys that it receives.
//!
//! `revocation_child PLACE`. For each line on its standard input, a key, it prints `yes` or `no`,
//! and whether it answered from its own memory: `cached` or `asked`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a child of a test that stops at the first surprise"
)]

use std::io::BufRead as _;
use std::net::IpAddr;
use std::sync::Arc;

use gatepost_keys::{Denied, KeyService};
use gatepost_storage::keys::KeyShard;
use tests::chaos::Place;
use tests::permissive_platform::Everybody;

#[tokio::main]
async fn main() {
    let place = std::env::args().nth(1).unwrap();
    let store = Place::parse(&place).open().await;
    let keys = KeyService::builder(store.clone(), Arc::new(Everybody)).build();
    println!("READY");
    for line in std::io::stdin().lock().lines() {
        let header = format!("Bearer {}", line.unwrap());
        let from = IpAddr::from([127, 0, 0, 1]);
        // A store without a generation has none for any shard.
        let memory = if store.key_generation(KeyShard(0)).is_some() {
            "cached"
        } else {
            "asked"
        };
        match keys.authenticate([header.as_bytes()], from).await {
            Ok(_) => println!("yes {memory}"),
            Err(Denied::Unauthenticated) => println!("no {memory}"),
            Err(other) => println!("error {other:?}"),
        }
    }
}
