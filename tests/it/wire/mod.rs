//! The v4 API and the example platform, as clients over TCP see them.

mod bounds;
mod counts;
mod host;
mod limits;
mod lists;
mod matrix;
mod python;
mod secrets;
mod tables;
mod tasks;
mod tenants;
mod webhooks;
