//! Entries of the log, by message id.

use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery};

use crate::harness::Webhooks;

pub(super) async fn listed(store: &Webhooks, query: &DeliveryQuery) -> Vec<String> {
    let rows = store.log.list_deliveries(query).await.unwrap();
    rows.into_iter()
        .map(|d| d.message_id.as_str().to_owned())
        .collect()
}

pub(super) fn all() -> DeliveryQuery {
    DeliveryQuery::all(Page::first(99))
}

/// Returns the row number of the delivery with this message id.
pub(crate) async fn number(store: &Webhooks, id: &str) -> DeliveryId {
    let rows = store.log.list_deliveries(&all()).await.unwrap();
    rows.iter()
        .find(|d| d.message_id.as_str() == id)
        .unwrap()
        .id
}
