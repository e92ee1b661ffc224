//! Secrets planted in every field that takes one turn up nowhere but at the target: not in logs at
//! TRACE, not in errors, not in Debug forms, not in responses of the API to anyone, and not in what
//! an echoing target makes us store.

use std::net::SocketAddr;
use std::sync::Arc;

use apikey_core::{KeyDraft, OwnerId, Pepper, PepperId, Peppers};
use examples::client::call;
use gatepost_keys::KeyService;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use serde_json::{Value, json};
use tests::canary::{Canary, Log, leaks};
use tests::chaos::Store;
use tests::issuer::{Issuer, token};
use tests::postgres;
use tests::refused_address::Refusing;
use tests::world::{HERE, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use webhook_model::{Authorization, SigningSecret, SigningSecrets, WebhookId};

use crate::own_process::is_own_process;

const BEARER: &str = "CANARY-7f3a9c51e2+/==";
const API_KEY: &str = "kanarie%2Fslash.a.b";
const PASSWORD: &str = "vogel\"<&>'änäry-🐤";
const CUSTOM: [(&str, &str); 2] = [
    ("X-Secret-Token", "hidden canary with space"),
    ("Cookie", "session=cookie-canary"),
];
const CLIENT: &str = "cl1ent:canary-s3cret";
const ACCESS: &str = "access-canary-token-7d1f0c";
const SIGNING: &str = "whsec_c2lnbmluZy1jYW5hcnktc2lnbmluZy1jYW5hcnk=";
const PEPPER: &str = "pepper-canary-pepper-canary-pepper-canary";
const MESSAGE: &str = "message-canary for ${NAME}";
/// No secrets to their owner, but not for the log either. The receiver of these tests logs the path
/// of what it gets, but not the query.
const URL_QUERY: &str = "query-canary-8c1d2e";
const ROOM: &str = "room-canary-77ab10";
const WRONG_TOKEN: &str = "wrong-canary-token-that-nobody-issued";

fn canaries() -> Vec<Canary> {
    let mut all = vec![
        Canary::new("bearer token", BEARER),
        Canary::new("webhook API key", API_KEY),
        Canary::new("basic password", PASSWORD),
        Canary::new("OAuth client secret", CLIENT),
        Canary::new("OAuth access token", ACCESS),
        Canary::new("signing secret", SIGNING.trim_start_matches("whsec_")),
        Canary::new("signing bytes", "signing-canary-signing-canary"),
        Canary::new("pepper", PEPPER),
        Canary::new("token that was presented", WRONG_TOKEN),
    ];
    all.extend(CUSTOM.map(|(name, value)| Canary::new(name, value)));
    all
}

/// Responds with what it was sent, as some test targets do.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut request = vec![0; 16 * 1024];
                let n = stream.read(&mut request).await.unwrap();
                let body = String::from_utf8_lossy(&request[..n]).into_owned();
                let lines = body
                    .lines()
                    .filter(|line| line.to_ascii_lowercase().starts_with("authorization: "));
                let echoed: String = lines.map(|line| format!("x-echo: {line}\r\n")).collect();
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 500 no\r\n{echoed}content-length: {length}\r\nconnection: close\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
                stream.write_all(body.as_bytes()).await.unwrap();
            });
        }
    });
    addr
}

