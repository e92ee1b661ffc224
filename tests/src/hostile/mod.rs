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
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;

pub use figures::{Figures, Phase};
use receiver::Receiver;
pub use ways::attack;

use crate::platform::{PASSWORD, PlatformProcess};

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
}

/// What he has: the address of the platform, a key, and the password of the user vera.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct Him {
    /// Where the platform listens.
    pub server: SocketAddr,
    /// A key of his.
    pub key: String,
    /// He logs in with it.
    pub password: String,
}

impl Him {
    /// What his process is started with.
    fn environment(&self) -> [(&'static str, String); 3] {
        [
            ("HOSTILE_SERVER", self.server.to_string()),
            ("HOSTILE_KEY", self.key.clone()),
            ("HOSTILE_PASSWORD", self.password.clone()),
        ]
    }

    /// What a process was started with, if it is to be his.
    #[must_use]
    pub fn from_environment() -> Option<Self> {
        let said = |name| std::env::var(name).ok();
        Some(Self {
            server: said("HOSTILE_SERVER")?.parse().ok()?,
            key: said("HOSTILE_KEY")?,
            password: said("HOSTILE_PASSWORD")?,
        })
    }
}

/// His process; ends with this.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs both phases, each of this length, against the program of the example platform; `his` is the
/// program `hostile`.
///
/// # Panics
/// When the platform does not start, or cannot be furnished.
pub async fn run(platform: &str, his: &str, each: Duration, addresses: Addresses) -> Figures {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(platform);
    command.args(["--admin-password", PASSWORD, "--data"]);
    let platform = PlatformProcess::run(command.arg(folder.path()));
    let server = platform.base.strip_prefix("http://").unwrap().parse();
    let scene = Arc::new(Scene {
        addresses,
        server: server.unwrap(),
        receiver: Receiver::start().await,
        platform,
    });
    let him = Him {
        server: scene.server,
        key: furnish::for_him(&scene).await,
        password: scene.platform.password_of("vera").unwrap(),
    };
    let nine = furnish::for_the_nine(&scene).await;

    let alone = nine::work(&scene, &nine, each).await;
    let process = Process(Command::new(his).envs(him.environment()).spawn().unwrap());
    let beside = nine::work(&scene, &nine, each).await;
    drop(process);
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
