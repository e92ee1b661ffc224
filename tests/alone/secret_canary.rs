//! Secrets are planted, everything is exercised, and then every log line (at TRACE), every
//! response, every error and every `Debug` is searched for them, in every form in which they might
//! have slipped out.

use std::io::Write;
use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use examples::receiver::Receiver;
use serde_json::{Value, json};
use tests::world::{HERE, World};
use tracing_subscriber::fmt::MakeWriter;
use webhook_model::{Authorization, SigningSecret, SigningSecrets, WebhookId};

use crate::own_process::is_own_process;

const TOKEN: &str = "CANARY-7f3a9c51e2-token";
const API_KEY: &str = "CANARY+/== a.canary.b";
const PASSWORD: &str = "kanarienvogel\"<&>' cänäry-🐤";
const COOKIE: &str = "session=CANARY%2Fcookie";
const SIGNING: &str = "whsec_Q0FOQVJZLXNpZ25pbmctQ0FOQVJZLXNpZ25pbmc=";

/// Everything that was logged.
#[derive(Clone, Default)]
struct Logs(Arc<Mutex<Vec<u8>>>);

impl Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Logs {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// A secret in the forms that a careless line would show.
fn forms(secret: &str) -> Vec<String> {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    let bytes = secret.as_bytes();
    let json = serde_json::to_string(secret).unwrap();
    let percent: String = bytes
        .iter()
        .map(|b| {
            if b.is_ascii_alphanumeric() {
                char::from(*b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect();
    let html = secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
    vec![
        secret.to_owned(),
        format!("{secret:?}").trim_matches('"').to_owned(),
        json.trim_matches('"').to_owned(),
        STANDARD.encode(bytes),
        STANDARD.encode(format!("user:{secret}")),
        URL_SAFE_NO_PAD.encode(bytes),
        bytes.iter().map(|b| format!("{b:02x}")).collect(),
        bytes.iter().map(|b| format!("{b:02X}")).collect(),
        percent.replace('%', "%25"),
        percent,
        html,
        secret.chars().rev().collect(),
        bytes
            .iter()
            .map(u8::to_string)
            .collect::<Vec<_>>()
            .join(", "),
        secret.chars().take(12).collect(),
    ]
}

/// Returns the outputs in which a secret was found.
fn leaks(places: &[(String, String)], secrets: &[(&str, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, secret) in secrets {
        for form in forms(secret) {
            let shown = places.iter().filter(|(_, text)| text.contains(&form));
            found.extend(shown.map(|(place, _)| format!("{name} as {form:?} in {place}")));
        }
    }
    found
}

#[tokio::test]
async fn no_secret_is_seen_anywhere() {
    if !is_own_process(concat!(module_path!(), "::no_secret_is_seen_anywhere")) {
        return;
    }
    let logs = Logs::default();
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(logs.clone())
        .with_ansi(false)
        .init();
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    receiver.answer_with(&[StatusCode::INTERNAL_SERVER_ERROR, StatusCode::UNAUTHORIZED]);
    let mut places: Vec<(String, String)> = Vec::new();

    // Keys: made, used well and badly, edited, listed.
    let (key, row) = world.make_key(json!({"name": "canary"})).await;
    let secret_part = key[key.len() - 39..].to_owned();
    for (token, from) in [
        (key.clone(), HERE),
        (format!("{key}x"), HERE),
        (key[..key.len() - 2].to_owned(), HERE),
    ] {
        let answer = world.call(&token, from, "GET", "system", None).await;
        places.push((
            "response to a call".into(),
            format!("{}{}", answer.head, answer.body),
        ));
    }
    for body in [
        json!({"name": key}),
        json!({"ip_allow_list": key}),
        json!({"expires": key}),
        json!({key.clone(): 1}),
    ] {
        // A value that a client itself put into a field that is shown may be shown: only errors are
        // looked at here.
        let answer = world.put(&format!("user_api_keys/{row}"), body).await;
        if answer.status == 422 && !answer.body.contains("is not a column") {
            places.push(("error about a key".into(), answer.body));
        }
    }
    world
        .put(&format!("user_api_keys/{row}"), json!({"name": "canary"}))
        .await;

    // Webhooks with every kind of credential: made, refused, sent, failing, shown.
    let mut webhooks = Vec::new();
    for (kind, value) in [
        ("bearer", TOKEN.to_owned()),
        ("apikey", API_KEY.to_owned()),
        ("basic", format!("user:{PASSWORD}")),
    ] {
        let body = json!({"name": kind, "url": format!("http://{}/{kind}", receiver.addr), "authorization_type": kind, "authorization_value": value, "headers": format!("Cookie:{COOKIE}\n"), "retries": 1});
        let id = world.make("webhook_urls", body.clone()).await;
        webhooks.push(id);
        let again = world.post("webhook_urls", body).await;
        places.push(("conflict".into(), again.body));
    }
    for (kind, value) in [
        ("bearer", format!("Bearer {TOKEN}")),
        ("basic", PASSWORD.to_owned()),
        ("none", TOKEN.to_owned()),
        ("apikey", format!("{API_KEY}\n{API_KEY}")),
    ] {
        let body = json!({"name": "bad", "url": "https://example.com/", "authorization_type": kind, "authorization_value": value});
        let answer = world.post("webhook_urls", body).await;
        assert_eq!(answer.status, 422);
        places.push(("refused authorization".into(), answer.body));
    }
    let signing = SigningSecrets::new(vec![SigningSecret::parse(SIGNING).unwrap()]).unwrap();
    for id in &webhooks {
        world
            .engine
            .edit_webhook(WebhookId(*id), |webhook| {
                webhook.signing = signing.clone();
                Ok(())
            })
            .await
            .unwrap();
        let sent = world.engine.send(WebhookId(*id), None).await.unwrap();
        let delivery = world.ended(sent).await;
        places.push((
            "a delivery".into(),
            format!(
                "{delivery:?} {:?}",
                world.engine.attempts(sent, 99).await.unwrap()
            ),
        ));
        let row = world.engine.webhook(WebhookId(*id)).await.unwrap().unwrap();
        places.push((
            "Debug of a webhook".into(),
            format!("{row:?} {row:#?} {:?}", row.value.request_headers()),
        ));
        places.push((
            "Debug of a preview".into(),
            format!("{:?}", world.engine.preview(&row.value, None)),
        ));
    }
    places.push((
        "Debug of an error".into(),
        format!("{:?}", Authorization::bearer(&format!("Bearer {TOKEN}"))),
    ));

    // Everything that can be listed, by everyone, in every way.
    let other = world.key_of(4, "other").await;
    for table in [
        "user_api_keys",
        "webhook_urls",
        "webhooks",
        "tasks",
        "task_events",
        "system",
        "openapi.json",
    ] {
        for query in [
            "",
            "?fields=all",
            "?fields=authorization_value,digest,key,private_key,signing",
            "?sort=authorization_value",
            "?filter=authorization_value%20bw%20'C'",
        ] {
            for who in [&world.admin, &other] {
                let answer = world
                    .call(who, HERE, "GET", &format!("{table}{query}"), None)
                    .await;
                let mut shown: Value = answer.json();
                // Custom headers are shown to the webhook's owner, who edits them there.
                shown.as_array_mut().into_iter().flatten().for_each(|row| {
                    row.as_object_mut().map(|row| row.remove("headers"));
                });
                places.push((format!("{table}{query}"), format!("{}{shown}", answer.head)));
            }
        }
    }
    let probe = world
        .get("webhook_urls?filter=authorization_value%20bw%20'C'")
        .await;
    assert_eq!(probe.status, 422, "a filter on a secret is no oracle");

    // The services themselves.
    places.push((
        "Debug of the services".into(),
        format!(
            "{:?} {:#?} {:?} {:?}",
            world.keys, world.engine, world.store, world
        ),
    ));
    world
        .engine
        .shutdown(std::time::Duration::from_secs(1))
        .await;
    let logged = String::from_utf8_lossy(&logs.0.lock().unwrap()).into_owned();
    assert!(
        logged.contains("not authenticated") && logged.contains("delivered"),
        "the logs were captured: {}",
        logged.len()
    );
    places.push(("the log".into(), logged));

    let secrets = [
        ("API key", key.clone()),
        ("secret part", secret_part),
        ("token", TOKEN.into()),
        ("API key of a webhook", API_KEY.into()),
        ("password", PASSWORD.into()),
        ("signing secret", SIGNING.into()),
        ("its bytes", "CANARY-signing-CANARY-signing".into()),
        ("cookie", COOKIE.into()),
    ];
    // The first characters of a key are its masked form, which is meant to be shown.
    let found: Vec<String> = leaks(&places, &secrets)
        .into_iter()
        .filter(|leak| !leak.starts_with(&format!("API key as {:?}", &key[..12])))
        .collect();
    assert_eq!(found, Vec::<String>::new());
    let planted = [(
        "a planted leak".to_owned(),
        format!("authorization: Bearer {TOKEN}"),
    )];
    assert!(
        !leaks(&planted, &secrets).is_empty(),
        "the search finds what is there"
    );
}
