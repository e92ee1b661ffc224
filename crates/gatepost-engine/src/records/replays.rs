//! Deliveries that have ended are sent again, as far as their owners may.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    Bodied as _, Delivery, DeliveryId, DeliveryQuery, DeliveryState, Replay,
};
use gatepost_storage::{Bodies, Page, StoreError};
use webhook_model::OwnerId;

use super::by_hand::{enabled, full};
use crate::core::Core;
use crate::engine::Engine;
use crate::error::EngineError;

/// Rows queued again in one transaction.
const BITE: usize = 100;
/// Fewer where their messages come to this: they are in memory until their owners' room is known.
const BYTES: Bodies = Bodies::UpTo(8 * 1024 * 1024);
/// What was made this long ago was allowed then: whether its owner still is, is asked again.
const STALE: TimeDelta = TimeDelta::hours(1);

/// Rows of one owner.
#[derive(Debug, Default)]
struct Share {
    rows: u32,
    bytes: u64,
    is_stale: bool,
}

impl Engine {
    /// Sends deliveries again that have ended: same bytes, same id. Those whose message was not
    /// kept are passed over. Returns how many were queued: fewer than there are when the owner
    /// may not have more queued at this moment.
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
                // Calling again goes on with the rest, when that is allowed.
                Err(_) if queued > 0 => return Ok(queued),
                Err(error) => return Err(error),
            }
            self.parts.activities.admission.inquiries.look();
        }
    }

    /// Deliveries that wait for later are due now: those that are retried need not wait for their
    /// time. Returns how many.
    ///
    /// # Errors
    /// [`EngineError::TooFast`], failures of the store.
    pub async fn hasten(&self, ids: &[DeliveryId]) -> Result<u64, EngineError> {
        let now = self.core.clock.now()?;
        let (mut waiting, mut shares) = (Vec::new(), BTreeMap::<OwnerId, u32>::new());
        let mut webhooks = BTreeSet::new();
        for id in ids {
            let delivery = self.delivery(*id).await?;
            if let Some(delivery) = delivery.filter(|delivery| waits_for_later(delivery, now)) {
                waiting.push(delivery.id);
                webhooks.insert(delivery.webhook);
                *shares.entry(delivery.owner).or_default() += 1;
            }
        }
        // What changes nothing is charged to nobody, and costs no transaction.
        if waiting.is_empty() {
            return Ok(0);
        }
        for (owner, rows) in shares {
            self.core.access.run_by_hand(owner, rows)?;
        }
        let hastened = self.core.store.hasten(&waiting, now).await?;
        let admission = &self.parts.activities.admission;
        webhooks.into_iter().for_each(|id| admission.end_hold(id));
        admission.inquiries.look();
        Ok(hastened)
    }

    /// `None`: there are no more.
    async fn replay_batch(
        &self,
        which: &Replay,
        after: &mut Option<DeliveryId>,
    ) -> Result<Option<u64>, EngineError> {
        let rows = self.replayed(which, *after).await?;
        let Some(last) = rows.last() else {
            return Ok(None);
        };
        *after = Some(last.id);
        let now = self.core.clock.now()?;
        let ended: Vec<&Delivery> = rows.iter().filter(|row| can_be_sent_again(row)).collect();
        let shares = shares(&ended, now);
        for (owner, share) in &shares {
            self.admit_replay(*owner, share).await?;
        }
        let ids = Replay::Ids(ended.iter().map(|row| row.id).collect());
        let limit = u32::try_from(BITE).unwrap_or(u32::MAX);
        let Core { store, access, .. } = &*self.core;
        let queued = store.replay(&ids, limit, now).await?;
        for (owner, share) in shares {
            access.waits_again(owner, u64::from(share.rows), share.bytes);
        }
        Ok(Some(queued))
    }

    async fn admit_replay(&self, owner: OwnerId, share: &Share) -> Result<(), EngineError> {
        if share.is_stale {
            enabled(&self.core.access, owner).await?;
        }
        let room = self.core.access.headroom(owner);
        if room.deliveries < u64::from(share.rows) || room.bytes < share.bytes {
            return Err(full(&self.core.access, owner));
        }
        self.core.access.run_by_hand(owner, share.rows)
    }

    /// The next rows, in order of their numbers.
    async fn replayed(
        &self,
        which: &Replay,
        after: Option<DeliveryId>,
    ) -> Result<Vec<Delivery>, StoreError> {
        let (webhook, from, before) = match which {
            Replay::Ids(ids) => return self.replayed_by_id(ids, after).await,
            Replay::Failed {
                webhook,
                from,
                before,
            } => (*webhook, *from, *before),
        };
        let page = Page::first(u32::try_from(BITE).unwrap_or(u32::MAX)).with_bodies(BYTES);
        let query = DeliveryQuery {
            webhook: Some(webhook),
            states: vec![DeliveryState::Error],
            created_from: Some(from),
            created_before: Some(before),
            ..DeliveryQuery::all(Page { after, ..page })
        };
        self.core.store.list_deliveries(&query).await
    }

    async fn replayed_by_id(
        &self,
        ids: &[DeliveryId],
        after: Option<DeliveryId>,
    ) -> Result<Vec<Delivery>, StoreError> {
        let mut left: Vec<DeliveryId> =
            ids.iter().copied().filter(|id| Some(*id) > after).collect();
        left.sort_unstable();
        left.dedup();
        let (mut rows, mut room) = (Vec::new(), BYTES);
        for id in left {
            let Some(row) = self.core.store.delivery(id).await? else {
                continue;
            };
            let has_room = room.take(row.body_bytes());
            rows.push(row);
            if rows.len() == BITE || !has_room {
                break;
            }
        }
        Ok(rows)
    }
}

/// What is due, or is being sent, cannot be hastened.
fn waits_for_later(row: &Delivery, now: DateTime<Utc>) -> bool {
    row.state == DeliveryState::Queued && row.due > now
}

/// What did not end is being sent as it is, and what was not kept is gone.
fn can_be_sent_again(row: &Delivery) -> bool {
    row.state.is_final() && row.message_kept
}

fn shares(rows: &[&Delivery], now: DateTime<Utc>) -> BTreeMap<OwnerId, Share> {
    let mut shares = BTreeMap::<_, Share>::new();
    for row in rows {
        let share = shares.entry(row.owner).or_default();
        share.rows += 1;
        share.bytes += row.body.len() as u64;
        share.is_stale |= now - row.created > STALE;
    }
    shares
}
