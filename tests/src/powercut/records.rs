//! The records that the child of the test stores.

use std::time::Duration;

use apikey_core::{ApiKey, KeyDraft, Peppers, Prefix};
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    AttemptRecord, Claim, Disposition, NewDelivery, Phases, Settlement,
};
use webhook_model::{Action, Message, OwnerId, Task, Webhook, WebhookId};

/// A webhook.
pub fn webhook(name: &str) -> Webhook {
    let url = "https://example.com/hook".parse().unwrap();
    Webhook::new(OwnerId(1), name.parse().unwrap(), url)
}

/// A one-time task.
pub fn task(webhook: WebhookId) -> Task {
    let message = Message::default();
    Task {
        delete_after_run: true,
        ..Task::new(
            OwnerId(1),
            "once".parse().unwrap(),
            Action::Send { webhook, message },
        )
    }
}

/// A delivery of half a kilobyte.
pub fn message(webhook: WebhookId, id: &str, due: DateTime<Utc>) -> NewDelivery {
    NewDelivery {
        message_id: id.parse().unwrap(),
        webhook,
        task: None,
        cause: None,
        body: "m".repeat(512).into(),
        due,
        lease_until: None,
    }
}

/// A key that never expires.
pub fn key(name: &str) -> ApiKey {
    let draft = KeyDraft::new(OwnerId(1), name.parse().unwrap());
    let now = DateTime::UNIX_EPOCH;
    let new = draft.issue(&Prefix::default(), &Peppers::none(), &mut rand::rng(), now);
    new.unwrap().record().clone()
}

/// The end of a claim: sent.
pub fn sent(claim: Claim, started: DateTime<Utc>) -> Settlement {
    let attempt = AttemptRecord {
        number: 0,
        started,
        duration: Duration::from_millis(12),
        phases: Phases::default(),
        class: "ok".to_owned(),
        info: "200 OK".to_owned(),
        status: Some(200),
        remote: None,
        protocol: None,
        request_head: Vec::new(),
        response_head: Vec::new(),
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
