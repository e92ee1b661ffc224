//! The configuration of the connection to the database.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::trim_pasted;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::{ErrorKind, StoreError};
use tokio_postgres::config::TargetSessionAttrs;

use crate::login::{Login, Password};
use crate::settings::Settings;

/// The connection settings of a [`PostgresStore`](crate::PostgresStore).
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
    pub(crate) pooled: bool,
    direct_url: Option<String>,
    password: Option<Password>,
    pub(crate) extra_roots_pem: Vec<u8>,
    pub(crate) sealing: Arc<SealingKeys>,
}

impl PostgresConfig {
    /// Takes a connection string in either form of libpq:
    /// `postgres://user:password@host/database?sslmode=require` or `host=… user=…`. `sslmode` is
    /// `disable`, `prefer` or `require`; `verify-ca` and `verify-full` mean `require`, because the
    /// certificate of the server and the name in it are always verified.
    #[must_use]
    pub fn url(url: &str) -> Self {
        Self {
            url: trim_pasted(url).to_owned(),
            schema: "gatepost".to_owned(),
            max_connections: 5,
            statement_timeout: Duration::from_secs(30),
            lock_timeout: Duration::from_secs(10),
            ddl: true,
            pooled: false,
            direct_url: None,
            password: None,
            extra_roots_pem: Vec::new(),
            sealing: Arc::new(SealingKeys::none()),
        }
    }

    /// Sets the schema that holds the tables; it is created if it does not exist. The default is
    /// `gatepost`. The name is a small letter or `_`, then at most 39 small letters, digits or `_`.
    #[must_use]
    pub fn with_schema(mut self, schema: &str) -> Self {
        schema.clone_into(&mut self.schema);
        self
    }

    /// Sets the keys that seal the secrets of webhooks. Without any, secrets are stored in
    /// plaintext, and a warning says so at every start.
    #[must_use]
    pub fn with_sealing(mut self, keys: SealingKeys) -> Self {
        self.sealing = Arc::new(keys);
        self
    }

    /// Sets the maximum number of connections in the pool; one more connection listens. The default
    /// is 5, the minimum 4.
    #[must_use]
    pub fn with_max_connections(mut self, most: usize) -> Self {
        self.max_connections = most.max(4);
        self
    }

    /// Sets how long the server may work on one statement; 30 s by default.
    #[must_use]
    pub fn with_statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = timeout;
        self
    }

    /// Sets how long a statement may wait for a lock; 10 s by default.
    #[must_use]
    pub fn with_lock_timeout(mut self, timeout: Duration) -> Self {
        self.lock_timeout = timeout;
        self
    }

    /// Sets whether the URL is that of a pooler which gives each transaction another session, such
    /// as PgBouncer with `pool_mode = transaction`. Each transaction then makes the settings that
    /// it depends on. The pooler must keep track of prepared statements (PgBouncer from 1.21 on,
    /// with `max_prepared_statements`); connecting through one that does not fails. Not needed for
    /// a pooler that gives each connection its own session. Needs a [direct
    /// URL](Self::with_direct_url).
    #[must_use]
    pub fn with_pooled(mut self, pooled: bool) -> Self {
        self.pooled = pooled;
        self
    }

    /// Sets the URL of the server itself, past a pooler, for the listening connection and
    /// migrations. It has the form of [`url`](Self::url), which is used instead if there is none.
    #[must_use]
    pub fn with_direct_url(mut self, url: &str) -> Self {
        self.direct_url = Some(trim_pasted(url).to_owned());
        self
    }

    /// Sets a source of the password, for a password that changes while the process runs. The store
    /// calls it before it opens a connection, and uses the result instead of the password in the
    /// URLs. Open connections are kept; when the server has ended those with the old password, new
    /// ones are opened with the password returned then. The source is called on the threads of the
    /// runtime, so it must return immediately: from memory, or from a small file, whose line break
    /// is ignored ([`trim_pasted`]). If it panics, the password in the URL is tried.
    ///
    /// ```
    /// # use gatepost_postgres::PostgresConfig;
    /// let config = PostgresConfig::url("postgres://app@db.internal/app")
    ///     .with_password_from(|| {
    ///         let password = std::fs::read_to_string("/run/secrets/database");
    ///         password.unwrap_or_default()
    ///     });
    /// # let _ = config;
    /// ```
    #[must_use]
    pub fn with_password_from(
        mut self,
        source: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        self.password = Some(Arc::new(source));
        self
    }

    /// Sets whether the role may define tables while the store is in use; true by default. The log
    /// then has partitions that are created ahead and dropped when they are old. Otherwise one
    /// partition takes all deliveries beyond the partitions that the migrations created, and old
    /// deliveries are deleted row by row.
    #[must_use]
    pub fn with_ddl(mut self, may_define: bool) -> Self {
        self.ddl = may_define;
        self
    }

    /// Adds root certificates in PEM form that are trusted for the server, in addition to the
    /// public ones. A byte order mark before them is dropped; connecting fails if the text holds no
    /// certificate.
    #[must_use]
    pub fn with_extra_roots_pem(mut self, pem: &[u8]) -> Self {
        self.extra_roots_pem = pem.to_vec();
        self
    }

    /// Returns the validated schema.
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

    /// Returns the settings of each session or, behind a pooler, of each transaction.
    pub(crate) fn settings(&self) -> Settings {
        Settings::new(self.statement_timeout, self.lock_timeout, self.pooled)
    }

    /// Returns the driver's configuration for the connections of the pool.
    pub(crate) fn driver(&self) -> Result<Login, StoreError> {
        self.driver_of(&self.url)
    }

    /// Returns the same for connections past a pooler.
    pub(crate) fn direct_driver(&self) -> Result<Login, StoreError> {
        match &self.direct_url {
            Some(url) => self.driver_of(url),
            None if self.pooled => Err(StoreError::new(
                ErrorKind::Invalid,
                "behind a pooler a direct URL is needed: for the listening connection and migrations",
            )),
            None => self.driver(),
        }
    }

    /// Returns the configuration of the same store, past a pooler.
    pub(crate) fn direct(&self) -> Self {
        let mut direct = self.clone();
        direct.pooled = false;
        if let Some(url) = direct.direct_url.take() {
            direct.url = url;
        }
        direct
    }

    fn driver_of(&self, url: &str) -> Result<Login, StoreError> {
        self.schema_name()?;
        let url = url
            .replace("sslmode=verify-full", "sslmode=require")
            .replace("sslmode=verify-ca", "sslmode=require");
        // The driver's error is left out: it may quote the invalid text.
        let mut driver: tokio_postgres::Config = url.parse().map_err(|_| {
            StoreError::new(ErrorKind::Invalid, "the connection string cannot be read")
        })?;
        // A server that a failover left read-only cannot be used.
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
        Ok(Login::new(driver, self.password.clone()))
    }
}

