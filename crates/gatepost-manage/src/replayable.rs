//! Counting and replaying the ended deliveries of a webhook.

use chrono::{DateTime, Utc};
use gatepost_engine::{EngineError, Replay};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState, RecordId};
use webhook_model::WebhookId;

use crate::actor::Actor;
use crate::audit::Operation;
use crate::completion::{Answer, contain};
use crate::error::ManageError;
use crate::search::DeliveryMatch;
use crate::tables::WEBHOOKS;

/// The maximum number of deliveries that are counted, and replayed in one call.
const MOST: usize = 1_000;
/// The maximum number of searches, each of which reads up to 5,000 rows.
const LOOKS: usize = 4;

/// A filter for deliveries to replay.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Replayable {
    /// The webhook.
    pub webhook: WebhookId,
    /// Only deliveries in one of these states, `sent` or `error`; an empty list means both.
    pub states: Vec<DeliveryState>,
    /// Only deliveries whose last attempt ended with this class.
    pub class: Option<String>,
    /// Only deliveries queued at or after this.
    pub from: DateTime<Utc>,
    /// Only deliveries queued before this.
    pub before: DateTime<Utc>,
}

impl Replayable {
    /// Creates a filter for all ended deliveries of a webhook that were queued at or after `from`
    /// and before `before`.
    #[must_use]
    pub fn new(webhook: WebhookId, from: DateTime<Utc>, before: DateTime<Utc>) -> Self {
        Self {
            webhook,
            states: Vec::new(),
            class: None,
            from,
            before,
        }
    }
}

/// The number of deliveries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ReplayCount {
    /// The number of found deliveries, at most 1,000.
    pub found: usize,
    /// Whether the number is complete.
    pub is_all: bool,
}

impl Actor {
    /// Counts the deliveries that [`replay_some`](Self::replay_some) would replay. Deliveries
    /// without a kept message are left out.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn count_replayable<'a>(&'a self, which: &'a Replayable) -> Answer<'a, ReplayCount> {
        contain(async move {
            let (ids, is_all) = self.replayable(which).await?;
            let found = ids.len();
            Ok(ReplayCount { found, is_all })
        })
    }

    /// Queues the oldest 1,000 of these deliveries again: the same bytes under the same ids.
    /// Returns the number: less than counted if the owner has reached the limit of waiting
    /// deliveries.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::TooFast`], [`ManageError::Full`], failures of
    /// store and accounts; [`ManageError::Interrupted`] if some had been queued by then.
    pub fn replay_some(&self, which: Replayable) -> Answer<'_, u64> {
        let webhook = which.webhook;
        let queued = self.change(WEBHOOKS, Operation::Replay, move |actor| async move {
            let owner = actor.own_record(RecordId::Webhook(webhook)).await?;
            let (ids, _) = actor.replayable(&which).await?;
            let queued = match actor.engine().replay(&Replay::Ids(ids)).await {
                // A part succeeded, so there is something to record.
                Err(error @ EngineError::Interrupted { .. }) => Err(error.into()),
                queued => Ok(queued?),
            };
            Ok((actor.webhook_subject(webhook, owner).await, queued))
        });
        Box::pin(async move { queued.await? })
    }

    /// Returns the oldest deliveries that can be replayed, and whether these are all.
    async fn replayable(&self, which: &Replayable) -> Result<(Vec<DeliveryId>, bool), ManageError> {
        self.own_record(RecordId::Webhook(which.webhook)).await?;
        let states = match which.states.is_empty() {
            true => vec![DeliveryState::Sent, DeliveryState::Error],
            false => which.states.clone(),
        };
        let most = u32::try_from(MOST).unwrap_or(u32::MAX);
        let mut query = DeliveryQuery {
            webhook: Some(which.webhook),
            states,
            class: which.class.clone(),
            created_from: Some(which.from),
            created_before: Some(which.before),
            ..DeliveryQuery::all(Page::first(most))
        };
        let can_be = |row: &Delivery| row.state.is_final() && row.message_kept;
        let mut ids = Vec::new();
        for _ in 0..LOOKS {
            let some = self
                .find_deliveries(&query, &DeliveryMatch::default())
                .await?;
            let found = some.rows.iter().filter(|row| can_be(row));
            ids.extend(found.map(|row| row.id).take(MOST - ids.len()));
            let Some(next) = some.next else {
                return Ok((ids, true));
            };
            if ids.len() >= MOST {
                break;
            }
            query.page.after = Some(next);
        }
        Ok((ids, false))
    }
}
