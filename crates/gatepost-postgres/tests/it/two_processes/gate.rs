//! What stops an enqueue between its check and its insert: a trigger that waits for a lock.

use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::Client;

use crate::locks::SOON;

/// The lock is the schema's own, and no number of the store's, whose locks have two numbers.
const INSTALL: &str = "
    CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended(TG_TABLE_SCHEMA, 0));
        RETURN NULL;
    END $$;
    CREATE TRIGGER gate BEFORE INSERT ON gatepost_delivery FOR EACH STATEMENT EXECUTE FUNCTION gate()";
const CLOSE: &str = "SELECT pg_advisory_lock(hashtextextended(current_schema(), 0))";
const OPEN: &str = "SELECT pg_advisory_unlock(hashtextextended(current_schema(), 0))";
const STOPPED: &str =
    "SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))";
const WAITS_FOR: &str = "SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
/// How often is looked whether a call has returned or waits in the database. One that does neither
/// by then waits in its process.
const LOOKS: usize = 1_000;

pub(super) async fn install(client: &Client) {
    client.batch_execute(INSTALL).await.unwrap();
}

/// From now on every enqueue of the schema stops. The same connection opens it again.
pub(super) async fn close(client: &Client) {
    client.batch_execute(CLOSE).await.unwrap();
}

pub(super) async fn open(client: &Client) {
    client.batch_execute(OPEN).await.unwrap();
}

/// Returns the server's process of the enqueue once it is stopped.
pub(super) async fn stopped<T>(client: &Client, enqueue: &JoinHandle<T>) -> i32 {
    let start = Instant::now();
    loop {
        assert!(!enqueue.is_finished(), "the enqueue was not stopped");
        assert!(start.elapsed() < SOON, "the enqueue never came");
        let stopped = client.query(STOPPED, &[]).await.unwrap();
        if let Some(row) = stopped.first() {
            return row.get(0);
        }
    }
}

/// Returns once the call has ended, waits for the stopped enqueue, or had much time for both.
pub(super) async fn give_time<T>(client: &Client, stopped: i32, call: &JoinHandle<T>) {
    for _ in 0..LOOKS {
        let waits = client.query(WAITS_FOR, &[&stopped]).await.unwrap();
        if call.is_finished() || !waits.is_empty() {
            return;
        }
    }
}
