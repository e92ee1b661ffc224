//! Gatepost as a whole: tests that need neither a browser, nor killed processes, nor a separate
//! process.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod app_with_state;
mod audit_log;
mod console;
mod delivery_matrix;
mod emit_many;
mod examples_run;
mod fetching;
mod graceful_stop;
mod interfaces;
mod isolation;
mod mutual_tls;
mod oauth2;
mod one_time_concurrent;
mod operational_events;
mod promises_table;
mod quick_start;
mod receiving_page;
mod restored;
mod security;
mod server;
mod signatures;
mod spec;
mod text_ids;
mod wire;
