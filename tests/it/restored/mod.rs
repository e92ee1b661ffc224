//! Restored backups: the data that come back, and the calls that make a restore safe.

mod deliveries;
mod dumped;
mod keys;
mod live;
mod numbers;
mod sqlite_copies;

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;

use apikey_core::{KeyDraft, KeyId};
use delivery::{Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_keys::{AccessLevel, Account, KeyService, OwnerId, Principal, Via};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::KeyRow;
use gatepost_storage::{AuditStore, KeyStore, WebhookStore};
use tests::dumps;
use tests::permissive_platform::{Everybody, one_system};
use tests::postgres::{FreshSchema, fresh};
use webhook_model::{
    Action, Audience, Catalog, Event, Occurrence, Specificity, Target, Task, TaskId, Webhook,
    WebhookId,
};

const FROM: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

/// A store of which backups are taken and restored.
enum Place {
    Sqlite(tempfile::TempDir),
    Postgres(FreshSchema),
}

enum Backup {
    File(PathBuf),
    Dump(Vec<u8>),
}

/// A store, opened.
#[derive(Clone)]
enum Store {
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

impl Place {
    fn all() -> [Self; 2] {
        [
            Self::Sqlite(tempfile::tempdir().unwrap()),
            Self::Postgres(fresh()),
        ]
    }

    async fn open(&self) -> Store {
        match self {
            Self::Sqlite(folder) => {
                let config = SqliteConfig::file(folder.path().join("gatepost.db"));
                Store::Sqlite(SqliteStore::open(config).await.unwrap())
            }
            Self::Postgres(place) => {
                let config = PostgresConfig::url(&place.url).with_schema(&place.schema);
                Store::Postgres(PostgresStore::connect(config).await.unwrap())
            }
        }
    }

    async fn back_up(&self, store: &Store) -> Backup {
        match (self, store) {
            (Self::Sqlite(folder), Store::Sqlite(store)) => {
                let copy = folder.path().join("copy.db");
                store.back_up(&copy).await.unwrap();
                Backup::File(copy)
            }
            (Self::Postgres(place), _) => Backup::Dump(dumps::dump(place)),
            _ => panic!("a store of another place"),
        }
    }

    /// Replaces the present data by a backup. A file must be closed.
    fn put_back(&self, backup: &Backup) {
        match (self, backup) {
            (Self::Sqlite(folder), Backup::File(copy)) => {
                let file = folder.path().join("gatepost.db");
                for left in ["gatepost.db-wal", "gatepost.db-shm"] {
                    assert!(!folder.path().join(left).exists(), "{left}");
                }
                std::fs::copy(copy, file).unwrap();
            }
            (Self::Postgres(place), Backup::Dump(dump)) => {
                dumps::sql(&place.url, &format!("DROP SCHEMA {} CASCADE", place.schema));
                dumps::restore(&place.url, dump);
            }
            _ => panic!("a backup of another place"),
        }
    }
}

impl Store {
    fn keys(&self) -> Arc<dyn KeyStore> {
        match self {
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }

    fn webhooks(&self) -> Arc<dyn WebhookStore> {
        match self {
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }

    fn audit(&self) -> Arc<dyn AuditStore> {
        match self {
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }

    async fn close(self) {
        match self {
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) => store.close().await,
        }
    }
}

/// Returns a key service over a store.
fn service(store: &Store) -> KeyService {
    KeyService::builder(store.keys(), Arc::new(Everybody)).build()
}

fn user() -> Principal {
    let account = Account::enabled(AccessLevel::User);
    Principal::new(OwnerId(1), account, Via::Platform)
}

/// Makes a key: its row and its `Authorization` header.
async fn make_key(keys: &KeyService, name: &str) -> (KeyRow, String) {
    let draft = KeyDraft::new(OwnerId(1), name.parse().unwrap());
    let (row, reveal) = keys.create(&user(), draft).await.unwrap();
    let header = format!("Bearer {}", reveal.reveal().as_str());
    (row, header)
}

/// Returns the key by which a header is authenticated.
async fn admitted(keys: &KeyService, header: &str) -> Option<KeyId> {
    let judged = keys.authenticate([header.as_bytes()], FROM).await;
    judged.ok().and_then(|principal| match principal.via {
        Via::Key(id) => Some(id),
        _ => None,
    })
}

/// Returns an engine that sends to this machine.
async fn engine(store: Arc<dyn WebhookStore>) -> Engine {
    let catalog = Catalog::builder()
        .event_type("vms", "VMs", Specificity::InstanceOptional, &[("on", "On")])
        .unwrap()
        .build();
    let local = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(local).build().unwrap();
    let engine = one_system(Engine::builder(store, sender)).catalog(catalog);
    engine.start().await.unwrap()
}

fn webhook(name: &str, url: &str) -> Webhook {
    Webhook::new(OwnerId(1), name.parse().unwrap(), url.parse().unwrap())
}

fn task(webhook: WebhookId, message: &str) -> Task {
    Task::new(
        OwnerId(1),
        "t".parse().unwrap(),
        Action::Send {
            webhook,
            message: message.parse().unwrap(),
        },
    )
}

fn event(task: TaskId) -> Event {
    Event::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        Target::Generic,
        task,
    )
}

fn on() -> Occurrence {
    let (area, event) = ("vms".parse().unwrap(), "on".parse().unwrap());
    Occurrence::new(area, event, Audience::OneSystem)
}
