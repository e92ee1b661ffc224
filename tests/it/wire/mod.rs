//! The v4 API and the example platform, as clients over TCP see them.

mod bounds;
mod channels;
mod counts;
mod disabled_keys;
mod event_filters;
mod first_minute;
mod first_start;
mod host;
mod leaked_keys;
mod limits;
mod lists;
mod log;
mod matrix;
mod metrics;
mod narrower_keys;
mod no_body;
mod number_digits;
mod openapi;
mod python;
mod references;
mod rejected;
mod request_limits;
mod rolled_keys;
mod sealed;
mod secrets;
mod signing_secrets;
mod sockets;
mod sorting;
mod spec_words;
mod start;
mod subscriptions;
mod tables;
mod tasks;
mod tenants;
mod traces;
mod v4_clients;
mod webhooks;

use serde_json::json;
use tempfile::{TempDir, tempdir};
use tests::platform::PlatformProcess;

/// Starts the example platform on a new file.
fn platform(options: &[&str]) -> (PlatformProcess, TempDir) {
    let folder = tempdir().unwrap();
    let platform = PlatformProcess::start(env!("CARGO_BIN_EXE_host"), folder.path(), options);
    (platform, folder)
}

async fn hook(platform: &PlatformProcess, name: &str) -> i64 {
    let row = json!({"name": name, "url": "https://example.com/"});
    platform.make("webhook_urls", row).await
}