/// One webhook a kind of authorization, with secret headers and a signing secret, and an event that
/// triggers it.
async fn plant<S: Store + 'static>(
    world: &World<S>,
    target: SocketAddr,
    kind: &str,
    issuer: &Issuer,
) {
    let (value, expected) = match kind {
        "oauth2" => (CLIENT.to_owned(), None),
        "bearer" => (BEARER.to_owned(), Some(Authorization::bearer(BEARER))),
        "apikey" => (API_KEY.to_owned(), Some(Authorization::api_key(API_KEY))),
        _ => (
            format!("ada:{PASSWORD}"),
            Some(Authorization::basic("ada", PASSWORD)),
        ),
    };
    let name = format!("{kind} {target}");
    let headers: String = CUSTOM.map(|(n, v)| format!("{n}: {v}\n")).concat();
    let headers = format!("{headers}X-Room: {ROOM}\n");
    let mut body = json!({"name": name, "url": format!("http://{target}/{kind}?k={URL_QUERY}"), "retries": 1, "headers": headers,
        "authorization_type": kind, "authorization_value": value});
    if kind == "oauth2" {
        body["oauth_token_url"] = issuer.url().into();
        body["oauth_client_id"] = "me".into();
        issuer.answer_with(200, &token(ACCESS, 3_600));
    }
    let webhook = world.make("webhook_urls", body).await;
    let secret = SigningSecret::parse(SIGNING).unwrap();
    let sign = |webhook: &mut webhook_model::Webhook| {
        webhook.signing = SigningSecrets::new(vec![secret.clone()])?;
        Ok(())
    };
    let row = world
        .engine
        .edit_webhook(WebhookId(webhook), sign)
        .await
        .unwrap();
    match expected {
        Some(expected) => assert_eq!(row.value.authorization, expected.unwrap()),
        None => {
            let kept = row.value.authorization.secret_text().unwrap();
            assert!(kept.expose().contains(CLIENT));
        }
    }
    let task = json!({"name": name, "owner": format!("webhook_urls/{webhook}"), "settings_args": {"message": MESSAGE}});
    let task = world.make("tasks", task).await;
    world.on_poweron(task, json!({"tag": 4})).await;
}

/// Everything that came out, with its source.
#[derive(Default)]
struct Shown(Vec<(String, Vec<u8>)>);

impl Shown {
    fn add(&mut self, place: impl Into<String>, text: impl Into<Vec<u8>>) {
        self.0.push((place.into(), text.into()));
    }

    /// The outward response to a call. The headers of a webhook are left out: who may manage it may
    /// see what is written there, and edits it there.
    async fn call<S: Store + 'static>(
        &mut self,
        world: &World<S>,
        key: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> u16 {
        let path = format!("/api/v4/{path}");
        let answer = call(world.server, HERE, method, &path, Some(key), body.as_ref())
            .await
            .unwrap();
        let shown = match answer.json() {
            Value::Null => answer.body,
            mut json => {
                without_headers(&mut json);
                json.to_string()
            }
        };
        self.add(
            format!("{method} {path}: {}", answer.status),
            answer.head + shown.as_str(),
        );
        answer.status
    }

    fn leaks(&self, canaries: &[Canary]) -> Vec<String> {
        let of = |(place, bytes): &(String, Vec<u8>)| {
            let leaks = leaks(canaries, bytes);
            leaks
                .into_iter()
                .map(|leak| format!("{leak} in {place}"))
                .collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }
}

fn without_headers(json: &mut Value) {
    match json {
        Value::Object(row) => drop(row.remove("headers")),
        Value::Array(rows) => rows.iter_mut().for_each(without_headers),
        _ => {}
    }
}

/// A key service with a pepper, over the same store.
async fn peppered<S: Store + 'static>(world: &World<S>, shown: &mut Shown) -> Canary {
    let pepper = Pepper::new(PepperId(1), PEPPER.as_bytes()).unwrap();
    shown.add("Debug of a pepper", format!("{pepper:?}"));
    let keys = KeyService::builder(world.store.clone(), world.users.clone())
        .peppers(Peppers::new(pepper))
        .build();
    let draft = KeyDraft::new(OwnerId(1), "peppered".parse().unwrap());
    let (row, once) = keys.create(&world.user(1), draft).await.unwrap();
    shown.add("Debug of what reveals a key", format!("{row:?} {once:?}"));
    let key = once.reveal();
    shown.add(
        "Debug of a revealed key",
        format!("{key:?} {:?}", key.pak(&row.key.name)),
    );
    let header = format!("Bearer {}", key.as_str());
    let caller = keys.authenticate([header.as_bytes()], HERE).await.unwrap();
    shown.add("Debug of a key service", format!("{keys:?} {caller:?}"));
    secret_of("peppered key", key.as_str())
}

/// Returns the part of a key that is secret: the part before it is shown as the masked form.
fn secret_of(what: &'static str, key: &str) -> Canary {
    Canary::new(what, key.rsplit('_').next().unwrap())
}

