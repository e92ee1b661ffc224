//! Uncached webhooks of one owner who has more of them than fit into memory.

use super::*;
use crate::routes::WebhookCache;

/// Memory for three of the large webhooks.
const MEMORY: usize = 64 * 1024;
const WEBHOOKS: usize = 20;

/// Creates parts with little memory, and the owner's webhooks.
async fn crowded(records: &Records) -> (Bench, Vec<WebhookId>) {
    let large = records.large_webhooks(1, WEBHOOKS).await;
    let mut bench = Bench::new(records, &Limits::default(), Script::new(&[])).await;
    bench.webhooks = Arc::new(WebhookCache::with_memory(bench.store.clone(), MEMORY));
    (bench, large)
}

#[tokio::test(start_paused = true)]
async fn webhooks_exceeding_cache_memory_are_all_sent() {
    let records = Records::new();
    let (bench, large) = crowded(&records).await;
    for webhook in large {
        records.waiting(webhook, "x").await;
    }
    let bench = run_on(bench, Limits::default());
    a_second().await;
    assert_eq!(bench.script.sent().len(), WEBHOOKS);
}
