//! Tests of the conversion from a request to a webhook.

use serde_json::{Value, json};
use webhook_model::{Authorization, Field, Invalid, OwnerId, RetrySchedule, Webhook};

use super::{apply, columns};
use crate::schema::Input;

fn webhook() -> Webhook {
    let url = "https://example.com/in".parse().unwrap();
    Webhook::new(OwnerId(1), "w".parse().unwrap(), url)
}

fn edit(webhook: &mut Webhook, mut body: Value) -> Result<(), Invalid> {
    body["name"] = "w".into();
    body["url"] = webhook.url.as_str().into();
    apply(webhook, &Input::create(&columns::TABLE, &body).unwrap())
}

#[test]
fn pasted_secret_loses_its_surroundings() {
    for around in [" ", "\r\n", "\u{feff}", "\u{200b}"] {
        let of = |text: &str| format!("{around}{text}{around}");
        for (kind, value, read) in [
            ("bearer", "t0k", Authorization::bearer("t0k")),
            ("apikey", "a key", Authorization::api_key("a key")),
            ("basic", "bot:p w", Authorization::basic("bot", "p w")),
        ] {
            let mut new = webhook();
            let body = json!({"authorization_type": kind, "authorization_value": of(value)});
            edit(&mut new, body).unwrap();
            assert_eq!(new.authorization, read.unwrap(), "{around:?}");
        }
        let mut new = webhook();
        let body = json!({
            "authorization_type": "oauth2", "authorization_value": of("s"),
            "oauth_client_id": of("id"), "oauth_token_url": of("https://example.com/token"),
            "oauth_scope": of("a b"),
        });
        edit(&mut new, body).unwrap();
        let Authorization::OAuth2(client) = new.authorization else {
            panic!("{:?}", new.authorization);
        };
        let read = [
            client.client_id(),
            client.client_secret().expose(),
            client.scope(),
        ];
        assert_eq!(read, ["id", "s", "a b"], "{around:?}");
    }
    let body = json!({"authorization_type": "none", "authorization_value": "\n"});
    assert!(
        edit(&mut webhook(), body).is_ok(),
        "nothing but a line break is nothing"
    );
}

/// Existing clients know no schedule: from then on, only `retries` decides the number of retries.
#[test]
fn retries_edit_replaces_the_retry_schedule() {
    let schedule = |text: &str| text.parse::<RetrySchedule>().unwrap();
    let mut webhook = webhook();
    edit(&mut webhook, json!({"retry_schedule": "5s, 1m"})).unwrap();
    assert_eq!((webhook.reattempts(), webhook.retries.get()), (2, 3));
    edit(&mut webhook, json!({"timeout": 10})).unwrap();
    assert_eq!(webhook.retry_schedule, Some(schedule("5s, 1m")));
    edit(&mut webhook, json!({"retries": 5})).unwrap();
    assert_eq!(
        (webhook.retry_schedule.clone(), webhook.reattempts()),
        (None, 5)
    );
    edit(&mut webhook, json!({"retry_schedule": "1m"})).unwrap();
    edit(&mut webhook, json!({"retries": 0})).unwrap();
    assert_eq!(webhook.reattempts(), 0);
}

/// A client that sends a whole row back has changed one of the two, or neither.
#[test]
fn retries_and_schedule_sent_back_change_what_differs() {
    let mut webhook = webhook();
    edit(&mut webhook, json!({"retry_schedule": "5s, 1m"})).unwrap();
    let whole =
        |retries: u32, schedule: &str| json!({"retries": retries, "retry_schedule": schedule});
    edit(&mut webhook, whole(2, "5s, 1m")).unwrap();
    assert!(webhook.retry_schedule.is_some());
    edit(&mut webhook, whole(2, "5s, 1m, 1h")).unwrap();
    assert_eq!(webhook.reattempts(), 3, "the schedule was changed");
    edit(&mut webhook, whole(7, "5s, 1m, 1h")).unwrap();
    assert_eq!(
        (webhook.retry_schedule.clone(), webhook.reattempts()),
        (None, 7)
    );
    edit(&mut webhook, whole(2, "5s, 1m")).unwrap();
    assert_eq!(webhook.reattempts(), 2, "they agree");
    edit(&mut webhook, whole(5, "")).unwrap();
    assert_eq!((webhook.retry_schedule, webhook.retries.get()), (None, 5));
}

#[test]
fn retries_that_contradict_a_new_schedule_are_refused() {
    let mut webhook = webhook();
    let body = json!({"retries": 7, "retry_schedule": "5s, 1m"});
    let refused = edit(&mut webhook, body).unwrap_err();
    let body = json!({"name": "w", "url": "https://e.com", "retries": 3, "retry_schedule": "5s"});
    let new = Input::create(&columns::TABLE, &body).unwrap();
    assert_eq!(super::retries::check_new(&new), Err(refused.clone()));
    assert_eq!(refused.field(), Field::Retries);
    assert_eq!(
        refused.rule(),
        "must be the number of delays in retry_schedule, or be left out"
    );
}
