//! Claims: the deliveries that may be claimed, the beginning and the end of a claim.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::Revision;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    ChangedDelivery, Claim, ClaimToken, Claimed, DeliveryId, DeliveryState, EndReason, HourlyCount,
    IfWaiting, QueueClaim, Reclaimed, Settled, Settlement, WaitingChange, WebhookQueue,
};
use webhook_model::{Webhook, WebhookId};

use super::deliveries::{self, Entry, queue_key};
use super::error::{Outcome, Stop};
use super::heads::head_of;
use super::key::{Key, last_number};
use super::tables::{LEASED, OPEN, QUEUED, RUNNING};
use super::tx::{Tx, keys_in};
use super::{counters, numbers, owner_status};
use crate::contract::View;
use crate::key_range::KeyRange;

/// An active webhook whose owner may send.
pub(super) struct Sending {
    pub(super) owner: OwnerId,
    pub(super) place: Realm,
    pub(super) revision: Revision,
    in_order: bool,
}

pub(super) fn sending(view: &dyn View, webhook: WebhookId) -> Outcome<Option<Sending>> {
    let Some(head) = head_of::<Webhook>(view, webhook)?.filter(|head| head.enabled) else {
        return Ok(None);
    };
    let standing = owner_status::of(view, head.owner)?;
    Ok(standing.sends().then_some(Sending {
        owner: head.owner,
        place: standing.place,
        revision: Revision(head.revision),
        in_order: head.in_order,
    }))
}

impl Sending {
    /// Returns at most `limit` numbers of deliveries that may be claimed from a queue at this time,
    /// the oldest due first.
    pub(super) fn claimable(
        &self,
        view: &dyn View,
        queue: WebhookQueue,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Outcome<Vec<DeliveryId>> {
        if self.in_order {
            let head = self.head(view, queue, now)?;
            return Ok(head.into_iter().take(limit as usize).collect());
        }
        let due = queue_key(queue).time(now).number(i64::MAX);
        let range = KeyRange::between(queue_key(queue), due);
        let keys = keys_in(view, QUEUED, &range, limit as usize)?;
        keys.iter()
            .map(|key| Ok(DeliveryId(last_number(key)?)))
            .collect()
    }

    /// Returns the oldest delivery of a webhook in order, if it may be claimed from this queue at
    /// this time.
    fn head(
        &self,
        view: &dyn View,
        queue: WebhookQueue,
        now: DateTime<Utc>,
    ) -> Outcome<Option<DeliveryId>> {
        let own = KeyRange::prefix(Key::new().number(queue.webhook.0));
        if !keys_in(view, RUNNING, &own, 1)?.is_empty() {
            return Ok(None);
        }
        let Some(key) = keys_in(view, OPEN, &own, 1)?.pop() else {
            return Ok(None);
        };
        let id = DeliveryId(last_number(&key)?);
        let fits = match deliveries::get(view, id) {
            Ok(head) => {
                head.is_some_and(|head| head.row.queue() == queue && head.row.delivery.due <= now)
            }
            // The claim that finds it removes it from the queue.
            Err(Stop::Refused(_)) => true,
            Err(stop) => return Err(stop),
        };
        Ok(fits.then_some(id))
    }
}

pub(super) fn claim(
    tx: &mut Tx<'_>,
    QueueClaim { queue, limit }: QueueClaim,
    lease_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Outcome<Vec<Claimed>> {
    let Some(sending) = sending(tx, queue.webhook)? else {
        return Ok(Vec::new());
    };
    let ids = if sending.in_order {
        sending.claimable(tx, queue, limit, now)?
    } else {
        sending.claimable(&tx.peeking(), queue, limit, now)?
    };
    let mut claimed = Vec::new();
    for id in ids {
        let waits =
            |entry: &Entry| entry.state() == DeliveryState::Queued && entry.row.queue() == queue;
        if let Some(mut entry) = deliveries::get_or_forget(tx, id)?.filter(waits) {
            let body = match deliveries::body(tx, &entry) {
                Err(Stop::Refused(error)) => {
                    let reason = EndReason::unreadable(&error.reason());
                    deliveries::change_read(tx, &mut entry, |row| {
                        row.fail(&reason);
                        row.delivery.message_kept = false;
                        Some(())
                    })?;
                    continue;
                }
                body => body?,
            };
            let last = entry.row.token.map_or(0, |token| token.0);
            let token = ClaimToken(numbers::next_token(tx, last)?);
            deliveries::change_read(tx, &mut entry, |row| {
                row.claim(token, lease_until);
                Some(())
            })?;
            let mut delivery = entry.row.delivery;
            delivery.body = body;
            claimed.push(Claimed {
                delivery,
                token,
                class: queue.class,
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
    let (claim, mut answer) = (settlement.claim, Settled::Stale);
    let settled = deliveries::change(tx, claim.delivery, |row| {
        let settled = row.settle(settlement);
        settled.map_err(|unchanged| answer = unchanged).ok()
    })?;
    let Some(attempt) = settled else {
        return Ok(answer);
    };
    if let Some(attempt) = attempt {
        deliveries::log(tx, claim, attempt, keys)?;
    }
    Ok(Settled::Done)
}

/// Changes waiting deliveries.
pub(super) fn change_waiting(
    tx: &mut Tx<'_>,
    deliveries: &[IfWaiting],
    change: &WaitingChange,
    keys: &SealingKeys,
    now: DateTime<Utc>,
) -> Outcome<Vec<ChangedDelivery>> {
    let mut all = Vec::new();
    for asked in deliveries {
        let Some(mut entry) = deliveries::get(tx, asked.delivery)? else {
            continue;
        };
        let bytes = entry.body_bytes;
        let changed = deliveries::change_read(tx, &mut entry, |row| {
            row.change_waiting(*asked, change, now)
        })?;
        let Some((changed, attempt)) = changed else {
            continue;
        };
        if let Some(attempt) = attempt {
            let token = ClaimToken(numbers::next_token(tx, 0)?);
            let delivery = asked.delivery;
            deliveries::log(tx, Claim { delivery, token }, attempt, keys)?;
        }
        if let WaitingChange::Cancelled { .. } = change {
            counters::add_hourly(tx, &HourlyCount::failed(changed.webhook, now))?;
        }
        all.push(ChangedDelivery { bytes, ..changed });
    }
    all.sort_unstable();
    Ok(all)
}

/// Reclaims deliveries whose lease has ended, at most `limit`.
pub(super) fn reclaim(tx: &mut Tx<'_>, limit: u32, now: DateTime<Utc>) -> Outcome<Reclaimed> {
    let range = KeyRange::between([], Key::new().time(now).number(i64::MAX));
    let mut reclaimed = Reclaimed::default();
    for key in keys_in(&tx.peeking(), LEASED, &range, limit as usize)? {
        let id = DeliveryId(last_number(&key)?);
        let back = deliveries::change(tx, id, |row| {
            let (state, end) = (row.delivery.state, row.delivery.lease_until);
            let is_over = state == DeliveryState::Running && end.is_some_and(|end| end <= now);
            is_over.then(|| (row.reclaim(now), row.delivery.webhook))
        });
        let back = match back {
            Err(Stop::Refused(_)) => {
                deliveries::forget(tx, id)?;
                None
            }
            back => back?,
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
