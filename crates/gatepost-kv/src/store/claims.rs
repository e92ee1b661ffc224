//! Claims: what may be claimed, how a claim begins and how it ends.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::Revision;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    ChangedDelivery, Claim, ClaimToken, Claimed, DeliveryId, DeliveryState, HourlyCount, IfWaiting,
    Lane, LaneClaim, Reclaimed, Settled, Settlement, WaitingChange,
};
use webhook_model::{Webhook, WebhookId};

use super::deliveries::{self, Entry, TOKENS, queue_key};
use super::error::{Outcome, Stop};
use super::heads::head_of;
use super::key::{Key, last_number};
use super::tables::{LEASED, OPEN, QUEUED, RUNNING};
use super::tx::{Tx, keys_in};
use super::{counters, numbers, owners};
use crate::contract::View;
use crate::span::Span;

/// A webhook that sends, and whose owner may send.
pub(super) struct Sending {
    pub(super) owner: OwnerId,
    pub(super) place: Place,
    pub(super) revision: Revision,
    in_order: bool,
}

pub(super) fn sending(view: &dyn View, webhook: WebhookId) -> Outcome<Option<Sending>> {
    let Some(head) = head_of::<Webhook>(view, webhook)?.filter(|head| head.enabled) else {
        return Ok(None);
    };
    let standing = owners::standing(view, head.owner)?;
    Ok(standing.sends().then_some(Sending {
        owner: head.owner,
        place: standing.place,
        revision: Revision(head.revision),
        in_order: head.in_order,
    }))
}

impl Sending {
    /// At most `limit` numbers of what may be claimed from a queue now, oldest due first.
    pub(super) fn claimable(
        &self,
        view: &dyn View,
        lane: Lane,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Outcome<Vec<DeliveryId>> {
        if self.in_order {
            let head = self.head(view, lane, now)?;
            return Ok(head.into_iter().take(limit as usize).collect());
        }
        let due = queue_key(lane).time(now).number(i64::MAX);
        let span = Span::between(queue_key(lane), due);
        let keys = keys_in(view, QUEUED, &span, limit as usize)?;
        keys.iter()
            .map(|key| Ok(DeliveryId(last_number(key)?)))
            .collect()
    }

    /// The oldest delivery of a webhook in order, if it may be claimed from this queue now.
    fn head(&self, view: &dyn View, lane: Lane, now: DateTime<Utc>) -> Outcome<Option<DeliveryId>> {
        let own = Span::prefix(Key::new().number(lane.webhook.0));
        if !keys_in(view, RUNNING, &own, 1)?.is_empty() {
            return Ok(None);
        }
        let Some(key) = keys_in(view, OPEN, &own, 1)?.pop() else {
            return Ok(None);
        };
        let id = DeliveryId(last_number(&key)?);
        let fits = match deliveries::get(view, id) {
            Ok(head) => {
                head.is_some_and(|head| head.row.lane() == lane && head.row.delivery.due <= now)
            }
            // Whoever claims it takes it out of the queue.
            Err(Stop::Refused(_)) => true,
            Err(stop) => return Err(stop),
        };
        Ok(fits.then_some(id))
    }
}

pub(super) fn claim(
    tx: &mut Tx<'_>,
    LaneClaim { lane, limit }: LaneClaim,
    lease_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Outcome<Vec<Claimed>> {
    let Some(sending) = sending(tx, lane.webhook)? else {
        return Ok(Vec::new());
    };
    let ids = if sending.in_order {
        sending.claimable(tx, lane, limit, now)?
    } else {
        sending.claimable(&tx.peeking(), lane, limit, now)?
    };
    let mut claimed = Vec::new();
    for id in ids {
        let waits =
            |entry: &Entry| entry.state() == DeliveryState::Queued && entry.row.lane() == lane;
        match deliveries::get(tx, id) {
            Ok(Some(entry)) if waits(&entry) => {}
            Ok(_) => continue,
            Err(Stop::Refused(_)) => {
                deliveries::forget(tx, id)?;
                continue;
            }
            Err(stop) => return Err(stop),
        }
        let token = ClaimToken(numbers::next(tx, TOKENS)?);
        let entry = deliveries::change(tx, id, |entry| {
            entry.row.claim(token, lease_until);
            entry.clone()
        })?;
        if let Some(entry) = entry {
            let body = deliveries::body(tx, &entry)?;
            let mut delivery = entry.row.delivery;
            delivery.body = body;
            claimed.push(Claimed {
                delivery,
                token,
                class: lane.class,
                revision: sending.revision,
            });
        }
    }
    Ok(claimed)
}

pub(super) fn settle(
    tx: &mut Tx<'_>,
    settlement: Settlement,
    keys: &SealingKeys,
) -> Outcome<Settled> {
    let claim = settlement.claim;
    let settled = deliveries::change(tx, claim.delivery, |entry| entry.row.settle(settlement))?;
    match settled {
        None => return Ok(Settled::Stale),
        Some(Err(unchanged)) => return Ok(unchanged),
        Some(Ok(Some(attempt))) => deliveries::log(tx, claim, attempt, keys)?,
        Some(Ok(None)) => {}
    }
    Ok(Settled::Done)
}

/// Changes what waits.
pub(super) fn change_waiting(
    tx: &mut Tx<'_>,
    deliveries: &[IfWaiting],
    change: &WaitingChange,
    keys: &SealingKeys,
    now: DateTime<Utc>,
) -> Outcome<Vec<ChangedDelivery>> {
    let mut all = Vec::new();
    for asked in deliveries {
        let changed = deliveries::change(tx, asked.delivery, |entry| {
            let bytes = entry.body_bytes;
            let (changed, attempt) = entry.row.change_waiting(*asked, change, now)?;
            Some((ChangedDelivery { bytes, ..changed }, attempt))
        })?;
        let Some((changed, attempt)) = changed.flatten() else {
            continue;
        };
        if let Some(attempt) = attempt {
            let token = ClaimToken(numbers::next(tx, TOKENS)?);
            let delivery = asked.delivery;
            deliveries::log(tx, Claim { delivery, token }, attempt, keys)?;
        }
        if let WaitingChange::Cancelled { .. } = change {
            counters::add_hourly(tx, &HourlyCount::failed(changed.webhook, now))?;
        }
        all.push(changed);
    }
    all.sort_unstable();
    Ok(all)
}

/// Takes back what is leased no more, at most `limit`.
pub(super) fn reclaim(tx: &mut Tx<'_>, limit: u32, now: DateTime<Utc>) -> Outcome<Reclaimed> {
    let span = Span::between([], Key::new().time(now).number(i64::MAX));
    let mut reclaimed = Reclaimed::default();
    for key in keys_in(&tx.peeking(), LEASED, &span, limit as usize)? {
        let id = DeliveryId(last_number(&key)?);
        let is_over = |entry: &Entry| {
            let end = entry.row.delivery.lease_until;
            entry.state() == DeliveryState::Running && end.is_some_and(|end| end <= now)
        };
        let back = deliveries::change(tx, id, |entry| {
            is_over(entry).then(|| (entry.row.reclaim(now), entry.row.delivery.webhook))
        });
        let back = match back {
            Err(Stop::Refused(_)) => {
                deliveries::forget(tx, id)?;
                None
            }
            back => back?.flatten(),
        };
        match back {
            Some((DeliveryState::Queued, _)) => reclaimed.requeued += 1,
            Some((_, webhook)) => {
                counters::add_hourly(tx, &HourlyCount::failed(webhook, now))?;
                reclaimed.ended += 1;
            }
            None => {}
        }
    }
    Ok(reclaimed)
}
