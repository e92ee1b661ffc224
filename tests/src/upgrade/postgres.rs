//! A database of an earlier version.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use tokio::time::Instant;
use tokio_postgres::{Client, NoTls};

use super::{Contents, Noticed, WRITES, sealing, steps, text};
use crate::postgres::FreshSchema;

/// The table of versions.
const MARKS: &str =
    "CREATE TABLE gatepost_migration (version integer PRIMARY KEY, name text NOT NULL,
    applied timestamptz NOT NULL DEFAULT clock_timestamp())";

/// Rows as version 1 wrote them: one delivery in a hundred waits, the others ended with their
/// first attempt.
const FILL: &str = "
    INSERT INTO gatepost_delivery (message_id, webhook, body, state, in_order, created, due,
            status_info, last_attempt, attempts, logged, response_status, duration_us)
        SELECT 'filled-' || n, 2,
            convert_to(format('{\"n\":\"%s\",\"text\":\"%s\"}', n, repeat('x', 300)), 'UTF8'),
            CASE WHEN n % 100 = 0 THEN 'queued' ELSE 'sent' END, false,
            now() - n * interval '1 second', now() - n * interval '1 second',
            CASE WHEN n % 100 = 0 THEN '' ELSE '200 OK' END,
            CASE WHEN n % 100 = 0 THEN NULL ELSE now() END,
            (n % 100 <> 0)::int, (n % 100 <> 0)::int, CASE WHEN n % 100 = 0 THEN NULL ELSE 200 END,
            CASE WHEN n % 100 = 0 THEN NULL ELSE 12000 END
        FROM generate_series(1, :rows) n;
    INSERT INTO gatepost_attempt
        SELECT id, 1, created, 12000, NULL, 250, NULL, NULL, 'ok', '200 OK', 200, '127.0.0.1:443',
            'HTTP/1.1', decode(repeat('00', 100), 'hex'), decode(repeat('00', 200), 'hex'), false
        FROM gatepost_delivery WHERE message_id LIKE 'filled-%' AND state = 'sent'";

/// A schema as a version left it.
#[derive(Clone, Debug)]
pub struct OldDatabase {
    at: FreshSchema,
}

impl OldDatabase {
    /// A schema that nobody has made yet, or that somebody left.
    #[must_use]
    pub fn at(at: FreshSchema) -> Self {
        Self { at }
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> &FreshSchema {
        &self.at
    }

    /// Writes it as this version left it, with this number of deliveries more than the fixture has.
    pub async fn write(&self, version: usize, rows: u32) {
        let client = self.raw().await;
        let schema = &self.at.schema;
        let run = async |sql: &str| {
            let sql = sql.replace(":schema.", &format!("{schema}."));
            client.batch_execute(&sql).await.unwrap();
        };
        run(&format!("CREATE SCHEMA {schema}")).await;
        run(MARKS).await;
        for (at, step) in steps("gatepost-postgres").iter().enumerate() {
            if at < version {
                let mark = format!("INSERT INTO gatepost_migration VALUES ({}, 'step')", at + 1);
                run(&format!("BEGIN; {step}; {mark}; COMMIT")).await;
            }
            if at == 0 {
                run(&text("gatepost-postgres/tests/it/rows_0001.sql")).await;
                run(&FILL.replace(":rows", &rows.to_string())).await;
            }
        }
        run("ANALYZE").await;
    }

    /// Opens it with this version.
    ///
    /// # Errors
    /// As [`PostgresStore::connect`].
    pub async fn open(&self) -> Result<(), gatepost_storage::StoreError> {
        let config = PostgresConfig::url(&self.at.url)
            .with_schema(&self.at.schema)
            .with_sealing(sealing());
        PostgresStore::connect(config).await.map(drop)
    }

    /// Its version.
    pub async fn version(&self) -> usize {
        let newest = "SELECT max(version) FROM gatepost_migration";
        usize::try_from(self.number(newest).await).unwrap()
    }

    /// What is in it.
    pub async fn contents(&self) -> Contents {
        let (deliveries, open) = match self.version().await {
            ..3 => (
                "SELECT count(*) FROM gatepost_delivery",
                "SELECT count(*) FROM gatepost_delivery WHERE state IN ('queued', 'running')",
            ),
            _ => (
                "SELECT count(*) FROM gatepost_delivery_all",
                "SELECT (SELECT count(*) FROM gatepost_queue)
                     + (SELECT coalesce(sum(cardinality(ids)), 0) FROM gatepost_running)",
            ),
        };
        Contents {
            deliveries: self.number(deliveries).await,
            open: self.number(open).await,
        }
    }

    /// Writes until it is stopped.
    pub async fn write_beside(&self, stop: &AtomicBool) -> Noticed {
        let (client, mut noticed) = (self.raw().await, Noticed::default());
        while !stop.load(Ordering::Relaxed) {
            for write in WRITES {
                let began = Instant::now();
                noticed.note(began, client.batch_execute(write).await.is_ok());
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        noticed
    }

    async fn number(&self, sql: &str) -> i64 {
        let sql = format!("SELECT ({sql})::bigint");
        let client = self.raw().await;
        // What a process that was killed had sent may still be under way at the server.
        let wait = "BEGIN; LOCK TABLE gatepost_webhook IN ACCESS SHARE MODE";
        client.batch_execute(wait).await.unwrap();
        let found = client.query_one(&sql, &[]).await.unwrap().get(0);
        client.batch_execute("COMMIT").await.unwrap();
        found
    }

    async fn raw(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.at.url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let set = format!("SET search_path = {}", self.at.schema);
        client.batch_execute(&set).await.unwrap();
        client
    }
}
