//! The data on the disk reveal no secret: keys, tokens, passwords, signing secrets, the URL and all
//! headers, also when a target responds with everything that it was sent. Searched in the SQLite
//! file with its log, in a dump of PostgreSQL and in the file of the redb example.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use apikey_core::KeyDraft;
use delivery::{Schedule, Sender, TargetPolicy};
use examples_kv::redb::RedbKv;
use gatepost_engine::Engine;
use gatepost_keys::{AccessLevel, Account, KeyService, Principal, Via};
use gatepost_kv::KvStore;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use tests::canary::{Canary, leaks};
use tests::chaos::Store;
use tests::permissive_platform::{Everybody, one_system};
use tests::postgres::TestPostgres;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use webhook_model::{Authorization, Headers, OwnerId, SigningSecret, SigningSecrets, Webhook};

const BEARER: &str = "bearer-4Zr0aQpLw8VxT2nKd7";
const API_KEY: &str = "apikey-Hq91LmZsX0cVbN3eRt";
const PASSWORD: &str = "passw0rd-Uj7YhGtFr5DeSw3Q";
const URL_PATH: &str = "path-Xs7RtYbNq2WzLk5Fd";
const HEADER: &str = "header-Pl0OkMiJnUhBygVtfC";
/// In the path, in the query and in an ordinary header: too short to be hidden in what is logged.
const SHORT: [(&str, &str); 3] = [
    ("short path", "Zq7xWv"),
    ("short query", "Kv3pRt"),
    ("short header", "Hj5tQn"),
];
const SIGNING: &str = "whsec_c2lnbmluZy1zZWNyZXQtdGhhdC1pcy1wbGFudGVkLTQy";

/// Responds with the request that it received: in its head and in its body.
async fn echo() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut buffer = vec![0; 16_384];
                while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                    let sent = String::from_utf8_lossy(&buffer[..read]).into_owned();
                    let (head, _) = sent.split_once("\r\n\r\n").unwrap_or((&sent, ""));
                    let lines: Vec<String> = head
                        .lines()
                        .skip(1)
                        .map(|line| format!("x-{line}"))
                        .collect();
                    let length = sent.len();
                    let lines = lines.join("\r\n");
                    let answer = format!(
                        "HTTP/1.1 401 No\r\n{lines}\r\ncontent-length: {length}\r\n\r\n{sent}"
                    );
                    drop(stream.write_all(answer.as_bytes()).await);
                }
            });
        }
    });
    addr
}

fn sealing() -> SealingKeys {
    SealingKeys::new(SealingKey::new(7, *b"a sealing key that is planted 42"))
}

/// Uses a store as a platform does, and returns the planted secrets.
async fn plant<S: Store>(store: Arc<S>) -> Vec<Canary> {
    let mut canaries = vec![
        Canary::new("bearer token", BEARER),
        Canary::new("API key of a target", API_KEY),
        Canary::new("password", PASSWORD),
        Canary::new("header", HEADER),
        Canary::new("URL", URL_PATH),
        Canary::new("signing secret", &SIGNING[6..]),
        Canary::new("sealing key", "a sealing key that is planted 42"),
    ];
    let keys = KeyService::builder(store.clone(), Arc::new(Everybody)).build();
    let actor = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::User),
        Via::Platform,
    );
    let draft = KeyDraft::new(OwnerId(1), "name-to-be-found".parse().unwrap());
    let (_, reveal) = keys.create(&actor, draft).await.unwrap();
    let shown = reveal.reveal();
    let header = format!("Bearer {}", shown.as_str());
    keys.authenticate([header.as_bytes()], IpAddr::from([127, 0, 0, 1]))
        .await
        .unwrap();
    keys.shutdown().await;
    // The beginning is in the masked form, which is stored; the secret part is the end.
    canaries.push(Canary::new(
        "key",
        &shown.as_str()[shown.as_str().len() - 39..],
    ));

    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let engine = Engine::builder(store, Sender::builder(policy).build().unwrap());
    let engine = one_system(engine);
    let schedule = Schedule::new([Duration::from_millis(20)]).unwrap();
    let engine = engine.schedule(schedule).start().await.unwrap();
    let [(_, path), (_, query), (_, room)] = SHORT;
    let url = format!(
        "http://{}/{path}/services/{URL_PATH}?k={query}",
        echo().await
    );
    let authorizations = [
        Authorization::bearer(BEARER).unwrap(),
        Authorization::api_key(API_KEY).unwrap(),
        Authorization::basic("user", PASSWORD).unwrap(),
    ];
    for (n, authorization) in authorizations.into_iter().enumerate() {
        let mut webhook = Webhook::new(
            OwnerId(1),
            format!("w{n}").parse().unwrap(),
            url.parse().unwrap(),
        );
        webhook.authorization = authorization;
        let headers = [("X-Api-Token", HEADER), ("X-Room", room)];
        webhook.headers = Headers::from_pairs(headers).unwrap();
        webhook.signing =
            SigningSecrets::new(vec![SigningSecret::parse(SIGNING).unwrap()]).unwrap();
        let row = engine.create_webhook(&webhook).await.unwrap();
        engine
            .edit_webhook(row.id, |webhook| {
                webhook.retries = webhook_model::Retries::new(1).unwrap();
                Ok(())
            })
            .await
            .unwrap();
        let delivery = engine.send(row.id, None).await.unwrap();
        for _ in 0..500 {
            let stands = engine.delivery(delivery).await.unwrap().unwrap();
            if stands.state.is_final() || stands.attempts > 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let attempts = engine.attempts(delivery, 99).await.unwrap();
        let sent = String::from_utf8_lossy(&attempts[0].request_head).into_owned();
        for (what, text) in SHORT {
            assert!(sent.contains(text), "{what} is in the log: {sent}");
        }
    }
    engine.shutdown(Duration::from_secs(2)).await;
    canaries
}

