//! The log contains no secret: every edit writes those of every kind, and the log is searched for
//! every form.

use apikey_core::{IpList, KeyEdit};
use gatepost_manage::About;
use tests::canary::{Canary, leaks};
use tests::mutual_tls::Authority;
use webhook_model::{Authorization, ClientIdentity, Headers, SigningSecret, SigningSecrets};

use super::*;

const SECRETS: [(&str, &str); 8] = [
    ("bearer token", "bearer-4Zr0aQpLw8VxT2nKd7"),
    ("API key of a target", "apikey-Hq91LmZsX0cVbN3eRt"),
    ("password", "passw0rd-Uj7YhGtFr5DeSw3Q"),
    ("path of a URL", "path-Xs7RtYbNq2WzLk5Fd"),
    ("query of a URL", "query-Mx3RtYbNq2WzLk5Fd"),
    ("header", "header-Pl0OkMiJnUhBygVtfC"),
    (
        "signing secret",
        "c2lnbmluZy1zZWNyZXQtdGhhdC1pcy1wbGFudGVkLTQy",
    ),
    ("message", "message-Qw8ErTyUiOpAsDfGhJk"),
];

fn secret(what: &str) -> &'static str {
    SECRETS.iter().find(|(known, _)| *known == what).unwrap().1
}

/// Makes and edits records with every secret, and returns all that there is to find.
async fn plant(platform: &Platform) -> Vec<Canary> {
    let ada = platform.of(ADA);
    let mut canaries: Vec<_> = SECRETS
        .iter()
        .map(|(what, secret)| Canary::new(what, *secret))
        .collect();
    let (key, reveal) = ada.create_key(draft(ADA, "to-be-found")).await.unwrap();
    let shown = reveal.reveal();
    canaries.push(Canary::new(
        "key",
        &shown.as_str()[shown.as_str().len() - 39..],
    ));
    let edit = KeyEdit::default().with_ip_allow("192.0.2.0/24".parse::<IpList>().unwrap());
    ada.edit_key(key.id, edit).await.unwrap();

    let hook = platform.webhook(ADA, "to-be-found").await;
    let client = Authority::new().client("to-be-found");
    canaries.push(Canary::new("client key", client.secret()));
    let url = format!(
        "https://example.org/{}?t={}",
        secret("path of a URL"),
        secret("query of a URL")
    );
    let authorizations = [
        Authorization::bearer(secret("bearer token")).unwrap(),
        Authorization::api_key(secret("API key of a target")).unwrap(),
        Authorization::basic("user", secret("password")).unwrap(),
        Authorization::None,
    ];
    for authorization in authorizations {
        let (url, client) = (url.clone(), client.clone());
        let edited = ada.edit_webhook_with(
            hook,
            webhook_model::ResubmittedSecrets::default()
                .with_authorization(true)
                .with_client_key(true)
                .with_headers(true)
                .with_signing(true),
            move |webhook| {
                // There, back and there again: as the old value and as the new one.
                let other = webhook.url.as_str() == "https://example.com/hook";
                webhook.url = if other {
                    &url
                } else {
                    "https://example.com/hook"
                }
                .parse()?;
                webhook.authorization = authorization.clone();
                let identity = ClientIdentity::new(&client.certificate, &client.key)?;
                webhook.client_identity = Some(identity);
                webhook.headers = Headers::from_pairs([("X-Api-Token", secret("header"))])?;
                let signing = format!("whsec_{}", secret("signing secret"));
                webhook.signing = SigningSecrets::new(vec![SigningSecret::parse(&signing)?])?;
                Ok(())
            },
        );
        edited.await.unwrap();
    }
    ada.pause_webhook(hook).await.unwrap();
    let (_, signing) = ada.rotate_signing_secret(hook, 1).await.unwrap();
    canaries.push(Canary::new("new signing secret", signing.expose()));
    let task = platform.task(ADA, hook, secret("message")).await;
    let edited = ada.edit_task(task, move |task| {
        task.action = Action::Send {
            webhook: hook,
            message: format!("{} again", secret("message")).parse()?,
        };
        Ok(())
    });
    edited.await.unwrap();
    let event = platform.of(ADA).create_event(event(task)).await.unwrap();
    let message = secret("message");
    let edited = ada.edit_event(event.id, move |event| {
        let context = serde_json::json!({"message": message});
        let serde_json::Value::Object(context) = context else {
            return Ok(());
        };
        event.context = JsonObject::new(context)?;
        Ok(())
    });
    edited.await.unwrap();
    let mut about = About::default();
    about.variables = vec![("TEXT".into(), message.into())];
    ada.run_task_about(task, about).await.unwrap();
    let sent = ada
        .send(hook, Some(message.parse().unwrap()))
        .await
        .unwrap();
    ada.cancel_delivery(sent).await.unwrap();
    canaries
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_from_every_edit_are_absent_from_log() {
    on_each_store(async |store, stores| {
        let platform = Platform::start(&stores).await;
        let canaries = plant(&platform).await;
        let seen = platform.seen_by(ADA).await;
        let all = AuditQuery::all(Page::first(999));
        let stored = stores.audit.list_audit(&all).await.unwrap();
        assert_eq!(stored.len(), seen.len(), "{store}");
        assert!(stored.len() >= 12, "{store}: {}", stored.len());
        let texts = stored.iter().map(|row| {
            let entry = &row.entry;
            [&entry.table, &entry.name, &entry.operation, &entry.changes].map(String::as_str)
        });
        let mut haystack: Vec<&str> = texts.flatten().collect();
        let shown = format!("{seen:?}");
        haystack.push(&shown);
        let haystack = haystack.join("\n");
        assert!(
            haystack.contains("to-be-found"),
            "{store}: what is logged is searched"
        );
        for field in [
            "authorization_value",
            "headers",
            "signing_secret",
            "message",
            "url",
        ] {
            assert!(haystack.contains(field), "{store}: {field} is named");
        }
        assert_eq!(leaks(&canaries, haystack.as_bytes()), [""; 0], "{store}");
    })
    .await;
}

#[test]
fn control_secret_in_log_is_found() {
    let canaries = [Canary::new("message", secret("message"))];
    let log = format!("[[\"message\",\"\",\"{}\"]]", secret("message"));
    assert!(!leaks(&canaries, log.as_bytes()).is_empty());
}
