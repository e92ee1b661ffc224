//! The contract tests of webhooks, tasks and events. Each takes an empty store.

mod bodies;
mod changes;
mod channels;
mod filters;
mod limits;
mod matched;
mod owned;
mod routes;
mod rows;
mod scopes;
mod together;

pub use bodies::*;
pub use changes::*;
pub use channels::*;
pub use filters::*;
pub use limits::*;
pub use matched::*;
pub use owned::*;
pub use routes::*;
pub use rows::*;
pub use scopes::*;
pub use together::*;
