//! What the tests of this backend share.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

use std::time::Duration;

use apikey_core::{ApiKey, Expiration, IpPolicy, KeyDraft, Peppers, Prefix};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::{
    AttemptRecord, Claim, Disposition, Enqueue, NewDelivery, Origin, Phases, Settlement,
};
use webhook_model::{Action, Message, OwnerId, Task, Webhook, WebhookId};

/// A moment after the start of the tests' time.
pub fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(1_800_000_000 + seconds)
}

/// A store in a file of its own, in a folder that goes with the test, and how to open it again.
pub async fn fresh() -> (SqliteStore, SqliteConfig, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    (
        SqliteStore::open(config.clone()).await.unwrap(),
        config,
        folder,
    )
}

pub fn key(name: &str) -> ApiKey {
    let draft = KeyDraft {
        owner: OwnerId(1),
        name: name.parse().unwrap(),
        description: "".parse().unwrap(),
        expiration: Expiration::Never,
        ip: IpPolicy::default(),
    };
    draft
        .issue(
            &Prefix::default(),
            &Peppers::none(),
            &mut rand::rng(),
            at(0),
        )
        .unwrap()
        .record()
        .clone()
}

pub fn webhook(name: &str) -> Webhook {
    Webhook::new(
        OwnerId(1),
        name.parse().unwrap(),
        "https://example.com/hook".parse().unwrap(),
    )
}

pub fn task(webhook: WebhookId, name: &str) -> Task {
    Task {
        creator: OwnerId(1),
        name: name.parse().unwrap(),
        description: "".parse().unwrap(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: Message::default(),
        },
    }
}

pub fn message(webhook: WebhookId, id: &str) -> NewDelivery {
    NewDelivery {
        message_id: id.parse().unwrap(),
        webhook,
        task: None,
        body: "{}".into(),
        due: at(0),
        lease_until: None,
    }
}

pub fn direct(deliveries: Vec<NewDelivery>) -> Enqueue {
    Enqueue {
        routes: None,
        source: Origin::Direct,
        deliveries,
        consume: Vec::new(),
    }
}

pub fn sent(claim: Claim) -> Settlement {
    let attempt = AttemptRecord {
        number: 0,
        started: at(1),
        duration: Duration::from_millis(12),
        phases: Phases {
            connect: Some(Duration::from_micros(250)),
            ..Phases::default()
        },
        class: "ok".to_owned(),
        info: "200 OK".to_owned(),
        status: Some(200),
        remote: Some("127.0.0.1:443".parse().unwrap()),
        protocol: Some("HTTP/1.1".to_owned()),
        response_head: b"content-length: 2".to_vec(),
        response_body: vec![0, 255],
        truncated: false,
    };
    Settlement {
        claim,
        verdict: Disposition::Sent,
        status_info: "200 OK".to_owned(),
        attempt: Some(attempt),
    }
}
