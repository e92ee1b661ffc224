//! A gate that stops an enqueue between its check and its insert: a trigger that waits for a lock,
//! and the sequence of its numbers.

use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::Client;

use crate::common::raw;
use crate::locks::SOON;
use crate::postgres::FreshSchema;

/// The lock belongs to the schema, and cannot be one of the store's, whose locks have two numbers.
const INSTALL: &str = "
    CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended(TG_TABLE_SCHEMA, 0));
        RETURN NULL;
    END $$;
    CREATE TRIGGER gate BEFORE INSERT ON gatepost_delivery FOR EACH STATEMENT EXECUTE FUNCTION gate()";
const CLOSE: &str = "SELECT pg_advisory_lock(hashtextextended(current_schema(), 0))";
const OPEN: &str = "SELECT pg_advisory_unlock(hashtextextended(current_schema(), 0))";
/// Blocks drawing numbers until the transaction ends; the last one can still be read.
const HOLD_NUMBERS: &str = "BEGIN; ALTER SEQUENCE gatepost_delivery_id_seq CACHE 1";
/// The sessions that wait for one of these, and for no other.
const STOPPED: &str = "SELECT pid FROM pg_stat_activity
    WHERE cardinality(pg_blocking_pids(pid)) > 0 AND pg_blocking_pids(pid) <@ $1";
const WAITS_FOR: &str = "SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
/// The number of checks whether a call has returned or waits in the database. A call that has done
/// neither by then waits in its process.
const LOOKS: usize = 1_000;

/// The point at which an enqueue stops.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    /// Before it draws numbers. If it has some already, it stops before its insert.
    BeforeNumbers,
    /// After it has drawn numbers.
    BeforeInsert,
}

/// When closed, it stops every enqueue of the schema.
pub(super) struct Gate {
    /// Holds the lock that the trigger waits for, and queries which sessions wait.
    client: Client,
    /// Holds the sequence.
    numbers: Client,
    /// The server's processes of both connections.
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

    /// Returns the server's process of the enqueue when it is stopped.
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

    /// Returns when the call has ended, waits for the stopped enqueue, or had much time for both.
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
