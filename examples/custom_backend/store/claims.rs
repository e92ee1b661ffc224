//! Claims: how they begin, and how they end.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Acknowledged, Acknowledgement, AttemptRecord, ClaimToken, Claimed, DeliveryId, DeliveryState,
    Disposition, FETCHED_INFO, HourlyCount, LaneClaim, MAX_LOST_CLAIMS, Reclaimed, Settled,
    Settlement, lost_claims_info,
};
use redb::ReadableTable as _;

use super::codec::micros;
use super::delivery::{Slot, to_micros};
use super::error::{Answer, failed};
use super::tables::{RUNNING, Tx};
use super::{counters, lanes};

pub(super) fn claim(
    tx: &Tx,
    LaneClaim { lane, limit }: LaneClaim,
    lease_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Answer<Vec<Claimed>> {
    let queue = lanes::to_write(tx)?;
    let Some(sending) = queue.sending(lane.webhook.0)? else {
        return Ok(Vec::new());
    };
    let found = queue.claimable(lane, limit, now)?;
    drop(queue);
    let claimed = found.into_iter().map(|old| {
        let mut new = old.clone();
        new.token = tx.count("token")?;
        new.delivery.state = DeliveryState::Running;
        new.delivery.lease_until = Some(to_micros(lease_until));
        tx.replace(&old, &new)?;
        Ok(Claimed {
            token: ClaimToken(new.token),
            delivery: new.delivery,
            class: lane.class,
            revision: sending.revision,
        })
    });
    claimed.collect()
}

pub(super) fn settle(tx: &Tx, settlement: Settlement) -> Answer<Settled> {
    let token = settlement.claim.token.0;
    let Some(old) = tx.slot(settlement.claim.delivery)? else {
        return Ok(Settled::Stale);
    };
    if old.delivery.state != DeliveryState::Running || old.token != token {
        let done = old.settled == Some(token);
        return Ok(if done { Settled::Done } else { Settled::Stale });
    }
    let mut new = old.clone();
    new.settled = Some(token);
    let delivery = &mut new.delivery;
    delivery.lease_until = None;
    delivery.status_info = settlement.status_info;
    if let Some(attempt) = settlement.attempt {
        attempted(tx, &mut new, &attempt)?;
    }
    // What is given back is as it was before the claim.
    new.alone &= matches!(settlement.disposition, Disposition::Release { .. });
    let (state, due) = settlement.disposition.state_and_due();
    new.delivery.state = state;
    new.delivery.due = due.map_or(new.delivery.due, to_micros);
    if state.is_final() && !settlement.keep_message {
        forget_message(&mut new);
    }
    tx.replace(&old, &new)?;
    Ok(Settled::Done)
}

/// Ends what was fetched.
pub(super) fn acknowledge(
    tx: &Tx,
    fetched: &Acknowledgement,
    now: DateTime<Utc>,
) -> Answer<Vec<Acknowledged>> {
    let mut ended = Vec::new();
    for handed in &fetched.deliveries {
        let Some(old) = tx.slot(handed.delivery)? else {
            continue;
        };
        let d = &old.delivery;
        if d.state != DeliveryState::Queued
            || d.webhook != fetched.webhook
            || d.attempts != handed.attempts
        {
            continue;
        }
        let mut new = old.clone();
        new.settled = None;
        new.alone = false;
        new.delivery.state = DeliveryState::Sent;
        FETCHED_INFO.clone_into(&mut new.delivery.status_info);
        attempted(tx, &mut new, &AttemptRecord::fetched(now))?;
        if !fetched.keep_messages {
            forget_message(&mut new);
        }
        tx.replace(&old, &new)?;
        ended.push(Acknowledged {
            delivery: handed.delivery,
            bytes: d.body.len() as u64,
        });
    }
    ended.sort_unstable();
    Ok(ended)
}

fn attempted(tx: &Tx, slot: &mut Slot, attempt: &AttemptRecord) -> Answer<()> {
    slot.responses += attempt.kept_bytes();
    let delivery = &mut slot.delivery;
    delivery.attempts += 1;
    delivery.tries += 1;
    delivery.class.clone_from(&attempt.class);
    delivery.last_attempt = Some(to_micros(attempt.started));
    delivery.response_status = attempt.status;
    delivery.duration = Some(attempt.duration);
    let attempt = AttemptRecord {
        number: delivery.attempts,
        ..attempt.clone()
    };
    tx.log(delivery.id, &attempt)
}

fn forget_message(slot: &mut Slot) {
    slot.delivery.body = "".into();
    slot.delivery.message_kept = false;
}

/// Takes back what is leased no more, at most `limit`.
pub(super) fn reclaim(tx: &Tx, limit: u32, now: DateTime<Utc>) -> Answer<Reclaimed> {
    let mut reclaimed = Reclaimed::default();
    for old in leases_over(tx, limit, now)? {
        let mut new = old.clone();
        new.settled = None;
        new.delivery.lease_until = None;
        new.delivery.lost_claims += u32::from(new.alone);
        new.alone = true;
        if new.delivery.lost_claims >= MAX_LOST_CLAIMS {
            new.delivery.state = DeliveryState::Error;
            new.delivery.status_info = lost_claims_info();
            let failed = HourlyCount::failed(new.delivery.webhook, now);
            counters::add(tx, &[failed])?;
            reclaimed.ended += 1;
        } else {
            new.delivery.state = DeliveryState::Queued;
            new.delivery.due = to_micros(now);
            reclaimed.requeued += 1;
        }
        tx.replace(&old, &new)?;
    }
    Ok(reclaimed)
}

fn leases_over(tx: &Tx, limit: u32, now: DateTime<Utc>) -> Answer<Vec<Slot>> {
    let mut over = Vec::new();
    let running = tx.open(RUNNING)?;
    let ended = running.range(..=(micros(now), i64::MAX));
    for entry in ended.map_err(failed)? {
        if over.len() >= limit as usize {
            break;
        }
        let id = DeliveryId(entry.map_err(failed)?.0.value().1);
        over.extend(tx.slot(id)?);
    }
    Ok(over)
}
