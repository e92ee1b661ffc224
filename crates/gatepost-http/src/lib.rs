#![doc = include_str!("../README.md")]

mod api;
mod config;
mod error;
mod host_table;
mod list;
mod openapi;
mod query;
mod resource;
mod router;
mod system;
mod table;
mod tables;

// The public interface is:

pub use api::{Api, ApiBuilder};
pub use config::Limits;
pub use host_table::{PlatformError, PlatformRows, PlatformTable};
pub use system::VersionFacts;
pub use table::{Action, Column};

/// The example of the project's front page compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct FrontPage;
