#![doc = include_str!("../README.md")]

mod apart;
mod api;
mod aside;
mod counters;
mod error;
mod facts;
mod granted;
mod json_pieces;
mod limits;
mod list;
mod openapi;
mod platform_table;
mod query;
mod resource;
mod resources;
mod router;
mod schema;
mod state;
mod system;
mod turn;
mod user_limits;
mod whoami;

// The public interface is:

pub use api::{Api, ApiBuilder};
pub use facts::VersionFacts;
pub use limits::Limits;
pub use platform_table::{PlatformError, PlatformRows, PlatformTable};
pub use schema::{Action, Column};
