//! Settlements.

use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::webhooks::{Disposition, QueueClass, Settled, Settlement};
use rusqlite::Connection;

use crate::batch::{Batch, Member};
use crate::column::micros;
use crate::deliveries::outcome::{self, Outcome, State};
use crate::deliveries::waiting;
use crate::error::Result;
use crate::sql::{Sql as _, value};

/// A settlement and its attempt.
type Sealed = (Settlement, Option<SealedAttempt>);

pub(super) fn all(
    c: &Connection,
    batch: &mut Batch,
    settlements: &[Sealed],
) -> Result<Vec<Settled>> {
    // Anything that may fail comes before the first row is written.
    let members = settlements.iter().map(|(s, _)| claimed(c, batch, s));
    let members = members.collect::<Result<Vec<_>>>()?;
    let with_members = settlements.iter().zip(members);
    with_members
        .map(|(settlement, member)| match member {
            Some(member) => one(c, batch, settlement, member),
            None => known(c, &settlement.0),
        })
        .collect()
}

/// Returns the settled delivery, if its batch still runs and its webhook is not deleted.
fn claimed(c: &Connection, batch: &mut Batch, settlement: &Settlement) -> Result<Option<Member>> {
    let claim = settlement.claim;
    let member = batch.member(c, claim.token.0, claim.delivery.0)?;
    Ok(match member {
        Some(member) if batch.webhook(c, member.webhook)?.is_some() => Some(member),
        _ => None,
    })
}

fn one(
    c: &Connection,
    batch: &mut Batch,
    (settlement, attempt): &Sealed,
    member: Member,
) -> Result<Settled> {
    let attempt = attempt.as_ref();
    let after = after(settlement, attempt.is_some(), member);
    let state = match settlement.disposition {
        Disposition::Retry { .. } => State::Waits,
        Disposition::Release { .. } => State::GivenBack,
        Disposition::Sent => State::Sent,
        Disposition::Failed => State::Error,
    };
    let stored = outcome::insert(
        c,
        &Outcome {
            after,
            token: settlement.claim.token.0,
            state,
            status_info: &settlement.status_info,
            attempt,
        },
    )?;
    if !stored {
        return known(c, settlement);
    }
    batch.settled(c, settlement.claim.token.0)?;
    batch.grown(outcome::bytes(attempt));
    match settlement.disposition {
        Disposition::Retry { .. } => waiting::insert(c, after)?,
        Disposition::Release { .. } => {
            waiting::insert(c, after)?;
            batch.arrived();
        }
        Disposition::Sent | Disposition::Failed => {
            batch.ended(c, after.delivery)?;
            if !settlement.keep_message {
                forget_message(c, batch, after.delivery)?;
            }
        }
    }
    Ok(Settled::Done)
}

/// Returns the delivery after the settlement.
fn after(settlement: &Settlement, attempted: bool, member: Member) -> Member {
    let made = u32::from(attempted);
    let released = matches!(settlement.disposition, Disposition::Release { .. });
    let tries = member.tries.saturating_add(made);
    let class = match made {
        0 if released || !member.is_lost() => member.class,
        _ if tries > 0 => QueueClass::Retry.number(),
        _ => QueueClass::First.number(),
    };
    let (_, due) = settlement.disposition.state_and_due();
    Member {
        due: due.map_or(member.due, micros),
        attempts: member.attempts.saturating_add(made),
        tries,
        class,
        ..member
    }
}

/// Returns `Done` if this token was settled earlier and is still the last one; any other settlement
/// is too late.
fn known(c: &Connection, settlement: &Settlement) -> Result<Settled> {
    let claim = settlement.claim;
    let last: Option<i64> = c.first(sql!("queue/last_token"), [claim.delivery.0], value)?;
    Ok(if last == Some(claim.token.0) {
        Settled::Done
    } else {
        Settled::Stale
    })
}

fn forget_message(c: &Connection, batch: &mut Batch, delivery: i64) -> Result<()> {
    let sql = "SELECT octet_length(body) FROM gatepost_delivery WHERE id = ?1";
    let length: i64 = c.one(sql, [delivery], value)?;
    c.run(sql!("queue/forget_message"), [delivery])?;
    batch.grown(-length);
    Ok(())
}
