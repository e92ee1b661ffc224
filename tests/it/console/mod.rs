//! The console's pages without a browser.

mod calls;
mod deliveries;
mod disabled_keys;
mod event_filters;
mod health;
mod kept;
mod key_pages;
mod key_rules;
mod key_uses;
mod keys;
mod language;
mod limits;
mod lists;
mod narrower_keys;
mod refusals;
mod request_limits;
mod rolled_keys;
mod session;
mod sessions;
mod targets;
mod tasks;
mod try_out;
mod verification;
mod volume;
mod webhook_acts;
mod webhooks;
