//! Changes of waiting deliveries: claimed, cancelled or made due immediately.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::webhooks::{
    ChangedDelivery, Claim, ClaimToken, DeliveryId, EndReason, IfWaiting, QueueClass, WaitingChange,
};
use rusqlite::Connection;
use webhook_model::WebhookId;

use crate::batch::{Member, ended, next_token, webhook};
use crate::column::{micros, number};
use crate::deliveries::outcome::{self, Outcome, State};
use crate::deliveries::{count_failed, end_waiting, shrunk, waiting};
use crate::error::Result;
use crate::named::Named;
use crate::records::usage::stored;
use crate::sql::Sql as _;
use crate::watch;

pub(super) fn change(
    c: &Connection,
    deliveries: &[IfWaiting],
    change: &WaitingChange,
    now: DateTime<Utc>,
) -> Result<Vec<ChangedDelivery>> {
    let token = next_token(c)?;
    let (mut changed, due) = (Vec::new(), micros(now));
    for asked in deliveries {
        let is_asked = |waits: &Member| {
            asked
                .webhook
                .is_none_or(|webhook| webhook.0 == waits.webhook)
                && asked
                    .attempts
                    .is_none_or(|attempts| attempts == waits.attempts)
                && (*change != WaitingChange::Due || waits.due > due)
        };
        let Some(waits) = waiting::get(c, asked.delivery.0)?.filter(is_asked) else {
            continue;
        };
        let Some(webhook) = webhook(c, waits.webhook)? else {
            continue;
        };
        let bytes = length(c, waits.delivery)?;
        match change {
            WaitingChange::Fetched { keep_messages } => {
                fetched(c, waits, token, now)?;
                if !keep_messages {
                    forget_message(c, waits.delivery, bytes)?;
                }
            }
            WaitingChange::Cancelled { reason } => {
                end_waiting(c, waits.delivery, reason, token)?;
                count_failed(c, webhook.id, now)?;
            }
            WaitingChange::Due => {
                waiting::remove(c, waits.delivery)?;
                waiting::insert(c, Member { due, ..waits })?;
            }
        }
        changed.push(ChangedDelivery {
            delivery: asked.delivery,
            webhook: WebhookId(webhook.id),
            owner: webhook.owner,
            bytes,
        });
    }
    if *change == WaitingChange::Due && !changed.is_empty() {
        watch::arrived(c)?;
    }
    changed.sort_unstable();
    Ok(changed)
}

/// Ends a delivery with one more attempt.
fn fetched(c: &Connection, waits: Member, token: i64, now: DateTime<Utc>) -> Result<()> {
    waiting::remove(c, waits.delivery)?;
    let claim = Claim {
        delivery: DeliveryId(waits.delivery),
        token: ClaimToken(token),
    };
    let attempt = SealedAttempt::fetched(claim, now);
    let after = Member {
        attempts: waits.attempts.saturating_add(1),
        tries: waits.tries.saturating_add(1),
        class: QueueClass::Retry.number(),
        ..waits
    };
    let end = Outcome {
        after,
        token,
        state: State::Sent,
        status_info: EndReason::Fetched.as_str(),
        attempt: Some(&attempt),
    };
    outcome::insert(c, &end)?;
    ended(c, waits.delivery)?;
    shrunk(c, -outcome::bytes(Some(&attempt)))
}

fn forget_message(c: &Connection, delivery: i64, bytes: u64) -> Result<()> {
    c.run(sql!("queue/forget_message"), [delivery])?;
    shrunk(c, stored(bytes))
}

fn length(c: &Connection, delivery: i64) -> Result<u64> {
    let sql = "SELECT octet_length(body) AS length FROM gatepost_delivery WHERE id = ?1";
    let length = c.first(sql, [delivery], |row| number(&Named::of(row), "length"))?;
    Ok(length.unwrap_or(0))
}