fn expect_none(canaries: &[Canary], bytes: &[u8]) {
    let found = |text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(
        found("name-to-be-found"),
        "what was stored is in what is searched"
    );
    assert_eq!(leaks(canaries, bytes), [""; 0]);
    assert_eq!(short(bytes), [""; 0]);
}

/// Returns the short texts that are in these bytes, as they are or in hexadecimal digits.
fn short(bytes: &[u8]) -> Vec<&'static str> {
    let found = |text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
    let hex = |text: &str| text.bytes().map(|b| format!("{b:02x}")).collect::<String>();
    let short = SHORT.into_iter();
    let short = short.filter(|(_, text)| found(text) || found(&hex(text)));
    short.map(|(what, _)| what).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sqlite_file_gives_nothing_away() {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db")).with_sealing(sealing());
    let store = Arc::new(SqliteStore::open(config).await.unwrap());
    let canaries = plant(store.clone()).await;
    let read = || {
        let files = std::fs::read_dir(folder.path()).unwrap();
        files
            .flat_map(|file| std::fs::read(file.unwrap().path()).unwrap())
            .collect::<Vec<u8>>()
    };
    expect_none(&canaries, &read());
    store.close().await;
    expect_none(&canaries, &read());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dump_of_postgres_gives_nothing_away() {
    let server = TestPostgres::start();
    let config = PostgresConfig::url(server.url()).with_sealing(sealing());
    let store = Arc::new(PostgresStore::connect(config).await.unwrap());
    let canaries = plant(store).await;
    expect_none(&canaries, &server.dump());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_redb_file_gives_nothing_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.redb");
    let kv = RedbKv::open(&path).unwrap();
    let store = Arc::new(KvStore::open_sealed(kv, sealing()).unwrap());
    let canaries = plant(store).await;
    expect_none(&canaries, &std::fs::read(&path).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn control_search_finds_secrets_without_sealing_key() {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    let store = Arc::new(SqliteStore::open(config).await.unwrap());
    let canaries = plant(store.clone()).await;
    store.close().await;
    let bytes = std::fs::read(folder.path().join("gatepost.db")).unwrap();
    let found = leaks(&canaries, &bytes);
    assert_eq!(short(&bytes), SHORT.map(|(what, _)| what));
    for what in [
        "bearer token",
        "API key of a target",
        "password",
        "header",
        "signing secret",
        "URL",
    ] {
        assert!(
            found.iter().any(|leak| leak.starts_with(what)),
            "{what}: {found:?}"
        );
    }
    assert!(
        !found.iter().any(|leak| leak.starts_with("key")),
        "a key is not stored at all: {found:?}"
    );
}
