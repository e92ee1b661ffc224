//! Bounded, continuable searches for deliveries by criteria without an index.

mod budget;
mod criteria;
mod text_search;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery};

use self::budget::Budget;
pub use self::criteria::DeliveryMatch;
use self::criteria::{Sieve, looked_up};
use crate::actor::Actor;
use crate::completion::{Answer, contain};
use crate::error::ManageError;

/// The number of rows read at a time after a page of the requested size did not suffice.
const STRIDE: u32 = 500;

/// The found deliveries, and the position at which the search stopped.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FoundDeliveries {
    /// The rows, without their messages, in the order of the requested page; at most its limit.
    pub rows: Vec<Delivery>,
    /// The row after which to continue; `None` if the end was reached.
    pub next: Option<DeliveryId>,
    /// The queueing time of the last row that was read, if the search stopped before it had the
    /// requested number of rows. `None` also if it read no row that the caller may see.
    pub searched_to: Option<DateTime<Utc>>,
}

impl Actor {
    /// Returns one page of the deliveries that match and that the caller may see, without their
    /// messages. `next` is the position to continue from: a call reads at most 5,000 rows, so a
    /// page may be empty even if there is more to search. If messages are searched, it reads at
    /// most 20,000 rows, 32 MiB of messages or one second, plus at most a page of 1 MiB.
    ///
    /// Webhook, task, period and states other than `sent` are looked up; the other criteria are
    /// compared row by row. A message ID contains its creation time, which narrows the search.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] if too many lists of the caller wait; failures of store and
    /// accounts.
    pub fn find_deliveries<'a>(
        &'a self,
        query: &'a DeliveryQuery,
        wanted: &'a DeliveryMatch,
    ) -> Answer<'a, FoundDeliveries> {
        contain(self.find(query, wanted))
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
            // A short page with more behind it has used the budget of a call, unless messages ended
            // it.
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
