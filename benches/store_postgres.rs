//! The PostgreSQL backend against the bare driver, in one run on one separate server (fsync on).
//!
//! `cargo bench -p benches --bench store_postgres`; with the argument `quick` on fewer rows.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/src/postgres.rs"]
pub mod postgres;

use std::time::Duration;

use benches::store::{self, BODY, Backend};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use tokio_postgres::{Client, NoTls, Statement};
use webhook_model::WebhookId;

use self::postgres::TestPostgres;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let server = TestPostgres::start();
    runtime.block_on(async {
        let mut postgres = Postgres::open(server.url()).await;
        store::against_the_driver(&mut postgres).await;
        store::claims(&mut postgres).await;
    });
}

struct Postgres {
    store: PostgresStore,
    bare: Client,
    insert_set: Statement,
    complete_set: Statement,
    insert: Statement,
}

impl Postgres {
    async fn open(url: &str) -> Self {
        let bare = bare(url).await;
        let insert_set = bare
            .prepare(
                "INSERT INTO bare (message_id, webhook, body, state, created, due, lease_until)
                 SELECT m, 1, b, 'running', now(), now(), now() + interval '60 s' FROM unnest($1::text[], $2::bytea[]) AS u (m, b) RETURNING id",
            )
            .await
            .unwrap();
        let complete_set = bare
            .prepare(
                "UPDATE bare SET state = 'sent', lease_until = NULL, status_info = u.info FROM unnest($1::bigint[], $2::text[]) AS u (id, info)
                 WHERE bare.id = u.id AND state = 'running'",
            )
            .await
            .unwrap();
        let insert = bare
            .prepare(
                "INSERT INTO bare (message_id, webhook, body, state, created, due, lease_until)
                 VALUES ($1, 1, $2, 'running', now(), now(), now() + interval '60 s') RETURNING id",
            )
            .await
            .unwrap();
        Self {
            store: PostgresStore::connect(PostgresConfig::url(url))
                .await
                .unwrap(),
            bare,
            insert_set,
            complete_set,
            insert,
        }
    }
}

impl Backend for Postgres {
    type Store = PostgresStore;

    const ROUNDS: usize = 5;
    const SPAN: Duration = Duration::from_secs(3);
    const SINGLES: usize = 600;
    const CLAIMS: usize = 60;

    fn store(&self) -> &PostgresStore {
        &self.store
    }

    async fn bare_cycle(&mut self, names: &[String]) -> u64 {
        let bodies = vec![BODY.as_bytes(); names.len()];
        let info = vec!["200 OK"; names.len()];
        let rows = self
            .bare
            .query(&self.insert_set, &[&names, &bodies])
            .await
            .unwrap();
        let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        self.bare
            .execute(&self.complete_set, &[&ids, &info])
            .await
            .unwrap()
    }

    async fn bare_insert(&mut self, name: &str) {
        self.bare
            .query_one(&self.insert, &[&name, &BODY.as_bytes()])
            .await
            .unwrap();
    }

    async fn fill(&mut self, first: WebhookId, from: i64, to: i64) {
        let first = first.0;
        let fill = format!(
            "WITH waiting AS MATERIALIZED (
                 SELECT nextval('gatepost.gatepost_delivery_id_seq') AS id, {first} + n % 100 AS webhook,
                     '2027-01-01'::timestamptz + n * interval '1 ms' AS due
                 FROM generate_series({from}, {to} - 1) AS n
             ), stored AS (
                 INSERT INTO gatepost.gatepost_delivery (id, webhook, owner, created, message_id, body)
                 SELECT n.id, n.webhook, w.owner, '2027-01-01', 'wait' || n.id, '\\x7b7d'
                 FROM waiting n JOIN gatepost.gatepost_webhook w ON w.id = n.webhook
             )
             INSERT INTO gatepost.gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
             SELECT id, webhook, due, 0, 0, 0, 0, false FROM waiting"
        );
        for sql in [
            &fill,
            "VACUUM ANALYZE gatepost.gatepost_delivery",
            "VACUUM ANALYZE gatepost.gatepost_queue",
            "CHECKPOINT",
        ] {
            self.bare.batch_execute(sql).await.unwrap();
        }
    }
}

/// Connects and creates a table with a key, a unique id and a partial index: the least that a queue
/// needs.
async fn bare(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
        .batch_execute(
            "CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, message_id text NOT NULL UNIQUE, webhook bigint NOT NULL,
                 body bytea NOT NULL, state text NOT NULL, status_info text NOT NULL DEFAULT '', created timestamptz NOT NULL,
                 due timestamptz NOT NULL, lease_until timestamptz);
             CREATE INDEX bare_waiting ON bare (webhook, due, id) WHERE state = 'queued'",
        )
        .await
        .unwrap();
    client
}
