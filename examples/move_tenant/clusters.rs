//! The databases, and the platform's map of tenants to databases.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use delivery::{Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, Audience, Quota, TenantId};
use gatepost_keys::KeyService;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use tokio::sync::RwLock;
use webhook_model::{Catalog, Occurrence, OwnerId, Specificity, TagId};

use crate::Failure;

/// The tenant that moves, and its administrator.
pub(crate) const TENANT: TenantId = TenantId(7);
pub(crate) const ADMINISTRATOR: OwnerId = OwnerId(71);

/// The platform's users, the same for every database.
#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let known = owner == ADMINISTRATOR;
        AccountAnswer::Now(Ok(known.then(|| {
            Account::enabled(AccessLevel::TenantAdministrator).in_tenant(TENANT)
        })))
    }
}

/// A database with its engine and its keys.
pub(crate) struct Cluster {
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) engine: Engine,
    pub(crate) keys: KeyService,
}

impl Cluster {
    pub(crate) async fn open(file: &Path) -> Result<Arc<Self>, Failure> {
        let store = Arc::new(SqliteStore::open(SqliteConfig::file(file)).await?);
        let sender = Sender::builder(TargetPolicy::public().allow("127.0.0.0/8".parse()?));
        let catalog = Catalog::builder().event_type(
            "orders",
            "Orders",
            Specificity::InstanceOrTag,
            &[("placed", "Placed")],
        )?;
        let engine = Engine::builder(store.clone(), sender.build()?)
            .addressed_only(Arc::new(Users))
            .catalog(catalog.build())
            // A tenant that arrives brings more in a minute than a user may make.
            .quotas(Arc::new(Quota::UNLIMITED))
            .start()
            .await?;
        let keys = KeyService::builder(store.clone(), Arc::new(Users)).build();
        Ok(Arc::new(Self {
            store,
            engine,
            keys,
        }))
    }
}

/// The platform: one map, by which it finds the database of a tenant.
pub(crate) struct Platform {
    /// Held for reading while something is given to a database, for writing when the map changes:
    /// nothing that was begun before a change is stored after it.
    pub(crate) map: RwLock<HashMap<TenantId, Arc<Cluster>>>,
}

impl Platform {
    /// Reports that an order was placed at the tenant's shop.
    pub(crate) async fn order(&self, number: usize) -> Result<(), Failure> {
        let audience = Audience::Tenant(TENANT);
        let mut order = Occurrence::new("orders".parse()?, "placed".parse()?, audience);
        order.tags = vec![TagId(1)];
        order.variables = vec![("NUMBER".into(), number.to_string())];
        let map = self.map.read().await;
        let cluster = map.get(&TENANT).ok_or("nobody knows where the tenant is")?;
        cluster.engine.emit(order).await?;
        Ok(())
    }
}
