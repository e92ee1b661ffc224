//! One plain user who does his worst, beside nine who work.
//!
//! Over 64 connections he lists everything under every name, searches large texts, sends large
//! forms, guesses passwords, opens sockets and says nothing, and takes his time with heads, bodies
//! and responses. The nine send requests at a steady pace, alone at first and then beside him, and
//! webhooks are to receive what happens.
//!
//! A minute of each: `cargo build --release -p tests --bin host --bin hostile`, then
//! `target/release/hostile 60`, with `shared` at the end for nine who have his address. Five
//! seconds run with the tests (`tests/alone/hostile.rs`).

mod figures;
mod forms;
mod furnish;
mod nine;
mod receiver;
mod sockets;
mod ways;

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use tokio::sync::watch;

pub use figures::{Figures, Phase};
use receiver::Receiver;

use crate::platform::{PASSWORD, PlatformProcess};

/// His connections.
const CONNECTIONS: usize = 64;
/// How long deliveries that are under way at the end may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the nine are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Addresses {
    /// Each has an address of its own.
    Own,
    /// All are behind one gateway, with him: what is limited by address they share.
    His,
}

/// The platform under attack, and what everybody needs to reach it.
#[derive(Debug)]
struct Scene {
    addresses: Addresses,
    platform: PlatformProcess,
    server: SocketAddr,
    receiver: Receiver,
    /// He logs in with it.
    password: String,
}

/// Runs both phases, each of this length, against the program of the example platform.
///
/// # Panics
/// When the platform does not start, or cannot be furnished.
pub async fn run(program: &str, each: Duration, addresses: Addresses) -> Figures {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(program);
    command.args(["--admin-password", PASSWORD, "--data"]);
    let platform = PlatformProcess::run(command.arg(folder.path()));
    let server = platform.base.strip_prefix("http://").unwrap().parse();
    let scene = Arc::new(Scene {
        addresses,
        server: server.unwrap(),
        password: platform.password_of("vera").unwrap(),
        receiver: Receiver::start().await,
        platform,
    });
    let key = furnish::for_him(&scene).await;
    let nine = furnish::for_the_nine(&scene).await;

    let alone = nine::work(&scene, &nine, each).await;
    let (stop, stopped) = watch::channel(false);
    let mut attack = tokio::task::JoinSet::new();
    for connection in 0..CONNECTIONS {
        attack.spawn(ways::way(
            scene.clone(),
            connection,
            key.clone(),
            stopped.clone(),
        ));
    }
    let beside = nine::work(&scene, &nine, each).await;
    stop.send_replace(true);
    attack.abort_all();
    while attack.join_next().await.is_some() {}
    let expected = alone.occurrences + beside.occurrences;
    Figures {
        missing: scene.receiver.missing(expected, PATIENCE).await,
        alone,
        beside,
    }
}

/// A client with one connection, from 127.0.`net`.`host`.
fn client(net: u8, host: u8) -> Client {
    Client::builder()
        .local_address(Some([127, 0, net, host].into()))
        .pool_max_idle_per_host(1)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap()
}
