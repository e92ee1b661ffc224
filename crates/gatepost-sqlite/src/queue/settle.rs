//! Settlements.

use gatepost_storage::webhooks::{AttemptRecord, Disposition, Settled, Settlement};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::row::number_of;
use super::token::claims;
use crate::column::{length, micros};
use crate::error::Result;

pub(super) fn settle(c: &Connection, settlement: &Settlement) -> Result<Settled> {
    let claim = settlement.claim;
    let Some(claims) = claims(claim) else {
        return Ok(Settled::Stale);
    };
    let (state, due) = settlement.disposition.state_and_due();
    let attempt = settlement.attempt.as_ref();
    let logged: Option<i64> = c
        .prepare_cached(include_str!("../sql/queue/settle.sql"))?
        .query_row(
            params![
                claim.delivery.0,
                claims,
                number_of(state),
                due.map(micros),
                settlement.status_info,
                attempt.is_some(),
                attempt.map(|a| micros(a.started)),
                attempt.and_then(|a| a.status),
                attempt.map(|a| length(a.duration)),
                matches!(settlement.disposition, Disposition::Release { .. }),
            ],
            |row| row.get(0),
        )
        .optional()?;
    match (logged, attempt) {
        (Some(number), Some(attempt)) => insert(c, claim.delivery.0, number, attempt)?,
        (Some(_), None) => {}
        (None, _) => {
            let known = c
                .prepare_cached(include_str!("../sql/queue/settled.sql"))?
                .exists([claim.delivery.0, claims])?;
            return Ok(if known { Settled::Done } else { Settled::Stale });
        }
    }
    if state.is_final() && !settlement.keep_message {
        c.prepare_cached(include_str!("../sql/queue/forget_message.sql"))?
            .execute([claim.delivery.0])?;
    }
    Ok(Settled::Done)
}

fn insert(c: &Connection, delivery: i64, number: i64, attempt: &AttemptRecord) -> Result<()> {
    let phases = &attempt.phases;
    c.prepare_cached(include_str!("../sql/queue/insert_attempt.sql"))?
        .execute(params![
            delivery,
            number,
            micros(attempt.started),
            length(attempt.duration),
            phases.dns.map(length),
            phases.connect.map(length),
            phases.tls.map(length),
            phases.first_byte.map(length),
            attempt.class,
            attempt.info,
            attempt.status,
            attempt.remote.map(|r| r.to_string()),
            attempt.protocol,
            attempt.response_head,
            attempt.response_body,
            attempt.truncated,
            attempt.kept,
        ])?;
    Ok(())
}
