//! Stored rows are read back, those of an earlier version too, and errors name the field.

use gatepost_ids::TenantId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use webhook_model::{
    Audience, Authorization, ClientIdentity, Event, Headers, Occurrence, OwnerId, SigningSecret,
    SigningSecrets, Task, TaskId, Webhook, WebhookId,
};

use super::StoredOccurrence;
use crate::audit::AuditEntry;
use crate::codec::Record;
use crate::columns::SealedAttempt;
use crate::error::ErrorKind;
use crate::keys::KeyRow;
use crate::page::{Revision, Row};
use crate::seal::{SealingKey, SealingKeys};
use crate::webhooks::{Delivery, DeliveryRow, NewOutbox, OutboxAudience, OutboxId, RemainingTasks};

type Again = fn(&Value) -> Result<Value, String>;

const RECORDS: [(&str, Again); 8] = [
    ("key", again::<KeyRow>),
    ("task", opened::<Task>),
    ("event", opened::<Event>),
    ("delivery", again::<Delivery>),
    ("queued", again::<DeliveryRow>),
    ("attempt", again::<SealedAttempt>),
    ("audit", again::<AuditEntry>),
    ("webhook", opened::<Webhook>),
];

/// Fields that may be missing.
const OPTIONAL: &str = "cause channels client_identity detail duration expires \
    from instance key label last_attempt last_login lease_until rate requests_per_minute \
    response_status retry_schedule rolled_from rolled_to settled status tag task tenant token";
/// Fields that may hold any text.
const FREE: &str = "body changes class description label message name operation \
    status_info table";

/// A row of each record with every field set, as version 0.1.0 stores it. These rows never change:
/// a field that is added has a default, and its own row here.
fn rows() -> Value {
    let mut rows = records();
    rows["queued"] = json!({
        "delivery": rows["delivery"], "token": 9, "settled": 8, "lost": true, "kept_bytes": 70,
    });
    rows
}

fn records() -> Value {
    json!({
        "key": {
            "id": 7, "revision": 3, "owner": 2, "lookup": "k3dT9aQzLwWb1234", "masked": "gp_…wxyz", "digest_scheme": "sha256",
            "digest": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "name": "deploy", "description": "for\nCI",
            "expires": 1_800_000_000_000_001_i64, "enabled": false, "locked": true, "read_only": true, "tables": "tasks,webhooks",
            "scopes": "deploy", "requests_per_minute": 90, "ip_allow": "10.0.0.0/8", "ip_deny": "10.1.0.0/16", "created": 1_700_000_000_000_002_i64,
            "last_login": 1_700_000_000_000_003_i64, "last_login_from": "::1", "rolled_from": 5, "rolled_to": 9,
        },
        "task": {
            "id": 4, "owner": 2, "revision": 6, "created": 1, "modified": 2, "creator": 8, "name": "tell",
            "description": "who?", "enabled": true, "delete_after_run": true, "webhook": 11, "message": "${NAME} \"é\"",
        },
        "event": {
            "id": 4, "owner": 2, "revision": 6, "created": 1, "modified": 2, "event_type": "vms", "event": "poweron",
            "target": "tag 3", "task": 5, "enabled": true, "filters": r#"{"data.size":{"$gt":4}}"#, "context": r#"{"a":null,"b":[1]}"#, "label": "switched on",
        },
        "delivery": {
            "id": 4, "message_id": "msg_a", "webhook": 5, "owner": 6, "tenant": 7, "task": 8, "cause": "vms poweron 3 - order-4711\n{\"a\":1}",
            "body": "{}", "message_kept": true, "state": "running", "class": "timeout", "status_info": "timeout while connecting",
            "created": 1, "due": 2, "lease_until": 3, "last_attempt": 4, "attempts": 9, "tries": 2, "lost_claims": 1,
            "response_status": 503, "duration": 1_000_000_007,
        },
        "attempt": {
            "claim": { "delivery": 4, "token": 9 }, "started": 1, "duration": 9, "class": "status", "status": 503, "kept_bytes": 8, "detail": "AP8=",
        },
        "audit": {
            "at": 1, "owner": 2, "tenant": 3, "actor": 4, "key": 5, "from": "127.0.0.1", "table": "webhooks", "row": 6,
            "name": "chat", "operation": "edit", "changes": "{}",
        },
        "webhook": {
            "id": 4, "owner": 2, "revision": 6, "created": 1, "modified": 2, "name": "chat", "url": "AGh0dHBzOi8vZXhhbXBsZS5jb20vaW4=",
            "credentials": "AGJlYXJlcgp0b2tlbg==", "client_identity": null, "headers": "AEE6MQo=", "signing": "AA==",
            "allow_insecure": true, "timeout_s": 9, "retries": 2, "retry_schedule": "5,60", "activity": "fetched paused", "in_order": true,
            "rate": 30, "channels": "a, b",
        },
    })
}

fn again<T: DeserializeOwned + Serialize>(row: &Value) -> Result<Value, String> {
    let record: T = serde_json::from_value(row.clone()).map_err(|e| e.to_string())?;
    serde_json::to_value(record).map_err(|e| e.to_string())
}

fn opened<R: Record>(row: &Value) -> Result<Value, String> {
    let none = SealingKeys::none();
    let row = Row::<R::Id, R>::from_json(row.clone(), &none).map_err(|e| format!("{e:?}"))?;
    row.to_json(&none).map_err(|e| e.to_string())
}

