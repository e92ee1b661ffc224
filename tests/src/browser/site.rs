//! A platform that mounts API and console, over real TCP.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use delivery::{DnsFault, Resolve, ResolveFuture, Schedule, Sender, TargetPolicy};
use examples::platform::Platform;
use examples::session::Sessions;
use gatepost_console::{Console, Texts};
use gatepost_engine::{Engine, OperationalEvents, SubscriptionPolicy};
use gatepost_http::Api;
use gatepost_ids::{Quota, Quotas};
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, KeyService, Principal, TenantId, Via,
};
use gatepost_kv::MemoryStore;
use gatepost_manage::{Audit, AuditLog, Audited, Directory, Management};
use gatepost_storage::webhooks::{Delivery, DeliveryId, WebhookStore};
use gatepost_storage::{AuditStore, Clock, KeyStore, SystemClock};
use tokio::net::TcpListener;
use webhook_model::{OwnerId, Webhook, WebhookId};

use super::visitor::Visitor;
use crate::permissive_platform::Everything;

/// Every user's password.
pub const PASSWORD: &str = "open sesame";

/// The users: 1 `admin` administers the system, 2 `tina` the tenant of 1 and 3 `ulf`, 4 `vera` is
/// in no tenant; 5 `dora` is disabled.
#[derive(Debug)]
struct Users;

impl Users {
    fn account(user: u128) -> Option<Account> {
        let tenant = |access| Account::enabled(access).in_tenant(TenantId(1));
        match user {
            1 => Some(tenant(AccessLevel::SystemAdministrator)),
            2 => Some(tenant(AccessLevel::TenantAdministrator)),
            3 => Some(tenant(AccessLevel::User)),
            4 => Some(Account::enabled(AccessLevel::User)),
            5 => Some(Account::disabled(AccessLevel::User)),
            _ => None,
        }
    }
}

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Self::account(owner.0)))
    }
}

/// A resolver by which every name has a public address, to which nothing is sent here; names that
/// end in `.invalid` have none and those that end in `.internal` a private one.
#[derive(Debug)]
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        let found = match host.rsplit('.').next() {
            Some("invalid") => Err(DnsFault::NoAddress),
            Some("internal") => Ok(vec![IpAddr::from([10, 0, 0, 1])]),
            _ => Ok(vec![IpAddr::from([8, 8, 8, 8])]),
        };
        Box::pin(async move { found })
    }
}

/// The changes that the platform's audit log received.
#[derive(Clone, Debug, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Audit for Heard {
    fn record(&self, change: &Audited<'_>) {
        let row = change.row.map_or_else(String::new, |row| row.to_string());
        let by = change.actor.owner;
        let said = format!("{by} {:?} {}/{row}", change.operation, change.table);
        self.0.lock().unwrap().push(said);
    }
}

/// The platform.
#[derive(Debug)]
pub struct Site {
    /// The address at which it listens.
    pub addr: SocketAddr,
    /// The key service.
    pub keys: KeyService,
    /// The engine.
    pub engine: Engine,
    /// `Management` of API and console.
    pub management: Management,
    /// The audit log.
    pub log: Option<AuditLog>,
    heard: Heard,
}

/// The parts of a site.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The store of the keys.
    pub key_store: Arc<dyn KeyStore>,
    /// The store of everything else.
    pub webhook_store: Arc<dyn WebhookStore>,
    /// The audit log, if changes are logged.
    pub audit_store: Option<Arc<dyn AuditStore>>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The names of objects.
    pub directory: Arc<dyn Directory>,
    /// The quota of each user.
    pub quotas: Arc<dyn Quotas>,
    /// The subscription policy.
    pub watch: Arc<dyn SubscriptionPolicy>,
    /// The texts of the console.
    pub texts: Texts,
    /// Gatepost's own events.
    pub own_events: OperationalEvents,
}

impl Setup {
    /// Returns a setup in memory, by the machine's clock, with the example platform's objects,
    /// without limits.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "each is another store")]
    pub fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        Self {
            key_store: store.clone(),
            webhook_store: store.clone(),
            audit_store: Some(store),
            clock: Arc::new(SystemClock),
            directory: Arc::new(Platform::default()),
            quotas: Arc::new(Quota::UNLIMITED),
            watch: Arc::new(Everything),
            texts: Texts::english(),
            own_events: OperationalEvents::default(),
        }
    }

    /// The same, with keys and webhooks in this store.
    #[must_use]
    pub fn on<S: KeyStore + WebhookStore>(store: &Arc<S>) -> Self {
        Self {
            key_store: store.clone(),
            webhook_store: store.clone(),
            ..Self::new()
        }
    }

    /// Starts a site; it ends with the runtime.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn start(self) -> Site {
        Site::on(self).await
    }
}

