//! One plain user who attacks the platform, while nine others work.
//!
//! Over 64 connections the attacker lists everything under every name, searches large texts, sends
//! large forms, guesses passwords, opens silent sockets, and is slow with heads, bodies and
//! responses. The nine send requests at a steady pace, first without the attack and then during it,
//! and their webhooks must receive the occurrences. The attacker's webhooks share targets with
//! theirs and provoke servers into ending connections; they are sent the attacker's logins. Guesses
//! come from 80 addresses, while others log in for the first time.
//!
//! A minute of each: `cargo build --release -p tests --bin host --bin hostile`, then
//! `target/release/hostile 60`, with `shared` at the end if the nine have the attacker's address.
//! Five seconds run with the tests (`tests/alone/hostile.rs`).

mod attack_kinds;
mod attacker;
mod bystanders;
mod forms;
mod furnish;
mod receiver;
mod results;
mod sockets;
mod targets;

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;

pub use attack_kinds::attack;
pub use attacker::{Attack, Him};
use furnish::Member;
use receiver::Receiver;
pub use results::{Figures, Phase};

use crate::platform::{PASSWORD, PlatformProcess};

/// The time limit for deliveries under way at the end.
const PATIENCE: Duration = Duration::from_secs(60);

/// The addresses of the nine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Addresses {
    /// Each has its own address.
    Own,
    /// All are behind one gateway, with the attacker: they share the limits by address.
    His,
}

/// The platform under attack, and the data with which everybody reaches it.
#[derive(Debug)]
struct Scene {
    addresses: Addresses,
    platform: PlatformProcess,
    server: SocketAddr,
    receiver: Receiver,
}

/// The platform, with the nine users who work there and the attacker's input.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct Attacked {
    scene: Arc<Scene>,
    nine: Vec<Member>,
    him: Him,
}

impl Attacked {
    /// Creates the records of everybody before the run begins, on a platform that just started for
    /// the first time.
    ///
    /// # Panics
    /// If it cannot be furnished.
    pub async fn furnish(platform: PlatformProcess, addresses: Addresses) -> Self {
        let scene = Arc::new(Scene {
            addresses,
            server: address(&platform),
            receiver: Receiver::start().await,
            platform,
        });
        let him = Him {
            server: scene.server,
            key: furnish::for_him(&scene).await,
            password: scene.platform.password_of("vera").unwrap(),
        };
        let nine = furnish::for_the_nine(&scene).await;
        Self { scene, nine, him }
    }

    /// Stops the platform, runs the given function, and continues with the platform that it
    /// returns, which has the same data.
    ///
    /// # Panics
    /// If the platform does not stop.
    pub async fn restarted(self, meanwhile: impl AsyncFnOnce() -> PlatformProcess) -> Self {
        let scene = Arc::into_inner(self.scene).unwrap();
        assert!(scene.platform.stop());
        let platform = meanwhile().await;
        let server = address(&platform);
        let scene = Arc::new(Scene {
            addresses: scene.addresses,
            platform,
            server,
            receiver: scene.receiver,
        });
        let him = Him { server, ..self.him };
        Self { scene, him, ..self }
    }

    /// Lets the nine work for this time.
    pub async fn work(&self, long: Duration) -> Phase {
        bystanders::work(&self.scene, &self.nine, long).await
    }

    /// Starts the attack; `his` is the program `hostile`.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn attack(&self, his: &str) -> Attack {
        self.him.attack(his)
    }

    /// Returns the number of missing deliveries of these occurrences of the nine, after the time
    /// limit for late ones.
    pub async fn missing(&self, occurrences: usize) -> usize {
        self.scene.receiver.missing(occurrences, PATIENCE).await
    }

    /// The platform.
    #[must_use]
    pub fn platform(&self) -> &PlatformProcess {
        &self.scene.platform
    }
}

/// Returns the address at which the platform listens.
fn address(platform: &PlatformProcess) -> SocketAddr {
    let address = platform.base.strip_prefix("http://").unwrap();
    address.parse().unwrap()
}

/// Runs both phases, each of this length, against the program of the example platform; `his` is the
/// program `hostile`.
///
/// # Panics
/// If the platform does not start, or cannot be furnished.
pub async fn run(platform: &str, his: &str, each: Duration, addresses: Addresses) -> Figures {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(platform);
    command.args(["--admin-password", PASSWORD, "--data"]);
    let platform = PlatformProcess::run(command.arg(folder.path()));
    let attacked = Attacked::furnish(platform, addresses).await;
    let alone = attacked.work(each).await;
    let attack = attacked.attack(his);
    let logins = tokio::spawn(bystanders::log_in(attacked.scene.clone()));
    let mut beside = attacked.work(each).await;
    beside.errors.extend(logins.await.unwrap());
    drop(attack);
    let expected = alone.occurrences + beside.occurrences;
    Figures {
        missing: attacked.missing(expected).await,
        alone,
        beside,
    }
}

/// Returns a client with one connection, from 127.0.`net`.`host`.
fn client(net: u8, host: u8) -> Client {
    Client::builder()
        .local_address(Some([127, 0, net, host].into()))
        .pool_max_idle_per_host(1)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap()
}
