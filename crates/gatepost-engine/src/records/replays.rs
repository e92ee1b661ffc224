//! Replays: ended deliveries are sent again within their owners' limits.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    Delivery, DeliveryId, DeliveryQuery, DeliveryState, HasBody as _,
};
use gatepost_storage::{Bodies, Page, StoreError};
use webhook_model::{OwnerId, WebhookId};

use crate::engine::Engine;
use crate::error::EngineError;

/// Rows queued again in one transaction.
const BITE: u32 = 100;
/// The bytes of messages that end a batch earlier: they are in memory until their owners' headroom
/// is known.
const BYTES: Bodies = Bodies::UpTo(8 * 1024 * 1024);
/// The age from which the owner's permission to receive a delivery is checked again.
const STALE: TimeDelta = TimeDelta::hours(1);

/// The deliveries to send again. Only ended deliveries are sent again; others are skipped.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Replay {
    /// These deliveries.
    Ids(Vec<DeliveryId>),
    /// The deliveries of a webhook in state `error` that were created in a period.
    Failed {
        /// The webhook.
        webhook: WebhookId,
        /// The start of the period, inclusive.
        from: DateTime<Utc>,
        /// The end of the period, exclusive.
        before: DateTime<Utc>,
    },
}

/// The rows of one owner.
#[derive(Debug, Default)]
struct Share {
    rows: u32,
    bytes: u64,
    is_stale: bool,
}

impl Engine {
    /// Sends ended deliveries again: same bytes, same id. Deliveries without a kept message are
    /// skipped. Returns how many were queued: fewer than selected when the owner may not have more
    /// queued at this moment.
    ///
    /// # Errors
    /// When none were queued: [`EngineError::TooFast`], [`EngineError::Full`], and
    /// [`EngineError::Forbidden`] when the owner's account is disabled. Failures of the store;
    /// [`EngineError::Interrupted`] if some had been queued by then.
    pub async fn replay(&self, which: &Replay) -> Result<u64, EngineError> {
        let (mut queued, mut after) = (0, None);
        loop {
            match self.replay_batch(which, &mut after).await {
                Ok(Some(some)) => queued += some,
                Ok(None) => return Ok(queued),
                Err(EngineError::Store(source)) if queued > 0 => {
                    return Err(EngineError::Interrupted { queued, source });
                }
                // Calling again continues with the rest, when that is allowed.
                Err(_) if queued > 0 => return Ok(queued),
                Err(error) => return Err(error),
            }
            self.parts.activities.admission.inquiries.look();
        }
    }

    /// Makes pending deliveries due immediately, so that retries do not wait for their time.
    /// Returns their number.
    ///
    /// # Errors
    /// [`EngineError::TooFast`], failures of the store.
    pub async fn retry_now(&self, ids: &[DeliveryId]) -> Result<u64, EngineError> {
        let now = self.core.clock.now()?;
        let mut waiting = Vec::new();
        for id in ids {
            if let Some(mut row) = self.delivery(*id).await?
                && row.state == DeliveryState::Queued
                && row.due > now
            {
                row.omit_body();
                waiting.push(row);
            }
        }
        // A call that changes nothing is not charged and needs no transaction.
        if waiting.is_empty() {
            return Ok(0);
        }
        for (owner, share) in shares(&waiting, now) {
            self.core.access.run_by_hand(owner, share.rows)?;
        }
        let ids: Vec<_> = waiting.iter().map(|row| row.id).collect();
        let changed = self.core.store.hasten(&ids, now).await?;
        let admission = &self.parts.activities.admission;
        for row in waiting {
            admission.end_hold(row.webhook);
        }
        admission.inquiries.look();
        Ok(changed)
    }

    /// Replays the next batch. `None`: all are replayed.
    async fn replay_batch(
        &self,
        which: &Replay,
        after: &mut Option<DeliveryId>,
    ) -> Result<Option<u64>, EngineError> {
        let mut rows = self.replayed(which, *after).await?;
        let Some(last) = rows.last() else {
            return Ok(None);
        };
        *after = Some(last.id);
        let now = self.core.clock.now()?;
        // Deliveries that have not ended are being sent, and messages that were not kept cannot be.
        rows.retain(|row| row.state.is_final() && row.message_kept);
        let shares = shares(&rows, now);
        for (owner, share) in &shares {
            if share.is_stale {
                self.check_enabled(*owner).await?;
            }
            self.admit_queued(*owner, share.rows, share.bytes)?;
        }
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let queued = self.core.store.replay(&ids, now).await?;
        for (owner, share) in shares {
            let rows = u64::from(share.rows);
            self.core.access.waits_again(owner, rows, share.bytes);
        }
        Ok(Some(queued))
    }

    /// Reads the next rows, in order of their numbers.
    async fn replayed(
        &self,
        which: &Replay,
        after: Option<DeliveryId>,
    ) -> Result<Vec<Delivery>, StoreError> {
        let ids = match which {
            Replay::Ids(ids) => ids.iter().filter(|id| Some(**id) > after),
            Replay::Failed {
                webhook,
                from,
                before,
            } => {
                let page = Page::first(BITE).with_bodies(BYTES);
                let query = DeliveryQuery {
                    webhook: Some(*webhook),
                    states: vec![DeliveryState::Error],
                    created_from: Some(*from),
                    created_before: Some(*before),
                    ..DeliveryQuery::all(Page { after, ..page })
                };
                return self.core.store.list_deliveries(&query).await;
            }
        };
        let (mut rows, mut room) = (Vec::new(), BYTES);
        for id in ids.collect::<BTreeSet<_>>() {
            let Some(row) = self.core.store.delivery(*id).await? else {
                continue;
            };
            let has_room = room.take(row.body_bytes());
            rows.push(row);
            if rows.len() >= BITE as usize || !has_room {
                break;
            }
        }
        Ok(rows)
    }
}

fn shares(rows: &[Delivery], now: DateTime<Utc>) -> BTreeMap<OwnerId, Share> {
    let mut shares = BTreeMap::<_, Share>::new();
    for row in rows {
        let share = shares.entry(row.owner).or_default();
        share.rows += 1;
        share.bytes += row.body_bytes();
        share.is_stale |= now - row.created > STALE;
    }
    shares
}
