//! Where everything is kept.

use std::path::Path;
use std::sync::Arc;

use examples::private;
use examples::sealing::Sealing;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{KeyStore, MemoryStore};

use crate::Failure;
use crate::options::Options;

/// The store that `--data` names, twice, and how it is sealed.
#[derive(Debug)]
pub(crate) struct Stores {
    pub keys: Arc<dyn KeyStore>,
    pub webhooks: Arc<dyn WebhookStore>,
    pub sealing: Option<Sealing>,
}

impl Stores {
    /// Opens what `--data` names, sealed, unless it is memory.
    pub(crate) async fn open(options: &Options) -> Result<Self, Failure> {
        if options.memory() {
            return Ok(Self::of(Arc::new(MemoryStore::new()), None));
        }
        let sealing = Sealing::of(options.seal_key(), &options.state_folder())?;
        Ok(if options.postgres() {
            let config = PostgresConfig::url(&options.data).with_sealing(sealing.keys());
            let store = PostgresStore::connect(config).await?;
            sealing.check(&store).await?;
            // What was stored in plaintext, or under an older key.
            store.reseal().await?;
            Self::of(Arc::new(store), Some(sealing))
        } else {
            private::folder(options.data.as_ref())?;
            let file = Path::new(&options.data).join("gatepost.db");
            let config = SqliteConfig::file(file).with_sealing(sealing.keys());
            let store = SqliteStore::open(config).await?;
            sealing.check(&store).await?;
            store.reseal().await?;
            Self::of(Arc::new(store), Some(sealing))
        })
    }

    fn of<S: KeyStore + WebhookStore + 'static>(store: Arc<S>, sealing: Option<Sealing>) -> Self {
        Self {
            keys: store.clone(),
            webhooks: store,
            sealing,
        }
    }
}
