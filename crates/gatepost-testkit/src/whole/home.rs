//! The environment of a store that is opened again, and the messages that its tasks send.

use std::sync::Arc;

use webhook_model::WebhookId;

use crate::fixtures::{UNLIMITED, at, webhook_of};
use crate::harness::{Harness, Webhooks};

pub(super) type Home = Arc<dyn Harness<Webhooks>>;

/// Creates webhooks of owners 1 and 2.
pub(super) async fn two_webhooks(store: &Webhooks) -> [WebhookId; 2] {
    let mut ids = [WebhookId(0); 2];
    for (id, owner) in ids.iter_mut().zip(1..) {
        let hook = webhook_of(owner, "w");
        let stored = store.records.insert_webhook(&hook, UNLIMITED, at(0)).await;
        *id = stored.expect("a webhook is stored").id;
    }
    ids
}