/// Leaves out the connection string, which holds the password.
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
    fn schema_with_invalid_identifier_is_refused() {
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
    fn debug_and_errors_hide_the_password() {
        let config = PostgresConfig::url("postgres://u:hunter2@h/db?sslmode=verify-full");
        assert!(!format!("{config:?}").contains("hunter2"));
        assert_eq!(
            config.driver().unwrap().now().get_ssl_mode(),
            tokio_postgres::config::SslMode::Require
        );
        let error = PostgresConfig::url("postgres://u:hunter2@h:notaport/db")
            .driver()
            .err()
            .unwrap();
        assert!(!format!("{error:?} {error}").contains("hunter2"));
    }

    #[test]
    fn pasted_url_loses_its_surroundings() {
        for around in [" ", "\r\n", "\u{feff}"] {
            let of = |url: &str| format!("{around}{url}{around}");
            for url in ["postgres://u:p@h/db", "host=h user=u password=p dbname=db"] {
                let config = PostgresConfig::url(&of(url)).with_direct_url(&of(url));
                for login in [config.driver(), config.direct_driver()] {
                    let driver = login.unwrap().now();
                    assert_eq!(driver.get_dbname(), Some("db"), "{around:?}");
                    assert_eq!(driver.get_password(), Some(&b"p"[..]));
                }
            }
            let saved = of("from a file");
            let config = PostgresConfig::url("host=h").with_password_from(move || saved.clone());
            let driver = config.driver().unwrap().now();
            assert_eq!(driver.get_password(), Some(&b"from a file"[..]));
        }
    }

    #[test]
    fn session_start_sets_no_options_except_from_url() {
        let driver = PostgresConfig::url("host=h").driver().unwrap().now();
        assert_eq!(driver.get_options(), None);
        let own = PostgresConfig::url("host=h options='-c work_mem=8MB'");
        let own = own.driver().unwrap().now();
        assert_eq!(own.get_options(), Some("-c work_mem=8MB"), "but the URL's");
    }

    #[test]
    fn behind_a_pooler_the_server_itself_is_named() {
        let config = PostgresConfig::url("host=pooler").with_pooled(true);
        let refused = config.direct_driver().err().unwrap();
        assert_eq!(refused.kind(), ErrorKind::Invalid);
        let config = config.with_direct_url("host=server");
        let hosts = [config.driver(), config.direct_driver()];
        let hosts = hosts.map(|driver| format!("{:?}", driver.unwrap().now().get_hosts()));
        assert!(hosts[0].contains("pooler") && hosts[1].contains("server"));
    }
}
