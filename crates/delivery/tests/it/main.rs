//! The crate from outside: over real TCP and TLS, against receivers that play every part.

#![allow(clippy::expect_used, clippy::unwrap_used)] // a helper that fails is a test that fails

#[path = "../support/mod.rs"]
mod support;

mod attempt;
mod canary;
#[path = "../../../../tests/src/captured_log.rs"]
mod captured_log;
mod classes;
mod client_identity;
mod deliver;
mod dns;
mod groups;
mod header_limit;
mod header_order;
mod http2;
mod http2_abuse;
mod odd_heads;
mod pool;
mod preview;
mod proxy;
mod raw_mutated;
mod raw_responses;
mod redirects;
mod repeats;
mod retry_after_dates;
mod roots_and_provider;
mod setup;
mod standard_webhooks;
mod target_policy;
mod tls;
mod tls_behaviour;
mod tls_hostile;
mod traces;
