//! A server that is halted, cut off or full, and whose password changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tests::chaos::{Full, FullDisk, PASSWORD, Place, Wire};
use tests::postgres::TestPostgres;
use tokio::time::Instant;

/// The role of the processes.
const ROLE: &str = "app";
const SCHEMA: &str = "gatepost";
/// The interval at which an operator checks whether it is up.
const LOOK: Duration = Duration::from_millis(250);

pub(super) struct Server {
    postgres: Arc<TestPostgres>,
    pub(super) wire: Wire,
    pub(super) disk: FullDisk,
    /// The file with the processes' knowledge; the server may be further.
    file: PathBuf,
    password: u32,
    changed: bool,
    /// Whether a fault keeps it down.
    pub(super) is_halted: bool,
    /// The number of times that it had to be started because it had ended by itself.
    pub(super) ended: u32,
    looked: Instant,
}

impl Server {
    pub(super) async fn start() -> Self {
        let postgres = TestPostgres::start();
        postgres.halt();
        let disk = FullDisk::new(postgres.folder(), Full::Growth);
        postgres.set_environment(&disk.environment());
        postgres.ask_for_password(ROLE);
        postgres.run();
        let file = postgres.folder().join("password");
        let wire = Wire::to(postgres.port()).await;
        let mut server = Self {
            postgres: Arc::new(postgres),
            wire,
            disk,
            file,
            password: 0,
            changed: true,
            is_halted: false,
            ended: 0,
            looked: Instant::now(),
        };
        let role = format!("CREATE ROLE {ROLE} LOGIN IN ROLE gatepost");
        server.say(&role).await.unwrap();
        server.rotate().await;
        server.tell();
        server
    }

    /// Returns the location of the store for the test.
    pub(super) fn place(&self) -> Place {
        Place::Server {
            url: self.postgres.url().to_owned(),
            schema: SCHEMA.to_owned(),
        }
    }

    /// Returns the location of the store for the processes.
    pub(super) fn place_of_processes(&self) -> Place {
        let port = self.wire.port;
        Place::Server {
            url: format!("postgres://{ROLE}@127.0.0.1:{port}/postgres?sslmode=disable"),
            schema: SCHEMA.to_owned(),
        }
    }

    pub(super) fn environment(&self) -> (&'static str, String) {
        (PASSWORD, self.file.to_string_lossy().into_owned())
    }

    pub(super) async fn halt(&mut self) {
        self.is_halted = true;
        self.blocking(TestPostgres::halt).await;
    }

    /// Starts it again; on a full disk it may not come up.
    pub(super) async fn run(&mut self) {
        self.is_halted = false;
        self.blocking(TestPostgres::try_run).await;
    }

    /// Does the work of an operator: starts it again if it has ended by itself.
    pub(super) async fn keep_up(&mut self) {
        if self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        if !self.blocking(TestPostgres::is_up).await {
            self.ended += 1;
            self.blocking(TestPostgres::try_run).await;
        }
    }

    /// Changes the password and ends the sessions of the old one: now, or when
    /// [`catch_up`](Self::catch_up) finds the server up.
    pub(super) async fn rotate(&mut self) {
        self.password += 1;
        self.changed = false;
        self.catch_up().await;
    }

    /// Returns whether the server knows the newest password.
    pub(super) async fn catch_up(&mut self) -> bool {
        if !self.changed {
            let sql = format!(
                "ALTER ROLE {ROLE} PASSWORD 'secret-{}'; SELECT pg_terminate_backend(pid)
                 FROM pg_stat_activity WHERE usename = '{ROLE}'",
                self.password
            );
            self.changed = self.say(&sql).await.is_ok();
        }
        self.changed
    }

    /// Gives the processes the newest password.
    pub(super) fn tell(&self) {
        let new = self.file.with_extension("new");
        std::fs::write(&new, format!("secret-{}", self.password)).unwrap();
        std::fs::rename(new, &self.file).unwrap();
    }

    async fn say(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        let url = self.postgres.url();
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        client.batch_execute(sql).await
    }

    async fn blocking<T: Send + 'static>(&self, work: fn(&TestPostgres) -> T) -> T {
        let postgres = self.postgres.clone();
        let done = tokio::task::spawn_blocking(move || work(&postgres)).await;
        done.unwrap()
    }
}
