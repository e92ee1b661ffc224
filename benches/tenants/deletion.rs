//! Emits of A while a webhook of B with very many waiting deliveries is deleted.

use std::sync::Arc;
use std::time::Duration;

use benches::platform::{Kind, Platform};
use gatepost_storage::webhooks::Cascade;
use webhook_model::OwnerId;

use crate::load;

const A: OwnerId = OwnerId(11);
const B: OwnerId = OwnerId(21);

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let waiting = if short { 100_000 } else { 1_000_000 };
    let platform = Arc::new(Platform::open(kind).await);
    platform.records(A, "http://target.test/paused", 1).await;
    let (webhook, _) = platform.records(B, "http://target.test/paused", 1).await;
    platform.queue(webhook, None, waiting).await;
    let engine = platform.engine().await;
    load::open(&engine, A, 100, Duration::from_secs(1)).await;
    if case == "million" {
        engine
            .delete_webhook(webhook, Cascade::Tasks)
            .await
            .unwrap();
    }
    let span = Duration::from_secs(if short { 5 } else { 20 });
    load::print("emit", &load::open(&engine, A, 200, span).await);
}
