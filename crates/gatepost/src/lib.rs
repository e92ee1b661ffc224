#![doc = include_str!("../README.md")]

pub mod prelude;

#[cfg(feature = "console")]
pub use gatepost_console as console;
#[cfg(feature = "http")]
pub use gatepost_http as http;
pub use gatepost_ids as ids;
#[cfg(feature = "kv")]
pub use gatepost_kv as kv;
#[cfg(any(feature = "http", feature = "console"))]
pub use gatepost_manage as manage;
#[cfg(feature = "postgres")]
pub use gatepost_postgres as postgres;
#[cfg(feature = "sqlite")]
pub use gatepost_sqlite as sqlite;
pub use gatepost_storage as storage;
#[cfg(feature = "keys")]
pub use {apikey_core as apikey, gatepost_keys as keys};
#[cfg(feature = "webhooks")]
pub use {delivery, gatepost_engine as engine, webhook_model as webhook};

/// The code of the page on tenants compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/tenants.md")]
struct TenantsPage;

/// The code of the page on API keys compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/keys.md")]
struct KeysPage;

/// The code of the page on keys and a login compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/keys-and-login.md")]
struct KeysAndLoginPage;

/// The code of the page on webhooks compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/webhooks.md")]
struct WebhooksPage;

/// The code of the page on REST API and console compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/rest-and-console.md")]
struct RestAndConsolePage;

/// The code of the page on testing compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/testing.md")]
struct TestingPage;

/// The code of the page on logins compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/login.md")]
struct LoginPage;

/// The code of the page on links into the console compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/console-link.md")]
struct ConsoleLinkPage;

/// The code of the page on migrating compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/migrating.md")]
struct MigrationPage;

/// The code of the page on migrating keys compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/migrating-keys.md")]
struct KeyMigrationPage;

/// The code of the page on backup and restore compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/operations/backup-restore.md")]
struct RestorePage;

/// The code of the page on monitoring compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/operations/monitoring.md")]
struct MonitoringPage;
