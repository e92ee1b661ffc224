//! Columns are read back as they were written, and secrets are sealed in them.

use gatepost_ids::{EventId, OwnerId, TaskId, WebhookId};
use webhook_model::{
    Action, Activity, Authorization, ClientIdentity, DeliveryMode, DeliveryOrder, Event, Headers,
    OAuth2, RateLimit, SigningSecret, SigningSecrets, TagId, Target, Task, Webhook,
};

use super::*;
use crate::error::{ErrorKind, StoreError};
use crate::seal::{SealingKey, SealingKeys};

const SECRETS: [&str; 5] = [
    "canary-bearer-8d1f",
    "canary-header-77ab",
    "whsec_Y2FuYXJ5LXNpZ25pbmctc2VjcmV0LTQ0Y2M=",
    "canary-path-5b0c",
    "canary-key-91e7",
];

fn webhook() -> Webhook {
    let url = format!("https://example.com/{}", SECRETS[3]);
    Webhook {
        authorization: Authorization::bearer(SECRETS[0]).unwrap(),
        client_identity: Some(identity()),
        headers: Headers::from_pairs([("B", SECRETS[1]), ("A", "1"), ("B", "2")]).unwrap(),
        allow_insecure: true,
        retry_schedule: Some("5s, 60s".parse().unwrap()),
        order: DeliveryOrder::InOrder,
        signing: SigningSecrets::new(vec![
            SigningSecret::parse(SECRETS[2]).unwrap(),
            SigningSecret::imported(&format!("whsec_{}", "A".repeat(100))).unwrap(),
        ])
        .unwrap(),
        rate: Some(RateLimit::per_second(12).unwrap()),
        channels: "a, b".parse().unwrap(),
        ..Webhook::new(OwnerId(1), "w".parse().unwrap(), url.parse().unwrap())
    }
}

fn identity() -> ClientIdentity {
    let block = |label: &str, body: &str| {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    };
    let key = block("PRIVATE KEY", SECRETS[4]);
    ClientIdentity::new(&block("CERTIFICATE", "MIIB"), &key).unwrap()
}

fn keys(id: u32) -> SealingKeys {
    SealingKeys::new(SealingKey::new(id, [3; 32]))
}

fn read(values: Vec<Value>, keys: &SealingKeys) -> Result<Webhook, StoreError> {
    Webhook::from_columns(OwnerId(1), values, keys)
}

/// Returns the position of this field among the columns.
fn at(name: &str) -> usize {
    let field = Webhook::FIELDS.iter().position(|field| field.name == name);
    field.unwrap()
}

fn sealed_of(values: &[Value]) -> Vec<Value> {
    let values = Webhook::FIELDS.iter().zip(values);
    let sealed = values.filter(|(field, _)| field.sealed.is_some());
    sealed.map(|(_, value)| value.clone()).collect()
}

#[test]
fn webhook_columns_read_back_and_hide_secrets() {
    let plain = Webhook::new(OwnerId(1), "p".parse().unwrap(), webhook().url);
    let modes = DeliveryMode::ALL.into_iter().flat_map(|mode| {
        let activities = [Activity::Active, Activity::Paused, Activity::Disabled];
        activities.map(|activity| Webhook {
            activity,
            mode,
            ..webhook()
        })
    });
    for webhook in modes.chain([plain]) {
        let values = webhook.columns(&keys(1)).unwrap();
        let sends = values[at("activity")] == Value::Text("active".to_owned());
        assert_eq!(sends, webhook.sends());
        for value in &values {
            let bytes = match value {
                Value::Bytes(bytes) => bytes,
                Value::Text(text) => text.as_bytes(),
                _ => continue,
            };
            for secret in SECRETS {
                let lies_open = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
                assert!(!lies_open, "{secret}");
            }
        }
        assert_eq!(read(values, &keys(1)).unwrap(), webhook);
    }
}

