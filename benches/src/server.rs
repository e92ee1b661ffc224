//! The activity of a PostgreSQL server, seen from outside.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::{Client, NoTls};

use crate::process::{family_cpu, family_memory};

/// A server on this machine, and a connection of its superuser.
pub struct Server {
    /// The connection.
    pub client: Client,
    pid: u32,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("pid", &self.pid).finish()
    }
}

impl Server {
    /// Connects to this database, and finds the server's processes.
    ///
    /// # Panics
    /// If the server cannot be reached, or is on another machine.
    pub async fn open(url: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a server");
        tokio::spawn(connection);
        let sql = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)";
        let row = client.query_one(sql, &[]).await.expect("a superuser");
        let pid = row.get::<_, &str>(0).trim().parse().expect("a number");
        Self { client, pid }
    }

    /// Returns the CPU time of all its processes so far.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        family_cpu(self.pid)
    }

    /// Returns the memory of all its processes, in bytes, shared memory counted once.
    #[must_use]
    pub fn memory(&self) -> u64 {
        family_memory(self.pid)
    }

    /// Returns the bytes that it has written to its write-ahead log so far.
    ///
    /// # Panics
    /// If the connection is lost.
    pub async fn wal(&self) -> f64 {
        let sql = "SELECT (pg_current_wal_lsn() - '0/0')::float8";
        self.client.query_one(sql, &[]).await.expect("a row").get(0)
    }

    /// Makes it log each statement that takes longer than this. Returns the present end of its log.
    ///
    /// # Panics
    /// If the connection is lost.
    pub async fn note_statements(&self, longer: Duration) -> usize {
        let millis = longer.as_millis();
        for sql in [
            &format!("ALTER SYSTEM SET log_min_duration_statement = {millis}"),
            "SELECT pg_reload_conf()",
        ] {
            self.client.batch_execute(sql).await.expect("a superuser");
        }
        self.log().await.len()
    }

    /// Returns the longest statements that it has logged from there on: milliseconds and the
    /// beginning of the text, longest first.
    ///
    /// # Panics
    /// If its log cannot be read.
    pub async fn noted(&self, from: usize) -> Vec<(f64, String)> {
        let log = self.log().await;
        let log = String::from_utf8_lossy(&log[from..]).into_owned();
        let mut noted: Vec<_> = log.lines().filter_map(statement).collect();
        noted.sort_by(|a, b| b.0.total_cmp(&a.0));
        noted
    }

    async fn log(&self) -> Vec<u8> {
        let row = self.client.query_one("SHOW data_directory", &[]).await;
        let data = PathBuf::from(row.expect("a row").get::<_, &str>(0));
        std::fs::read(data.with_file_name("log")).expect("the server's log")
    }
}

fn statement(line: &str) -> Option<(f64, String)> {
    let (_, rest) = line.split_once("duration: ")?;
    let (millis, text) = rest.split_once(" ms")?;
    let text = text.trim_start().chars().take(120).collect();
    Some((millis.parse().ok()?, text))
}
