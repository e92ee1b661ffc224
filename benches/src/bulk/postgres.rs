//! Rows in bulk on PostgreSQL.

use std::fmt;

use chrono::{DateTime, Utc};
use tokio_postgres::{Client, NoTls};

use super::{ERRORS, Waiting};

/// The number of partitions of the history, about as many as the store itself makes.
const PARTS: i64 = 8;

/// A connection.
pub struct Filler(Client);

impl fmt::Debug for Filler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filler")
    }
}

impl Filler {
    pub(super) async fn open(url: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let own = Self(client);
        own.run("SET search_path = gatepost; SET jit = off").await;
        own
    }

    async fn run(&self, sql: &str) {
        self.0.batch_execute(sql).await.unwrap();
    }

    pub(super) async fn count(&self, sql: &str) -> i64 {
        self.0.query_one(sql, &[]).await.unwrap().get(0)
    }

    pub(super) async fn hold(&self) {
        self.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM gatepost_webhook")
            .await;
    }

    pub(super) async fn vacuum(&self) {
        self.run("VACUUM gatepost_queue").await;
    }

    /// Numbers the webhooks, with their owners.
    async fn number_hooks(&self) {
        self.run(
            "DROP TABLE IF EXISTS bench_hook;
             CREATE TEMP TABLE bench_hook AS
                 SELECT row_number() OVER (ORDER BY w.id) - 1 AS n, w.id AS webhook, w.owner, o.tenant,
                     (SELECT t.id FROM gatepost_task t WHERE t.webhook = w.id LIMIT 1) AS task
                 FROM gatepost_webhook w JOIN gatepost_owner o ON o.owner = w.owner;
             CREATE UNIQUE INDEX ON bench_hook (n); ANALYZE bench_hook",
        )
        .await;
    }

    pub(super) async fn copy_hooks(&self, count: i64) {
        self.run("CREATE TEMP TABLE bench_copy AS SELECT * FROM gatepost_webhook")
            .await;
        let there = self.count("SELECT count(*) FROM bench_copy").await;
        for _ in 1..count / there {
            self.run(
                "UPDATE bench_copy SET id = id + (SELECT max(id) - min(id) + 1 FROM bench_copy), name = 'w' || id;
                 INSERT INTO gatepost_webhook OVERRIDING SYSTEM VALUE SELECT * FROM bench_copy",
            )
            .await;
        }
        self.count("SELECT setval(pg_get_serial_sequence('gatepost_webhook', 'id'), (SELECT max(id) FROM gatepost_webhook))")
            .await;
        self.run("VACUUM ANALYZE gatepost_webhook").await;
    }

    pub(super) async fn ended(&self, count: i64, from: DateTime<Utc>, until: DateTime<Utc>) {
        self.number_hooks().await;
        let there = "SELECT first FROM gatepost_part";
        for part in self.0.query(there, &[]).await.unwrap() {
            let first: i64 = part.get(0);
            self.run(&format!(
                "DROP TABLE gatepost_delivery_{first}, gatepost_outcome_{first}; DELETE FROM gatepost_part WHERE first = {first}"
            ))
            .await;
        }
        let size = count / PARTS;
        for part in 0..PARTS + 3 {
            self.part(part * size, size, count, (from, until)).await;
        }
        self.run(&format!(
            "SELECT setval('gatepost_delivery_id_seq', {count}); SELECT setval('gatepost_claim', {count})"
        ))
        .await;
        self.run("VACUUM ANALYZE").await;
        self.run("CHECKPOINT").await;
    }

