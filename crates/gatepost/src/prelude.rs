//! The names of a quick start: `use gatepost::prelude::*`. All other names are in the modules; the
//! features select the names here.

#[cfg(feature = "keys")]
pub use apikey_core::KeyDraft;
#[cfg(feature = "webhooks")]
pub use delivery::{Sender, TargetPolicy};
#[cfg(feature = "console")]
pub use gatepost_console::{Console, ConsoleLogin, LoggedIn};
#[cfg(feature = "webhooks")]
pub use gatepost_engine::Engine;
#[cfg(feature = "http")]
pub use gatepost_http::Api;
pub use gatepost_ids::{AccessLevel, Account, AccountAnswer, Accounts, OwnerId, TenantId};
#[cfg(feature = "keys")]
pub use gatepost_keys::{AuthLayer, KeyService, Principal, Via};
#[cfg(feature = "kv")]
pub use gatepost_kv::MemoryStore;
#[cfg(any(feature = "http", feature = "console"))]
pub use gatepost_manage::Management;
#[cfg(feature = "postgres")]
pub use gatepost_postgres::{PostgresConfig, PostgresStore};
#[cfg(feature = "sqlite")]
pub use gatepost_sqlite::{SqliteConfig, SqliteStore};
#[cfg(feature = "webhooks")]
pub use webhook_model::{Audience, Catalog, Object, ObjectId, Occurrence, Specificity, TagId};
