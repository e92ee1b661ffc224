//! The login of connections.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gatepost_ids::trim_pasted;
use tokio_postgres::Config;

/// A function that returns the current password.
pub(crate) type Password = Arc<dyn Fn() -> String + Send + Sync>;

/// The driver's configuration for a connection, with the current password.
#[derive(Clone)]
pub(crate) struct Login {
    config: Config,
    password: Option<Password>,
}

impl Login {
    pub(crate) fn new(config: Config, password: Option<Password>) -> Self {
        Self { config, password }
    }

    /// Returns the configuration of one connection that is about to be opened. If the platform's
    /// code panics, it has the password of the connection string.
    pub(crate) fn now(&self) -> Config {
        let mut config = self.config.clone();
        if let Some(password) = &self.password {
            match catch_unwind(AssertUnwindSafe(|| password())) {
                Ok(password) => drop(config.password(trim_pasted(&password))),
                Err(_) => tracing::error!("the source of the database's password panicked"),
            }
        }
        config
    }

    /// Returns the same with another name in the server's list of sessions.
    pub(crate) fn named(mut self, suffix: &str) -> Self {
        let name = self.config.get_application_name().unwrap_or_default();
        let name = format!("{name} ({suffix})");
        self.config.application_name(name);
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn connection_uses_the_current_password() {
        let config: Config = "postgres://app:first@h/db".parse().unwrap();
        let fixed = Login::new(config.clone(), None).now();
        assert_eq!(fixed.get_password(), Some(&b"first"[..]));
        let asked = AtomicU32::new(0);
        let source = move || match asked.fetch_add(1, Ordering::Relaxed) {
            2 => panic!("on purpose"),
            n => format!("p{n}"),
        };
        let login = Login::new(config, Some(Arc::new(source)));
        for password in ["p0", "p1", "first", "p3"] {
            assert_eq!(login.now().get_password(), Some(password.as_bytes()));
        }
    }
}
