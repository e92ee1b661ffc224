//! The stores of all data.

use std::sync::Arc;

use examples::private;
use examples::sealing::Sealing;
use gatepost_kv::MemoryStore;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{AuditStore, KeyStore};

use crate::data::Data;
use crate::failure::{Failure, InWords};
use crate::options::Options;

/// The store that `--data` names, as each of its three traits, and how it is sealed.
#[derive(Debug)]
pub(crate) struct Stores {
    pub keys: Arc<dyn KeyStore>,
    pub webhooks: Arc<dyn WebhookStore>,
    pub audit: Arc<dyn AuditStore>,
    pub sealing: Option<Sealing>,
    /// Whether this start has created it, or nothing is kept.
    pub new: bool,
    open: Open,
}

/// The store that has to be closed.
#[derive(Debug)]
enum Open {
    Memory,
    Postgres(Arc<PostgresStore>),
    Sqlite(Arc<SqliteStore>),
}

impl Stores {
    /// Opens the store that `--data` names; seals it unless it is memory.
    pub(crate) async fn open(options: &Options) -> Result<Self, Failure> {
        match &options.data {
            Data::Memory => {
                let store = Arc::new(MemoryStore::new());
                Ok(Self::of(store, Open::Memory, None, true))
            }
            Data::Postgres(url) => {
                let what = || format!("cannot open the database {url}");
                let sealing = sealing(options)?;
                let config = PostgresConfig::url(url.expose()).with_sealing(sealing.keys());
                let store = PostgresStore::connect(config).await.in_words(what)?;
                sealing.check(&store).await.in_words(what)?;
                // Seals the values that were stored in plaintext, or under an older key.
                store.reseal().await.in_words(what)?;
                let store = Arc::new(store);
                let open = Open::Postgres(store.clone());
                // The database may belong to others, with or without tables: there is no
                // demonstration unless it is asked for.
                Ok(Self::of(store, open, Some(sealing), false))
            }
            Data::Folder(folder) => {
                let file = folder.join("gatepost.db");
                let what = || format!("cannot open the database {}", file.display());
                private::folder(folder).in_words(|| "cannot use the folder of the data".into())?;
                let sealing = sealing(options)?;
                let new = !file.exists();
                let config = SqliteConfig::file(&file).with_sealing(sealing.keys());
                let store = SqliteStore::open(config).await;
                let store = store.in_words(|| "cannot open the database".into())?;
                sealing.check(&store).await.in_words(what)?;
                store.reseal().await.in_words(what)?;
                let store = Arc::new(store);
                let open = Open::Sqlite(store.clone());
                Ok(Self::of(store, open, Some(sealing), new))
            }
        }
    }

    /// Closes the store: SQLite's log is then in its file, and a process that shares a PostgreSQL
    /// has left.
    pub(crate) async fn close(&self) {
        match &self.open {
            Open::Memory => {}
            Open::Postgres(store) => store.close().await,
            Open::Sqlite(store) => store.close().await,
        }
    }

    fn of<S>(store: Arc<S>, open: Open, sealing: Option<Sealing>, new: bool) -> Self
    where
        S: AuditStore + KeyStore + WebhookStore + 'static,
    {
        Self {
            keys: store.clone(),
            webhooks: store.clone(),
            audit: store,
            sealing,
            new,
            open,
        }
    }
}

fn sealing(options: &Options) -> Result<Sealing, Failure> {
    let sealing = Sealing::of(options.seal_key(), &options.state_folder());
    sealing.in_words(|| "cannot open what is sealed".into())
}
