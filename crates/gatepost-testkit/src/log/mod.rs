//! The clauses about the delivery log. Each takes a store with nothing in it.

mod changes;
mod listing;
mod retention;

pub use changes::*;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery};
pub use listing::*;
pub use retention::*;

use crate::Webhooks;

async fn listed(store: &Webhooks, query: &DeliveryQuery) -> Vec<String> {
    let rows = store.log.list_deliveries(query).await.unwrap();
    rows.into_iter()
        .map(|d| d.message_id.as_str().to_owned())
        .collect()
}

fn all() -> DeliveryQuery {
    DeliveryQuery::all(Page::first(99))
}

/// The row number of the delivery with this message id.
async fn number(store: &Webhooks, id: &str) -> DeliveryId {
    let rows = store.log.list_deliveries(&all()).await.unwrap();
    rows.iter()
        .find(|d| d.message_id.as_str() == id)
        .unwrap()
        .id
}
