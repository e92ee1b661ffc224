//! The work of an emitter: enqueue deliveries that it has leased itself, then settle them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    AttemptRecord, Claim, Disposition, Enqueued, NewDelivery, Phases, Settled, Settlement,
};
use gatepost_storage::{AtMost, WebhookStore};
use gatepost_testkit::fixtures;
use webhook_model::{OwnerId, Webhook, WebhookId};

/// The body of every delivery.
pub const BODY: &str =
    r#"{"text":"vm-1 is on","at":1790000000,"filler":"0123456789012345678901234567890123456789"}"#;

/// An emitter to one webhook of a store. Clones draw their message ids from one counter.
#[derive(Clone, Debug)]
pub struct Work<S> {
    pub(super) store: S,
    webhook: WebhookId,
    names: Arc<AtomicU64>,
}

impl<S: WebhookStore> Work<S> {
    /// Stores the webhook `cycle`, to which everything is emitted.
    pub(super) async fn new(store: S) -> Self {
        let hook = store
            .insert_webhook(&webhook("cycle"), AtMost::UNLIMITED, now())
            .await;
        Self {
            webhook: hook.expect("a webhook").id,
            names: Arc::default(),
            store,
        }
    }

    /// Returns new message ids.
    #[must_use]
    pub fn names(&self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.name()).collect()
    }

    /// Enqueues one delivery, leased.
    ///
    /// # Panics
    /// If the store refuses.
    pub async fn emit(&self) -> Claim {
        self.emit_many(1).await[0]
    }

    /// Enqueues deliveries in one call, leased.
    ///
    /// # Panics
    /// If the store refuses.
    pub async fn emit_many(&self, count: usize) -> Vec<Claim> {
        let names = self.names(count);
        let deliveries = names.iter().map(|name| self.delivery(name)).collect();
        let batch = fixtures::direct(deliveries);
        let stored = self.store.enqueue(batch, now()).await.expect("an enqueue");
        let Enqueued::Stored { deliveries, .. } = stored else {
            panic!("not stored: {stored:?}")
        };
        deliveries
            .into_iter()
            .map(|stored| Claim {
                delivery: stored.id,
                token: stored.token.expect("a lease"),
            })
            .collect()
    }

    /// Settles these claims as sent, in one call.
    ///
    /// # Panics
    /// If the store refuses, or a claim was not valid any more.
    pub async fn settle(&self, claims: Vec<Claim>) {
        let settlements = claims.into_iter().map(sent).collect();
        let settled = self.store.settle(settlements, now()).await;
        let settled = settled.expect("a settlement");
        assert!(settled.iter().all(|s| *s == Settled::Done), "{settled:?}");
    }

    fn delivery(&self, name: &str) -> NewDelivery {
        NewDelivery {
            message_id: name.parse().expect("a message id"),
            webhook: self.webhook,
            task: None,
            cause: None,
            body: BODY.into(),
            due: now(),
            lease_until: Some(now() + TimeDelta::seconds(60)),
        }
    }

    fn name(&self) -> String {
        // Spread like random ids, so that the unique index is not filled only at its end.
        let number = self.names.fetch_add(1, Ordering::Relaxed);
        format!(
            "{:016x}{number:x}",
            number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        )
    }
}

/// Returns a fixed point in time: the store takes the time that it is given.
pub(super) fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(1_800_000_000)
}

pub(super) fn webhook(name: &str) -> Webhook {
    Webhook::new(
        OwnerId(1),
        name.parse().expect("a name"),
        "https://example.com/hook".parse().expect("a URL"),
    )
}

pub(super) fn sent(claim: Claim) -> Settlement {
    let attempt = AttemptRecord {
        number: 0,
        started: now(),
        duration: Duration::from_millis(3),
        phases: Phases::default(),
        class: "ok".to_owned(),
        info: "200 OK".to_owned(),
        status: Some(200),
        remote: None,
        protocol: Some("HTTP/1.1".to_owned()),
        request_head: Vec::new(),
        response_head: b"content-length: 2".to_vec(),
        response_body: b"ok".to_vec(),
        truncated: false,
        kept: true,
    };
    Settlement {
        claim,
        disposition: Disposition::Sent,
        status_info: "200 OK".to_owned(),
        attempt: Some(attempt),
        keep_message: true,
    }
}
