//! A newer process migrates the store while an older one accepts and delivers. Every statement of
//! the older one would still run after the change: it must stop by itself, say why, and lose
//! nothing.

use std::path::Path;
use std::time::Duration;

use tests::chaos::{Child, Mode, Place, Run};
use tests::postgres::fresh;
use tokio::time::{Instant, sleep};

const CHILD: &str = env!("CARGO_BIN_EXE_chaos_child");
/// The number that is accepted before the migration.
const ENOUGH: usize = 200;
/// The time limit until it notices: 2 s on a quiet machine.
const NOTICED: Duration = Duration::from_secs(20);
/// The number of emitters in a child.
const EMITTERS: usize = 4;
/// The time for which nothing is sent once it has stopped.
const QUIET: Duration = Duration::from_millis(500);
/// The next version of a file, and back.
const NEXT_FILE: &str =
    include_str!("../../crates/gatepost-sqlite/tests/fixtures/next_version.sql");
const UNDONE_FILE: &str =
    include_str!("../../crates/gatepost-sqlite/tests/fixtures/next_version_undone.sql");

/// Returns the number of versions that a backend has had: the newest one's number.
fn versions(backend: &str) -> usize {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let migrations = crates.join(backend).join("migrations");
    std::fs::read_dir(migrations).unwrap().count()
}

async fn told(child: &Child, what: &str, times: usize) -> Vec<String> {
    let began = Instant::now();
    loop {
        let mut lines = child.told();
        lines.retain(|line| line.starts_with(what));
        if lines.len() >= times {
            return lines;
        }
        assert!(began.elapsed() < NOTICED, "{what}: {lines:?}");
        sleep(Duration::from_millis(5)).await;
    }
}

/// `migrate` brings the store to the next version, `back` to its former one: there is no newer
/// build that could continue with it.
async fn stops(
    what: &str,
    place: Place,
    (known, migrate, back): (usize, impl AsyncFnOnce(), impl AsyncFnOnce()),
) {
    let mut run = Run::new(place, CHILD).await;
    let child = run.child(Mode::Emit, 1);
    told(&child, "ACK ", ENOUGH).await;
    migrate().await;
    let (began, accepted) = (Instant::now(), told(&child, "ACK ", 0).await.len());
    let refused = told(&child, "REFUSED ", EMITTERS).await;
    let (noticed, after) = (began.elapsed(), told(&child, "ACK ", 0).await.len());
    let health = told(&child, "HEALTH ", EMITTERS).await;
    for line in refused.iter().chain(&health) {
        let versions = format!("version {}, this process knows {known}", known + 1);
        assert!(line.contains(&versions), "{line}");
        assert!(line.contains("newer version of Gatepost"), "{line}");
    }
    // Deliveries under way have arrived by then; nothing is claimed any more.
    sleep(QUIET).await;
    let seen = run.receiver.seen().len();
    sleep(QUIET).await;
    assert_eq!(run.receiver.seen().len(), seen, "it goes on sending");
    assert_eq!(told(&child, "ACK ", 0).await.len(), after);
    run.kill(child);
    back().await;
    let evidence = run.end().await;
    eprintln!(
        "{what}: stopped {noticed:?} after the migration, which {} were accepted beside; {} accepted, {} repeats",
        after - accepted,
        evidence.told.accepted.len(),
        evidence.repeats()
    );
    let verdict = evidence.judge();
    assert!(verdict.violations.is_empty(), "{what}: {verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn newer_postgres_schema_stops_older_process_without_loss() {
    let (at, known) = (fresh(), versions("gatepost-postgres"));
    let place = Place::Server {
        url: at.url.clone(),
        schema: at.schema.clone(),
    };
    let run = async |sql: &str| {
        let (client, connection) = tokio_postgres::connect(&at.url, tokio_postgres::NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        let set = format!("SET search_path = {}; BEGIN; {sql}; COMMIT", at.schema);
        client.batch_execute(&set).await.unwrap();
    };
    let migrate = format!(
        "ALTER TABLE gatepost_webhook ADD COLUMN region text NOT NULL DEFAULT 'here';
         INSERT INTO gatepost_migration (version, name) VALUES ({}, 'later');
         SELECT pg_notify('gatepost_{}', 'migrated')",
        known + 1,
        at.schema
    );
    let back = format!(
        "ALTER TABLE gatepost_webhook DROP COLUMN region;
         DELETE FROM gatepost_migration WHERE version = {}",
        known + 1
    );
    let (migrate, back) = (async || run(&migrate).await, async || run(&back).await);
    stops("PostgreSQL", place, (known, migrate, back)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn newer_sqlite_schema_stops_older_process_without_loss() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let known = versions("gatepost-sqlite");
    let run = async |sql: &str| {
        let file = rusqlite::Connection::open(&path).unwrap();
        file.busy_timeout(NOTICED).unwrap();
        let sql = format!("BEGIN IMMEDIATE; {sql} COMMIT");
        file.execute_batch(&sql).unwrap();
    };
    let (migrate, back) = (
        async || run(NEXT_FILE).await,
        async || run(UNDONE_FILE).await,
    );
    let place = Place::File(path.to_str().unwrap().to_owned());
    stops("SQLite", place, (known, migrate, back)).await;
}