impl Site {
    /// Starts a site by the machine's clock; it ends with the runtime.
    pub async fn start() -> Self {
        Self::start_at(Arc::new(SystemClock)).await
    }

    /// Starts a site, and logs a user in.
    pub async fn visited_by(user: &str) -> (Self, Visitor) {
        let site = Self::start().await;
        let visitor = Visitor::login(&site, user).await;
        (site, visitor)
    }

    /// Returns a webhook as it is stored.
    ///
    /// # Panics
    /// If there is none.
    pub async fn webhook(&self, id: i64) -> Webhook {
        let row = self.engine.webhook(WebhookId(id)).await.unwrap();
        row.unwrap().value
    }

    /// Starts a site by another clock.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn start_at(clock: Arc<dyn Clock>) -> Self {
        let setup = Setup {
            clock,
            ..Setup::new()
        };
        setup.start().await
    }

    /// Starts a site whose objects are called otherwise.
    pub async fn start_with(directory: Arc<dyn Directory>) -> Self {
        let setup = Setup {
            directory,
            ..Setup::new()
        };
        setup.start().await
    }

    /// Starts a site on other stores, with other objects.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn start_on(
        key_store: Arc<dyn KeyStore>,
        webhook_store: Arc<dyn WebhookStore>,
        clock: Arc<dyn Clock>,
        directory: Arc<dyn Directory>,
    ) -> Self {
        let setup = Setup {
            key_store,
            webhook_store,
            clock,
            directory,
            ..Setup::new()
        };
        setup.start().await
    }

    async fn on(setup: Setup) -> Self {
        let Setup {
            key_store,
            webhook_store,
            audit_store,
            clock,
            directory,
            quotas,
            watch,
            texts,
            own_events,
        } = setup;
        let keys = KeyService::builder(key_store, Arc::new(Users))
            .clock(clock.clone())
            .flush_logins(Duration::from_millis(50))
            .quotas(quotas.clone())
            .build();
        let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
        let sender = Sender::builder(policy).resolver(Arc::new(Names)).build();
        let engine = Engine::builder(webhook_store, sender.unwrap());
        let engine = engine
            .subscription_policy(Arc::new(Users), watch)
            .quotas(quotas.clone())
            .catalog(Platform::catalog().unwrap())
            .schedule(Schedule::new([Duration::from_millis(300)]).unwrap())
            .clock(clock.clone())
            .variable("SITE", "north")
            .operational_events(own_events)
            .start()
            .await
            .unwrap();
        let guard = AuthLayer::new(keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let guesses = keys.guesses().clone();
        let sessions = Sessions::new(false, guesses, |name, password| async move {
            let names = ["admin", "tina", "ulf", "vera", "dora"];
            let at = names.iter().position(|known| *known == name)?;
            (password == PASSWORD).then_some(OwnerId(at as u128 + 1))
        })
        .clock(clock.clone());
        let heard = Heard::default();
        let mut management = Management::builder(keys.clone(), engine.clone())
            .directory(directory)
            .audit(Arc::new(heard.clone()))
            .scopes(["machines:power".parse().unwrap()]);
        let log = audit_store.map(|store| AuditLog::builder(store).clock(clock.clone()).build());
        if let Some(log) = &log {
            management = management.audit_log(log.clone());
        }
        let management = management.build();
        let console = Console::builder(management.clone(), Arc::new(sessions.clone()))
            .clock(clock)
            .title("Gatepost")
            .texts(texts)
            .build();
        let api = Api::builder(management.clone(), guard).build();
        let app = Router::new()
            .nest("/api/v4", api.router())
            .merge(sessions.router())
            .merge(console.router());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let forever = std::future::pending();
        tokio::spawn(examples::serve::serve(listener, None, app, forever));
        Self {
            addr,
            keys,
            engine,
            management,
            log,
            heard,
        }
    }

    /// Returns the address of a page: `/console/keys`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// Returns the principal that the platform's own login creates for a user.
    ///
    /// # Panics
    /// If there is no such user.
    #[must_use]
    pub fn user(&self, user: u128) -> Principal {
        Principal::new(OwnerId(user), Users::account(user).unwrap(), Via::Platform)
    }

    /// Returns the changes that the audit log received so far.
    ///
    /// # Panics
    /// After a panic in another thread.
    #[must_use]
    pub fn heard(&self) -> Vec<String> {
        self.heard.0.lock().unwrap().clone()
    }

    /// Returns a delivery once it has ended; waits at most ten seconds.
    ///
    /// # Panics
    /// If it does not end.
    pub async fn ended(&self, id: i64) -> Delivery {
        for _ in 0..1000 {
            let delivery = self.engine.delivery(DeliveryId(id)).await.unwrap();
            match delivery {
                Some(delivery) if delivery.state.is_final() => return delivery,
                _ => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
        panic!("delivery {id} did not end");
    }
}
