//! A file of an earlier version.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use rusqlite::Connection;
use tokio::time::Instant;

use super::{Contents, Noticed, WRITES, sealing, steps, text};

/// Rows as version 1 wrote them: one delivery in a hundred waits, the others ended with their
/// first attempt.
const FILL: &str = "
    INSERT INTO gatepost_delivery (message_id, webhook, body, state, in_order, created, due,
            status_info, last_attempt, attempts, logged, response_status, duration_us)
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT :rows)
        SELECT 'filled-' || n, 2, printf('{\"n\":\"%d\",\"text\":\"%.300c\"}', n, 'x'),
            iif(n % 100 = 0, 0, 2), 0, 1800000000000000 + n, 1800000000000000 + n,
            iif(n % 100 = 0, '', '200 OK'), iif(n % 100 = 0, NULL, 1800000000000000 + n),
            n % 100 <> 0, n % 100 <> 0, iif(n % 100 = 0, NULL, 200),
            iif(n % 100 = 0, NULL, 12000) FROM n;
    INSERT INTO gatepost_attempt
        SELECT id, 1, created, 12000, NULL, 250, NULL, NULL, 'ok', '200 OK', 200, '127.0.0.1:443',
            'HTTP/1.1', zeroblob(100), zeroblob(200), 0
        FROM gatepost_delivery WHERE message_id LIKE 'filled-%' AND state = 2";

/// A file as a version left it.
#[derive(Clone, Debug)]
pub struct OldFile {
    path: PathBuf,
}

impl OldFile {
    /// A file that nobody has opened yet, or that somebody left.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let path = path.to_owned();
        Self { path }
    }

    /// Writes it as this version left it, with this number of deliveries more than the fixture has.
    pub fn write(&self, version: usize, rows: u32) {
        let file = self.raw();
        file.pragma_update(None, "journal_mode", "WAL").unwrap();
        file.pragma_update(None, "foreign_keys", false).unwrap();
        file.pragma_update(None, "legacy_alter_table", true)
            .unwrap();
        let dump = text("gatepost-sqlite/tests/fixtures/version_1.sql");
        file.execute_batch(&dump).unwrap();
        file.execute_batch(&FILL.replace(":rows", &rows.to_string()))
            .unwrap();
        for (at, step) in steps("gatepost-sqlite").iter().enumerate().skip(1) {
            if at < version {
                file.execute_batch(&format!("BEGIN; {step}")).unwrap();
                file.execute("INSERT INTO gatepost_schema VALUES (?1)", [at as i64 + 1])
                    .unwrap();
                file.execute_batch("COMMIT").unwrap();
            }
        }
    }

    /// Opens it with this version, and closes it.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub async fn open(&self) -> Result<(), gatepost_storage::StoreError> {
        let config = SqliteConfig::file(&self.path).with_sealing(sealing());
        SqliteStore::open(config).await?.close().await;
        Ok(())
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> usize {
        let newest = "SELECT max(version) FROM gatepost_schema";
        let version: u32 = self.raw().query_row(newest, [], |row| row.get(0)).unwrap();
        version as usize
    }

    /// What is in it.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let count = |sql| self.raw().query_row(sql, [], |row| row.get(0)).unwrap();
        Contents {
            deliveries: count("SELECT count(*) FROM gatepost_delivery"),
            open: match self.version() {
                ..3 => count("SELECT count(*) FROM gatepost_delivery WHERE state < 2"),
                _ => count("SELECT count(*) FROM gatepost_queue"),
            },
        }
    }

    /// Writes until it is stopped.
    pub fn write_beside(&self, stop: &AtomicBool) -> Noticed {
        let (file, mut noticed) = (self.raw(), Noticed::default());
        while !stop.load(Ordering::Relaxed) {
            for write in WRITES {
                let began = Instant::now();
                noticed.note(began, file.execute(write, []).is_ok());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        noticed
    }

    fn raw(&self) -> Connection {
        let file = Connection::open(&self.path).unwrap();
        file.busy_timeout(Duration::from_secs(600)).unwrap();
        file
    }
}
