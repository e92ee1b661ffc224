//! Rows in bulk on SQLite.

use chrono::{DateTime, Utc};
use rusqlite::Connection;

use super::{ERRORS, Waiting};

/// The number of rows of one statement, so that the write-ahead log stays small.
const BITE: i64 = 1_000_000;

/// A connection.
#[derive(Debug)]
pub struct Filler(Connection);

impl Filler {
    pub(super) fn open(file: &str) -> Self {
        let connection = Connection::open(file).unwrap();
        connection
            .busy_timeout(std::time::Duration::from_secs(30))
            .unwrap();
        let own = Self(connection);
        own.run(
            "PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; PRAGMA temp_store = MEMORY",
        );
        own
    }

    fn run(&self, sql: &str) {
        self.0.execute_batch(sql).unwrap();
    }

    pub(super) fn count(&self, sql: &str) -> i64 {
        self.0.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    pub(super) fn hold(&self) {
        self.run("BEGIN");
        self.count("SELECT count(*) FROM gatepost_webhook");
    }

    /// Numbers the webhooks, with their owners: there are ten users a tenant.
    fn number_hooks(&self) {
        self.run(
            "DROP TABLE IF EXISTS bench_hook;
             CREATE TEMP TABLE bench_hook (n INTEGER PRIMARY KEY, webhook INTEGER, tenant BLOB, task INTEGER);
             INSERT INTO bench_hook
                 SELECT row_number() OVER (ORDER BY w.id) - 1, w.id,
                     (SELECT unhex(printf('%032x', CAST(substr(o.place, 8) AS INTEGER))) FROM gatepost_owner o
                         WHERE o.owner = w.owner AND o.place LIKE 'tenant:%'),
                     (SELECT t.id FROM gatepost_task t WHERE t.webhook = w.id LIMIT 1)
                 FROM gatepost_webhook w",
        );
    }

    pub(super) fn copy_hooks(&self, count: i64) {
        self.run("CREATE TEMP TABLE bench_copy AS SELECT * FROM gatepost_webhook");
        let there = self.count("SELECT count(*) FROM bench_copy");
        for copy in 1..count / there {
            self.run(&format!(
                "UPDATE bench_copy SET id = id + (SELECT max(id) - min(id) + 1 FROM bench_copy), name = 'w{copy}';
                 INSERT INTO gatepost_webhook SELECT * FROM bench_copy"
            ));
        }
        self.rest();
    }

    pub(super) fn ended(&self, count: i64, from: DateTime<Utc>, until: DateTime<Utc>) {
        self.number_hooks();
        let (begun, micros) = (
            from.timestamp_micros(),
            (until - from).num_microseconds().unwrap() / count,
        );
        for first in (1..=count).step_by(usize::try_from(BITE).unwrap()) {
            let last = (first + BITE - 1).min(count);
            self.run(&format!(
                "WITH RECURSIVE s (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n < {last})
                 INSERT INTO gatepost_delivery (id, webhook, task, tenant, created, message_kept, message_id, body)
                     SELECT s.n, h.webhook, h.task, h.tenant, {begun} + s.n * {micros}, 1, printf('msg_%036d', s.n),
                         printf('{{\"n\":\"%d\",\"pad\":\"%060d\"}}', s.n, 0)
                     FROM s CROSS JOIN bench_hook h ON h.n = s.n % (SELECT count(*) FROM bench_hook);
                 WITH RECURSIVE s (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n < {last})
                 INSERT INTO gatepost_outcome (delivery, token, state, attempts, tries, lost, due, status_info, webhook, task, tenant, started,
                         duration_us, class, status, kept_bytes)
                     SELECT s.n, s.n / 64 + 1, iif(s.n % {ERRORS}, 2, 3), 1, 1, 0, {begun} + s.n * {micros},
                         iif(s.n % {ERRORS}, '200 OK', 'the target responded with status 500'),
                         iif(s.n % {ERRORS}, NULL, h.webhook), iif(s.n % {ERRORS}, NULL, h.task), iif(s.n % {ERRORS}, NULL, h.tenant),
                         {begun} + s.n * {micros}, 3000, iif(s.n % {ERRORS}, 'ok', 'status'),
                         iif(s.n % {ERRORS}, 200, 500), 0
                     FROM s CROSS JOIN bench_hook h ON h.n = s.n % (SELECT count(*) FROM bench_hook)"
            ));
        }
        for (table, column) in [
            ("webhook", "webhook"),
            ("task", "task"),
            ("tenant", "tenant"),
        ] {
            self.run(&format!(
                "WITH RECURSIVE s (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM s WHERE k < {count} / (SELECT count(*) FROM bench_hook))
                 INSERT INTO gatepost_of_{table}
                     SELECT h.{column}, s.k * (SELECT count(*) FROM bench_hook) + h.n AS id FROM bench_hook h CROSS JOIN s
                     WHERE h.{column} IS NOT NULL AND id BETWEEN 1 AND {count} ORDER BY h.{column}, id"
            ));
        }
        self.run(&format!(
            "UPDATE gatepost_log SET delivery = {count}, token = {count}, indexed = {count}, bytes = {count} * 430"
        ));
        self.rest();
    }

    pub(super) fn waiting(&self, waiting: Waiting) {
        self.number_hooks();
        let Waiting {
            count,
            queues,
            due,
            step,
        } = waiting;
        let (due, step) = (due.timestamp_micros(), step.num_microseconds().unwrap());
        let created = Utc::now().timestamp_micros();
        let first = self.count("SELECT delivery FROM gatepost_log") + 1;
        self.run(&format!(
            "CREATE TEMP TABLE bench_wait AS
                 WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < {count} - 1)
                 SELECT {first} + s.n AS id, h.webhook, h.task, h.tenant, {due} + s.n * {step} AS due
                 FROM s CROSS JOIN bench_hook h ON h.n = s.n % {queues};
             INSERT INTO gatepost_delivery (id, webhook, task, tenant, created, message_kept, message_id, body)
                 SELECT id, webhook, task, tenant, {created}, 1, printf('msg_%036d', id), '{{}}' FROM bench_wait ORDER BY id;
             INSERT INTO gatepost_queue (id, webhook, class, due, attempts, tries, lost)
                 SELECT id, webhook, 0, due, 0, 0, 0 FROM bench_wait ORDER BY id;
             INSERT INTO gatepost_of_webhook SELECT webhook, id FROM bench_wait ORDER BY webhook, id;
             INSERT INTO gatepost_of_task SELECT task, id FROM bench_wait WHERE task IS NOT NULL ORDER BY task, id;
             INSERT INTO gatepost_of_tenant SELECT tenant, id FROM bench_wait WHERE tenant IS NOT NULL ORDER BY tenant, id;
             UPDATE gatepost_log SET delivery = delivery + {count}, indexed = delivery + {count};
             DROP TABLE bench_wait"
        ));
        self.rest();
    }

    pub(super) fn outbox(&self, count: i64, tenants: i64) {
        self.run(&format!(
            "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count})
             INSERT INTO gatepost_occurrence (event_type, event, variables, tenant)
                 SELECT 'vms', 'on', json_object('N', CAST(n AS TEXT)), n % {tenants} + 1 FROM s"
        ));
    }

    pub(super) fn occurrence(&self, number: usize, tenant: i64) {
        self.run(&format!(
            "INSERT INTO gatepost_occurrence (event_type, event, variables, tenant)
                 VALUES ('vms', 'on', json_object('N', '{number}'), {tenant})"
        ));
    }

    fn rest(&self) {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        self.0.query_row(sql, [], |_| Ok(())).unwrap();
    }
}
