//! A store to test, and its database.

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::webhooks::{Claimed, QueueClaim, QueueClass, QueueStore as _, WebhookQueue};
use gatepost_testkit::fixtures::at;
use tokio_postgres::{Client, NoTls};
use webhook_model::WebhookId;

use crate::postgres::{self, FreshSchema};

/// Statements composed as in the store.
macro_rules! queue {
    ($($part:literal),+) => {
        concat!($(include_str!(concat!("../../src/sql/queue/", $part, ".sql"))),+)
    };
}

pub(crate) use queue;

pub(crate) const CLAIM: &str = queue!("claim_queues", "mixed", "claim", "idle", "claimed");
pub(crate) const DUE_LANES: &str = queue!(
    "due_queues",
    "mixed",
    "claimable",
    "idle",
    "claimable_end",
    "found"
);
pub(crate) const LANES_OF: &str = queue!(
    "queues_of",
    "mixed",
    "claimable",
    "idle",
    "claimable_end",
    "found"
);

/// Returns a store in its own schema, and the configuration to open it again.
pub(crate) async fn fresh() -> (PostgresStore, PostgresConfig) {
    let (store, config, _) = fresh_at().await;
    (store, config)
}

/// Returns the same, and the schema.
pub(crate) async fn fresh_at() -> (PostgresStore, PostgresConfig, FreshSchema) {
    let fresh = postgres::fresh();
    let config = PostgresConfig::url(&fresh.url)
        .with_schema(&fresh.schema)
        .with_max_connections(6);
    let store = PostgresStore::connect(config.clone()).await.unwrap();
    (store, config, fresh)
}

/// Returns a connection outside the store, with that schema as its path.
pub(crate) async fn raw(at: &FreshSchema) -> Client {
    let (client, connection) = tokio_postgres::connect(&at.url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let set = format!("SET search_path = {}", at.schema);
    client.batch_execute(&set).await.unwrap();
    client
}

/// Returns the number of rows of a table.
pub(crate) async fn rows(client: &Client, table: &str) -> i64 {
    let count = format!("SELECT count(*) FROM {table}");
    client.query_one(&count, &[]).await.unwrap().get(0)
}

pub(crate) fn queue_claim(webhook: WebhookId, class: QueueClass, limit: u32) -> QueueClaim {
    QueueClaim {
        queue: WebhookQueue { webhook, class },
        limit,
    }
}

/// Claims the due deliveries of a webhook, at most 100 of each queue, for a minute.
pub(crate) async fn claim_all(store: &PostgresStore, webhook: WebhookId, now: i64) -> Vec<Claimed> {
    let queues = [
        queue_claim(webhook, QueueClass::First, 100),
        queue_claim(webhook, QueueClass::Retry, 100),
    ];
    store.claim(&queues, at(now + 60), at(now)).await.unwrap()
}

/// Returns the number of pages that a statement touches.
pub(crate) async fn pages(client: &Client, sql: &str, params: &str) -> u64 {
    let sql = sql.replace(":schema.", "");
    let prepare = format!("PREPARE counted AS {sql}");
    client.batch_execute(&prepare).await.unwrap();
    let params = match params {
        "" => String::new(),
        params => format!("({params})"),
    };
    let explain = format!(
        "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE counted{params}"
    );
    let mut least = u64::MAX;
    // Repeated until two runs agree: any run may read catalog entries again that others have just
    // defined.
    for _ in 0..5 {
        client.batch_execute("BEGIN").await.unwrap();
        let rows = client.query(&explain, &[]).await.unwrap();
        client.batch_execute("ROLLBACK").await.unwrap();
        // The first line with buffers is the total, except for changes, for which it counts no
        // reads.
        let lines = rows.iter().map(|row| row.get::<_, &str>(0).trim());
        let whole = lines.filter(|line| line.starts_with("Buffers: shared"));
        let whole = whole.map(|line| {
            let words = line.split(' ');
            let numbers =
                words.filter_map(|word| word.strip_prefix("hit=").or(word.strip_prefix("read=")));
            numbers.map(|number| number.parse::<u64>().unwrap()).sum()
        });
        let read = whole.max().unwrap_or_default();
        if read == least {
            break;
        }
        least = least.min(read);
    }
    client.batch_execute("DEALLOCATE counted").await.unwrap();
    least
}