/// Forms that are refused, with secrets in them.
fn refused_bodies() -> Vec<Value> {
    let with = |kind: &str, value: &str, headers: &str| json!({"name": "refused", "url": "https://example.com/", "authorization_type": kind, "authorization_value": value, "headers": headers});
    vec![
        with("bearer", &format!("Bearer {BEARER}"), ""),
        with("bearer", &format!("{BEARER}\nX: y"), ""),
        with("apikey", &format!("{API_KEY}\r\n{API_KEY}"), ""),
        with("basic", PASSWORD, ""),
        with("none", BEARER, ""),
        with("digest", BEARER, ""),
        with("none", "", &format!("Cookie {}", CUSTOM[1].1)),
        with("bearer", BEARER, &format!("Authorization: {API_KEY}")),
        json!({"name": "refused", "url": format!("https://ada:{API_KEY}@example.com/")}),
        json!({"name": "refused", "url": "https://example.com/", "authorization_vlaue": BEARER}),
    ]
}

#[tokio::test]
async fn planted_secrets_are_shown_only_to_their_target() {
    if !is_own_process(concat!(
        module_path!(),
        "::planted_secrets_are_shown_only_to_their_target"
    )) {
        return;
    }
    let log = Log::capture();
    let issuer = Issuer::start().await;
    let world = World::trusting(issuer.certificate.der.clone()).await;
    search(world, &issuer, &log).await;
}

/// Without a sealing key: what is stored goes to the server in plaintext.
#[tokio::test]
async fn planted_secrets_on_postgres_are_in_no_log() {
    if !is_own_process(concat!(
        module_path!(),
        "::planted_secrets_on_postgres_are_in_no_log"
    )) {
        return;
    }
    let log = Log::capture();
    let issuer = Issuer::start().await;
    let fresh = postgres::fresh();
    let config = PostgresConfig::url(&fresh.url).with_schema(&fresh.schema);
    let store = Arc::new(PostgresStore::connect(config).await.unwrap());
    let world = World::over(store, issuer.certificate.der.clone()).await;
    search(world, &issuer, &log).await;
    let said = String::from_utf8_lossy(&log.bytes()).into_owned();
    assert!(
        said.contains("tokio_postgres::query: executing statement"),
        "the driver is heard"
    );
}

