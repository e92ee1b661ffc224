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

/// The quick start of the project's front page compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct FrontPage;

/// The code of the page on tenants compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tenants.md")]
struct TenantsPage;

/// The code of the page on traces compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/traces.md")]
struct TracesPage;

/// The code of the page on embedding compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embed.md")]
struct EmbeddingPage;

/// The code of the page on logins compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/login.md")]
struct LoginPage;

/// The code of the page on moving here compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/migrate.md")]
struct MigrationPage;

/// The code of the page on running it compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/operate.md")]
struct OperationPage;

/// The code of the page on the security model compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/security.md")]
struct SecurityPage;
