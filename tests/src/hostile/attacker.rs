//! The hostile user: credentials and process.

use std::net::SocketAddr;
use std::process::{Child, Command};

/// The attacker's input: the address of the platform, a key, and the password of the user vera.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct Him {
    /// The address of the platform.
    pub server: SocketAddr,
    /// One of the attacker's keys.
    pub key: String,
    /// The password for logins.
    pub password: String,
}

impl Him {
    /// Starts the attacking process.
    pub(super) fn attack(&self, program: &str) -> Attack {
        let environment = [
            ("HOSTILE_SERVER", self.server.to_string()),
            ("HOSTILE_KEY", self.key.clone()),
            ("HOSTILE_PASSWORD", self.password.clone()),
        ];
        Attack(Command::new(program).envs(environment).spawn().unwrap())
    }

    /// Returns the attacker's input from the environment, if this process was started as the
    /// attacker.
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

/// The attacking process; it ends when this value is dropped.
#[derive(Debug)]
pub struct Attack(Child);

impl Drop for Attack {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
