//! The v4 API and the example platform, as clients over TCP see them.

mod bounds;
mod counts;
mod disabled_keys;
mod event_filters;
mod figures;
mod first_minute;
mod first_start;
mod host;
mod key_uses;
mod leaked_keys;
mod limits;
mod lists;
mod log;
mod matrix;
mod narrower_keys;
mod python;
mod request_limits;
mod rolled_keys;
mod sealed;
mod secrets;
mod sockets;
mod start;
mod tables;
mod tasks;
mod tenants;
mod webhooks;
