//! The SQLite backend against the bare driver, in one run on one disk (`synchronous=FULL`).
//!
//! `cargo bench -p benches --bench store_sqlite`; with the argument `quick` on fewer rows.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout
)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use benches::store::{self, BODY, Backend, Work};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::KeyStore as _;
use gatepost_storage::keys::KeyShard;
use rusqlite::{Connection, params};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use webhook_model::WebhookId;

const INSERT: &str = "INSERT INTO bare (message_id, webhook, body, state, created, due, lease_until) VALUES (?1, 1, ?2, 1, 0, 0, 60)";
const COMPLETE: &str =
    "UPDATE bare SET state = 2, lease_until = NULL, status_info = ?2 WHERE id = ?1 AND state = 1";

fn main() {
    // A folder of the build, because the temporary folder may be in memory, in which a sync costs
    // nothing.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut sqlite = Sqlite::open(folder.path()).await;
        let work = store::against_the_driver(&mut sqlite).await;
        elsewhere(&work, folder.path()).await;
        bytes(&work, &sqlite.path).await;
        generation(&sqlite.store);
        store::claims(&mut sqlite).await;
    });
}

struct Sqlite {
    store: SqliteStore,
    path: PathBuf,
    bare: Connection,
}

impl Sqlite {
    async fn open(folder: &Path) -> Self {
        let path = folder.join("gatepost.db");
        Self {
            bare: bare(&folder.join("bare.db")),
            store: SqliteStore::open(SqliteConfig::file(&path)).await.unwrap(),
            path,
        }
    }
}

impl Backend for Sqlite {
    type Store = SqliteStore;

    const ROUNDS: usize = 3;
    const SPAN: Duration = Duration::from_secs(2);
    const SINGLES: usize = 400;
    const CLAIMS: usize = 120;

    fn store(&self) -> &SqliteStore {
        &self.store
    }

    async fn bare_cycle(&mut self, names: &[String]) -> u64 {
        let tx = self.bare.transaction().unwrap();
        let insert = |name: &String| {
            let mut insert = tx.prepare_cached(INSERT).unwrap();
            insert.insert(params![name, BODY]).unwrap()
        };
        let ids: Vec<i64> = names.iter().map(insert).collect();
        let mut done = 0;
        for id in ids {
            let mut complete = tx.prepare_cached(COMPLETE).unwrap();
            done += complete.execute(params![id, "200 OK"]).unwrap() as u64;
        }
        tx.commit().unwrap();
        done
    }

    async fn bare_insert(&mut self, name: &str) {
        let mut insert = self.bare.prepare_cached(INSERT).unwrap();
        insert.insert(params![name, BODY]).unwrap();
    }

    async fn fill(&mut self, first: WebhookId, from: i64, to: i64) {
        let beside = Connection::open(&self.path).unwrap();
        for into in [
            "gatepost_delivery (id, message_id, webhook, body, created, message_kept)
             SELECT 1000000000 + n, 'wait' || n, ?3 + n % 100, '{}', 0, 1 FROM n",
            "gatepost_queue (id, webhook, class, due, attempts, tries, lost)
             SELECT 1000000000 + n, ?3 + n % 100, 0, n, 0, 0, 0 FROM n",
        ] {
            let sql = format!(
                "WITH RECURSIVE n (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ?2)
                 INSERT INTO {into}"
            );
            beside.execute(&sql, params![from, to, first.0]).unwrap();
        }
        checkpoint(&beside);
    }
}

/// Creates a table with a key, a unique id and a partial index: the least that a queue needs.
fn bare(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
             CREATE TABLE bare (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT NOT NULL UNIQUE, webhook INTEGER NOT NULL,
                 body TEXT NOT NULL, state INTEGER NOT NULL, status_info TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL,
                 due INTEGER NOT NULL, lease_until INTEGER) STRICT;
             CREATE INDEX bare_waiting ON bare (webhook, due, id) WHERE state = 0",
        )
        .unwrap();
    connection
}

/// Measures a bare commit here, and one that a separate thread makes for a task of the runtime: the
/// cost of the way there and back.
async fn elsewhere(work: &Work<SqliteStore>, folder: &Path) {
    const TIMES: usize = 400;
    let insert = |bare: &Connection, name: &str| {
        let mut insert = bare.prepare_cached(INSERT).unwrap();
        insert.insert(params![name, BODY]).unwrap();
    };
    let here = bare(&folder.join("here.db"));
    let there = bare(&folder.join("there.db"));
    let (commands, mut waiting) = mpsc::channel::<(String, oneshot::Sender<()>)>(1);
    std::thread::spawn(move || {
        while let Some((name, reply)) = waiting.blocking_recv() {
            insert(&there, &name);
            reply.send(()).unwrap();
        }
    });
    let (mut of_here, mut of_there) = (Vec::new(), Vec::new());
    for name in work.names(TIMES) {
        let start = Instant::now();
        insert(&here, &name);
        of_here.push(start.elapsed().as_secs_f64() * 1e6);
        let start = Instant::now();
        let (reply, answer) = oneshot::channel();
        commands.send((name, reply)).await.unwrap();
        answer.await.unwrap();
        of_there.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let (here, there) = (benches::spread(of_here).0, benches::spread(of_there).0);
    println!(
        "bare commit {here:.0} us, on a thread of its own {there:.0} us, ratio {:.2}",
        there / here
    );
}

/// Measures the bytes that a delivery with one attempt adds to the file.
async fn bytes(work: &Work<SqliteStore>, path: &Path) {
    const COUNT: u64 = 10_000;
    let size = || {
        checkpoint(&Connection::open(path).unwrap());
        std::fs::metadata(path).unwrap().len()
    };
    let before = size();
    for _ in 0..COUNT / 100 {
        let claims = work.emit_many(100).await;
        work.settle(claims).await;
    }
    println!(
        "bytes for a delivery with an attempt (body {}): {}",
        BODY.len(),
        (size() - before) / COUNT
    );
}

fn generation(store: &SqliteStore) {
    const CALLS: u32 = 100_000;
    let start = Instant::now();
    for _ in 0..CALLS {
        store.key_generation(KeyShard(0)).unwrap();
    }
    let one = start.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS);
    println!("key_generation: {one:.2} us");
}

fn checkpoint(connection: &Connection) {
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
}
