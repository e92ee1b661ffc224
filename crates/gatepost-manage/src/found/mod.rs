//! Deliveries looked for by what a store has no index of: a bounded look, that can be continued.

mod budget;
mod needle;
mod wanted;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery};

use self::budget::Budget;
pub use self::wanted::DeliveryMatch;
use self::wanted::{Sieve, looked_up};
use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;

/// Rows read at a time once a page of the wanted size did not suffice.
const STRIDE: u32 = 500;

/// Deliveries that were found, and how far the look went.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FoundDeliveries {
    /// The rows, without their messages, in the order of the page that was asked for; at most its
    /// limit.
    pub rows: Vec<Delivery>,
    /// The row after which to go on; `None` when the end was reached.
    pub next: Option<DeliveryId>,
    /// Where the look stopped before it had as many rows as were asked for: when the last row that
    /// it read was queued. `None` also where it read none that the caller may see.
    pub searched_to: Option<DateTime<Utc>>,
}

impl Actor {
    /// One page of the deliveries that match and that the caller may see, without their messages.
    /// `next` says where to go on: no call reads more than 5,000 rows, so a page may be empty
    /// though there is more to look through. Where messages are searched it is 20,000 rows, 32 MiB
    /// of messages or a second, and at most a page of 1 MiB beyond.
    ///
    /// Webhook, task, span of time and states other than `sent` are looked up; the rest is compared
    /// row by row. A message ID says when its delivery was made, and is looked for there.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] where many lists of the caller wait; failures of store and
    /// accounts.
    pub async fn find_deliveries(
        &self,
        query: &DeliveryQuery,
        wanted: &DeliveryMatch,
    ) -> Result<FoundDeliveries, ManageError> {
        contain(self.find(query, wanted)).await
    }

    async fn find(
        &self,
        query: &DeliveryQuery,
        wanted: &DeliveryMatch,
    ) -> Result<FoundDeliveries, ManageError> {
        let (limit, messages) = (query.page.limit as usize, wanted.text.is_some());
        let (mut sieve, mut budget) = (Sieve::new(query, wanted), Budget::new(messages));
        let mut by = looked_up(query, wanted);
        by.page = by.page.with_bodies(budget.bodies());
        let mut found = FoundDeliveries::default();
        loop {
            let some = self.visible_deliveries(&by).await?;
            // A short page with more behind it has read what one call may read, unless it is the
            // messages that end it.
            let is_short = !messages && some.rows.len() < by.page.limit as usize;
            budget.take(&some.rows);
            let mut left = some.rows.into_iter();
            while let Some(row) = left.next() {
                found.searched_to = Some(row.created);
                if sieve.passes(&row).await {
                    found.rows.push(without_message(row));
                }
                if found.rows.len() >= limit {
                    let is_more = left.len() > 0 || some.next.is_some();
                    let last = found.rows.last().map(|row| row.id);
                    found.next = last.filter(|_| is_more);
                    found.searched_to = None;
                    return Ok(found);
                }
            }
            found.next = some.next;
            if found.next.is_none() {
                found.searched_to = None;
            }
            if found.next.is_none() || is_short || budget.is_spent() {
                return Ok(found);
            }
            by.page.after = found.next;
            by.page.limit = STRIDE;
        }
    }
}

fn without_message(row: Delivery) -> Delivery {
    Delivery {
        body: "".into(),
        ..row
    }
}
