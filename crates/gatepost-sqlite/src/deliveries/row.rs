//! A delivery as it is shown: its message, its state, and the results of its attempts.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use rusqlite::{Connection, Row};
use webhook_model::{TaskId, WebhookId};

use super::history::History;
use crate::batch::{Member, Webhook};
use crate::column::{maybe_tenant, micros, parse, time, time_of};
use crate::error::{Failure, Result};
use crate::named::Named;
use crate::sql::Sql as _;

/// The present state of a delivery.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stands {
    /// In the queue.
    Waits(Member),
    /// In a running batch, leased until this time.
    Runs(Member, i64),
    /// Neither; its history has the state.
    Ended,
}

/// Returns a delivery that was claimed until this time.
pub(crate) fn claimed(
    c: &Connection,
    member: Member,
    webhook: &Webhook,
    until: DateTime<Utc>,
) -> Result<Delivery> {
    let history = History::of(c, member.delivery)?;
    let stands = Stands::Runs(member, micros(until));
    let delivery = c.first(sql!("queue/facts"), [member.delivery], |row| {
        told(row, webhook.owner, stands, &history)
    })?;
    delivery.ok_or_else(|| Failure::corrupt("delivery", "not in the log"))
}

/// Reads a row of `gatepost_delivery`.
pub(crate) fn told(
    row: &Row<'_>,
    owner: OwnerId,
    stands: Stands,
    history: &History,
) -> Result<Delivery> {
    let row = &Named::of(row);
    let body = row.get_ref("body")?;
    let body = body.as_str().map_err(|e| Failure::corrupt("body", e))?;
    let created = time(row, "created")?;
    let (state, member) = match stands {
        Stands::Waits(member) => (DeliveryState::Queued, Some(member)),
        Stands::Runs(member, _) => (DeliveryState::Running, Some(member)),
        Stands::Ended => (history.state(), None),
    };
    let last = &history.last;
    let count = |of: fn(&Member) -> u32| {
        let of_last = || last.as_ref().map_or(0, |last| of(&last.after));
        member.as_ref().map_or_else(of_last, of)
    };
    let due = member.or(last.as_ref().map(|last| last.after));
    let made = history.made.as_ref();
    Ok(Delivery {
        id: DeliveryId(row.get("id")?),
        message_id: parse(row, "message_id")?,
        webhook: WebhookId(row.get("webhook")?),
        owner,
        tenant: maybe_tenant(row, "tenant")?,
        task: row.get::<Option<i64>>("task")?.map(TaskId),
        cause: row
            .get::<Option<String>>("cause")?
            .map(|cause| cause.parse())
            .transpose()
            .map_err(|e| Failure::corrupt("cause", e))?,
        body: body.into(),
        message_kept: row.get("message_kept")?,
        state,
        class: made.map_or_else(String::new, |made| made.class.clone()),
        status_info: last
            .as_ref()
            .map_or_else(String::new, |last| last.status_info.clone()),
        created,
        due: match due {
            Some(member) => time_of(member.due, "due")?,
            None => created,
        },
        lease_until: match stands {
            Stands::Runs(_, until) => Some(time_of(until, "lease_until")?),
            Stands::Waits(_) | Stands::Ended => None,
        },
        last_attempt: made.map(|made| made.started),
        attempts: count(|member| member.attempts),
        tries: count(|member| member.tries),
        lost_claims: count(|member| member.lost),
        response_status: made.and_then(|made| made.status),
        duration: made.and_then(|made| made.duration),
    })
}
