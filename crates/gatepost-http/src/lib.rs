#![doc = include_str!("../README.md")]

mod api;
mod audit;
mod config;
#[cfg(feature = "console")]
mod console;
mod error;
mod host_table;
mod list;
mod names;
mod openapi;
mod query;
mod resource;
mod router;
mod system;
mod table;
mod tables;

// The public interface is:

pub use api::{Api, ApiBuilder};
pub use audit::{Audit, Audited, NoAudit, Operation};
pub use config::Limits;
#[cfg(feature = "console")]
pub use console::{Choice, Console, ConsoleBuilder, ConsoleLogin, LoggedIn, NoObjects, Objects};
pub use host_table::{HostError, HostRows, HostTable};
pub use names::{Names, NoNames};
pub use system::VersionFacts;
pub use table::{Action, Column};

/// The example of the project's front page compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct FrontPage;
