//! Where the database is and how to speak to it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::seal::SealingKeys;
use gatepost_storage::{ErrorKind, StoreError};
use tokio_postgres::config::TargetSessionAttrs;

/// How a [`PostgresStore`](crate::PostgresStore) reaches its database.
///
/// ```
/// # async fn example() -> Result<(), gatepost_storage::StoreError> {
/// use gatepost_postgres::{PostgresConfig, PostgresStore};
/// let config = PostgresConfig::url("postgres://app:secret@db.internal/app?sslmode=require")
///     .with_schema("gatepost")
///     .with_max_connections(16);
/// let store = PostgresStore::connect(config).await?;
/// # let _ = store;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresConfig {
    url: String,
    schema: String,
    pub(crate) max_connections: usize,
    pub(crate) statement_timeout: Duration,
    pub(crate) lock_timeout: Duration,
    pub(crate) ddl: bool,
    pub(crate) extra_roots_pem: Vec<u8>,
    pub(crate) sealing: Arc<SealingKeys>,
}

impl PostgresConfig {
    /// A connection string in either form of libpq:
    /// `postgres://user:password@host/database?sslmode=require` or `host=… user=…`. `sslmode`
    /// is `disable`, `prefer` or `require`; `verify-ca` and `verify-full` mean `require`,
    /// because a certificate that is shown is always verified, the name in it too.
    #[must_use]
    pub fn url(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            schema: "gatepost".to_owned(),
            max_connections: 12,
            statement_timeout: Duration::from_secs(30),
            lock_timeout: Duration::from_secs(10),
            ddl: true,
            extra_roots_pem: Vec::new(),
            sealing: Arc::new(SealingKeys::none()),
        }
    }

    /// The schema that holds the tables, created if it does not exist; `gatepost` by default. A
    /// small letter or `_`, then at most 39 small letters, digits or `_`.
    #[must_use]
    pub fn with_schema(mut self, schema: &str) -> Self {
        schema.clone_into(&mut self.schema);
        self
    }

    /// The keys that seal the secrets of webhooks. Without any they are stored in plaintext, and a
    /// warning says so at every start.
    #[must_use]
    pub fn with_sealing(mut self, keys: SealingKeys) -> Self {
        self.sealing = Arc::new(keys);
        self
    }

    /// The maximum number of connections in the pool; one more listens. 12 by default, at least 4.
    #[must_use]
    pub fn with_max_connections(mut self, most: usize) -> Self {
        self.max_connections = most.max(4);
        self
    }

    /// How long the server may work on one statement; 30 s by default.
    #[must_use]
    pub fn with_statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = timeout;
        self
    }

    /// How long a statement may wait for a lock; 10 s by default.
    #[must_use]
    pub fn with_lock_timeout(mut self, timeout: Duration) -> Self {
        self.lock_timeout = timeout;
        self
    }

    /// Whether the role may define tables while the store is in use, as it may by default: then the
    /// log has partitions that are made ahead and dropped when they are old. Without, all that
    /// comes beyond those that the migrations made is in one, and what is old is deleted row by
    /// row.
    #[must_use]
    pub fn with_ddl(mut self, may_define: bool) -> Self {
        self.ddl = may_define;
        self
    }

    /// Root certificates in PEM form that are trusted for the server, in addition to the public
    /// ones.
    #[must_use]
    pub fn with_extra_roots_pem(mut self, pem: &[u8]) -> Self {
        self.extra_roots_pem = pem.to_vec();
        self
    }

    /// The validated schema.
    pub(crate) fn schema_name(&self) -> Result<&str, StoreError> {
        let mut bytes = self.schema.bytes();
        let first = bytes
            .next()
            .is_some_and(|b| b.is_ascii_lowercase() || b == b'_');
        let rest = bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if first && rest && self.schema.len() <= 40 {
            Ok(&self.schema)
        } else {
            Err(StoreError::new(
                ErrorKind::Invalid,
                "a schema is named by a small letter or _, then at most 39 small letters, digits or _",
            ))
        }
    }

    /// What the driver needs: the URL and what every connection of ours is set to.
    pub(crate) fn driver(&self) -> Result<tokio_postgres::Config, StoreError> {
        self.schema_name()?;
        let url = self
            .url
            .replace("sslmode=verify-full", "sslmode=require")
            .replace("sslmode=verify-ca", "sslmode=require");
        // The driver's error is left out: it may quote what it could not read.
        let mut driver: tokio_postgres::Config = url.parse().map_err(|_| {
            StoreError::new(ErrorKind::Invalid, "the connection string cannot be read")
        })?;
        // A process that freezes half-way through a transaction keeps its locks for ten seconds.
        // Queue tables are filled and emptied faster than statistics follow. Every statement has
        // its index; a plan made while a table was small must not walk the table once it is
        // big.
        let options = format!(
            "{} -c statement_timeout={} -c lock_timeout={} \
             -c idle_in_transaction_session_timeout=10000 -c timezone=UTC -c enable_seqscan=off -c jit=off \
             -c plan_cache_mode=force_generic_plan",
            driver.get_options().unwrap_or(""),
            self.statement_timeout.as_millis(),
            self.lock_timeout.as_millis(),
        );
        driver.options(options.trim());
        // A server that a failover left read-only is of no use.
        driver.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if driver.get_application_name().is_none() {
            driver.application_name("gatepost");
        }
        if driver.get_connect_timeout().is_none() {
            driver.connect_timeout(Duration::from_secs(5));
        }
        if driver.get_tcp_user_timeout().is_none() {
            driver.tcp_user_timeout(Duration::from_secs(10));
        }
        driver.keepalives_idle(Duration::from_secs(15));
        Ok(driver)
    }
}

/// Without the connection string, which holds the password.
impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresConfig")
            .field("schema", &self.schema)
            .field("max_connections", &self.max_connections)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_is_no_plain_identifier_is_refused() {
        for bad in [
            "",
            "Gatepost",
            "1a",
            "a b",
            "a;drop",
            "a\"b",
            "a-b",
            "x,public",
            &"a".repeat(41),
        ] {
            assert!(
                PostgresConfig::url("host=x")
                    .with_schema(bad)
                    .driver()
                    .is_err(),
                "{bad:?}"
            );
        }
        assert!(
            PostgresConfig::url("host=x")
                .with_schema("_gate_post2")
                .driver()
                .is_ok()
        );
    }

    #[test]
    fn neither_debug_nor_an_error_tells_the_password() {
        let config = PostgresConfig::url("postgres://u:hunter2@h/db?sslmode=verify-full");
        assert!(!format!("{config:?}").contains("hunter2"));
        assert_eq!(
            config.driver().unwrap().get_ssl_mode(),
            tokio_postgres::config::SslMode::Require
        );
        let error = PostgresConfig::url("postgres://u:hunter2@h:notaport/db")
            .driver()
            .unwrap_err();
        assert!(!format!("{error:?} {error}").contains("hunter2"));
    }

    #[test]
    fn options_of_the_url_are_kept() {
        let driver = PostgresConfig::url("host=h options='-c work_mem=8MB'")
            .driver()
            .unwrap();
        let options = driver.get_options().unwrap();
        assert!(options.starts_with("-c work_mem=8MB ") && options.contains("jit=off"));
    }
}
