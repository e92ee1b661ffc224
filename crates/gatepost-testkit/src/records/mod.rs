//! The clauses about webhooks, tasks and events. Each takes a store with nothing in it.

mod lists;
mod references;
mod routes;
mod rows;

pub use lists::*;
pub use references::*;
pub use routes::*;
pub use rows::*;