#[test]
fn version_0_1_0_records_read_back_unchanged() {
    let rows = rows();
    for (name, again) in RECORDS {
        assert_eq!(again(&rows[name]).as_ref(), Ok(&rows[name]), "{name}");
    }
    assert_eq!(rows.as_object().unwrap().len(), RECORDS.len());
}

#[test]
fn missing_field_is_named_and_wrong_one_fails() {
    for (record, again) in RECORDS {
        let row = &rows()[record];
        for field in row.as_object().unwrap().keys() {
            let case = format!("{record}.{field}");
            let is_in = |words: &str| words.split_whitespace().any(|word| word == field);
            let mut without = row.clone();
            without.as_object_mut().unwrap().remove(field);
            match again(&without) {
                Ok(_) => assert!(is_in(OPTIONAL), "{case} may be missing"),
                // If two fields belong together, the error may name the other one.
                Err(error) => assert!(error.contains(field) || is_in(OPTIONAL), "{error}"),
            }
            let mut wrong = row.clone();
            wrong[field] = json!([]);
            assert!(again(&wrong).is_err(), "{case} is a list");
            wrong[field] = "\u{0}canary-5f1c\u{202e}".into();
            match again(&wrong) {
                Ok(_) => assert!(is_in(FREE), "{case} holds anything"),
                // A text may contain a secret.
                Err(e) if row[field].is_string() && field != "retry_schedule" => {
                    assert!(!e.contains("canary"), "{case}: {e}");
                }
                Err(_) => {}
            }
        }
    }
}

#[test]
fn outbox_row_round_trips_unreadable_is_set_aside() {
    let audience = Audience::Tenant(TenantId(3));
    let mut occurrence =
        Occurrence::new("vms".parse().unwrap(), "poweron".parse().unwrap(), audience);
    occurrence.variables = vec![("A".to_owned(), "canary-2f".to_owned())];
    let at = |second| chrono::DateTime::from_timestamp(second, 0).unwrap();
    let new = NewOutbox {
        occurrence,
        left: RemainingTasks::After(TaskId(0)),
        by: Some(OwnerId(5)),
        due: at(5),
    };
    let stored = StoredOccurrence::pushed(&new, at(4));
    assert!(!format!("{stored:?}").contains("canary"));
    let mut json = serde_json::to_value(&stored).unwrap();
    let mut read: StoredOccurrence = serde_json::from_value(json.clone()).unwrap();
    let row = read.row(OutboxId(7));
    assert_eq!(row.occurrence.as_ref(), Ok(&new.occurrence));
    assert_eq!((row.left, row.turn, row.created), (new.left, 0, at(4)));
    assert_eq!(row.by, new.by);
    let of_before = json.as_object_mut().unwrap().remove("run_by");
    assert_eq!(of_before, Some(5.into()));
    let before: StoredOccurrence = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(before.row(OutboxId(7)).by, None);
    assert_eq!(read.waits_until(), Some(at(5).timestamp_micros()));
    let left = RemainingTasks::Tasks(vec![TaskId(8)]);
    read.move_on(Some(&left), at(6));
    assert_eq!((read.is_at(0), read.is_at(1)), (false, true));
    assert_eq!(read.row(OutboxId(7)).left, left);

    json["tags"] = "none".into();
    let mut unreadable: StoredOccurrence = serde_json::from_value(json).unwrap();
    assert!(unreadable.row(OutboxId(7)).occurrence.is_err());
    let audience = OutboxAudience {
        tenant: 3,
        owner: 0,
    };
    assert_eq!(unreadable.audience(), audience);
    unreadable.reject("no tags");
    assert_eq!(
        (unreadable.waits_until(), unreadable.is_at(0)),
        (None, false)
    );
}

#[test]
fn webhook_secrets_are_sealed_in_stored_row() {
    let block = |label: &str, body: &str| {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    };
    let identity = ClientIdentity::new(
        &block("CERTIFICATE", "MIIB"),
        &block("PRIVATE KEY", "canary-key-91e7"),
    );
    let signing = SigningSecret::parse("whsec_Y2FuYXJ5LXNpZ25pbmctc2VjcmV0LTQ0Y2M=").unwrap();
    let url = "https://example.com/canary-path-5b0c".parse().unwrap();
    let webhook = Webhook {
        authorization: Authorization::bearer("canary-bearer-8d1f").unwrap(),
        client_identity: Some(identity.unwrap()),
        headers: Headers::from_pairs([("B", "canary-header-77ab")]).unwrap(),
        signing: SigningSecrets::new(vec![signing]).unwrap(),
        ..Webhook::new(OwnerId(1), "w".parse().unwrap(), url)
    };
    let row = Row {
        id: WebhookId(1),
        owner: OwnerId(1),
        revision: Revision::FIRST,
        created: chrono::DateTime::UNIX_EPOCH,
        modified: chrono::DateTime::UNIX_EPOCH,
        value: webhook,
    };
    let keys = |id| SealingKeys::new(SealingKey::new(id, [3; 32]));
    let sealed = row.to_json(&keys(1)).unwrap();
    let text = sealed.to_string();
    for secret in ["canary", "Y2FuYXJ5"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert_eq!(Row::from_json(sealed.clone(), &keys(1)).unwrap(), row);
    let other = Row::<WebhookId, Webhook>::from_json(sealed, &keys(2)).unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Corrupt);
}
