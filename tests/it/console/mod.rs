//! The console's pages without a browser.

mod calls;
mod deliveries;
mod key_rules;
mod keys;
mod limits;
mod refusals;
mod session;
mod sessions;
mod tasks;
mod volume;
mod webhook_acts;
mod webhooks;