    /// Writes a partition with its rows; it is indexed when it is attached.
    async fn part(&self, first: i64, size: i64, count: i64, time: (DateTime<Utc>, DateTime<Utc>)) {
        let beyond = first + size;
        let last = (beyond - 1).min(count);
        let (begun, micros) = (
            time.0.to_rfc3339(),
            (time.1 - time.0).num_microseconds().unwrap(),
        );
        let numbers = format!(
            "FROM generate_series({}::bigint, {last}::bigint) AS s (n) JOIN bench_hook h ON h.n = s.n % (SELECT count(*) FROM bench_hook)
             CROSS JOIN LATERAL (SELECT '{begun}'::timestamptz + s.n * {} * interval '1 microsecond' AS created, s.n % {ERRORS} = 0 AS error) c",
            first.max(1),
            micros / count
        );
        self.run(&format!(
            "CREATE TABLE gatepost_delivery_{first} (LIKE gatepost_delivery INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
             CREATE TABLE gatepost_outcome_{first} (LIKE gatepost_outcome INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
             INSERT INTO gatepost_delivery_{first} (id, webhook, owner, tenant, task, created, message_id, body)
                 SELECT s.n, h.webhook, h.owner, h.tenant, h.task, c.created, 'msg_' || lpad(s.n::text, 36, '0'),
                     convert_to('{{\"n\":\"' || s.n || '\",\"pad\":\"' || repeat('x', 60) || '\"}}', 'UTF8') {numbers};
             INSERT INTO gatepost_outcome_{first} (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, status, started,
                     duration_us, class, status_info)
                 SELECT s.n, s.n / 64 + 1, CASE WHEN c.error THEN h.webhook END, CASE WHEN c.error THEN h.owner END,
                     CASE WHEN c.error THEN h.tenant END, CASE WHEN c.error THEN h.task END, 1, 1, CASE WHEN c.error THEN 3 ELSE 2 END, 0,
                     CASE WHEN c.error THEN 500 ELSE 200 END, c.created, 3000, CASE WHEN c.error THEN 'status' ELSE 'ok' END,
                     CASE WHEN c.error THEN 'the target responded with status 500' ELSE '200 OK' END {numbers};
             ALTER TABLE gatepost_delivery ATTACH PARTITION gatepost_delivery_{first} FOR VALUES FROM ({first}) TO ({beyond});
             ALTER TABLE gatepost_outcome ATTACH PARTITION gatepost_outcome_{first} FOR VALUES FROM ({first}) TO ({beyond});
             INSERT INTO gatepost_part (first, beyond) VALUES ({first}, {beyond})"
        ))
        .await;
    }

    pub(super) async fn waiting(&self, waiting: Waiting) {
        self.number_hooks().await;
        let Waiting {
            count,
            queues,
            due,
            step,
        } = waiting;
        let (due, step) = (due.to_rfc3339(), step.num_microseconds().unwrap());
        self.run(&format!(
            "CREATE TEMP TABLE bench_wait AS
                 SELECT (SELECT last_value + is_called::int FROM gatepost_delivery_id_seq) + s.n AS id, h.webhook, h.owner, h.tenant, h.task,
                     '{due}'::timestamptz + s.n * {step} * interval '1 microsecond' AS due
                 FROM generate_series(0::bigint, {count}::bigint - 1) AS s (n) JOIN bench_hook h ON h.n = s.n % {queues};
             INSERT INTO gatepost_delivery (id, webhook, owner, tenant, task, created, message_id, body)
                 SELECT id, webhook, owner, tenant, task, now(), 'msg_' || lpad(id::text, 36, '0'), '{{}}' FROM bench_wait ORDER BY id;
             INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
                 SELECT id, webhook, due, 0, 0, 0, 0, false FROM bench_wait ORDER BY id;
             SELECT setval('gatepost_delivery_id_seq', (SELECT max(id) FROM bench_wait));
             DROP TABLE bench_wait"
        ))
        .await;
        self.vacuum().await;
        self.run("ANALYZE").await;
        self.run("CHECKPOINT").await;
    }

    pub(super) async fn outbox(&self, count: i64, tenants: i64) {
        self.run(&format!(
            "INSERT INTO gatepost_occurrence (event_type, event, variables, tenant)
             SELECT 'vms', 'on', jsonb_build_object('N', n::text), n % {tenants} + 1 FROM generate_series(1, {count}) AS n"
        ))
        .await;
    }

    pub(super) async fn occurrence(&self, number: usize, tenant: i64) {
        self.run(&format!(
            "INSERT INTO gatepost_occurrence (event_type, event, variables, tenant)
             VALUES ('vms', 'on', jsonb_build_object('N', '{number}'), {tenant})"
        ))
        .await;
    }
}
