//! Deliveries looked for by what a store has no index of: a bounded look, that can be continued.

use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState, MessageId};
use gatepost_storage::{Bodies, Page};

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::Listed;

/// Rows that one look reads at most.
const MOST_READ: usize = 5_000;
/// Rows read at a time once a page of the wanted size did not suffice.
const STRIDE: u32 = 500;
/// How an attempt ends that succeeds.
const OK: &str = "ok";

/// Which deliveries to look for, beside what a [`DeliveryQuery`] asks for: those that match all
/// that is `Some`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct DeliveryMatch {
    /// Only deliveries whose last response had this status.
    pub status: Option<u16>,
    /// Only deliveries whose message ID, or the id of whose occurrence, begins with this text. A
    /// text that begins as message ids do is not looked for among occurrences.
    pub id: Option<String>,
}

impl Actor {
    /// One page of the deliveries that match and that the caller may see, without their messages.
    /// `next` says where to go on: no call reads more than 5,000 rows, so a page may be empty
    /// though there is more to look through.
    ///
    /// Webhook, task, span of time and states other than `sent` are looked up; the rest is compared
    /// row by row. A message ID says when its delivery was made, and is looked for there.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn find_deliveries(
        &self,
        query: &DeliveryQuery,
        wanted: &DeliveryMatch,
    ) -> Result<Listed<Delivery, DeliveryId>, ManageError> {
        contain(self.find(query, wanted)).await
    }

    async fn find(
        &self,
        query: &DeliveryQuery,
        wanted: &DeliveryMatch,
    ) -> Result<Listed<Delivery, DeliveryId>, ManageError> {
        let limit = query.page.limit as usize;
        let mut by = looked_up(query, wanted);
        by.page.limit = query.page.limit;
        let (mut rows, mut read) = (Vec::new(), 0);
        loop {
            let some = self.visible_deliveries(&by).await?;
            let is_short = some.rows.len() < by.page.limit as usize;
            read += some.rows.len();
            by.page.after = some.rows.last().map(|row| row.id).or(by.page.after);
            let mut fitting = some.rows.into_iter();
            let found = fitting.by_ref().filter(|row| is_wanted(query, wanted, row));
            rows.extend(found.take(limit - rows.len()));
            let is_cut = fitting.len() > 0;
            if rows.len() >= limit {
                let last = rows.last().map(|row| row.id);
                let next = last.filter(|_| is_cut || some.next.is_some());
                return Ok(Listed { rows, next });
            }
            by.page.after = some.next.or(by.page.after);
            // A short page with more behind it has read what one call may read.
            if some.next.is_none() || is_short || read >= MOST_READ {
                let next = some.next;
                return Ok(Listed { rows, next });
            }
            by.page.limit = STRIDE;
        }
    }
}

/// What of it the store looks up: only that by which it never walks past rows of its own accord.
fn looked_up(query: &DeliveryQuery, wanted: &DeliveryMatch) -> DeliveryQuery {
    let page: Page<DeliveryId> = query.page.with_bodies(Bodies::Omitted);
    let mut by = DeliveryQuery {
        class: None,
        page,
        ..query.clone()
    };
    if by.webhook.is_some() {
        by.task = None;
    }
    // What did not end well is sent no more, or ended, or waits: of that there is less.
    let failed = query.class.as_deref().is_some_and(|class| class != OK)
        || wanted
            .status
            .is_some_and(|status| !(200..300).contains(&status));
    if failed && by.states.is_empty() {
        by.states = vec![
            DeliveryState::Queued,
            DeliveryState::Running,
            DeliveryState::Error,
        ];
    }
    if by.states.contains(&DeliveryState::Sent) {
        by.states.clear();
    }
    if let Some((from, before)) = wanted.id.as_deref().and_then(MessageId::made_between) {
        by.created_from = Some(by.created_from.map_or(from, |asked| asked.max(from)));
        by.created_before = Some(by.created_before.map_or(before, |asked| asked.min(before)));
    }
    by
}

fn is_wanted(query: &DeliveryQuery, wanted: &DeliveryMatch, row: &Delivery) -> bool {
    let is_named = |id: &String| {
        let occurrence = row
            .cause
            .as_ref()
            .and_then(|cause| cause.occurrence.as_ref());
        row.message_id.as_str().starts_with(id)
            || occurrence.is_some_and(|occurrence| occurrence.as_str().starts_with(id))
    };
    (query.states.is_empty() || query.states.contains(&row.state))
        && query.task.is_none_or(|task| row.task == Some(task))
        && query.class.as_ref().is_none_or(|class| row.class == *class)
        && wanted
            .status
            .is_none_or(|status| row.response_status == Some(status))
        && wanted.id.as_ref().is_none_or(is_named)
}
