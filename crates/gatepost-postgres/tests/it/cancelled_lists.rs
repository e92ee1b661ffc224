//! A list whose caller has given up ends in the server, too. Until then it keeps its permit, and no
//! call waits for its connection.

use std::time::Duration;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::webhooks::*;
use gatepost_storage::{Page, StoreError};
use gatepost_testkit::fixtures::stored_webhook;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Client;
use webhook_model::WebhookId;

use crate::common::raw;
use crate::locks::SOON;
use crate::postgres;

type List = JoinHandle<Result<Vec<Delivery>, StoreError>>;

/// A store with permits for two lists, and a transaction that blocks each.
struct Held {
    store: PostgresStore,
    hook: WebhookId,
    look: Client,
    /// The query of the sessions in which the store runs a list.
    running: String,
    _holder: Client,
}

impl Held {
    async fn new() -> Self {
        let fresh = postgres::fresh();
        let and = if fresh.url.contains('?') { '&' } else { '?' };
        let named = format!("{}{and}application_name={}", fresh.url, fresh.schema);
        let config = PostgresConfig::url(&named)
            .with_schema(&fresh.schema)
            .with_max_connections(4)
            .with_lock_timeout(Duration::from_secs(60));
        let store = PostgresStore::connect(config).await.unwrap();
        let hook = stored_webhook(&store, "w").await;
        let holder = raw(&fresh).await;
        let hold = "BEGIN; LOCK TABLE gatepost_delivery IN ACCESS EXCLUSIVE MODE";
        holder.batch_execute(hold).await.unwrap();
        let running = format!(
            "SELECT pid FROM pg_stat_activity WHERE application_name = '{}'
             AND state = 'active' AND wait_event_type = 'Lock'",
            fresh.schema
        );
        Self {
            store,
            hook,
            look: raw(&fresh).await,
            running,
            _holder: holder,
        }
    }

    fn list(&self) -> List {
        let store = self.store.clone();
        let all = DeliveryQuery::all(Page::first(9));
        tokio::spawn(async move { store.list_deliveries(&all).await })
    }

    /// Waits until this is true of the sessions that run a list.
    async fn until(&self, is: impl Fn(&[i32]) -> bool) -> Vec<i32> {
        let start = Instant::now();
        loop {
            let rows = self.look.query(&self.running, &[]).await.unwrap();
            let running: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
            if is(&running) {
                return running;
            }
            assert!(start.elapsed() < SOON, "still in {running:?}");
            sleep(Duration::from_millis(2)).await;
        }
    }
}

async fn give_up(list: List) {
    list.abort();
    assert!(list.await.unwrap_err().is_cancelled());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abandoned_list_is_cancelled_and_blocks_nobody() {
    let held = Held::new().await;
    let list = held.list();
    held.until(|running| running.len() == 1).await;
    give_up(list).await;
    let found = timeout(SOON, held.store.webhook(held.hook)).await;
    assert!(found.expect("behind the list").unwrap().is_some());
    held.until(<[i32]>::is_empty).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abandoned_list_keeps_its_permit_until_it_ends() {
    let held = Held::new().await;
    let lists = [held.list(), held.list()];
    let given_up = held.until(|running| running.len() == 2).await;
    for list in lists {
        give_up(list).await;
    }
    let lists = [held.list(), held.list()];
    held.until(|running| {
        assert!(running.len() <= 2, "without room: {running:?}");
        running.len() == 2 && !running.iter().any(|pid| given_up.contains(pid))
    })
    .await;
    for list in lists {
        give_up(list).await;
    }
}