#[test]
fn oauth2_client_lies_sealed_with_its_token_url() {
    let url = "https://id.example.com/canary-path-77c1";
    let client = OAuth2::new(url, "canary-id-02ab", "canary-secret-9d4e").unwrap();
    let webhook = Webhook {
        authorization: Authorization::OAuth2(Box::new(client)),
        ..webhook()
    };
    let mut values = webhook.columns(&keys(1)).unwrap();
    let place = at("credentials");
    let Value::Bytes(sealed) = &values[place] else {
        panic!("not bytes");
    };
    assert!(!sealed.windows(6).any(|w| w == b"canary"));
    assert_eq!(read(values.clone(), &keys(1)).unwrap(), webhook);
    let damaged = SealingKeys::none().seal(b"oauth2\ncanary-{", "webhook.authorization");
    values[place] = Value::Bytes(damaged.unwrap());
    let error = read(values, &keys(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn column_that_was_moved_does_not_open() {
    let mut values = webhook().columns(&keys(1)).unwrap();
    values.swap(at("headers"), at("signing"));
    let error = read(values, &keys(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let values = webhook().columns(&keys(1)).unwrap();
    let error = read(values, &keys(2)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}

#[test]
fn resealing_completes_rotation_and_skips_current_values() {
    let plain = webhook().columns(&SealingKeys::none()).unwrap();
    assert_eq!(read(plain.clone(), &keys(2)).unwrap(), webhook());
    let again = |values: &[Value], key| Webhook::resealed(values, &keys(key));
    let sealed = again(&sealed_of(&plain), 2).unwrap().unwrap();
    assert_eq!(again(&sealed, 2).unwrap(), None);
    let mut values = plain.clone();
    let places = Webhook::FIELDS.iter().enumerate();
    let places = places.filter(|(_, field)| field.sealed.is_some());
    for ((place, _), value) in places.zip(&sealed) {
        values[place] = value.clone();
    }
    assert_eq!(read(values, &keys(2)).unwrap(), webhook());
    let mut mixed = sealed.clone();
    mixed[2] = sealed_of(&plain)[2].clone();
    assert!(again(&mixed, 2).unwrap().is_some());
    let unknown = again(&sealed, 9).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Corrupt);
}

#[test]
fn task_and_event_columns_read_back() {
    let keys = SealingKeys::none();
    let action = Action::Send {
        webhook: WebhookId(7),
        message: "a\0${NAME}".parse().unwrap(),
    };
    let task = Task {
        description: "two\nlines".parse().unwrap(),
        delete_after_run: true,
        ..Task::new(OwnerId(u128::MAX), "t".parse().unwrap(), action)
    };
    let values = task.columns(&keys).unwrap();
    assert_eq!(Task::from_columns(OwnerId(1), values, &keys).unwrap(), task);
    let targets = [
        Target::Instance("i-7".parse().unwrap()),
        Target::Tag(TagId(i64::MIN)),
        Target::Generic,
    ];
    for target in targets {
        let (event_type, name) = ("vms".parse().unwrap(), "poweron".parse().unwrap());
        let event = Event {
            filters: r#"{"a": 1.10}"#.parse().unwrap(),
            context: r#"{"a":[1.10,18446744073709551616]}"#.parse().unwrap(),
            label: "l".parse().unwrap(),
            ..Event::new(event_type, name, target, TaskId(3))
        };
        let values = event.columns(&keys).unwrap();
        assert_eq!(
            Event::from_columns(OwnerId(1), values, &keys).unwrap(),
            event
        );
        #[cfg(feature = "serde")]
        {
            let now = chrono::DateTime::UNIX_EPOCH;
            let row = crate::Row::inserted(EventId(4), OwnerId(u128::MAX), event, now);
            let stored = row.to_json(&keys).unwrap().to_string();
            let stored = serde_json::from_str(&stored).unwrap();
            assert_eq!(crate::Row::from_json(stored, &keys).unwrap(), row);
        }
    }
}

#[test]
fn invalid_value_is_corrupt_and_names_its_column() {
    let text = |text: &str| Value::Text(text.to_owned());
    let wrong = [
        ("activity", text("Active")),
        ("name", Value::Null),
        ("timeout_s", Value::Number(-1)),
        ("retries", Value::Number(i64::MAX)),
        ("retry_schedule", text("soon")),
        ("in_order", Value::Number(2)),
        ("rate", Value::Number(0)),
        ("rate", text("1")),
        ("channels", text("a/b")),
        ("channels", Value::User(OwnerId(1))),
        ("url", text("https://example.com/")),
    ];
    for (name, value) in wrong {
        let mut values = webhook().columns(&keys(1)).unwrap();
        values[at(name)] = value;
        let error = read(values, &keys(1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{name}");
        assert!(error.to_string().contains(name), "{error}");
    }
    let few = webhook().columns(&keys(1)).unwrap().into_iter().take(3);
    assert_eq!(
        read(few.collect(), &keys(1)).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    assert_eq!(format!("{:?}", text("secret")), "Text");
}
