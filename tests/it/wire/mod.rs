//! The v4 API and the example platform, as clients over TCP see them.

mod lists;
mod matrix;
mod host;
mod python;
mod secrets;
mod tables;
mod tasks;
mod webhooks;
