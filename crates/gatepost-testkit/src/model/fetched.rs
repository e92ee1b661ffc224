//! Deliveries that receivers fetch.

use gatepost_storage::Page;
use gatepost_storage::webhooks::*;

use super::side::{Side, answer, place};
use crate::fixtures::at;

impl Side {
    /// Acknowledges the oldest waiting deliveries of a webhook, as they are, or as they were before
    /// any attempt.
    pub(super) async fn fetch(&self, webhook: u8, limit: u8, first: bool, now: i64) -> String {
        let webhook = self.webhook(webhook);
        let query = DeliveryQuery {
            webhook: Some(webhook),
            states: vec![DeliveryState::Queued],
            ..DeliveryQuery::all(Page::first(u32::from(limit)))
        };
        let waits = self.store.log.list_deliveries(&query).await.unwrap();
        let handed = waits.iter().map(|delivery| IfWaiting {
            attempts: Some(if first { 0 } else { delivery.attempts }),
            ..IfWaiting::as_is(delivery)
        });
        let fetched = WaitingChange::Fetched {
            keep_messages: limit > 1,
        };
        let log = &self.store.log;
        let ended = log.change_waiting(handed.collect(), fetched, at(now)).await;
        answer(ended, |ended| {
            let ended = ended.iter();
            let ended = ended.map(|one| (place(&self.deliveries, &one.delivery), one.bytes));
            format!("{waits:?} {:?}", ended.collect::<Vec<_>>())
        })
    }
}
