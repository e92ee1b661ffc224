//! Claims: how they begin, and how they end.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    ChangedDelivery, Claim, ClaimToken, Claimed, DeliveryId, DeliveryRow, DeliveryState,
    HourlyCount, IfWaiting, LaneClaim, Reclaimed, Settled, Settlement, WaitingChange,
};
use redb::ReadableTable as _;

use super::codec::micros;
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
        let token = ClaimToken(tx.count("token")?);
        new.claim(token, lease_until);
        tx.replace(&old, &new)?;
        Ok(Claimed {
            delivery: new.delivery,
            token,
            class: lane.class,
            revision: sending.revision,
        })
    });
    claimed.collect()
}

pub(super) fn settle(tx: &Tx, settlement: Settlement) -> Answer<Settled> {
    let Some(old) = tx.slot(settlement.claim.delivery)? else {
        return Ok(Settled::Stale);
    };
    let (mut new, claim) = (old.clone(), settlement.claim);
    match new.settle(settlement) {
        Err(unchanged) => return Ok(unchanged),
        Ok(Some(attempt)) => tx.log(claim, attempt)?,
        Ok(None) => {}
    }
    tx.replace(&old, &new)?;
    Ok(Settled::Done)
}

/// Changes what waits.
pub(super) fn change_waiting(
    tx: &Tx,
    deliveries: &[IfWaiting],
    change: &WaitingChange,
    now: DateTime<Utc>,
) -> Answer<Vec<ChangedDelivery>> {
    let mut all = Vec::new();
    for asked in deliveries {
        let Some(old) = tx.slot(asked.delivery)? else {
            continue;
        };
        let mut new = old.clone();
        let Some((changed, attempt)) = new.change_waiting(*asked, change, now) else {
            continue;
        };
        if let Some(attempt) = attempt {
            let claim = Claim {
                delivery: asked.delivery,
                token: ClaimToken(tx.count("token")?),
            };
            tx.log(claim, attempt)?;
        }
        if let WaitingChange::Cancelled { .. } = change {
            counters::add_hourly(tx, &[HourlyCount::failed(changed.webhook, now)])?;
        }
        tx.replace(&old, &new)?;
        all.push(changed);
    }
    all.sort_unstable();
    Ok(all)
}

/// Takes back what is leased no more, at most `limit`.
pub(super) fn reclaim(tx: &Tx, limit: u32, now: DateTime<Utc>) -> Answer<Reclaimed> {
    let mut reclaimed = Reclaimed::default();
    for old in leases_over(tx, limit, now)? {
        let mut new = old.clone();
        if new.reclaim(now) == DeliveryState::Queued {
            reclaimed.requeued += 1;
        } else {
            let failed = HourlyCount::failed(new.delivery.webhook, now);
            counters::add_hourly(tx, &[failed])?;
            reclaimed.ended += 1;
        }
        tx.replace(&old, &new)?;
    }
    Ok(reclaimed)
}

fn leases_over(tx: &Tx, limit: u32, now: DateTime<Utc>) -> Answer<Vec<DeliveryRow>> {
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
