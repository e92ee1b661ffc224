//! What of a webhook has not ended.

use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::paging::newest_rows;
use crate::texts::Texts;

/// At most this number of deliveries is counted.
const MOST: u32 = 1_000;

/// Deliveries that have not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    queued: usize,
    running: usize,
    /// There are more than were counted.
    more: bool,
}

impl Open {
    pub(super) async fn of(ctx: &PageContext, webhook: WebhookId) -> Result<Self, Failure> {
        let query = DeliveryQuery {
            webhook: Some(webhook),
            states: vec![DeliveryState::Queued, DeliveryState::Running],
            ..DeliveryQuery::all(newest_rows(MOST))
        };
        let found = ctx.actor.deliveries(&query).await?;
        let running = found.rows.iter();
        let running = running.filter(|delivery| delivery.state == DeliveryState::Running);
        let running = running.count();
        Ok(Self {
            queued: found.rows.len() - running,
            running,
            more: found.next.is_some(),
        })
    }

    /// How many wait, and how many are being sent.
    pub(super) fn words(self, texts: &Texts) -> [String; 2] {
        [self.queued, self.running].map(|count| match self.more {
            true => texts.with("webhooks-figure-more", &[("count", count.into())]),
            false => texts.number(count as u64),
        })
    }
}
