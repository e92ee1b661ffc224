//! Mutual TLS of each webhook, from the REST API to the target, in columns that v4 does not have.

mod columns;
mod deliveries;

use serde_json::{Value, json};
use tests::mutual_tls::{Authority, Client};
use tests::world::World;

async fn parts() -> (Authority, World) {
    let authority = Authority::new();
    let world = World::trusting(authority.root()).await;
    (authority, world)
}

/// Returns a webhook that shows this client's certificate.
fn row(name: &str, url: &str, client: &Client) -> Value {
    let mut row = plain(name, url);
    row["client_certificate"] = json!(client.certificate);
    row["client_key"] = json!(client.key);
    row
}

/// Returns a webhook without a certificate.
fn plain(name: &str, url: &str) -> Value {
    json!({"name": name, "url": url, "retries": 0, "timeout": 5})
}
