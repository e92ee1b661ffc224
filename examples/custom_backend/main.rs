//! A custom backend: Gatepost on redb, `cargo run --example custom_backend`.
//!
//! The adapter is `examples/kv/redb.rs`; `KvStore` makes a store of it. This program shows it at
//! work: a key is made and used, an event is delivered, and after the file was closed and opened
//! again all of it is still there. It ends with success only if every claim held.

use std::error::Error;
use std::net::IpAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use apikey_core::KeyDraft;
use delivery::{Sender, TargetPolicy};
use examples::receiver::Receiver;
use examples::story::Story;
use examples_kv::redb::RedbKv;
use gatepost_engine::Engine;
use gatepost_keys::{AccessLevel, Account, AccountAnswer, Accounts, KeyService, Principal, Via};
use gatepost_kv::KvStore;
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::DeliveryState;
use gatepost_storage::{ErrorKind, StoreError};
use rand::RngExt as _;
use webhook_model::{OwnerId, Webhook};

type Failure = Box<dyn Error + Send + Sync>;

/// Every account has the rights of a user.
#[derive(Debug)]
struct Everybody;

impl Accounts for Everybody {
    fn account(&self, _: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("gatepost.redb");
    // A platform keeps this key with its other secrets; without it the webhooks' secrets cannot be
    // read.
    let secret: [u8; 32] = rand::rng().random();
    let sealing = || SealingKeys::new(SealingKey::new(1, secret));
    let mut story = Story::default();
    let from = IpAddr::from([127, 0, 0, 1]);

    story.chapter("A file of redb");
    let store = Arc::new(open(&path, sealing())?);
    let keys = KeyService::builder(store.clone(), Arc::new(Everybody)).build();
    let user = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::User),
        Via::Platform,
    );
    let draft = KeyDraft::new(OwnerId(1), "laptop".parse()?);
    let (_, reveal) = keys.create(&user, draft).await?;
    let header = format!("Bearer {}", reveal.reveal().as_str());
    story.claim(
        "a key lets its owner in",
        keys.authenticate([header.as_bytes()], from).await.is_ok(),
    );
    keys.shutdown().await;

    let receiver = Receiver::start(None).await?;
    let engine = engine(store.clone()).await?;
    let url = format!("http://{}/in", receiver.addr).parse()?;
    let webhook = Webhook::new(OwnerId(1), "chat".parse()?, url);
    let webhook = engine.create_webhook(&webhook).await?.id;
    let delivery = engine
        .send(webhook, Some(&r#"{"text":"hello"}"#.parse()?))
        .await?;
    let received = receiver.wait_for("/in", 1).await?;
    story.claim(
        "a message is delivered",
        received.body == r#"{"text":"hello"}"#,
    );
    engine.shutdown(Duration::from_secs(1)).await;

    story.chapter("A second opener");
    let second = open(&path, sealing());
    story.claim(
        "is refused while the file is open",
        second.is_err_and(|e| e.is_transient()),
    );

    story.chapter("Closed and opened again");
    drop((keys, engine, store));
    let store = Arc::new(reopen(&path, &sealing).await?);
    let keys = KeyService::builder(store.clone(), Arc::new(Everybody)).build();
    story.claim(
        "the key still lets its owner in",
        keys.authenticate([header.as_bytes()], from).await.is_ok(),
    );
    let engine = self::engine(store).await?;
    let kept = engine.delivery(delivery).await?;
    story.claim(
        "the delivery is still `sent`",
        kept.is_some_and(|d| d.state == DeliveryState::Sent),
    );
    story.claim(
        "with its attempt",
        engine.attempts(delivery, 99).await?.len() == 1,
    );
    engine.shutdown(Duration::from_secs(1)).await;
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn open(path: &Path, sealing: SealingKeys) -> Result<KvStore, StoreError> {
    let kv = RedbKv::open(path);
    let unavailable = |e| StoreError::new(ErrorKind::Unavailable, "the file").with_source(e);
    KvStore::open_sealed(kv.map_err(unavailable)?, sealing)
}

async fn engine(store: Arc<KvStore>) -> Result<Engine, Failure> {
    let sender = Sender::builder(TargetPolicy::public().allow("127.0.0.0/8".parse()?)).build()?;
    let engine = Engine::builder(store, sender).one_system(Arc::new(Everybody));
    Ok(engine.start().await?)
}

/// Opens the file again. It is free when the last call that was under way has ended.
async fn reopen(path: &Path, sealing: &impl Fn() -> SealingKeys) -> Result<KvStore, Failure> {
    for _ in 0..100 {
        match open(path, sealing()) {
            Err(error) if error.is_transient() => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            other => return Ok(other?),
        }
    }
    Err("the file stays in use".into())
}
