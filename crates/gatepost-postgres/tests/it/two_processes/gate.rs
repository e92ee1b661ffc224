//! What stops an enqueue between its check and its insert: a trigger that waits for a lock, and the
//! sequence of which it draws numbers.

use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::Client;

use crate::common::raw;
use crate::locks::SOON;
use crate::postgres::FreshSchema;

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
/// Nobody draws a number until the transaction ends; the last one can be read.
const HOLD_NUMBERS: &str = "BEGIN; ALTER SEQUENCE gatepost_delivery_id_seq CACHE 1";
/// Whoever waits for one of these, and for nobody else.
const STOPPED: &str = "SELECT pid FROM pg_stat_activity
    WHERE cardinality(pg_blocking_pids(pid)) > 0 AND pg_blocking_pids(pid) <@ $1";
const WAITS_FOR: &str = "SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
/// How often is looked whether a call has returned or waits in the database. One that does neither
/// by then waits in its process.
const LOOKS: usize = 1_000;

/// Where an enqueue stops.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    /// Before it draws numbers. If it has some at hand, it stops before its insert.
    BeforeNumbers,
    /// When it has numbers.
    BeforeInsert,
}

/// Closed, it stops every enqueue of the schema.
pub(super) struct Gate {
    /// Holds the lock that the trigger waits for, and looks who waits.
    client: Client,
    /// Holds the sequence.
    numbers: Client,
    /// The server's processes of both.
    pids: [i32; 2],
}

impl Gate {
    pub(super) async fn install(place: &FreshSchema) -> Self {
        let (client, numbers) = (raw(place).await, raw(place).await);
        client.batch_execute(INSTALL).await.unwrap();
        let pids = [pid(&client).await, pid(&numbers).await];
        Self {
            client,
            numbers,
            pids,
        }
    }

    pub(super) async fn close(&self, stop: Stop) {
        self.client.batch_execute(CLOSE).await.unwrap();
        if let Stop::BeforeNumbers = stop {
            self.numbers.batch_execute(HOLD_NUMBERS).await.unwrap();
        }
    }

    pub(super) async fn open(&self) {
        self.numbers.batch_execute("ROLLBACK").await.unwrap();
        self.client.batch_execute(OPEN).await.unwrap();
    }

    /// Returns the server's process of the enqueue once it is stopped.
    pub(super) async fn stopped<T>(&self, enqueue: &JoinHandle<T>) -> i32 {
        let start = Instant::now();
        loop {
            assert!(!enqueue.is_finished(), "the enqueue was not stopped");
            assert!(start.elapsed() < SOON, "the enqueue never came");
            let holders = &self.pids[..];
            let stopped = self.client.query(STOPPED, &[&holders]).await.unwrap();
            if let Some(row) = stopped.first() {
                return row.get(0);
            }
        }
    }

    /// Returns once the call has ended, waits for the stopped enqueue, or had much time for both.
    pub(super) async fn give_time<T>(&self, stopped: i32, call: &JoinHandle<T>) {
        for _ in 0..LOOKS {
            let waits = self.client.query(WAITS_FOR, &[&stopped]).await.unwrap();
            if call.is_finished() || !waits.is_empty() {
                return;
            }
        }
    }
}

async fn pid(client: &Client) -> i32 {
    let row = client.query_one("SELECT pg_backend_pid()", &[]).await;
    row.unwrap().get(0)
}