/// Uses the platform, and searches everything that came out.
async fn search<S: Store + 'static>(world: World<S>, issuer: &Issuer, log: &Log) {
    let (mut shown, mut secrets) = (Shown::default(), canaries());

    let (key, _) = world.make_key(json!({"name": "k"})).await;
    secrets.push(secret_of("API key", &key));
    secrets.push(peppered(&world, &mut shown).await);
    for token in [
        key.as_str(),
        &key[..key.len() - 1],
        WRONG_TOKEN,
        &format!("{key} "),
        &format!(" {WRONG_TOKEN}"),
    ] {
        shown.call(&world, token, "GET", "system", None).await;
    }
    for body in refused_bodies() {
        let status = shown
            .call(
                &world,
                &world.admin,
                "POST",
                "webhook_urls",
                Some(body.clone()),
            )
            .await;
        assert_eq!(status, 422, "{body}");
    }

    let receiver = examples::receiver::Receiver::start(None).await.unwrap();
    let gone = Refusing::port();
    for target in [receiver.addr, echo().await, gone.addr()] {
        for kind in ["bearer", "apikey", "basic", "oauth2"] {
            plant(&world, target, kind, issuer).await;
        }
    }
    let deliveries = world.emit(1, &[4]).await;
    assert_eq!(deliveries.len(), 12);
    for id in deliveries {
        let delivery = world.ended(id).await;
        shown.add("status of a delivery", delivery.status_info);
        let attempts = world.store.attempts(id, 99).await.unwrap();
        shown.add(format!("attempts of {id}"), format!("{attempts:?}"));
        for attempt in attempts {
            shown.add(format!("stored head of {id}"), attempt.response_head);
            shown.add(format!("stored response of {id}"), attempt.response_body);
        }
    }
    let arrived = format!("{:?}", receiver.received());
    for secret in [BEARER, API_KEY, ACCESS, CUSTOM[0].1, CUSTOM[1].1] {
        assert!(
            arrived.contains(secret),
            "the target must get {secret}: {arrived}"
        );
    }
    assert!(!issuer.asked().is_empty(), "the issuer must be asked");
    assert!(
        receiver
            .received()
            .iter()
            .any(|r| r.body == "message-canary for vm-1")
    );

    for user in 1..=4 {
        let key = world.key_of(user, "reader").await;
        secrets.push(secret_of("a reader's key", &key));
        for path in [
            "system",
            "openapi.json",
            "user_api_keys?fields=all",
            "webhook_urls?fields=all",
            "webhook_urls/1?fields=all",
            "webhook_urls/1",
            "webhook_urls?fields=authorization_value,signing,headers",
            "tasks?fields=all",
            "task_events?fields=all",
            "webhooks?fields=all",
            "webhooks/4?fields=all",
            "webhook_urls?filter=authorization_value%20eq%20%27x%27",
            "nothing",
        ] {
            shown.call(&world, &key, "GET", path, None).await;
        }
    }
    for user in 2..=4 {
        let key = world.key_of(user, "neighbour").await;
        let answer = world
            .call(&key, HERE, "GET", "webhook_urls?fields=all", None)
            .await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (200, "[]"),
            "another user's webhooks"
        );
    }
    shown.add(
        "Debug of the store",
        format!("{:?} {:#?}", world.store, world.store),
    );
    shown.add(
        "Debug of the services",
        format!(
            "{:?} {:?} {:?}",
            world.keys,
            world.engine,
            world.engine.health().await
        ),
    );
    for id in 1..=12 {
        let row = world.store.webhook(WebhookId(id)).await.unwrap().unwrap();
        shown.add(
            "Debug of a webhook",
            format!("{row:?} {row:#?} {:?}", row.value.request_headers()),
        );
    }
    world
        .engine
        .shutdown(std::time::Duration::from_secs(1))
        .await;

    let said = log.bytes();
    shown.add("the log", said.clone());
    assert_eq!(shown.leaks(&secrets), Vec::<String>::new());
    let others = [
        Canary::new("message", "message-canary"),
        Canary::new("URL", URL_QUERY),
        Canary::new("header", ROOM),
    ];
    let text = String::from_utf8_lossy(&said);
    let found = text.lines().find(|line| line.contains(URL_QUERY));
    assert_eq!(
        leaks(&others, &said),
        Vec::<String>::new(),
        "a request is for its target and the delivery log: {found:?}"
    );
    the_log_was_alive(log, &secrets);
}

/// The control: had something been said, the search would have found it.
fn the_log_was_alive(log: &Log, secrets: &[Canary]) {
    let text = String::from_utf8_lossy(&log.bytes()).into_owned();
    for word in ["not authenticated", "key created"] {
        assert!(text.contains(word), "the log has not: {word}");
    }
    for secret in secrets {
        let before = log.bytes().len();
        tracing::trace!(token = secret.secret.as_str(), "planted");
        assert!(
            !leaks(std::slice::from_ref(secret), &log.bytes()[before..]).is_empty(),
            "{}",
            secret.what
        );
    }
}

/// The control of the search itself: each form of each secret is found in the middle of something.
#[test]
fn a_leak_in_any_disguise_is_found() {
    let one = canaries();
    for canary in one.iter() {
        assert_eq!(
            leaks(std::slice::from_ref(canary), b"nothing to see here"),
            Vec::<String>::new()
        );
        for (form, bytes) in canary.forms() {
            let haystack = [b"before ".as_slice(), &bytes, b" after"].concat();
            assert!(
                !leaks(std::slice::from_ref(canary), &haystack).is_empty(),
                "{} as {form}",
                canary.what
            );
        }
    }
    let basic = Canary::new("password", PASSWORD);
    let header = "Basic YWRhOnZvZ2VsIjw+JidhbmFyeQ==";
    assert_eq!(
        leaks(&[basic], header.as_bytes()),
        Vec::<String>::new(),
        "another password is no leak"
    );
    let password = Canary::new("password", "open sesame");
    assert_eq!(
        leaks(&[password], b"Basic YWRhOm9wZW4gc2VzYW1l"),
        ["password (base64)", "password (base64)"]
    );
}
