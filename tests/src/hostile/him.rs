//! The hostile user: what he has, and his process.

use std::net::SocketAddr;
use std::process::{Child, Command};

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
    /// Starts his process.
    pub(super) fn attack(&self, program: &str) -> Attack {
        let environment = [
            ("HOSTILE_SERVER", self.server.to_string()),
            ("HOSTILE_KEY", self.key.clone()),
            ("HOSTILE_PASSWORD", self.password.clone()),
        ];
        Attack(Command::new(program).envs(environment).spawn().unwrap())
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
#[derive(Debug)]
pub struct Attack(Child);

impl Drop for Attack {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
